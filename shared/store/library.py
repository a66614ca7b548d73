"""Reads documents, pages, sections and chunks."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from shared.contract import PASSWORD_ERRORS, work_prefix
from shared.domain.inspect import PageRow
from shared.domain.knowledge import (
    Chunk,
    Document,
    DocumentStatus,
    DocumentTree,
    Section,
    TableGrid,
    VersionEnvelope,
    tier_of,
)
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries
from shared.store.search import labelled_of
from shared.store.versions import lock_logical, tidy

_SQL = load_queries("library")
Position = tuple[int, UUID]


@dataclass(frozen=True)
class DocumentPlace:
    """The keys of a document and of its latest run's files, without counts. Every change of its chunks is a new
    revision."""

    id: UUID
    organization_id: UUID
    knowledge_base_id: UUID
    ingestion_id: UUID | None
    name: str
    status: DocumentStatus
    revision: int

    @property
    def work(self) -> str:
        """The key prefix of the run's files."""
        return work_prefix(str(self.organization_id), str(self.knowledge_base_id), str(self.id), str(self.ingestion_id))


def list_documents(
    connection: Connection, knowledge_base_id: UUID | None, before: UUID | None, limit: int
) -> list[Document]:
    """Documents, newest first, after the one with id `before`; of every knowledge base in scope when none is given."""
    values = {"knowledge_base_id": knowledge_base_id, "before": before, "limit": limit}
    return _documents(connection, connection.execute(_SQL["list_documents"], values).fetchall())


def get_document(connection: Connection, document_id: UUID) -> Document | None:
    rows = connection.execute(_SQL["get_document"], {"id": document_id}).fetchall()
    return next(iter(_documents(connection, rows)), None)


def get_place(connection: Connection, document_id: UUID) -> DocumentPlace | None:
    """Reads one row by its key, which makes it cheap enough for checking whether a document exists."""
    row = connection.execute(_SQL["get_place"], {"id": document_id}).fetchone()
    return DocumentPlace(**row) if row else None


def list_versions(connection: Connection, document_id: UUID, after: int, limit: int) -> list[Document]:
    """All versions of the document's logical document, oldest first, after version number `after`."""
    values = {"id": document_id, "after": after, "limit": limit}
    return _documents(connection, connection.execute(_SQL["list_versions"], values).fetchall())


def list_trees(
    connection: Connection, knowledge_base_id: UUID | None, before: UUID | None, limit: int
) -> list[DocumentTree]:
    """Logical documents, newest first, from behind the one with id `before`."""
    values = {"knowledge_base_id": knowledge_base_id, "before": before, "limit": limit}
    found = dict[UUID, DocumentTree]()
    for one in _documents(connection, connection.execute(_SQL["list_trees"], values).fetchall()):
        key, name = one.logical_document_id, one.version.logical_document_name
        found.setdefault(key, DocumentTree(id=key, name=name, versions=[])).versions.append(one)
    return [*found.values()]


class StoredTable(NamedTuple):
    """A table with the chunk of each row, and its row of the database, which says what is kept beside it."""

    grid: TableGrid
    chunks: dict[int, UUID]
    row: Row


def read_table(connection: Connection, chunk_id: UUID) -> StoredTable | None:
    """The table that the chunk is, or is a row of; None where it is in none."""
    row = connection.execute(_SQL["table_of_chunk"], {"id": chunk_id}).fetchone()
    if row is None:
        return None
    rows = connection.execute(_SQL["chunks_of_rows"], {"document_id": row["document_id"], "table_id": row["id"]})
    return StoredTable(TableGrid.model_validate(row), {one["table_row"]: one["id"] for one in rows}, row)


def kept_blocks(connection: Connection, document_id: UUID) -> list[tuple[int, int]]:
    """The parts beside which rows are kept, in order, with how many."""
    found = connection.execute(_SQL["kept_blocks"], {"document_id": document_id}).fetchall()
    return [(row["first_page"], row["kept_rows"]) for row in found]


def list_pages(connection: Connection, document_id: UUID, after: int, limit: int) -> list[PageRow]:
    values = {"document_id": document_id, "after": after, "limit": limit}
    return [PageRow.model_validate(row) for row in connection.execute(_SQL["list_pages"], values).fetchall()]


