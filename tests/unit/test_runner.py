"""What the runner of one machine does with a run, on a store that is none and a clock that jumps instead of waiting."""

import json
import logging
import os
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import pytest

from shared.domain.ids import new_id
from shared.domain.scope import Scope
from shared.errors import BadInput, StoreUnavailable, Unavailable
from shared.ingestion import runner as runner_module
from shared.ingestion.runner import Runner, describe
from shared.processes import host_name, is_dead
from shared.runtime import Runtime
from shared.store.ingestions import Lease

IDS = {"organization_id": new_id(), "knowledge_base_id": new_id()}
SCOPE = Scope(organization_id=IDS["organization_id"], knowledge_base_ids=(IDS["knowledge_base_id"],))
STAGES = ["register", "render", "parse", "extract", "finalize", "embed", "publish"]
LOOKS = (0.25, 10.0)  # how often work is looked for, and leases of 30 s are renewed


@dataclass
class World:
    """Everything around a runner: rows that wait, answers of the store, and what the runner did. To runners of other
    tests in this process, which meet it in their modules, it has nothing to do: its connection is itself."""

    waiting: list[Lease] = field(default_factory=list[Lease])
    owners: list[str] = field(default_factory=list[str])
    shards: Sequence[Mapping[str, Any]] = ({"shard": 0}, {"shard": 1})
    store_fails: Iterator[Exception] = field(default_factory=lambda: iter(()))
    held: Callable[[], bool] = lambda: True
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])
    claims: list[tuple[list[str], list[UUID]]] = field(default_factory=list[tuple[list[str], list[UUID]]])
    renewed: list[UUID] = field(default_factory=list[UUID])
    released: list[UUID] = field(default_factory=list[UUID])
    failed: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    waits: list[float] = field(default_factory=list[float])
    woken: list[int] = field(default_factory=list[int])
    stop_at_wait: int | None = None

    def lease_owners(self, connection: object) -> list[str]:
        return self.owners if connection is self else []

    def claim(self, connection: object, owner: str, dead: list[str], active: list[UUID]) -> Lease | None:
        if connection is not self:
            return None
        assert not is_dead(owner)
        self.claims.append((dead, active))
        return self.waiting.pop(0) if self.waiting else None

    def renew(self, connection: object, ingestion: UUID, owner: str) -> bool:
        if connection is not self:
            return True
        by_itself = threading.current_thread().name == "autri-heartbeat"
        if not by_itself and (error := next(self.store_fails, None)) is not None:
            raise error
        self.renewed.append(ingestion)
        return self.held()

    def release(self, connection: object, ingestion: UUID, owner: str) -> None:
        if connection is self:
            self.released.append(ingestion)

    def mark_failed(self, _: object, event: dict[str, Any]) -> None:
        self.failed.append(event)

    @contextmanager
    def transaction(self, scope: Scope) -> Generator["World"]:
        assert scope == SCOPE
        yield self

    def get(self, key: str) -> str:
        return json.dumps(list(self.shards))


