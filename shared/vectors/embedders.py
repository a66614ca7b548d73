"""Which embedder serves a knowledge base, and the steps of changing to another one."""

from typing import NamedTuple
from uuid import UUID

from shared.ports import Vectors
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("embedders")


class Embedded(NamedTuple):
    """The embedder version that serves queries (None before the first document), and the target of a change under
    way."""

    serving: str | None
    target: str | None


def adopt_embedder(connection: Connection, document_id: UUID, default: str) -> list[str]:
    """Returns the embedder versions that the document needs vectors of, the serving one first.

    `default` becomes the serving version for a knowledge base's first document.
    """
    connection.execute(_SQL["adopt"], {"document_id": document_id, "default": default})
    row = connection.execute(_SQL["of_document"], {"document_id": document_id}).fetchone()
    return [version for version in (row["serving"], row["target"]) if version] if row else [default]


def serving_version(connection: Connection, document_id: UUID, default: str) -> str:
    """The version that serves the document's knowledge base."""
    row = connection.execute(_SQL["of_document"], {"document_id": document_id}).fetchone()
    return str((row["serving"] if row else None) or default)


def embedded_by(connection: Connection, knowledge_base_id: UUID) -> Embedded:
    row = connection.execute(_SQL["of_base"], {"base": knowledge_base_id}).fetchone()
    return Embedded(row["serving"], row["target"]) if row else Embedded(None, None)


def begin_change(connection: Connection, knowledge_base_id: UUID, target: str) -> None:
    """Stores the target of a change; a target that serves already cancels the change under way."""
    connection.execute(_SQL["begin_change"], {"base": knowledge_base_id, "target": target})


def missing_texts(connection: Connection, knowledge_base_id: UUID, version: str, limit: int) -> dict[str, str]:
    """Returns up to `limit` index texts by index hash that have no vector of this version, each once."""
    values = {"base": knowledge_base_id, "version": version, "limit": limit}
    return {row["index_hash"]: row["index_text"] for row in connection.execute(_SQL["missing_texts"], values)}


def store_by_hash(connection: Connection, knowledge_base_id: UUID, version: str, vectors: dict[str, Vectors]) -> None:
    """Stores the vectors for all chunks with these index hashes."""
    key = {"base": knowledge_base_id, "version": version}
    with connection.cursor() as cursor:
        cursor.executemany(
            _SQL["store_by_hash"], [key | {"index_hash": name, "embedding": vector} for name, vector in vectors.items()]
        )


def switch_embedder(connection: Connection, knowledge_base_id: UUID, target: str) -> bool:
    """Makes `target` the serving version as of this transaction's commit; returns False while a chunk lacks a vector of
    it."""
    return connection.execute(_SQL["switch"], {"base": knowledge_base_id, "target": target}).rowcount == 1


def delete_other_vectors(connection: Connection, knowledge_base_id: UUID, limit: int) -> int:
    """Deletes up to `limit` vectors of versions other than the serving one and the target; returns how many."""
    return connection.execute(_SQL["delete_others"], {"base": knowledge_base_id, "limit": limit}).rowcount
