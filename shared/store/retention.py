"""Deletes rows that are kept for a limited time."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("retention")


def lock_abandoned_uploads(connection: Connection, age: timedelta, limit: int) -> list[tuple[UUID, str]]:
    """(id, key) of up to `limit` uploads in scope that were announced longer than `age` ago and never arrived, oldest
    first; locked."""
    values = {"seconds": age.total_seconds(), "limit": limit}
    return [(row["id"], row["source_key"]) for row in connection.execute(_SQL["abandoned_uploads"], values)]


def remove_uploads(connection: Connection, ids: Sequence[UUID]) -> None:
    """Deletes the uploads and the ingestions that waited for them."""
    for name in ("remove_ingestions", "remove_uploads"):
        connection.execute(_SQL[name], {"ids": list(ids)})
