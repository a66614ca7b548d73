"""Verifies that boxes to tick stand in the content beside the words that they stand beside on the page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from shared.domain.geometry import Box, PageBox, Rect, Tick
from shared.domain.page import Fragment, PageFile, TickBox
from shared.verify.boxes import are_equal
from shared.verify.ground import Edges
from shared.verify.page import ProvenPage, Wrong
from shared.verify.pieces import Piece, SourceLine
from shared.verify.report import Checked

# A label stands at most this far from its box, in points.
REACH_PT = 30.0


class _Beside(NamedTuple):
    """The texts next to a box: behind it, before it; None where there is none in reach."""

    right: SourceLine | None
    left: SourceLine | None


def check_ticks(checked: Checked, boxed: Sequence[tuple[Box, list[Piece]]], pages: Mapping[int, ProvenPage]) -> None:
    """Each box of the chunk is one of its page, in that state, and stands before or behind a text next to it."""
    place = 0
    for box, pieces in boxed:
        spans: list[tuple[Piece, int]] = []
        for piece in pieces:
            start = checked.chunk.content.find(piece.text, place)
            spans.append((piece, start))
            place = max(place, start + len(piece.text))
        for tick in box.ticks if isinstance(box, PageBox) else ():
            if wrong := _tick_failure(tick, spans, pages[box.page]):
                checked.fail("tick", box.page, wrong, f"{_state(tick.ticked)} before character {tick.at}")


def _tick_failure(tick: Tick, spans: Sequence[tuple[Piece, int]], page: ProvenPage) -> str | None:
    boxes = (page.file.tick_boxes if page.file else None) or ()
    stored = next((one for one in boxes if is_same(one, tick)), None)
    if page.file is None or stored is None:
        return f"no such box at {tick.x:.5f} {tick.y:.5f}"
    if stored.ticked != tick.ticked:
        return _state(stored.ticked)
    beside = _beside(stored, page.file, [*page.lines.by_id.values()])
    for piece, start in spans:
        if start == tick.at and piece.start == 0 and beside.right and piece.line.id == beside.right.id:
            return None
        whole = piece.end == len(piece.line.text)
        if start + len(piece.text) == tick.at and whole and beside.left and piece.line.id == beside.left.id:
            return None
    return "a place beside what stands next to the box"


def lost_ticks(page: ProvenPage, ticks: Iterable[Tick], labels: Iterable[str]) -> Iterator[Wrong]:
    """Boxes that no chunk has although chunks hold the texts next to them (`labels`, whole fragments), or that two
    have."""
    if page.file is None or not page.file.tick_boxes:
        return
    held, lines, known = list(ticks), [*page.lines.by_id.values()], set(labels)
    for box in page.file.tick_boxes:
        count = sum(is_same(box, tick) for tick in held)
        beside = [line for line in _beside(box, page.file, lines) if line is not None]
        if count > 1 or (count == 0 and beside and all(line.id in known for line in beside)):
            where = f"at {box.box.x:.5f} {box.box.y:.5f}"
            yield Wrong("tick", f"{_state(box.ticked)} {where} in one chunk", f"in {count}")


def is_same(box: TickBox, tick: Tick) -> bool:
    one = Edges(box.box.x, box.box.y, box.box.right, box.box.bottom)
    return are_equal(one, Edges(tick.x, tick.y, tick.right, tick.bottom))


def _state(ticked: bool) -> str:
    return "a ticked box" if ticked else "an empty box"


def _beside(tick: TickBox, file: PageFile, lines: Sequence[SourceLine]) -> _Beside:
    """What stands next to a box of `file`, seen with the page's lines level."""
    box, width = _as_read(tick.box, file.turn), file.height_pt if file.turn % 180 else file.width_pt
    middle, across = (box.top + box.bottom) / 2, (box.left + box.right) / 2
    along = {fragment.id for fragment in file.fragments if _is_level(fragment, file)}
    placed = [(line, _as_read(line, file.turn)) for line in lines if line.id in along and not _is_in_any(line, file)]
    level = [(line, edges) for line, edges in placed if edges.top <= middle <= edges.bottom]
    others = [_as_read(one.box, file.turn) for one in file.tick_boxes or () if one is not tick]
    boxes = [one for one in others if one.top <= middle <= one.bottom]
    right = min(((e.left, line) for line, e in level if e.left >= across), key=lambda one: one[0], default=None)
    left = max(((e.right, line) for line, e in level if e.right <= across), key=lambda one: one[0], default=None)
    if right and (
        (right[0] - box.right) * width > REACH_PT or any(across <= one.left < right[0] for one in boxes)
    ):  # fmt: skip
        right = None
    if left and ((box.left - left[0]) * width > REACH_PT or any(left[0] < one.right <= across for one in boxes)):
        left = None
    return _Beside(right and right[1], left and left[1])


def _is_level(fragment: Fragment, file: PageFile) -> bool:
    """Whether a text runs along the page's lines; a page that lies sideways has them set so."""
    if fragment.ocr or file.turn % 180 == 0:
        return fragment.direction in ("ltr", "rtl")
    high = fragment.box.h * file.height_pt >= fragment.box.w * file.width_pt or len(fragment.text) <= 2
    return fragment.direction == "rotated" and high


def _as_read(one: Rect | SourceLine, turn: int) -> Edges:
    """The edges with the page turned back, which is shown turned clockwise by `turn` degrees."""
    x0, y0, x1, y1 = (
        (one.x, one.y, one.right, one.bottom) if isinstance(one, Rect) else (one.left, one.top, one.right, one.bottom)
    )
    edges = {
        0: (x0, y0, x1, y1),
        90: (y0, 1 - x1, y1, 1 - x0),
        180: (1 - x1, 1 - y1, 1 - x0, 1 - y0),
        270: (1 - y1, x0, 1 - y0, x1),
    }
    return Edges(*edges[turn])


def _is_in_any(line: SourceLine, file: PageFile) -> bool:
    return any(_is_written_in(line, one) for one in file.tick_boxes or ())


def _is_written_in(line: SourceLine, tick: TickBox) -> bool:
    x, y, box = (line.left + line.right) / 2, (line.top + line.bottom) / 2, tick.box
    small = line.right - line.left <= 2 * box.w
    return small and box.x <= x <= box.right and box.y <= y <= box.bottom
