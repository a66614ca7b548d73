"""Boxes to tick and their labels: "☒ Yes" where the page draws a box beside the word.

A box is no text, so it changes none: the chunk's boxes say where it stands, whether it is ticked, and before which
character it reads.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from shared.domain.draft import ChunkDraft
from shared.domain.geometry import PageBox, Rect, Tick
from shared.domain.operations import Skip
from shared.domain.page import Fragment, PageFile, TickBox
from shared.domain.turned import as_read, turn_rect
from shared.extraction.page_view import PageView
from shared.extraction.references import ReferencedPart, Resolver

# How far from its label a box may stand, in points; about two letters more than forms leave.
REACH_PT = 30.0
# The flag of chunks, and the sign of pages, with boxes that may be ticked or not.
UNSURE = "uncertain_ticks"

Side = Literal["left", "right"]


class _Place(NamedTuple):
    """The label on one side of a box, and the gap between in points."""

    fragment: Fragment
    gap: float


def skip_typed_ticks(view: PageView) -> list[Skip]:
    """Leaves out the letters and signs that tick a box: the box says so."""
    boxes = [tick.box for tick in view.page.tick_boxes or () if tick.ticked]
    typed = [line for line in view.free if any(_is_in(line.fragment.box, box) for box in boxes)]
    view.take(typed)
    return [Skip(fragment_ids=[line.id], reason="decoration") for line in typed]


def mark_ticks(chunks: Iterable[ChunkDraft], page: PageFile, resolver: Resolver) -> None:
    """Adds the boxes of `page` to the chunks that hold their labels; the labels of figures keep none."""
    if not page.tick_boxes:
        return
    level = as_read(page)
    labels = {
        name: [(side, tick.model_copy(update={"box": turn_rect(tick.box, page.turn)})) for side, tick in placed]
        for name, placed in label_ticks(level, level.tick_boxes or []).items()
    }
    for chunk in chunks:
        if chunk.chunk_type != "figure" and any(box.kind == "page" and box.page == page.page for box in chunk.boxes):
            _mark(chunk, page.page, labels, resolver)


def label_ticks(page: PageFile, boxes: Sequence[TickBox]) -> dict[str, list[tuple[Side, TickBox]]]:
    """The boxes by the id of the fragment that is their label, with the side of the box where it stands.

    In a row of boxes all labels stand on one side: the one that has more of them, or else nearer ones.
    """
    found: dict[str, list[tuple[Side, TickBox]]] = defaultdict(list)
    level = [fragment for fragment in page.fragments if fragment.direction in ("ltr", "rtl")]
    texts = [fragment for fragment in level if not any(_is_in(fragment.box, tick.box) for tick in boxes)]
    for row in _rows(boxes):
        places = {side: [_beside(tick, side, texts, page) for tick in row] for side in ("right", "left")}
        usual: Side = min(("right", "left"), key=lambda side: _cost(places[side]))
        other: Side = "left" if usual == "right" else "right"
        for at, tick in enumerate(row):
            side = usual if places[usual][at] else other
            if (place := places[side][at]) is not None:
                found[place.fragment.id].append((side, tick))
    return found


def _cost(places: Sequence[_Place | None]) -> tuple[int, float]:
    return sum(place is None for place in places), sum(place.gap for place in places if place)


def _rows(ticks: Sequence[TickBox]) -> list[list[TickBox]]:
    rows: list[list[TickBox]] = []
    for tick in sorted(ticks, key=lambda tick: (tick.box.y, tick.box.x)):
        if rows and abs(rows[-1][0].box.y - tick.box.y) < tick.box.h / 2:
            rows[-1].append(tick)
        else:
            rows.append([tick])
    return [sorted(row, key=lambda tick: tick.box.x) for row in rows]


def _beside(tick: TickBox, side: Side, texts: Sequence[Fragment], page: PageFile) -> _Place | None:
    """The nearest text level with the box on that side, with no other box between."""
    middle = tick.box.y + tick.box.h / 2
    level = [f for f in texts if f.box.y <= middle <= f.box.bottom]
    gaps = [(_gap(tick.box, f.box, side), f) for f in level]
    near = [_Place(f, gap * page.width_pt) for gap, f in gaps if gap is not None]
    best = min(near, key=lambda place: place.gap, default=None)
    if best is None or best.gap > REACH_PT:
        return None
    others = [
        other.box for other in page.tick_boxes or () if other is not tick and other.box.y <= middle <= other.box.bottom
    ]
    between = [gap for box in others if (gap := _gap(tick.box, box, side)) is not None]
    return None if any(gap * page.width_pt < best.gap for gap in between) else best


def _gap(box: Rect, other: Rect, side: Side) -> float | None:
    """Between a box and what stands on that side of its middle; None for what does not."""
    middle = box.x + box.w / 2
    if side == "right":
        return max(0.0, other.x - box.right) if other.x >= middle else None
    return max(0.0, box.x - other.right) if other.right <= middle else None


def _is_in(text: Rect, box: Rect) -> bool:
    x, y = text.x + text.w / 2, text.y + text.h / 2
    return box.x <= x <= box.right and box.y <= y <= box.bottom and text.w <= 2 * box.w


def _mark(chunk: ChunkDraft, page: int, labels: dict[str, list[tuple[Side, TickBox]]], resolver: Resolver) -> None:
    """Goes back through the page's parts of the content, which end it. A box with little ink in it flags the chunk."""
    end = len(chunk.content)
    for place in range(len(chunk.boxes) - 1, -1, -1):
        box = chunk.boxes[place]
        if not isinstance(box, PageBox) or box.page != page:
            continue
        ticks: list[Tick] = []
        for part in reversed(resolver.resolve_all(box.fragment_ids)):
            start = chunk.content.rfind(part.text, 0, end)
            if start < 0:
                break
            ticks += _ticks_of(part, start, labels)
            if UNSURE not in chunk.flags and any(tick.unsure for _, tick in labels.get(part.fragment.id, ())):
                chunk.flags.append(UNSURE)
            end = start
        if ticks:
            chunk.boxes[place] = box.model_copy(update={"ticks": tuple(sorted(ticks, key=lambda t: (t.at, t.x)))})


def _ticks_of(part: ReferencedPart, start: int, labels: dict[str, list[tuple[Side, TickBox]]]) -> list[Tick]:
    found: list[Tick] = []
    for side, tick in labels.get(part.fragment.id, ()):
        if side == "right" and part.start == 0:
            found.append(_tick(tick, start))
        elif side == "left" and part.end == len(part.fragment.text):
            found.append(_tick(tick, start + len(part.text)))
    return found


def _tick(tick: TickBox, at: int) -> Tick:
    box = tick.box
    return Tick(x=box.x, y=box.y, w=box.w, h=box.h, ticked=tick.ticked, at=at)
