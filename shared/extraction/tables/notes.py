"""Notes within the frame of a table, below its last row."""

import re
from collections.abc import Sequence

from shared.extraction.page_view import text_of
from shared.extraction.tables.grid import Grid, GridCell
from shared.extraction.tables.regions import Region

_MARKED = re.compile(r"(?:\d{1,2}|[*\u2020\u2021\u00a7])\s?[^\W\d_]")
# Length of a note, at least.
MIN_NOTE = 40


def drop_notes(grid: Grid, region: Region) -> None:
    """Takes the last row out of a ruled table, and its lines out of the region, where it is one text across all
    columns that begins with the mark of a note."""
    while region.kind == "grid" and len(grid.rows) > 2 and _is_note(grid.rows):
        lines = {line.order for cell in grid.rows.pop() for line in cell.lines}
        region.lines = [line for line in region.lines if line.order not in lines]


def _is_note(rows: Sequence[Sequence[GridCell]]) -> bool:
    count = len(rows)
    if any(n + cell.row_span >= count for n, row in enumerate(rows[:-1]) for cell in row):
        return False
    text = text_of([line for cell in rows[-1] for line in cell.lines])
    return len(rows[-1]) == 1 and len(text) >= MIN_NOTE and _MARKED.match(text) is not None
