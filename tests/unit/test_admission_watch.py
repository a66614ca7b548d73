"""What runs every few minutes must let the database pause."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from shared.ingestion.arrival.admission import WATCHED_S, watch
from shared.runtime import Runtime


class Asleep:
    """A database that is paused and must stay so."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"the database was asked for {name}")


def runtime(idle: bool, asked: list[float]) -> Runtime:
    def is_idle(seconds: float) -> bool:
        asked.append(seconds)
        return idle

    workflow = SimpleNamespace(idle=is_idle, leases=False)
    return cast(Runtime, SimpleNamespace(workflow=workflow, database=Asleep(), slots=None))


def test_the_database_is_not_asked_while_nothing_has_run_for_an_hour() -> None:
    asked: list[float] = []
    assert watch(runtime(True, asked)) == 0
    assert asked == [WATCHED_S] == [3600]
    with pytest.raises(AssertionError, match="the database was asked"):
        watch(runtime(False, asked))
