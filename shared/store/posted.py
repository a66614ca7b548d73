"""Rows of what was posted instead of uploaded: notes and records, beside their documents."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from psycopg.types.json import Json

from shared.domain.knowledge import CorrectingNote
from shared.domain.scope import Scope
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries
from shared.store.upsert import json_rows

_NOTES = load_queries("notes")
_RECORDS = load_queries("records")


def add_records(connection: Connection, scope: Scope, posted: Sequence[tuple[UUID, Mapping[str, Any]]]) -> None:
    """Inserts records, each beside its document."""
    rows = [{"document_id": document_id, **row} for document_id, row in posted]
    values = {"organization_id": scope.organization_id, "knowledge_base_id": scope.knowledge_base_ids[0]}
    connection.execute(_RECORDS["add_records"], values | {"rows": json_rows(rows)})


def add_posted(connection: Connection, scope: Scope, document_id: UUID, posted: Row) -> None:
    """Inserts what was posted with a document; `posted` names its table by its source type."""
    owner: Row = {
        "organization_id": scope.organization_id,
        "knowledge_base_id": scope.knowledge_base_ids[0],
        "document_id": document_id,
    }
    if posted["source_type"] == "note":
        connection.execute(_NOTES["add_note"], owner | posted)
    else:
        add_records(connection, scope, [(document_id, posted)])


def find_note(connection: Connection, document_id: UUID) -> Row | None:
    return connection.execute(_NOTES["find_note"], {"id": document_id}).fetchone()


def latest_note(connection: Connection, document_id: UUID) -> Row | None:
    """The newest version of the note that `document_id` is a version of."""
    return connection.execute(_NOTES["latest_note"], {"id": document_id}).fetchone()


def list_notes(connection: Connection, knowledge_base_id: UUID, before: UUID | None, limit: int) -> list[Row]:
    """Current notes, newest first."""
    values = {"knowledge_base_id": knowledge_base_id, "before": before, "limit": limit}
    return connection.execute(_NOTES["list_notes"], values).fetchall()


def list_corrections(connection: Connection, document_id: UUID) -> list[Row]:
    """Served current notes that correct any version of the document, oldest first."""
    return connection.execute(_NOTES["list_corrections"], {"id": document_id}).fetchall()


def corrections_of_chunks(connection: Connection, ids: Collection[UUID]) -> dict[UUID, list[CorrectingNote]]:
    """The notes that correct these chunks, oldest first; chunks that none corrects are left out."""
    found: dict[UUID, list[CorrectingNote]] = {}
    for row in connection.execute(_NOTES["corrections_of_chunks"], {"ids": list(ids)}):
        found.setdefault(row["quoted_id"], []).append(CorrectingNote.model_validate(row))
    return found


def find_corrected(connection: Connection, document_id: UUID, chunk_id: UUID | None) -> Row | None:
    """`{id, chunk_id, content_hash}`: the last two are None where the document has no such chunk."""
    return connection.execute(_NOTES["find_corrected"], {"document_id": document_id, "chunk_id": chunk_id}).fetchone()


def list_tags(connection: Connection, knowledge_base_id: UUID) -> list[str]:
    """The tags of current notes, the most frequent first."""
    return [
        str(row["tag"]) for row in connection.execute(_NOTES["list_tags"], {"knowledge_base_id": knowledge_base_id})
    ]


def put_kind(connection: Connection, knowledge_base_id: UUID, kind: Row) -> Row | None:
    """Declares a kind, or changes it; None where there is no such knowledge base."""
    values = kind | {"knowledge_base_id": knowledge_base_id, "schema": Json(kind["schema"])}
    return connection.execute(_RECORDS["put_kind"], values).fetchone()


def list_kinds(connection: Connection, knowledge_base_id: UUID) -> list[Row]:
    """By name."""
    return connection.execute(_RECORDS["list_kinds"], {"knowledge_base_id": knowledge_base_id}).fetchall()


def remove_kind(connection: Connection, knowledge_base_id: UUID, name: str) -> bool:
    """Its records stay. False where there is no such kind."""
    values = {"knowledge_base_id": knowledge_base_id, "name": name}
    return connection.execute(_RECORDS["remove_kind"], values).fetchone() is not None


def latest_records(
    connection: Connection, knowledge_base_id: UUID, named: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], Row]:
    """The latest version of each record, by its kind and key; locked against others who post the same ones."""
    values = {
        "knowledge_base_id": knowledge_base_id,
        "record_kinds": [kind for kind, _ in named],
        "record_keys": [key for _, key in named],
    }
    connection.execute(_RECORDS["lock_keys"], values)
    return {(row["kind"], row["key"]): row for row in connection.execute(_RECORDS["latest_records"], values)}
