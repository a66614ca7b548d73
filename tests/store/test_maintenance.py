"""Maintenance as a whole: what stops it and what does not, and how it shares a machine with searches."""

import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from uuid import uuid4

import psycopg
import pytest

from functions import background
from functions import maintain as on_schedule
from functions.background import Maintenance
from shared.contract import digesting_key
from shared.domain.ids import new_id
from shared.domain.scope import Identity, Scope
from shared.maintenance import FULL_PACE, GRACE_S, TASKS, MaintenanceRun, Pace, Task, index_text_anew, maintain
from shared.runtime import Runtime
from shared.store import digest
from tests.patience import PATIENCE_S
from tests.processes import wait_until
from tests.store.seeding import Passage, add_base, add_document


def breaks(_place: MaintenanceRun) -> None:
    raise psycopg.OperationalError("the disk is full")


def with_stale_rows(runtime: Runtime, identity: Identity, name: str, documents: int = 3) -> Scope:
    scope = add_base(runtime, identity, name)
    for number in range(documents):
        add_document(runtime, scope, f"{name} {number}", [Passage(f"Wing {number}.")])
    with runtime.database.transaction(scope) as connection:
        connection.execute("update lexical_documents set tokenizer_version = 'before'")
    return scope


def loses_a_file(_: MaintenanceRun) -> None:
    raise FileNotFoundError("it was there a moment ago")


