"""Reviews through the API: what is left to look at, what a decision is about, and what it does to retrieval."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.ingestion.uploads import reingest
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.files import doubtful, three_pages
from tests.pipeline import make_knowledge_base, run_all, scope_of, upload

Json = dict[str, Any]
WORD = "bronze"


@pytest.fixture
def event(runtime: Runtime, identity: Identity) -> Json:
    base = make_knowledge_base(runtime, identity, new_id().hex)
    return run_all(runtime, upload(runtime, identity, base, three_pages(WORD), "parts.pdf"))


@pytest.fixture
def document(client: Client, event: Json) -> Json:
    return client.get(f"/v1/documents/{event['document_id']}").json()


@pytest.fixture
def flag(runtime: Runtime, identity: Identity, document: Json) -> Callable[[str, list[str], float], None]:
    """Gives flags and a confidence to the passages of a page, and to the page."""

    def put(page: str, flags: list[str], confidence: float) -> None:
        with runtime.database.transaction(scope_of(identity, UUID(document["knowledge_base_id"]))) as connection:
            for statement in (
                "update chunks set flags = %s, confidence = %s where document_id = %s and first_page = %s",
                "update pages set flags = %s, confidence = %s where document_id = %s and page = %s",
            ):
                connection.execute(statement, (flags, confidence, document["id"], int(page)))

    return put


def base_of(document: Json) -> str:
    return f"/v1/knowledge-bases/{document['knowledge_base_id']}"


def left(client: Client, document: Json, **query: Any) -> list[Json]:
    return client.get(f"{base_of(document)}/review", params=query).json()["items"]


def decide(client: Client, document: Json, **body: Any) -> Any:
    return client.post(f"{base_of(document)}/review", json=body)


def take_back(client: Client, document: Json, decision_id: str) -> Any:
    return client.delete(f"{base_of(document)}/review/decisions/{decision_id}")


def found(client: Client, document: Json, query: str = WORD, **options: Any) -> list[str]:
    body = {"query": query, "k": 50, "knowledge_base_ids": [document["knowledge_base_id"]]} | options
    return [hit["chunk"]["id"] for hit in client.post("/v1/search", json=body).json()["hits"]]


def looked_up(client: Client, document: Json, address: str) -> list[str]:
    body = {"address": address, "knowledge_base_ids": [document["knowledge_base_id"]], "recursive": True}
    return [hit["chunk"]["id"] for hit in client.post("/v1/lookup", json=body).json()["hits"]]


def test_nothing_is_left_of_a_document_that_was_read_surely(client: Client, document: Json) -> None:
    assert left(client, document) == []
    assert client.get(f"{base_of(document)}/review/left").json() == {
        "chunks": 0, "pages": 0, "flags": [], "documents": [],
    }  # fmt: skip


def test_the_worst_page_comes_first_and_its_passages_behind_it(
    client: Client, document: Json, flag: Callable[[str, list[str], float], None]
) -> None:
    flag("2", ["odd_spacing"], 0.8)
    flag("3", ["garbled_text", "odd_spacing"], 0.4)
    items = left(client, document)
    assert [item["page"] for item in items] == [3] * 5 + [2] * 5
    assert [item["kind"] for item in items] == ["page", *["chunk"] * 4] * 2
    assert [item["ordinal"] for item in items[1:5]] == sorted(item["ordinal"] for item in items[1:5])
    assert {item["document_id"] for item in items} == {document["id"]}
    pages = [client.get(f"{base_of(document)}/review", params={"limit": 4}).json()]
    while cursor := pages[-1]["next_cursor"]:
        pages.append(client.get(f"{base_of(document)}/review", params={"limit": 4, "cursor": cursor}).json())
    assert [item for page in pages for item in page["items"]] == items
    assert len(pages) == 3
    assert len(left(client, document, flag="garbled_text")) == 5
    assert left(client, document, flag="ocr") == []
    assert left(client, document, document_id=document["id"]) == items
    assert client.get(f"{base_of(document)}/review", params={"document_id": str(new_id())}).status_code == 404
    counted = client.get(f"{base_of(document)}/review/left").json()
    assert (counted["chunks"], counted["pages"]) == (8, 2)
    assert counted["flags"] == [
        {"flag": "odd_spacing", "chunks": 8, "alone": 4},
        {"flag": "garbled_text", "chunks": 4, "alone": 0},
    ]
    assert counted["documents"] == [{"id": document["id"], "name": "parts.pdf", "chunks": 8, "pages": 2}]


def test_a_rejected_passage_answers_nothing_until_that_is_taken_back(client: Client, document: Json) -> None:
    before = found(client, document)
    chunk = before[0]
    address = next(c for c in chunks_of(client, document) if c["id"] == chunk)["section_id"]
    assert chunk in looked_up(client, document, address)
    done = decide(client, document, verdict="rejected", chunk_ids=[chunk], note="a caption of another car")
    assert done.status_code == 201
    assert (done.json()["chunks"], done.json()["pages"]) == (1, 0)
    for index in ("hybrid", "fts", "vector"):
        assert chunk not in found(client, document, index=index), index
    assert chunk not in found(client, document, "", types=["text", "list", "heading"])
    assert chunk not in looked_up(client, document, address)
    ask = {"question": f"What does the {WORD} weigh?", "knowledge_base_ids": [document["knowledge_base_id"]]}
    assert chunk not in [hit["chunk"]["id"] for hit in client.post("/v1/ask", json=ask).json()["hits"]]
    assert chunk in [c["id"] for c in chunks_of(client, document)]
    (review,) = client.get(f"/v1/documents/{document['id']}/review").json()
    assert (review["chunk_id"], review["verdict"], review["note"]) == (chunk, "rejected", "a caption of another car")
    assert take_back(client, document, done.json()["decision_id"]).json() == done.json()
    assert found(client, document) == before
    assert take_back(client, document, done.json()["decision_id"]).status_code == 404


def chunks_of(client: Client, document: Json) -> list[Json]:
    return client.get(f"/v1/documents/{document['id']}/chunks").json()["items"]


def test_what_is_accepted_is_left_no_more_until_it_has_another_flag(
    client: Client, document: Json, flag: Callable[[str, list[str], float], None]
) -> None:
    flag("2", ["odd_spacing"], 0.9)
    chunk = left(client, document)[0]["chunk_id"]
    decide(client, document, verdict="accepted", chunk_ids=[chunk])
    assert chunk not in [item["chunk_id"] for item in left(client, document)]
    assert chunk in found(client, document, "colour")
    flag("2", ["odd_spacing", "garbled_text"], 0.9)
    assert chunk in [item["chunk_id"] for item in left(client, document)]


def test_the_decision_about_a_page_is_about_its_passages(
    client: Client, document: Json, flag: Callable[[str, list[str], float], None]
) -> None:
    flag("2", ["odd_spacing"], 0.6)
    flag("3", ["odd_spacing"], 0.6)
    on_two = {c["id"] for c in chunks_of(client, document) if c["boxes"][0]["page"] == 2}
    one = min(on_two)
    decide(client, document, verdict="rejected", chunk_ids=[one])
    accepted = decide(client, document, verdict="accepted", pages=[{"document_id": document["id"], "page": 2}]).json()
    assert (accepted["chunks"], accepted["pages"]) == (3, 1)
    assert {item["page"] for item in left(client, document)} == {3}
    assert on_two & set(found(client, document, "colour weighs event")) == on_two - {one}
    rejected = decide(client, document, verdict="rejected", pages=[{"document_id": document["id"], "page": 2}]).json()
    assert not on_two & set(found(client, document, "colour weighs event"))
    take_back(client, document, rejected["decision_id"])
    assert len(left(client, document, document_id=document["id"])) == 4 + 5


def test_all_with_one_flag_and_no_other_are_accepted_at_once_and_taken_back_at_once(
    client: Client, document: Json, flag: Callable[[str, list[str], float], None]
) -> None:
    flag("1", ["odd_spacing"], 0.6)
    flag("2", ["odd_spacing", "garbled_text"], 0.6)
    before = left(client, document)
    done = decide(client, document, verdict="accepted", flag="odd_spacing").json()
    assert (done["chunks"], done["pages"]) == (4, 1)
    assert {item["page"] for item in left(client, document)} == {2}
    (listed,) = client.get(f"{base_of(document)}/review/decisions").json()["items"]
    assert (listed["id"], listed["verdict"], listed["chunks"], listed["pages"], listed["stale"]) == (
        done["decision_id"], "accepted", 4, 1, 0,
    )  # fmt: skip
    take_back(client, document, done["decision_id"])
    assert left(client, document) == before
    assert decide(client, document, verdict="accepted", flag="odd_spacing", document_id=document["id"]).json() | {
        "decision_id": ""
    } == {"decision_id": "", "chunks": 4, "pages": 1}
    whole = decide(client, document, verdict="accepted", document_id=document["id"]).json()
    assert (whole["chunks"], whole["pages"]) == (4, 1)
    assert left(client, document) == []


def test_a_decision_that_names_nothing_or_too_much_says_what_to_give(client: Client, document: Json) -> None:
    assert decide(client, document, verdict="accepted").status_code == 422
    both = decide(client, document, verdict="accepted", flag="ocr", chunk_ids=[str(new_id())])
    assert both.status_code == 422
    assert "or a `flag`" in both.text
    assert decide(client, document, verdict="rejected", flag="ocr").status_code == 422
    unknown = decide(client, document, verdict="rejected", chunk_ids=[str(new_id())])
    assert unknown.status_code == 404
    page = decide(client, document, verdict="accepted", pages=[{"document_id": document["id"], "page": 9}])
    assert page.status_code == 404
    assert client.get(f"{base_of(document)}/review/decisions").json()["items"] == []


def test_a_rejected_document_answers_nothing_until_that_is_taken_back(client: Client, document: Json) -> None:
    address, before = f"/v1/documents/{document['id']}/review", found(client, document)
    rejected = client("PUT", address, json={"state": "rejected", "note": "a draft"}).json()
    assert (rejected["review"], rejected["review_note"]) == ("rejected", "a draft")
    assert rejected["reviewed_by"]
    assert rejected["reviewed_at"]
    assert found(client, document) == []
    assert found(client, document, documents=[document["id"]], include_superseded=True) == []
    assert looked_up(client, document, "C1.1") == []
    back = client("PUT", address, json={"state": "unreviewed"}).json()
    assert (back["review"], back["reviewed_by"], back["reviewed_at"], back["review_note"]) == (
        "unreviewed", None, None, None,
    )  # fmt: skip
    assert found(client, document) == before


def test_only_approved_documents_answer_where_the_knowledge_base_asks_for_that(client: Client, document: Json) -> None:
    before = found(client, document)
    changed = client("PATCH", base_of(document), json={"approved_only": True}).json()
    assert changed["approved_only"] is True
    assert found(client, document) == looked_up(client, document, "C1.1") == []
    client("PUT", f"/v1/documents/{document['id']}/review", json={"state": "approved"})
    assert found(client, document) == before
    client("PUT", f"/v1/documents/{document['id']}/review", json={"state": "unreviewed"})
    assert found(client, document) == []
    client("PATCH", base_of(document), json={"approved_only": False})
    assert found(client, document) == before


def test_a_viewer_sees_what_was_decided_and_decides_nothing(
    client: Client, client_of: Callable[[Identity], Client], viewer: Identity, document: Json
) -> None:
    chunk = found(client, document)[0]
    done = decide(client, document, verdict="rejected", chunk_ids=[chunk]).json()
    looking = client_of(viewer)
    assert [r["chunk_id"] for r in looking.get(f"/v1/documents/{document['id']}/review").json()] == [chunk]
    assert [d["id"] for d in looking.get(f"{base_of(document)}/review/decisions").json()["items"]] == [
        done["decision_id"]
    ]
    assert chunk not in found(looking, document)
    assert decide(looking, document, verdict="accepted", chunk_ids=[chunk]).status_code == 403
    assert take_back(looking, document, done["decision_id"]).status_code == 403
    refused = looking("PUT", f"/v1/documents/{document['id']}/review", json={"state": "approved"})
    assert refused.status_code == 403


def test_a_decision_survives_another_run_and_says_so_where_it_does_not(
    runtime: Runtime, identity: Identity, client: Client, event: Json, document: Json
) -> None:
    """What an edit takes away is not there as it was; undoing the edit brings the decision back with the passage."""
    first, second = found(client, document)[:2]
    decide(client, document, verdict="rejected", chunk_ids=[first])
    decide(client, document, verdict="rejected", chunk_ids=[second])
    run = reingest(runtime, identity, UUID(document["id"]))
    run_all(runtime, event | {"ingestion_id": str(run.id)})
    assert {r["stale"] for r in client.get(f"/v1/documents/{document['id']}/review").json()} == {None}
    assert not {first, second} & set(found(client, document))
    revision = client.get(f"/v1/documents/{document['id']}").json()["revision"]
    edit = {"kind": "retype", "chunk_id": first, "chunk_type": "footnote"}
    address = f"/v1/documents/{document['id']}/edits"
    made = client.post(address, json={"revision": revision, "edit": edit}).json()
    stale = {r["chunk_id"]: r["stale"] for r in client.get(f"/v1/documents/{document['id']}/review").json()}
    assert stale == {first: "the passage is no longer there as it was", second: None}
    (gone, _) = sorted(client.get(f"{base_of(document)}/review/decisions").json()["items"], key=lambda d: -d["stale"])
    assert (gone["stale"], gone["reason"]) == (1, "the passage is no longer there as it was")
    assert made["chunks"][0]["id"] in found(client, document)
    client.post(f"{address}/{made['edit']['id']}/undo", json={"revision": made["revision"]})
    assert {r["stale"] for r in client.get(f"/v1/documents/{document['id']}/review").json()} == {None}
    assert first not in found(client, document)


def test_whoever_corrects_a_flagged_passage_has_looked_at_it_until_the_edit_is_undone(
    runtime: Runtime, identity: Identity, client: Client
) -> None:
    base = make_knowledge_base(runtime, identity, new_id().hex)
    made = run_all(runtime, upload(runtime, identity, base, doubtful(), "doubt.pdf"))
    document = client.get(f"/v1/documents/{made['document_id']}").json()
    text = next(item for item in left(client, document) if "flywheel of class 1" in item["content"])
    edit = {"kind": "retype", "chunk_id": text["chunk_id"], "chunk_type": "footnote"}
    address = f"/v1/documents/{document['id']}/edits"
    done = client.post(address, json={"revision": document["revision"], "edit": edit}).json()
    assert done["chunks"][0]["flags"] == ["invisible_text"]
    assert not [item for item in left(client, document) if "flywheel of class 1" in item["content"]]
    (review,) = client.get(f"/v1/documents/{document['id']}/review").json()
    assert (review["verdict"], review["decision_id"]) == ("corrected", done["edit"]["id"])
    assert done["chunks"][0]["id"] in found(client, document, "flywheel")
    client.post(f"{address}/{done['edit']['id']}/undo", json={"revision": done["revision"]})
    assert text["chunk_id"] in [item["chunk_id"] for item in left(client, document)]
    assert client.get(f"/v1/documents/{document['id']}/review").json() == []


def test_the_rows_of_a_table_are_decided_with_it(
    runtime: Runtime, identity: Identity, client: Client, document: Json,
    flag: Callable[[str, list[str], float], None],
) -> None:  # fmt: skip
    flag("2", ["uncertain_tables"], 0.6)
    table, row, *others = [c["id"] for c in chunks_of(client, document) if c["boxes"][0]["page"] == 2]
    with runtime.database.transaction(scope_of(identity, UUID(document["knowledge_base_id"]))) as connection:
        grid = new_id()
        connection.execute(
            "insert into tables (organization_id, knowledge_base_id, document_id, id, content_hash, occurrence,"
            " header_rows, caption, first_page, last_page, grid) select organization_id, knowledge_base_id, id, %s,"
            " 'x', 0, 1, '', 2, 2, '[]' from documents where id = %s",
            (grid, document["id"]),
        )
        for chunk, kind in ((table, "table"), (row, "table_row")):
            connection.execute("update chunks set table_id = %s, chunk_type = %s where id = %s", (grid, kind, chunk))
    assert {item["chunk_id"] for item in left(client, document)} == {None, table, *others}
    done = decide(client, document, verdict="rejected", chunk_ids=[table]).json()
    assert done["chunks"] == 2
    assert not {table, row} & set(found(client, document, "Wheels colour weighs event"))
    alone = decide(client, document, verdict="accepted", chunk_ids=[row]).json()
    assert alone["chunks"] == 1
    assert row in found(client, document, "Wheels colour weighs event")
