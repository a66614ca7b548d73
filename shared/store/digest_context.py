"""Rows of digests as a task reads them: which topics passages belong to, files among all knowledge bases."""

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("digest_context")


class TopicKey(NamedTuple):
    """A topic of a knowledge base."""

    knowledge_base_id: UUID
    topic_id: UUID


def topics_of_chunks(connection: Connection, ids: Collection[UUID]) -> dict[UUID, TopicKey]:
    """By chunk, of the knowledge bases in the open scope; without those of documents that no topic cites."""
    rows = connection.execute(_SQL["topics_of_chunks"], {"ids": list(ids)})
    return {row["id"]: TopicKey(row["knowledge_base_id"], row["topic_id"]) for row in rows}


def digested(connection: Connection) -> list[UUID]:
    """The knowledge bases in the open scope that have a digest."""
    return [row["knowledge_base_id"] for row in connection.execute(_SQL["digested"])]


def list_among(connection: Connection, after: tuple[UUID, str] | None, limit: int) -> list[Row]:
    """Files of all knowledge bases in the open scope, by these and by path, behind `after`."""
    base, path = after or (None, "")
    return connection.execute(_SQL["list_among"], {"base": base, "path": path, "limit": limit}).fetchall()
