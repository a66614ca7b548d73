import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from shared.domain.draft import ChunkDraft, DocumentDraft
from shared.domain.operations import PageOperations
from shared.domain.verify import VerifyReport
from shared.errors import RefusedFile
from shared.extraction.assemble import assemble
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.extraction.validate import validate_operations
from shared.readers.pdf.document import PdfSource, open_pdf
from shared.readers.sketch import sketch_page
from shared.rereading.pdfium import PdfiumReader
from shared.verify.document import verify_document
from tests.drafts import stored_draft

AES_256 = 5  # PDF_ENCRYPT_AES_256
ROOT = Path(__file__).parents[2]
CORPORA = Path(os.environ.get("AUTRI_CORPORA", ROOT.parent / "shared/corpora"))
RULE_BOOK = ROOT / "samples/kestrel-cup-2025.pdf"


def write_pdf(path: Path, texts: Sequence[tuple[float, float, str]], rotation: int = 0, **save: Any) -> Path:
    document = pymupdf.open()
    page = document.new_page(width=400, height=600)
    for x, y, text in texts:
        page.insert_text((x, y), text, fontsize=11)
    page.set_rotation(rotation)
    document.save(path, **save)
    document.close()
    return path


def test_a_protected_pdf_opens_with_its_password_only(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "locked.pdf", [(50, 50, "secret")], encryption=AES_256, user_pw="kestrel")
    with pytest.raises(RefusedFile, match="protected by a password"):
        open_pdf(path)
    with pytest.raises(RefusedFile, match="does not open"):
        open_pdf(path, "wrong")
    with open_pdf(path, "kestrel") as source:
        assert source.read_page(1).fragments[0].text == "secret"


def test_a_pdf_for_holders_of_certificates_is_not_called_damaged(tmp_path: Path) -> None:
    handler = b"<</Filter/Adobe.PubSec/SubFilter/adbe.pkcs7.s5/V 4/Length 128/StmF/D/StrF/D/CF<</D<</CFM/AESV2>>>>>>"
    path = tmp_path / "certificates.pdf"
    path.write_bytes(
        b"%PDF-1.6\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
        b"3 0 obj" + handler + b"endobj\ntrailer<</Root 1 0 R/Encrypt 3 0 R/ID[<00><00>]/Size 4>>\n%%EOF\n"
    )
    with pytest.raises(RefusedFile, match="people with certain certificates"):
        open_pdf(path)


def test_what_is_made_without_validation_has_every_field_of_its_model() -> None:
    with open_pdf(RULE_BOOK) as source:
        pages = [source.read_page(number) for number in range(1, source.page_count + 1)]
    fragments, rules = ([one for page in pages for one in getattr(page, name)] for name in ("fragments", "rules"))
    for made in (pages[0], fragments[0], fragments[0].box, rules[0]):
        assert set(vars(made)) == set(type(made).model_fields)


def test_boxes_are_fractions_of_the_page_as_displayed(tmp_path: Path) -> None:
    with open_pdf(write_pdf(tmp_path / "turned.pdf", [(40, 60, "corner")], rotation=90)) as source:
        page = source.read_page(1)
    assert (page.width_pt, page.height_pt, page.rotation) == (600, 400, 90)
    box = page.fragments[0].box
    assert 0.88 < box.x < 0.92
    assert 0.08 < box.y < 0.12
    assert box.h > box.w


def test_wide_gaps_inside_a_line_divide_it_into_fragments(tmp_path: Path) -> None:
    with open_pdf(
        write_pdf(tmp_path / "gaps.pdf", [(40, 60, "Location:      Madill"), (40, 90, "one  two")])
    ) as source:
        page = source.read_page(1)
    assert [f.text for f in page.fragments] == ["Location:", "Madill", "one  two"]
    assert page.fragments[1].box.x > page.fragments[0].box.right


def test_two_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    texts = [(30 + 180 * c, 60 + 14 * r, f"Column {c} line {r} runs on here") for r in range(8) for c in range(2)]
    with open_pdf(write_pdf(tmp_path / "columns.pdf", texts)) as source:
        read = [f.text for f in source.read_page(1).fragments]
    assert read == [f"Column {c} line {r} runs on here" for c in range(2) for r in range(8)]


def test_rows_of_short_cells_are_read_row_by_row(tmp_path: Path) -> None:
    texts = [(30 + 120 * c, 60 + 14 * r, f"c{c}r{r}") for r in range(8) for c in range(3)]
    with open_pdf(write_pdf(tmp_path / "cells.pdf", texts)) as source:
        read = [f.text for f in source.read_page(1).fragments]
    assert read == [f"c{c}r{r}" for r in range(8) for c in range(3)]


