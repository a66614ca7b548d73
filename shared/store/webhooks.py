"""Rows of webhooks and of what they are told; how what is due is leased."""

from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from psycopg.types.json import Json

from shared.domain.ids import new_id
from shared.domain.scope import Scope
from shared.domain.webhooks import Leased, Webhook, WebhookDelivery
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("webhooks")
# Longer than an attempt takes, its way over the bucket on AWS included.
LEASE_S: Final = 90
KEPT_DAYS: Final = 30


class DueWebhook(NamedTuple):
    """A webhook for which something is due."""

    organization_id: UUID
    knowledge_base_id: UUID
    webhook_id: UUID

    @property
    def scope(self) -> Scope:
        return Scope(organization_id=self.organization_id, knowledge_base_ids=(self.knowledge_base_id,))


def add_webhook(connection: Connection, row: Row) -> None:
    connection.execute(_SQL["add_webhook"], row)


def list_webhooks(
    connection: Connection, knowledge_base_id: UUID | None, after: UUID | None, limit: int
) -> list[Webhook]:
    """Those in scope, or of one knowledge base; oldest first."""
    return _read(connection, {"knowledge_base_id": knowledge_base_id, "id": None, "after": after, "limit": limit})


def find_webhook(connection: Connection, webhook_id: UUID) -> Webhook | None:
    found = _read(connection, {"knowledge_base_id": None, "id": webhook_id, "after": None, "limit": 1})
    return found[0] if found else None


def count_webhooks(connection: Connection, knowledge_base_id: UUID) -> tuple[int, int]:
    """How many the organization has, and that knowledge base."""
    row = connection.execute(_SQL["count_webhooks"], {"knowledge_base_id": knowledge_base_id}).fetchone()
    return (int(row["held"]), int(row["here"])) if row else (0, 0)


def remove_webhook(connection: Connection, webhook_id: UUID) -> None:
    """What it was told, and what was still to be told, with it."""
    connection.execute(_SQL["remove_webhook"], {"id": webhook_id})


def rotate_secret(connection: Connection, webhook_id: UUID, sealed: str, former_until: datetime | None) -> None:
    """The secret so far signs as well until `former_until`; None: no more."""
    connection.execute(_SQL["rotate_secret"], {"id": webhook_id, "secret": sealed, "until": former_until})


def enable_webhook(connection: Connection, webhook_id: UUID) -> None:
    connection.execute(_SQL["enable_webhook"], {"id": webhook_id})


def add_delivery(connection: Connection, webhook_id: UUID, event: str, body: dict[str, Any]) -> WebhookDelivery:
    """For one webhook alone; what happens in a knowledge base is added by the database itself."""
    made = new_id()
    connection.execute(
        _SQL["add_delivery"], {"id": webhook_id, "delivery_id": made, "event": event, "body": Json(body)}
    )
    return _deliveries(connection, webhook_id, made, None, 1)[0]


def list_deliveries(connection: Connection, webhook_id: UUID, before: UUID | None, limit: int) -> list[WebhookDelivery]:
    """Newest first, from behind `before`."""
    return _deliveries(connection, webhook_id, None, before, limit)


def find_delivery(connection: Connection, webhook_id: UUID, delivery_id: UUID) -> WebhookDelivery | None:
    found = _deliveries(connection, webhook_id, delivery_id, None, 1)
    return found[0] if found else None


def send_again(connection: Connection, delivery_id: UUID) -> None:
    connection.execute(_SQL["send_again"], {"id": delivery_id})


def due_webhooks(connection: Connection, now: datetime, most: int) -> list[DueWebhook]:
    """Of all organizations, those that wait longest first; needs no scope."""
    rows = connection.execute(_SQL["due_webhooks"], {"now": now, "most": most}).fetchall()
    return [DueWebhook(**row) for row in rows]


def next_due(connection: Connection) -> datetime | None:
    """When something is due next, in any organization; None where nothing waits. Needs no scope."""
    row = connection.execute(_SQL["next_webhook_due"]).fetchone()
    return row["due_at"] if row else None


def is_due_here(connection: Connection, knowledge_base_id: UUID) -> bool:
    row = connection.execute(_SQL["is_due_here"], {"knowledge_base_id": knowledge_base_id}).fetchone()
    return bool(row and row["due"])


def lease_delivery(connection: Connection, webhook_id: UUID, now: datetime) -> Leased | None:
    """What is due first and nobody else tries; its attempt is counted."""
    values = {"webhook_id": webhook_id, "now": now, "lease": LEASE_S}
    row = connection.execute(_SQL["lease_delivery"], values).fetchone()
    if row is None:
        return None
    sealed = (row["secret"], row["former_secret"]) if row["former_secret"] else (row["secret"],)
    return Leased(row["id"], row["attempts"], row["url"], row["body"], sealed)


def note_delivered(connection: Connection, leased: Leased, status: int, now: datetime) -> None:
    values = {"id": leased.id, "attempts": leased.attempts, "status": status, "now": now}
    connection.execute(_SQL["delivered"], values)


def note_failure(
    connection: Connection, leased: Leased, status: int | None, error: str, now: datetime, due_at: datetime | None
) -> datetime | None:
    """Since when nothing has arrived at its webhook; None where another process has this delivery by now. It is tried
    again at `due_at`, or given up."""
    values = {"id": leased.id, "attempts": leased.attempts, "status": status, "error": error, "now": now}
    row = connection.execute(_SQL["not_delivered"], values | {"due_at": due_at}).fetchone()
    return row["failing_since"] if row else None


def hold_back(connection: Connection, webhook_id: UUID, until: datetime) -> None:
    connection.execute(_SQL["hold_back"], {"webhook_id": webhook_id, "until": until})


def disable_webhook(connection: Connection, webhook_id: UUID, now: datetime, error: str) -> bool:
    """Tells it nothing more, and gives up what waits. Returns False where that was done before."""
    if connection.execute(_SQL["disable_webhook"], {"id": webhook_id, "now": now}).fetchone() is None:
        return False
    connection.execute(_SQL["give_up"], {"id": webhook_id, "error": error})
    return True


def forget_deliveries(connection: Connection) -> int:
    """Deletes what has ended and is older than `KEPT_DAYS`; returns how much that was."""
    return connection.execute(_SQL["forget_deliveries"], {"days": KEPT_DAYS}).rowcount


def _read(connection: Connection, values: Row) -> list[Webhook]:
    return [Webhook.model_validate(row) for row in connection.execute(_SQL["list_webhooks"], values).fetchall()]


def _deliveries(
    connection: Connection, webhook_id: UUID, delivery_id: UUID | None, before: UUID | None, limit: int
) -> list[WebhookDelivery]:
    values = {"webhook_id": webhook_id, "id": delivery_id, "before": before, "limit": limit}
    rows = connection.execute(_SQL["list_deliveries"], values).fetchall()
    return [WebhookDelivery.model_validate(row) for row in rows]
