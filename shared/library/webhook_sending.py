"""Sends what webhooks are told: leased, signed, posted, tried again. At least once, in no promised order.

A webhook is a lane of its own, and some are sent to at once: a receiver that is slow holds up its own lane alone.
Nothing is locked while somebody is waited for.
"""

import logging
import math
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from shared.domain.fetched import PostAnswer
from shared.domain.webhooks import (
    ATTEMPTS,
    DISABLED_AFTER,
    GONE,
    Leased,
    asked_wait,
    body_of,
    signed_headers,
    wait_after,
)
from shared.errors import AutriError
from shared.runtime import Runtime
from shared.store import webhooks as rows
from shared.store.audit import note_by_itself
from shared.store.connect import Connection
from shared.store.webhooks import DueWebhook

logger = logging.getLogger("autri.webhooks")
# Receivers that are sent to at once, and how much one gets before it is others' turn.
LANES: Final = 8
TURN: Final = 50
# After a failure the receiver is left alone for as long, whatever waits for it.
REST: Final = timedelta(seconds=30)
POLL_S: Final = 0.2
SEALED: Final = "The secret of this webhook cannot be opened with this deployment's key. Rotate it."
DISABLED: Final = "Given up: nothing has arrived for days, so the webhook was disabled."

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


class WebhookSender:
    """Sends in threads of its own while the context lasts; attempts that are under way at its end are finished."""

    def __init__(self, runtime: Runtime, clock: Clock = utc_now, chance: Callable[[], float] = random.random) -> None:
        self._runtime, self._clock, self._chance = runtime, clock, chance
        self._pool = ThreadPoolExecutor(LANES, thread_name_prefix="autri-webhooks")
        self._lock, self._busy = threading.Lock(), set[UUID]()
        self._ends = math.inf

    def __enter__(self) -> "WebhookSender":
        return self

    def __exit__(self, *_: object) -> None:
        self._ends = 0.0
        self._pool.shutdown(wait=True, cancel_futures=True)

    def start_due(self) -> int:
        """Begins to send to webhooks for which something is due, as many as there are lanes free; returns how many
        lanes are busy."""
        with self._runtime.database.unscoped() as connection:
            found = rows.due_webhooks(connection, self._clock(), 4 * LANES)
        with self._lock:
            free = [one for one in found if one.webhook_id not in self._busy][: LANES - len(self._busy)]
            self._busy |= {one.webhook_id for one in free}
            busy = len(self._busy)
        for one in free:
            self._pool.submit(self._take_turn, one)
        return busy

    def send_due(self, seconds: float) -> bool:
        """Sends until nothing is due, or the time is over; returns whether it was over. Then turns end
        with the attempt that is under way."""
        self._ends = time.monotonic() + seconds
        while self.start_due():
            if self._is_over():
                return True
            time.sleep(POLL_S)
        return False

    def _take_turn(self, due: DueWebhook) -> None:
        try:
            for _ in range(TURN):
                if not self._send_next(due) or self._is_over():
                    break
        except Exception as error:  # noqa: BLE001 a thread has nobody to raise to; the lease runs out, and it is tried again
            logger.warning("webhook %s: %s: %s", due.webhook_id, type(error).__name__, error)
        finally:
            with self._lock:
                self._busy.discard(due.webhook_id)

    def _is_over(self) -> bool:
        return time.monotonic() >= self._ends

    def _send_next(self, due: DueWebhook) -> bool:
        """Whether something was sent and arrived."""
        with self._runtime.database.transaction(due.scope) as connection:
            leased = rows.lease_delivery(connection, due.webhook_id, self._clock())
        if leased is None:
            return False
        answer, error = self._post(leased)
        with self._runtime.database.transaction(due.scope) as connection:
            if error is None and answer is not None:
                rows.note_delivered(connection, leased, answer.posted, self._clock())
                return True
            self._note_failure(connection, due, leased, answer, error or "")
        return False

    def _post(self, leased: Leased) -> tuple[PostAnswer | None, str | None]:
        """What the receiver answered, and why it did not arrive."""
        try:
            secrets = [found for one in leased.sealed if (found := self._runtime.sealer.open(one)) is not None]
            if not secrets:
                return None, SEALED
            body = body_of(leased.body)
            headers = signed_headers(leased.id, self._clock(), body, secrets)
            answer = self._runtime.post(leased.url, body, {"Content-Type": "application/json", **headers})
        except AutriError as error:
            return None, str(error).removesuffix(" Try again.")
        except Exception as error:  # noqa: BLE001 whatever it met, it is an attempt that failed, and counts as one
            logger.warning("webhook delivery %s: %s", leased.id, type(error).__name__)
            return None, f"It could not be sent ({type(error).__name__})."
        return answer, None if 200 <= answer.posted < 300 else f"The receiver answered {answer.posted}."

    def _note_failure(
        self, connection: Connection, due: DueWebhook, leased: Leased, answer: PostAnswer | None, error: str
    ) -> None:
        now, status = self._clock(), answer.posted if answer else None
        asked = asked_wait(answer.retry_after if answer else None, now)
        wait = wait_after(leased.attempts, self._chance())
        wait = max(wait, asked) if wait else None
        since = rows.note_failure(connection, leased, status, error, now, now + wait if wait else None)
        if since is None:
            return
        if wait is None:
            logger.warning("webhook %s: %s was given up after %d attempts", due.webhook_id, leased.id, ATTEMPTS)
        if (status == GONE or now - since >= DISABLED_AFTER) and rows.disable_webhook(
            connection, due.webhook_id, now, DISABLED
        ):
            # The audit log outlives the webhook, and is exported.
            why = error.replace(leased.url, urlsplit(leased.url).hostname or "The receiver")
            note_by_itself(
                connection, due.organization_id, "webhook.disable", due.webhook_id, due.knowledge_base_id, why=why
            )
        rows.hold_back(connection, due.webhook_id, now + max(REST, asked))
