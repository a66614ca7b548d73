"""Whether a page's replacement text (ActualText of marked content) has other letters than are drawn.

ActualText defines the meaning of glyphs: "fi" for a ligature, an emoji for a glyph without code point, nothing for a
word printed twice to look bold. But some writers set a blank for whole paragraphs, and any text can be hidden behind
another one.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

import pymupdf

from shared.readers.pdf.drawings import Extent

# Characters for part of a glyph, or for several together, have no width. Tolerance of positions, in points.
SLACK_PT = 0.01
# Unicode categories without a meaning of their own: private use, surrogates, unassigned.
UNKNOWN = ("Co", "Cs", "Cn")

_Lines = Sequence[tuple[Extent, Sequence[tuple[Extent, str]]]]


def says_other_letters(said: pymupdf.TextPage, drawn: pymupdf.TextPage) -> bool:
    """Whether a letter or digit of one reading has nothing in its place in the other that it may stand for.

    `drawn` is read without ActualText and with U+FFFD for glyphs whose meaning is unknown, which may be any letter.
    """
    if said.extractText().split() == drawn.extractText().split():
        return False
    these, those = _lines(said), _lines(drawn)
    return _has_unmatched(those, these) or _has_unmatched(these, those)


def _has_unmatched(lines: _Lines, others: _Lines) -> bool:
    same = {one for _, inked in others for one in inked}
    letters = ((box, text) for _, inked in lines for box, text in inked if text.isalnum() and (box, text) not in same)
    return any(not _may_mean(_near(box, lines) if _is_thin(box) else text, box, others) for box, text in letters)


def _near(box: Extent, lines: _Lines) -> str:
    """The text at the same place, in the source's order."""
    return "".join(
        [text for around, inked in lines if _touch(around, box) for place, text in inked if _is_at(place, box)]
    )


def _may_mean(text: str, box: Extent, others: _Lines) -> bool:
    """Letters that share a place without width follow each other as those that are there; of others one is there."""
    there = _near(box, others)
    if any(one == "\ufffd" or unicodedata.category(one) in UNKNOWN for one in there):
        return True
    if not _is_thin(box):
        return not set(_folded(text)).isdisjoint(_folded(there))
    rest = iter(_folded(there))
    return all(letter in rest for letter in _folded(text) if letter.isalnum())


def _lines(textpage: pymupdf.TextPage) -> _Lines:
    blocks: list[dict[str, Any]] = textpage.extractRAWDICT()["blocks"]
    return [(line["bbox"], list(_inked(line))) for block in blocks for line in block.get("lines", ())]


def _inked(line: dict[str, Any]) -> Iterator[tuple[Extent, str]]:
    return ((one["bbox"], one["c"]) for span in line["spans"] for one in span["chars"] if not one["c"].isspace())


def _touch(a: Extent, b: Extent) -> bool:
    return a[0] < b[2] + SLACK_PT and b[0] < a[2] + SLACK_PT and a[1] < b[3] + SLACK_PT and b[1] < a[3] + SLACK_PT


def _is_at(a: Extent, b: Extent) -> bool:
    """Whether they share more than half of the smaller one, along and across; to touch is enough without width."""
    return _share(a[0], a[2], b[0], b[2]) and _share(a[1], a[3], b[1], b[3])


def _share(start: float, end: float, from_: float, to: float) -> bool:
    return min(end, to) - max(start, from_) > min(end - start, to - from_) / 2 - SLACK_PT


def _is_thin(box: Extent) -> bool:
    return box[2] - box[0] < SLACK_PT or box[3] - box[1] < SLACK_PT


def _folded(text: str) -> str:
    """Ligatures and presentation forms as the letters that they stand for, in one case."""
    return unicodedata.normalize("NFKC", text).casefold()
