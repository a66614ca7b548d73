"""Verifies bounding boxes: exactly the smallest rectangle around the pieces that they name, one per column; in a source
without pages the smallest range, one per part of it."""

import itertools
import string
from collections.abc import Iterator, Sequence

from shared.domain.geometry import Box, CellRange, PageBox, PictureArea, Place, TextBox, TextRange
from shared.verify.ground import EXACT, Edges
from shared.verify.pieces import Piece

_DIGITS, _CAPITALS = string.digits, string.ascii_uppercase


def edges_around(parts: Sequence[Piece | Edges]) -> Edges:
    """The smallest rectangle around pieces and pictures, within the page."""
    return Edges(
        min([one.left for one in parts]),
        min([one.top for one in parts]),
        min(1.0, max([one.right for one in parts])),
        min(1.0, max([one.bottom for one in parts])),
    )


def edges_of(box: PageBox) -> Edges:
    return Edges(box.x, box.y, box.x + box.w, box.y + box.h)


def are_equal(one: Edges, other: Edges) -> bool:
    """To a millionth of the page."""
    return all(abs(a - b) <= EXACT for a, b in zip(one, other, strict=True))


def told(edges: Edges) -> str:
    return f"{edges.left:.6f} {edges.top:.6f} {edges.right - edges.left:.6f} {edges.bottom - edges.top:.6f}"


def box_failure(box: Box, pieces: Sequence[Piece]) -> tuple[str, str] | None:
    """(expected, stored) for a wrong box; None for a right one."""
    if not isinstance(box, PageBox):
        return _range_failure(box, [piece.place for piece in pieces])
    if not pieces:
        return "lines in the box", told(edges_of(box))
    expected = edges_around(pieces)
    return None if are_equal(expected, edges_of(box)) else (told(expected), told(edges_of(box)))


def column_failures(boxes: Sequence[tuple[Box, Sequence[Piece]]]) -> Iterator[tuple[str, str]]:
    """Running text has one box per column: a box ends where the next line is higher and beside all that came before,
    and nowhere else on a page. Without pages there are no columns."""
    if any(not isinstance(box, PageBox) for box, _ in boxes):
        pages = [box.page for box, _ in boxes]
        if len(set(pages)) != len(pages):
            yield "one range in each part", f"ranges in the parts {pages}"
        return
    for box, pieces in boxes:
        for place in range(1, len(pieces)):
            if _is_new_column(pieces[:place], pieces[place]):
                yield f"a box that begins with {pieces[place].line.id}", " ".join(box.fragment_ids)
                break
    for (box, pieces), (other, following) in itertools.pairwise(boxes):
        if box.page == other.page and pieces and following and not _is_new_column(pieces, following[0]):
            yield f"one box with {following[0].line.id}", " ".join([*box.fragment_ids, *other.fragment_ids])


def _is_new_column(before: Sequence[Piece], piece: Piece) -> bool:
    if piece.bottom > before[-1].top:
        return False
    return piece.left >= max([one.right for one in before]) or piece.right <= min([one.left for one in before])


def _range_failure(box: Box, places: Sequence[Place | None]) -> tuple[str, str] | None:
    stored = box.model_dump(include={"kind", "start", "end", "sheet", "range"})
    expected = _range_around([place for place in places if place is not None], isinstance(box, TextBox))
    if isinstance(box, TextBox) and (wrong := _area_failure(box.picture, places)):
        return wrong
    return None if expected == stored else (str(expected), str(stored))


def _area_failure(area: PictureArea | None, places: Sequence[Place | None]) -> tuple[str, str] | None:
    """Of text in a picture: the smallest part around its lines, in the picture that has them all."""
    inner = [place.picture for place in places if isinstance(place, TextRange) and place.picture is not None]
    there = len(inner) == len(places) and len({one.id for one in inner}) == 1
    if not there or area is None:
        return None if not there and area is None else ("a part of a picture with all of it", str(area))
    sides = [Edges(one.x, one.y, one.x + one.w, one.y + one.h) for one in (area, *inner)]
    expected = edges_around(sides[1:])
    held = area.id == inner[0].id and are_equal(expected, sides[0])
    return None if held else (f"{told(expected)} of {inner[0].id}", f"{told(sides[0])} of {area.id}")


def _range_around(places: Sequence[Place], text: bool) -> dict[str, str | int]:
    """As a stored range has it; empty where the places are of another kind, or of several sheets."""
    if text and places and all(isinstance(one, TextRange) for one in places):
        ranges = [one for one in places if isinstance(one, TextRange)]
        return {"kind": "text", "start": min(r.start for r in ranges), "end": max(r.end for r in ranges)}
    cells = [one for one in places if isinstance(one, CellRange)]
    if text or len(cells) != len(places) or len({one.sheet for one in cells}) != 1:
        return {}
    ends = [end for one in cells for end in one.range.split(":")]
    columns = sorted({end.rstrip(_DIGITS) for end in ends}, key=lambda name: (len(name), name))
    rows = sorted({int(end.lstrip(_CAPITALS)) for end in ends})
    first, last = f"{columns[0]}{rows[0]}", f"{columns[-1]}{rows[-1]}"
    return {"kind": "sheet", "sheet": cells[0].sheet, "range": first if first == last else f"{first}:{last}"}
