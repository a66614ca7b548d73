"""The workflow runner of one machine: walks the stages of `contract.py` for every queued or interrupted ingestion.

Its state is in the `ingestions` table only. Several runners may work on one database: each ingestion is leased, its
lease is renewed while it runs, and one whose owner has died is taken over at once. An ingestion that is taken over
repeatedly without progress is ended.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import groupby
from types import TracebackType
from typing import Any, Self

from shared.contract import MAX_TAKEOVERS, OUTCOME_RUN, STAGES, STEP_LIMIT_S, Stage
from shared.domain.scope import Scope
from shared.errors import AutriError, StoreUnavailable, Unavailable
from shared.ingestion import mark_failed
from shared.ingestion.event import Event
from shared.processes import is_dead, own_name
from shared.runtime import Runtime
from shared.store import ingestions
from shared.store.ingestions import LEASE_S, Lease

logger = logging.getLogger("autri.runner")

POLL_S = 0.25
RETRY_WAIT_S = 0.5
# A crash ends all work in the pool, not only that which caused it. Only the first stage can cause crashes repeatedly
# (pages that crash are run again in processes of their own), so the others tolerate more crashes than failed attempts.
POOL_CRASHES = 9
# A local database restarts within a second or two, so the first waits are short; in total they are about as long as
# those of the state machine (stacks/states.py).
UNAVAILABLE_WAIT_S = 0.5
UNAVAILABLE_WAITS = 9
MAX_WAIT_S = 60.0

# For one stage or shard, not counting its time in the queue.
ANSWER_LIMIT_S = STEP_LIMIT_S

# Submits one stage for one event to a worker process.
Submit = Callable[[str, Mapping[str, Any]], "Future[dict[str, Any]]"]


class _Stopping(Exception):
    """The runner is being closed: the run is released for another runner."""


class _TakenOver(Exception):
    """Another process has the lease, or the run was deleted with its document."""


class _Overdue(AutriError):
    """A worker process is alive and does not answer."""


class Runner:
    """Runs ingestions of `scopes()` in threads of this process, their stages in worker processes, until it is closed.

    `submit` gives a stage to a pool; it must replace a pool that a crash has broken before the next call.
    """

    def __init__(self, runtime: Runtime, submit: Submit, scopes: Callable[[], Iterable[Scope]], parallel: int) -> None:
        self._runtime = runtime
        self._submit = submit
        self._scopes = scopes
        self._owner = own_name()
        self._parallel = parallel
        self._active: dict[Lease, Future[None]] = {}
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._poll, name="autri-runner", daemon=True)]
        self._threads.append(threading.Thread(target=self._heartbeat, name="autri-heartbeat", daemon=True))
        self._executor = ThreadPoolExecutor(max_workers=parallel, thread_name_prefix="autri-ingestion")

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """Stops after the current stages; unfinished runs are resumed by the next runner."""
        self._stopping.set()
        self._executor.shutdown(wait=True, cancel_futures=True)
        for thread in self._threads:
            thread.join()

    @property
    def busy(self) -> bool:
        """Whether this runner has a run under way."""
        return any(not future.done() for future in self._active.values())

    def _poll(self) -> None:
        while not self._stopping.wait(POLL_S):
            worked = bool(self._active)
            self._active = {lease: f for lease, f in self._active.items() if not f.done()}
            try:
                while len(self._active) < self._parallel and (lease := self._claim()):
                    self._active[lease] = self._executor.submit(self._run_leased, lease)
                if worked and not self._active:
                    # What stands on documents, such as digests, follows them once the last one is in.
                    self._runtime.wake_maintenance()
            except Exception as error:  # noqa: BLE001 the loop outlives whatever one look meets
                logger.warning("cannot look for work: %s", describe(error))

    def _claim(self) -> Lease | None:
        for scope in self._scopes():
            with self._runtime.database.transaction(scope) as connection:
                dead = [o for o in ingestions.lease_owners(connection) if o != self._owner and is_dead(o)]
                if lease := ingestions.claim(connection, self._owner, dead, [active.id for active in self._active]):
                    return lease
        return None

    def _heartbeat(self) -> None:
        while not self._stopping.wait(LEASE_S / 3):
            for lease in list(self._active):
                try:
                    with self._runtime.database.transaction(lease.scope) as connection:
                        ingestions.renew(connection, lease.id, self._owner)
                except Exception as error:  # noqa: BLE001 the loop outlives whatever one renewal meets
                    logger.warning("cannot renew a lease: %s", describe(error))

    def _run_leased(self, lease: Lease) -> None:
        event: dict[str, Any] = {"key": lease.source_key}
        if lease.document_id is not None:
            event |= Event(
                organization_id=lease.organization_id,
                knowledge_base_id=lease.knowledge_base_id,
                document_id=lease.document_id,
                ingestion_id=lease.id,
            ).to_dict()
        try:
            if lease.takeovers > MAX_TAKEOVERS:
                raise Unavailable(f"It was interrupted {lease.takeovers} times at the same place")
            self._walk(lease, event)
        except _Stopping:
            # If the database is gone, the lease expires by itself.
            with suppress(StoreUnavailable), self._runtime.database.transaction(lease.scope) as connection:
                ingestions.release(connection, lease.id, self._owner)
        except _TakenOver:
            logger.info("ingestion %s goes on elsewhere", lease.id)
        except Exception as error:  # noqa: BLE001 whatever a stage raises ends this ingestion, with its reason stored
            logger.info("ingestion %s failed: %s", lease.id, error)
            self._fail(lease, error)

    def _fail(self, lease: Lease, error: Exception) -> None:
        """Stores the reason. Where the database cannot store it, the lease expires and the ingestion is resumed."""
        try:
            if self._holds(lease):
                mark_failed.run(self._runtime, {**lease.ids, "error": {"Cause": describe(error)}})
        except StoreUnavailable as unavailable:
            logger.warning("ingestion %s waits for the database: %s", lease.id, unavailable)

    def _walk(self, lease: Lease, event: dict[str, Any]) -> None:
        answer = self._attempt(lease, STAGES[0], event)
        if answer["outcome"] != OUTCOME_RUN:
            return
        event |= answer
        for mapped, stages in groupby(STAGES[1:], key=lambda stage: stage.mapped):
            for stage in stages:
                if mapped:
                    self._map(lease, stage, event)
                else:
                    self._attempt(lease, stage, event)

    def _map(self, lease: Lease, stage: Stage, event: Mapping[str, Any]) -> None:
        """Runs all shards at once; a shard that fails is run again page by page."""
        self._check(lease)
        shards = json.loads(self._runtime.blobs.get(Event.model_validate(event).plan_key))
        futures = {self._submit(stage.name, shard): shard for shard in shards}
        for future, shard in futures.items():
            try:
                self._result(future)
            except (_Stopping, _TakenOver):
                raise
            except Exception as error:  # noqa: BLE001 whatever broke the range, its pages are tried one by one
                logger.info("%s of shard %s failed (%s): page by page", stage.name, shard["shard"], error)
                self._attempt(lease, stage, {**shard, "isolated": True})

    def _attempt(self, lease: Lease, stage: Stage, event: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the stage's result, after at most `stage.attempts` attempts. Bad input is not tried again; waiting
        for a service that throttles or starts up is not a failure."""
        failures = waits = crashes = 0
        while True:
            self._check(lease)
            try:
                return self._result(self._submit(stage.name, event))
            except Unavailable as error:
                waits += 1
                if waits > UNAVAILABLE_WAITS:
                    raise
                logger.info("%s waits (%s): try %d follows", stage.name, error, waits + 1)
                self._wait(waits)
            except (_Stopping, _TakenOver, AutriError, ValueError):
                raise
            except BrokenProcessPool:
                crashes += 1
                if crashes == (stage.attempts if stage is STAGES[0] else POOL_CRASHES):
                    raise
                logger.info("a worker crashed during %s: try %d follows", stage.name, crashes + 1)
                self._stopping.wait(RETRY_WAIT_S)
            except Exception as error:
                failures += 1
                if failures == stage.attempts:
                    raise
                logger.info("%s failed (%s): attempt %d follows", stage.name, error, failures + 1)
                self._stopping.wait(RETRY_WAIT_S * failures)

    def _result(self, future: "Future[dict[str, Any]]") -> dict[str, Any]:
        """Returns the stage's result. Where the runner is closed meanwhile, the work is abandoned: its results are
        stored page by page, and the next runner continues from there. A worker that does not answer ends itself
        (worker.py)."""
        begun = None
        while not wait([future], timeout=POLL_S).done:
            if self._stopping.is_set():
                future.cancel()
                raise _Stopping
            if begun is None and future.running():
                begun = time.monotonic()
            if begun is not None and time.monotonic() - begun > ANSWER_LIMIT_S:
                raise _Overdue(f"A step took longer than {STEP_LIMIT_S // 3600} hours and was stopped")
        return future.result()

    def _check(self, lease: Lease) -> None:
        """Raises _TakenOver where another process has the lease, and _Stopping; waits while the database is down."""
        waits = 0
        while not self._stopping.is_set():
            try:
                if self._holds(lease):
                    return
            except StoreUnavailable:
                waits += 1
                if waits > UNAVAILABLE_WAITS:
                    raise
                self._wait(waits)
            else:
                raise _TakenOver
        raise _Stopping

    def _holds(self, lease: Lease) -> bool:
        with self._runtime.database.transaction(lease.scope) as connection:
            return ingestions.renew(connection, lease.id, self._owner)

    def _wait(self, waits: int) -> None:
        self._stopping.wait(min(UNAVAILABLE_WAIT_S * 2 ** (waits - 1), MAX_WAIT_S))


def describe(error: BaseException) -> str:
    """The message to show: the text of our own errors, the type and text of others."""
    if isinstance(error, BrokenProcessPool):
        return "A worker process crashed"
    return str(error) if isinstance(error, AutriError | ValueError) else f"{type(error).__name__}: {error}"
