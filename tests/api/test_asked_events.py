"""An answer as server-sent events: each step as it happens, errors as problems, and an end for who hangs up."""

import asyncio
import json
import re
import threading
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from functions.api.app import create_app
from functions.api.events import event_stream
from functions.api.identity import development_identity
from functions.api.kept_streams import KEPT_BYTES, KEPT_OF_ONE, KeptStreams, StreamOwner
from shared.answering.events import AskEvent, Tell
from shared.domain.listening import HungUp
from shared.domain.scope import Identity
from shared.errors import NoLonger, Unavailable
from shared.runtime import Runtime
from tests.adapters.chat_server import Refusal, running_chat
from tests.api import one_loop
from tests.api.conftest import Client
from tests.patience import PATIENCE_S
from tests.store.seeding import Passage, add_base, add_document
from tests.store.test_written_answers import answering, saying

RULE = Passage("The rear wing must not be wider than 1050 mm. It is measured with the car at rest.")
EVENTS = {"accept": "text/event-stream"}
OWNER = StreamOwner(UUID(int=1), UUID(int=2), None)


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    scope = add_base(runtime, identity, "events")
    add_document(runtime, scope, "Kestrel rules", [RULE], embedder=runtime.embedder)
    return scope.knowledge_base_ids[0]


def wish(base: UUID, question: str = "How wide may the rear wing be?") -> dict[str, Any]:
    return {"question": question, "knowledge_base_ids": [str(base)]}


def read(text: str) -> list[tuple[int, str, Any]]:
    fields = [dict(line.split(": ", 1) for line in block.splitlines()) for block in text.split("\n\n") if block]
    return [(int(one["id"].rpartition("-")[2]), one["event"], json.loads(one["data"])) for one in fields]


def test_quotations_are_told_as_events_and_end_as_the_same_answer(client: Client, base: UUID) -> None:
    response = client.post("/v1/ask", json=wish(base), headers=EVENTS)
    assert response.headers["content-type"].startswith("text/event-stream")
    events = read(response.text)
    assert [number for number, _, _ in events] == list(range(1, len(events) + 1))
    assert [name for _, name, _ in events] == ["plan", "hits", "evidence", "sentence", "final"]
    plain = client.post("/v1/ask", json=wish(base)).json()
    assert {**events[-1][2], "trace_id": ""} == {**plain, "trace_id": ""}
    assert events[0][2]["model"] is None
    assert plain["mode"] == "quotations"


def test_a_models_sentences_are_told_and_its_failure_is_a_problem(runtime: Runtime, base: UUID) -> None:
    with running_chat() as server, answering(runtime, server) as with_model:
        server.mind = saying(("A rear wing may be 1050 mm wide.", "1050 mm"))
        client = Client(create_app(with_model, development_identity(with_model), local=True))
        key = {"Idempotency-Key": "0197a000-0000-7000-8000-00000000000a"}
        events = read(client.post("/v1/ask", json=wish(base), headers=EVENTS | key).text)
        assert [name for _, name, _ in events] == ["plan", "hits", "evidence", "sentence", "final"]
        assert events[3][2]["text"] == "A rear wing may be 1050 mm wide."
        server.first = [Refusal(401, "No.")]
        events = read(client.post("/v1/ask", json=wish(base), headers=EVENTS).text)
        assert [name for _, name, _ in events] == ["plan", "hits", "evidence", "error"]
        assert (events[-1][2]["status"], "OPENAI_API_KEY" in events[-1][2]["detail"]) == (422, True)


def test_a_foreign_knowledge_base_is_an_error_and_tells_no_hits(client: Client) -> None:
    foreign = UUID("0197a000-0000-7000-8000-000000000000")
    events = read(client.post("/v1/ask", json=wish(foreign), headers=EVENTS).text)
    assert [(name, data["status"]) for _, name, data in events] == [("error", 404)]


def test_while_nothing_happens_a_comment_says_that_it_goes_on() -> None:
    def work(tell: Tell) -> None:
        time.sleep(0.3)
        tell(AskEvent("plan", {}))
        raise Unavailable("Gone.")

    async def collect() -> list[str]:
        return [part async for part in event_stream(work, 0.05)]

    parts = one_loop.run(collect())
    assert parts[:2] == [": still at work\n\n"] * 2
    assert next(one for one in parts if not one.startswith(":")).startswith("id: 1\nevent: plan\n")
    assert '"status": 503' in parts[-1]


def last_id(text: str, name: str) -> str:
    """The id of the last event of this name."""
    return re.findall(rf"id: (.*)\nevent: {name}\n", text)[-1]


def test_whoever_comes_back_reads_on_behind_the_event_that_was_read_last(client: Client, base: UUID) -> None:
    whole = client.post("/v1/ask", json=wish(base), headers=EVENTS).text
    resumed = client.get(f"/v1/ask/{last_id(whole, 'hits')}")
    assert resumed.headers["content-type"].startswith("text/event-stream")
    assert resumed.text == whole[whole.index("\n\n", whole.index("event: hits")) + 2 :]
    assert [name for _, name, _ in read(resumed.text)] == ["evidence", "sentence", "final"]
    again = {"last-event-id": last_id(whole, "final")}
    assert client.get(f"/v1/ask/{last_id(whole, 'plan')}", headers=again).text == ""