def test_a_task_that_fails_stops_no_other(runtime: Runtime, owner_dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks: tuple[Task, ...] = (breaks, loses_a_file, *TASKS)
    monkeypatch.setattr("shared.maintenance.TASKS", tasks)
    done = maintain(runtime, owner_dsn)
    assert [one["task"] for one in done["tasks"] if one["error"]] == ["breaks", "loses_a_file"]
    assert (done["failed"], len(done["tasks"])) == (2, len(TASKS) + 2)


def test_the_server_goes_on_after_a_turn_that_broke(
    runtime: Runtime, owner_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: list[float] = []

    def breaks_whole(*_: object, **__: object) -> None:
        turns.append(time.monotonic())
        raise FileNotFoundError("it was there a moment ago")

    monkeypatch.setattr(background, "maintain", breaks_whole)
    monkeypatch.setattr(background, "EVERY_S", 0.05)
    with Maintenance(runtime, owner_dsn, first_s=0):
        time.sleep(1)
    assert len(turns) > 2


def test_the_server_begins_a_turn_at_once_where_somebody_waits(
    runtime: Runtime, owner_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    turned = threading.Event()
    monkeypatch.setattr("shared.maintenance.TASKS", (lambda _: turned.set(),))
    with Maintenance(runtime, owner_dsn, first_s=600):
        assert not turned.wait(0.2)
        runtime.wake_maintenance()
        assert turned.wait(PATIENCE_S)


def test_what_is_posted_begins_a_turn_on_one_machine(
    runtime: Runtime, owner_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    turned = threading.Event()
    monkeypatch.setattr("shared.maintenance.TASKS", (lambda _: turned.set(),))
    with Maintenance(runtime, owner_dsn, first_s=600):
        runtime.tell_digest(new_id(), new_id())
        assert turned.wait(PATIENCE_S)


def test_an_object_that_names_a_knowledge_base_has_its_digest_follow_and_no_other(
    runtime: Runtime, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = (add_base(runtime, identity, name) for name in ("woken", "asleep"))
    for scope in (one, other):
        add_document(runtime, scope, "Wings", [Passage("The rear wing must not be wider than 1050 mm.")])
    monkeypatch.setattr(on_schedule, "process_runtime", lambda: runtime)
    key = digesting_key(str(one.organization_id), str(one.knowledge_base_ids[0]))
    event = {"source": "aws.s3", "detail": {"object": {"key": key}}}
    # An index, a summary and a description; then there is nothing to do.
    done = [on_schedule.handler(event, None)["files"] for _ in range(2)]
    assert done[0] >= 3
    assert done[1] == 0
    with runtime.database.transaction(other) as connection:
        assert digest.get_state(connection, other.knowledge_base_ids[0]) is None


def test_a_second_run_at_the_same_time_leaves(
    runtime: Runtime, owner_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def again(place: MaintenanceRun) -> bool:
        return bool(maintain(place.runtime, place.owner_dsn)["busy"])

    monkeypatch.setattr("shared.maintenance.TASKS", (again,))
    assert maintain(runtime, owner_dsn)["tasks"][0]["result"] is True


def test_what_the_time_did_not_suffice_for_is_left_to_the_next_run(
    runtime: Runtime, identity: Identity, owner_dsn: str
) -> None:
    with_stale_rows(runtime, identity, "stale")
    short, left = Pace(documents=2), []
    for _ in range(3):
        done = maintain(runtime, owner_dsn, 0, short)
        left.append((next(one["result"] for one in done["tasks"] if one["task"] == "index_text_anew"), done["more"]))
    assert left == [(2, True), (1, True), (0, False)]


def test_after_each_unit_it_rests_for_what_the_unit_took_and_stops_when_told(
    runtime: Runtime, identity: Identity, owner_dsn: str
) -> None:
    with_stale_rows(runtime, identity, "gently")
    worked: list[float] = []

    def rest(seconds: float) -> bool:
        worked.append(seconds)
        return len(worked) == 2

    place = MaintenanceRun(runtime, owner_dsn, time.monotonic() + PATIENCE_S, Pace(documents=1, rest=rest))
    assert (index_text_anew(place), place.more, len(worked)) == (2, True, 2)
    assert all(seconds > 0 for seconds in worked)
    place = MaintenanceRun(runtime, owner_dsn, time.monotonic() + PATIENCE_S, FULL_PACE)
    assert (index_text_anew(place), place.more) == (1, False)


def test_what_fails_for_one_knowledge_base_is_told_when_the_others_have_had_their_turn(
    runtime: Runtime, identity: Identity, owner_dsn: str, caplog: pytest.LogCaptureFixture
) -> None:
    place = MaintenanceRun(runtime, owner_dsn, time.monotonic() + PATIENCE_S, FULL_PACE)
    scopes = [add_base(runtime, identity, name) for name in ("first", "second", "third")]
    seen: list[Scope] = []

    def unit(scope: Scope) -> int:
        seen.append(scope)
        if scope != scopes[1]:
            raise ValueError(f"digest {len(seen)} is broken")
        return 0

    with pytest.raises(ValueError, match="digest 1 is broken"):
        place.work_through(iter(scopes), unit)
    assert seen == scopes
    assert [record.getMessage() for record in caplog.records] == [
        f"maintenance: knowledge base {scopes[at].knowledge_base_ids[0]}: ValueError: digest {at + 1} is broken"
        for at in (0, 2)
    ]


@pytest.mark.parametrize(("late_s", "looked_at"), [(1, 3), (GRACE_S, 1)])
@pytest.mark.parametrize("fails", [False, True])
def test_long_after_the_deadline_no_further_knowledge_base_is_looked_at_even_where_nothing_was_due(
    runtime: Runtime, identity: Identity, owner_dsn: str, late_s: float, looked_at: int, fails: bool
) -> None:
    place = MaintenanceRun(runtime, owner_dsn, time.monotonic() - late_s, FULL_PACE)
    scopes = [Scope(organization_id=identity.organization_id, knowledge_base_ids=(uuid4(),)) for _ in range(3)]
    seen: list[Scope] = []

    def unit(scope: Scope) -> int:
        seen.append(scope)
        if fails:
            raise ValueError("its digest is broken")
        return 0

    with pytest.raises(ValueError, match="broken") if fails else nullcontext():
        place.work_through(iter(scopes), unit)
    assert seen == scopes[:looked_at]
    assert place.more is (looked_at < 3)


def test_no_knowledge_base_is_always_the_last(runtime: Runtime, identity: Identity, owner_dsn: str) -> None:
    made = {add_base(runtime, identity, f"in turn {n}").knowledge_base_ids[0] for n in range(4)}
    place = MaintenanceRun(runtime, owner_dsn, time.monotonic(), FULL_PACE)
    turns = [[scope.knowledge_base_ids[0] for scope in place.knowledge_bases()] for _ in range(60)]
    # By chance one of four is in no last place of sixty once in 8 million times.
    assert {[base for base in turn if base in made][-1] for turn in turns} == made
    assert all(made <= set(turn) and len(set(turn)) == len(turn) for turn in turns)


@pytest.fixture
def run_behind(runtime: Runtime, owner_dsn: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[Task], None]:
    """Beside a server for a second in which it would run dozens of times."""

    def run(task: Task) -> None:
        monkeypatch.setattr("shared.maintenance.TASKS", (task,))
        monkeypatch.setattr(background, "SOON_S", 0.01)
        with Maintenance(runtime, owner_dsn, first_s=0):
            time.sleep(1)

    return run


def test_the_server_goes_on_at_once_where_there_is_more_to_do(run_behind: Callable[[Task], None]) -> None:
    runs: list[float] = []

    def leaves_some(place: MaintenanceRun) -> None:
        runs.append(time.monotonic())
        place.more = len(runs) < 3

    run_behind(leaves_some)
    assert len(runs) == 3


def test_the_server_waits_after_a_failure_and_says_what_failed(
    run_behind: Callable[[Task], None], caplog: pytest.LogCaptureFixture
) -> None:
    runs: list[float] = []

    def leaves_some_and_breaks(place: MaintenanceRun) -> None:
        runs.append(time.monotonic())
        place.more = True
        breaks(place)

    run_behind(leaves_some_and_breaks)
    assert len(runs) == 1
    assert "the disk is full" in caplog.text


def test_on_a_schedule_a_failing_task_fails_the_run_and_is_named(
    runtime: Runtime, owner_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_schedule, "process_runtime", lambda: runtime)
    monkeypatch.setattr(on_schedule, "owner_dsn", lambda: owner_dsn)
    assert on_schedule.handler({}, None) == {"busy": False, "more": False}
    monkeypatch.setattr("shared.maintenance.TASKS", (breaks,))
    with pytest.raises(RuntimeError, match="breaks: OperationalError: the disk is full"):
        on_schedule.handler({}, None)


def test_a_round_asks_anew_which_model_is_chosen(
    runtime: Runtime, owner_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []
    monkeypatch.setattr("shared.maintenance.TASKS", (lambda run: seen.append(run.runtime.answerer),))
    monkeypatch.setitem(runtime.__dict__, "answerer", "the one before")
    with Maintenance(runtime, owner_dsn, first_s=0):
        wait_until(lambda: seen)
    assert seen == [None]
