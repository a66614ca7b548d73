"""The stages over real files, in this process: idempotent, complete, and clear about what they refuse."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID

import pymupdf
import pytest

from shared.adapters.local.postgres import EmbeddedPostgres
from shared.contract import MAX_UPLOAD_BYTES, STAGES, Env
from shared.domain.knowledge import SearchResult
from shared.domain.scope import Identity, Scope
from shared.errors import BadInput, Conflict, LeaseLost, NotFound
from shared.ingestion import mark_failed
from shared.ingestion.uploads import (
    UploadRequest,
    create_upload,
    get_ingestion,
    receive_upload,
    reingest,
)
from shared.library.documents import get_document
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from tests.pipeline import (
    PRICES,
    RULES_2025,
    RULES_2026,
    chunk_rows,
    make_knowledge_base,
    run_all,
    run_stage,
    scope_of,
    shards,
    upload,
)
from tests.readers.made import pdf


def small_pdf(text: str) -> bytes:
    with pymupdf.open() as document:
        for number, part in enumerate(("Wings", "Wheels and tyres", "Brakes"), 1):
            page = document.new_page()
            page.insert_text((72, 200 + 40 * number), f"C{number} {part}", fontsize=18)
            page.insert_text((72, 400), f"C{number}.1 The {text} of page {number} weighs {number} kg.")
        return document.tobytes()


@pytest.fixture(scope="module")
def knowledge_base(runtime: Runtime, identity: Identity) -> UUID:
    return make_knowledge_base(runtime, identity, "ingestion")


@pytest.fixture(scope="module")
def scope(identity: Identity, knowledge_base: UUID) -> Scope:
    return scope_of(identity, knowledge_base)


@pytest.fixture
def worker_environment(
    monkeypatch: pytest.MonkeyPatch, postgres: EmbeddedPostgres, database_name: str, test_home: Path
) -> None:
    monkeypatch.setenv(Env.HOME, str(test_home / database_name))
    monkeypatch.setenv(Env.DATABASE_URL, postgres.dsn(database=database_name))


def test_a_document_ends_ready_with_every_stage_done(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, scope: Scope
) -> None:
    event = upload(runtime, identity, knowledge_base, PRICES.read_bytes(), "prices.pdf")
    answer = run_all(runtime, event)
    ingestion = get_ingestion(runtime, identity, UUID(event["upload_id"]))
    document = get_document(runtime, identity, UUID(answer["document_id"]))
    assert (ingestion.status, document.status, document.error) == ("ready", "ready", None)
    assert [stage.status for stage in ingestion.stages] == ["done"] * len(STAGES)
    assert document.pages == 3
    assert document.chunks == len(chunk_rows(runtime, scope, document.id)) > 50


def test_every_stage_may_run_twice(runtime: Runtime, identity: Identity, knowledge_base: UUID, scope: Scope) -> None:
    event = upload(runtime, identity, knowledge_base, small_pdf("twice"))
    answer = run_stage(runtime, "register", event)
    assert run_stage(runtime, "register", event) == answer
    for stage in STAGES[1:]:
        for _ in range(2):
            for work in shards(runtime, answer) if stage.mapped else [answer]:
                run_stage(runtime, stage.name, work)
    contents = [row["content"] for row in chunk_rows(runtime, scope, answer["document_id"])]
    assert len(contents) == len(set(contents)) == 6


def test_a_reingest_keeps_the_ids(runtime: Runtime, identity: Identity, knowledge_base: UUID, scope: Scope) -> None:
    answer = run_all(runtime, upload(runtime, identity, knowledge_base, small_pdf("again")))
    before = chunk_rows(runtime, scope, answer["document_id"])
    started = reingest(runtime, identity, UUID(answer["document_id"]))
    with pytest.raises(Conflict, match="being ingested"):
        reingest(runtime, identity, UUID(answer["document_id"]))
    again = {"key": "", **answer, "ingestion_id": str(started.id)}
    again.pop("outcome")
    run_all(runtime, again)
    assert chunk_rows(runtime, scope, answer["document_id"]) == before
    assert get_ingestion(runtime, identity, started.id).status == "ready"


def test_the_same_bytes_again_are_the_same_document(runtime: Runtime, identity: Identity, knowledge_base: UUID) -> None:
    data = small_pdf("duplicate")
    first = run_all(runtime, upload(runtime, identity, knowledge_base, data))
    event = upload(runtime, identity, knowledge_base, data, "other name.pdf")
    answer = run_stage(runtime, "register", event)
    ingestion = get_ingestion(runtime, identity, UUID(event["upload_id"]))
    assert answer == {"outcome": "duplicate", "document_id": first["document_id"]}
    assert (ingestion.duplicate, str(ingestion.document_id)) == (True, first["document_id"])
    assert not runtime.blobs.exists(event["key"])


def test_twenty_uploads_of_one_file_at_once_are_one_document(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, scope: Scope
) -> None:
    data = small_pdf("twenty")
    events = [upload(runtime, identity, knowledge_base, data) for _ in range(20)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda event: run_stage(runtime, "register", event), events))
    assert len({answer["document_id"] for answer in answers}) == 1
    assert sorted(answer["outcome"] for answer in answers) == ["duplicate"] * 19 + ["run"]
    with runtime.database.transaction(scope) as connection:
        rows = connection.execute(
            "select 1 from logical_documents l"
            " where not exists (select from documents where logical_document_id = l.id)"
        ).fetchall()
    assert rows == []


def test_a_newer_version_becomes_current_when_it_is_published_and_not_before(
    runtime: Runtime, identity: Identity
) -> None:
    base = make_knowledge_base(runtime, identity, "versions")
    old = run_all(runtime, upload(runtime, identity, base, small_pdf("edition"), "rules.pdf", label="2025"))
    event = upload(
        runtime, identity, base, small_pdf("edition two"), "rules2.pdf", UUID(old["document_id"]), label="2026"
    )
    new = run_all(runtime, event, until="embed")

    def found() -> SearchResult:
        return search(runtime, identity, SearchRequest(query="weighs", knowledge_base_ids=[base]))

    assert {str(hit.document.id) for hit in found().hits} == {old["document_id"]}
    run_stage(runtime, "publish", new)
    assert {str(hit.document.id) for hit in found().hits} == {new["document_id"]}
    version = get_document(runtime, identity, UUID(new["document_id"])).version
    assert (version.label, version.index, version.is_current) == ("2026", 2, True)
    assert not get_document(runtime, identity, UUID(old["document_id"])).version.is_current


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "damaged or cut off; open it in a viewer, save it again and upload that"),
        (b"hello, this is a letter", "called .pdf but looks like plain text; rename it to .txt"),
        (RULES_2025.read_bytes()[:900], "PDF"),
    ],
    ids=["a picture", "plain text", "truncated"],
)
def test_a_file_that_cannot_be_opened_is_refused_with_one_sentence(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, data: bytes, sentence: str
) -> None:
    event = upload(runtime, identity, knowledge_base, data, "bad.pdf")
    answer = run_all(runtime, event)
    ingestion = get_ingestion(runtime, identity, UUID(event["upload_id"]))
    assert answer["outcome"] == "refused"
    assert ingestion.status == "refused"
    assert ingestion.error is not None
    assert sentence in ingestion.error
    assert "\n" not in ingestion.error


def test_a_file_whose_pages_are_all_blank_is_refused_and_not_called_verbatim(
    runtime: Runtime, identity: Identity, knowledge_base: UUID
) -> None:
    with pymupdf.open() as document:
        document.new_page()
        document.new_page()
        data = document.tobytes()
    event = upload(runtime, identity, knowledge_base, data)
    assert run_all(runtime, event)["outcome"] == "refused"
    assert "2 pages has any text" in (get_ingestion(runtime, identity, UUID(event["upload_id"])).error or "")


@pytest.mark.parametrize(
    ("filename", "size", "sentence"),
    [
        ("../secret.pdf", 10, "without folders"),
        ("a\\b.pdf", 10, "without folders"),
        ("empty.pdf", 0, "empty"),
        ("huge.pdf", 1024**3, f"limit is {MAX_UPLOAD_BYTES // 1024**2} MB"),
    ],
)
def test_an_upload_that_cannot_be_is_refused_before_it_is_sent(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, filename: str, size: int, sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        create_upload(
            runtime,
            identity,
            UploadRequest(filename=filename, size=size, sha256="0" * 64, knowledge_base_id=knowledge_base),
        )


def test_bytes_that_are_not_those_announced_are_refused(
    runtime: Runtime, identity: Identity, knowledge_base: UUID
) -> None:
    request = UploadRequest(
        filename="a.pdf", size=10, sha256=hashlib.sha256(b"x" * 10).hexdigest(), knowledge_base_id=knowledge_base
    )
    with pytest.raises(BadInput, match="10 bytes were announced"):
        receive_upload(runtime, identity, create_upload(runtime, identity, request).upload_id, [b"x" * 11])
    ticket = create_upload(runtime, identity, request)
    key = f"incoming/{identity.organization_id}/{knowledge_base}/{ticket.upload_id}/source"
    with pytest.raises(BadInput, match="SHA-256 differs"):
        receive_upload(runtime, identity, ticket.upload_id, [b"y" * 10])
    assert not runtime.blobs.exists(key)
    runtime.blobs.put(key, b"y" * 10)
    assert run_stage(runtime, "register", {"key": key})["outcome"] == "refused"
    assert "damaged" in (get_ingestion(runtime, identity, ticket.upload_id).error or "")
    assert run_stage(runtime, "register", upload(runtime, identity, knowledge_base, b"y" * 10))["outcome"] == "refused"
    assert not runtime.blobs.exists(key)


def test_another_organization_can_neither_upload_nor_read_nor_reingest(
    runtime: Runtime, identity: Identity, other_identity: Identity, knowledge_base: UUID
) -> None:
    event = upload(runtime, identity, knowledge_base, small_pdf("ours"))
    answer = run_all(runtime, event)
    with pytest.raises(NotFound):
        create_upload(
            runtime,
            other_identity,
            UploadRequest(filename="a.pdf", size=1, sha256="0" * 64, knowledge_base_id=knowledge_base),
        )
    with pytest.raises(NotFound):
        get_ingestion(runtime, other_identity, UUID(event["upload_id"]))
    with pytest.raises(NotFound):
        reingest(runtime, other_identity, UUID(answer["document_id"]))


def test_an_object_that_nobody_announced_is_refused(runtime: Runtime, identity: Identity, knowledge_base: UUID) -> None:
    key = f"incoming/{identity.organization_id}/{knowledge_base}/{identity.user_id}/source"
    runtime.blobs.put(key, RULES_2026.read_bytes())
    assert run_stage(runtime, "register", {"key": key})["outcome"] == "refused"
    with pytest.raises(BadInput):
        run_stage(runtime, "register", {"key": "incoming/../../etc/passwd"})


def test_a_page_that_cannot_be_done_costs_that_page_only(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, scope: Scope, worker_environment: None
) -> None:
    answer = run_all(runtime, upload(runtime, identity, knowledge_base, small_pdf("poison")), until="parse")
    shard = shards(runtime, answer)[0]
    work = f"work/{answer['organization_id']}/{knowledge_base}/{answer['document_id']}/{answer['ingestion_id']}/"
    runtime.blobs.put(f"{work}pages/2.json", b'{"page": 2, "route": "poison"}')
    with pytest.raises(ValueError, match="route"):
        run_stage(runtime, "extract", shard)
    run_stage(runtime, "extract", {**shard, "isolated": True})
    for stage in ("finalize", "embed", "publish"):
        run_stage(runtime, stage, answer)
    document = get_document(runtime, identity, UUID(answer["document_id"]))
    assert document.status == "ready_with_errors"
    assert "page 2" in (document.error or "")
    pages = {row["boxes"][0]["page"] for row in chunk_rows(runtime, scope, document.id)}
    assert pages == {1, 3}


def test_a_page_that_the_tree_leads_nowhere_for_is_said_in_one_sentence(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, worker_environment: None
) -> None:
    ring = (b"<</Type/Pages/Kids[6 0 R]/Count 1>>", b"<</Type/Pages/Kids[5 0 R]/Count 1>>")
    data = pdf(b"<</Type/Pages/Kids[3 0 R 5 0 R]/Count 2>>", more=ring)
    answer = run_stage(runtime, "register", upload(runtime, identity, knowledge_base, data))
    for stage in ("render", "parse", "extract"):
        for shard in shards(runtime, answer):
            run_stage(runtime, stage, {**shard, "isolated": True})
    for stage in ("finalize", "embed", "publish"):
        run_stage(runtime, stage, answer)
    assert get_document(runtime, identity, UUID(answer["document_id"])).error == (
        "Could not read page 2 (render: Page 2 of the PDF cannot be read (cycle in page tree); save the file again in a"
        " viewer). The other pages are ready; reingest to try again."
    )


def test_giving_up_stores_the_reason_and_keeps_what_was_done(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, scope: Scope
) -> None:
    answer: dict[str, Any] = run_all(
        runtime, upload(runtime, identity, knowledge_base, small_pdf("failed")), until="embed"
    )
    mark_failed.run(runtime, {**answer, "error": {"Error": "X", "Cause": "The database is gone"}})
    document = get_document(runtime, identity, UUID(answer["document_id"]))
    assert document.status == "failed"
    assert document.error == f"The database is gone. {mark_failed.ADVICE}"
    assert len(chunk_rows(runtime, scope, document.id)) == 6


def test_the_reason_of_a_lambda_error_is_its_message_and_not_its_stack_trace(
    runtime: Runtime, identity: Identity, knowledge_base: UUID
) -> None:
    answer = run_all(runtime, upload(runtime, identity, knowledge_base, small_pdf("lambda")), until="render")
    cause = json.dumps({"errorMessage": "Page 2 is broken.", "errorType": "ValueError", "stackTrace": ["line 1"]})
    mark_failed.run(runtime, {**answer, "error": {"Error": "ValueError", "Cause": cause}})
    document = get_document(runtime, identity, UUID(answer["document_id"]))
    assert document.error == f"Page 2 is broken. {mark_failed.ADVICE}"


def test_an_event_told_twice_after_a_reingest_touches_nothing(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, scope: Scope
) -> None:
    event = upload(runtime, identity, knowledge_base, small_pdf("told twice"))
    answer = run_all(runtime, event)
    started = reingest(runtime, identity, UUID(answer["document_id"]))
    run_all(runtime, {**{k: v for k, v in answer.items() if k != "outcome"}, "ingestion_id": str(started.id)})
    assert run_stage(runtime, "register", event)["outcome"] == "duplicate"
    assert get_ingestion(runtime, identity, UUID(event["upload_id"])).status == "ready"


def test_an_older_run_does_not_publish_over_a_newer_one(
    runtime: Runtime, identity: Identity, knowledge_base: UUID
) -> None:
    answer = run_all(runtime, upload(runtime, identity, knowledge_base, small_pdf("older")))
    reingest(runtime, identity, UUID(answer["document_id"]))
    for stage in ("finalize", "publish"):
        with pytest.raises(LeaseLost):
            run_stage(runtime, stage, answer)
    mark_failed.run(runtime, {**answer, "error": {"Cause": "too late"}})
    assert get_document(runtime, identity, UUID(answer["document_id"])).status == "queued"


def test_a_document_stays_on_show_while_it_is_run_again(
    runtime: Runtime, identity: Identity, knowledge_base: UUID
) -> None:
    answer = run_all(runtime, upload(runtime, identity, knowledge_base, small_pdf("on show")))
    document_id = UUID(answer["document_id"])
    started = reingest(runtime, identity, document_id)
    again = {**{k: v for k, v in answer.items() if k != "outcome"}, "ingestion_id": str(started.id)}
    run_all(runtime, again, until="extract")
    assert str(get_document(runtime, identity, document_id).ingestion_id) == answer["ingestion_id"]
    run_stage(runtime, "finalize", again)
    assert get_document(runtime, identity, document_id).ingestion_id == started.id
