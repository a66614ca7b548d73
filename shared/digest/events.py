"""Events that other systems report to a knowledge base: the digest's next update states them."""

import hashlib
from uuid import UUID

from shared.access import changing, check_knowledge_base, reading
from shared.domain.digest import EventWish, NewEvent, ReportedEvent
from shared.domain.scope import Identity
from shared.errors import BadInput, Conflict, NotFound
from shared.runtime import Runtime
from shared.store import events as rows
from shared.store.audit import note

# What may be kept of one knowledge base: more belongs into a database of measurements.
EVENTS_MAX = 200_000


def report_event(runtime: Runtime, identity: Identity, event: NewEvent) -> ReportedEvent:
    """Stores it once per key; without a key it is the same where all of it is. Raises NotFound, Forbidden, Conflict
    (another event has that key) and BadInput (too many)."""
    with changing(runtime, identity, [event.knowledge_base_id]) as connection:
        stored = rows.add_event(connection, identity, event, event.key or _key_of(event))
        said = (stored.kind, stored.subject, stored.at, stored.values)
        if said != (event.kind, event.subject, event.at, event.values):
            raise Conflict(f"The key {stored.key!r} belongs to another event, {stored.id}. Give each its own.")
        if not stored.duplicate:
            if rows.count_events(connection, event.knowledge_base_id) > EVENTS_MAX:
                raise BadInput(f"This knowledge base has {EVENTS_MAX:,} events. Delete old ones first.")
            note(connection, identity, "event.report", stored.id, event.knowledge_base_id, kind=event.kind)
    if not stored.duplicate:
        runtime.tell_digest(identity.organization_id, event.knowledge_base_id)
    return stored


def list_events(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, wish: EventWish, before: UUID | None, limit: int
) -> list[ReportedEvent]:
    """Those that were reported last first, from behind `before`. Raises NotFound."""
    with reading(runtime, identity, [knowledge_base_id]) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        return rows.list_events(connection, knowledge_base_id, wish, before, limit)


def delete_event(runtime: Runtime, identity: Identity, event_id: UUID) -> None:
    """What the digest says from it goes at once. Raises NotFound, and Forbidden for a viewer."""
    with changing(runtime, identity) as connection:
        base = rows.remove_event(connection, event_id)
        if base is None:
            raise NotFound(f"There is no event {event_id} that you may delete. List those there are.")
        note(connection, identity, "event.delete", event_id, base)
    runtime.tell_digest(identity.organization_id, base)


def _key_of(event: NewEvent) -> str:
    return hashlib.sha256(event.model_dump_json(exclude={"key", "knowledge_base_id"}).encode()).hexdigest()
