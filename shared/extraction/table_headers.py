"""How many of a table's first rows are its header."""

import re
from collections.abc import Sequence

from shared.extraction.headings import HeadingJudge
from shared.extraction.table_grid import Grid, GridCell
from shared.extraction.table_regions import Region

MAX_HEADER_ROWS = 6
MAX_HEADER_CHARACTERS = 60
_UNIT = re.compile(r"^\(.*\)$")
_NUMERIC = re.compile(r"^[\s$€£¥(+\-\u2212\u2013\u2014]*[\d.,]+[\s%)\u2014]*$|^[\u2014\u2013-]$")


def header_rows(grid: Grid, region: Region, judge: HeadingJudge) -> int:
    """Rows set apart by weight, by a rule below them, or by words above columns of numbers."""
    if grid.heads:
        return grid.heads + header_rows(Grid(grid.rows[grid.heads :], grid.dividers), region, judge)
    rows = grid.rows
    if len(rows) < 2 or _is_form(rows):
        return 0
    return _bold(rows) or _ruled_off(grid) or _words_above_numbers(rows) or _all_short_words(rows, region)


def _texts(row: Sequence[GridCell]) -> list[str]:
    return [" ".join(line.text for line in cell.lines) for cell in row if cell.lines]


def _is_form(rows: Sequence[Sequence[GridCell]]) -> bool:
    """Labels that end in a colon beside their values."""
    first = [_texts(row)[0] for row in rows if _texts(row)]
    return sum(text.rstrip().endswith(":") for text in first) >= 0.5 * len(first)


def _bold(rows: Sequence[Sequence[GridCell]]) -> int:
    """Leading rows all in bold, where not every row is; a unit in parentheses below them is one of them."""
    weights = [all(line.bold for cell in row for line in cell.lines) for row in rows]
    for index in range(1, len(rows)):
        texts = _texts(rows[index])
        weights[index] = weights[index] or (
            weights[index - 1] and len(texts) == 1 and _UNIT.match(texts[0]) is not None
        )
    count = next((i for i, bold in enumerate(weights) if not bold), len(rows))
    return count if 0 < count <= MAX_HEADER_ROWS and count < len(rows) else 0


def _ruled_off(grid: Grid) -> int:
    """Rows above the first rule inside a table that has few rules."""
    inner = [y for y in grid.dividers if _rows_above(grid, y) not in (0, len(grid.rows))]
    if not inner or len(inner) > max(2, len(grid.rows) // 3):
        return 0
    above = _rows_above(grid, inner[0])
    cells = [text for row in grid.rows[:above] for text in _texts(row)]
    short = all(len(text) <= MAX_HEADER_CHARACTERS for text in cells)
    return above if above <= MAX_HEADER_ROWS and short and not _mostly_numbers(cells) else 0


def _rows_above(grid: Grid, y: float) -> int:
    middles = [[line.middle for cell in row for line in cell.lines] for row in grid.rows]
    return sum(bool(m) and max(m) < y for m in middles)


def _mostly_numbers(texts: Sequence[str]) -> bool:
    return sum(_NUMERIC.match(text) is not None for text in texts) > 0.5 * max(1, len(texts))


def _words_above_numbers(rows: Sequence[Sequence[GridCell]]) -> int:
    """The first row holds words (or years) only, while most later rows hold numbers beyond their first cell."""
    first = _texts(rows[0])
    later = [_texts(row)[1:] for row in rows[1:]]
    numeric = sum(any(_NUMERIC.match(text) for text in texts) for texts in later)
    words = all(not _NUMERIC.match(text) or re.fullmatch(r"(19|20)\d\d", text) for text in first)
    return 1 if first and words and len(first) >= 2 and numeric >= 0.6 * len(later) else 0


def _all_short_words(rows: Sequence[Sequence[GridCell]], region: Region) -> int:
    """In a ruled table, a full first row of short words."""
    first = _texts(rows[0])
    full = len(first) == len(rows[0]) >= 2
    short = all(len(text) <= 40 and not any(c.isdigit() for c in text) for text in first)
    return 1 if region.kind != "aligned" and len(rows) >= 3 and full and short else 0
