import hashlib
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from shared.archive.erasing import AskedErasure
from shared.domain.ids import new_id
from shared.domain.raw_page import Glyph
from shared.domain.scope import Identity
from shared.rereading.pdfium import PdfiumReader
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.files import three_pages
from tests.erasing import by_nobody, run_whole
from tests.pipeline import make_knowledge_base, run_all, scope_of, upload


@pytest.fixture(scope="module")
def knowledge_base(runtime: Runtime, identity: Identity) -> UUID:
    return make_knowledge_base(runtime, identity, "read side")


@pytest.fixture(scope="module")
def document(runtime: Runtime, identity: Identity, knowledge_base: UUID, client: Client) -> dict[str, Any]:
    """Three pages, ingested by the real stages, as the API describes the document."""
    event = run_all(runtime, upload(runtime, identity, knowledge_base, three_pages("wing"), "parts.pdf", label="2025"))
    return client.get(f"/v1/documents/{event['document_id']}").json()


def test_a_document_tells_its_state_its_counts_and_its_version(document: dict[str, Any]) -> None:
    assert (document["name"], document["status"], document["pages"]) == ("parts.pdf", "ready", 3)
    assert document["chunks"] > 3
    assert document["tier"] in {"green", "yellow", "red"}
    assert document["version"] == {
        "label": "2025", "index": 1, "is_current": True, "logical_document_name": "parts.pdf"
    }  # fmt: skip


def test_documents_are_listed_newest_first_within_their_knowledge_base(
    client: Client, knowledge_base: UUID, document: dict[str, Any]
) -> None:
    found = client.get("/v1/documents", params={"knowledge_base_id": str(knowledge_base)}).json()
    assert document in found["items"]
    assert sorted((d["id"] for d in found["items"]), reverse=True) == [d["id"] for d in found["items"]]


