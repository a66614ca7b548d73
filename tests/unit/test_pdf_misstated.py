"""Bitmap fonts that state a size of .12 pt: lines, sizes and boxes of their letters, and the proof of them."""

from collections.abc import Sequence

import pymupdf
import pytest

from shared.domain.page import PageFile
from shared.readers.pdf.page import page_file_of
from shared.rereading.characters import raw_pages_of
from shared.verify.fragments import FragmentReading, match

# Of 10 pt type: every letter is 4.5 pt wide, .12 pt times 37.5.
STATED, WIDTH = 0.12, 37.5
LETTERS = "abcdefghijklmnopqrstuvwxyz"
# Twice as wide as others: no measure of the type.
CAPITALS = LETTERS.upper()
LETTER_PT = STATED * WIDTH
BETWEEN_PT = 3.5


def line(y: float, *words: str, x: float = 72.0) -> list[tuple[float, float, str]]:
    """Words with a blank of 3.5 pt between them."""
    found = list[tuple[float, float, str]]()
    for word in words:
        found.append((x, y, word))
        x += len(word) * LETTER_PT + BETWEEN_PT
    return found


def page_of(words: Sequence[tuple[float, float, str]], size: float = STATED) -> pymupdf.Page:
    """A page set in a Type 3 font whose matrix is one and whose letters are as wide as those of a 10 pt type."""
    width = WIDTH * STATED / size
    shown = "\n".join(f"1 0 0 1 {x} {y} Tm ({word}) Tj" for x, y, word in words)
    content = f"BT /F {size} Tf\n{shown}\nET"
    glyph = f"{width} 0 0 0 {width} {width * 1.4} d1 0 0 {width} {width * 1.4} re f"
    between = "/bracketleft/backslash/bracketright/asciicircum/underscore/grave"
    names = "".join(f"/{one}" for one in CAPITALS) + between + "".join(f"/{one}" for one in LETTERS)
    widths = " ".join([str(2 * width)] * 26 + ["0"] * 6 + [str(width)] * 26)
    procedures = " ".join(f"/{one} 5 0 R" for one in CAPITALS + LETTERS)
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 6 0 R/Resources<</Font<</F 4 0 R>>>>>>",
        f"<</Type/Font/Subtype/Type3/FontBBox[0 0 0 0]/FontMatrix[1 0 0 1 0 0]/FirstChar 65/LastChar 122"
        f"/Widths[{widths}]/Encoding<</Type/Encoding/Differences[65 {names}]>>"
        f"/CharProcs<<{procedures}>>/Resources<<>>>>",
        f"<</Length {len(glyph)}>>\nstream\n{glyph}\nendstream",
        f"<</Length {len(content)}>>\nstream\n{content}\nendstream",
    ]
    body = "%PDF-1.4\n"
    for number, one in enumerate(objects, 1):
        body += f"{number} 0 obj\n{one}\nendobj\n"
    return pymupdf.open(stream=(body + "trailer <</Root 1 0 R>>\n").encode(), filetype="pdf")[0]


def proof(page: pymupdf.Page, file: PageFile) -> FragmentReading:
    return match(file, next(raw_pages_of(page)))


TEXT = [*line(700, "wings", "lift", "heavy", "boats"), *line(688, "they", "do"), *line(688, "cells", x=300)]


def test_lines_are_put_together_from_letters_with_the_size_that_their_widths_tell() -> None:
    page = page_of(TEXT)
    raw = next(raw_pages_of(page))
    assert {round(span.size, 2) for one in raw.lines for span in one.spans} == {STATED}
    file = page_file_of(page, 1, "pdf-0")
    assert [one.text for one in file.fragments] == ["wings lift heavy boats", "they do", "cells"]
    assert {one.size for one in file.fragments} == {10.0}
    first = file.fragments[0].box
    assert first.x * 612 == pytest.approx(72, abs=0.01)
    assert first.w * 612 == pytest.approx(19 * LETTER_PT + 3 * BETWEEN_PT, abs=0.01)
    # From .85 em above to .25 em below the line at 792 - 700.
    assert first.y * 792 == pytest.approx(92 - 8.5, abs=0.1)
    assert first.h * 792 == pytest.approx(11, abs=0.2)


def test_what_stands_higher_or_far_off_is_a_line_of_its_own() -> None:
    raised = [*TEXT, (72 + 4 * LETTER_PT, 692.0, "b")]
    texts = [one.text for one in page_file_of(page_of(raised), 1, "pdf-0").fragments]
    assert sorted(texts) == ["b", "cells", "they do", "wings lift heavy boats"]


def test_capitals_and_copies_change_neither_size_nor_text() -> None:
    words = [*line(700, "W" * 20), *TEXT[1:], *TEXT[1:]]
    file = page_file_of(page_of(words), 1, "pdf-0")
    assert {one.size for one in file.fragments} == {10.0}
    assert [one.text for one in file.fragments][1:] == ["they do", "cells"]


def test_lines_that_were_read_as_the_library_has_them_are_proved_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof judges by itself whether sizes are misstated, and the reader may have judged otherwise."""
    monkeypatch.setattr("shared.readers.pdf.page.misstates_sizes", lambda _: False)
    page = page_of(TEXT)
    file = page_file_of(page, 1, "pdf-0")
    assert len(file.fragments) > 3
    found = proof(page, file)
    assert (found.proven.keys(), found.unfounded, found.unread) == ({f.id for f in file.fragments}, {}, [])
    twice = file.fragments[0].model_copy(update={"id": "p1.f99"})
    assert [*proof(page, file.model_copy(update={"fragments": [*file.fragments, twice]})).unfounded] == ["p1.f99"]


def test_fonts_that_state_their_size_are_read_as_ever() -> None:
    page = page_of(TEXT, size=10.0)
    assert {one.size for one in page_file_of(page, 1, "pdf-0").fragments} == {10.0}
    assert {round(span.size, 2) for one in next(raw_pages_of(page)).lines for span in one.spans} == {10.0}


def test_the_proof_finds_each_letter_in_its_place() -> None:
    page = page_of([*TEXT, (72 + 4 * LETTER_PT, 692.0, "b")])
    file = page_file_of(page, 1, "pdf-0")
    found = proof(page, file)
    assert (found.proven.keys(), found.unfounded, found.unread) == ({f.id for f in file.fragments}, {}, [])


@pytest.mark.parametrize(
    ("text", "shift"),
    [
        ("wings lift heavy boast", 0.0),  # other letters
        ("wingslift heavy boats", 0.0),  # no blank where words are apart
        ("w ings lift heavy boats", 0.0),  # a blank where they are not
        ("wings lift heavy boats", 0.001),  # another place
    ],
)
def test_the_proof_denies_what_is_not_there(text: str, shift: float) -> None:
    page = page_of(TEXT)
    file = page_file_of(page, 1, "pdf-0")
    first = file.fragments[0]
    box = first.box.model_copy(update={"x": first.box.x + shift})
    wrong = first.model_copy(update={"text": text, "box": box})
    found = proof(page, file.model_copy(update={"fragments": [wrong, *file.fragments[1:]]}))
    assert [*found.unfounded] == [first.id]
    assert "".join(found.unread) == "wingsliftheavyboats"


def test_a_letter_that_no_fragment_has_is_told() -> None:
    page = page_of(TEXT)
    file = page_file_of(page, 1, "pdf-0")
    found = proof(page, file.model_copy(update={"fragments": file.fragments[:-1]}))
    assert (found.unfounded, "".join(found.unread)) == ({}, "cells")
