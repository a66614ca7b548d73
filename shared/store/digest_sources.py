"""Rows of what a digest is made from."""

from collections.abc import Collection, Sequence
from typing import Final
from uuid import UUID

from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("digest_sources")
# They state nothing by themselves: titles, pictures, and tables, whose rows are chunks of their own.
WITHOUT_STATEMENTS: Final = ["heading", "figure", "table", "caption"]
ROW: Final = "table_row"
# Characters by which a passage is known to say nothing of its subject.
HEAD: Final = 400
FROM_FEEDBACK: Final = "feedback"


def fingerprint(connection: Connection, base: UUID) -> str:
    """Changes with whatever a digest depends on."""
    row = connection.execute(_SQL["fingerprint"], {"knowledge_base_id": base}).fetchone()
    return row["fingerprint"] if row else ""


def current_documents(connection: Connection, base: UUID) -> list[Row]:
    """Those that answer, each in its current version; oldest first."""
    return connection.execute(_SQL["documents"], {"knowledge_base_id": base}).fetchall()


def logical_documents(connection: Connection, documents: Collection[UUID]) -> dict[UUID, UUID]:
    """Of which logical document each is a version."""
    rows = connection.execute(_SQL["logical_documents"], {"document_ids": list(documents)}).fetchall()
    return {row["id"]: row["logical_document_id"] for row in rows}


def sections_of(connection: Connection, documents: Collection[UUID]) -> list[Row]:
    return connection.execute(_SQL["sections"], {"document_ids": list(documents)}).fetchall()


def parts_of(connection: Connection, documents: Collection[UUID]) -> list[Row]:
    """Chunks that may be stated, with the beginning of their text (`head`), in order; rows have their `table_id`."""
    values = {"document_ids": list(documents), "without": WITHOUT_STATEMENTS, "head": HEAD, "row_type": ROW}
    return connection.execute(_SQL["parts"], values).fetchall()


def passages(connection: Connection, ids: Sequence[UUID], embedder: str) -> dict[UUID, Row]:
    """Chunks with their text and vector (null where there is none) by id."""
    rows = connection.execute(_SQL["passages"], {"ids": list(ids), "version": embedder}, binary=True).fetchall()
    return {row["id"]: row for row in rows}


def table_chunks(connection: Connection, tables: Sequence[UUID]) -> dict[UUID, Row]:
    """By table what is cited of it as a whole: `{id, document_id, content_hash}` of a chunk."""
    rows = connection.execute(_SQL["table_chunks"], {"ids": list(tables), "row_type": ROW}).fetchall()
    return {row["table_id"]: row for row in rows}


def confirmed_questions(connection: Connection, base: UUID) -> list[Row]:
    values = {"knowledge_base_id": base, "source": FROM_FEEDBACK}
    return connection.execute(_SQL["confirmed"], values).fetchall()


def finished_runs(connection: Connection, base: UUID, limit: int = 20) -> list[Row]:
    """Newest first."""
    return connection.execute(_SQL["runs"], {"knowledge_base_id": base, "limit": limit}).fetchall()


def embedder_of(connection: Connection, base: UUID) -> str:
    row = connection.execute(_SQL["embedder"], {"knowledge_base_id": base}).fetchone()
    return (row["embedder_version"] if row else None) or ""


def chunk_texts(connection: Connection, ids: Collection[UUID]) -> dict[UUID, Row]:
    """Document, hash and text by id, of those that are there."""
    rows = connection.execute(_SQL["hashes"], {"ids": list(ids)}).fetchall()
    return {row["id"]: row for row in rows}
