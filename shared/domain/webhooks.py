"""Webhooks: what is told to whom, how it is signed, and when it is tried again.

Signed as the Standard Webhooks specification says (1.0.0, symmetric): `webhook-id`, `webhook-timestamp`,
`webhook-signature: v1,base64(HMAC-SHA256(key, id.timestamp.body))`, one signature per secret that is in force.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

EventName = Literal["document.ready", "document.failed", "evaluation.below_floor"]
EVENTS: Final[tuple[EventName, ...]] = ("document.ready", "document.failed", "evaluation.below_floor")
TEST_EVENT: Final = "webhook.test"
SECRET_PREFIX: Final = "whsec_"  # noqa: S105 what secrets begin with
SECRET_BYTES: Final = 32
# Of one knowledge base, whatever the plan allows: each is a request per document.
MOST: Final = 10

FIRST_WAIT_S: Final = 30.0
LONGEST_WAIT_S: Final = 12 * 3600.0
# Eight attempts: the last one comes 23.4 hours after the first, give or take the jitter of a tenth.
ATTEMPTS: Final = 8
GROWTH: Final = 4
JITTER: Final = 0.1
# Whose receiver took nothing for so long is told nothing any more.
DISABLED_AFTER: Final = timedelta(days=3)
OVERLAP_HOURS: Final = 24
GONE: Final = 410


class NewWebhook(BaseModel):
    """An address that is to be told what happens in a knowledge base; of everything where no `events` are named."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    knowledge_base_id: UUID
    url: str = Field(min_length=1, max_length=1000, description="https, port 443; redirects are not followed")
    events: list[EventName] = Field(default=list(EVENTS), min_length=1, max_length=len(EVENTS))


class SecretRotation(BaseModel):
    """For how long the secret that was in force signs beside the new one; 0: from now on the new one alone."""

    model_config = ConfigDict(extra="forbid")

    overlap_hours: int = Field(default=OVERLAP_HOURS, ge=0, le=24 * 30)


class Webhook(BaseModel):
    """A webhook as it is stored, without its secret. `failing_since`: nothing has arrived since; `disabled_at`: nothing
    is told any more, as nothing arrived for days; `waiting`: what is still to arrive. `former_secret_until`: until then
    both secrets sign."""

    id: UUID
    knowledge_base_id: UUID
    url: str
    events: list[EventName]
    created_at: datetime
    delivered_at: datetime | None
    failing_since: datetime | None
    disabled_at: datetime | None
    former_secret_until: datetime | None
    waiting: int


class MadeWebhook(Webhook):
    """The answer to making one or rotating its secret: the secret is told this once, a repeated request gets null."""

    secret: str | None


class WebhookDelivery(BaseModel):
    """What is told to a webhook: `id` is its `webhook-id`, the same in every attempt. It is `waiting` until `due_at`,
    `delivered`, or `failed` where it was given up. `status` is that of the last answer; of its body nothing is kept."""

    id: UUID
    webhook_id: UUID
    event: str
    state: Literal["waiting", "delivered", "failed"]
    attempts: int
    created_at: datetime
    attempted_at: datetime | None
    delivered_at: datetime | None
    due_at: datetime | None
    status: int | None
    error: str | None


@dataclass(frozen=True)
class Leased:
    """A delivery that this process tries now: its body, and what signs it, still sealed."""

    id: UUID
    attempts: int
    url: str
    body: dict[str, Any]
    sealed: tuple[str, ...]


def make_secret() -> str:
    """256 random bits, as the specification writes them."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def body_of(told: dict[str, Any]) -> bytes:
    """The bytes that are sent, and signed: the same for the same thing."""
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()


def signed_headers(message: UUID | str, at: datetime, body: bytes, in_force: Sequence[str]) -> dict[str, str]:
    """The three headers of the specification, with a signature per secret."""
    stamp = str(int(at.timestamp()))
    return {
        "webhook-id": str(message),
        "webhook-timestamp": stamp,
        "webhook-signature": " ".join(f"v1,{_signature(one, f'{message}.{stamp}.', body)}" for one in in_force),
    }


def wait_after(attempts: int, chance: float) -> timedelta | None:
    """How long to wait after so many failed attempts; None: it is given up. `chance` (0 to 1) makes the jitter."""
    if attempts >= ATTEMPTS:
        return None
    seconds = min(FIRST_WAIT_S * GROWTH ** (attempts - 1), LONGEST_WAIT_S)
    return timedelta(seconds=seconds * (1 + JITTER * (2 * chance - 1)))


def asked_wait(retry_after: str | None, now: datetime) -> timedelta:
    """How long a receiver wants to be left alone by its `Retry-After` (RFC 9110, 10.2.3: seconds, or a date), at most
    `LONGEST_WAIT_S`; none for what cannot be read, or has passed."""
    text = (retry_after or "").strip()
    longest = timedelta(seconds=LONGEST_WAIT_S)
    if text.isascii() and text.isdigit():
        return min(timedelta(seconds=int(text)), longest) if len(text) <= 9 else longest
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return timedelta()
    until = when.replace(tzinfo=when.tzinfo or UTC)
    return min(max(until - now, timedelta()), longest)


def _signature(secret: str, head: str, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    return base64.b64encode(hmac.new(key, head.encode() + body, hashlib.sha256).digest()).decode()
