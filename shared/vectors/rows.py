"""Vectors of chunks for the embed stage: finds missing ones, copies those of equal texts, stores new ones."""

from collections.abc import Sequence
from uuid import UUID

from shared.ports import Vectors
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("vectors")

MissingVector = tuple[UUID, str, str]


def missing(connection: Connection, document_id: UUID, embedder_version: str, limit: int) -> list[MissingVector]:
    """Returns (chunk id, index text, index hash) of up to `limit` chunks without a vector of their present index
    text."""
    values = {"document_id": document_id, "version": embedder_version, "limit": limit}
    rows = connection.execute(_SQL["missing"], values).fetchall()
    return [(row["id"], row["index_text"], row["index_hash"]) for row in rows]


def reuse(connection: Connection, document_id: UUID, embedder_version: str) -> int:
    """Copies vectors of equal index texts within the knowledge base; returns how many chunks got one."""
    values = {"document_id": document_id, "version": embedder_version}
    return connection.execute(_SQL["reuse"], values).rowcount


def store(connection: Connection, embedder_version: str, rows: Sequence[MissingVector], vectors: Vectors) -> None:
    """Stores one vector per row of `missing`, replacing the chunk's previous vector of this embedder."""
    with connection.cursor() as cursor:
        cursor.executemany(
            _SQL["store"],
            [
                {"chunk_id": chunk_id, "version": embedder_version, "index_hash": index_hash, "embedding": vector}
                for (chunk_id, _, index_hash), vector in zip(rows, vectors, strict=True)
            ],
        )
