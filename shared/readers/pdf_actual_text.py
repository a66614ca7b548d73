"""Whether a page's replacement text (ActualText of marked content) says other letters than are drawn.

ActualText says what glyphs mean: "fi" for a ligature, an emoji for a glyph without a meaning, nothing for a word that
is printed twice to look bold. But some writers put a blank over whole paragraphs, and anyone may put one word over
another.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

import pymupdf

from shared.readers.pdf_drawings import Extent

# What stands for part of a ligature has no width; it touches the glyph. Positions agree to this, in points.
SLACK_PT = 0.01
# Unicode categories of what means nothing by itself: private use, surrogates, unassigned.
UNKNOWN = ("Co", "Cs", "Cn")

_Lines = Sequence[tuple[Extent, Sequence[tuple[Extent, str]]]]


def says_other_letters(said: pymupdf.TextPage, drawn: pymupdf.TextPage) -> bool:
    """Whether a letter or digit of one reading has in its place nothing of the other that it may stand for.

    `drawn` is read without ActualText and with U+FFFD for glyphs whose meaning is unknown: these may mean anything.
    """
    if said.extractText().split() == drawn.extractText().split():
        return False
    these, those = _lines(said), _lines(drawn)
    return _has_unmatched(those, these) or _has_unmatched(these, those)


def _has_unmatched(lines: _Lines, others: _Lines) -> bool:
    same = {one for _, inked in others for one in inked}
    letters = ((box, text) for _, inked in lines for box, text in inked if text.isalnum() and (box, text) not in same)
    return any(not _may_mean(text, _near(box, others)) for box, text in letters)


def _near(box: Extent, lines: _Lines) -> str:
    return "".join(
        [text for around, inked in lines if _touch(around, box) for place, text in inked if _touch(place, box)]
    )


def _may_mean(text: str, there: str) -> bool:
    unknown = any(one == "\ufffd" or unicodedata.category(one) in UNKNOWN for one in there)
    return unknown or not set(_folded(text)).isdisjoint(_folded(there))


def _lines(textpage: pymupdf.TextPage) -> _Lines:
    blocks: list[dict[str, Any]] = textpage.extractRAWDICT()["blocks"]
    return [(line["bbox"], list(_inked(line))) for block in blocks for line in block.get("lines", ())]


def _inked(line: dict[str, Any]) -> Iterator[tuple[Extent, str]]:
    return ((one["bbox"], one["c"]) for span in line["spans"] for one in span["chars"] if not one["c"].isspace())


def _touch(a: Extent, b: Extent) -> bool:
    return a[0] < b[2] + SLACK_PT and b[0] < a[2] + SLACK_PT and a[1] < b[3] + SLACK_PT and b[1] < a[3] + SLACK_PT


def _folded(text: str) -> str:
    """Ligatures and presentation forms as the letters that they stand for, in one case."""
    return unicodedata.normalize("NFKC", text).casefold()
