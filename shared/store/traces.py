"""Rows of the retrieval log. They hold queries, so they are tenant data; they hold no content."""

from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.scope import Identity
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("traces")
Row = dict[str, Any]


def add_trace(connection: Connection, identity: Identity, row: Row) -> None:
    """`row` has the columns of `retrieval_log` but those of the identity; `parameters` and `trace` as plain JSON."""
    owner = {"organization_id": identity.organization_id, "user_id": identity.user_id}
    documents = {name: Jsonb(row[name]) for name in ("parameters", "trace")}
    connection.execute(_SQL["add_trace"], row | owner | documents)


def get_trace(connection: Connection, trace_id: UUID) -> Row | None:
    return connection.execute(_SQL["get_trace"], {"id": trace_id}).fetchone()
