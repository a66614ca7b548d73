"""Rows of the audit log. An entry is written in the transaction of its act: both are there, or neither."""

from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.ids import REQUEST_ID, new_id
from shared.domain.model_calls import Usage
from shared.domain.people import AuditEntry
from shared.domain.scope import Identity
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("audit")


def note(
    connection: Connection,
    identity: Identity,
    act: str,
    subject: UUID | str | None = None,
    base: UUID | None = None,
    **details: Any,
) -> None:
    """Adds an entry. `act` is `subject type.verb`, such as `document.delete`; `details` hold neither content nor
    queries."""
    who = {"user_id": None if identity.is_machine else identity.user_id, "key_id": identity.key_id}
    _add(connection, {"organization_id": identity.organization_id, **who}, act, subject, base, details)


def note_model_call(connection: Connection, owner: Row, model: str, usage: Usage, usd: float) -> None:
    """Adds an entry for a call that a run has made, for nobody in particular. `owner` as in `costs.record_call`."""
    details = {"model": model, "usd": usd, "stage": owner["stage"], "page": owner["page"], **usage.model_dump()}
    note_by_itself(
        connection, owner["organization_id"], "model.call", owner["ingestion_id"], owner["knowledge_base_id"], **details
    )


def note_by_itself(
    connection: Connection, organization_id: UUID, act: str, subject: UUID, base: UUID | None, **details: Any
) -> None:
    """Adds an entry for what happens by itself, for nobody in particular."""
    _add(connection, {"organization_id": organization_id, "user_id": None, "key_id": None}, act, subject, base, details)


def _add(
    connection: Connection, who: Row, act: str, subject: UUID | str | None, base: UUID | None, details: Row
) -> None:
    values = {
        **who,
        "id": new_id(),
        "act": act,
        "subject_type": act.partition(".")[0],
        "subject_id": None if subject is None else str(subject),
        "base_id": base,
        "request_id": REQUEST_ID.get(),
        "details": Jsonb(details),
    }
    connection.execute(_SQL["add_entry"], values)


def list_entries(
    connection: Connection,
    before: UUID | None,
    limit: int,
    act: str | None = None,
    user_id: UUID | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[AuditEntry]:
    """Newest first, from behind `before`; `act` may be a subject type, which all of its acts begin with."""
    values = {"before": before, "limit": limit, "act": act, "user_id": user_id, "since": since, "until": until}
    return [AuditEntry.model_validate(row) for row in connection.execute(_SQL["list_entries"], values).fetchall()]


def keep_audit(connection: Connection, days: int) -> None:
    """Sets for how many days entries are kept, for the organization of the open scope."""
    connection.execute(_SQL["keep_audit"], {"days": days})


def forget_audit(connection: Connection) -> int:
    """Deletes the organization's entries that are older than it keeps them; returns how many."""
    row = connection.execute(_SQL["forget_audit"]).fetchone()
    return int(row["forgotten"]) if row else 0
