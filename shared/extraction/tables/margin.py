"""Running text with notes in its margin: names and numbers stand beside its lines, and make no table of them."""

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise

from shared.extraction.page_view import Line, rows_of
from shared.extraction.tables.bands import has_room
from shared.extraction.tables.regions import Region

# Width of lines of running text, at least, in type sizes.
TEXT_EM = 15.0
SAME_EDGE_PT = 1.0
# Greatest distance of the lines of a text, in type sizes.
STEP_EM = 1.6
# Notes beside one sentence, from which they are no labels of rows.
MIN_NOTES = 2
_ENDS = tuple(".:;!?\u3002")


def is_beside_text(region: Region) -> bool:
    """Whether one side of the region is running text, with several notes beside the lines of one of its sentences, and
    nothing beside any other line."""
    rows = rows_of(region.lines)
    return any(_is_running(rows, side) for side in (0, -1))


def _is_running(rows: Sequence[Sequence[Line]], side: int) -> bool:
    texts = [row[side] for row in rows]
    edge = Counter(round(line.x0) for line in texts).most_common(1)[0][0]
    column = [line for line in texts if abs(line.x0 - edge) <= 2 * SAME_EDGE_PT]
    right = max(line.x1 for line in column)
    if right - edge < TEXT_EM * column[0].size:
        return False
    ends = {line.order for line in column if right - line.x1 <= SAME_EDGE_PT}
    noted = {row[side].order for row in rows if len(row) > 1}
    notes = [int(column[0].order in noted)]
    for above, below in pairwise(column):
        if _runs_on(above, below, right, ends):
            notes[-1] += below.order in noted
        else:
            notes.append(int(below.order in noted))
    return max(notes) == len(noted) >= MIN_NOTES


def _runs_on(above: Line, below: Line, right: float, ends: Collection[int]) -> bool:
    """Whether a sentence goes on from a line, behind which there was no room up to `right`, to the next: in lower case,
    or from one of several lines that end at that edge, whose orders are `ends`."""
    near = 0 < below.y0 - above.y0 <= STEP_EM * above.size and abs(above.size - below.size) < 1
    if not near or above.text.rstrip().endswith(_ENDS) or has_room(above, below, right - above.x0):
        return False
    return below.text[:1].islower() or (len(ends) > 1 and above.order in ends)
