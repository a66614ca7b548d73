"""Marks of notes that a file draws after the line with the gap for them."""

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from shared.readers.pdf.document import open_pdf


def texts(
    path: Path, mark: str = "(1)", size: float = 5, at: float = 81.5, rise: float = 3, width: float = 12.5
) -> list[str]:
    """The texts of a page with `Level 1`, a gap of `width` and a colon, and a mark drawn after the next line."""
    document = pymupdf.open()
    page = document.new_page(width=400, height=300)
    page.insert_text((40, 80), "Level 1", fontsize=10)
    page.insert_text((40 + pymupdf.get_text_length("Level 1", fontsize=10) + width - 5, 80), ":", fontsize=10)
    page.insert_text((40, 100), "Money market funds and other funds", fontsize=10)
    page.insert_text((at - 8, 80 - rise), mark, fontsize=size)
    document.save(path / "a.pdf")
    with open_pdf(path / "a.pdf") as source:
        return [fragment.text for fragment in source.read_page(1).fragments]


def test_a_mark_in_the_gap_of_a_line_is_read_there(tmp_path: Path) -> None:
    assert texts(tmp_path) == ["Level 1", "(1)", ":", "Money market funds and other funds"]


@pytest.mark.parametrize(
    "other",
    [
        {"mark": "1", "size": 8, "at": 83.0},  # as large as other text
        {"at": 62.0},  # over letters
        {"rise": 14},  # above the line
        {"rise": -9},  # below it
        {"at": 92.0},  # behind the line
    ],
)
def test_other_texts_divide_no_line(tmp_path: Path, other: dict[str, Any]) -> None:
    assert "Level 1 :" in texts(tmp_path, **other)
