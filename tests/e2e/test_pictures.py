"""Pictures in sources without pages through the real stages: figures, their images, recognised text, the proof."""

import dataclasses
import json
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from PIL import Image

from shared.adapters.local.ocr_models import find_models
from shared.adapters.local.ocr_onnx import OnnxOcr
from shared.domain.scope import Identity, Scope
from shared.errors import NotFound
from shared.library.documents import delete_document
from shared.library.pages import figure_image_key
from shared.library.verification import verify_stored_document
from shared.runtime import Runtime
from tests.e2e.test_ocr import ReadsNothing, ingest, rows
from tests.readers.illustrated import EMF, INVOICE, drawing, pic, png, scanned, write_docx, write_pptx
from tests.readers.test_docx import p
from tests.readers.test_pptx import shape

SCAN = (400, 560)


@pytest.fixture(scope="module")
def with_ocr(runtime: Runtime) -> Runtime:
    models = find_models()
    assert models is not None, "the OCR models are missing; run `make setup`"
    engine = OnnxOcr(models)
    return dataclasses.replace(runtime, load_ocr=lambda: engine)


def pictured(path: Path) -> Path:
    """A Word text with a photograph of a pump, its caption, and the scan of an invoice."""
    body = p("Text before.", more=drawing("media/pump.png", described="A pump from the left"))
    body += p("Figure 1: The pump", "C") + p("Between.", more=drawing("media/scan.jpg", *SCAN)) + p("Behind.")
    return write_docx(path, body, {"pump.png": png(), "scan.jpg": scanned()})


def work_of(scope: Scope, document: UUID, answer: dict[str, Any]) -> str:
    return f"work/{scope.organization_id}/{scope.knowledge_base_ids[0]}/{document}/{answer['ingestion_id']}/"


def test_a_picture_is_a_figure_with_its_caption_and_a_scan_is_read(
    with_ocr: Runtime, identity: Identity, tmp_path: Path
) -> None:
    scope, document, _ = ingest(with_ocr, identity, pictured(tmp_path / "pump.docx"))
    chunks = rows(with_ocr, scope, document, "chunks")
    kinds = [(one["chunk_type"], one["content"], one["ocr"]) for one in chunks]
    assert kinds[:4] == [
        ("text", "Text before.", False),
        ("figure", "Figure 1: The pump\nA pump from the left", False),
        ("text", "Between.", False),
        ("figure", "", False),
    ]
    assert kinds[-1] == ("text", "Behind.", False)
    recognised = [one for one in chunks if one["ocr"]]
    assert [word for line in INVOICE for word in line.split()] == " ".join(c["content"] for c in recognised).split()
    assert all("ocr" in one["flags"] and one["confidence"] < 1 for one in recognised)
    areas = [box["picture"] for one in recognised for box in one["boxes"]]
    assert all(0 < area["y"] < area["y"] + area["h"] < 1 for area in areas)
    assert {area["id"] for area in areas} == {chunks[3]["boxes"][0]["picture"]["id"]}
    report = verify_stored_document(with_ocr, identity, document)
    assert report.ok, report.failures
    assert (report.ocr, report.failed) == (len(recognised), 0)


def test_the_image_of_a_figure_is_a_jpeg_for_those_who_may_read_the_document(
    with_ocr: Runtime, identity: Identity, other_identity: Identity, tmp_path: Path
) -> None:
    scope, document, _ = ingest(with_ocr, identity, pictured(tmp_path / "seen.docx"))
    figures = [one for one in rows(with_ocr, scope, document, "chunks") if one["chunk_type"] == "figure"]
    key = figure_image_key(with_ocr, identity, document, figures[0]["id"])
    with Image.open(BytesIO(with_ocr.blobs.get(key))) as image:
        assert (image.format, image.size) == ("JPEG", (300, 200))
    with pytest.raises(NotFound):
        figure_image_key(with_ocr, other_identity, document, figures[0]["id"])


def test_a_scan_that_no_engine_reads_lowers_the_part_and_says_why(
    runtime: Runtime, identity: Identity, tmp_path: Path
) -> None:
    for name, load in (("none", lambda: None), ("blind", ReadsNothing)):
        without = dataclasses.replace(runtime, load_ocr=load)
        scope, document, _ = ingest(without, identity, pictured(tmp_path / f"{name}.docx"))
        (page,) = rows(without, scope, document, "pages")
        assert (page["route"], page["flags"], page["confidence"]) == ("mixed", ["unread_pictures"], 0.8)
        assert verify_stored_document(without, identity, document).ok


