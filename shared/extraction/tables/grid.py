"""The grid of a table without cell borders: joins visual rows to logical rows, and assigns pieces of text to cells."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import NamedTuple

from shared.domain.operations import Cell
from shared.extraction.lists import starts_item
from shared.extraction.page_view import Line, ids_of, rows_of
from shared.extraction.tables.centred import Centred, is_one_row, take_centred
from shared.extraction.tables.columns import Column, covered_column
from shared.extraction.tables.regions import Region
from shared.extraction.tables.rows import is_figure

# Share of the table's width that the pieces of a rule must cover to divide rows.
DIVIDING_SHARE = 0.4
# Greatest distance at which a line continues the cell above, in type sizes; and where it is less than this share of the
# distance between the rows that have a label.
CONTINUATION_STEP = 1.6
WIDE_STEP = 2.2
STEP_SHARE = 0.85
PROSE_EM = 15.0
SEPARATE_ROWS_SHARE = 0.6
_CURRENCIES = ("$", "\u20ac", "\u00a3", "\u00a5")
# A wrapped cell has fewer lines.
MANY_ROWS = 8
# Lines of the first column that recur between other rules, from which they are no single wrapped label.
MIN_NAMED = 4
# Rows with cells from whose distances the lines of a label can be told, and how much nearer these are.
MIN_STEPS = 3
LEADING = 0.95
SAME_MIDDLE_PT = 2.0
# Labels with lines of other cells between them, from which each is a row's.
MIN_APART = 3
# The width of a blank.
BLANK_EM = 0.25
# Bands of several lines each, all even, from which these are rows.
MIN_EVEN = 2


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


class BandEvidence(NamedTuple):
    """What all bands of a table, the lines between each two rules, say of one: labels that stand in the first column of
    several, each naming a row in every group of rows; and whether bands are `even`."""

    recurring: frozenset[str]
    even: bool


def build_grid(lines: Sequence[Line], columns: Sequence[Column], region: Region) -> Grid:
    """Assigns `lines` to cells in `columns`; every line ends up in exactly one cell."""
    dividers = dividers_of(region)
    bands = _bands(rows_of(lines), dividers)
    evidence = evidence_of(bands, columns)
    rows: list[list[GridCell]] = []
    for band in bands:
        found, centred = centred_rows(band, columns, len(bands), evidence)
        rows += _spanned([_cells(row, columns) for row in found], found, centred)
    return Grid(_with_whole_labels(rows), dividers)


def evidence_of(bands: Sequence[Sequence[Sequence[Line]]], columns: Sequence[Column]) -> BandEvidence:
    """What the bands together say of each."""
    found = Counter(
        text
        for band in bands
        for text in {line.text for row in band for line in row if covered_column(line, columns) == 0}
    )
    several = [band for band in bands if len(band) > 1]
    even = len(several) >= MIN_EVEN and all(_is_even(band, columns) for band in several)
    return BandEvidence(frozenset(text for text, count in found.items() if count > 1), even)


def _is_even(band: Sequence[Sequence[Line]], columns: Sequence[Column]) -> bool:
    """Whether every line of the band has something in every column, nothing of it in mid-sentence: cells that wrap are
    seldom of equal height."""
    whole = all({covered_column(line, columns) for line in row} == set(range(len(columns))) for row in band)
    return len(columns) >= MIN_APART and whole and not any(line.text[:1].islower() for row in band[1:] for line in row)


def _with_whole_labels(rows: list[list[GridCell]]) -> list[list[GridCell]]:
    """The rows, those joined of which the upper one is the first line of a label alone: nearer to the row below than
    any row with cells is to the next one, and set as the line before that row's label, which hangs or is centred."""
    steps = [_step(a, b) for a, b in pairwise(rows) if _is_labelled(a) and b[0].lines]
    if len(steps) < MIN_STEPS:
        return rows
    found: list[list[GridCell]] = []
    for row in rows:
        above = found[-1] if found else None
        if above and _is_label_alone(above) and _goes_on(above[0], row) and _step(above, row) < LEADING * min(steps):
            row[0].lines = [*above[0].lines, *row[0].lines]
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
    for y, x0, x1 in sorted(set(region.horizontal) - region.tinted):
        if any(_is_underlined(line, y, x0, x1) for line in region.lines):
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
    rows = logical_rows(joined, columns, bands, evidence)
    spanning: list[Centred] = []
    for one in centred:
        inside = next((row for row in rows if _top(row) < one.line.middle < _bottom(row)), None)
        if inside:
            inside.append(one.line)
        else:
            spanning.append(one)
    return rows, spanning


def _top(row: Sequence[Line]) -> float:
    return min(line.middle for line in row)


def _bottom(row: Sequence[Line]) -> float:
    return max(line.middle for line in row)


