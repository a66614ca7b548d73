"""Webhooks of a knowledge base: made, listed, tried, their secrets rotated. What is told to them is written by the
database in the transaction of what happened (`0032_webhooks.sql`); `webhook_sending` sends it."""

from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit
from uuid import UUID

from shared.access import check_knowledge_base, reading, require_admin
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.domain.webhooks import (
    MOST,
    TEST_EVENT,
    MadeWebhook,
    NewWebhook,
    Webhook,
    WebhookDelivery,
    make_secret,
)
from shared.errors import Conflict, NotFound
from shared.plans.quota import check_webhook
from shared.runtime import Runtime
from shared.store import plans
from shared.store import webhooks as rows
from shared.store.audit import note
from shared.store.connect import Connection


def add_webhook(runtime: Runtime, identity: Identity, wanted: NewWebhook) -> MadeWebhook:
    """The webhook with its secret, which is told this once. Raises Forbidden below admin, as a webhook tells others
    what happens; BadInput for an address that nothing is sent to; NotFound; PlanExhausted; Conflict."""
    require_admin(identity)
    secret, made = make_secret(), new_id()
    sealed = runtime.sealer.seal(secret)
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, wanted.knowledge_base_id)
        url = runtime.post.check(wanted.url)
        plans.lock(connection, identity.organization_id)
        held, here = rows.count_webhooks(connection, wanted.knowledge_base_id)
        check_webhook(connection, identity.organization_id, held, runtime.limits)
        if here >= MOST:
            raise Conflict(
                f"This knowledge base has {here} webhooks, which is the most. Remove one that is not needed."
            )
        row = {
            "organization_id": identity.organization_id,
            "knowledge_base_id": wanted.knowledge_base_id,
            "id": made,
            "url": url,
            "events": list(dict.fromkeys(wanted.events)),
            "secret": sealed,
            "created_by": identity.user_id,
        }
        rows.add_webhook(connection, row)
        note(connection, identity, "webhook.add", made, wanted.knowledge_base_id, host=_host(url), events=row["events"])
        return _with_secret(_find(connection, made), secret)


def list_webhooks(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID | None, after: UUID | None, limit: int
) -> list[Webhook]:
    """Oldest first, from behind `after`; of one knowledge base or of all. Raises Forbidden below admin, NotFound."""
    require_admin(identity)
    with reading(runtime, identity) as connection:
        if knowledge_base_id is not None:
            check_knowledge_base(connection, knowledge_base_id)
        return rows.list_webhooks(connection, knowledge_base_id, after, limit)


def get_webhook(runtime: Runtime, identity: Identity, webhook_id: UUID) -> Webhook:
    """Raises Forbidden below admin, NotFound."""
    require_admin(identity)
    with reading(runtime, identity) as connection:
        return _find(connection, webhook_id)


def remove_webhook(runtime: Runtime, identity: Identity, webhook_id: UUID) -> Webhook:
    """Nothing more is sent, not even what waits; its secrets are gone. Raises Forbidden below admin, NotFound."""
    require_admin(identity)
    with reading(runtime, identity) as connection:
        found = _find(connection, webhook_id)
        rows.remove_webhook(connection, webhook_id)
        note(connection, identity, "webhook.remove", webhook_id, found.knowledge_base_id, host=_host(found.url))
        return found


def rotate_secret(runtime: Runtime, identity: Identity, webhook_id: UUID, overlap_hours: int) -> MadeWebhook:
    """A new secret, told this once; the one so far signs as well for `overlap_hours`, and none before it. Raises
    Forbidden below admin, NotFound."""
    require_admin(identity)
    secret = make_secret()
    sealed = runtime.sealer.seal(secret)
    until = datetime.now(UTC) + timedelta(hours=overlap_hours) if overlap_hours else None
    with reading(runtime, identity) as connection:
        found = _find(connection, webhook_id)
        rows.rotate_secret(connection, webhook_id, sealed, until)
        note(connection, identity, "webhook.rotate", webhook_id, found.knowledge_base_id, overlap_hours=overlap_hours)
        return _with_secret(_find(connection, webhook_id), secret)


def enable_webhook(runtime: Runtime, identity: Identity, webhook_id: UUID) -> Webhook:
    """It is told again what happens from now on. Raises Forbidden below admin, NotFound."""
    require_admin(identity)
    with reading(runtime, identity) as connection:
        found = _find(connection, webhook_id)
        rows.enable_webhook(connection, webhook_id)
        note(connection, identity, "webhook.enable", webhook_id, found.knowledge_base_id)
        return _find(connection, webhook_id)


def try_webhook(runtime: Runtime, identity: Identity, webhook_id: UUID) -> WebhookDelivery:
    """Sends it a `webhook.test`, as anything else is sent. Raises Forbidden below admin, NotFound, Conflict for one
    that is disabled."""
    require_admin(identity)
    with reading(runtime, identity) as connection:
        found = _find_enabled(connection, webhook_id)
        data = {"organization_id": str(identity.organization_id), "knowledge_base_id": str(found.knowledge_base_id)}
        data |= {"webhook_id": str(webhook_id)}
        stamp = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        body = {"type": TEST_EVENT, "timestamp": stamp, "data": data}
        told = rows.add_delivery(connection, webhook_id, TEST_EVENT, body)
        note(connection, identity, "webhook.test", webhook_id, found.knowledge_base_id)
    runtime.tell_webhooks()
    return told


def list_deliveries(
    runtime: Runtime, identity: Identity, webhook_id: UUID, before: UUID | None, limit: int
) -> list[WebhookDelivery]:
    """Newest first, from behind `before`, of the last 30 days. Raises Forbidden below admin, NotFound."""
    require_admin(identity)
    with reading(runtime, identity) as connection:
        _find(connection, webhook_id)
        return rows.list_deliveries(connection, webhook_id, before, limit)


def send_again(runtime: Runtime, identity: Identity, webhook_id: UUID, delivery_id: UUID) -> WebhookDelivery:
    """The same with the same id, whether or not it arrived. Raises Forbidden below admin, NotFound, Conflict for a
    webhook that is disabled and for what is on its way."""
    require_admin(identity)
    with reading(runtime, identity) as connection:
        found = _find_enabled(connection, webhook_id)
        told = rows.find_delivery(connection, webhook_id, delivery_id)
        if told is None:
            raise NotFound(f"There is no delivery {delivery_id} of this webhook. List those there are.")
        if told.state == "waiting" and told.attempts == 0:
            raise Conflict("It is on its way already.")
        rows.send_again(connection, delivery_id)
        note(connection, identity, "webhook.send_again", delivery_id, found.knowledge_base_id, webhook=str(webhook_id))
        told = rows.find_delivery(connection, webhook_id, delivery_id) or told
    runtime.tell_webhooks()
    return told


def _find(connection: Connection, webhook_id: UUID) -> Webhook:
    found = rows.find_webhook(connection, webhook_id)
    if found is None:
        raise NotFound(f"There is no webhook {webhook_id}. List those there are, and take an id of them.")
    return found


def _find_enabled(connection: Connection, webhook_id: UUID) -> Webhook:
    found = _find(connection, webhook_id)
    if found.disabled_at is not None:
        raise Conflict("This webhook is disabled, as nothing arrived for days. Enable it first.")
    return found


def _host(url: str) -> str | None:
    """What the audit log says of an address: the rest of it may be a secret."""
    return urlsplit(url).hostname


def _with_secret(found: Webhook, secret: str) -> MadeWebhook:
    return MadeWebhook(**found.model_dump(), secret=secret)
