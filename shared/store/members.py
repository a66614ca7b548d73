"""Rows of members and invitations, in the scope of their organization."""

from uuid import UUID

import psycopg

from shared.domain.ids import new_id
from shared.domain.people import Binding, Member, NewInvitation, WaitingSignIn
from shared.domain.scope import Identity
from shared.errors import Conflict
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("members")


def list_members(connection: Connection, after: UUID | None, limit: int) -> list[Member]:
    """Members and invitations, oldest first, after the one with id `after`."""
    rows = connection.execute(_SQL["list_members"], {"after": after, "limit": limit}).fetchall()
    return [Member.model_validate(row) for row in rows]


def list_invited(connection: Connection, after: UUID | None, limit: int) -> list[Member]:
    """Those alone who have not joined, in the same order."""
    rows = connection.execute(_SQL["list_invited"], {"after": after, "limit": limit}).fetchall()
    return [Member.model_validate(row) for row in rows]


def lock_member(connection: Connection, user_id: UUID) -> Member | None:
    """The member or invitation, which nobody else changes until the transaction ends."""
    row = connection.execute(_SQL["lock_member"], {"id": user_id}).fetchone()
    return Member.model_validate(row) if row else None


def add_member(connection: Connection, identity: Identity, wanted: NewInvitation) -> UUID | None:
    """Invites somebody; None where the address is a member's or an invitation's already."""
    values = wanted.model_dump() | {"organization_id": identity.organization_id, "id": new_id()}
    row = connection.execute(_SQL["add_member"], values).fetchone()
    return row["id"] if row else None


def invite_again(connection: Connection, user_id: UUID) -> None:
    connection.execute(_SQL["invite_again"], {"id": user_id})


def count_invitations(connection: Connection) -> int:
    """Those sent within the last hour, as the audit log has them."""
    row = connection.execute(_SQL["count_invitations"]).fetchone()
    return int(row["sent"]) if row else 0


def set_role(connection: Connection, user_id: UUID, role: str) -> None:
    """Raises Conflict where no owner would be left."""
    connection.execute(_SQL["set_role"], {"id": user_id, "role": role})
    _keep_an_owner(connection)


def remove_member(connection: Connection, user_id: UUID) -> None:
    """With their identities, keys and permissions. Raises Conflict where no owner would be left."""
    connection.execute(_SQL["remove_member"], {"id": user_id})
    _keep_an_owner(connection)


def list_waiting(connection: Connection, invitations: list[UUID]) -> list[WaitingSignIn]:
    """Those that wait for these invitations, the newest first."""
    rows = connection.execute(_SQL["list_waiting"], {"ids": invitations}).fetchall()
    return [WaitingSignIn.model_validate(row) for row in rows]


def bind(connection: Connection, user_id: UUID, binding: Binding) -> bool:
    """Makes the waiting sign-in the invited user; False where it does not wait, or is somebody here already."""
    values = {"id": user_id} | binding.model_dump()
    if connection.execute(_SQL["bind"], values).rowcount != 1:
        return False
    connection.execute(_SQL["end_invitation"], {"id": user_id})
    connection.execute(_SQL["end_waiting"], {"id": user_id})
    return True


def organization_name(connection: Connection, organization_id: UUID) -> str:
    row = connection.execute(_SQL["organization_name"], {"id": organization_id}).fetchone()
    return row["name"] if row else ""


def _keep_an_owner(connection: Connection) -> None:
    """Has the database look now whether an owner is left, instead of at the transaction's end."""
    try:
        connection.execute(_SQL["keep_an_owner"])
    except psycopg.errors.RestrictViolation as error:
        raise Conflict("An organization keeps an owner. Make somebody else an owner first.") from error
