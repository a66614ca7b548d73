"""The same bytes sent more than once: one document, one run, and every ticket ends as that run does."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import permutations
from random import Random
from typing import Any, LiteralString, NamedTuple
from uuid import UUID

import pytest

from shared.contract import MAX_TAKEOVERS, STAGES
from shared.domain.ids import new_id
from shared.domain.inspect import Ingestion
from shared.domain.scope import Identity, Scope
from shared.errors import LeaseLost
from shared.ingestion import mark_failed
from shared.ingestion.event import Event
from shared.ingestion.runner import Runner
from shared.ingestion.uploads import get_ingestion, list_ingestions, reingest
from shared.library.documents import get_document, list_documents
from shared.processes import host_name
from shared.runtime import Runtime
from shared.store import ingestions
from tests.e2e.test_ingestion import small_pdf
from tests.e2e.test_runner import finished_pid, wait_for_end
from tests.pipeline import chunk_rows, make_knowledge_base, run_all, run_stage, scope_of, shards, upload

OPEN = ("waiting", "queued", "running")
NAMES = [stage.name for stage in STAGES]


class Place(NamedTuple):
    """Where a test sends its files, and as whom."""

    runtime: Runtime
    identity: Identity
    base: UUID

    @property
    def scope(self) -> Scope:
        return scope_of(self.identity, self.base)

    def send(self, data: bytes, count: int) -> list[dict[str, Any]]:
        return [upload(self.runtime, self.identity, self.base, data, f"{n}.pdf") for n in range(count)]

    def ticket(self, event: Mapping[str, Any]) -> Ingestion:
        return get_ingestion(self.runtime, self.identity, UUID(event["upload_id"]))

    def rows(self, query: LiteralString) -> list[dict[str, Any]]:
        with self.runtime.database.transaction(self.scope) as connection:
            return connection.execute(query).fetchall()


@pytest.fixture
def place(runtime: Runtime, identity: Identity) -> Place:
    return Place(runtime, identity, make_knowledge_base(runtime, identity, new_id().hex))


def walk(runtime: Runtime, answer: Mapping[str, Any], stages: Sequence[str]) -> Iterator[str]:
    """Run the stages of a registered run one after the other; yields each one's name when it is behind."""
    for stage in STAGES[1:]:
        if stage.name in stages:
            for work in shards(runtime, answer) if stage.mapped else [answer]:
                run_stage(runtime, stage.name, work)
            yield stage.name


def assert_one_document(place: Place, events: Sequence[Mapping[str, Any]], status: str = "ready") -> None:
    """Whatever happened: every ticket has ended as the document did, and nothing runs, waits or lies about."""
    (document,) = list_documents(place.runtime, place.identity, place.base)
    tickets = [place.ticket(event) for event in events]
    assert [(one.status, one.document_id) for one in tickets] == [(status, document.id)] * len(events)
    assert all(one.finished_at is not None for one in tickets)
    assert sorted(one.duplicate for one in tickets) == [False] + [True] * (len(events) - 1)
    assert (document.status, document.error) == (status, tickets[0].error)
    (run,) = [event for event in events if not place.ticket(event).duplicate]
    own = f"{place.identity.organization_id}/{place.base}/"
    assert list(place.runtime.blobs.list(f"incoming/{own}")) == []
    assert list(place.runtime.blobs.list(f"sources/{own}")) == [run["key"].replace("incoming/", "sources/", 1)]
    assert place.rows("select 1 from ingestions where lease_owner is not null or status in ('queued', 'running')") == []
    assert len(place.rows("select id from logical_documents")) == 1
    if status == "ready":
        contents = [row["content"] for row in chunk_rows(place.runtime, place.scope, document.id)]
        assert len(contents) == len(set(contents)) == 6


@pytest.mark.parametrize("behind", range(len(NAMES)), ids=lambda n: f"after {NAMES[n]}")
def test_a_second_sending_at_any_moment_ends_with_the_first_ones_run(place: Place, behind: int) -> None:
    first, second = place.send(small_pdf(f"at {behind}"), 2)
    answer = run_stage(place.runtime, "register", first)
    for _ in walk(place.runtime, answer, NAMES[1 : behind + 1]):
        pass
    assert run_stage(place.runtime, "register", second)["outcome"] == "duplicate"
    told = place.ticket(second)
    assert (told.duplicate, str(told.document_id)) == (True, answer["document_id"])
    assert told.status == ("ready" if behind == len(NAMES) - 1 else "running")
    for _ in walk(place.runtime, answer, NAMES[behind + 1 :]):
        pass
    assert_one_document(place, [first, second])


