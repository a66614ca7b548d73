"""Versions: which logical document a document belongs to, their order, and which version is the current one.

Changes within a knowledge base are serialised, each in one transaction: a search, which reads one snapshot, sees the
versions as they were before or after, never two current versions and never none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from shared.domain.ids import new_id
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("versions")


@dataclass(frozen=True)
class VersionMember:
    """A version within its logical document; `version_index` from 1, oldest first."""

    id: UUID
    name: str
    version_label: str | None
    version_index: int
    is_current: bool
    serving: bool


def lock_logical(connection: Connection, *documents: UUID) -> list[UUID] | None:
    """Locks the versions of the knowledge base; returns the logical documents of `documents`, in order, or None where
    one is gone.

    All `documents` are of one knowledge base. It is one lock per knowledge base, since moving a document affects the
    logical documents that it leaves and enters, and a waiting transaction cannot know which these will be.
    """
    lock_versions(connection, documents[0])
    found = [_logical_of(connection, document) for document in documents]
    known = [one for one in found if one is not None]
    return known if len(known) == len(found) else None


def lock_versions(connection: Connection, document_id: UUID) -> None:
    """Locks the versions of the document's knowledge base."""
    connection.execute(_SQL["lock"], {"id": document_id})


def lock_base(connection: Connection, knowledge_base_id: UUID) -> None:
    """The same lock, of a knowledge base whose documents are not there yet."""
    connection.execute(_SQL["lock_base"], {"knowledge_base_id": knowledge_base_id})


def list_members(connection: Connection, logical_id: UUID) -> list[VersionMember]:
    """All versions of a logical document, oldest first."""
    return [VersionMember(**row) for row in connection.execute(_SQL["members"], {"id": logical_id}).fetchall()]


def move(connection: Connection, document_id: UUID, source: UUID, target: UUID, position: int) -> None:
    """Makes the document version `position` (from 1; larger numbers mean the last) of `target`; both logical documents
    are locked.

    It becomes the current version where it is newer than the present one; `source` keeps a current version.
    """
    own = next(m for m in list_members(connection, source) if m.id == document_id)
    others = [m for m in list_members(connection, target) if m.id != document_id]
    kept = own if own.is_current and source == target else next((m for m in others if m.is_current), None)
    place = min(position, len(others) + 1) - 1
    order = [*others[:place], own, *others[place:]]
    if source != target:
        connection.execute(_SQL["leave"], {"id": document_id})
    _arrange(connection, target, order)
    if source != target:
        newer = own.serving and (kept is None or order.index(own) > order.index(kept))
        _set_current(connection, target, own if newer else kept)
        tidy(connection, source)


def separate(connection: Connection, document_id: UUID, source: UUID, name: str) -> UUID:
    """Moves the document, one of several versions of `source`, to a logical document of its own; returns that one's
    id."""
    target = new_id()
    connection.execute(_SQL["add_logical_document"], {"id": target, "name": name, "document_id": document_id})
    move(connection, document_id, source, target, 1)
    return target


def set_current(connection: Connection, logical_id: UUID, document_id: UUID) -> None:
    """Makes this version the current one, even if it is not the newest."""
    _set_current(connection, logical_id, next(m for m in list_members(connection, logical_id) if m.id == document_id))


def rename(connection: Connection, document_id: UUID, name: str | None, label: str | None, set_label: bool) -> None:
    """Changes name and label; None as `name` keeps it."""
    values = {"id": document_id, "name": name, "label": label, "set_label": set_label}
    connection.execute(_SQL["rename"], values)


def rename_logical(connection: Connection, logical_id: UUID, name: str) -> None:
    connection.execute(_SQL["rename_logical"], {"id": logical_id, "name": name})


def tidy(connection: Connection, logical_id: UUID) -> None:
    """Restores the order after a version has left: numbers without gaps, the newest served version current; deletes a
    logical document without versions."""
    left = list_members(connection, logical_id)
    if not left:
        connection.execute(_SQL["remove_empty"], {"id": logical_id})
        return
    if [m.version_index for m in left] != list(range(1, len(left) + 1)):
        _arrange(connection, logical_id, left)
    if not any(m.is_current for m in left):
        _set_current(connection, logical_id, next((m for m in reversed(left) if m.serving), None))


def _logical_of(connection: Connection, document_id: UUID) -> UUID | None:
    row = connection.execute(_SQL["logical_of"], {"id": document_id}).fetchone()
    return row["id"] if row else None


def _arrange(connection: Connection, logical_id: UUID, order: Sequence[VersionMember]) -> None:
    for rank, member in enumerate(order, 1):
        connection.execute(_SQL["park"], {"id": member.id, "logical_id": logical_id, "rank": rank})
    connection.execute(_SQL["renumber"], {"id": logical_id})


def _set_current(connection: Connection, logical_id: UUID, member: VersionMember | None) -> None:
    """Unsets the former current version first, as one statement cannot swap two rows under a unique index."""
    values = {"logical_id": logical_id, "current": member.id if member else None}
    connection.execute(_SQL["step_down"], values)
    connection.execute(_SQL["step_up"], values)
