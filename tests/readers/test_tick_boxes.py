from collections.abc import Callable, Sequence
from pathlib import Path

import pymupdf
import pytest

from shared.domain.geometry import with_ticks
from shared.domain.verify import StoredPage
from shared.readers.pdf.document import open_pdf
from shared.rereading.pdfium import PdfiumReader
from shared.verify.page import prove_page
from tests.bench.extraction import extract

Draw = Callable[[pymupdf.Page], object]
# Kinds of fields (`pymupdf.PDF_WIDGET_TYPE_…`, which its type information leaves out).
CHECK_BOX, CHOICE, TEXT = 2, 3, 7
BLACK, BLUE, PALE = (0, 0, 0), (0.2, 0.3, 0.9), (0.9, 0.9, 0.9)


def cross(page: pymupdf.Page, x: float, y: float) -> None:
    page.draw_line((x + 1, y + 1), (x + 9, y + 9))
    page.draw_line((x + 9, y + 1), (x + 1, y + 9))


def square(page: pymupdf.Page, x: float, y: float, side: float = 10, fill: Sequence[float] | None = None) -> None:
    page.draw_rect((x, y, x + side, y + side), color=BLACK, width=0.7, fill=fill)


def check_field(page: pymupdf.Page, x: float, y: float, on: bool, name: str) -> None:
    field = pymupdf.Widget()
    field.field_type, field.field_name = CHECK_BOX, name
    field.rect, field.field_value = pymupdf.Rect(x, y, x + 12, y + 12), on
    page.add_widget(field)


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., list[str]]:
    """What the chunks of a page read, boxes to tick and all; the page is proved, too."""

    def of(draw: Draw, rotation: int = 0) -> list[str]:
        with pymupdf.open() as document:
            page = document.new_page(width=595, height=842)
            draw(page)
            page.set_rotation(rotation)
            document.save(tmp_path / "form.pdf")
        with open_pdf(tmp_path / "form.pdf") as source:
            found = extract(source)
            file = found.pages[0]
            row = StoredPage(1, False, file.route, [])
            with PdfiumReader(tmp_path / "form.pdf") as second:
                assert prove_page(source, second, 1, row, file).wrong == []
        return [with_ticks(chunk.content, chunk.boxes) for chunk in found.draft.chunks]

    return of


def test_drawn_boxes_say_whether_they_are_ticked_before_their_words(read: Callable[..., list[str]]) -> None:
    def form(page: pymupdf.Page) -> None:
        for x, word in ((50, "private"), (120, "public")):
            square(page, x, 91)
            page.insert_text((x + 16, 100), word)
        cross(page, 120, 91)

    assert read(form) == ["\u2610 private \u2612 public"]


def test_a_row_whose_words_stand_before_their_boxes_is_read_so(read: Callable[..., list[str]]) -> None:
    def form(page: pymupdf.Page) -> None:
        for x, word in ((50, "Yes"), (108, "No")):
            page.insert_text((x, 100), word)
            square(page, x + 26, 91)
        cross(page, 76, 91)

    assert read(form) == ["Yes \u2612 No \u2610"]


def test_a_letter_typed_in_a_box_ticks_it_and_other_text_makes_it_a_frame(read: Callable[..., list[str]]) -> None:
    def form(page: pymupdf.Page) -> None:
        for y, letter in ((91, "X"), (131, "7")):
            square(page, 50, y)
            page.insert_text((52, y + 8), letter, fontsize=9)
            page.insert_text((70, y + 9), "insured")

    assert read(form) == ["\u2612 insured", "7 insured"]


@pytest.mark.parametrize(
    ("fill", "said"), [(None, "\u2610 sail"), (PALE, "\u2610 sail"), (BLACK, "\u2612 sail"), (BLUE, "sail")]
)
def test_what_fills_a_square_decides_what_it_is(
    read: Callable[..., list[str]], fill: Sequence[float] | None, said: str
) -> None:
    def form(page: pymupdf.Page) -> None:
        square(page, 50, 91, fill=fill)
        page.insert_text((66, 100), "sail")

    assert read(form) == [said]


def test_squares_that_touch_and_large_ones_are_no_boxes_to_tick(read: Callable[..., list[str]]) -> None:
    def form(page: pymupdf.Page) -> None:
        for x in (50, 60, 70):
            square(page, x, 91)
        page.insert_text((86, 100), "number")
        square(page, 50, 191, side=30)
        page.insert_text((86, 200), "stamp")

    assert all("\u2610" not in text for text in read(form))


def test_a_field_says_what_it_shows_and_its_sign_is_no_text(read: Callable[..., list[str]]) -> None:
    def form(page: pymupdf.Page) -> None:
        check_field(page, 50, 90, True, "terms")
        page.insert_text((70, 100), "I agree")
        check_field(page, 50, 130, False, "news")
        page.insert_text((70, 140), "Send me news")

    assert read(form) == ["\u2612 I agree", "\u2610 Send me news"]


def test_fields_of_text_and_choice_are_read_with_their_label(read: Callable[..., list[str]]) -> None:
    def form(page: pymupdf.Page) -> None:
        kinds = (TEXT, "Ada Lovelace"), (CHOICE, "Chile")
        for at, ((kind, value), label) in enumerate(zip(kinds, ("Name:", "Country:"), strict=True)):
            page.insert_text((50, 112 + 40 * at), label)
            field = pymupdf.Widget()
            field.field_type, field.field_name, field.choice_values = kind, label, ["Austria", "Chile"]
            field.rect, field.field_value = pymupdf.Rect(100, 100 + 40 * at, 300, 116 + 40 * at), value
            page.add_widget(field)

    assert read(form) == ["Name: Ada Lovelace", "Country: Chile"]


def test_a_box_on_a_turned_page_is_proved_and_has_no_words_read_sideways(read: Callable[..., list[str]]) -> None:
    def form(page: pymupdf.Page) -> None:
        square(page, 50, 91)
        page.insert_text((66, 100), "sail")

    assert read(form, rotation=90) == ["sail"]
