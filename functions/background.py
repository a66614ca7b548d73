"""Maintenance, which the local server has run in a process of its own (maintenance_process.py), and what webhooks are
told, in its background; on AWS functions of their own."""

import logging
import threading
import time
from types import TracebackType
from typing import Self

from shared.library.webhook_sending import WebhookSender
from shared.maintenance import Pace, maintain
from shared.runtime import Runtime

logger = logging.getLogger("autri.maintenance")

FIRST_S, EVERY_S, SOON_S, TOGETHER_S = 20.0, 300.0, 1.0, 0.5
DAY_S = 86_400.0
LOOK_S = 2.0
TURN_S = 20.0
# Maintenance works a quarter of the time, in short units, so that it hardly slows searches, which run beside it.
REST_PER_WORK = 3.0
TEXTS, DOCUMENTS = 32, 2


class Maintenance:
    """Runs until the context ends; unfinished work then ends with the process and is resumed by the next one."""

    def __init__(self, runtime: Runtime, owner_dsn: str, first_s: float = FIRST_S) -> None:
        self._runtime, self._owner_dsn, self._first_s = runtime, owner_dsn, first_s
        self._stopping, self._woken = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._loop, name="autri-maintenance", daemon=True)

    def __enter__(self) -> Self:
        self._runtime.wake_maintenance = self._woken.set
        self._runtime.wake_digest = lambda _organization, _base: self._woken.set()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._stopping.set()
        self._woken.set()
        self._thread.join(timeout=5)

    def _loop(self) -> None:
        wait, last_daily = self._first_s, -DAY_S
        while not self._waits(wait):
            wait, daily = EVERY_S, time.monotonic() - last_daily >= DAY_S
            try:
                # Another model may have been chosen since, in the process that answers.
                self._runtime.forget_answerer()
                pace = Pace(TEXTS, DOCUMENTS, self._pause)
                done = maintain(self._runtime, self._owner_dsn, TURN_S, pace, daily=daily)
                last_daily = time.monotonic() if daily and not done["busy"] else last_daily
                wait = SOON_S if done["more"] and not done["failed"] else EVERY_S
            except Exception as error:  # noqa: BLE001 the loop outlives whatever one turn meets
                logger.warning("maintenance: %s: %s", type(error).__name__, error)

    def _waits(self, seconds: float) -> bool:
        """For that time, or until somebody waits for what is due; returns True when the server stops."""
        if self._woken.wait(seconds):
            # What is posted together is one round.
            self._stopping.wait(TOGETHER_S)
        self._woken.clear()
        return self._stopping.is_set()

    def _pause(self, worked_s: float) -> bool:
        """Sleeps between two units of work; returns True when the server stops meanwhile."""
        return self._stopping.wait(worked_s * REST_PER_WORK)


class Webhooks:
    """Sends what webhooks are told, beside maintenance and never under its lock, until the context ends."""

    def __init__(self, runtime: Runtime, every_s: float = LOOK_S) -> None:
        self._runtime, self._every_s = runtime, every_s
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="autri-webhooks", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._stopping.set()
        self._thread.join(timeout=5)

    def _loop(self) -> None:
        with WebhookSender(self._runtime) as sending:
            while not self._stopping.wait(self._every_s):
                try:
                    sending.start_due()
                except Exception as error:  # noqa: BLE001 the loop outlives whatever one look meets
                    logger.warning("webhooks: %s: %s", type(error).__name__, error)