def test_whichever_of_three_is_registered_first_is_the_one_that_runs(runtime: Runtime, identity: Identity) -> None:
    for order in permutations(range(3)):
        place = Place(runtime, identity, make_knowledge_base(runtime, identity, f"order {order}"))
        events = place.send(small_pdf("order"), 3)
        answers = [run_stage(runtime, "register", events[n]) for n in order]
        assert [answer["outcome"] for answer in answers] == ["run", "duplicate", "duplicate"]
        for _ in walk(runtime, answers[0], NAMES[1:]):
            pass
        assert_one_document(place, events)


def scripts(count: int, trials: int) -> list[list[str]]:
    """Orders in which stages, registrations of further sendings, and interruptions of the run may follow each other."""
    made: list[list[str]] = []
    for seed in range(trials):
        random = Random(f"{count} {seed}")
        steps = [f"stage {name}" for name in NAMES[1:]]
        for extra in ["duplicate"] * (count - 1) + ["told again"] * 2 + ["taken over"] * 2:
            steps.insert(random.randrange(len(steps) + 1), extra)
        made.append(steps)
    return made


@pytest.mark.parametrize(("count", "trials"), [(2, 6), (5, 6), (20, 4)])
def test_in_any_order_of_sendings_and_interruptions_there_is_one_document(
    runtime: Runtime, identity: Identity, count: int, trials: int
) -> None:
    for number, steps in enumerate(scripts(count, trials)):
        place = Place(runtime, identity, make_knowledge_base(runtime, identity, f"{count} at once {number}"))
        events = place.send(small_pdf("script"), count)
        answer = run_stage(runtime, "register", events[0])
        registered = 1
        for step in steps:
            if step == "duplicate":
                assert run_stage(runtime, "register", events[registered])["outcome"] == "duplicate"
                registered += 1
            elif step == "told again":
                run_stage(runtime, "register", events[registered - 1])
            elif step == "taken over" and place.ticket(events[0]).status == "running":
                run_stage(runtime, "register", {k: v for k, v in answer.items() if k != "outcome"})
            elif step.startswith("stage "):
                assert list(walk(runtime, answer, [step.removeprefix("stage ")])) != []
        assert_one_document(place, events)


@pytest.mark.parametrize("count", [2, 5, 20])
def test_as_many_as_come_at_once_while_runners_die(place: Place, count: int) -> None:
    # Every stage's first try ends with its worker.
    died: set[tuple[str, str]] = set()

    def submit(stage: str, event: Mapping[str, Any]) -> "Future[dict[str, Any]]":
        if (stage, str(event)) not in died:
            died.add((stage, str(event)))
            broken: Future[dict[str, Any]] = Future()
            broken.set_exception(BrokenProcessPool("killed"))
            return broken
        return pool.submit(run_stage, place.runtime, stage, {**event, "isolated": False} if "shard" in event else event)

    data = small_pdf("runners")
    with ThreadPoolExecutor(4) as pool:
        events = place.send(data, count)
        # The lease of one whose process was killed while it had it.
        with place.runtime.database.transaction(place.scope) as connection:
            assert ingestions.claim(connection, f"{host_name()}:{finished_pid()}:1", [], []) is not None
        runners = [Runner(place.runtime, submit, lambda: [place.scope], parallel=2) for _ in range(2)]
        with runners[0], runners[1]:
            wait_for_end(place.runtime, place.identity, place.base)
    assert_one_document(place, events)


def test_those_that_follow_a_run_that_fails_fail_with_its_reason_and_may_be_run_again(place: Place) -> None:
    first, second, third = place.send(small_pdf("fails"), 3)
    answer = run_stage(place.runtime, "register", first)
    run_stage(place.runtime, "register", second)
    mark_failed.run(place.runtime, {**answer, "error": {"Cause": "The disk is full"}})
    run_stage(place.runtime, "register", third)
    assert_one_document(place, [first, second, third], "failed")
    assert "The disk is full" in (place.ticket(third).error or "")
    again = reingest(place.runtime, place.identity, UUID(answer["document_id"]))
    event = Event.model_validate({**answer, "ingestion_id": again.id}).to_dict()
    run_all(place.runtime, event)
    document = get_document(place.runtime, place.identity, UUID(answer["document_id"]))
    assert (document.status, place.ticket(second).status) == ("ready", "failed")


