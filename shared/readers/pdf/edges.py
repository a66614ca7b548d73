"""The horizontal edges of a line's characters, for readers of single characters (parts of fragments have boxes too)."""

from collections.abc import Sequence

from shared.readers.pdf.drawings import Extent

# Kerning and accents set a character back by less than this share of the type size; more is a change of direction.
SET_BACK_EM = 0.35


def edges_of(boxes: Sequence[Extent], size: float) -> tuple[float, ...]:
    """One edge more than there are characters, in points as displayed: character i stands between edges i and i + 1.

    They rise, or fall where the text runs from right to left; empty where it does neither, as in a line of both
    directions: a run of its characters may stand in several places.
    """
    rising = _monotone([box[0] for box in boxes], boxes[-1][2], SET_BACK_EM * size)
    if rising:
        return rising
    return tuple(-edge for edge in _monotone([-box[2] for box in boxes], -boxes[-1][0], SET_BACK_EM * size))


def _monotone(starts: Sequence[float], end: float, slack: float) -> tuple[float, ...]:
    edges: list[float] = []
    for start in [*starts, end]:
        if edges and start < edges[-1] - slack:
            return ()
        edges.append(max(start, edges[-1]) if edges else start)
    return tuple(edges)
