import re
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from shared.domain.geometry import Rect
from shared.domain.page import Fragment
from shared.domain.raw_page import Glyph
from shared.readers.pdf.document import open_pdf
from shared.rereading.pdfium import PdfiumReader
from shared.verify.second_reader import SecondReading

TEXT_FIELD = 7  # PDF_WIDGET_TYPE_TEXT


def write(path: Path, rotation: int, cropped: bool) -> Path:
    document = pymupdf.open()
    page = document.new_page(width=400, height=600)
    for y in (80, 300, 520):
        page.insert_text((120, y), f"Line at {y}", fontsize=11)
    if cropped:
        page.set_cropbox(pymupdf.Rect(100, 50, 350, 400))
    page.set_rotation(rotation)
    document.save(path)
    document.close()
    return path


@pytest.mark.parametrize("cropped", [False, True])
@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_both_readers_see_the_same_characters_at_the_same_places(tmp_path: Path, rotation: int, cropped: bool) -> None:
    path = write(tmp_path / "page.pdf", rotation, cropped)
    with open_pdf(path) as source, PdfiumReader(path) as second:
        glyphs = second.glyphs(1)
        fragments = source.read_page(1).fragments
    assert glyphs is not None
    assert len(fragments) == (2 if cropped else 3)
    reading = SecondReading(glyphs, fragments)
    assert [reading.difference(f) for f in fragments] == [(None, "".join(f.text.split())) for f in fragments]


def test_a_page_that_inherits_its_size_is_placed_by_it(tmp_path: Path) -> None:
    path = tmp_path / "inherited.pdf"
    with pymupdf.open(write(tmp_path / "page.pdf", 0, cropped=False)) as document:
        page, parent = document[0].xref, int(document.xref_get_key(document[0].xref, "Parent")[1].split()[0])
        document.xref_set_key(parent, "MediaBox", "[10 20 410 620]")
        document.update_object(page, re.sub(r"/MediaBox\s*\[.*?\]", "", document.xref_object(page)))
        document.save(path)
    with open_pdf(path) as source, PdfiumReader(path) as second:
        fragments = source.read_page(1).fragments
        reading = SecondReading(second.glyphs(1) or [], fragments)
    assert len(fragments) == 3
    assert [reading.difference(f)[0] for f in fragments] == [None, None, None]


def test_what_a_form_field_shows_is_read(tmp_path: Path) -> None:
    path = tmp_path / "form.pdf"
    with pymupdf.open() as document:
        widget: Any = pymupdf.Widget()
        widget.field_type = TEXT_FIELD
        widget.field_name, widget.field_value = "boat", "Tarnwick"
        widget.rect = pymupdf.Rect(50, 50, 200, 70)
        document.new_page(width=400, height=600).add_widget(widget)
        document.save(path)
    with PdfiumReader(path) as second:
        assert "".join(glyph.text for glyph in second.glyphs(1) or []) == "Tarnwick"


def test_a_file_or_page_that_cannot_be_opened_has_no_reading(tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7\nnothing")
    with PdfiumReader(broken) as second:
        assert second.glyphs(1) is None
    with PdfiumReader(write(tmp_path / "page.pdf", 0, cropped=False)) as second:
        assert second.glyphs(9) is None


BOX = Rect(x=0.1, y=0.1, w=0.5, h=0.02)


def fragment(text: str, box: Rect = BOX, number: int = 1, invisible: bool = False) -> Fragment:
    return Fragment(id=f"p1.f{number}", text=text, box=box, font="Sans", size=10, invisible=invisible)


def glyphs(text: str, y: float = 0.11) -> list[Glyph]:
    """One after the other from the left; white space marks the next one."""
    marks = [(c, i == 0 or text[i - 1].isspace()) for i, c in enumerate(text) if not c.isspace()]
    return [Glyph(c, 0.11 + 0.01 * i, y, spaced) for i, (c, spaced) in enumerate(marks)]


@pytest.mark.parametrize(
    ("ours", "theirs", "difference"),
    [
        ("two words", "two words", None),
        ("two words", "twowords", "spacing"),
        ("of\ufb01ce", "office", "ligature"),
        ("well\u00adknown", "wellknown", "hyphen"),
        ("abc def", "defabc", "order"),
        ("(\u05d0\u05d1)", ")\u05d0\u05d1(", "order"),
        ("price 45", "price 4", "missing"),
        ("price 45", "price 48", "missing"),
        ("price 4", "price 45", "extra"),
        ("\ufffd\ufffd ok", "ab ok", "unmapped"),
        ("ab ok", "\ufffd\ufffd ok", "unmapped"),
    ],
)
def test_differences_have_a_name(ours: str, theirs: str, difference: str | None) -> None:
    one = fragment(ours)
    assert SecondReading(glyphs(theirs), [one]).difference(one)[0] == difference


def test_bold_by_double_printing_is_read_once() -> None:
    one = fragment("Bold")
    assert SecondReading([*glyphs("Bold"), *glyphs("Bold", y=0.1101)], [one]).difference(one)[0] is None


def test_two_letters_of_a_ligature_at_one_place_are_two() -> None:
    one = fragment("o\ufb00er")
    read = [Glyph(c, x, 0.11, False) for c, x in (("o", 0.11), ("f", 0.12), ("f", 0.12), ("e", 0.13), ("r", 0.14))]
    assert SecondReading(read, [one]).difference(one)[0] == "ligature"


def test_text_that_is_not_drawn_is_named_so() -> None:
    hidden = fragment("hidden words", invisible=True)
    assert SecondReading([], [hidden]).difference(hidden)[0] == "invisible"


def test_letters_of_a_neighbour_that_reaches_into_the_box_are_no_difference() -> None:
    one, other = fragment("upper line"), fragment("xyz", Rect(x=0.1, y=0.115, w=0.5, h=0.02), 2)
    reading = SecondReading([*glyphs("upper line"), *glyphs("xyz", y=0.118)], [one, other])
    assert reading.difference(one)[0] is None
