"""Marks of notes, set small in a gap that a line of the text leaves for them, though the file draws them elsewhere:
`Level 1 :` with `(1)` before the colon."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from shared.readers.pdf.lines import PdfLine

# Type of a mark, at most, as a share of that of most of the page's text.
SMALLER = 0.75
# How far a mark may reach over the letters beside it, in points.
OVERLAP_PT = 0.6


def marks_within(lines: Sequence[PdfLine]) -> dict[int, list[PdfLine]]:
    """The marks that may stand within other lines, by the position of these in `lines`."""
    sizes = Counter[float]()
    for line in lines:
        sizes[line.size] += len(line.text)
    usual = max(sizes, key=sizes.__getitem__, default=0.0)
    found: dict[int, list[PdfLine]] = {}
    for mark in [x for x in lines if x.size < SMALLER * usual]:
        middle = (mark.y0 + mark.y1) / 2
        for at, line in enumerate(lines):
            if line.x0 < mark.x0 < line.x1 and line.y0 <= middle <= line.y1:
                found.setdefault(at, []).append(mark)
    return found


def gaps_for(raw: dict[str, Any], marks: Sequence[PdfLine]) -> list[float]:
    """The middles of the marks that no letter of a `rawdict` line is beneath."""
    letters = [c["bbox"] for span in raw["spans"] for c in span["chars"] if c["c"].strip()]
    return [
        (mark.x0 + mark.x1) / 2
        for mark in marks
        if not any(x0 < mark.x1 - OVERLAP_PT and x1 > mark.x0 + OVERLAP_PT for x0, _, x1, _ in letters)
    ]
