"""Who is next: the store's word on slots, shared by organizations that know nothing of each other."""

import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest

from shared.domain.ids import new_id
from shared.domain.scope import Scope
from shared.runtime import Runtime
from shared.store import ingestions
from shared.store.admission import Admitted, Slots, admit, organization_of, runs_in_slots

SLOTS = Slots(total=6, per_organization=4)


@pytest.fixture(autouse=True)
def _alone(owner_dsn: str, runtime: Runtime) -> Iterator[None]:
    """Nothing is left waiting or running by one test for the next."""
    yield
    with psycopg.connect(owner_dsn) as connection:
        connection.execute("delete from organizations where slug like 'fair-%'")


@pytest.fixture
def organizations(owner_dsn: str) -> list[Scope]:
    return [add_organization(owner_dsn) for _ in range(3)]


def add_organization(owner_dsn: str) -> Scope:
    organization, base = new_id(), new_id()
    with psycopg.connect(owner_dsn) as connection:
        connection.execute(
            "insert into organizations (id, slug, name) values (%s, %s, 'x')", (organization, f"fair-{organization}")
        )
        connection.execute(
            "insert into knowledge_bases (organization_id, id, slug, name, description) values (%s, %s, 'k', 'k', 'k')",
            (organization, base),
        )
    return Scope(organization_id=organization, knowledge_base_ids=(base,))


def queue(runtime: Runtime, scope: Scope, many: int = 1) -> list[UUID]:
    """Queued runs, in this order."""
    ids = [new_id() for _ in range(many)]
    with runtime.database.transaction(scope) as connection:
        for one in ids:
            row: dict[str, Any] = {
                "organization_id": scope.organization_id,
                "knowledge_base_id": scope.knowledge_base_ids[0],
                "id": one,
                "document_id": None,
                "source_key": f"incoming/{one}",
                "filename": "a.pdf",
                "engine": "layout",
                "status": "queued",
            }
            ingestions.insert_ingestion(connection, row)
    return ids


def admit_all(runtime: Runtime, slots: Slots = SLOTS) -> list[Admitted]:
    found: list[Admitted] = []
    while True:
        with runtime.database.unscoped() as connection:
            run = admit(connection, slots)
        if run is None:
            return found
        found.append(run)


def end(runtime: Runtime, run: Admitted) -> None:
    with runtime.database.transaction(run.scope) as connection:
        ingestions.finish(connection, run.ingestion_id, "ready")


def test_of_one_organization_runs_are_admitted_in_their_order_up_to_its_share(
    runtime: Runtime, organizations: list[Scope]
) -> None:
    ids = queue(runtime, organizations[0], 10)
    first = admit_all(runtime)
    assert [run.ingestion_id for run in first] == ids[:4]
    assert {run.scope for run in first} == {organizations[0]}
    assert [run.source_key for run in first] == [f"incoming/{one}" for one in ids[:4]]
    end(runtime, first[2])
    assert [run.ingestion_id for run in admit_all(runtime)] == ids[4:5]


def test_who_comes_to_somebody_elses_backlog_is_admitted_at_once(runtime: Runtime, organizations: list[Scope]) -> None:
    many, one, other = organizations
    queue(runtime, many, 50)
    assert len(admit_all(runtime)) == SLOTS.per_organization
    late = [*queue(runtime, one), *queue(runtime, other)]
    assert sorted(run.ingestion_id for run in admit_all(runtime)) == sorted(late)


def test_all_organizations_together_hold_no_more_than_all_slots_and_about_as_many_each(
    runtime: Runtime, organizations: list[Scope]
) -> None:
    for scope in organizations:
        queue(runtime, scope, 20)
    held = Counter(run.organization_id for run in admit_all(runtime))
    assert sorted(held.values()) == [2, 2, 2]


