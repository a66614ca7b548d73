"""Conversations: kept, searched, renamed, exported and deleted by their asker, and seen by nobody else."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import psycopg
import pytest

from functions.api.app import create_app
from functions.api.identity import CloudIdentity, development_identity
from shared.answering.events import AskEvent
from shared.answering.threads import rewriting, service
from shared.answering.threads.shapes import ThreadQuestion
from shared.domain.ids import new_id
from shared.domain.plans import PlanSettings
from shared.domain.scope import Identity
from shared.runtime import Runtime
from shared.store import plans
from tests.adapters.chat_server import MODEL, running_chat
from tests.api.conftest import BASE, Client
from tests.api.test_asked_events import EVENTS, read
from tests.conftest import add_member, as_superuser
from tests.store.seeding import Passage, add_base, add_document
from tests.store.test_written_answers import answering, saying

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


def test_a_follow_up_is_asked_as_it_stands_alone_unless_that_is_declined(client: Client, base: UUID) -> None:
    thread = begin(client, base, WIDTH)
    path, typed = f"/v1/threads/{thread}/ask", {"question": "and how long?"}
    asked = client.post(path, json=typed).json()
    assert (asked["question"], asked["asked_as"]) == ("and how long?", "How long may the rear wing be?")
    trace = asked["answers"][0]["answer"]["trace_id"]
    traced = client.get(f"/v1/traces/{trace}").json()
    assert (traced["query"], traced["notes"]["typed"]) == ("How long may the rear wing be?", "and how long?")
    further = client.post(path, json={"question": "and how high?"}).json()
    assert further["asked_as"] == "How high may the rear wing be?"
    assert client.post(path, json=typed | {"rewrite": False}).json()["asked_as"] is None
    assert "Asked as: How long may the rear wing be?" in client.get(f"/v1/threads/{thread}/export").text


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


def test_a_thread_is_found_by_what_of_its_answers_may_be_seen(
    runtime: Runtime, identity: Identity, client: Client, client_of: Callable[[Identity], Client], owner_dsn: str
) -> None:
    reader = client_of(add_member(runtime, owner_dsn, "local", "viewer"))

    def found(words: str) -> list[str]:
        return [one["id"] for one in reader.get("/v1/threads", params={"words": words}).json()["items"]]

    scope = add_base(runtime, identity, "found by answers")
    lining = Passage("A fuel tank holds 61 litres at most and is lined with vermiculite.")
    add_document(runtime, scope, "Linings", [lining], embedder=runtime.embedder)
    base = scope.knowledge_base_ids[0]
    thread = begin(reader, base, TANK)
    assert found("Vermiculite") == found("many vermiculite") == [thread]
    assert found("vermiculite wing") == []
    # A model's sentence may stand on passages of several knowledge bases: whoever sees one of these does not see it.
    open_base = add_base(runtime, identity, "open to all")
    add_document(runtime, open_base, "Seals", [FUEL], embedder=runtime.embedder)
    both = {"text": "Tanks of rubber have a quokka in them.", "citations": []}
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        bases = [base, *open_base.knowledge_base_ids]
        chunks = connection.execute("select id from chunks where knowledge_base_id = any (%s)", (bases,)).fetchall()
        both["citations"] = [str(chunk) for (chunk,) in chunks]
        connection.execute(
            "update thread_answers a set answer = jsonb_set(answer, '{sentences}', answer -> 'sentences' || %s::jsonb)"
            " from thread_messages m where m.id = a.message_id and m.thread_id = %s",
            (json.dumps([both]), thread),
        )
    assert (len(both["citations"]), found("quokka")) == (2, [thread])
    assert client("PUT", f"/v1/knowledge-bases/{base}/access", json={"restricted": True, "members": []}).is_success
    assert (found("vermiculite"), found("quokka"), found("litres")) == ([], [], [thread])
    assert client("PUT", f"/v1/knowledge-bases/{base}/access", json={"restricted": False, "members": []}).is_success
    assert found("vermiculite") == [thread]


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


def test_what_is_gone_is_neither_shown_nor_kept_and_said_so(
    runtime: Runtime, identity: Identity, client: Client, owner_dsn: str
) -> None:
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
    assert not any(word in stored(owner_dsn, thread) for word in ("60 litres", "rubber", "Tank rules"))


def stored(owner_dsn: str, thread: str) -> str:
    """The one answer of a conversation, as the database has it."""
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        rows = connection.execute(
            "select a.answer::text from thread_answers a join thread_messages m on m.id = a.message_id"
            " where m.thread_id = %s",
            (thread,),
        ).fetchall()
    assert len(rows) == 1
    return rows[0][0]


def test_of_two_documents_that_disagree_nothing_is_kept_of_the_one_that_goes(
    runtime: Runtime, identity: Identity, client: Client, owner_dsn: str
) -> None:
    scope, documents = add_base(runtime, identity, "disagreeing"), dict[int, UUID]()
    for limit in (60, 50):
        passage = Passage(f"The speed limit in the pit lane is {limit} km/h throughout the event.")
        documents[limit] = add_document(runtime, scope, f"limit of {limit}", [passage], embedder=runtime.embedder)
    thread = begin(client, scope.knowledge_base_ids[0], "What is the speed limit in the pit lane?")
    answer = client.get(f"/v1/threads/{thread}").json()["messages"][0]["answers"][0]["answer"]
    assert {side["value"] for pair in answer["contradictions"] for side in pair["sides"]} == {"60 km/h", "50 km/h"}
    assert client.delete(f"/v1/documents/{documents[50]}").is_success
    kept = stored(owner_dsn, thread)
    assert ("60 km/h" in kept, "limit of 60" in kept) == (True, True)
    assert ("50 km/h" in kept, "limit of 50" in kept) == (False, False)


def test_what_goes_while_it_is_answered_from_is_not_kept(
    runtime: Runtime, identity: Identity, client: Client, owner_dsn: str
) -> None:
    def tell(event: AskEvent) -> None:
        if event.name == "final":
            assert client.delete(f"/v1/documents/{document}").is_success

    scope = add_base(runtime, identity, "going meanwhile")
    document = add_document(runtime, scope, "Tank rules", [FUEL], embedder=runtime.embedder)
    thread = begin(client, scope.knowledge_base_ids[0])
    asked = service.ask_in_thread(runtime, identity, UUID(thread), ThreadQuestion(question=TANK), tell)
    shown = asked.answers[0].answer
    assert (shown.answer, len(shown.no_longer_visible)) == ("", 1)
    assert not any(word in stored(owner_dsn, thread) for word in ("60 litres", "rubber", "Tank rules"))


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


def stranger(runtime: Runtime) -> Client:
    """Somebody who has not signed in."""
    return Client(create_app(runtime, CloudIdentity(runtime, BASE), local=False))


def share(client: Client, thread: str, **body: Any) -> tuple[str, str]:
    """The link's address in the API, and its id."""
    made = client.post(f"/v1/threads/{thread}/shares", json=body)
    assert made.status_code == 201, made.text
    return f"/v1{made.json()['path']}", made.json()["id"]


