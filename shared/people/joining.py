"""Belonging without an invitation: by the domain of one's address, with more rights by one's groups, or by making an
organization. Owners decide the first two, the deployment the third."""

import secrets
from typing import Final
from uuid import UUID

from shared.access import require_owner
from shared.domain.joining import ClaimedDomain, Domain, GroupRole, NewDomain, NewGroupRole, NewOrganization
from shared.domain.scope import Identity
from shared.errors import BadInput, Conflict, Forbidden, NotFound
from shared.people.sign_in import SignInClaims
from shared.runtime import Runtime
from shared.store import identities
from shared.store import joining as rows
from shared.store.audit import note
from shared.store.connect import Connection, set_scope

TOKEN_BYTES: Final = 18


def list_domains(
    runtime: Runtime, identity: Identity, after: UUID | None = None, limit: int = 100
) -> list[ClaimedDomain]:
    """Oldest first, from behind `after`. Raises Forbidden below owner, as all of these do."""
    require_owner(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        return [_claimed(one) for one in rows.list_domains(connection, after, limit)]


def add_domain(runtime: Runtime, identity: Identity, wanted: NewDomain) -> ClaimedDomain:
    """Claims it, or gives one that is claimed another role."""
    require_owner(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        made = rows.add_domain(connection, identity, wanted, secrets.token_urlsafe(TOKEN_BYTES))
        note(connection, identity, "domain.claim", made, domain=wanted.domain, role=wanted.role)
        return _claimed(_find(connection, made))


def verify_domain(runtime: Runtime, identity: Identity, domain_id: UUID) -> ClaimedDomain:
    """Looks the record up. Raises BadInput where it does not say what it has to, Unavailable where the DNS does not
    answer, Conflict where another organization has proved the domain."""
    require_owner(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        found = _find(connection, domain_id)
    if found.record_value not in runtime.look_up_txt(found.record_name):
        raise BadInput(
            f"There is no TXT record {found.record_name} that says {found.record_value}."
            " Add it where the domain's DNS is kept; it may take an hour to be seen."
        )
    with runtime.database.transaction(identity.scope()) as connection:
        rows.verify_domain(connection, domain_id)
        note(connection, identity, "domain.verify", domain_id, domain=found.domain)
        return _claimed(_find(connection, domain_id))


def remove_domain(runtime: Runtime, identity: Identity, domain_id: UUID) -> ClaimedDomain:
    """Nobody joins by it any more; who has joined stays."""
    require_owner(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        found = _find(connection, domain_id)
        rows.remove_domain(connection, domain_id)
        note(connection, identity, "domain.remove", domain_id, domain=found.domain)
        return _claimed(found)


def list_group_roles(
    runtime: Runtime, identity: Identity, after: UUID | None = None, limit: int = 100
) -> list[GroupRole]:
    """Oldest first, from behind `after`."""
    require_owner(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        return rows.list_group_roles(connection, after, limit)


def set_group_role(runtime: Runtime, identity: Identity, wanted: NewGroupRole) -> GroupRole:
    """From each person's next request on."""
    require_owner(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        made = rows.add_group_role(connection, identity, wanted)
        note(connection, identity, "group.role", made.id, group=made.group, role=made.role)
        return made


def remove_group_role(runtime: Runtime, identity: Identity, group_role_id: UUID) -> GroupRole:
    """Raises NotFound."""
    require_owner(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        gone = rows.remove_group_role(connection, group_role_id)
        if gone is None:
            raise NotFound(f"There is no role of a group {group_role_id}. List them, and take an id of them.")
        note(connection, identity, "group.remove", group_role_id, group=gone.group)
        return gone


def found_organization(runtime: Runtime, wanted: NewOrganization, who: SignInClaims) -> Identity:
    """The new organization's owner. Raises Forbidden where the deployment lets nobody do this, or the address is not
    verified; Conflict where the person belongs somewhere, or the slug is taken."""
    if not runtime.self_sign_up:
        raise Forbidden("Organizations are made by this deployment's operator. Ask for an invitation.")
    if not who.email or not who.verified:
        raise Forbidden("Your identity provider does not vouch for your address. Verify it, then try again.")
    with runtime.database.unscoped() as connection:
        if identities.list_identities(connection, who.issuer, who.subject):
            raise Conflict("You belong to an organization already. A further one is made by the operator.")
        made = rows.found_organization(connection, who.issuer, who.subject, who.email, wanted)
        if made is None:
            raise Conflict(f"An organization `{wanted.slug}` exists already. Choose another short name.")
        set_scope(connection, made.scope())
        note(connection, made, "organization.create", made.organization_id, slug=wanted.slug)
    return made


def _find(connection: Connection, domain_id: UUID | None) -> Domain:
    found = rows.get_domain(connection, domain_id) if domain_id else None
    if found is None:
        raise NotFound(f"There is no domain {domain_id}. List them, and take an id of them.")
    return found


def _claimed(domain: Domain) -> ClaimedDomain:
    return ClaimedDomain(**domain.model_dump(), txt_name=domain.record_name, txt_value=domain.record_value)
