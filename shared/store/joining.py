"""Rows of domains and of roles by group, in the scope of their organization; and how people join without an
invitation, before a scope exists."""

from collections.abc import Sequence
from uuid import UUID

import psycopg

from shared.domain.ids import new_id
from shared.domain.joining import Domain, GroupRole, NewDomain, NewGroupRole, NewOrganization
from shared.domain.scope import Identity
from shared.errors import Conflict
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("joining")


def list_domains(connection: Connection, after: UUID | None, limit: int) -> list[Domain]:
    """Oldest first, after the one with id `after`."""
    rows = connection.execute(_SQL["list_domains"], {"after": after, "limit": limit}).fetchall()
    return [Domain.model_validate(row) for row in rows]


def get_domain(connection: Connection, domain_id: UUID) -> Domain | None:
    """Which nobody else changes until the transaction ends."""
    row = connection.execute(_SQL["get_domain"], {"id": domain_id}).fetchone()
    return Domain.model_validate(row) if row else None


def add_domain(connection: Connection, identity: Identity, wanted: NewDomain, token: str) -> UUID | None:
    """Its id; of one that is there the role is changed, and the token stays."""
    values = {"organization_id": identity.organization_id, "id": new_id(), "token": token, **wanted.model_dump()}
    row = connection.execute(_SQL["add_domain"], values).fetchone()
    return row["id"] if row else None


def verify_domain(connection: Connection, domain_id: UUID) -> None:
    """Raises Conflict where another organization has proved it."""
    try:
        connection.execute(_SQL["verify_domain"], {"id": domain_id})
    except psycopg.errors.UniqueViolation as error:
        raise Conflict("Another organization here has proved this domain. Ask the operator.") from error


def remove_domain(connection: Connection, domain_id: UUID) -> None:
    connection.execute(_SQL["remove_domain"], {"id": domain_id})


def list_group_roles(connection: Connection, after: UUID | None, limit: int) -> list[GroupRole]:
    """Oldest first, after the one with id `after`."""
    rows = connection.execute(_SQL["list_group_roles"], {"after": after, "limit": limit}).fetchall()
    return [GroupRole.model_validate(row) for row in rows]


def add_group_role(connection: Connection, identity: Identity, wanted: NewGroupRole) -> GroupRole:
    """Of a group that has a role it is changed."""
    values = {"organization_id": identity.organization_id, "id": new_id(), **wanted.model_dump()}
    return GroupRole.model_validate(connection.execute(_SQL["add_group_role"], values).fetchone())


def remove_group_role(connection: Connection, group_role_id: UUID) -> GroupRole | None:
    """What it was; None where there was none."""
    row = connection.execute(_SQL["remove_group_role"], {"id": group_role_id}).fetchone()
    return GroupRole.model_validate(row) if row else None


def roles_of_groups(connection: Connection, groups: Sequence[str]) -> list[str]:
    """The roles that the open scope's organization gives to members of these groups."""
    return [row["role"] for row in connection.execute(_SQL["roles_of_groups"], {"groups": list(groups)}).fetchall()]


def join_by_domain(connection: Connection, issuer: str, subject: str, email: str, wish: str | None) -> Identity | None:
    """Makes a member of whoever has this verified address, where an organization has proved its domain: the one of the
    `wish`, else whichever it is. None where none has, or where it knows the address already."""
    values = {"issuer": issuer, "subject": subject, "email": email, "wish": wish, "user_id": new_id()}
    row = connection.execute(_SQL["join_by_domain"], values).fetchone()
    return Identity.model_validate(row) if row else None


def found_organization(
    connection: Connection, issuer: str, subject: str, email: str, wanted: NewOrganization
) -> Identity | None:
    """Its owner; None where the subject belongs to an organization, or the slug is taken."""
    who = {"issuer": issuer, "subject": subject, "email": email}
    values = {**who, **wanted.model_dump(), "organization_id": new_id(), "user_id": new_id()}
    row = connection.execute(_SQL["found_organization"], values).fetchone()
    return Identity.model_validate(row) if row else None