def test_a_conversation_holds_so_many_answers(client: Client, base: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    thread = begin(client, base, WIDTH)
    monkeypatch.setattr(service, "ANSWERS_MAX", 1)
    message = client.get(f"/v1/threads/{thread}").json()["messages"][0]["id"]
    for path, body in ((f"messages/{message}/answers", {}), ("ask", {"question": TANK})):
        refused = client.post(f"/v1/threads/{thread}/{path}", json=body)
        assert (refused.status_code, "Begin another one" in refused.json()["detail"]) == (422, True)
    assert len(client.get(f"/v1/threads/{thread}").json()["messages"]) == 1


def test_a_link_shows_what_was_there_to_whoever_has_it_until_it_is_revoked(
    runtime: Runtime, client: Client, base: UUID
) -> None:
    thread, reader = begin(client, base, WIDTH, title="Wings"), stranger(runtime)
    assert client.post(f"/v1/threads/{begin(client, base)}/shares", json={}).status_code == 422
    path, share_id = share(client, thread, days=3)
    client.post(f"/v1/threads/{thread}/ask", json={"question": "How wide is the wing at rest?"})
    shown = reader.get(path)
    assert shown.status_code == 200
    assert shown.headers["x-robots-tag"] == "noindex, nofollow"
    assert [one["question"] for one in shown.json()["messages"]] == [WIDTH]
    answer = shown.json()["messages"][0]["answers"][0]
    assert "1050 mm" in answer["answer"]
    assert [(one["document"], one["page"]) for one in answer["citations"]] == [("Kestrel *rules*", 1)]
    assert not {"trace_id", "usd", "hits"} & answer.keys()
    listed = client.get(f"/v1/threads/{thread}/shares").json()["items"]
    assert [(one["id"], one["revoked_at"]) for one in listed] == [(share_id, None)]
    assert path.rpartition("/")[2] not in str(listed)
    for wrong in (path[:-1], path[:-1] + ("A" if path[-1] != "A" else "B"), "/v1/shared/x"):
        assert reader.get(wrong).status_code == 404
    assert client.post(f"/v1/threads/{thread}/shares/{share_id}/revoke").json()["revoked_at"]
    assert reader.get(path).status_code == 404
    acts = client.get("/v1/audit", params={"act": "share"}).json()["items"]
    assert {one["act"] for one in acts if one["subject_id"] == share_id} == {
        "share.create", "share.open", "share.revoke",
    }  # fmt: skip


def test_a_link_ends_by_its_time_and_is_asked_for_30_days_at_most(
    runtime: Runtime, client: Client, owner_dsn: str, base: UUID
) -> None:
    thread, reader = begin(client, base, WIDTH), stranger(runtime)
    assert client.post(f"/v1/threads/{thread}/shares", json={"days": 31}).status_code == 422
    path, share_id = share(client, thread, days=30)
    assert reader.get(path).status_code == 200
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        connection.execute("update thread_shares set expires_at = now() where id = %s", (share_id,))
    assert reader.get(path).status_code == 404


def test_a_link_shows_no_more_than_its_maker_may_see_when_it_is_opened_and_ends_with_them(
    runtime: Runtime, owner_dsn: str, client: Client, client_of: Callable[[Identity], Client], identity: Identity
) -> None:
    scope = add_base(runtime, identity, "shared from")
    add_document(runtime, scope, "Tank rules", [FUEL], embedder=runtime.embedder)
    base = scope.knowledge_base_ids[0]
    member = add_member(runtime, owner_dsn, "local", "viewer")
    own = client_of(member)
    thread, reader = begin(own, base, TANK), stranger(runtime)
    path, _ = share(own, thread)
    assert "60 litres" in reader.get(path).text
    assert client("PUT", f"/v1/knowledge-bases/{base}/access", json={"restricted": True, "members": []}).is_success
    for text in (reader.get(path).text, own.get(f"/v1/threads/{thread}").text):
        assert "60 litres" not in text
        assert "Tank rules" not in text
        assert '"no_longer_visible":true' in text
    assert client("PUT", f"/v1/knowledge-bases/{base}/access", json={"restricted": False, "members": []}).is_success
    assert "60 litres" in reader.get(path).text
    assert client.delete(f"/v1/members/{member.user_id}").is_success
    assert reader.get(path).status_code == 404
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        left = connection.execute(
            "select (select count(*) from threads where asker_id = %(id)s)"
            " + (select count(*) from thread_messages where asker_id = %(id)s)"
            " + (select count(*) from thread_answers where asker_id = %(id)s)"
            " + (select count(*) from thread_shares where asker_id = %(id)s)",
            {"id": member.user_id},
        ).fetchone()
    assert left == (0,)


def test_a_link_of_a_narrowed_key_shows_nothing_beyond_it(
    runtime: Runtime, client: Client, identity: Identity, base: UUID
) -> None:
    other = add_base(runtime, identity, "beyond the key").knowledge_base_ids[0]
    thread = begin(client, base, WIDTH)
    wanted = {"name": "narrow", "scope": "write", "knowledge_base_ids": [str(other)]}
    secret = client.post("/v1/keys", json=wanted).json()["secret"]
    made = client.post(f"/v1/threads/{thread}/shares", json={}, headers={"authorization": f"Bearer {secret}"})
    shown = stranger(runtime).get(f"/v1{made.json()['path']}")
    assert shown.status_code == 200
    assert "1050 mm" not in shown.text


def test_a_plan_may_deny_links(runtime: Runtime, client: Client, base: UUID) -> None:
    thread = begin(client, base, WIDTH)
    free = replace(runtime, limits=PlanSettings(default_plan="free"))
    poor = Client(create_app(free, development_identity(free), local=True))
    assert poor.post(f"/v1/threads/{thread}/shares", json={}).status_code == 402


def test_a_judged_answer_is_a_candidate_until_an_editor_confirms_or_rejects_it(
    runtime: Runtime, owner_dsn: str, client: Client, client_of: Callable[[Identity], Client], base: UUID
) -> None:
    asker = client_of(add_member(runtime, owner_dsn, "local", "viewer"))
    candidates = f"/v1/knowledge-bases/{base}/evaluation/candidates"
    thread = begin(asker, base, WIDTH, "How wide is the rear wing at rest?")
    one, two = (m["answers"][0] for m in asker.get(f"/v1/threads/{thread}").json()["messages"])

    def judge(answer: dict[str, Any], verdict: str | None, note: str | None = None) -> None:
        said = {"verdict": verdict, "note": note}
        assert asker("PUT", f"/v1/threads/{thread}/answers/{answer['id']}/feedback", json=said).status_code == 200

    judge(one, "wrong")
    judge(one, "right")
    judge(two, "incomplete", "At rest?")
    assert asker.get(candidates).status_code == 403
    first, second = client.get(candidates).json()["items"]
    cited = [hit["chunk"]["id"] for hit in one["answer"]["citations"]]
    assert (first["question"], first["verdict"], first["chunk_ids"]) == (WIDTH, "right", cited)
    assert (second["verdict"], second["note"]) == ("incomplete", "At rest?")
    kept = asker.get(f"/v1/threads/{thread}").json()["messages"][1]["answers"][0]["feedback"]
    assert (kept["verdict"], kept["note"]) == ("incomplete", "At rest?")
    assert client.post(f"{candidates}/{second['id']}/confirm", json={}).status_code == 422
    assert [passage["chunk_id"] for passage in first["passages"]] == cited
    assert {(passage["document"], passage["page"]) for passage in first["passages"]} == {("Kestrel *rules*", 1)}
    better = {"question": "How wide may a rear wing be at most?", "answer": "1050 mm"}
    gold = client.post(f"{candidates}/{first['id']}/confirm", json=better).json()
    assert (gold["question"], gold["answer"], gold["kind"]) == (*better.values(), "answerable")
    assert gold["source"] == "feedback"
    assert [(place["document"], place["page"]) for place in gold["expected"]] == [("Kestrel *rules*", 1)]
    assert client.delete(f"{candidates}/{second['id']}").status_code == 200
    assert client.get(candidates).json()["items"] == []
    judge(two, "wrong")
    assert len(client.get(candidates).json()["items"]) == 1
    judge(two, None)
    assert client.get(candidates).json()["items"] == []
    judge(two, "wrong")
    asker.delete(f"/v1/threads/{thread}")
    assert client.get(candidates).json()["items"] == []
    assert gold["id"] in client.get(f"/v1/knowledge-bases/{base}/gold").text


def test_what_was_said_is_taken_back_where_its_author_sees_nothing_any_more(
    runtime: Runtime, owner_dsn: str, client: Client, client_of: Callable[[Identity], Client], identity: Identity
) -> None:
    scope = add_base(runtime, identity, "taken back")
    add_document(runtime, scope, "Tank rules", [FUEL], embedder=runtime.embedder)
    base = scope.knowledge_base_ids[0]
    candidates = f"/v1/knowledge-bases/{base}/evaluation/candidates"
    askers, said = [client_of(add_member(runtime, owner_dsn, "local", "viewer")) for _ in range(2)], list[str]()
    for asker in askers:
        thread = begin(asker, base, TANK)
        answer = asker.get(f"/v1/threads/{thread}").json()["messages"][0]["answers"][0]["id"]
        said.append(f"/v1/threads/{thread}/answers/{answer}/feedback")
        assert asker("PUT", said[-1], json={"verdict": "wrong"}).is_success
    assert client("PUT", f"/v1/knowledge-bases/{base}/access", json={"restricted": True, "members": []}).is_success
    assert len(client.get(candidates).json()["items"]) == 2
    assert askers[0]("PUT", said[0], json={"verdict": None}).is_success
    assert len(client.get(candidates).json()["items"]) == 1


def test_no_model_rewrites_a_question_that_the_plan_does_not_answer(
    runtime: Runtime, client: Client, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rewrite(*_: object) -> None:
        pytest.fail("It was rewritten.")

    thread = begin(client, base, WIDTH)
    monkeypatch.setattr(rewriting, "rewrite", rewrite)
    monkeypatch.setattr(plans, "questions_this_month", lambda _: 10**9)
    free = replace(runtime, limits=PlanSettings(default_plan="free"))
    poor = Client(create_app(free, development_identity(free), local=True))
    assert poor.post(f"/v1/threads/{thread}/ask", json={"question": "and how long?"}).status_code == 402
    assert len(client.get(f"/v1/threads/{thread}").json()["messages"]) == 1


def test_a_further_answer_is_another_models_and_has_its_cost(runtime: Runtime, client: Client, base: UUID) -> None:
    thread = begin(client, base, WIDTH)
    message = client.get(f"/v1/threads/{thread}").json()["messages"][0]
    path = f"/v1/threads/{thread}/messages/{message['id']}/answers"
    assert client.post(path, json={"model": "nobody's"}).status_code == 422
    with running_chat() as server, answering(runtime, server) as found:
        server.mind = saying(("A rear wing may be 1050 mm wide.", "1050 mm"))
        model = found.answerer
        assert model is not None
        several = replace(runtime, load_further_answerers=lambda: [model])
        chooser = Client(create_app(several, development_identity(several), local=True))
        listed = chooser.get("/v1/models").json()["items"]
        assert listed == [{"name": "quotations", "usual": True}, {"name": model.name, "usual": False}]
        both = chooser.post(path, json={"model": model.name}).json()
    assert [one["answer"]["model"] for one in both["answers"]] == [None, model.name]
    assert both["answers"][1]["answer"]["answer"] == "A rear wing may be 1050 mm wide."
    assert both["answers"][1]["answer"]["usd"] == 0.0
    assert MODEL in model.name
    assert client.get(f"/v1/threads/{thread}").json()["messages"] == [both]
