"""Scans through the real stages: chunks marked as OCR, proof that counts them apart, and what happens without OCR."""

import dataclasses
import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pymupdf
import pytest

from shared.adapters.local.ocr_models import find_models
from shared.adapters.local.ocr_onnx import OnnxOcr
from shared.domain.scope import Identity, Scope
from shared.library.verification import verify_stored_document
from shared.ports import OcrWord
from shared.runtime import Runtime
from tests.pipeline import make_knowledge_base, run_all, scope_of, upload
from tests.readers.scans import LEFT, lines, write_mixed, write_scan

TYPED = ["This page was typed on a machine.", "A scanned notice is shown below:"]


@pytest.fixture(scope="module")
def with_ocr(runtime: Runtime) -> Runtime:
    models = find_models()
    assert models is not None, "the OCR models are missing; run `make setup`"
    engine = OnnxOcr(models)
    return dataclasses.replace(runtime, load_ocr=lambda: engine)


def ingest(runtime: Runtime, identity: Identity, file: Path) -> tuple[Scope, UUID, dict[str, Any]]:
    base = make_knowledge_base(runtime, identity, file.stem)
    answer = run_all(runtime, upload(runtime, identity, base, file.read_bytes(), file.name))
    return scope_of(identity, base), UUID(answer["document_id"]), answer


def rows(runtime: Runtime, scope: Scope, document: UUID, table: str) -> list[dict[str, Any]]:
    with runtime.database.transaction(scope) as connection:
        if table == "pages":
            return connection.execute(
                "select * from pages where document_id = %s order by page", (document,)
            ).fetchall()
        return connection.execute(
            "select * from chunks where document_id = %s order by ordinal", (document,)
        ).fetchall()


def test_a_scan_becomes_chunks_that_say_they_are_ocr(with_ocr: Runtime, identity: Identity, tmp_path: Path) -> None:
    scope, document, _ = ingest(with_ocr, identity, write_scan(tmp_path / "scan.pdf", lines(LEFT), noise=4))
    chunks = rows(with_ocr, scope, document, "chunks")
    assert " ".join(LEFT) in " ".join(chunk["content"] for chunk in chunks)
    assert all(chunk["ocr"] and "ocr" in chunk["flags"] and chunk["boxes"] for chunk in chunks)
    (page,) = rows(with_ocr, scope, document, "pages")
    assert page["route"] == "ocr"
    assert "pp-ocr" in page["extractor_version"]
    report = verify_stored_document(with_ocr, identity, document)
    assert report.ok, report.failures
    assert (report.ocr, report.verbatim, report.failed) == (len(chunks), 0, 0)
    assert report.boxes_exact == len(chunks)


def test_a_scanned_part_of_a_typed_page_is_read_beside_its_text_layer(
    with_ocr: Runtime, identity: Identity, tmp_path: Path
) -> None:
    rect = pymupdf.Rect(60, 120, 360, 290)
    file = write_mixed(tmp_path / "mixed.pdf", lines(TYPED), lines(LEFT[:5], step=20), rect)
    scope, document, _ = ingest(with_ocr, identity, file)
    chunks = rows(with_ocr, scope, document, "chunks")
    typed = [chunk for chunk in chunks if not chunk["ocr"]]
    scanned = [chunk for chunk in chunks if chunk["ocr"]]
    assert TYPED[0] in " ".join(chunk["content"] for chunk in typed)
    assert "steward" in " ".join(chunk["content"] for chunk in scanned)
    assert rows(with_ocr, scope, document, "pages")[0]["route"] == "mixed"
    report = verify_stored_document(with_ocr, identity, document)
    assert report.ok, report.failures
    assert (report.ocr, report.verbatim, report.second_reader) == (len(scanned), len(typed), len(typed))


def test_recognised_text_that_was_changed_afterwards_fails_verification(
    with_ocr: Runtime, identity: Identity, tmp_path: Path
) -> None:
    scope, document, answer = ingest(with_ocr, identity, write_scan(tmp_path / "changed.pdf", lines(LEFT[:4])))
    key = f"work/{scope.organization_id}/{scope.knowledge_base_ids[0]}/{document}/{answer['ingestion_id']}/pages/1.json"
    page = json.loads(with_ocr.blobs.get(key))
    page["fragments"][0]["text"] = "Invented words"
    with_ocr.blobs.put(key, json.dumps(page).encode())
    report = verify_stored_document(with_ocr, identity, document)
    assert not report.ok
    assert report.failed >= 1
    assert report.failures[0].check == "verbatim"


def test_blank_paper_is_an_empty_page_and_no_failure(with_ocr: Runtime, identity: Identity, tmp_path: Path) -> None:
    file = tmp_path / "half.pdf"
    with pymupdf.open(write_scan(tmp_path / "a.pdf", lines(LEFT[:3]))) as first:
        with pymupdf.open(write_scan(tmp_path / "b.pdf", [], noise=2)) as blank:
            first.insert_pdf(blank)
        first.save(file)
    scope, document, _ = ingest(with_ocr, identity, file)
    pages = rows(with_ocr, scope, document, "pages")
    assert [page["route"] for page in pages] == ["ocr", "empty"]
    assert pages[1]["status"] != "failed"
    assert "no_text_layer" not in pages[1]["flags"]
    assert verify_stored_document(with_ocr, identity, document).ok


class ReadsNothing:
    """An engine that does not know the script of the page."""

    version = "reads-nothing"

    def read(self, image: bytes) -> list[OcrWord]:
        return []


def test_a_scan_in_which_the_engine_finds_no_word_is_flagged_as_unread_and_not_called_empty(
    runtime: Runtime, identity: Identity, tmp_path: Path
) -> None:
    blind = dataclasses.replace(runtime, load_ocr=ReadsNothing)
    scope, document, _ = ingest(blind, identity, write_scan(tmp_path / "script.pdf", lines(LEFT)))
    (page,) = rows(blind, scope, document, "pages")
    assert page["route"] == "ocr"
    assert "no_text_layer" in page["flags"]
    assert page["confidence"] < 0.7


def test_without_an_engine_the_page_is_flagged(runtime: Runtime, identity: Identity, tmp_path: Path) -> None:
    without = dataclasses.replace(runtime, load_ocr=lambda: None)
    scope, document, _ = ingest(without, identity, write_scan(tmp_path / "unread.pdf", lines(LEFT[:3])))
    (page,) = rows(without, scope, document, "pages")
    assert page["route"] == "ocr"
    assert "no_text_layer" in page["flags"]