def test_chunks_come_in_order_over_all_pages_of_the_list(client: Client, document: dict[str, Any]) -> None:
    address = f"/v1/documents/{document['id']}/chunks"
    whole = client.get(address).json()["items"]
    assert [chunk["ordinal"] for chunk in whole] == list(range(document["chunks"]))
    first = client.get(address, params={"limit": 2}).json()
    second = client.get(address, params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert first["items"] + second["items"] == whole[:4]


def test_a_chunk_names_its_section_and_the_path_to_it(client: Client, document: dict[str, Any]) -> None:
    chunks = client.get(f"/v1/documents/{document['id']}/chunks").json()["items"]
    rule = next(chunk for chunk in chunks if chunk["content"].startswith("C2.1"))
    assert rule["section_id"] == "C2.1"
    assert [step["address"] for step in rule["section"]["path"]] == ["C2", "C2.1"]


def test_sections_come_in_document_order_over_all_pages_of_the_list(client: Client, document: dict[str, Any]) -> None:
    address = f"/v1/documents/{document['id']}/sections"
    whole = client.get(address).json()["items"]
    assert [s["address"] for s in whole if s["address"]] == [
        f"C{part}{rule}" for part in (1, 2, 3) for rule in ("", ".1", ".2", ".3")
    ]
    first = client.get(address, params={"limit": 4}).json()
    rest = client.get(address, params={"limit": 500, "cursor": first["next_cursor"]}).json()
    assert first["items"] + rest["items"] == whole


def test_a_page_shows_its_chunks_and_on_request_fragments_and_operations(
    client: Client, document: dict[str, Any]
) -> None:
    address = f"/v1/documents/{document['id']}/pages"
    strip = client.get(address).json()["items"]
    assert [row["page"] for row in strip] == [1, 2, 3]
    plain = client.get(f"{address}/2").json()
    assert plain["fragments"] is None
    assert len(plain["items"]) == plain["chunks"] == strip[1]["chunks"]
    full = client.get(f"{address}/2", params={"include": "fragments,operations"}).json()
    ids = {fragment["id"] for fragment in full["fragments"]}
    assert {i for chunk in full["items"] for box in chunk["boxes"] for i in box["fragment_ids"]} <= ids
    assert full["operations"]
    assert client.get(f"{address}/2", params={"include": "everything"}).status_code == 422
    assert client.get(f"{address}/4").status_code == 404


def test_a_page_image_is_kept_for_ever_under_the_run_that_made_it(client: Client, document: dict[str, Any]) -> None:
    page = client.get(f"/v1/documents/{document['id']}/pages/1").json()
    for address in (page["image_url"], page["thumbnail_url"]):
        image = client.get(address)
        assert image.content.startswith(b"\xff\xd8")
        assert "immutable" in image.headers["cache-control"]
    plain = client.get(f"/v1/documents/{document['id']}/pages/1/image")
    assert plain.headers["cache-control"] == "private, no-cache"
    again = client.get(plain.request.url.path, headers={"If-None-Match": plain.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_the_file_is_sent_as_it_was_uploaded_and_saved_under_the_documents_name(
    client: Client, runtime: Runtime, identity: Identity, knowledge_base: UUID
) -> None:
    data = three_pages("source")
    event = run_all(runtime, upload(runtime, identity, knowledge_base, data, "source.pdf"))
    address = f"/v1/documents/{event['document_id']}"
    answer = client.get(f"{address}/source")
    assert (answer.content, answer.headers["content-type"]) == (data, "application/octet-stream")
    assert answer.headers["content-disposition"] == 'attachment; filename="source.pdf"'
    client("PATCH", address, json={"name": "Rules of 2026"})
    assert "Rules%20of%202026.pdf" in client.get(f"{address}/source").headers["content-disposition"]
    assert client.get(f"/v1/documents/{new_id()}/source").status_code == 404


def test_verify_proves_the_stored_chunks_and_notices_a_changed_one(
    client: Client, runtime: Runtime, owner_dsn: str, identity: Identity, knowledge_base: UUID
) -> None:
    event = run_all(runtime, upload(runtime, identity, knowledge_base, three_pages("brake"), "proof.pdf"))
    address = f"/v1/documents/{event['document_id']}/verify"
    report = client.get(address).json()
    assert report["chunks"] == report["verbatim"] == report["boxes_exact"] > 0
    assert (report["failed"], report["unclaimed_fragments"], report["failures"]) == (0, 0, [])
    assert client.get(address).json() == report, "kept, its time included"
    assert client.get(address, params={"refresh": True}).json()["checked_at"] > report["checked_at"]
    with runtime.database.transaction(scope_of(identity, knowledge_base)) as connection:
        connection.execute(
            "update chunks set content = replace(content, 'brake', 'break') where document_id = %s"
            " and content like '%%brake of page 2%%'",
            (event["document_id"],),
        )
    again = client.get(address).json()
    assert (again["failed"], again["ok"]) == (1, False)
    assert again["failures"][0]["document_id"] == event["document_id"]
    assert again["checked_at"] > report["checked_at"]
    assert client.get(address).json() == again


def test_the_second_reader_is_never_called_by_two_requests_at_once(
    client: Client, runtime: Runtime, identity: Identity, knowledge_base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = run_all(runtime, upload(runtime, identity, knowledge_base, three_pages("clutch"), "clutch.pdf"))
    address = f"/v1/documents/{event['document_id']}/verify"
    read, inside, most = PdfiumReader.glyphs, list[int](), list[int]()

    def watched(reader: PdfiumReader, page: int, drawn: bool) -> list[Glyph] | None:
        inside.append(page)
        most.append(len(inside))
        time.sleep(0.05)
        try:
            return read(reader, page, drawn)
        finally:
            inside.pop()

    monkeypatch.setattr(PdfiumReader, "glyphs", watched)
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda _: client.get(address, params={"refresh": True}), range(3)))
    assert [(answer.status_code, answer.json()["ok"]) for answer in answers] == [(200, True)] * 3
    assert max(most) == 1
    assert len(most) == 9


def test_a_new_run_is_verified_anew(client: Client, runtime: Runtime, identity: Identity, knowledge_base: UUID) -> None:
    event = run_all(runtime, upload(runtime, identity, knowledge_base, three_pages("gear"), "gear.pdf"))
    address = f"/v1/documents/{event['document_id']}"
    first = client.get(f"{address}/verify").json()
    again = client.post(f"{address}/reingest").json()
    assert client.get(f"{address}/verify").status_code == 409
    run_all(runtime, event | {"ingestion_id": again["id"]})
    second = client.get(f"{address}/verify").json()
    assert second["checked_at"] > first["checked_at"]
    assert second["ok"]


def test_a_file_goes_through_upload_content_and_ingestion(
    client: Client, knowledge_base: UUID, runtime: Runtime
) -> None:
    data = three_pages("axle")
    announced = {
        "filename": "axle.pdf",
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "knowledge_base_id": str(knowledge_base),
    }
    ticket = client.post("/v1/uploads", json=announced).json()
    assert client.get(f"/v1/ingestions/{ticket['upload_id']}").json()["status"] == "waiting"
    sent = client(ticket["method"], ticket["url"], content=data, headers=ticket["headers"])
    assert sent.status_code == 204
    told = client.get(f"/v1/ingestions/{ticket['upload_id']}").json()
    assert (told["status"], told["filename"]) == ("queued", "axle.pdf")
    listed = client.get("/v1/ingestions", params={"knowledge_base_id": str(knowledge_base), "limit": 1}).json()
    assert listed["items"] == [told]
    assert client(ticket["method"], ticket["url"], content=data).status_code == 409


def test_a_deleted_document_leaves_neither_rows_nor_files(
    client: Client, runtime: Runtime, identity: Identity, knowledge_base: UUID
) -> None:
    before = set(runtime.blobs.list(""))
    event = run_all(runtime, upload(runtime, identity, knowledge_base, three_pages("gone"), "gone.pdf"))
    added = set(runtime.blobs.list("")) - before
    answer = client.delete(f"/v1/documents/{event['document_id']}").json()
    assert answer["objects"] == len(added) > 9
    assert answer["chunks"] > 3
    assert set(runtime.blobs.list("")) == before
    assert client.get(f"/v1/documents/{event['document_id']}").status_code == 404
    assert client.get(f"/v1/ingestions/{event['ingestion_id']}").status_code == 404


def test_when_the_current_version_is_deleted_the_one_before_is_current_again(
    client: Client, runtime: Runtime, identity: Identity, knowledge_base: UUID
) -> None:
    old = run_all(runtime, upload(runtime, identity, knowledge_base, three_pages("old"), "two.pdf"))
    new = run_all(
        runtime,
        upload(runtime, identity, knowledge_base, three_pages("new"), "two.pdf", version_of=UUID(old["document_id"])),
    )
    address = f"/v1/documents/{old['document_id']}"
    versions = client.get(f"{address}/versions").json()["items"]
    assert [(v["id"], v["version"]["is_current"]) for v in versions] == [
        (old["document_id"], False), (new["document_id"], True)
    ]  # fmt: skip
    client.delete(f"/v1/documents/{new['document_id']}")
    assert client.get(address).json()["version"]["is_current"]


def test_a_deleted_knowledge_base_takes_all_its_files_with_it(
    client: Client, runtime: Runtime, identity: Identity
) -> None:
    before = set(runtime.blobs.list(""))
    doomed = make_knowledge_base(runtime, identity, "doomed")
    run_all(runtime, upload(runtime, identity, doomed, three_pages("doom")))
    found = client.post("/v1/search", json={"query": "doom", "knowledge_base_ids": [str(doomed)]}).json()
    runtime.start_erasure = by_nobody
    answer = client.delete(f"/v1/knowledge-bases/{doomed}")
    assert answer.status_code == 202
    asked = AskedErasure.model_validate(answer.json())
    assert asked.documents == 1
    assert run_whole(runtime, identity, asked).before.objects > 9
    assert set(runtime.blobs.list("")) == before
    assert client.get(f"/v1/traces/{found['trace_id']}").status_code == 404


def test_the_api_loads_neither_the_pdf_library_nor_a_model() -> None:
    code = "import sys, functions.api.app; print(sorted({'pymupdf', 'onnxruntime', 'uvicorn'} & set(sys.modules)))"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == "[]"
