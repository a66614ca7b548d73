"""Cross-tenant attempts, made from the API's own description: a route that is added is attempted too."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI

from shared.access import find_document, find_place, find_row, reading
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.runtime import Runtime
from shared.store.connect import Connection
from tests.api.attempts import Attempt, attempts, fill_path, minimal_body, operations
from tests.api.conftest import Client
from tests.api.files import three_pages
from tests.conftest import add_member
from tests.pipeline import make_knowledge_base, run_all, upload

ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
# Posted because the request is long, not because anything changes.
READING = {"/v1/search", "/v1/lookup", "/v1/ask", "/v1/search:export", "/v1/context", "/v1/bundles"}
READING_OF_DATASETS = ("/preview", "/sources")
# Says which rendering the client has, or whose entries are listed; it opens nothing.
HARMLESS = {"run", "person_id"}
# Everybody makes and revokes keys of their own, connects and ends assistants, and has conversations.
OWN = {
    *("/v1/keys", "/v1/keys/{key_id}/revoke", "/v1/sign-out", "/v1/organization/choose"),
    *("/v1/connections", "/v1/connections/{connection_id}/end", "/v1/ask/{event_id}"),
    *("/v1/threads", "/v1/threads/{thread_id}", "/v1/threads/{thread_id}/ask", "/v1/threads/{thread_id}/shares"),
    "/v1/threads/{thread_id}/messages/{message_id}/answers",
    "/v1/threads/{thread_id}/answers/{answer_id}/feedback",
    "/v1/threads/{thread_id}/shares/{share_id}/revoke",
}
SECRET = "zirconium"

Ids = dict[str, str]


def is_reading(path: str) -> bool:
    return (
        path in READING
        or path.startswith("/v1/plots/preview")
        or (path.startswith("/v1/datasets/") and path.endswith(READING_OF_DATASETS))
    )


def make_ids(runtime: Runtime, identity: Identity, client: Client, word: str) -> Ids:
    """One object of every kind, and under which names ids of it are given."""
    base = make_knowledge_base(runtime, identity, word)
    return gather_ids(
        client, str(base), word, lambda data, name: run_all(runtime, upload(runtime, identity, base, data, name))
    )


def gather_ids(
    client: Client | httpx.Client, base: str, word: str, ingest: Callable[[bytes, str], Mapping[str, Any]]
) -> Ids:
    """The same, of the knowledge base `base`, over the API alone; `ingest` takes a file and its name in and says
    `document_id` and `ingestion_id`."""
    event = ingest(three_pages(word, drawn=True), f"{word}.pdf")
    announced = {"filename": f"{word}2.pdf", "size": 3, "sha256": "0" * 64, "knowledge_base_id": base}
    waiting = client.post("/v1/uploads", json=announced).json()["upload_id"]
    found = client.post("/v1/search", json={"query": word, "knowledge_base_ids": [base]}).json()
    assert found["hits"]
    document = event["document_id"]
    revision = client.get(f"/v1/documents/{document}").json()["revision"]
    edit = {"kind": "retype", "chunk_id": found["hits"][0]["chunk"]["id"], "chunk_type": "code"}
    edited = client.post(f"/v1/documents/{document}/edits", json={"revision": revision, "edit": edit}).json()
    chunks = client.get(f"/v1/documents/{document}/chunks").json()["items"]
    second = ingest(three_pages(word), f"{word} 2.pdf")["document_id"]
    assert client.post(f"/v1/documents/{second}/summary", json={}).status_code == 201
    suggested = client.get(f"/v1/knowledge-bases/{base}/version-suggestions").json()["items"]
    asked = {"question": f"What is {word}?", "chunk_ids": [edited["chunks"][0]["id"]]}
    gold = client.post(f"/v1/knowledge-bases/{base}/gold", json=asked).json()
    run = client.post(f"/v1/knowledge-bases/{base}/evaluations", json={"indexes": ["fts"], "ask": False}).json()
    client.post(f"/v1/knowledge-bases/{base}/evaluations/{run['id']}/continue")
    doubted = {"verdict": "accepted", "chunk_ids": [edited["chunks"][0]["id"]]}
    decided = client.post(f"/v1/knowledge-bases/{base}/review", json=doubted).json()
    folder = {"knowledge_base_id": base, "kind": "folder", "name": word}
    return {
        "source_id": client.post("/v1/sources", json=folder).json()["id"],
        "knowledge_base_id": base,
        "gold_id": gold["id"],
        "decision_id": decided["decision_id"],
        "run_id": run["id"],
        "knowledge_base_ids": base,
        "document_id": document,
        "documents": document,
        "document_ids": f"{document} {second}",
        "version_of": document,
        "other_id": document,
        "suggestion_id": suggested[0]["id"],
        "ingestion_id": event["ingestion_id"],
        "run": event["ingestion_id"],
        "upload_id": waiting,
        "trace_id": found["trace_id"],
        "chunk_id": next(chunk["id"] for chunk in chunks if chunk["chunk_type"] == "figure"),
        "chunk_ids": edited["chunks"][0]["id"],
        "section_id": client.get(f"/v1/documents/{document}/sections").json()["items"][0]["id"],
        "edit_id": edited["edit"]["id"],
        "fragment_id": "p1.f1",
        "fragment_ids": "p1.f1",
        **gather_dataset_ids(client, base, word, ingest),
        **gather_webhook_ids(client, base),
        **gather_digest_ids(client, base),
        **gather_summary_ids(client, document, edited["chunks"][0]),
        **gather_thread_ids(client, base, word),
        **gather_notebook_ids(client, base),
        **gather_account_ids(client, word),
    }


def gather_dataset_ids(
    client: Client | httpx.Client, base: str, word: str, ingest: Callable[[bytes, str], Mapping[str, Any]]
) -> Ids:
    """Of a table and of a dataset of it."""
    ingest(f"Name,Mass (kg)\n{word},3\n{word} 2,4\n".encode(), f"{word}.csv")
    table = client.get(f"/v1/knowledge-bases/{base}/tables").json()["items"][-1]["table_id"]
    dataset = client.post("/v1/datasets", json={"knowledge_base_id": base, "table_ids": [table]}).json()["id"]
    spec = {"form": {"mark": "bar", "x": {"field": "Name"}, "y": {"aggregate": "count"}}}
    plot = client.post("/v1/plots", json={"dataset_id": dataset, "spec": spec}).json()["id"]
    return {"table_ids": table, "dataset_id": dataset, "plot_id": plot}


def gather_digest_ids(client: Client | httpx.Client, base: str) -> Ids:
    """Of an event, and of a file of the digest with its first statement."""
    told = {"knowledge_base_id": base, "kind": "deployment", "subject": "line 2", "at": "2026-01-05T10:00:00Z"}
    event = client.post("/v1/events", json=told).json()["id"]
    digest = f"/v1/knowledge-bases/{base}/digest"
    while client.post(f"{digest}:update").json()["more"]:
        continue
    file = next(one for one in client.get(f"{digest}/files?tier=summary").json()["items"] if one["statements"])["id"]
    lines = client.get(f"{digest}/files/{file}").json()["lines"]
    statement = next(line for line in lines if line["kind"] == "statement")["statement_id"]
    return {"event_id": event, "file_id": file, "statement_id": statement, "after": statement}


def gather_webhook_ids(client: Client | httpx.Client, base: str) -> Ids:
    """Of a webhook, and of what it was told."""
    wanted = {"knowledge_base_id": base, "url": "https://receiver.example/"}
    webhook = client.post("/v1/webhooks", json=wanted).json()["id"]
    return {"webhook_id": webhook, "delivery_id": client.post(f"/v1/webhooks/{webhook}/test").json()["id"]}


def gather_summary_ids(client: Client | httpx.Client, document: str, chunk: dict[str, Any]) -> Ids:
    """Of a statement that somebody added to the summary of a document."""
    summary = f"/v1/documents/{document}/summary"
    assert client.post(summary, json={}).status_code == 201
    added = {"field": "limits", "text": chunk["content"][:500], "chunk_ids": [chunk["id"]]}
    assert client.post(f"{summary}/edits", json=added).status_code == 201
    return {"summary_edit_id": client.get(f"{summary}/edits").json()[0]["id"]}


def gather_thread_ids(client: Client | httpx.Client, base: str, word: str) -> Ids:
    """Of a conversation with an answer that was judged, and a link to it."""
    thread = f"/v1/threads/{client.post('/v1/threads', json={'scope': {'knowledge_base_ids': [base]}}).json()['id']}"
    message = client.post(f"{thread}/ask", json={"question": f"What is {word}?"}).json()
    answer = message["answers"][0]["id"]
    client.put(f"{thread}/answers/{answer}/feedback", json={"verdict": "right"})
    candidates = client.get(f"/v1/knowledge-bases/{base}/evaluation/candidates").json()["items"]
    return {
        "thread_id": thread.rpartition("/")[2],
        "message_id": message["id"],
        "answer_id": answer,
        "share_id": client.post(f"{thread}/shares", json={}).json()["id"],
        "candidate_id": candidates[0]["id"],
    }


def gather_notebook_ids(client: Client | httpx.Client, base: str) -> Ids:
    """Of a notebook with a cell of words."""
    made = client.post("/v1/notebooks", json={"knowledge_base_id": base, "title": "Findings"}).json()
    path, content = f"/v1/notebooks/{made['id']}", {"kind": "markdown", "text": "seen"}
    cell = client.post(f"{path}/cells", json={"content": content}).json()["cells"][0]["id"]
    return {"notebook_id": made["id"], "cell_id": cell, "before": cell}


def gather_account_ids(client: Client | httpx.Client, word: str) -> Ids:
    """Of what belongs to the organization and to no knowledge base that stays."""
    invited = client.post("/v1/invitations", json={"email": f"{new_id().hex}@{word}.example"}).json()
    key = client.post("/v1/keys", json={"name": word, "machine": True}).json()
    back = "http://127.0.0.1/callback"
    assistant = client.post("/oauth/register", json={"redirect_uris": [back]}).json()["client_id"]
    allowed = {"client_id": assistant, "redirect_uri": back, "code_challenge": "c" * 43}
    connection = client.post("/v1/connections", json=allowed).json()
    domain = client.post("/v1/domains", json={"domain": f"{word}.example"}).json()
    passing = client.post("/v1/knowledge-bases", json={"name": f"Passing {word}"}).json()
    group = client.post("/v1/group-roles", json={"group": word, "role": "viewer"}).json()
    return {
        "user_id": invited["id"],
        "person_id": invited["id"],
        "key_id": key["id"],
        "connection_id": connection["id"],
        "domain_id": domain["id"],
        "group_role_id": group["id"],
        "erasure_id": client.delete(f"/v1/knowledge-bases/{passing['id']}").json()["id"],
    }


@pytest.fixture(scope="module")
def own(runtime: Runtime, identity: Identity, client: Client) -> Ids:
    return make_ids(runtime, identity, client, "bronze")


@pytest.fixture(scope="module")
def foreign(runtime: Runtime, other_identity: Identity, client_of: Callable[[Identity], Client]) -> Ids:
    return make_ids(runtime, other_identity, client_of(other_identity), SECRET)


def send(client: Client, attempt: Attempt) -> httpx.Response:
    return client(attempt.method, attempt.path, params=attempt.query, json=attempt.body)


def without_ids(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, ID.sub("(id)", answer.text)


def test_an_id_of_another_organization_is_answered_exactly_as_an_unknown_one(
    app: FastAPI, client: Client, own: Ids, foreign: Ids
) -> None:
    unknown: Ids = {name: str(new_id()) for name in foreign}
    made = list(attempts(app.openapi(), own, foreign))
    for attempt, blind in zip(made, attempts(app.openapi(), own, unknown), strict=True):
        answer = send(client, attempt)
        assert without_ids(answer) == without_ids(send(client, blind)), str(attempt)
        assert SECRET not in answer.text, str(attempt)
        assert attempt.place in HARMLESS or answer.status_code == 404, f"{attempt}: {answer.text}"
    assert len(made) > 25


@pytest.mark.parametrize("find", [find_document, find_place, find_row])
def test_whoever_looks_for_a_document_finds_his_own_and_none_else(
    find: Callable[[Connection, UUID], Any], runtime: Runtime, identity: Identity, own: Ids, foreign: Ids
) -> None:
    with reading(runtime, identity) as connection:
        assert find(connection, UUID(own["document_id"]))
        for document_id in (UUID(foreign["document_id"]), new_id()):
            with pytest.raises(NotFound, match=f"no document {document_id}"):
                find(connection, document_id)


def test_the_attempts_are_not_refused_for_another_reason(
    app: FastAPI, client_of: Callable[[Identity], Client], other_identity: Identity, foreign: Ids
) -> None:
    """The same requests, by those to whom the ids belong, find what they name."""
    owner = client_of(other_identity)
    reading = [a for a in attempts(app.openapi(), foreign, foreign) if a.method == "GET" or is_reading(a.path)]
    # Read by its ticket, whoever asks.
    reading = [attempt for attempt in reading if attempt.place != "erasure_id"]
    for attempt in reading:
        assert send(owner, attempt).status_code == 200, str(attempt)
    assert len(reading) > 12


def test_nothing_of_another_organization_is_in_any_list_or_search(
    client: Client, own: Ids, foreign: Ids, client_of: Callable[[Identity], Client], other_identity: Identity
) -> None:
    for path in ("/v1/knowledge-bases", "/v1/documents"):
        listed = client.get(path).text
        assert not ({*foreign.values()} & {*ID.findall(listed)})
        cursor = client_of(other_identity).get(path, params={"limit": 1}).json()["next_cursor"]
        if cursor:
            assert SECRET not in client.get(path, params={"cursor": cursor}).text
    body = {"query": SECRET, "knowledge_base_ids": [own["knowledge_base_id"]]}
    assert SECRET not in str(client.post("/v1/search", json=body).json()["hits"])


def test_everything_of_the_other_organization_is_still_there_afterwards(
    client_of: Callable[[Identity], Client], other_identity: Identity, foreign: Ids
) -> None:
    owner = client_of(other_identity)
    document = owner.get(f"/v1/documents/{foreign['document_id']}").json()
    assert (document["status"], document["name"]) == ("ready", f"{SECRET}.pdf")
    assert owner.get(f"/v1/ingestions/{foreign['upload_id']}").json()["status"] == "waiting"


def test_a_viewer_may_read_everything_and_change_nothing(
    app: FastAPI, client_of: Callable[[Identity], Client], viewer: Identity, own: Ids
) -> None:
    client = client_of(viewer)
    changing = 0
    for method, template, operation in operations(app.openapi()):
        path = fill_path(template, own)
        body: Any = minimal_body(app.openapi(), operation, own)
        if template in OWN:
            continue
        if method != "GET" and not is_reading(path):
            changing += 1
            assert client(method, path, json=body).status_code == 403, f"{method} {path}"
        elif path in READING:
            # Of what a bundle is to be, one of two fields says.
            body = {"notebook_id": own["notebook_id"]} if template == "/v1/bundles" else body
        elif is_reading(path) and method != "GET":
            assert client(method, path, json=body).status_code == 200, path
    assert changing > 6
    assert client.get(f"/v1/documents/{own['document_id']}").status_code == 200


def test_an_editor_does_not_decide_for_the_organization(
    runtime: Runtime, client: Client, client_of: Callable[[Identity], Client], owner_dsn: str
) -> None:
    editor = client_of(add_member(runtime, owner_dsn, "local", "editor"))
    refused = editor("PATCH", "/v1/organization", json={"trace_days": 0})
    assert (refused.status_code, "owners and admins" in refused.json()["detail"]) == (403, True)
    assert client.get("/v1/me").json()["organization"]["trace_days"] == 30


def test_the_same_idempotency_key_of_another_organization_is_another_key(
    client: Client, client_of: Callable[[Identity], Client], other_identity: Identity
) -> None:
    headers = {"Idempotency-Key": "shared-between-strangers"}
    ours = client.post("/v1/knowledge-bases", json={"name": "ours"}, headers=headers).json()
    theirs = client_of(other_identity).post("/v1/knowledge-bases", json={"name": "theirs"}, headers=headers)
    assert theirs.status_code == 201
    assert UUID(theirs.json()["id"]) != UUID(ours["id"])
