import pytest

from shared.domain.draft import ChunkDraft, DocumentDraft
from shared.domain.geometry import Rect
from shared.domain.page import Fragment, PageFile, PageImage
from shared.extraction.assemble import assemble
from shared.extraction.layout import extract_page
from shared.extraction.lists import caption_kind
from shared.extraction.profile import build_profile
from shared.readers.sketch import sketch_page
from tests.unit.test_extraction_headings import Sheet


def draft_of(sheet: Sheet, images: list[PageImage] | None = None) -> DocumentDraft:
    page = sheet.page.model_copy(update={"images": images or []})
    return assemble([(page, extract_page(page, build_profile([sketch_page(page)])))])


def chunks_of(page: PageFile) -> list[tuple[str, str]]:
    draft = assemble([(page, extract_page(page, build_profile([sketch_page(page)])))])
    return [(chunk.chunk_type, chunk.content) for chunk in draft.chunks]


def placed(sheet: Sheet, text: str, x: float, y: float, **kind: object) -> None:
    box = Rect(x=x, y=y, w=0.008 * len(text), h=0.012)
    identifier = f"p1.f{len(sheet.fragments) + 1}"
    plain = Fragment(id=identifier, text=text, box=box, font="Serif", size=10)
    sheet.fragments.append(plain.model_copy(update=kind))


def test_a_display_formula_is_one_chunk_with_its_number() -> None:
    sheet = Sheet().prose()
    placed(sheet, "E = mc² + ∑ λᵢ", 0.35, 0.3)
    placed(sheet, "(3)", 0.85, 0.3)
    assert ("formula", "E = mc² + ∑ λᵢ (3)") in chunks_of(sheet.page)


def test_prose_with_a_sign_in_it_is_no_formula() -> None:
    sheet = Sheet().prose().line("The gap is at most 14 mm (± 1 mm) where λ = 2, measured at the rear.", step=0.04)
    assert "formula" not in [kind for kind, _ in chunks_of(sheet.page)]


def test_code_stays_one_block_with_a_line_feed_for_each_line() -> None:
    sheet = Sheet().prose()
    for number, text in enumerate(("def weigh(boat):", "- 1", "return boat.mass")):
        placed(sheet, text, 0.12, 0.3 + 0.016 * number, font="Mono", mono=True)
    assert ("code", "def weigh(boat):\n- 1\nreturn boat.mass") in chunks_of(sheet.page)


def test_footnotes_are_told_apart_by_their_raised_marks() -> None:
    sheet = Sheet().prose(8)
    for number, text in enumerate(("1 Weighed with the crew.", "2 See the rules of 2019.")):
        placed(sheet, text, 0.1, 0.9 + 0.014 * number, size=8, superscript=True)
    notes = [text for kind, text in chunks_of(sheet.page) if kind == "footnote"]
    assert notes == ["1 Weighed with the crew.", "2 See the rules of 2019."]


@pytest.mark.parametrize("text", ["2022", "42,069 $ 148.45", "15% of all"])
def test_small_figures_at_the_foot_are_no_footnotes(text: str) -> None:
    sheet = Sheet().prose(8)
    placed(sheet, text, 0.1, 0.9, size=8)
    assert "footnote" not in [kind for kind, _ in chunks_of(sheet.page)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Figure 7 shows the course", None),
        ("Table 3, which lists prizes", None),
        ("Figure 4 and Table 2", None),
        ("Figure 7: the course", "figure"),
        ("Figure 7 Course and marks", "figure"),
        ("Table 3", "table"),
        ("Table 3 (continued)", "table"),
    ],
)
def test_a_sentence_that_names_a_figure_is_no_caption(text: str, kind: str | None) -> None:
    assert caption_kind(text) == kind


def figure_with_scale() -> ChunkDraft:
    sheet = Sheet().prose(3)
    placed(sheet, "0.75", 0.62, 0.35)
    placed(sheet, "Sails are weighed dry, on the scales of the harbour master.", 0.1, 0.62)
    placed(sheet, "Figure 5: Wind over the course", 0.25, 0.53)
    image = PageImage(id="p1.i1", box=Rect(x=0.2, y=0.3, w=0.41, h=0.2), kind="bitmap")
    return next(chunk for chunk in draft_of(sheet, [image]).chunks if chunk.chunk_type == "figure")


