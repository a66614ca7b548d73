from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from shared.domain.geometry import with_ticks
from shared.domain.verify import StoredPage
from shared.readers.pdf.document import open_pdf
from shared.rereading.pdfium import PdfiumReader
from shared.verify.page import prove_page
from tests.bench.extraction import extract

Draw = Callable[[pymupdf.Page], object]
Place = Callable[[pymupdf.Page, float, float], object]
# Kinds of fields (`pymupdf.PDF_WIDGET_TYPE_…`, which its type information leaves out).
CHECK_BOX, CHOICE, TEXT = 2, 3, 7
BLACK, BLUE, PALE = (0, 0, 0), (0.2, 0.3, 0.9), (0.9, 0.9, 0.9)


def cross(page: pymupdf.Page, x: float, y: float) -> None:
    page.draw_line((x + 1, y + 1), (x + 9, y + 9))
    page.draw_line((x + 9, y + 1), (x + 1, y + 9))


def square(page: pymupdf.Page, x: float, y: float, side: float = 10, fill: Sequence[float] | None = None) -> None:
    page.draw_rect((x, y, x + side, y + side), color=BLACK, width=0.7, fill=fill)


def four_lines(page: pymupdf.Page, x: float, y: float) -> None:
    corners = [(x, y), (x + 10, y), (x + 10, y + 10), (x, y + 10), (x, y)]
    for one, other in pairwise(corners):
        page.draw_line(one, other, width=0.7)


def four_areas(page: pymupdf.Page, x: float, y: float) -> None:
    for side in ((0, 0, 10, 0.5), (0, 9.5, 10, 10), (0, 0, 0.5, 10), (9.5, 0, 10, 10)):
        page.draw_rect((side[0] + x, side[1] + y, side[2] + x, side[3] + y), color=None, fill=BLACK)


def hook(page: pymupdf.Page, x: float, y: float) -> None:
    page.draw_polyline([(x + 2, y + 5), (x + 4, y + 8), (x + 12, y - 3)])


def blue_hook(page: pymupdf.Page, x: float, y: float) -> None:
    page.draw_polyline([(x + 2, y + 5), (x + 4, y + 8), (x + 9, y + 1), (x + 4, y + 6)], color=None, fill=BLUE)


def large_cross(page: pymupdf.Page, x: float, y: float) -> None:
    page.draw_line((x - 3, y - 3), (x + 13, y + 13))
    page.draw_line((x + 13, y - 3), (x - 3, y + 13))


def dot(page: pymupdf.Page, x: float, y: float) -> None:
    page.draw_circle((x + 5, y + 5), 2.5, color=None, fill=BLACK)


def circle(page: pymupdf.Page, x: float, y: float) -> None:
    page.draw_circle((x + 5, y + 5), 5, width=0.7)


def disc_and_circle(page: pymupdf.Page, x: float, y: float) -> None:
    """As browsers print a radio button."""
    page.draw_circle((x + 5, y + 5), 5, color=None, fill=(1, 1, 1))
    circle(page, x, y)


def rounded(page: pymupdf.Page, x: float, y: float) -> None:
    page.draw_rect((x, y, x + 10, y + 10), color=BLACK, width=0.7, radius=0.2)


def large_dot(page: pymupdf.Page, x: float, y: float) -> None:
    page.draw_circle((x + 5, y + 5), 3.4, color=None, fill=BLUE)


def set_keys(page: pymupdf.Page, **values: str) -> None:
    """Sets entries of all fields of the page."""
    document: Any = page.parent
    for number, _, _ in page.annot_xrefs():
        for key, value in values.items():
            document.xref_set_key(number, key, value)


def join_as_radio_buttons(page: pymupdf.Page, value: str) -> None:
    """Makes one group of the page's fields; each is on where `value` names its own picture."""
    document: Any = page.parent
    numbers = [number for number, _, _ in page.annot_xrefs()]
    group = document.get_new_xref()
    kids = " ".join(f"{number} 0 R" for number in numbers)
    document.update_object(group, f"<</FT/Btn/Ff 32768/T(group)/V/{value}/Kids[{kids}]>>")
    set_keys(page, FT="null", Ff="null", V="null", T="null", Parent=f"{group} 0 R")


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


