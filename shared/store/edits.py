"""Rows of edits, and what editing needs to read of a document."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.edits import Edit, EditPiece, EditRow
from shared.domain.scope import Identity
from shared.store.connect import Connection, Row
from shared.store.draft import FormerKey
from shared.store.named_queries import load_queries

_SQL = load_queries("edits")


@dataclass(frozen=True)
class ActiveEdit:
    """An edit that has not been undone; `stale` says why it does not apply to the latest run."""

    edit: Edit
    stale: str | None


def add_edit(
    connection: Connection, scope: Row, edit: Edit, before: list[EditPiece], after: list[EditPiece], identity: Identity
) -> None:
    """Stores an edit; `scope` names the organization, the knowledge base and the document."""
    values = {
        **scope,
        "id": edit.id,
        "kind": edit.kind,
        "page": edit.pages[0],
        "payload": Jsonb([change.model_dump(mode="json") for change in edit.changes]),
        "before": Jsonb([piece.model_dump(mode="json") for piece in before]),
        "after": Jsonb([piece.model_dump(mode="json") for piece in after]),
        "author_id": identity.user_id,
        "author": name_of(connection, identity),
    }
    connection.execute(_SQL["add_edit"], values)


def carry_edit(connection: Connection, document_id: UUID, edit: Edit, carried_id: UUID) -> None:
    """Stores what was the edit `carried_id` of another version as one of this document."""
    values: Row = {
        "document_id": document_id,
        "new_id": edit.id,
        "page": edit.pages[0],
        "payload": Jsonb([change.model_dump(mode="json") for change in edit.changes]),
        "carried_id": carried_id,
    }
    connection.execute(_SQL["carry_edit"], values)


def list_edits(connection: Connection, document_id: UUID, before: UUID | None, limit: int) -> list[EditRow]:
    """Edits, newest first, after the one with id `before`."""
    values = {"document_id": document_id, "before": before, "limit": limit}
    return [EditRow.model_validate(row) for row in connection.execute(_SQL["list_edits"], values).fetchall()]


def get_edit(connection: Connection, document_id: UUID, edit_id: UUID) -> EditRow | None:
    row = connection.execute(_SQL["get_edit"], {"document_id": document_id, "id": edit_id}).fetchone()
    return EditRow.model_validate(row) if row else None


def active_edits(connection: Connection, document_id: UUID) -> list[ActiveEdit]:
    """The edits that have not been undone, oldest first."""
    rows = connection.execute(_SQL["active_edits"], {"document_id": document_id}).fetchall()
    return [
        ActiveEdit(Edit.model_validate({"id": r["id"], "kind": r["kind"], "changes": r["payload"]}), r["stale"])
        for r in rows
    ]


def set_undone(connection: Connection, document_id: UUID, edit_id: UUID, identity: Identity) -> None:
    values = {"document_id": document_id, "id": edit_id, "by": name_of(connection, identity)}
    connection.execute(_SQL["set_undone"], values)


def row_keys(connection: Connection, document_id: UUID) -> dict[FormerKey, UUID]:
    """The ids of the document's chunks, sections and tables by their natural keys."""
    rows = connection.execute(_SQL["row_keys"], {"document_id": document_id}).fetchall()
    return {(row["of"], row["hash"], row["occurrence"]): row["id"] for row in rows}


def add_former(connection: Connection, document_id: UUID, edit_id: UUID, gone: Mapping[FormerKey, UUID]) -> None:
    """Stores the ids of rows that this edit, or its undoing, removed, in case they come back."""
    former = [{"of": key[0], "hash": key[1], "occurrence": key[2], "id": str(row)} for key, row in gone.items()]
    connection.execute(_SQL["add_former"], {"document_id": document_id, "id": edit_id, "former": Jsonb(former)})


def former_rows(connection: Connection, document_id: UUID) -> dict[FormerKey, UUID]:
    """The ids of rows that edits removed, by their natural keys."""
    rows = connection.execute(_SQL["former_rows"], {"document_id": document_id}).fetchall()
    return {(row["of"], row["hash"], row["occurrence"]): row["id"] for row in rows}


def set_stale(
    connection: Connection, document_id: UUID, edits: Collection[ActiveEdit], now: Mapping[UUID, str]
) -> None:
    """Store which edits apply now, and why the others do not."""
    for one in edits:
        reason = now.get(one.edit.id)
        if reason != one.stale:
            connection.execute(_SQL["set_stale"], {"document_id": document_id, "id": one.edit.id, "stale": reason})


def lock_revision(connection: Connection, document_id: UUID) -> tuple[int, str] | None:
    """Returns (revision, status) of the document and locks it; None where it does not exist."""
    row = connection.execute(_SQL["lock_revision"], {"document_id": document_id}).fetchone()
    return (int(row["revision"]), str(row["status"])) if row else None


def set_edited(connection: Connection, document_id: UUID, confidence: float) -> int:
    """Stores that the document's chunks have changed; returns the new revision."""
    row = connection.execute(_SQL["set_edited"], {"document_id": document_id, "confidence": confidence}).fetchone()
    return int((row or {})["revision"])


def read_pages(connection: Connection, document_id: UUID) -> list[int]:
    """The numbers of the pages that could be read, in order."""
    return [int(r["page"]) for r in connection.execute(_SQL["read_pages"], {"document_id": document_id}).fetchall()]


def chunk_pages(connection: Connection, document_id: UUID, ids: Collection[UUID]) -> dict[UUID, range]:
    """For each of these chunks the pages that it is on; a chunk that the document does not have is left out."""
    rows = connection.execute(_SQL["chunk_pages"], {"document_id": document_id, "ids": list(ids)}).fetchall()
    return {row["id"]: range(row["first_page"] or 1, (row["last_page"] or 0) + 1) for row in rows}


def section_ordinal(connection: Connection, document_id: UUID, section_id: UUID) -> int | None:
    """The section's index in the document, from 0; None where it has no such section."""
    row = connection.execute(_SQL["section_ordinal"], {"document_id": document_id, "id": section_id}).fetchone()
    return int(row["ordinal"]) if row else None


def known_hashes(connection: Connection, knowledge_base_id: UUID, version: str, hashes: Collection[str]) -> set[str]:
    """Those of the index text hashes that have a vector of this embedder in the knowledge base."""
    values = {"knowledge_base_id": knowledge_base_id, "version": version, "hashes": list(hashes)}
    return {str(row["index_hash"]) for row in connection.execute(_SQL["known_hashes"], values).fetchall()}


def name_of(connection: Connection, identity: Identity) -> str:
    """The person's name as the history shows it."""
    row = connection.execute(_SQL["person"], {"id": identity.user_id}).fetchone()
    return str(row["name"]) if row else str(identity.user_id)