@pytest.mark.parametrize("slots", [Slots(1, 1), Slots(2, 2), SLOTS])
def test_no_organization_waits_behind_anothers_backlog(
    runtime: Runtime, organizations: list[Scope], slots: Slots
) -> None:
    """Whoever is admitted has no more slots than anybody who waits; with equal ones they take turns."""
    backlog, *others = (scope.organization_id for scope in organizations)
    queue(runtime, organizations[0], 40)
    running = admit_all(runtime, slots)
    for scope in organizations[1:]:
        queue(runtime, scope, 5)
    waiting = Counter({backlog: 40 - len(running), **dict.fromkeys(others, 5)})
    last = [backlog]
    for _ in range(14):
        for run in admit_all(runtime, slots):
            held = Counter(one.organization_id for one in running)
            rivals = [one for one in waiting if waiting[one] and one != run.organization_id]
            assert all(held[run.organization_id] <= held[one] for one in rivals)
            equal = [one for one in rivals if held[one] == held[run.organization_id] and one in last]
            if run.organization_id in last:
                assert all(last.index(run.organization_id) < last.index(one) for one in equal)
            last = [*(one for one in last if one != run.organization_id), run.organization_id]
            waiting[run.organization_id] -= 1
            running.append(run)
        end(runtime, running.pop(0))
    assert waiting[others[0]] + waiting[others[1]] < 5


def test_what_has_ended_or_follows_another_run_holds_no_slot(runtime: Runtime, organizations: list[Scope]) -> None:
    scope = organizations[0]
    queue(runtime, scope, 6)
    first = admit_all(runtime)
    with runtime.database.transaction(scope) as connection:
        assert ingestions.fail(connection, first[0].ingestion_id, "x")
        connection.execute("update ingestions set duplicate = true where id = %s", (first[1].ingestion_id,))
    assert len(admit_all(runtime)) == 2


def test_a_start_that_fails_leaves_the_run_waiting_and_its_slot_free(
    runtime: Runtime, organizations: list[Scope]
) -> None:
    (one,) = queue(runtime, organizations[0])

    def fail_to_start() -> None:
        with runtime.database.unscoped() as connection:
            assert admit(connection, SLOTS)
            raise RuntimeError("no start")

    with pytest.raises(RuntimeError, match="no start"):
        fail_to_start()
    assert [run.ingestion_id for run in admit_all(runtime)] == [one]


def test_two_that_admit_at_once_admit_nothing_twice_and_no_more_than_there_are_slots(
    runtime: Runtime, organizations: list[Scope]
) -> None:
    for scope in organizations:
        queue(runtime, scope, 30)
    found: list[Admitted] = []
    threads = [threading.Thread(target=lambda: found.extend(admit_all(runtime))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len({run.ingestion_id for run in found}) == SLOTS.total


def test_a_second_admission_waits_until_the_first_has_started_its_run(
    runtime: Runtime, organizations: list[Scope]
) -> None:
    queue(runtime, organizations[0])
    second: list[Admitted | None] = []

    def admit_too() -> None:
        with runtime.database.unscoped() as connection:
            second.append(admit(connection, Slots(1, 1)))

    thread = threading.Thread(target=admit_too)
    with runtime.database.unscoped() as connection:
        assert admit(connection, Slots(1, 1))
        thread.start()
        thread.join(0.5)
        assert second == []
    thread.join()
    assert second == [None]


def test_runs_in_slots_are_those_admitted_long_enough_ago(runtime: Runtime, organizations: list[Scope]) -> None:
    queue(runtime, organizations[0], 2)
    first, second = admit_all(runtime)
    with runtime.database.transaction(organizations[0]) as connection:
        connection.execute(
            "update ingestions set admitted_at = now() - interval '10 minutes' where id = %s", (first.ingestion_id,)
        )
    with runtime.database.unscoped() as connection:
        assert [run.ingestion_id for run in runs_in_slots(connection, 300)] == [first.ingestion_id]
        assert [run.ingestion_id for run in runs_in_slots(connection, -5)] == [first.ingestion_id, second.ingestion_id]


def test_a_knowledge_base_says_whose_it_is(runtime: Runtime, organizations: list[Scope]) -> None:
    with runtime.database.unscoped() as connection:
        found = [organization_of(connection, scope.knowledge_base_ids[0]) for scope in organizations]
        assert organization_of(connection, organizations[0].organization_id) is None
    assert found == [scope.organization_id for scope in organizations]
