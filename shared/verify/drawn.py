"""Lines against the glyphs that are drawn: replacement text (ActualText) of the source may say something else.

A letter or digit that is drawn stands in a line, and one of a line is drawn, at its place. A ligature or a presentation
form is any of the letters that it stands for; a glyph whose meaning the source does not give may be any.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from shared.domain.raw_page import Extent, RawPage
from shared.verify.ground import Ink

BANDS = 64
SLACK_PT = 0.01
_MEANINGLESS = ("Co", "Cn", "Cs")


class _Mark(NamedTuple):
    text: str
    box: Extent


class _Places:
    """Characters by the bands of the page that they reach into."""

    def __init__(self, marks: Iterable[_Mark], page: RawPage) -> None:
        extent = max(page.width, page.height) or 1.0  # boxes are those of the unrotated page
        self._per_point = BANDS / extent
        self._bands: dict[int, list[_Mark]] = {}
        self.exact: set[_Mark] = set()
        for mark in marks:
            self.exact.add(mark)
            for band in self._reached(mark.box):
                self._bands.setdefault(band, []).append(mark)

    def at(self, box: Extent) -> set[str]:
        found = [mark for band in self._reached(box) for mark in self._bands.get(band, ()) if _meet(mark.box, box)]
        return {mark.text for mark in found}

    def _reached(self, box: Extent) -> range:
        top, bottom = ((edge + off) * self._per_point for edge, off in ((box[1], -SLACK_PT), (box[3], SLACK_PT)))
        return range(int(max(-1.0, min(top, BANDS))), int(max(-1.0, min(bottom, BANDS))) + 1)


def unsaid_letters(drawn: RawPage, read: Iterable[Ink]) -> tuple[str, str]:
    """Letters that are drawn where no line says so, and letters of lines where something else is drawn."""
    glyphs = [_Mark(one.text, one.box) for line in drawn.lines for span in line.spans for one in span.characters]
    inked = [_Mark(one.text, one.raw.box) for one in read]
    here, there = _Places(glyphs, drawn), _Places(inked, drawn)
    return "".join(_alone(glyphs, there)), "".join(_alone(inked, here))


def _alone(marks: Iterable[_Mark], others: _Places) -> Iterator[str]:
    for mark in marks:
        if mark in others.exact or not mark.text.isalnum():
            continue
        beside = others.at(mark.box)
        if not any(map(_is_meaningless, beside)) and _letters(mark.text).isdisjoint(_letters("".join(beside))):
            yield mark.text


def _letters(text: str) -> set[str]:
    return set(unicodedata.normalize("NFKC", text).casefold())


def _is_meaningless(text: str) -> bool:
    return text == "\ufffd" or unicodedata.category(text) in _MEANINGLESS


def _meet(a: Extent, b: Extent) -> bool:
    return min(a[2], b[2]) - max(a[0], b[0]) > -SLACK_PT and min(a[3], b[3]) - max(a[1], b[1]) > -SLACK_PT
