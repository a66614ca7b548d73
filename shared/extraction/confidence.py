"""Confidence in the operations of a page, computed from measurable signs, each with its weight."""

import itertools
from collections.abc import Sequence

from shared.domain.operations import ChunkType
from shared.domain.page import PageFile
from shared.extraction.page_view import Line
from shared.extraction.structure import BROKEN, HIDDEN, PARTLY_HIDDEN, ROWS_KEPT, UNCALCULATED
from shared.extraction.text_signs import amounts_first, garbled, odd_spacing, text_over_text, turns_back, unmapped
from shared.extraction.ticks import UNSURE

# Weight of each sign: how much it lowers the confidence of a page that shows no other sign. The first five, and their
# factors below, were set with `tests/bench/confidence.py`: a page that lost a tenth of its word pairs drops below
# green, one that lost half below yellow. Of clean pages of all kinds, 99 in 100 show none of the five.
WEIGHTS = {
    "unmapped_characters": 0.6,
    "order_conflict": 0.5,
    "garbled_text": 0.6,
    "odd_spacing": 0.5,
    "text_over_text": 0.5,
    "many_fragments": 0.15,
    "rotated_text": 0.15,
    "uncertain_tables": 0.3,
    "unread_tables": 0.3,
    "uncertain_ticks": 0.3,
    "no_text_layer": 0.6,
    "ocr": 0.1,
    "low_ocr_confidence": 0.4,
    "lost_content": 0.8,
    "invisible_text": 0.2,
}
# The OCR engine's mean confidence over a line's words. Lines at .9 or more had one wrong character in 2,000 in
# `tests/bench/ocr.py`; too few were below .8 to measure their errors.
LOW_OCR_CONFIDENCE = 0.8
# Of what the engine is short of certainty, in the mean of a page's words. `tests/bench/ocr_confidence.py`: 4.5 times
# that is about the share of its words that are wrong (.003 .01, .04 .19, .17 .44, .32 .86); 1.5 times the share makes a
# page with a tenth of its words wrong less than green, one with half of them less than yellow.
DOUBT = 1.5 * 4.5
# One line in thirty of ordinary English is outside the usual share of vowels, since a line has few letters.
STRAY_LINES = 0.1
# Boxes to tick that are doubtful, formulas without a value, broken characters, and what its source hides are flags of
# their chunks alone; rows without passages, and pictures beside text, are no doubt about others.
_OF_NO_CHUNK = frozenset({UNSURE, BROKEN, ROWS_KEPT, UNCALCULATED, HIDDEN, PARTLY_HIDDEN, "unread_pictures"})
_ABOUT_OCR = frozenset({"ocr", "low_ocr_confidence"})


def page_confidence(
    page: PageFile, lines: Sequence[Line], table_confidences: Sequence[float], prose: Sequence[Line] = ()
) -> tuple[float, list[str]]:
    """Returns (confidence 0..1, names of the signs that lowered it, worst first). `prose`: the lines that are in no
    table."""
    signs = _signs(page, lines, table_confidences, prose)
    losses = {name: WEIGHTS[name] * min(1.0, strength) for name, strength in signs.items() if strength > 0}
    confidence = 1.0
    for loss in losses.values():
        confidence *= 1 - loss
    flagged = [name for name, loss in sorted(losses.items(), key=lambda one: -one[1]) if loss >= 0.05]
    return round(confidence, 4), flagged


def flags_of_chunk(flags: Sequence[str], kind: ChunkType, ocr: bool) -> list[str]:
    """Those of the page's flags that apply to a chunk of this type."""
    flags = [flag for flag in flags if flag not in _OF_NO_CHUNK]
    tabular = kind in ("table", "table_row")
    return [f for f in flags if (tabular or f != "uncertain_tables") and (ocr or f not in _ABOUT_OCR)]


def text_confidence(lines: Sequence[Line]) -> float:
    """Confidence 0..1 in the text of a single chunk; lowered by characters without meaning and by wrong word
    spacing."""
    characters = sum(len(line.text) for line in lines) or 1
    lost = WEIGHTS["unmapped_characters"] * min(1.0, 5 * sum(unmapped(line.text) for line in lines) / characters)
    odd = WEIGHTS["odd_spacing"] * min(1.0, 9 * odd_spacing(lines))
    return round((1 - lost) * (1 - odd), 4)


def _signs(page: PageFile, lines: Sequence[Line], tables: Sequence[float], prose: Sequence[Line]) -> dict[str, float]:
    characters = sum(len(line.text) for line in lines) or 1
    return {
        "unmapped_characters": 5 * sum([unmapped(line.text) for line in lines]) / characters,
        "order_conflict": 2 * _conflicts(lines) + 3 * turns_back(lines),
        "garbled_text": 3 * max(0.0, garbled(lines) - STRAY_LINES),
        "odd_spacing": 9 * odd_spacing(lines),
        "text_over_text": 1.5 * text_over_text(lines),
        "many_fragments": max(0.0, sum(len(line.text) <= 2 for line in lines) / max(20, len(lines)) - 0.5),
        "rotated_text": 2 * sum(len(x.text) for x in lines if x.fragment.direction == "rotated") / characters,
        "uncertain_tables": max((1 - confidence for confidence in tables), default=0.0),
        "unread_tables": amounts_first(prose) / 8,
        UNSURE: sum(tick.unsure for tick in page.tick_boxes or ()) / max(1, len(page.tick_boxes or ())),
        "no_text_layer": _unread_picture(page),
        "ocr": max(0.5, _recognised(lines) / characters) if any(line.fragment.ocr for line in lines) else 0.0,
        "low_ocr_confidence": max(2 * _recognised(lines, below=LOW_OCR_CONFIDENCE), DOUBT * _doubted(lines))
        / characters,
        "lost_content": 1.0 if page.doubtful else 0.0,
        "invisible_text": sum(len(line.text) for line in lines if line.fragment.invisible) / characters,
    }


def _unread_picture(page: PageFile) -> float:
    """1 for a picture of a page that no OCR has read, a third where that is only a part of the page."""
    if page.route not in ("ocr", "mixed") or any(fragment.ocr for fragment in page.fragments):
        return 0.0
    return 1.0 if page.route == "ocr" else 1 / 3


def _recognised(lines: Sequence[Line], below: float = 1.01) -> int:
    """The number of characters read by OCR with a confidence below `below`."""
    return sum(len(line.text) for line in lines if line.fragment.ocr and (line.fragment.confidence or 0.0) < below)


def _doubted(lines: Sequence[Line]) -> float:
    """The characters read by OCR, each counted as far as the engine is unsure of its line."""
    return sum(len(line.text) * (1 - (line.fragment.confidence or 0.0)) for line in lines if line.fragment.ocr)


def _conflicts(lines: Sequence[Line]) -> float:
    """The share of lines that overlap the line before them in reading order: text over text, or a wrong order."""
    if len(lines) < 2:
        return 0.0
    overlapping = sum(_overlap(a, b) for a, b in itertools.pairwise(lines))
    return overlapping / len(lines)


def _overlap(a: Line, b: Line) -> bool:
    across = min(a.x1, b.x1) - max(a.x0, b.x0)
    down = min(a.y1, b.y1) - max(a.y0, b.y0)
    return across > 0.3 * min(a.x1 - a.x0, b.x1 - b.x0) and down > 0.6 * min(a.height, b.height)
