"""Notes within the frame of a table, below its last row."""

import re
from collections.abc import Sequence

from shared.extraction.page_view import text_of
from shared.extraction.tables.grid import Grid, GridCell
from shared.extraction.tables.regions import Region

_MARKED = re.compile(r"(?:\d{1,2}|[*\u2020\u2021\u00a7])\s?[^\W\d_]")
SOURCE = re.compile(r"(?:sources?|notes?|quellen?|anmerkung(?:en)?|fuentes?|notas?)\s*:", re.I)
# Length of a note, at least.
MIN_NOTE = 40


def drop_notes(grid: Grid, region: Region) -> None:
    """Takes the last row out of a ruled table, and its lines out of the region, where it is one text across all
    columns that begins with the mark of a note; between rules also the last rows from one that says it is a note."""
    while region.kind == "grid" and len(grid.rows) > 2 and _is_note(grid.rows):
        _drop(grid, region, len(grid.rows) - 1)
    start = _labelled(grid.rows) if region.kind == "rules" else 0
    if start > 1:
        _drop(grid, region, start)


def _drop(grid: Grid, region: Region, start: int) -> None:
    lines = {line.order for row in grid.rows[start:] for cell in row for line in cell.lines}
    del grid.rows[start:]
    region.lines = [line for line in region.lines if line.order not in lines]


def _labelled(rows: Sequence[Sequence[GridCell]]) -> int:
    """The first of the last rows, each a text alone at the left, if it begins as a note or the source of a table; else
    0."""
    start = len(rows)
    while start and rows[start - 1][0].lines and not any(cell.lines for cell in rows[start - 1][1:]):
        start -= 1
    return next((n for n in range(start, len(rows)) if SOURCE.match(rows[n][0].lines[0].text)), 0)


def _is_note(rows: Sequence[Sequence[GridCell]]) -> bool:
    count = len(rows)
    if any(n + cell.row_span >= count for n, row in enumerate(rows[:-1]) for cell in row):
        return False
    text = text_of([line for cell in rows[-1] for line in cell.lines])
    return len(rows[-1]) == 1 and len(text) >= MIN_NOTE and _MARKED.match(text) is not None