def test_a_run_that_was_given_up_and_comes_back_does_not_write_over_the_next_one(place: Place) -> None:
    (first,) = place.send(small_pdf("comes back"), 1)
    answer = run_all(place.runtime, first, until="extract")
    mark_failed.run(place.runtime, {**answer, "error": {"Cause": "It took too long"}})
    again = reingest(place.runtime, place.identity, UUID(answer["document_id"]))
    for stage in ("render", "finalize", "embed", "publish"):
        work = shards(place.runtime, answer)[0] if stage == "render" else answer
        with pytest.raises(LeaseLost, match="Another run"):
            run_stage(place.runtime, stage, work)
    run_all(place.runtime, Event.model_validate({**answer, "ingestion_id": again.id}).to_dict())
    mark_failed.run(place.runtime, {**answer, "error": {"Cause": "It comes too late"}})
    told = [one.status for one in list_ingestions(place.runtime, place.identity, place.base)]
    assert told == ["ready", "failed"]
    assert get_document(place.runtime, place.identity, UUID(answer["document_id"])).status == "ready"


def test_a_run_whose_document_another_took_over_ends_in_the_runner_too(place: Place) -> None:
    (first,) = place.send(small_pdf("taken"), 1)
    with ThreadPoolExecutor(2) as pool:

        def submit(stage: str, event: Mapping[str, Any]) -> "Future[dict[str, Any]]":
            if stage == "finalize":
                with place.runtime.database.transaction(place.scope) as connection:
                    connection.execute("update documents set run_id = gen_random_uuid()")
            return pool.submit(run_stage, place.runtime, stage, event)

        with Runner(place.runtime, submit, lambda: [place.scope], parallel=1):
            (ended,) = wait_for_end(place.runtime, place.identity, place.base)
    assert (ended.status, "Another run" in (ended.error or "")) == ("failed", True)
    assert place.ticket(first).document_id == ended.document_id


def test_a_run_that_is_interrupted_at_the_same_place_for_ever_is_given_up(place: Place) -> None:
    (event,) = place.send(small_pdf("interrupted"), 1)

    def interrupt(times: int) -> list[int]:
        taken: list[int] = []
        for _ in range(times):
            with place.runtime.database.transaction(place.scope) as connection:
                lease = ingestions.claim(connection, "dead:1:1", ["dead:1:1"], [])
                assert lease is not None
                taken.append(lease.takeovers)
        return taken

    assert interrupt(MAX_TAKEOVERS + 1) == list(range(MAX_TAKEOVERS + 1))
    answer = run_all(place.runtime, event, until="render")
    assert interrupt(3) == [1, 2, 3], "what got further begins to count anew"
    interrupt(MAX_TAKEOVERS - 3)
    ran: list[str] = []

    def submit(stage: str, _event: Mapping[str, Any]) -> "Future[dict[str, Any]]":
        ran.append(stage)
        raise AssertionError

    with place.runtime.database.transaction(place.scope) as connection:
        connection.execute("update ingestions set lease_until = now() - interval '1 s'")
    with Runner(place.runtime, submit, lambda: [place.scope], parallel=1):
        (ended,) = wait_for_end(place.runtime, place.identity, place.base)
    assert (ran, ended.status) == ([], "failed")
    assert f"interrupted {MAX_TAKEOVERS + 1} times" in (ended.error or "")
    assert reingest(place.runtime, place.identity, UUID(answer["document_id"])).status == "queued"


def test_a_runner_that_is_closed_gives_back_what_it_did_not_finish(place: Place) -> None:
    (event,) = place.send(small_pdf("given back"), 1)
    never: Future[dict[str, Any]] = Future()
    begun: list[str] = []

    def submit(stage: str, _event: Mapping[str, Any]) -> "Future[dict[str, Any]]":
        begun.append(stage)
        return never

    with Runner(place.runtime, submit, lambda: [place.scope], parallel=1):
        while not begun:
            pass
    assert place.ticket(event).status == "queued"
    with place.runtime.database.transaction(place.scope) as connection:
        lease = ingestions.claim(connection, "the next", [], [])
    assert lease is not None
    assert lease.takeovers == 0
