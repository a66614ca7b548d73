"""Rows of the retrieval log. They contain queries, so they are tenant data; they contain no content of documents."""

from collections.abc import Sequence
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.scope import Identity
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("traces")

EXCERPT = 160


def add_trace(connection: Connection, identity: Identity, row: Row) -> None:
    """`row` has the columns of `retrieval_log` except those of the identity; `parameters` and `trace` as plain JSON."""
    owner = {"organization_id": identity.organization_id, "user_id": identity.user_id}
    documents = {name: Jsonb(row[name]) for name in ("parameters", "trace")}
    connection.execute(_SQL["add_trace"], row | owner | documents)


def get_trace(connection: Connection, trace_id: UUID) -> Row | None:
    """The row, or None unless every knowledge base that it refers to is in scope."""
    return connection.execute(_SQL["get_trace"], {"id": trace_id}).fetchone()


def list_traces(
    connection: Connection, before: UUID | None, operator: str | None, knowledge_base_id: UUID | None, limit: int
) -> list[Row]:
    """Rows without their bodies, newest first, after the one with id `before`."""
    values = {"before": before, "operator": operator, "knowledge_base_id": knowledge_base_id, "limit": limit}
    return connection.execute(_SQL["list_traces"], values).fetchall()


def traced_chunks(connection: Connection, chunk_ids: Sequence[UUID]) -> list[Row]:
    """Document, place and the first characters of those chunks that still exist and may be read, in the given order."""
    return connection.execute(_SQL["traced_chunks"], {"ids": list(chunk_ids), "excerpt": EXCERPT}).fetchall()


def forget_traces(connection: Connection) -> int:
    """Deletes the organization's traces that are older than its retention time, also those about deleted knowledge
    bases; returns how many."""
    row = connection.execute(_SQL["forget_traces"]).fetchone()
    return int(row["forgotten"]) if row else 0
