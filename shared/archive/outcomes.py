"""What became of jobs of archives, in the object store: an event that comes again finds what is done."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from errno import ENOSPC
from typing import Final, TypeVar

from pydantic import BaseModel

from shared.contract import EXPORT_LIMIT_S
from shared.errors import AutriError, BadInput, Busy, NotFound, Unavailable
from shared.runtime import Runtime

# How often Lambda runs an event whose function raises: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
RUNS: Final = 3
# Of one slice: what is lost where a run is killed, and how often people see progress.
SLICE_S: Final = 30.0
# What a run begins nothing in: the largest file or piece of rows that is under way takes less.
RESERVE_S: Final = 300.0
SECONDS: Final = EXPORT_LIMIT_S - RESERVE_S
# No run begins later after its job could, or the last slice was done (the first, and two that follow a failure, do
# within minutes): so none ends
# later than its time allows, and what is said to have failed stays failed.
START_WITHIN: Final = timedelta(hours=1)
LATE: Final = START_WITHIN + timedelta(seconds=EXPORT_LIMIT_S) + timedelta(minutes=5)


class JobOutcome(BaseModel):
    """`failures`: of the runs that ended with what nobody expected, until one ends otherwise. `more`: that one has left
    work to the next."""

    error: str | None = None
    failures: int = 0
    more: bool = False

    @property
    def is_final(self) -> bool:
        """Whether no further run begins."""
        return not self.more and self.failures in (0, RUNS)


class RunBudget:
    """How much a run does before it leaves the rest to the next one: for so many seconds, or so many items."""

    def __init__(self, seconds: float = SECONDS, items: int | None = None) -> None:
        self._until, self._items = time.monotonic() + seconds, items

    def spend(self) -> bool:
        """Counts an item; whether another one may be begun."""
        if self._items is not None:
            self._items -= 1
        return self.has_more()

    def has_more(self) -> bool:
        return time.monotonic() < self._until and (self._items is None or self._items > 0)


Kind = TypeVar("Kind", bound=JobOutcome)


def read_outcome(runtime: Runtime, key: str, kind: type[Kind]) -> Kind | None:
    try:
        return kind.model_validate_json(runtime.blobs.get(key))
    except NotFound:
        return None


def is_over(runtime: Runtime, key: str, kind: type[Kind]) -> bool:
    """Whether the outcome at `key` is there, and final."""
    found = read_outcome(runtime, key, kind)
    return found is not None and found.is_final


def is_late(since: datetime) -> bool:
    """Whether no run can be at it any more, of a job at which somebody was at `since`, or could begin."""
    return datetime.now(UTC) - since > LATE


def check_in_time(since: datetime, late: str) -> None:
    """Raises BadInput, saying `late`, where no run of such a job may begin any more."""
    if datetime.now(UTC) - since > START_WITHIN:
        raise BadInput(late)


def run_once(
    runtime: Runtime, key: str, kind: type[Kind], work: Callable[[], Kind | None], failed: str, full: str
) -> bool:
    """Does some of the work whose outcome lies at `key`, unless that is final; what is wrong with the job is its
    outcome. Returns whether there is more: `work` returns None.

    Raises what may pass, so that the event comes again; `failed` is the outcome after the last run, `full` that of one
    for which the function's disk has no room: the next would have no more. Busy leaves no
    trace: another run is at it, and its outcome counts. So it does where it has ended the job before this one failed.
    """
    before = read_outcome(runtime, key, kind)
    if before is not None and before.is_final:
        return False
    try:
        outcome = work()
    except Busy:
        raise
    except Exception as error:
        if is_over(runtime, key, kind):
            return False
        is_full = isinstance(error, OSError) and error.errno == ENOSPC
        if not is_full and (not isinstance(error, AutriError) or isinstance(error, Unavailable)):
            failures = 1 if before is None else before.failures + 1
            _keep(runtime, key, kind(error=failed, failures=failures))
            raise
        outcome = kind(error=full if is_full else str(error))
    if outcome is not None and outcome.error is not None and is_over(runtime, key, kind):
        return False
    if outcome is not None:
        _keep(runtime, key, outcome)
    elif before is not None:
        _keep(runtime, key, kind(more=True))
    return outcome is None


def _keep(runtime: Runtime, key: str, outcome: JobOutcome) -> None:
    runtime.blobs.put(key, outcome.model_dump_json().encode(), "application/json")
