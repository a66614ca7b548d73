"""Rows of who sees a restricted knowledge base, and what of the open scope may be changed."""

from collections.abc import Sequence
from uuid import UUID

from shared.domain.people import Permission, PermittedMember
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("permissions")


def narrow_to_writable(connection: Connection) -> None:
    """Leaves those knowledge bases in the scope of the open transaction that its member or machine may write to, and
    remembers the others for it."""
    connection.execute(_SQL["narrow_to_writable"])


def read_only(connection: Connection) -> set[UUID]:
    """What `narrow_to_writable` has taken out of the scope."""
    row = connection.execute(_SQL["read_only"]).fetchone()
    return set(row["ids"]) if row else set()


def widen_to_readable(connection: Connection) -> bool:
    """Takes it back in; returns whether there was anything."""
    return connection.execute(_SQL["widen_to_readable"]).rowcount == 1


def is_restricted(connection: Connection, knowledge_base_id: UUID) -> bool | None:
    """Whether named members alone see it; None where there is none."""
    row = connection.execute(_SQL["is_restricted"], {"base": knowledge_base_id}).fetchone()
    return row["restricted"] if row else None


def list_permitted(connection: Connection, knowledge_base_id: UUID) -> list[PermittedMember]:
    """By address."""
    rows = connection.execute(_SQL["list_permitted"], {"base": knowledge_base_id}).fetchall()
    return [PermittedMember.model_validate(row) for row in rows]


def set_access(
    connection: Connection, knowledge_base_id: UUID, restricted: bool, members: Sequence[Permission]
) -> UUID | None:
    """Replaces who sees it; returns the first of `members` who is none, and then changes are to be taken back."""
    base = {"base": knowledge_base_id}
    connection.execute(_SQL["restrict"], base | {"restricted": restricted})
    connection.execute(_SQL["forbid_all"], base)
    for one in members:
        if connection.execute(_SQL["permit"], base | one.model_dump()).rowcount != 1:
            return one.user_id
    return None
