"""Verifies lines against the drawn glyphs: replacement text (ActualText) of the source may differ from them.

Every drawn letter or digit is in a line, and every one of a line is drawn at its place. A ligature or presentation form
may be any of the letters that it stands for; a glyph without known meaning may be any letter. Characters for part of a
glyph, or for several glyphs together, have no width: there the letters follow each other in the order in which they are
drawn.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from shared.domain.raw_page import Extent, RawPage
from shared.verify.ground import Ink

BAND_PT, LAST_PT = 20.0, 1280.0
SLACK_PT = 0.01
_MEANINGLESS = ("Co", "Cn", "Cs")

_Mark = tuple[str, Extent]


class _Places:
    """Characters indexed by the bands of the page that they are in."""

    def __init__(self, marks: Sequence[_Mark]) -> None:
        self._marks = marks
        self._bands: dict[int, list[int]] = {}
        for number, (_, box) in enumerate(marks):
            for band in _bands(box):
                self._bands.setdefault(band, []).append(number)

    def at(self, box: Extent) -> list[str]:
        """The characters at a box, in the source's order."""
        near = {number for band in _bands(box) for number in self._bands.get(band, ())}
        return [self._marks[number][0] for number in sorted(near) if _is_at(self._marks[number][1], box)]


def unsaid_letters(drawn: RawPage, read: Iterable[Ink]) -> tuple[str, str]:
    """Returns (drawn letters that no line has there, letters of lines where something else is drawn)."""
    glyphs = [(one.text, one.box) for line in drawn.lines for span in line.spans for one in span.characters]
    inked = [(one.text, one.raw.box) for one in read]
    unread, undrawn = _letters_not_in(inked, glyphs), _letters_not_in(glyphs, inked)
    if not unread and not undrawn:
        return "", ""
    here, there = _Places(glyphs), _Places(inked)
    return "".join(_alone(unread, here, there)), "".join(_alone(undrawn, there, here))


def _letters_not_in(others: Iterable[_Mark], marks: Iterable[_Mark]) -> list[_Mark]:
    same = set(others)
    return [mark for mark in marks if mark not in same and mark[0].isalnum()]


def _alone(letters: Iterable[_Mark], own: _Places, others: _Places) -> Iterator[str]:
    for text, box in letters:
        beside = others.at(box)
        if any(map(_is_meaningless, beside)):
            continue
        there = _folded(beside)
        if _is_thin(box):
            rest = iter(there)
            found = all(letter in rest for letter in _folded(own.at(box)) if letter.isalnum())
        else:
            found = not set(_folded([text])).isdisjoint(there)
        if not found:
            yield text


def _folded(texts: Iterable[str]) -> str:
    return unicodedata.normalize("NFKC", "".join(texts)).casefold()


def _is_meaningless(text: str) -> bool:
    return text == "\ufffd" or unicodedata.category(text) in _MEANINGLESS


def _is_thin(box: Extent) -> bool:
    return min(box[2] - box[0], box[3] - box[1]) < SLACK_PT


def _is_at(a: Extent, b: Extent) -> bool:
    """Whether two extents overlap in more than half of the smaller one, horizontally and vertically."""
    return _share(a[0], a[2], b[0], b[2]) and _share(a[1], a[3], b[1], b[3])


def _share(start: float, end: float, other_start: float, other_end: float) -> bool:
    common = min(end, other_end) - max(start, other_start)
    return common > min(end - start, other_end - other_start) / 2 - SLACK_PT


def _bands(box: Extent) -> range:
    first, last = [int(max(0.0, min(edge, LAST_PT)) / BAND_PT) for edge in (box[1], box[3] + SLACK_PT)]
    return range(first, last + 1)
