"""Reads sections, chunks and vectors of a version for comparing two versions."""

from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

import numpy as np
import numpy.typing as npt

from shared.domain.operations import ChunkType
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("diff")
Vector = npt.NDArray[np.float32]


@dataclass(frozen=True)
class VersionText:
    """A version: its sections and chunks in document order, its vectors by chunk."""

    sections: list[Row]
    chunks: list[Row]
    vectors: dict[UUID, Vector]


def count_chunks(connection: Connection, document_id: UUID) -> tuple[int, str | None]:
    """Returns (number of chunks, embedder version of their vectors)."""
    row = connection.execute(_SQL["counts"], {"id": document_id}).fetchone()
    return (int(row["chunks"]), row["embedder_version"]) if row else (0, None)


def read_version(connection: Connection, document_id: UUID, embedder_version: str | None) -> VersionText:
    """Reads the whole version; without an embedder version no vectors."""
    values: Row = {"id": document_id, "version": embedder_version}
    vectors = connection.execute(_SQL["vectors"], values).fetchall() if embedder_version else []
    return VersionText(
        connection.execute(_SQL["sections"], values).fetchall(),
        connection.execute(_SQL["chunks"], values).fetchall(),
        {row["chunk_id"]: _unit(row["embedding"].to_numpy()) for row in vectors},
    )


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


class HashedChunk(NamedTuple):
    """A chunk by what it says, as a hash."""

    id: UUID
    content_hash: str
    chunk_type: ChunkType
    page: int | None


def hashed_chunks(connection: Connection, document_id: UUID) -> list[HashedChunk]:
    """The document's chunks in their order."""
    found = connection.execute(_SQL["hashed_chunks"], {"document_id": document_id})
    return [HashedChunk(**row) for row in found.fetchall()]