def test_events_are_kept_for_whoever_asked_and_nobody_else(
    runtime: Runtime, identity: Identity, other_identity: Identity, base: UUID
) -> None:
    asking = [identity]
    client = Client(create_app(runtime, lambda _: asking[0], local=True))
    made = last_id(client.post("/v1/ask", json=wish(base), headers=EVENTS).text, "plan")
    assert client.get(f"/v1/ask/{made}").status_code == 200
    gone = client.get("/v1/ask/0197a00000007000800000000000000a-1")
    assert gone.status_code == 410
    assert "Ask again" in gone.json()["detail"]
    of_a_key = identity.model_copy(update={"key_id": UUID("0197a000-0000-7000-8000-00000000000b")})
    for asking[0] in (other_identity, of_a_key):
        for one in (made, "nonsense", "3"):
            answer = client.get(f"/v1/ask/{one}")
            assert (answer.status_code, answer.json()["detail"]) == (410, gone.json()["detail"])
            assert client.delete(f"/v1/ask/{one}").status_code == 410
    asking[0] = identity
    assert client.delete(f"/v1/ask/{made}").status_code == 204


def working(until: threading.Event, ended: threading.Event) -> Callable[[Tell], None]:
    """Work that tells one event, waits, and tells another."""

    def work(tell: Tell) -> None:
        try:
            tell(AskEvent("plan", {}))
            until.wait(PATIENCE_S)
            tell(AskEvent("final", {}))
        finally:
            ended.set()

    return work


def test_work_goes_on_while_its_reader_is_away_for_a_moment() -> None:
    kept, until, ended = KeptStreams(grace_s=5), threading.Event(), threading.Event()

    async def lose_and_resume() -> tuple[str, list[str]]:
        stream: Any = event_stream(working(until, ended), kept=kept, owner=OWNER)
        first = await anext(stream)
        await stream.aclose()
        found, number = kept.find(OWNER, first.split("\n")[0].removeprefix("id: "))
        until.set()
        return first, [part async for part in found.read(number)]

    first, rest = one_loop.run(lose_and_resume())
    assert "event: plan" in first
    assert ["event: final" in one for one in rest] == [True]


def test_a_reader_who_comes_back_ends_the_wait_for_them() -> None:
    async def leave_twice() -> list[list[bool]]:
        loop, stream = asyncio.get_running_loop(), KeptStreams(grace_s=60).begin(OWNER)
        later, waits, seen = loop.call_later, list[asyncio.TimerHandle](), list[list[bool]]()

        def noted(*what: Any) -> asyncio.TimerHandle:
            waits.append(later(*what))
            return waits[-1]

        stream.add("event: plan\n\n")
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(loop, "call_later", noted)
            for _ in range(2):
                reader = stream.read()
                await anext(reader)
                await reader.aclose()
                seen.append([one.cancelled() for one in waits])
        waits[-1].cancel()
        return seen

    assert one_loop.run(leave_twice()) == [[False], [True, False]]


@pytest.mark.parametrize(("grace", "stops"), [(0.05, False), (60, True)])
def test_work_whose_reader_stays_away_ends_and_who_stops_it_ends_it_at_once(grace: float, stops: bool) -> None:
    kept, told, ended = KeptStreams(grace_s=grace), list[BaseException](), threading.Event()

    def work(tell: Tell) -> None:
        try:
            while True:
                tell(AskEvent("sentence", {}))
                time.sleep(0.01)
        except HungUp as error:
            told.append(error)
            raise
        finally:
            ended.set()

    async def leave() -> bool:
        stream: Any = event_stream(work, kept=kept, owner=OWNER)
        first = await anext(stream)
        found, _ = kept.find(OWNER, first.split("\n")[0].removeprefix("id: "))
        if stops:
            found.listening.leave()
        await stream.aclose()
        return await asyncio.to_thread(ended.wait, PATIENCE_S)

    assert one_loop.run(leave())
    assert len(told) == 1


def test_no_more_is_kept_than_is_allowed_and_not_for_longer() -> None:
    async def fill() -> list[int]:
        kept = KeptStreams(grace_s=1, kept_s=0.05)
        made = [kept.begin(OWNER) for _ in range(KEPT_OF_ONE + 2)]
        there = [[kept.find(OWNER, f"{one.id.hex}-1")] for one in made[2:]]
        for one in made[:2]:
            with pytest.raises(NoLonger):
                kept.find(OWNER, f"{one.id.hex}-1")
        made[-1].end()
        kept.ended(made[-1])
        await asyncio.sleep(0.2)
        with pytest.raises(NoLonger):
            kept.find(OWNER, f"{made[-1].id.hex}-1")
        large = kept.begin(OWNER)
        large.bytes = KEPT_BYTES + 1
        kept.begin(OWNER)
        with pytest.raises(NoLonger):
            kept.find(OWNER, f"{large.id.hex}-1")
        return [len(one) for one in there]

    assert one_loop.run(fill()) == [1] * KEPT_OF_ONE


def test_whoever_hangs_up_ends_the_work() -> None:
    ended = threading.Event()

    def work(tell: Tell) -> None:
        try:
            while True:
                tell(AskEvent("sentence", {}))
                time.sleep(0.01)
        finally:
            ended.set()

    async def hang_up() -> bool:
        stream: Any = event_stream(work)
        await anext(stream)
        await stream.aclose()
        return await asyncio.to_thread(ended.wait, PATIENCE_S)

    assert one_loop.run(hang_up())