def get_page(connection: Connection, document_id: UUID, page: int) -> Row | None:
    """A page's row with `skipped`, `unclaimed` and the number of its `chunks`."""
    return connection.execute(_SQL["get_page"], {"document_id": document_id, "page": page}).fetchone()


def has_page(connection: Connection, document_id: UUID, page: int) -> bool:
    return connection.execute(_SQL["has_page"], {"document_id": document_id, "page": page}).fetchone() is not None


def find_figure(connection: Connection, document_id: UUID, chunk_id: UUID) -> dict[str, Any] | None:
    """The box of a figure's picture; None where the document has no such figure."""
    row = connection.execute(_SQL["find_figure"], {"document_id": document_id, "chunk_id": chunk_id}).fetchone()
    return row["box"] if row else None


def list_chunks(
    connection: Connection, document_id: UUID, after: Position | None, limit: int | None, page: int | None = None
) -> list[Chunk]:
    """Chunks in document order, after the position `after`; with `page`, only those with a box on that page."""
    values = _range(document_id, after, limit) | {"page": page}
    return [_chunk(row) for row in connection.execute(_SQL["list_chunks"], values).fetchall()]


def list_sections(
    connection: Connection, document_id: UUID, after: Position | None, limit: int
) -> list[tuple[Position, Section]]:
    """Sections with their positions, in document order, after the position `after`."""
    rows = connection.execute(_SQL["list_sections"], _range(document_id, after, limit)).fetchall()
    return [((row["ordinal"], row["id"]), Section.model_validate(row)) for row in rows]


def ingestion_ids(connection: Connection, document_id: UUID) -> list[UUID]:
    """Every ingestion of this document, oldest first; the ids of its uploads are among them."""
    return [r["id"] for r in connection.execute(_SQL["document_ingestions"], {"document_id": document_id}).fetchall()]


def remove_document(connection: Connection, document_id: UUID) -> None:
    """Deletes the document's rows, but for its hash where it came in another document. Its other versions are
    renumbered, and the newest becomes current if this one was."""
    lock_logical(connection, document_id)
    connection.execute(_SQL["keep_hashes"], {"document_id": document_id})
    connection.execute(_SQL["remove_uploads"], {"document_id": document_id})
    removed = connection.execute(_SQL["remove_document"], {"id": document_id}).fetchone()
    if removed:
        tidy(connection, removed["logical_document_id"])


def _range(document_id: UUID, after: Position | None, limit: int | None) -> Row:
    ordinal, last_id = after or (None, None)
    return {"document_id": document_id, "after_ordinal": ordinal, "after_id": last_id, "limit": limit}


def _documents(connection: Connection, rows: list[Row]) -> list[Document]:
    ids = {"ids": [row["id"] for row in rows]}
    skipped = _skipped(connection.execute(_SQL["count_skipped"], ids).fetchall())
    return [_document(row, skipped[row["id"]]) for row in rows]


def _skipped(rows: Iterable[Row]) -> defaultdict[UUID, dict[str, int]]:
    found: defaultdict[UUID, dict[str, int]] = defaultdict(dict)
    for row in rows:
        found[row["document_id"]][row["reason"]] = row["pieces"]
    return found


def _document(row: Row, skipped: dict[str, int]) -> Document:
    confidence = row["confidence"]
    version = VersionEnvelope(
        label=row["version_label"],
        index=row["version_index"],
        is_current=row["is_current"],
        logical_document_name=row["logical_document_name"],
    )
    derived: Row = {
        "tier": None if confidence is None else "red" if row["source_changed_at"] else tier_of(confidence),
        "pages": row["page_count"],
        "chunks": row["chunk_count"],
        "version": version,
        "skipped": skipped,
        "needs_password": row["error"] in PASSWORD_ERRORS,
    }
    return Document.model_validate(row | derived)


def _chunk(row: Row) -> Chunk:
    section = None
    if row["s_id"] is not None:
        section = Section.model_validate(
            {name: row[f"s_{name}"] for name in ("id", "address", "title", "path", "depth")}
        )
    derived = {"section": section, "section_id": section.address if section else None, "labelled": labelled_of(row)}
    return Chunk.model_validate(row | derived)
