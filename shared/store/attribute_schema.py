"""Rows of schemas of attributes: versions, what is left to read under the present one, and candidates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.attribute_schema import (
    AttributeSchema,
    Backfill,
    Declaration,
    Example,
    SchemaCandidate,
    SchemaVersion,
)
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("attribute_schema")
# Seconds for a chunk where nothing was read yet: rows of a table took a busy core 5 to 10 ms.
SECONDS_PER_CHUNK: Final = 0.007
# Shown of a candidate.
PLACES: Final = 3


def load_schema(connection: Connection, knowledge_base_id: UUID) -> AttributeSchema:
    """The schema that holds now; an open one where nobody declared anything."""
    row = connection.execute(_SQL["current"], {"knowledge_base_id": knowledge_base_id}).fetchone()
    return _schema(row)


def schema_at(connection: Connection, knowledge_base_id: UUID, version: int | None) -> AttributeSchema | None:
    """A version; the open one for None and 0. None where there is no such version."""
    if not version:
        return AttributeSchema()
    values = {"knowledge_base_id": knowledge_base_id, "schema_version": version}
    row = connection.execute(_SQL["at_version"], values).fetchone()
    return _schema(row) if row else None


def list_versions(connection: Connection, knowledge_base_id: UUID, before: int, limit: int) -> list[SchemaVersion]:
    """Newest first, before the version `before` (0: all)."""
    values = {"knowledge_base_id": knowledge_base_id, "former_version": before, "limit": limit}
    return [SchemaVersion.model_validate(row) for row in connection.execute(_SQL["list_versions"], values)]


def lock_schema(connection: Connection, knowledge_base_id: UUID) -> int:
    """The present version (0: open), which stays until the transaction ends."""
    row = connection.execute(_SQL["lock"], {"knowledge_base_id": knowledge_base_id}).fetchone()
    return int(row["version"]) if row else 0


def add_version(
    connection: Connection, knowledge_base_id: UUID, schema: AttributeSchema, why: str, author: Row
) -> None:
    """Stores the version and lets it hold. `author` has `author_id` and `by`."""
    values: Row = {
        "knowledge_base_id": knowledge_base_id,
        "schema_version": schema.version,
        "attributes": Jsonb([one.model_dump(mode="json") for one in schema.attributes]),
        "names": [one.name for one in schema.attributes],
        "why": why,
    }
    connection.execute(_SQL["add_version"], values | author)
    connection.execute(_SQL["set_version"], values)


@dataclass(frozen=True)
class Affected:
    """Documents that a change must read, and their chunks."""

    documents: list[UUID]
    chunks: int


def find_affected(
    connection: Connection, knowledge_base_id: UUID, before: int | None, names: Sequence[str], labels: Sequence[str]
) -> Affected:
    """Those read under the version `before` (None: before there was one) in which one of the names may stand."""
    if before is not None and not names:
        return Affected([], 0)
    values: Row = {
        "knowledge_base_id": knowledge_base_id,
        "former_version": before,
        "names": list({*names, *labels}),
        "patterns": [f"%{label}%" for label in labels],
    }
    rows = connection.execute(_SQL["affected"], values).fetchall()
    return Affected([row["id"] for row in rows], sum(row["chunk_count"] for row in rows))


def spare_others(
    connection: Connection, knowledge_base_id: UUID, before: int | None, version: int, affected: Sequence[UUID]
) -> None:
    """Notes of all other documents that nothing in them is other under the new version."""
    connection.execute(
        _SQL["spare"],
        {
            "knowledge_base_id": knowledge_base_id,
            "former_version": before,
            "schema_version": version,
            "affected": list(affected),
        },
    )


def note_read(
    connection: Connection, knowledge_base_id: UUID, document_ids: Sequence[UUID], version: int | None
) -> None:
    """Notes under which version documents were read. Where another one holds by now, what changed is read after."""
    connection.execute(_SQL["set_read_under"], {"document_ids": list(document_ids), "schema_version": version})
    row = connection.execute(_SQL["current_shared"], {"knowledge_base_id": knowledge_base_id}).fetchone()
    if row and row["schema_version"] != version:
        set_status(connection, knowledge_base_id, "running", ("done",))


def begin_backfill(connection: Connection, knowledge_base_id: UUID, version: int, names: Sequence[str]) -> None:
    """Of everything that was read under an earlier version and is left to read; one that runs is replaced."""
    left = count_behind(connection, knowledge_base_id)
    values: Row = {"knowledge_base_id": knowledge_base_id, "schema_version": version, "names": list(names)}
    values |= {"document_count": left["documents"], "chunks": left["chunks"]}
    connection.execute(_SQL["end_running"], values)
    connection.execute(_SQL["add_backfill"], values)


def count_behind(connection: Connection, knowledge_base_id: UUID) -> Row:
    """`{documents, chunks}` that were read under another version than the present one."""
    return connection.execute(_SQL["behind"], {"knowledge_base_id": knowledge_base_id}).fetchone() or {}


def find_backfill(connection: Connection, knowledge_base_id: UUID) -> Backfill | None:
    """The latest."""
    row = connection.execute(_SQL["backfill"], {"knowledge_base_id": knowledge_base_id}).fetchone()
    return Backfill.model_validate(row) if row else None


def set_status(connection: Connection, knowledge_base_id: UUID, status: str, former: Sequence[str]) -> bool:
    """Of the backfill of the present version, where it is in one of the `former` states; whether it was."""
    values = {"knowledge_base_id": knowledge_base_id, "status": status, "states": list(former)}
    return connection.execute(_SQL["set_status"], values).rowcount == 1


def next_behind(connection: Connection, knowledge_base_id: UUID, chunks_max: int | None) -> Row | None:
    """`{id, schema_version}` of a document that is left to read, of at most so many chunks; None: of any number."""
    values = {"knowledge_base_id": knowledge_base_id, "chunks_max": chunks_max}
    return connection.execute(_SQL["next_behind"], values).fetchone()


def lock_document(connection: Connection, document_id: UUID) -> Row | None:
    """`{revision, ingestion_id, schema_version}`; None where it is gone."""
    return connection.execute(_SQL["lock_document"], {"document_id": document_id}).fetchone()


def add_progress(connection: Connection, knowledge_base_id: UUID, **figures: Any) -> None:
    """One document more. `figures`: chunks, found, refused, unread, seconds, error."""
    connection.execute(_SQL["add_progress"], {"knowledge_base_id": knowledge_base_id, **figures})


def seconds_per_chunk(connection: Connection, knowledge_base_id: UUID) -> float:
    """As backfills of this knowledge base took."""
    row = connection.execute(_SQL["pace"], {"knowledge_base_id": knowledge_base_id}).fetchone()
    return float(row["seconds"]) if row and row["seconds"] else SECONDS_PER_CHUNK


def count_refused(connection: Connection, knowledge_base_id: UUID) -> dict[str, dict[str, int]]:
    """By declared attribute and reason."""
    found: dict[str, dict[str, int]] = {}
    for row in connection.execute(_SQL["refused"], {"knowledge_base_id": knowledge_base_id}):
        found.setdefault(row["name"], {})[row["reason"]] = row["count"]
    return found


def list_candidates(connection: Connection, knowledge_base_id: UUID, limit: int) -> list[SchemaCandidate]:
    """The most frequent first; those that were read for a declared attribute with where they stand."""
    values = {"knowledge_base_id": knowledge_base_id, "limit": limit}
    found = [SchemaCandidate.model_validate(row) for row in connection.execute(_SQL["candidates"], values)]
    places = {(one.declared, one.name, one.reason): one.places for one in found}
    for row in connection.execute(_SQL["places"], values | {"limit": PLACES}):
        places.get((row["declared"], row["name"], row["reason"]), []).append(Example.model_validate(row))
    return found


def _schema(row: Row | None) -> AttributeSchema:
    if row is None:
        return AttributeSchema()
    attributes = tuple(Declaration.model_validate(one) for one in row["attributes"])
    return AttributeSchema(version=row["version"], attributes=attributes)
