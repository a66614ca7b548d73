"""The grid of a table without cell borders: assigns pieces of text to the cells of its rows (see bands.py)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from shared.domain.operations import Cell
from shared.extraction.page_view import Line, ids_of, rows_of
from shared.extraction.tables.bands import BandEvidence, evidence_of, logical_rows
from shared.extraction.tables.centred import Centred, is_one_row, take_centred
from shared.extraction.tables.columns import Column, covered_column
from shared.extraction.tables.regions import Region
from shared.extraction.tables.rows import CURRENCIES, is_figure

# Share of the table's width that the pieces of a rule must cover to divide rows.
DIVIDING_SHARE = 0.4
# Rows with cells from whose distances the lines of a label can be told, and how much nearer these are.
MIN_STEPS = 3
LEADING = 0.95
SAME_MIDDLE_PT = 2.0


@dataclass(slots=True)
class GridCell:
    """A cell: its lines in reading order, the number of columns and rows it spans."""

    column: int
    lines: list[Line] = field(default_factory=list[Line])
    col_span: int = 1
    row_span: int = 1


class Grid:
    """Logical rows of cells; `dividers` are the heights (y) of rules between rows, `heads` the number of header rows
    that `grow_header` found."""

    def __init__(self, rows: list[list[GridCell]], dividers: list[float], heads: int = 0) -> None:
        self.rows = rows
        self.dividers = dividers
        self.heads = heads
        self.undecided = False  # whether rows may as well be lines of one row

    def below(self, heads: list[list[GridCell]]) -> "Grid":
        """The grid with rows of a header above it."""
        grid = Grid([*heads, *self.rows], self.dividers, len(heads))
        grid.undecided = self.undecided
        return grid

    def cells(self) -> list[list[Cell]]:
        return [
            [Cell(fragment_ids=ids_of(c.lines), row_span=c.row_span, col_span=c.col_span) for c in row]
            for row in self.rows
        ]


def build_grid(lines: Sequence[Line], columns: Sequence[Column], region: Region) -> Grid:
    """Assigns `lines` to cells in `columns`; every line ends up in exactly one cell."""
    dividers = dividers_of(region)
    bands = _bands(rows_of(lines), dividers)
    evidence = evidence_of(bands, columns)
    rows: list[list[GridCell]] = []
    for band in bands:
        found, centred = centred_rows(band, columns, len(bands), evidence)
        rows += _spanned([_cells(row, columns) for row in found], found, centred)
    return Grid(_with_narrow_labels(_with_whole_labels(rows)), dividers)


def _with_narrow_labels(rows: list[list[GridCell]]) -> list[list[GridCell]]:
    """The rows, a label alone below the first of several cells in the first column only: it may be as long as it
    likes."""
    began = False
    for row in rows:
        label, alone = row[0], sum(bool(cell.lines) for cell in row) == 1
        if began and alone and label.lines and label.col_span > 1 and label.row_span == 1:
            row[:1] = [GridCell(0, label.lines), *[GridCell(column) for column in range(1, label.col_span)]]
        began = began or not alone
    return rows


def _with_whole_labels(rows: list[list[GridCell]]) -> list[list[GridCell]]:
    """The rows, those joined of which the upper one is the first line of a label alone: nearer to the row below than
    any row with cells is to the next one, and set as the line before that row's label, which hangs or is centred."""
    steps = [_step(a, b) for a, b in pairwise(rows) if _is_labelled(a) and b[0].lines]
    if len(steps) < MIN_STEPS:
        return rows
    found: list[list[GridCell]] = []
    for row in rows:
        above = found[-1] if found else None
        label = above[0] if above and _is_label_alone(above) and _goes_on(above[0], row) else None
        if label and _step([label], row) < LEADING * min(steps):
            row[0].lines = [*label.lines, *row[0].lines]
            found.pop()
        found.append(row)
    return found


def _is_labelled(row: Sequence[GridCell]) -> bool:
    """Whether the row has a label beside other cells."""
    return bool(row[0].lines) and row[0].row_span == 1 and any(cell.lines for cell in row[1:])


def _is_label_alone(row: Sequence[GridCell]) -> bool:
    alone = bool(row[0].lines) and not any(cell.lines for cell in row[1:])
    return alone and not row[0].lines[-1].text.rstrip().endswith(":")


def _goes_on(label: GridCell, row: Sequence[GridCell]) -> bool:
    if not _is_labelled(row):
        return False
    last, first = label.lines[-1], row[0].lines[0]
    centred = abs(last.x0 + last.x1 - first.x0 - first.x1) <= 2 * SAME_MIDDLE_PT
    return last.style == first.style and (first.x0 > last.x0 + SAME_MIDDLE_PT or centred)


def _step(above: Sequence[GridCell], row: Sequence[GridCell]) -> float:
    """The distance from the last line of the label above to the first of the row's own."""
    return row[0].lines[0].y1 - above[0].lines[-1].y1


def dividers_of(region: Region) -> list[float]:
    """The heights of drawn rules and of edges of shaded rows that divide the table."""
    width = region.x1 - region.x0
    covered: list[list[float]] = []
    beginning: dict[int, list[Line]] = {}
    for line in region.lines:
        beginning.setdefault(round(line.x0), []).append(line)
    near = range(-round(SAME_MIDDLE_PT) - 1, round(SAME_MIDDLE_PT) + 2)
    for y, x0, x1 in sorted(set(region.horizontal) - region.tinted):
        if any(_is_underlined(line, y, x0, x1) for off in near for line in beginning.get(round(x0) + off, ())):
            continue  # words underlined from their first letter to their last: a link
        length = min(x1, region.x1) - max(x0, region.x0)
        if covered and y - covered[-1][0] <= 2:
            covered[-1][1] += length
        else:
            covered.append([y, length])
    ruled = [y for y, length in covered if length >= DIVIDING_SHARE * width]
    return sorted([*ruled, *[y for y in region.bands if not any(abs(y - r) <= 3 for r in ruled)]])