def lease(takeovers: int = 0, document: UUID | None = None) -> Lease:
    return Lease(
        new_id(), IDS["organization_id"], IDS["knowledge_base_id"], document, "incoming/o/b/u/source", takeovers
    )


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(waiting=[lease()])

    class Jumping(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            if timeout is not None and timeout not in LOOKS:
                made.waits.append(timeout)
                if len(made.waits) == made.stop_at_wait:
                    self.set()
                return self.is_set()
            return super().wait(0.001)

    names = {name: getattr(threading, name) for name in ("Thread", "get_ident")}
    monkeypatch.setattr(runner_module, "threading", SimpleNamespace(Event=Jumping, **names))
    monkeypatch.setattr(runner_module, "ingestions", made)
    monkeypatch.setattr(runner_module, "mark_failed", SimpleNamespace(run=made.mark_failed))
    return made


Answer = Callable[[str, int], object]


def run(world: World, answer: Answer, *, until: Callable[[], bool] | None = None) -> None:
    """Run what waits until nothing is under way. `answer` has a stage's name and how often it was asked before."""
    begun, tries = threading.Event(), dict[str, int]()

    def submit(stage: str, event: Mapping[str, Any]) -> "Future[dict[str, Any]]":
        world.asked.append((stage, dict(event)))
        tries[stage] = tries.get(stage, -1) + 1
        future: Future[dict[str, Any]] = Future()
        try:
            given = answer(stage, tries[stage])
        except Exception as error:  # noqa: BLE001 as a worker gives it
            given = error
        if isinstance(given, Exception):
            future.set_exception(given)
        elif given is not None:
            future.set_result(cast(dict[str, Any], given))
        return future

    parts = SimpleNamespace(
        database=world, blobs=world, wake_maintenance=lambda: world.woken.append(stages(world).count("publish"))
    )
    expected = len(world.waiting)
    with Runner(cast(Runtime, parts), submit, lambda: [SCOPE], parallel=2) as runner:
        for _ in range(10_000):
            if until() if until else len(world.claims) > expected and not world.waiting and not runner.busy:
                return
            begun.wait(0.001)
        raise AssertionError("The run does not end.")


def well(stage: str, _: int) -> dict[str, Any]:
    ids = {name: str(value) for name, value in IDS.items()}
    more = {"schema": 1, "document_id": str(new_id()), "ingestion_id": str(new_id())}
    return {"outcome": "run", **ids, **more} if stage == "register" else {}


def failing(stage: str, error: Exception, times: int) -> Answer:
    return lambda name, before: error if name == stage and before < times else well(name, before)


def stages(world: World) -> list[str]:
    return [stage for stage, _ in world.asked]


def test_a_run_goes_through_all_stages_and_through_mapped_ones_range_by_range(world: World) -> None:
    one = world.waiting[0]
    run(world, well)
    mapped = [stage for stage in STAGES[1:4] for _ in world.shards]
    assert stages(world) == ["register", *mapped, "finalize", "embed", "publish"]
    assert world.asked[0] == ("register", {"key": one.source_key})
    assert [event for _, event in world.asked[1:7]] == [{"shard": 0}, {"shard": 1}] * 3
    assert world.asked[-1][1].items() >= {"key": one.source_key, "outcome": "run"}.items()
    assert set(world.renewed) == {one.id}
    assert (world.failed, world.released, world.waits) == ([], [], [])


def test_maintenance_is_woken_when_the_last_of_several_runs_has_ended(world: World) -> None:
    world.waiting = [lease(), lease(), lease()]

    def slow(stage: str, before: int) -> dict[str, Any]:
        threading.Event().wait(0.005)  # Meanwhile work is looked for.
        return well(stage, before)

    run(world, slow, until=lambda: bool(world.woken))
    assert world.woken == [3]


def test_bytes_that_are_here_already_end_the_run_with_its_first_stage(world: World) -> None:
    run(world, lambda *_: {"outcome": "duplicate"})
    assert (stages(world), world.failed) == (["register"], [])


def test_a_run_of_a_known_document_says_which(world: World) -> None:
    world.waiting = [one := lease(document=new_id())]
    run(world, lambda *_: {"outcome": "duplicate"})
    ids = {**IDS, "document_id": one.document_id, "ingestion_id": one.id}
    said = {name: str(value) for name, value in ids.items()}
    assert world.asked[0][1] == {"key": one.source_key, "schema": 1, **said}


@pytest.mark.parametrize(("takeovers", "runs"), [(8, True), (9, False)])
def test_a_run_that_gets_no_further_is_taken_over_eight_times(world: World, takeovers: int, runs: bool) -> None:
    world.waiting = [one := lease(takeovers)]
    run(world, well)
    assert bool(world.asked) is runs
    reason = {"error": {"Cause": "It was interrupted 9 times at the same place"}}
    assert world.failed == ([] if runs else [{**one.ids, **reason}])


DATABASE = StoreUnavailable("The database sleeps.")
GROWING = [0.5, 1, 2, 4, 8, 16, 32, 60, 60]


@pytest.mark.parametrize(
    ("stage", "error", "times", "waits", "reason"),
    [
        ("register", Unavailable("It throttles."), 9, GROWING, None),
        ("register", Unavailable("It throttles."), 10, GROWING, "It throttles."),
        ("embed", Unavailable("It throttles."), 10, GROWING, "It throttles."),
        ("register", MemoryError("too much"), 2, [0.5, 1], None),
        ("embed", MemoryError("too much"), 3, [0.5, 1], "MemoryError: too much"),
        ("register", BrokenProcessPool(), 2, [0.5] * 2, None),
        ("register", BrokenProcessPool(), 3, [0.5] * 2, "A worker process crashed"),
        ("embed", BrokenProcessPool(), 8, [0.5] * 8, None),
        ("embed", BrokenProcessPool(), 9, [0.5] * 8, "A worker process crashed"),
        ("register", BadInput("This is no PDF."), 1, [], "This is no PDF."),
        ("embed", ValueError("nonsense"), 1, [], "nonsense"),
    ],
)
def test_what_fails_is_tried_again_as_often_and_as_late_as_helps(
    world: World, stage: str, error: Exception, times: int, waits: list[float], reason: str | None
) -> None:
    one = world.waiting[0]
    run(world, failing(stage, error, times))
    assert world.waits == waits
    assert stages(world).count(stage) == len(waits) + 1
    assert world.failed == ([{**one.ids, "error": {"Cause": reason}}] if reason else [])
    assert ("publish" in stages(world)) is (reason is None)


def test_a_range_that_fails_is_done_again_page_by_page(world: World) -> None:
    run(world, failing("parse", MemoryError("too much"), 1))
    again = [{"shard": 0}, {"shard": 1}, {"shard": 0, "isolated": True}]
    assert [event for stage, event in world.asked if stage == "parse"] == again
    assert (world.failed, stages(world)[-1]) == ([], "publish")


def test_each_crash_of_a_worker_is_logged_with_the_try_that_follows(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        run(world, failing("embed", BrokenProcessPool(), 2))
    told = [message for message in caplog.messages if "crashed" in message]
    assert told == [f"a worker crashed during embed: try {n} follows" for n in (2, 3)]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (Unavailable("It throttles."), "embed waits (It throttles.): try"),
        (MemoryError("m"), "embed failed (m): attempt"),
    ],
)
def test_each_failure_that_may_pass_is_logged_with_the_try_that_follows(
    world: World, caplog: pytest.LogCaptureFixture, error: Exception, told: str
) -> None:
    with caplog.at_level(logging.INFO):
        run(world, failing("embed", error, 2))
    assert [message for message in caplog.messages if "follows" in message] == [f"{told} {n} follows" for n in (2, 3)]


