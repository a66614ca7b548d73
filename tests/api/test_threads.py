"""Conversations: kept, searched, renamed, exported and deleted by their asker, and seen by nobody else."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.test_asked_events import EVENTS, read
from tests.conftest import add_member
from tests.store.seeding import Passage, add_base, add_document

RULE = Passage("The rear wing must not be wider than 1050 mm. It is measured with the car at rest.")
FUEL = Passage("A fuel tank holds 60 litres at most and is made of rubber.")
WIDTH, TANK = "How wide may the rear wing be?", "How many litres does a fuel tank hold?"


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    scope = add_base(runtime, identity, "threads")
    add_document(runtime, scope, "Kestrel *rules*", [RULE], embedder=runtime.embedder)
    return scope.knowledge_base_ids[0]


def begin(client: Client, base: UUID, *questions: str, title: str = "") -> str:
    made = client.post("/v1/threads", json={"title": title, "scope": {"knowledge_base_ids": [str(base)], "k": 5}})
    assert made.status_code == 201, made.text
    for question in questions:
        assert client.post(f"/v1/threads/{made.json()['id']}/ask", json={"question": question}).status_code == 200
    return made.json()["id"]


def texts(thread: dict[str, Any]) -> list[str]:
    return [one["answer"]["answer"] for message in thread["messages"] for one in message["answers"]]


def test_a_question_and_its_answer_are_kept_as_they_were(client: Client, base: UUID) -> None:
    thread = begin(client, base)
    asked = client.post(f"/v1/threads/{thread}/ask", json={"question": WIDTH}).json()
    kept = client.get(f"/v1/threads/{thread}").json()
    assert kept["messages"] == [asked]
    assert (kept["title"], kept["questions"], kept["scope"]["k"]) == (WIDTH, 1, 5)
    answer = asked["answers"][0]["answer"]
    assert "1050 mm" in answer["answer"]
    assert answer["no_longer_visible"] == []
    assert {hit["document"]["name"] for hit in answer["citations"]} == {"Kestrel *rules*"}
    assert client.get(f"/v1/traces/{answer['trace_id']}").json()["query"] == WIDTH
    plain = client.post("/v1/ask", json={"question": WIDTH, **kept["scope"]}).json()
    assert (plain["answer"], plain["sentences"][0]["citations"]) == (
        answer["answer"],
        answer["sentences"][0]["citations"],
    )


def test_asking_is_told_in_events_and_kept(client: Client, base: UUID) -> None:
    thread = begin(client, base)
    events = read(client.post(f"/v1/threads/{thread}/ask", json={"question": WIDTH}, headers=EVENTS).text)
    names = [name for _, name, _ in events]
    assert names == ["asked", "plan", "hits", "evidence", "sentence", "final", "message"]
    assert events[0][2]["message_id"] == events[-1][2]["id"]
    assert client.get(f"/v1/threads/{thread}").json()["messages"] == [events[-1][2]]


def test_threads_are_listed_by_their_last_question_and_found_by_words(client: Client, base: UUID) -> None:
    first, second, third = (begin(client, base, WIDTH, title=f"Wing {number} zebra") for number in "abc")
    client.post(f"/v1/threads/{first}/ask", json={"question": TANK})
    pages, cursor = list[str](), None
    while True:
        query = {"words": "ZEBRA", "limit": 2} | ({"cursor": cursor} if cursor else {})
        page = client.get("/v1/threads", params=query).json()
        pages += [one["id"] for one in page["items"]]
        if not (cursor := page["next_cursor"]):
            break
    assert pages == [first, third, second]
    found = client.get("/v1/threads", params={"words": "zebra tank"}).json()["items"]
    assert [one["id"] for one in found] == [first]
    renamed = client("PATCH", f"/v1/threads/{first}", json={"title": " Heron "}).json()
    assert renamed["title"] == "Heron"
    assert [one["id"] for one in client.get("/v1/threads", params={"words": "heron tank"}).json()["items"]] == [first]
    assert client.delete(f"/v1/threads/{first}").status_code == 200
    assert client.get(f"/v1/threads/{first}").status_code == 404
    assert client.get("/v1/threads", params={"words": "heron"}).json()["items"] == []


def test_nobody_else_sees_or_changes_a_thread_whatever_their_role_is(
    runtime: Runtime, owner_dsn: str, client: Client, client_of: Callable[[Identity], Client], base: UUID
) -> None:
    thread = begin(client, base, WIDTH, title="Mine")
    asked = client.get(f"/v1/threads/{thread}").json()["messages"][0]
    for role in ("owner", "admin", "viewer"):
        other = client_of(add_member(runtime, owner_dsn, "local", role))
        assert other.get("/v1/threads").json()["items"] == []
        for method, path, body in (
            ("GET", "", None), ("GET", "/export", None), ("PATCH", "", {"title": "x"}), ("DELETE", "", None),
            ("POST", "/ask", {"question": WIDTH}),
        ):  # fmt: skip
            assert other(method, f"/v1/threads/{thread}{path}", json=body).status_code == 404, (role, method, path)
    assert client.get(f"/v1/threads/{thread}").json()["messages"] == [asked]


def test_what_is_gone_is_not_shown_any_more_and_said_so(runtime: Runtime, identity: Identity, client: Client) -> None:
    scope = add_base(runtime, identity, "going")
    document = add_document(runtime, scope, "Tank rules", [FUEL], embedder=runtime.embedder)
    thread = begin(client, scope.knowledge_base_ids[0], TANK)
    assert "60 litres" in texts(client.get(f"/v1/threads/{thread}").json())[0]
    assert "60 litres" in client.get(f"/v1/threads/{thread}/export").text
    assert client.delete(f"/v1/documents/{document}").status_code < 300
    left = client.get(f"/v1/threads/{thread}")
    answer = left.json()["messages"][0]["answers"][0]["answer"]
    assert [one["no_longer_visible"] for one in answer["sentences"]] == [True] * len(answer["sentences"])
    assert answer["no_longer_visible"] == answer["sentences"][0]["citations"]
    assert answer["citations"] == answer["hits"] == []
    for text in (left.text, *(client.get(f"/v1/threads/{thread}/export?form={f}").text for f in ("json", "markdown"))):
        assert "60 litres" not in text
        assert "Tank rules" not in text
        assert "rubber" not in text


def test_markdown_has_its_citations_as_footnotes_and_no_markup_of_documents(client: Client, base: UUID) -> None:
    thread = begin(client, base, WIDTH, title="<b>Wing</b>")
    text = client.get(f"/v1/threads/{thread}/export").text
    assert text.startswith("# \\<b\\>Wing\\</b\\>\n\n## How wide may the rear wing be?\n\n- The rear wing must not")
    assert "1050 mm.[^1]" in text
    assert text.rstrip().splitlines()[-1] == "[^1]: Kestrel \\*rules\\*, page 1"


def test_a_foreign_knowledge_base_and_an_empty_question_keep_nothing(client: Client, base: UUID) -> None:
    thread, foreign = begin(client, base), {"knowledge_base_ids": [str(new_id())]}
    assert client.post("/v1/threads", json={"scope": foreign}).status_code == 404
    asked = {"question": WIDTH, "scope": foreign}
    assert client.post(f"/v1/threads/{thread}/ask", json=asked).status_code == 404
    assert client.post(f"/v1/threads/{thread}/ask", json={"question": "  "}).status_code == 422
    assert client.get(f"/v1/threads/{thread}").json()["messages"] == []
