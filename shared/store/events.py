"""Rows of events that other systems report."""

from collections import defaultdict
from collections.abc import Collection
from uuid import UUID

from psycopg.types.json import Json

from shared.domain.digest import EventWish, NewEvent, ReportedEvent
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.store.connect import Connection, Row
from shared.store.edits import name_of
from shared.store.named_queries import load_queries

_SQL = load_queries("events")


def add_event(connection: Connection, identity: Identity, event: NewEvent, key: str) -> ReportedEvent:
    """The event of that key, which may have been there before."""
    own = {"knowledge_base_id": event.knowledge_base_id, "key": key}
    row = own | {
        "organization_id": identity.organization_id,
        "id": new_id(),
        "kind": event.kind,
        "subject": event.subject,
        "at": event.at,
        "values": Json(event.values),
        "reporter": name_of(connection, identity),
    }
    added = connection.execute(_SQL["add_event"], row).rowcount == 1
    found = connection.execute(_SQL["event_by_key"], own).fetchone()
    return ReportedEvent.model_validate((found or row) | {"duplicate": not added})


def list_events(
    connection: Connection, base: UUID, wish: EventWish, before: UUID | None, limit: int
) -> list[ReportedEvent]:
    """Newest first, from behind `before`, with the files of the digest that state each."""
    values = {"knowledge_base_id": base, "only": wish.kind, "since": wish.since, "until": wish.until}
    rows = connection.execute(_SQL["list_events"], values | {"before": before, "limit": limit}).fetchall()
    stated = defaultdict[UUID, list[Row]](list)
    for row in connection.execute(_SQL["stated_in"], {"ids": [row["id"] for row in rows]}):
        stated[row["event_id"]].append(row)
    return [ReportedEvent.model_validate(row | {"files": stated[row["id"]]}) for row in rows]


def remove_event(connection: Connection, event_id: UUID) -> UUID | None:
    """The knowledge base that it was of; None where it is not there."""
    row = connection.execute(_SQL["remove_event"], {"id": event_id}).fetchone()
    return row["knowledge_base_id"] if row else None


def latest_events(connection: Connection, base: UUID, of_each: int) -> list[Row]:
    """So many of each kind, newest first, and behind them its first; `place` counts from its newest."""
    return connection.execute(_SQL["latest_events"], {"knowledge_base_id": base, "limit": of_each}).fetchall()


def count_events(connection: Connection, base: UUID) -> int:
    row = connection.execute(_SQL["count_events"], {"knowledge_base_id": base}).fetchone()
    return row["count"] if row else 0


def events_there(connection: Connection, ids: Collection[UUID]) -> set[UUID]:
    return {row["id"] for row in connection.execute(_SQL["events_there"], {"ids": list(ids)}).fetchall()}


def runs_there(connection: Connection, ids: Collection[UUID]) -> set[UUID]:
    return {row["id"] for row in connection.execute(_SQL["runs_there"], {"ids": list(ids)}).fetchall()}
