"""An answer as server-sent events: each step as it happens, errors as problems, and an end for who hangs up."""

import asyncio
import json
import threading
import time
from typing import Any
from uuid import UUID

import pytest

from functions.api.app import create_app
from functions.api.events import event_stream
from functions.api.identity import development_identity
from shared.answering.events import AskEvent, Tell
from shared.domain.scope import Identity
from shared.errors import Unavailable
from shared.runtime import Runtime
from tests.adapters.chat_server import Refusal, running_chat
from tests.api import one_loop
from tests.api.conftest import Client
from tests.store.seeding import Passage, add_base, add_document
from tests.store.test_written_answers import answering, saying

RULE = Passage("The rear wing must not be wider than 1050 mm. It is measured with the car at rest.")
EVENTS = {"accept": "text/event-stream"}


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    scope = add_base(runtime, identity, "events")
    add_document(runtime, scope, "Kestrel rules", [RULE], embedder=runtime.embedder)
    return scope.knowledge_base_ids[0]


def wish(base: UUID, question: str = "How wide may the rear wing be?") -> dict[str, Any]:
    return {"question": question, "knowledge_base_ids": [str(base)]}


def read(text: str) -> list[tuple[int, str, Any]]:
    fields = [dict(line.split(": ", 1) for line in block.splitlines()) for block in text.split("\n\n") if block]
    return [(int(one["id"]), one["event"], json.loads(one["data"])) for one in fields]


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
        return await asyncio.to_thread(ended.wait, 5)

    assert one_loop.run(hang_up())
