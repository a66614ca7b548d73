"""Verifies bounding boxes: exactly the smallest rectangle around the pieces that they name, one per column."""

import itertools
from collections.abc import Iterator, Sequence

from shared.domain.geometry import PageBox
from shared.verify.ground import EXACT, Edges
from shared.verify.pieces import Piece


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


def box_failure(box: PageBox, pieces: Sequence[Piece]) -> tuple[str, str] | None:
    """(expected, stored) for a wrong box; None for a right one."""
    if not pieces:
        return "lines in the box", told(edges_of(box))
    expected = edges_around(pieces)
    return None if are_equal(expected, edges_of(box)) else (told(expected), told(edges_of(box)))


def column_failures(boxes: Sequence[tuple[PageBox, Sequence[Piece]]]) -> Iterator[tuple[str, str]]:
    """Running text has one box per column: a box ends where the next line is higher and beside all that came before,
    and nowhere else on a page."""
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
