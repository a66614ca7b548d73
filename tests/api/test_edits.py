"""Edits through the API: who may make them, what comes back, what is told where they cannot be made."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.files import three_pages
from tests.pipeline import make_knowledge_base, run_all, upload

Json = dict[str, Any]


@pytest.fixture
def document(runtime: Runtime, identity: Identity, client: Client) -> Json:
    base = make_knowledge_base(runtime, identity, new_id().hex)
    event = run_all(runtime, upload(runtime, identity, base, three_pages("bronze"), "parts.pdf"))
    return client.get(f"/v1/documents/{event['document_id']}").json()


def chunks_of(client: Client, document: Json) -> list[Json]:
    return client.get(f"/v1/documents/{document['id']}/chunks").json()["items"]


def send(client: Client, document: Json, edit: Json, revision: int | None = None, **options: Any) -> Any:
    body = {"revision": document["revision"] if revision is None else revision, "edit": edit}
    return client.post(f"/v1/documents/{document['id']}/edits", json=body, **options)


def retyped(client: Client, document: Json) -> Json:
    text = next(chunk for chunk in chunks_of(client, document) if chunk["chunk_type"] == "text")
    return {"kind": "retype", "chunk_id": text["id"], "chunk_type": "footnote"}


def test_an_edit_answers_its_row_the_revision_and_what_there_is_now(client: Client, document: Json) -> None:
    wanted = retyped(client, document)
    answer = send(client, document, wanted)
    assert answer.status_code == 201
    done = answer.json()
    assert done["revision"] == document["revision"] + 1
    assert done["removed"] == [wanted["chunk_id"]]
    assert [chunk["chunk_type"] for chunk in done["chunks"]] == ["footnote"]
    assert [piece["chunk_type"] for piece in done["edit"]["before"]] == ["text"]
    assert [piece["chunk_type"] for piece in done["edit"]["after"]] == ["footnote"]
    assert done["edit"]["author"]
    assert client.get(f"/v1/documents/{document['id']}").json()["revision"] == done["revision"]


def test_the_history_lists_edits_newest_first_and_keeps_those_undone(client: Client, document: Json) -> None:
    first = send(client, document, retyped(client, document)).json()
    second = send(client, document, retyped(client, document), first["revision"]).json()
    address = f"/v1/documents/{document['id']}/edits"
    undo = f"{address}/{second['edit']['id']}/undo"
    undone = client.post(undo, json={"revision": second["revision"]})
    assert undone.status_code == 200
    listed = client.get(address).json()["items"]
    assert [item["id"] for item in listed] == [second["edit"]["id"], first["edit"]["id"]]
    assert [bool(item["undone_at"]) for item in listed] == [True, False]
    one = client.get(address, params={"limit": 1}).json()
    two = client.get(address, params={"limit": 1, "cursor": one["next_cursor"]}).json()
    assert one["items"] + two["items"] == listed
    again = client.post(undo, json={"revision": undone.json()["revision"]})
    assert again.status_code == 409


def test_an_edit_of_another_revision_is_a_conflict_that_says_what_to_do(client: Client, document: Json) -> None:
    wanted = retyped(client, document)
    assert send(client, document, wanted).status_code == 201
    answer = send(client, document, retyped(client, document))
    assert answer.status_code == 409
    assert "Load it again" in answer.json()["detail"]


def test_the_same_key_edits_once(client: Client, document: Json) -> None:
    wanted, headers = retyped(client, document), {"Idempotency-Key": new_id().hex}
    first = send(client, document, wanted, headers=headers)
    second = send(client, document, wanted, headers=headers)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert len(client.get(f"/v1/documents/{document['id']}/edits").json()["items"]) == 1


def test_a_viewer_reads_the_history_and_edits_nothing(
    client_of: Callable[[Identity], Client], viewer: Identity, client: Client, document: Json
) -> None:
    wanted = retyped(client, document)
    answer = send(client_of(viewer), document, wanted)
    assert answer.status_code == 403
    assert client_of(viewer).get(f"/v1/documents/{document['id']}/edits").json()["items"] == []


@pytest.mark.parametrize(
    "edit",
    [
        {"kind": "rewrite", "text": "other words"},
        {"kind": "retype", "chunk_id": "CHUNK", "chunk_type": "text", "content": "other words"},
        {"kind": "retype", "chunk_id": "CHUNK", "chunk_type": "table"},
        {"kind": "split", "chunk_id": "CHUNK", "fragment_id": "p1.f1; drop"},
        {"kind": "split", "chunk_id": "CHUNK", "fragment_id": "p9.f9"},
        {"kind": "merge", "chunk_ids": ["CHUNK", "CHUNK"]},
        {"kind": "restore", "page": 1, "fragment_ids": ["p1.f1"]},
        {"kind": "restore", "page": 99, "fragment_ids": ["p99.f1"]},
        {"kind": "unflag"},
        {"kind": "unflag", "page": 99},
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(client: Client, document: Json, edit: Json) -> None:
    before = chunks_of(client, document)
    text = next(chunk for chunk in before if chunk["chunk_type"] == "text")
    filled = {
        key: text["id"] if value == "CHUNK" else [text["id"]] * 2 if value == ["CHUNK", "CHUNK"] else value
        for key, value in edit.items()
    }
    answer = send(client, document, filled)
    assert answer.status_code == 422, answer.text
    assert chunks_of(client, document) == before


def test_a_section_of_another_document_is_not_there_to_move_to(
    runtime: Runtime, identity: Identity, client: Client, document: Json
) -> None:
    base = UUID(document["knowledge_base_id"])
    event = run_all(runtime, upload(runtime, identity, base, three_pages("copper"), "others.pdf"))
    text = next(chunk for chunk in chunks_of(client, document) if chunk["chunk_type"] == "text")
    own, other = (
        client.get(f"/v1/documents/{one}/sections").json()["items"][-1]["id"]
        for one in (document["id"], event["document_id"])
    )
    edit = {"kind": "resection", "chunk_ids": [text["id"]]}
    assert send(client, document, edit | {"section_id": other}).status_code == 404
    own_answer = send(client, document, edit | {"section_id": own})
    assert (own_answer.status_code, "opens a section of its own" in own_answer.text) == (422, True)


def test_the_history_goes_with_its_document(client: Client, document: Json) -> None:
    assert send(client, document, retyped(client, document)).status_code == 201
    assert client.delete(f"/v1/documents/{document['id']}").status_code == 200
    assert client.get(f"/v1/documents/{document['id']}/edits").status_code == 404