def test_a_text_of_nothing_but_a_scan_is_no_empty_document(
    with_ocr: Runtime, identity: Identity, tmp_path: Path
) -> None:
    file = write_docx(tmp_path / "only.docx", f"<w:p>{drawing('media/a.jpg', *SCAN)}</w:p>", {"a.jpg": scanned()})
    scope, document, _ = ingest(with_ocr, identity, file)
    assert rows(with_ocr, scope, document, "pages")[0]["route"] == "ocr"
    assert verify_stored_document(with_ocr, identity, document).ok


def test_pictures_of_slides_are_figures_of_their_slide(with_ocr: Runtime, identity: Identity, tmp_path: Path) -> None:
    logo = pic("logo.png", 100, 60)
    second = shape("Second", "title") + logo + pic("scan.jpg", 400, 500, "An invoice")
    file = write_pptx(
        tmp_path / "s.pptx", shape("First", "title") + logo, second, media={"logo.png": png(), "scan.jpg": scanned()}
    )
    scope, document, answer = ingest(with_ocr, identity, file)
    figures = [one for one in rows(with_ocr, scope, document, "chunks") if one["chunk_type"] == "figure"]
    assert [(one["first_page"], one["content"]) for one in figures] == [(1, ""), (2, "An invoice")]
    assert len(list(with_ocr.blobs.list(work_of(scope, document, answer) + "pictures/"))) == 2
    assert verify_stored_document(with_ocr, identity, document).ok


def changed(runtime: Runtime, key: str, change: Any) -> None:
    page = json.loads(runtime.blobs.get(key))
    change(page)
    runtime.blobs.put(key, json.dumps(page).encode())


def test_a_picture_that_the_source_has_not_fails_the_proof(
    with_ocr: Runtime, identity: Identity, tmp_path: Path
) -> None:
    def other_picture(page: dict[str, Any]) -> None:
        page["pictures"][0]["name"] = "word/media/other.png"

    def not_in_a_picture(page: dict[str, Any]) -> None:
        page["fragments"][-1]["place"]["picture"]["id"] = "0" * 64

    def elsewhere(page: dict[str, Any]) -> None:
        page["fragments"][-1]["place"]["picture"]["y"] = 0.01

    def text_as_recognised(page: dict[str, Any]) -> None:
        page["fragments"][0] |= {"ocr": True}

    checks = {"page": other_picture, "ocr": not_in_a_picture, "box": elsewhere, "fragment": text_as_recognised}
    for check, change in checks.items():
        scope, document, answer = ingest(with_ocr, identity, pictured(tmp_path / f"{check}.docx"))
        changed(with_ocr, work_of(scope, document, answer) + "pages/1.json", change)
        report = verify_stored_document(with_ocr, identity, document)
        assert check in {one.check for one in report.failures}, (check, report.failures)


def test_drawings_and_damaged_pictures_are_told(with_ocr: Runtime, identity: Identity, tmp_path: Path) -> None:
    names = {"plan.emf": EMF, "bad.png": png()[:60]}
    body = "".join(f"<w:p>{drawing(f'media/{name}', *SCAN)}</w:p>" for name in names)
    scope, document, _ = ingest(with_ocr, identity, write_docx(tmp_path / "told.docx", p("Said.") + body, names))
    (page,) = rows(with_ocr, scope, document, "pages")
    assert page["flags"] == ["unread_pictures"]
    assert [one["chunk_type"] for one in rows(with_ocr, scope, document, "chunks")] == ["text", "figure", "figure"]
    assert verify_stored_document(with_ocr, identity, document).ok


def test_pictures_are_deleted_with_their_document(with_ocr: Runtime, identity: Identity, tmp_path: Path) -> None:
    scope, document, answer = ingest(with_ocr, identity, pictured(tmp_path / "gone.docx"))
    work = work_of(scope, document, answer)
    assert len(list(with_ocr.blobs.list(work + "pictures/"))) == 2
    delete_document(with_ocr, identity, document)
    assert list(with_ocr.blobs.list(work)) == []
