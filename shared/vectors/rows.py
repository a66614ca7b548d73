"""Vectors of chunks for the embed stage: finds missing ones, copies those of equal texts, stores new ones."""

from collections.abc import Sequence
from uuid import UUID

from pgvector import HalfVector

from shared.ports import Vectors
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("vectors")

MissingVector = tuple[UUID, str, str]


def missing(
    connection: Connection, document_ids: Sequence[UUID], embedder_version: str, limit: int
) -> list[MissingVector]:
    """Returns (chunk id, index text, index hash) of up to `limit` chunks without a vector of their present index
    text, in the order of their documents."""
    values = {"document_ids": list(document_ids), "version": embedder_version, "limit": limit}
    rows = connection.execute(_SQL["missing"], values).fetchall()
    return [(row["id"], row["index_text"], row["index_hash"]) for row in rows]


def reuse(connection: Connection, document_ids: Sequence[UUID], embedder_version: str) -> int:
    """Copies vectors of equal index texts within the knowledge base; returns how many chunks got one."""
    values = {"document_ids": list(document_ids), "version": embedder_version}
    return connection.execute(_SQL["reuse"], values).rowcount


def store(connection: Connection, embedder_version: str, rows: Sequence[MissingVector], vectors: Vectors) -> None:
    """Stores one vector per row of `missing`, replacing the chunk's previous vector of this embedder."""
    if not rows:
        return
    values = {
        "version": embedder_version,
        "chunk_ids": [chunk_id for chunk_id, _, _ in rows],
        "index_hashes": [index_hash for _, _, index_hash in rows],
        "embeddings": [HalfVector(vector) for _, vector in zip(rows, vectors, strict=True)],
    }
    connection.execute(_SQL["store"], values)