@pytest.mark.parametrize("box", [square, four_lines, four_areas])
@pytest.mark.parametrize("tick", [cross, hook, blue_hook, large_cross, dot])
def test_whatever_a_square_is_made_of_and_ticked_with(read: Callable[..., list[str]], box: Place, tick: Place) -> None:
    def form(page: pymupdf.Page) -> None:
        for x, word in ((50, "private"), (130, "public")):
            box(page, x, 91)
            page.insert_text((x + 18, 100), word)
        tick(page, 130, 91)

    assert read(form) == ["\u2610 private \u2612 public"]


@pytest.mark.parametrize("box", [circle, disc_and_circle, rounded])
@pytest.mark.parametrize("tick", [dot, large_dot, cross, hook])
def test_round_boxes_are_ticked_by_a_dot_or_a_mark(read: Callable[..., list[str]], box: Place, tick: Place) -> None:
    def form(page: pymupdf.Page) -> None:
        for x, word in ((50, "private"), (130, "public")):
            box(page, x, 91)
            page.insert_text((x + 18, 100), word)
        tick(page, 130, 91)

    assert read(form) == ["\u2610 private \u2612 public"]


def test_an_area_with_round_corners_is_ticked_by_the_hook_in_it_and_else_a_swatch(
    read: Callable[..., list[str]],
) -> None:
    def form(page: pymupdf.Page) -> None:
        for y, word in ((91, "tea"), (131, "coffee")):
            page.draw_rect((50, y, 60, y + 10), color=None, fill=BLUE, radius=0.2)
            page.insert_text((68, y + 9), word)
        page.draw_polyline([(52, 96), (54, 99), (58, 93)], color=(1, 1, 1))

    assert read(form) == ["\u2612 tea", "coffee"]


def test_shapes_that_are_no_circles_and_marks_of_lists_and_charts_are_nothing_to_tick(
    read: Callable[..., list[str]],
) -> None:
    def triangle(page: pymupdf.Page) -> None:
        page.draw_polyline([(50, 100), (55, 90), (60, 100), (50, 100)], width=0.7)
        page.insert_text((68, 100), "rising")

    def bullet(page: pymupdf.Page) -> None:
        page.draw_circle((55, 96), 2.4, width=0.7)
        page.insert_text((68, 100), "flour")

    def chart(page: pymupdf.Page) -> None:
        for n in range(8):
            circle(page, 200 + 30 * n, 300 + 17 * (n % 3))
        circle(page, 50, 91)
        page.insert_text((68, 100), "measured")

    def number(page: pymupdf.Page) -> None:
        circle(page, 50, 91)
        page.insert_text((52.5, 99), "3", fontsize=8)
        page.insert_text((68, 100), "press the button")

    for draw in (triangle, bullet, chart, number):
        assert not {"\u2610", "\u2612"} & {sign for text in read(draw) for sign in text}


def test_round_boxes_of_a_turned_page_are_proved(read: Callable[..., list[str]]) -> None:
    def form(page: pymupdf.Page) -> None:
        circle(page, 50, 91)
        page.insert_text((66, 100), "sail")

    assert read(form, rotation=90) == ["\u2610 sail"]


def test_cells_of_lines_that_touch_and_a_line_beside_a_square_are_nothing_to_tick(
    read: Callable[..., list[str]],
) -> None:
    def form(page: pymupdf.Page) -> None:
        for x in (50, 60, 70):
            four_lines(page, x, 91)
        page.insert_text((86, 100), "number")
        square(page, 50, 191)
        page.draw_line((58, 203), (70, 203))
        page.insert_text((66, 200), "sail")

    assert read(form) == ["number", "\u2610 sail"]


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


def fields(page: pymupdf.Page) -> None:
    for y, on, words in ((90, True, "by post"), (130, False, "by mail")):
        check_field(page, 50, y, on, words)
        page.insert_text((70, y + 10), words)


@pytest.mark.parametrize("missing", [{"AP": "null"}, {"AS": "null"}, {"AP": "null", "AS": "null"}])
def test_a_field_without_its_picture_or_its_state_says_its_value(
    read: Callable[..., list[str]], missing: dict[str, str]
) -> None:
    def form(page: pymupdf.Page) -> None:
        fields(page)
        set_keys(page, **missing)

    assert read(form) == ["\u2612 by post", "\u2610 by mail"]


