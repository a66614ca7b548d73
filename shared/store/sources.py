"""Rows of sources and of the files that came from them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.domain.sources import WAY, ContentSource, KnownFile, SourceItem, SourceKind, StoredBytes
from shared.errors import NotFound
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("sources")
# How a run stands whose page is not there: it failed, or its bytes never came.
LOST: Final = ("failed", "waiting")
# Sources whose files are called by their addresses.
FETCHED: Final[tuple[SourceKind, ...]] = ("pages", "sitemap", "feed")
ALL = 10_000_000


def put_source(
    connection: Connection,
    identity: Identity,
    knowledge_base_id: UUID,
    kind: SourceKind,
    name: str,
    settings: dict[str, Any] | None = None,
    due_at: datetime | None = None,
) -> tuple[ContentSource, bool]:
    """The source of this kind and name, and whether it was made by this call."""
    values: Row = {"organization_id": identity.organization_id, "knowledge_base_id": knowledge_base_id, "id": new_id()}
    values |= {"kind": kind, "name": name, "settings": Jsonb(settings or {}), "due_at": due_at}
    made = connection.execute(_SQL["add_source"], values | {"created_by": identity.user_id}).rowcount
    row = connection.execute(_SQL["source_named"], values).fetchone()
    if row is None:
        raise NotFound(f"The source {name} was removed while it was made.")
    return _source(row), bool(made)


def find_source(connection: Connection, source_id: UUID) -> ContentSource | None:
    row = connection.execute(_SQL["find_source"], {"id": source_id}).fetchone()
    return _source(row) if row else None


def list_sources(
    connection: Connection, knowledge_base_id: UUID, after: UUID | None, limit: int
) -> list[ContentSource]:
    """Oldest first."""
    values = {"knowledge_base_id": knowledge_base_id, "after": after, "limit": limit}
    return [_source(row) for row in connection.execute(_SQL["list_sources"], values)]


def due_sources(connection: Connection) -> list[Row]:
    """Watched sites in scope that are to be looked at now, the longest due first."""
    return connection.execute(_SQL["due_sources"]).fetchall()


def make_due(connection: Connection, source_id: UUID) -> None:
    """A watched site is to be looked at now; one that is due already stays so since when it was."""
    connection.execute(_SQL["make_due"], {"id": source_id})


def remove_source(connection: Connection, source_id: UUID) -> None:
    """Its documents stay."""
    connection.execute(_SQL["remove_source"], {"id": source_id})


def lock_source(connection: Connection, source_id: UUID) -> None:
    """For the rest of the transaction nobody else looks at it."""
    connection.execute(_SQL["lock_source"], {"id": source_id})


def note_look(
    connection: Connection,
    source_id: UUID,
    result: dict[str, int] | None,
    error: str | None = None,
    due_at: datetime | None = None,
) -> None:
    values = {"id": source_id, "result": None if result is None else Jsonb(result), "error": error, "due_at": due_at}
    connection.execute(_SQL["note_look"], values)


def list_items(connection: Connection, source_id: UUID, after: str = "", limit: int = ALL) -> list[SourceItem]:
    """By path, from behind `after`."""
    rows = connection.execute(_SQL["list_items"], {"source_id": source_id, "path": after, "limit": limit})
    return [SourceItem(**{name: row[name] for name in SourceItem.model_fields}) for row in rows]


def known_files(connection: Connection, source_id: UUID) -> dict[str, KnownFile]:
    """All files of a source as they came last, by path, with the documents that its ZIP files have brought."""
    rows = connection.execute(_SQL["known_files"], {"source_id": source_id, "way": WAY}).fetchall()
    return {row["path"]: _known(row) for row in rows}


def note_members(connection: Connection, source_id: UUID) -> None:
    """Keeps what the ZIP files that are there have brought, so that it is known when they bring something else."""
    connection.execute(_SQL["note_members"], {"source_id": source_id, "way": WAY})


def former_members(connection: Connection, ingestion_id: UUID) -> dict[str, UUID]:
    """Documents of the ZIP file that stood in the place of this one before, by their paths in it; none for a ZIP file
    of no source."""
    rows = connection.execute(_SQL["former_members"], {"ingestion_id": ingestion_id, "way": WAY})
    return {row["path"]: row["document_id"] for row in rows}


def move_parcel(connection: Connection, source_id: UUID, before: str, path: str) -> None:
    """Notes that a ZIP file, and with it what it has brought, is in another place now."""
    connection.execute(_SQL["move_parcel"], {"source_id": source_id, "before_path": before, "path": path})


def known_page(connection: Connection, knowledge_base_id: UUID, address: str) -> Row | None:
    """`{sha256, mark, modified, document_id, ingestion_id, run}` of a web page as it came last, from whichever source:
    its ETag, when it was changed, and how its run stands."""
    values = {"knowledge_base_id": knowledge_base_id, "kinds": list(FETCHED), "path": address}
    return connection.execute(_SQL["known_page"], values).fetchone()


def put_item(connection: Connection, owner: Row, source_id: UUID, path: str, sha256: str | None, **more: Any) -> None:
    """Stores how a file came: `mark`, `modified`, `ingestion_id`, `document_id` (None keeps the one that it had).
    `owner` has organization and knowledge base."""
    values: Row = dict.fromkeys(("mark", "modified", "ingestion_id", "document_id"))
    values |= {name: owner[name] for name in ("organization_id", "knowledge_base_id")}
    connection.execute(_SQL["put_item"], values | {"source_id": source_id, "path": path, "sha256": sha256} | more)


def fail_item(connection: Connection, owner: Row, source_id: UUID, path: str, error: str) -> None:
    """Notes why a file could not be had; what came of it before stays."""
    values: Row = {name: owner[name] for name in ("organization_id", "knowledge_base_id")}
    connection.execute(_SQL["fail_item"], values | {"source_id": source_id, "path": path, "error": error})


def remove_item(connection: Connection, source_id: UUID, path: str) -> None:
    connection.execute(_SQL["remove_item"], {"source_id": source_id, "path": path})


def lose_items(connection: Connection, source_id: UUID, paths: Sequence[str]) -> None:
    """Notes that these files are there no more."""
    connection.execute(_SQL["lose_items"], {"source_id": source_id, "names": list(paths)})


def unlist_items(connection: Connection, source_id: UUID, paths: Sequence[str]) -> None:
    """Notes that these pages are listed no more, whatever was wrong with them before."""
    connection.execute(_SQL["unlist_items"], {"source_id": source_id, "names": list(paths)})


def relist_items(connection: Connection, source_id: UUID, paths: Sequence[str]) -> None:
    """Notes that these pages are listed; those that were asked for and not there stay gone."""
    connection.execute(_SQL["relist_items"], {"source_id": source_id, "names": list(paths)})


def find_items(connection: Connection, source_id: UUID, paths: Sequence[str]) -> None:
    """Notes that these files are there as they were."""
    connection.execute(_SQL["find_items"], {"source_id": source_id, "names": list(paths)})


def tie_document(connection: Connection, ingestion_id: UUID, document_id: UUID) -> None:
    """Notes what became of the file that a run has brought; nothing for one that came from no source."""
    connection.execute(_SQL["tie_document"], {"ingestion_id": ingestion_id, "document_id": document_id})


def stored_bytes(connection: Connection, knowledge_base_id: UUID, hashes: Sequence[str]) -> dict[str, StoredBytes]:
    """Documents of the knowledge base with these bytes, by their SHA-256."""
    values = {"knowledge_base_id": knowledge_base_id, "hashes": list(hashes)}
    rows = connection.execute(_SQL["stored_bytes"], values).fetchall()
    return {row["source_hash"]: StoredBytes(row["id"], row["logical_document_id"]) for row in rows}


def _source(row: Row) -> ContentSource:
    return ContentSource(**{name: row[name] for name in ContentSource.model_fields})


def _known(row: Row) -> KnownFile:
    return KnownFile(
        path=row["path"],
        sha256=row["sha256"],
        document_id=row["document_id"],
        document=row["logical_document_id"],
        ingestion_id=row["ingestion_id"],
        run=row["status"],
        error=row["error"],
        gone=row["gone_at"] is not None,
        parcel=row["parcel"],
        within=row["within"],
        turned=row["turned"],
    )
