"""Cells so close beside each other that the library takes them for words of one line."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from shared.readers.pdf.document import open_pdf
from tests.readers.test_pdf import write_pdf

TEXT = [(50.0, 40.0, "A line of running text tells where the blanks of this page come from")]
# Amounts that end, and keys that begin, four and a half points apart.
AMOUNTS = [("Land", "1.912,40", "per flat"), ("Water", "408,16", "as used"), ("Waste", "96,00", "per head")]
KEYS_AT = 200.0


def set_right(text: str, x1: float) -> float:
    """Where a text of Helvetica's digits begins that ends at `x1`: a digit is .556 em, a comma half of it."""
    return x1 - 11 * (0.556 * sum(map(str.isdigit, text)) + 0.278 * sum(not c.isdigit() for c in text))


def read(tmp_path: Path, texts: Sequence[tuple[float, float, str]]) -> list[str]:
    with open_pdf(write_pdf(tmp_path / "cells.pdf", texts)) as source:
        return [fragment.text for fragment in source.read_page(1).fragments]


def rows(cells: Sequence[tuple[str, str, str]], y: float = 80.0) -> list[tuple[float, float, str]]:
    return [
        text
        for n, (name, amount, key) in enumerate(cells)
        for text in (
            (50.0, y + 20 * n, name),
            (set_right(amount, KEYS_AT - 4.5), y + 20 * n, amount),
            (KEYS_AT, y + 20 * n, key),
        )
    ]


def test_amounts_and_the_words_close_behind_them_are_cells(tmp_path: Path) -> None:
    found = read(tmp_path, [*TEXT, *rows(AMOUNTS)])
    assert found == [TEXT[0][2], *(cell for row in AMOUNTS for cell in row)]


def test_two_rows_alone_tell_nothing(tmp_path: Path) -> None:
    found = read(tmp_path, [*TEXT, *rows(AMOUNTS[:2])])
    assert found == [TEXT[0][2], "Land", "1.912,40 per flat", "Water", "408,16 as used"]


def test_rows_whose_cells_are_apart_tell_where_one_is_joined(tmp_path: Path) -> None:
    wide = [(50.0, 80.0 + 20 * n, text) for n, text in enumerate(["Basic", "Plus", "A long one"])]
    beside = [(107.0, 80.0 + 20 * n, text) for n, text in enumerate(["free", "12", "240"])]
    assert read(tmp_path, [*TEXT, *wide, *beside])[1:] == ["Basic", "free", "Plus", "12", "A long one", "240"]


def test_text_across_the_white_makes_it_no_wall(tmp_path: Path) -> None:
    crossing = [(50.0, 90.0 + 20 * n, "of which the whole of it is paid by the tenants") for n in range(2)]
    found = read(tmp_path, [*TEXT, *rows(AMOUNTS), *crossing])
    assert "1.912,40 per flat" in found


def test_words_that_are_set_one_by_one_are_no_cells(tmp_path: Path) -> None:
    """A text without blanks has the library's everywhere, also below each other."""
    places = list[tuple[float, str]]()
    for word in ["so", "each", "of", "these", "words", "is", "set", "for", "itself"]:
        places.append((places[-1][0] + 5.6 * len(places[-1][1]) + 4.5 if places else 50.0, word))
    found = read(tmp_path, [(x, 40.0 + 14 * n, word) for n in range(4) for x, word in places])
    assert found == ["so each of these words is set for itself"] * 4


@pytest.mark.parametrize(("mark", "x"), [("1.", 62.0), ("-", 58.0), ("(a)", 66.0), ("7", 60.0)])
def test_an_item_keeps_its_mark(tmp_path: Path, mark: str, x: float) -> None:
    items = [text for n in range(4) for text in ((50.0, 80.0 + 14 * n, mark), (x, 80.0 + 14 * n, "Bring some water"))]
    assert read(tmp_path, [*TEXT, *items])[1:] == [f"{mark} Bring some water"] * 4
