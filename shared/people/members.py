"""Who belongs to an organization: invitations, roles, removal. Owners alone decide about owners."""

from uuid import UUID

from shared.access import require_admin, require_writing
from shared.domain.people import Binding, Invitation, Member, NewInvitation, RemovedMember, RoleChange
from shared.domain.scope import Identity
from shared.errors import Conflict, Forbidden, NotFound, TooMany
from shared.ports import InvitationMail
from shared.runtime import Runtime
from shared.store import members as rows
from shared.store import plans
from shared.store.audit import note
from shared.store.connect import Connection

# Fewer than Cognito's own mail takes in a day for a whole deployment (50), so that one organization leaves some.
INVITATIONS_AN_HOUR = 30


def list_members(runtime: Runtime, identity: Identity, after: UUID | None = None, limit: int = 100) -> list[Member]:
    """Members, and who is invited, in the order in which they came."""
    with runtime.database.transaction(identity.scope()) as connection:
        return rows.list_members(connection, after, limit)


def list_invitations(
    runtime: Runtime, identity: Identity, after: UUID | None = None, limit: int = 100
) -> list[Invitation]:
    """Those that nobody has accepted, with the sign-ins that wait for them; oldest first, from behind `after`. Raises
    Forbidden below admin."""
    require_admin(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        invited = rows.list_invited(connection, after, limit)
        waiting = rows.list_waiting(connection, [one.id for one in invited])
    return [
        Invitation(**one.model_dump(), waiting=[w for w in waiting if w.invitation_id == one.id]) for one in invited
    ]


def invite(runtime: Runtime, identity: Identity, wanted: NewInvitation) -> Member:
    """Raises Forbidden below admin, and for an owner's invitation below owner; Conflict for a known address."""
    _require_for(identity, wanted.role)
    with runtime.database.transaction(identity.scope()) as connection:
        _check_pace(connection, identity)
        made = rows.add_member(connection, identity, wanted)
        if made is None:
            raise Conflict(f"{wanted.email} is a member already, or invited. `autri members list` says which.")
        note(connection, identity, "member.invite", made, role=wanted.role)
        found, mail = _find(connection, made), _mail(connection, identity, wanted.email, wanted.role)
    runtime.mailer.send_invitation(mail)
    return found


def resend(runtime: Runtime, identity: Identity, user_id: UUID) -> Member:
    """Raises Forbidden below admin, NotFound, and Conflict where the person has joined."""
    require_admin(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        _check_pace(connection, identity)
        _find_invitation(connection, user_id)
        rows.invite_again(connection, user_id)
        note(connection, identity, "member.resend", user_id)
        found = _find(connection, user_id)
        mail = _mail(connection, identity, found.email, found.role)
    runtime.mailer.send_invitation(mail)
    return found


def bind(runtime: Runtime, identity: Identity, user_id: UUID, binding: Binding) -> Member:
    """Makes a waiting sign-in the invited person. Raises as `resend` does, Conflict where it does not wait either."""
    require_admin(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        _require_for(identity, _find_invitation(connection, user_id).role)
        if not rows.bind(connection, user_id, binding):
            raise Conflict("This sign-in does not wait for the invitation, or is another member already.")
        note(connection, identity, "member.bind", user_id, issuer=binding.issuer)
        return _find(connection, user_id)


def change_role(runtime: Runtime, identity: Identity, user_id: UUID, change: RoleChange) -> Member:
    """Raises Forbidden below admin, and below owner where an owner is made or unmade; NotFound; Conflict where no owner
    would be left."""
    _require_for(identity, change.role)
    with runtime.database.transaction(identity.scope()) as connection:
        found = _find(connection, user_id)
        _require_for(identity, found.role)
        rows.set_role(connection, user_id, change.role)
        note(connection, identity, "member.role", user_id, before=found.role, after=change.role)
        return _find(connection, user_id)


def remove(runtime: Runtime, identity: Identity, user_id: UUID) -> RemovedMember:
    """Removes a member, takes an invitation back, or leaves. Raises as `change_role` does; everybody may leave."""
    leaving = user_id == identity.user_id and identity.key_id is None
    require_writing(identity)
    if not leaving:
        require_admin(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        found = _find(connection, user_id)
        if not leaving:
            _require_for(identity, found.role)
        note(connection, identity, "member.leave" if leaving else "member.remove", user_id, role=found.role)
        rows.remove_member(connection, user_id)
    return RemovedMember(id=found.id, email=found.email)


def _require_for(identity: Identity, role: str) -> None:
    require_admin(identity)
    if role == "owner" and identity.role != "owner":
        raise Forbidden("Owners alone decide about owners. Ask one of them.")


def _find(connection: Connection, user_id: UUID) -> Member:
    found = rows.lock_member(connection, user_id)
    if found is None:
        raise NotFound(f"There is no member {user_id}. List them, and take an id of them.")
    return found


def _find_invitation(connection: Connection, user_id: UUID) -> Member:
    found = _find(connection, user_id)
    if found.invited_at is None:
        raise Conflict(f"{found.email} has joined already; the invitation is used up.")
    return found


def _check_pace(connection: Connection, identity: Identity) -> None:
    """Raises TooMany: an organization's mail goes out in everybody's name. Nobody else of the organization counts until
    the invitation is noted."""
    plans.lock(connection, identity.organization_id)
    if rows.count_invitations(connection) >= INVITATIONS_AN_HOUR:
        raise TooMany(f"Your organization has sent {INVITATIONS_AN_HOUR} invitations within an hour. Go on in an hour.")


def _mail(connection: Connection, identity: Identity, email: str, role: str) -> InvitationMail:
    """A machine invites in the name of its organization."""
    organization = rows.organization_name(connection, identity.organization_id)
    inviter = None if identity.is_machine else rows.lock_member(connection, identity.user_id)
    return InvitationMail(email, organization, role, (inviter.name or inviter.email) if inviter else organization)