def _is_underlined(line: Line, y: float, x0: float, x1: float) -> bool:
    same = abs(line.x0 - x0) <= SAME_MIDDLE_PT and abs(line.x1 - x1) <= SAME_MIDDLE_PT
    return same and line.middle < y <= line.y1 and any(c.isalpha() for c in line.text)


def _bands(rows: Sequence[list[Line]], dividers: Sequence[float]) -> list[list[list[Line]]]:
    """The visual rows between each two dividers."""
    bands: list[list[list[Line]]] = []
    at = -1
    for row in rows:
        middle = sum(line.middle for line in row) / len(row)
        position = sum(y <= middle for y in dividers)
        if position != at or not bands:
            bands.append([])
            at = position
        bands[-1].append(row)
    return bands


def centred_rows(
    band: list[list[Line]], columns: Sequence[Column], bands: int, evidence: BandEvidence
) -> tuple[list[list[Line]], list[Centred]]:
    """The rows of one band, and the lines in the middle between two of them, which belong to both."""
    visual, centred = take_centred(band, columns)
    if not centred:
        return logical_rows(visual, columns, bands, evidence), []
    beside = {one.column for one in centred}
    joined: list[list[Line]] = []
    for row in visual:
        between = joined and any(joined[-1][0].middle < one.line.middle < row[0].middle for one in centred)
        if between and is_one_row(joined[-1], row, columns, beside):
            joined[-1] += row
        else:
            joined.append(list(row))
    words = [one for one in centred if not is_figure(one.line.text)]
    figures = _put_inside([one for one in centred if one not in words], joined)
    rows = logical_rows(joined, columns, bands, evidence)
    return rows, _put_inside([*words, *figures], rows)


def _put_inside(centred: Sequence[Centred], rows: Sequence[list[Line]]) -> list[Centred]:
    """Adds each centred line to the row whose lines it is between; the others."""
    outside: list[Centred] = []
    for one in centred:
        row = next((row for row in rows if _top(row) < one.line.middle < _bottom(row)), None)
        if row:
            row.append(one.line)
        else:
            outside.append(one)
    return outside


def _top(row: Sequence[Line]) -> float:
    return min(line.middle for line in row)


def _bottom(row: Sequence[Line]) -> float:
    return max(line.middle for line in row)


def _spanned(
    cells: list[list[GridCell]], rows: Sequence[Sequence[Line]], centred: Sequence[Centred]
) -> list[list[GridCell]]:
    """The cells with each centred line in a cell over the row above and the row below it; above or below all rows, in
    the cell of the first or last."""
    for column in sorted({one.column for one in centred}):
        for one in [one for one in centred if one.column == column]:
            upper = max((n for n, row in enumerate(rows) if _bottom(row) < one.line.middle), default=0)
            own = next((c for c in cells[upper] if c.column == column), None)
            lower = cells[upper + 1] if upper + 1 < len(cells) and _bottom(rows[upper]) < one.line.middle else None
            below = next((c for c in lower or [] if c.column == column), None)
            taken = below is not None and (below.lines or below.col_span > 1)
            if own is None or lower is None or taken or own.col_span > 1:
                _cell_at(cells[: upper + 1], column).lines.append(one.line)
                continue
            own.lines.append(one.line)
            own.row_span = 2
            if below is not None:
                lower.remove(below)
    return cells


def _cell_at(cells: Sequence[Sequence[GridCell]], column: int) -> GridCell:
    """The cell of the last row that is over the column, or the one that reaches into it from above."""
    return next(c for row in reversed(cells) for c in row if c.column <= column < c.column + c.col_span)


def _summed(line: Line, row: Sequence[Line]) -> Line | None:
    """The number that follows a lone currency sign; None for other lines, and where no other number is before it."""
    if line.text not in CURRENCIES:
        return None
    beside = [other for other in row if other.y0 <= line.middle <= other.y1]
    after = min((other for other in beside if other.x0 >= line.x1), key=lambda other: other.x0, default=None)
    before = any(other.x1 <= line.x0 and not any(map(str.isalpha, other.text)) for other in beside)
    return after if before else None


def _last_column(line: Line, columns: Sequence[Column]) -> int:
    return max((i for i, (x0, x1) in enumerate(columns) if min(line.x1, x1) - max(line.x0, x0) > 2), default=0)


def _cells(row: Sequence[Line], columns: Sequence[Column]) -> list[GridCell]:
    """The cells from left to right. A piece that extends over further columns spans them if they are empty."""
    by_column: dict[int, list[Line]] = {}
    for line in row:
        follows = _summed(line, row)
        by_column.setdefault(covered_column(follows or line, columns), []).append(line)
    cells: list[GridCell] = []
    column = 0
    while column < len(columns):
        lines = [line for visual in rows_of(by_column.get(column, [])) for line in visual]
        span = 1
        reach = max([_last_column(line, columns) for line in lines], default=column)
        while column + span <= reach and column + span not in by_column:
            span += 1
        cells.append(GridCell(column, lines, span))
        column += span
    return cells