def test_the_image_and_its_thumbnail_have_the_proportions_of_the_page(tmp_path: Path) -> None:
    with open_pdf(write_pdf(tmp_path / "image.pdf", [(40, 60, "x")])) as source:
        rendered = source.render_page(1)
    assert (rendered.width, rendered.height) == (1112, 1667)
    assert rendered.image[:2] == rendered.thumbnail[:2] == b"\xff\xd8"
    assert len(rendered.thumbnail) < len(rendered.image)


def extracted(source: PdfSource) -> tuple[DocumentDraft, dict[int, PageOperations]]:
    pages = [source.read_page(n) for n in range(1, source.page_count + 1)]
    profile = build_profile(map(sketch_page, pages), source.outline)
    operations = {page.page: extract_page(page, profile) for page in pages}
    assert [error for page in pages for error in validate_operations(page, operations[page.page])] == []
    return assemble((page, operations[page.page]) for page in pages), operations


def verified(
    source: PdfSource,
    draft: DocumentDraft,
    operations: dict[int, PageOperations],
    chunks: list[ChunkDraft] | None = None,
) -> VerifyReport:
    stored = stored_draft(draft, lambda page: source.read_page(page, characters=True), operations.get, chunks)
    with PdfiumReader(Path(str(source.document.name))) as second:
        return verify_document(source, second, stored)


@pytest.fixture(scope="module")
def rule_book() -> Any:
    with open_pdf(RULE_BOOK) as source:
        yield source, *extracted(source)


def test_the_sample_rule_book_verifies_whole(rule_book: Any) -> None:
    source, draft, operations = rule_book
    report = verified(source, draft, operations)
    assert report.ok, report.failures
    assert report.verbatim == report.boxes_exact == report.second_reader == len(draft.chunks)


def test_verification_fails_on_a_changed_character_and_on_a_moved_box(rule_book: Any) -> None:
    source, draft, operations = rule_book
    chunk: ChunkDraft = next(c for c in draft.chunks if c.content.startswith("C7.6.2"))
    changed = chunk.model_copy(update={"content": chunk.content.replace("e", "3", 1)})
    moved = chunk.model_copy(update={"boxes": [b.model_copy(update={"h": 0.001}) for b in chunk.boxes]})
    report = verified(source, draft, operations, [changed, moved])
    assert (report.failed, report.verbatim) == (2, 0)
    assert [failure.check for failure in report.failures if failure.chunk_id] == ["verbatim", "box"]


def test_verification_counts_lines_that_no_stored_chunk_holds(rule_book: Any) -> None:
    source, draft, operations = rule_book
    fourth = [chunk for chunk in draft.chunks if [box.page for box in chunk.boxes] != [4]]
    report = verified(source, draft, operations, fourth)
    assert report.unclaimed_fragments > 0
    assert {failure.page for failure in report.failures if failure.check == "unclaimed"} == {4}


def test_a_rule_is_addressable_and_says_where_it_stands(rule_book: Any) -> None:
    _, draft, _ = rule_book
    section = next(s for s in draft.sections if s.address_key == "c7.6.2")
    chunks = [c for c in draft.chunks if c.section == section.index]
    assert chunks[0].content.startswith("C7.6.2 ")
    assert "C7.6 Wing profile" in chunks[0].context
    assert "7.6.2" in section.aliases


def test_running_lines_and_contents_are_skipped_with_their_reason(rule_book: Any) -> None:
    _, draft, _ = rule_book
    reasons = {skip.reason for skip in draft.skipped}
    assert reasons == {"header", "footer", "contents", "repeated_table_header"}
    assert not any("Page 7 of" in chunk.content for chunk in draft.chunks)


def test_a_table_over_two_pages_is_one_table_with_its_header_in_the_index_text_of_its_rows(rule_book: Any) -> None:
    _, draft, _ = rule_book
    table = next(t for t in draft.tables if t.last_page > t.first_page)
    index = draft.tables.index(table)
    rows = [c for c in draft.chunks if c.table == index and c.chunk_type == "table_row"]
    assert len(rows) == len(table.rows) - table.header_rows
    assert all("Thread" in row.labelled for row in rows)


@pytest.mark.corpora
def test_every_numbered_requirement_of_a_published_standard_is_found() -> None:
    path = CORPORA / "regs-owasp-asvs/asvs-5.0.0-en.pdf"
    if not path.exists():
        pytest.skip("the development corpora are not beside the checkout")
    from tests.bench.extraction_gold import measure_sections

    for found in measure_sections(CORPORA).values():
        assert found["page"] >= 0.97


@pytest.mark.corpora
def test_every_page_of_the_odd_files_gives_valid_operations() -> None:
    files = sorted((CORPORA / "pdf-robust").rglob("*.pdf"))
    if not files:
        pytest.skip("the development corpora are not beside the checkout")
    opened = 0
    for path in files:
        try:
            source = open_pdf(path)
        except RefusedFile:
            continue
        with source:
            draft, _ = extracted(source)
            opened += 1
            assert sum(page.unclaimed for page in draft.pages) == 0, path
    assert opened > 100
