"""What a health check reads of the database: the schema's version, indexes, what waits."""

from dataclasses import dataclass

from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("health")


@dataclass(frozen=True)
class Waiting:
    """Of an organization's runs: how many run, and for how many seconds the oldest one waits, None where none does."""

    running: int
    oldest_seconds: float | None


def applied_migrations(connection: Connection) -> set[str]:
    return {row["name"] for row in connection.execute(_SQL["migrations"])}


def invalid_indexes(connection: Connection) -> list[str]:
    """Vector indexes that an interrupted maintenance has left, which no query uses."""
    return [row["name"] for row in connection.execute(_SQL["invalid_indexes"])]


def count_waiting(connection: Connection) -> Waiting:
    row = connection.execute(_SQL["waiting"]).fetchone() or {}
    return Waiting(int(row.get("running") or 0), row.get("oldest_seconds"))
