"""What a run of a job leaves of it: counted failures, and an outcome that no other run takes back."""

from collections.abc import Callable
from typing import Any

import pytest

from shared.archive.outcomes import JobOutcome, read_outcome, run_once
from shared.domain.ids import new_id
from shared.errors import BadInput
from shared.runtime import Runtime


@pytest.fixture
def key() -> str:
    return f"outcomes/{new_id()}.json"


def fail(error: Exception) -> Callable[[], Any]:
    def failing() -> None:
        raise error

    return failing


def run(runtime: Runtime, key: str, work: Callable[[], JobOutcome | None]) -> bool:
    return run_once(runtime, key, JobOutcome, work, "failed", "full")


def test_failures_are_counted_from_the_last_run_that_did_something(runtime: Runtime, key: str) -> None:
    for _ in range(4):
        for _ in range(2):
            with pytest.raises(RuntimeError):
                run(runtime, key, fail(RuntimeError("x")))
        assert run(runtime, key, lambda: None)
        found = read_outcome(runtime, key, JobOutcome)
        assert (found and found.is_final) is False
    for _ in range(3):
        with pytest.raises(RuntimeError):
            run(runtime, key, fail(RuntimeError("x")))
    assert read_outcome(runtime, key, JobOutcome) == JobOutcome(error="failed", failures=3)


@pytest.mark.parametrize("error", [BadInput("here already"), RuntimeError("x"), None])
def test_a_run_that_fails_after_another_has_ended_the_job_changes_nothing(
    runtime: Runtime, key: str, error: Exception | None
) -> None:
    def ended_meanwhile() -> JobOutcome:
        assert not run(runtime, key, JobOutcome)
        if error is not None:
            raise error
        return JobOutcome(error="the archive is gone")

    assert not run(runtime, key, ended_meanwhile)
    assert read_outcome(runtime, key, JobOutcome) == JobOutcome()