def _spanned(
    cells: list[list[GridCell]], rows: Sequence[Sequence[Line]], centred: Sequence[Centred]
) -> list[list[GridCell]]:
    """The cells with each centred line in a cell over the row above and the row below it."""
    for column in sorted({one.column for one in centred}):
        for one in [one for one in centred if one.column == column]:
            upper = max(n for n, row in enumerate(rows) if _bottom(row) < one.line.middle)
            own = next((c for c in cells[upper] if c.column == column), None)
            below = next((c for c in cells[upper + 1] if c.column == column), None)
            if own is None or (below is not None and (below.lines or below.col_span > 1)) or own.col_span > 1:
                place = own or next(c for c in cells[upper] if c.column <= column < c.column + c.col_span)
                place.lines.append(one.line)
                continue
            own.lines.append(one.line)
            own.row_span = 2
            if below is not None:
                cells[upper + 1].remove(below)
    return cells


def logical_rows(
    band: list[list[Line]], columns: Sequence[Column], bands: int, evidence: BandEvidence
) -> list[list[Line]]:
    """The rows of one band: the whole band where every row of the table is ruled off, else divided where cells start
    anew. `evidence` is what all bands say."""
    if len(band) == 1:
        return [band[0]]
    several = (
        _looks_like_rows(band, columns)
        or _figures_below_figures(band, columns)
        or _apart(band, columns)
        or _are_named(band, columns, evidence.recurring)
        or evidence.even
    )
    ruled_off = bands >= 3 and not several
    if ruled_off:
        labels, behind = _labels(band, columns), _labels_behind(band, columns)
        return [*_whole(band[:labels]), *_by_weight(band[labels:behind], columns), *_whole(band[behind:])]
    rows: list[list[Line]] = []
    widest = _widest_step(band, columns)
    for row in band:
        above = rows_of(rows[-1])[-1] if len(rows) > 1 else []  # a header breaks as it likes
        anew = bool(above) and row[0].y1 - above[0].y1 > widest and _begins_anew(above, row, columns, band)
        if rows and not anew and _continues(rows[-1], row, columns, widest):
            rows[-1] = rows[-1] + row
        else:
            rows.append(list(row))
    return rows


def _labels(band: Sequence[list[Line]], columns: Sequence[Column]) -> int:
    """The number of leading rows that only announce the rows below: a single piece, in the first column, ending in a
    colon."""
    count = 0
    for n, row in enumerate(band):
        if len(row) > 1 or covered_column(row[0], columns):
            break
        count = n + 1 if row[0].text.rstrip().endswith(":") else count
    return count


def _whole(labels: Sequence[list[Line]]) -> list[list[Line]]:
    """The labels, each with its further lines, which go on in mid-sentence."""
    found: list[list[Line]] = []
    for row in labels:
        if found and row[0].text[:1].islower() and not starts_item(row[0].text):
            found[-1] = [*found[-1], *row]
        else:
            found.append(row)
    return found


def _labels_behind(band: Sequence[list[Line]], columns: Sequence[Column]) -> int:
    """Where the last rows of the band begin that only announce what is below it: a piece in the first column, ending in
    a colon, behind a row with figures."""
    end = len(band)
    while end > 1 and len(band[end - 1]) == 1 and band[end - 1][0].text.rstrip().endswith(":"):
        if covered_column(band[end - 1][0], columns):
            break
        end -= 1
    return end if _figure_columns(band[end - 1], columns) else len(band)


def _by_weight(band: Sequence[list[Line]], columns: Sequence[Column]) -> list[list[Line]]:
    """The band as one row, and apart from it its first or last line where that is a label of another weight."""
    weights = [{line.bold for line in row if covered_column(line, columns) == 0} for row in band]
    alone = [all(covered_column(line, columns) == 0 for line in row) for row in band]
    for at, rest in ((0, 1), (-1, -2)):
        if len(band) > 1 and alone[at] and len(weights[at]) == 1 and weights[rest] and not weights[at] & weights[rest]:
            others = [line for row in (band[1:] if at == 0 else band[:-1]) for line in row]
            return [list(band[0]), others] if at == 0 else [others, list(band[-1])]
    rest_of = [line for row in band for line in row]
    return [rest_of] if rest_of else []


def _looks_like_rows(band: Sequence[list[Line]], columns: Sequence[Column]) -> bool:
    """Whether the band is separate rows and not one row of long cells: many lines, most with text in several columns,
    the first among them."""
    filled = [len({covered_column(line, columns) for line in row}) for row in band]
    first = sum(any(covered_column(line, columns) <= 1 for line in row) for row in band)
    least = SEPARATE_ROWS_SHARE * len(band)
    return len(band) >= MANY_ROWS and sum(count >= 2 for count in filled) >= least and first >= least


