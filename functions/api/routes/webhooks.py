"""Webhooks: addresses that are told what happens in a knowledge base. For owners and admins."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Query
from fastapi.responses import JSONResponse

from functions.api.caller import Admin
from functions.api.idempotency import Administration
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed
from functions.api.routing import v1_router
from shared.domain.webhooks import MadeWebhook, NewWebhook, SecretRotation, Webhook, WebhookDelivery
from shared.library import webhooks

router = v1_router("webhooks", "/webhooks")

Base = Annotated[UUID | None, Query(description="of one knowledge base")]


@router.get("")
def list_webhooks(
    caller: Admin, knowledge_base_id: Base = None, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[Webhook]:
    """The webhooks of a knowledge base, or of all."""
    read = partial(webhooks.list_webhooks, caller.runtime, caller.identity, knowledge_base_id)
    return listed("webhooks", cursor, limit, read)


@router.post("", status_code=201, response_model=MadeWebhook)
def add_webhook(change: Administration, body: NewWebhook) -> JSONResponse:
    """Have an address told what happens. Its secret is in this answer and nowhere else: a repeated request is answered
    without it."""
    return change.answer(
        201, lambda: webhooks.add_webhook(change.runtime, change.identity, body), body, _without_secret
    )


@router.get("/{webhook_id}")
def get_webhook(caller: Admin, webhook_id: UUID) -> Webhook:
    """One webhook."""
    return webhooks.get_webhook(caller.runtime, caller.identity, webhook_id)


@router.delete("/{webhook_id}", response_model=Webhook)
def remove_webhook(change: Administration, webhook_id: UUID) -> JSONResponse:
    """Tell it nothing more, not even what waits."""
    return change.answer(200, lambda: webhooks.remove_webhook(change.runtime, change.identity, webhook_id))


@router.post("/{webhook_id}/rotate", response_model=MadeWebhook)
def rotate_secret(change: Administration, webhook_id: UUID, body: SecretRotation) -> JSONResponse:
    """A new secret, told this once. For some hours both sign, so that the receiver can change over."""
    hours = body.overlap_hours
    return change.answer(
        200,
        lambda: webhooks.rotate_secret(change.runtime, change.identity, webhook_id, hours),
        body,
        _without_secret,
    )


@router.post("/{webhook_id}/enable", response_model=Webhook)
def enable_webhook(change: Administration, webhook_id: UUID) -> JSONResponse:
    """Tell it again what happens from now on, after it was disabled."""
    return change.answer(200, lambda: webhooks.enable_webhook(change.runtime, change.identity, webhook_id))


@router.post("/{webhook_id}/test", status_code=202, response_model=WebhookDelivery)
def try_webhook(change: Administration, webhook_id: UUID) -> JSONResponse:
    """Send it a `webhook.test`; its deliveries say whether it arrived."""
    return change.answer(202, lambda: webhooks.try_webhook(change.runtime, change.identity, webhook_id))


@router.get("/{webhook_id}/deliveries")
def list_deliveries(
    caller: Admin, webhook_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[WebhookDelivery]:
    """What it was told within the last 30 days, newest first: whether it arrived, and what is tried again when."""
    read = partial(webhooks.list_deliveries, caller.runtime, caller.identity, webhook_id)
    return listed("deliveries", cursor, limit, read)


@router.post("/{webhook_id}/deliveries/{delivery_id}/again", status_code=202, response_model=WebhookDelivery)
def send_again(change: Administration, webhook_id: UUID, delivery_id: UUID) -> JSONResponse:
    """Send the same once more, under the same id."""
    return change.answer(202, lambda: webhooks.send_again(change.runtime, change.identity, webhook_id, delivery_id))


def _without_secret(made: MadeWebhook) -> MadeWebhook:
    return made.model_copy(update={"secret": None})