@pytest.mark.parametrize(
    ("value", "changed", "said"),
    [
        ("Yes", {}, ["\u2612 by post", "\u2610 by mail"]),
        # The value of the group and the buttons' own pictures say which is meant; without either nothing does.
        ("mail", {"AS": "null"}, ["\u2610 by post", "\u2612 by mail"]),
        ("Off", {"AS": "null"}, ["\u2610 by post", "\u2610 by mail"]),
        ("Off", {"AS": "null", "AP": "null"}, ["\u2610 by post", "\u2610 by mail"]),
        ("mail", {"AS": "null", "AP": "null"}, ["by post", "by mail"]),
    ],
)
def test_radio_buttons_are_told_apart_by_their_group(
    read: Callable[..., list[str]], value: str, changed: dict[str, str], said: list[str]
) -> None:
    def form(page: pymupdf.Page) -> None:
        fields(page)
        join_as_radio_buttons(page, value)
        document: Any = page.parent
        for (number, _, _), name in zip(page.annot_xrefs(), ("post", "mail"), strict=True):
            if value == "mail":
                picture = document.xref_get_key(number, "AP/N/Yes")[1]
                document.xref_set_key(number, "AP", f"<</N<</{name} {picture}>>>>")
        set_keys(page, **changed)

    assert read(form) == said


def test_a_push_button_is_nothing_to_tick(read: Callable[..., list[str]]) -> None:
    def form(page: pymupdf.Page) -> None:
        check_field(page, 50, 90, False, "send")
        page.insert_text((70, 100), "Send")
        set_keys(page, AS="null", Ff="65536")

    assert read(form) == ["Send"]


@pytest.mark.parametrize("said", ["[x] insured", "[ ] insured", "[X] insured", "( ) insured"])
def test_brackets_that_are_typed_stay_as_they_are_typed(read: Callable[..., list[str]], said: str) -> None:
    assert read(lambda page: page.insert_text((50, 100), said)) == [said]


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


def test_a_box_on_a_turned_page_is_proved_beside_the_words_that_are_read_sideways(
    read: Callable[..., list[str]],
) -> None:
    def form(page: pymupdf.Page) -> None:
        square(page, 50, 91)
        page.insert_text((66, 100), "sail")

    assert read(form, rotation=90) == ["\u2610 sail"]


def test_round_boxes_are_asked_of_readers_that_look_for_them(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=595, height=842)
        circle(page, 50, 91)
        page.insert_text((66, 100), "sail")
        document.save(tmp_path / "form.pdf")
    with open_pdf(tmp_path / "form.pdf") as source, PdfiumReader(tmp_path / "form.pdf") as second:
        file = extract(source).pages[0]
        row = StoredPage(1, False, file.route, [])
        [box] = file.tick_boxes or []
        for version, stored, wrong in (
            ("pdf-6/mupdf-1", [], 0),
            (file.extractor_version, [], 1),
            (file.extractor_version, [box.model_copy(update={"ticked": True})], 1),
        ):
            told = file.model_copy(update={"extractor_version": version, "tick_boxes": stored})
            assert len([w for w in prove_page(source, second, 1, row, told).wrong if w.check == "tick"]) == wrong


def test_an_earlier_reader_is_held_to_the_boxes_that_it_stored(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=595, height=842)
        four_lines(page, 50, 91)
        page.insert_text((66, 100), "sail")
        document.save(tmp_path / "form.pdf")
    with open_pdf(tmp_path / "form.pdf") as source, PdfiumReader(tmp_path / "form.pdf") as second:
        file = extract(source).pages[0]
        row = StoredPage(1, False, file.route, [])
        [box] = file.tick_boxes or []
        for version, stored, wrong in (
            ("pdf-5/mupdf-1", [], 0),
            ("pdf-5/mupdf-1", [box.model_copy(update={"ticked": True})], 1),
            (file.extractor_version, [], 1),
        ):
            told = file.model_copy(update={"extractor_version": version, "tick_boxes": stored})
            assert len([w for w in prove_page(source, second, 1, row, told).wrong if w.check == "tick"]) == wrong
