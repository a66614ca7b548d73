"""Verifies that boxes to tick stand in the content beside the words that they stand beside on the page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from shared.domain.geometry import PageBox, Tick
from shared.domain.page import PageFile, TickBox
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


def check_ticks(
    checked: Checked, boxed: Sequence[tuple[PageBox, list[Piece]]], pages: Mapping[int, ProvenPage]
) -> None:
    """Each box of the chunk is one of its page, in that state, and stands before or behind a text next to it."""
    place = 0
    for box, pieces in boxed:
        spans: list[tuple[Piece, int]] = []
        for piece in pieces:
            start = checked.chunk.content.find(piece.text, place)
            spans.append((piece, start))
            place = max(place, start + len(piece.text))
        for tick in box.ticks:
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
        if start == tick.at and piece.start == 0 and piece.line is beside.right:
            return None
        whole = piece.end == len(piece.line.text)
        if start + len(piece.text) == tick.at and whole and piece.line is beside.left:
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
    box, width = tick.box, file.width_pt
    middle, across = box.y + box.h / 2, box.x + box.w / 2
    upright = {fragment.id for fragment in file.fragments if fragment.direction in ("ltr", "rtl")}
    level = [line for line in lines if line.id in upright and line.top <= middle <= line.bottom]
    level = [line for line in level if not _is_in_any(line, file)]
    boxes = [one.box for one in file.tick_boxes or () if one is not tick and one.box.y <= middle <= one.box.bottom]
    right = min((line for line in level if line.left >= across), key=lambda line: line.left, default=None)
    left = max((line for line in level if line.right <= across), key=lambda line: line.right, default=None)
    if right and (
        (right.left - box.right) * width > REACH_PT or any(across <= one.x < right.left for one in boxes)
    ):  # fmt: skip
        right = None
    if left and ((box.x - left.right) * width > REACH_PT or any(left.right < one.right <= across for one in boxes)):
        left = None
    return _Beside(right, left)


def _is_in_any(line: SourceLine, file: PageFile) -> bool:
    return any(_is_written_in(line, one) for one in file.tick_boxes or ())


def _is_written_in(line: SourceLine, tick: TickBox) -> bool:
    x, y, box = (line.left + line.right) / 2, (line.top + line.bottom) / 2, tick.box
    small = line.right - line.left <= 2 * box.w
    return small and box.x <= x <= box.right and box.y <= y <= box.bottom
