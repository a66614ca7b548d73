"""Cells that stand close beside each other, which the library joins to one line by a blank that the page does not have.

The blank alone does not tell: a formula or a word set by itself has one, too. Cells have theirs below each other, in
rows that begin or end there at one place, and no other text runs over it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from shared.readers.pdf.lines import STRAIGHT, PdfLine

SYNTHETIC = 512  # char_flags: added by the library
MIN_ROWS = 3
# Blanks of a page's own for one that the library added, at least, in lines of text, which have so many.
OWN_MIN, BLANKS_OF_TEXT = 8, 8
# Lines across the white between cells, as a share of its rows.
CROSSING_MAX = 0.25
# Greatest distance of edges below each other, and of the tops of rows below each other (type sizes).
SAME_EDGE_PT = 0.75
SAME_LINE_EM = 0.3
MAX_STEP = 4.0
# Cells in a row, at most, in the order of their tops.
ROW_MAX = 30
# What stands in front of an item of a list, or of a note; a bare number is a cell where something stands before it.
_MARKER = re.compile(r"[^\w\s]+|[(\[]?(?:\w{1,2}|[ivxIVX]{1,5}|\d{1,3})[.):\]]+|\d+(?:\.\d+)+\.?")
_WORD = re.compile(r"[^\W_]")
_BARE = re.compile(r"\w{1,2}|[ivxIVX]{1,5}|\d{1,3}")


class Joint(NamedTuple):
    """Where two texts of a line are joined: what the left one ends and the right one begins at. `bare`: the left one is
    the line's first, and might be the number of a note."""

    line: int
    left: float
    right: float
    bare: bool = False

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


def joints_of(spans: Sequence[Mapping[str, Any]], at: int) -> list[Joint]:
    """The joints of line `at` with these spans; none behind what may be the mark of an item."""
    found, text = list[Joint](), ""
    for before, span, after in zip(spans, spans[1:], spans[2:], strict=False):
        text += before["text"]
        words = all(_WORD.search(beside["text"]) for beside in (before, after))
        if span["char_flags"] & SYNTHETIC and words and not _MARKER.fullmatch(text.strip()):
            bare = _BARE.fullmatch(text.strip()) is not None
            found.append(Joint(at, before["bbox"][2], after["bbox"][0], bare))
    return found


def has_own_blanks(blocks: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the page has its blanks itself: in a text that is set without them, all are the library's. Of lines of
    text nearly all are the page's own; a line of cells has some of each."""
    own = added = own_of_text = added_of_text = 0
    for block in blocks:
        for raw in block.get("lines", ()):
            joined = sum(bool(span["char_flags"] & SYNTHETIC) for span in raw["spans"])
            blanks = sum(span["text"].strip().count(" ") for span in raw["spans"])
            own, added = own + blanks, added + joined
            if blanks + joined >= BLANKS_OF_TEXT:
                own_of_text, added_of_text = own_of_text + blanks, added_of_text + joined
    return own >= added and own_of_text >= OWN_MIN * added_of_text


def walls_between_cells(lines: Sequence[PdfLine], joints: Sequence[Joint]) -> dict[int, list[float]]:
    """The x at which to divide lines, by their index in `lines`."""
    found: dict[int, list[float]] = {}
    beside = _neighbours(lines, joints)
    joints = [joint for joint in joints if not joint.bare or joint.line in beside.values()]
    gaps = [*joints, *(Joint(at, lines[at].x1, lines[other].x0) for at, other in beside.items())]
    for edge in (1, 2):
        for run in _runs(lines, gaps, edge):
            left, right = max(gap.left for gap in run), min(gap.right for gap in run)
            if left < right and _crossing(lines, run, left, right) <= CROSSING_MAX * len(run):
                for joint in _beside(lines, joints, run, left, right):
                    places = found.setdefault(joint.line, [])
                    if joint.middle not in places:
                        places.append(joint.middle)
    return found


def _neighbours(lines: Sequence[PdfLine], joints: Sequence[Joint]) -> dict[int, int]:
    """Of the lines in the height of the joints, and around them, which one stands next on the right."""
    reach = MAX_STEP * max(lines[joint.line].size for joint in joints)
    top = min(lines[joint.line].y0 for joint in joints) - reach
    bottom = max(lines[joint.line].y0 for joint in joints) + reach
    near = [at for at, line in enumerate(lines) if top <= line.y0 <= bottom and line.dir_x > STRAIGHT]
    near.sort(key=lambda at: (lines[at].y0, lines[at].x0))
    found: dict[int, int] = {}
    for place, at in enumerate(near):
        line = lines[at]
        level = [
            other
            for other in near[max(0, place - ROW_MAX) : place + ROW_MAX]
            if abs(lines[other].y0 - line.y0) <= SAME_LINE_EM * line.size and lines[other].x0 >= line.x1
        ]
        if level:
            found[at] = min(level, key=lambda other: lines[other].x0)
    return found


def _runs(lines: Sequence[PdfLine], gaps: Sequence[Joint], edge: int) -> Iterator[list[Joint]]:
    """Gaps in rows below each other whose `edge` (1: where the left text ends, 2: where the right one begins) is at
    one place."""
    runs: list[list[Joint]] = []
    for gap in sorted(gaps, key=lambda gap: lines[gap.line].y0):
        line = lines[gap.line]
        for run in runs:
            step = line.y0 - lines[run[-1].line].y0
            if abs(gap[edge] - run[-1][edge]) <= SAME_EDGE_PT and 0 < step <= MAX_STEP * line.size:
                run.append(gap)
                break
        else:
            runs.append([gap])
    return (run for run in runs if len(run) >= MIN_ROWS)


def _beside(
    lines: Sequence[PdfLine], joints: Sequence[Joint], run: Sequence[Joint], left: float, right: float
) -> Iterator[Joint]:
    """The joints over the white of a run, in its height and a step around it."""
    reach = MAX_STEP * max(lines[gap.line].size for gap in run)
    top, bottom = lines[run[0].line].y0 - reach, lines[run[-1].line].y1 + reach
    for joint in joints:
        line = lines[joint.line]
        if top <= line.y0 and line.y1 <= bottom and joint.left < right and joint.right > left:
            yield joint


def _crossing(lines: Sequence[PdfLine], run: Sequence[Joint], left: float, right: float) -> int:
    """How many other lines between the first and the last of a run have text over the white from `left` to `right`."""
    own = {gap.line for gap in run}
    top, bottom = lines[run[0].line].y0, lines[run[-1].line].y1
    return sum(
        line.y0 >= top and line.y1 <= bottom and line.x0 < left and line.x1 > right
        for at, line in enumerate(lines)
        if at not in own
    )