def test_a_scale_beside_a_picture_belongs_to_it_and_the_text_below_does_not() -> None:
    chunk = figure_with_scale()
    assert chunk.content == "Figure 5: Wind over the course\n0.75"


def kinds_of_picture(caption: str, at: float) -> set[str]:
    """What comes of words in rows on a bitmap from .3 to .5 of the page, with a caption at `at`."""
    sheet = Sheet().prose(3)
    for row in range(4):
        for column, word in enumerate(("boat", "mask", "sail")):
            placed(sheet, f"{word} {row}", 0.22 + 0.13 * column, 0.33 + 0.02 * row)
    placed(sheet, caption, 0.25, at)
    image = PageImage(id="p1.i1", box=Rect(x=0.2, y=0.3, w=0.41, h=0.2), kind="bitmap")
    return {chunk.chunk_type for chunk in draft_of(sheet, [image]).chunks if "mask 1" in chunk.content}


def test_words_in_rows_on_a_picture_with_a_caption_are_its_labels() -> None:
    assert kinds_of_picture("Figure 5: Masks", 0.53) == {"figure"}
    assert kinds_of_picture("Figure 5: Masks", 0.27) == {"figure"}


@pytest.mark.parametrize(("caption", "at"), [("All of the masks.", 0.53), ("Figure 5: Masks", 0.45)])
def test_words_in_rows_on_a_scan_are_a_table(caption: str, at: float) -> None:
    assert kinds_of_picture(caption, at) == {"table", "table_row"}


def test_a_caption_gives_its_figure_an_address() -> None:
    sheet = Sheet().title("1 Course", font="Serif-Bold", size=14).prose(3)
    placed(sheet, "Figure 5: Wind over the course", 0.25, 0.53)
    image = PageImage(id="p1.i1", box=Rect(x=0.2, y=0.3, w=0.41, h=0.2), kind="bitmap")
    draft = draft_of(sheet, [image])
    chunk = next(chunk for chunk in draft.chunks if chunk.chunk_type == "figure")
    section = draft.sections[chunk.section or 0]
    assert (section.address_key, section.title, section.parent) == ("figure5", "Wind over the course", 0)
    assert chunk.context == "1 Course"


def test_a_caption_of_several_lines_above_its_figure_is_as_far_as_its_last_line() -> None:
    sheet = Sheet().title("1 Course", font="Serif-Bold", size=14).prose(3)
    for at, text in enumerate(("Figure 5: Wind over the course of", "the last race of the season, and", "the gusts")):
        placed(sheet, text, 0.25, 0.32 + 0.014 * at)
    image = PageImage(id="p1.i1", box=Rect(x=0.2, y=0.37, w=0.41, h=0.2), kind="bitmap")
    (figure,) = [chunk for chunk in draft_of(sheet, [image]).chunks if chunk.chunk_type == "figure"]
    assert figure.content == "Figure 5: Wind over the course of the last race of the season, and the gusts"


def test_a_summary_of_changes_opens_no_rule_a_second_time() -> None:
    sheet = Sheet().title("Summary of changes", font="Serif-Bold", size=14)
    sheet.line("C7.6.2 The gap is smaller now than it was.", step=0.04).prose(3)
    sheet.title("C7.6 Wing", font="Serif-Bold", size=14).line("C7.6.2 The gap is at most 14 mm.", step=0.04).prose(3)
    assert [s.address for s in draft_of(sheet).sections if s.address] == ["C7.6", "C7.6.2"]


def test_a_row_of_prose_that_begins_with_the_name_of_a_table_stays_in_its_paragraph() -> None:
    sheet = Sheet().line("The masses of all of the boats of the last season are printed in")
    sheet.line("Table 3. The heaviest boat of them all is the one of the acme club")
    assert [kind for kind, _ in chunks_of(sheet.page)] == ["text"]