@pytest.mark.parametrize("down", [9, 10, 11])
def test_a_database_that_is_down_is_waited_for_and_what_it_does_not_take_is_left_to_the_next(
    world: World, down: int
) -> None:
    one = world.waiting[0]
    world.store_fails = iter([DATABASE] * down)
    run(world, well, until=lambda: len(world.claims) > 3 and (down > 9 or "publish" in stages(world)))
    assert world.waits == GROWING
    causes = [event["error"]["Cause"] for event in world.failed]
    assert causes == (["The database sleeps."] if down == 10 else [])
    assert (stages(world) == [], world.released) == (down > 9, [])
    assert set(world.renewed) <= {one.id}


def test_a_run_that_another_has_taken_over_is_left_to_it(world: World, caplog: pytest.LogCaptureFixture) -> None:
    one, world.held = world.waiting[0], lambda: not world.asked
    with caplog.at_level(logging.INFO):
        run(world, well)
    assert f"ingestion {one.id} goes on elsewhere" in caplog.messages
    assert (stages(world), world.failed, world.released) == (["register"], [], [])


@pytest.mark.parametrize("error", [Unavailable("It throttles."), MemoryError("too much"), BrokenProcessPool()])
def test_a_runner_that_is_closed_while_it_waits_gives_the_run_back(world: World, error: Exception) -> None:
    one, world.stop_at_wait = world.waiting[0], 2
    run(world, failing("register", error, 99), until=lambda: world.released != [])
    assert (world.waits, world.released) == (
        [0.5, 1] if not isinstance(error, BrokenProcessPool) else [0.5] * 2,
        [one.id],
    )
    assert (world.failed, len(world.asked)) == ([], 2)


def test_a_runner_that_is_closed_while_a_worker_works_gives_the_run_back(world: World) -> None:
    one = world.waiting[0]
    run(world, lambda *_: None, until=lambda: world.asked != [])
    assert (world.released, world.failed) == ([one.id], [])


def test_as_many_runs_at_once_as_it_may_and_none_of_its_own_twice(world: World) -> None:
    mine = [lease() for _ in range(3)]
    world.waiting = list(mine)
    world.owners = [f"{host_name()}:{os.getpid()}:1", "elsewhere:1:1"]
    run(world, lambda *_: None, until=lambda: len(world.asked) == 2 and len(world.renewed) > 20)
    assert world.claims == [([world.owners[0]], []), ([world.owners[0]], [mine[0].id])]
    assert set(world.released) == {mine[0].id, mine[1].id}
    assert {mine[0].id, mine[1].id} == set(world.renewed)


def test_one_look_that_fails_is_not_the_last(
    world: World, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([RuntimeError("the first look")])

    def fails_once(connection: object) -> list[str]:
        if connection is world and (error := next(answers, None)) is not None:
            raise error
        return []

    monkeypatch.setattr(world, "lease_owners", fails_once)
    with caplog.at_level(logging.WARNING):
        run(world, well)
    assert stages(world)[-1] == "publish"
    assert "cannot look for work: RuntimeError: the first look" in caplog.text


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (BadInput("This is no PDF."), "This is no PDF."),
        (ValueError("nonsense"), "nonsense"),
        (KeyError("x"), "KeyError: 'x'"),
        (BrokenProcessPool("gone"), "A worker process crashed"),
    ],
)
def test_what_a_person_is_told(error: Exception, told: str) -> None:
    assert describe(error) == told