def _figures_below_figures(band: Sequence[list[Line]], columns: Sequence[Column]) -> bool:
    """Whether two lines of the band have numbers in one column, each with another cell beside: a number's cell does not
    wrap."""
    figures = [
        _figure_columns(row, columns) for row in band if len({covered_column(line, columns) for line in row}) >= 2
    ]
    return any(one & other for one, other in combinations(figures, 2))


def _apart(band: Sequence[list[Line]], columns: Sequence[Column]) -> bool:
    """Whether labels are too far apart to be the lines of one cell: more than another column's lines between them, and
    each label is beside a line of another column, while lines without a label go on between them."""
    labelled = [any(covered_column(line, columns) == 0 for line in row) for row in band]
    beside = all(
        len({covered_column(line, columns) for line in row}) > 1
        for row, is_one in zip(band, labelled, strict=True)
        if is_one
    )
    inner = labelled[labelled.index(True) : len(labelled) - labelled[::-1].index(True)] if any(labelled) else []
    return beside and labelled[0] and sum(labelled) >= MIN_APART and not all(inner)


def _are_named(band: Sequence[list[Line]], columns: Sequence[Column], recurring: frozenset[str]) -> bool:
    """Whether each line of the first column is a label that recurs between other rules, with another cell beside it."""
    labels = [[line.text for line in row if covered_column(line, columns) == 0] for row in band]
    named = [len(row) > len(texts) for row, texts in zip(band, labels, strict=True) if texts]
    return len(named) >= MIN_NAMED and all(named) and all(text in recurring for texts in labels for text in texts)


def _figure_columns(row: Sequence[Line], columns: Sequence[Column]) -> set[int]:
    return {covered_column(line, columns) for line in row if is_figure(line.text)}


def _widest_step(band: Sequence[Sequence[Line]], columns: Sequence[Column]) -> float:
    """The distance up to which a line without a label is taken for the next line of a cell: where lines are set wide,
    less than that of the rows with a label. Under a single label only lines of prose go on so."""
    labelled = [any(covered_column(line, columns) == 0 for line in row) for row in band]
    steps = [min(x.y1 for x in row) - max(x.y1 for x in above) for above, row in pairwise(band)]
    rows = [step for step, label in zip(steps, labelled[1:], strict=True) if label]
    size = max(line.size for row in band for line in row)
    if not rows:
        return WIDE_STEP * size if any(x.x1 - x.x0 >= PROSE_EM * size for row in band for x in row) else 0.0
    return min(WIDE_STEP * size, STEP_SHARE * min(rows))


def _continues(above: Sequence[Line], row: Sequence[Line], columns: Sequence[Column], widest: float) -> bool:
    """Whether the row only continues cells of the row above: close below it, with an empty first column or in
    mid-sentence. `widest` is the greatest distance of a line of words without a label."""
    step = min(line.y1 for line in row) - max(line.y1 for line in above)
    size = max(line.size for line in row)
    wide = step <= widest and not any(covered_column(x, columns) == 0 or is_figure(x.text) for x in row)
    if step > CONTINUATION_STEP * size and not wide:
        return False
    first = [line for line in row if covered_column(line, columns) == 0]
    last = rows_of(above)[-1]
    if _figure_columns(last, columns) & _figure_columns(row, columns):
        return False
    if not first:
        occupied = {covered_column(line, columns) for line in above}
        return {covered_column(line, columns) for line in row} <= occupied
    alone = all(covered_column(line, columns) == 0 for line in above)
    goes_on = first[0].text[:1].islower() and not starts_item(first[0].text)
    return goes_on and (alone or len(first) == len(row)) and step <= 1.35 * size


def _begins_anew(
    above: Sequence[Line], row: Sequence[Line], columns: Sequence[Column], band: Sequence[Sequence[Line]]
) -> bool:
    """Whether the row has cells side by side, each below a text behind which its first word would have had room in the
    width of the column's texts: no text of a cell breaks there."""
    before = {covered_column(line, columns): line for line in above}
    widths = dict[int, float]()
    for line in [line for visual in band for line in visual]:
        place = covered_column(line, columns)
        widths[place] = max(widths.get(place, 0.0), min(line.x1, columns[place][1]) - line.x0)
    places = [covered_column(line, columns) for line in row]
    return len(set(places)) > 1 and all(
        place in before and _has_room(before[place], line, widths[place])
        for place, line in zip(places, row, strict=True)
    )


def _has_room(above: Line, line: Line, width: float) -> bool:
    word = (line.x1 - line.x0) * len(line.text.split(maxsplit=1)[0]) / len(line.text)
    return above.x1 - above.x0 + BLANK_EM * line.size + word <= width


def _summed(line: Line, row: Sequence[Line]) -> Line | None:
    """The number that follows a lone currency sign; None for other lines, and where no other number is before it."""
    if line.text not in _CURRENCIES:
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
