"""The rows of a band: the lines of a table between two rules may be one row, or several that nothing drawn divides."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

from shared.domain.shapes import shape_of
from shared.extraction.lists import starts_item
from shared.extraction.page_view import Line, rows_of
from shared.extraction.tables.columns import Column, covered_column
from shared.extraction.tables.rows import UNFINISHED, is_figure, is_quantity

# Greatest distance at which a line continues the cell above, in type sizes; and where it is less than this share of the
# distance between the rows that have a label.
CONTINUATION_STEP = 1.6
WIDE_STEP = 2.2
STEP_SHARE = 0.85
PROSE_EM = 15.0
SEPARATE_ROWS_SHARE = 0.6
# A wrapped cell has fewer lines.
MANY_ROWS = 8
# Lines of the first column that recur between other rules, from which they are no single wrapped label.
MIN_NAMED = 4
# Labels with lines of other cells between them, from which each is a row's.
MIN_APART = 3
# The width of a blank.
BLANK_EM = 0.25
# Type of a label within a band, as a multiple of all other type there, from which it names the rows below it.
LARGER = 1.05
# Lines of a band, at least, that are told to be rows by what they say.
MIN_LISTED = 3
# Bands of several lines each, all even, from which these are rows.
MIN_EVEN = 2
# Blocks of lines that white parts, at least, and how much more of it is between them than within, in type sizes.
MIN_BLOCKS = 3
BLOCK_EM = 0.5
_DATE = re.compile(r"^\(?\d{1,4}[./-]\d{1,2}[./-]\d{2,4}\)?$")


class BandEvidence(NamedTuple):
    """What all bands of a table, the lines between each two rules, say of one: labels that stand in the first column of
    several, each naming a row in every group of rows; whether bands are `even`, or as full as one that is a list; and
    the shapes of labels that stand alone above several rows (`names`)."""

    recurring: frozenset[str]
    even: bool
    names: frozenset[str] = frozenset()


def evidence_of(bands: Sequence[Sequence[Sequence[Line]]], columns: Sequence[Column]) -> BandEvidence:
    """What the bands together say of each."""
    found = Counter(
        text
        for band in bands
        for text in {line.text for row in band for line in row if covered_column(line, columns) == 0}
    )
    several = [band[_is_named(band, columns) :] for band in bands if len(band) > 1]
    even = len(several) >= MIN_EVEN and (
        all(_is_even(band, columns) for band in several)
        or (all(_is_whole(band, columns) for band in several) and any(_are_listed(band, columns) for band in several))
    )
    names = frozenset(
        shape_of(band[0][0].text)
        for band in bands
        if _is_named(band, columns) and _figures_below_figures(band[1:], columns)
    )
    return BandEvidence(frozenset(text for text, count in found.items() if count > 1), even, names)


def _is_even(band: Sequence[Sequence[Line]], columns: Sequence[Column]) -> bool:
    """Whether every line of the band has something in every column, nothing of it in mid-sentence: cells that wrap are
    seldom of equal height."""
    return (
        len(columns) >= MIN_APART
        and _is_whole(band, columns)
        and not any(line.text[:1].islower() for row in band[1:] for line in row)
    )


def _is_named(band: Sequence[Sequence[Line]], columns: Sequence[Column]) -> bool:
    """Whether the first line of the band stands alone in the first column: the name of the rows below it."""
    return len(band) > 2 and len(band[0]) == 1 and covered_column(band[0][0], columns) == 0


def logical_rows(
    band: list[list[Line]], columns: Sequence[Column], bands: int, evidence: BandEvidence
) -> list[list[Line]]:
    """The rows of one band: the whole band where every row of the table is ruled off, else divided where cells start
    anew. `evidence` is what all bands say."""
    if len(band) == 1:
        return [band[0]]
    if len(band[0]) == 1 and covered_column(band[0][0], columns) == 0 and shape_of(band[0][0].text) in evidence.names:
        return [band[0], *logical_rows(band[1:], columns, bands, evidence)]
    several = (
        _looks_like_rows(band, columns)
        or _figures_below_figures(band, columns)
        or _apart(band, columns)
        or _are_named(band, columns, evidence.recurring)
        or _are_listed(band, columns)
        or evidence.even
    )
    if bands >= 3 and not several:
        return _around_labels(band, columns)
    blocks = _blocks(band, columns)
    if blocks:
        return blocks
    rows: list[list[Line]] = []
    widest, widths = _widest_step(band, columns), _widths(band, columns)
    for row in band:
        above = rows_of(rows[-1])[-1] if len(rows) > 1 else []  # a header breaks as it likes
        anew = bool(above) and row[0].y1 - above[0].y1 > widest and _begins_anew(above, row, columns, widths)
        if rows and not anew and _continues(rows[-1], row, columns, widest):
            rows[-1] = rows[-1] + row
        else:
            rows.append(list(row))
    return rows


def _blocks(band: Sequence[list[Line]], columns: Sequence[Column]) -> list[list[Line]]:
    """The blocks of lines that white parts, where each begins with something in every column, and what it has further
    lines of is close below: a row each. None where all lines without a label continue cells anyway."""
    full = [len({covered_column(line, columns) for line in row}) == len(columns) for row in band]
    labels = [any(covered_column(line, columns) == 0 for line in row) for row in band]
    if not full[0] or sum(full) < MIN_BLOCKS or not any(a and not b for a, b in zip(labels, full, strict=True)):
        return []
    white = [min(x.y0 for x in row) - max(x.y1 for x in above) for above, row in pairwise(band)]
    apart = min(gap for gap, begins in zip(white, full[1:], strict=True) if begins)
    within = max(gap for gap, begins in zip(white, full[1:], strict=True) if not begins)
    if apart - within < BLOCK_EM * band[0][0].size:
        return []
    blocks: list[list[list[Line]]] = []
    for row, begins in zip(band, full, strict=True):
        blocks = [*blocks, [list(row)]] if begins else [*blocks[:-1], [*blocks[-1], list(row)]]
    if any(_figures_below_figures(_without_dates(block), columns) for block in blocks):
        return []
    return [[line for row in block for line in row] for block in blocks]


def _without_dates(block: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The lines without dates: a block may have one below another, of a booking and of its value."""
    return [[line for line in row if not _DATE.match(line.text)] for row in block]


def _around_labels(band: Sequence[list[Line]], columns: Sequence[Column]) -> list[list[Line]]:
    """The band as one row, parted by labels that are set larger or bolder than all others in it."""
    rows: list[list[Line]] = [[]]
    for at, row in enumerate(band):
        if 0 < at < len(band) - 1 and _stands_out(band, at, columns):
            rows += [list(row), []]
        else:
            rows[-1] += row
    return [row for row in rows if row]


def _stands_out(band: Sequence[list[Line]], at: int, columns: Sequence[Column]) -> bool:
    """Whether the line is a label alone that is set larger, or bolder, than every other line between the rules."""
    row = band[at]
    others = [line for n, other in enumerate(band) for line in other if n != at]
    larger = row[0].size > LARGER * max(line.size for line in others)
    bolder = row[0].bold and not any(line.bold for line in others)
    return len(row) == 1 and covered_column(row[0], columns) == 0 and (larger or bolder)


def _looks_like_rows(band: Sequence[list[Line]], columns: Sequence[Column]) -> bool:
    """Whether the band is separate rows and not one row of long cells: many lines, most with text in several columns,
    the first among them."""
    filled = [len({covered_column(line, columns) for line in row}) for row in band]
    first = sum(any(covered_column(line, columns) <= 1 for line in row) for row in band)
    least = SEPARATE_ROWS_SHARE * len(band)
    return len(band) >= MANY_ROWS and sum(count >= 2 for count in filled) >= least and first >= least


def _figures_below_figures(band: Sequence[Sequence[Line]], columns: Sequence[Column]) -> bool:
    """Whether two lines of the band have numbers in one column, each with another cell beside: a number's cell does not
    wrap."""
    figures = [
        {covered_column(line, columns) for line in row if is_quantity(line.text)}
        for row in band
        if len({covered_column(line, columns) for line in row}) >= 2
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
    label = [line.text for line in last if covered_column(line, columns) == 0]
    open_ended = bool(label) and label[-1].rstrip().endswith(UNFINISHED)
    near = (alone or len(first) == len(row)) and step <= 1.35 * size
    return goes_on and (open_ended or near)


def _widths(band: Sequence[Sequence[Line]], columns: Sequence[Column]) -> dict[int, float]:
    """The width of the texts of each column."""
    widths = dict[int, float]()
    for line in [line for row in band for line in row]:
        place = covered_column(line, columns)
        widths[place] = max(widths.get(place, 0.0), min(line.x1, columns[place][1]) - line.x0)
    return widths


def _begins_anew(
    above: Sequence[Line], row: Sequence[Line], columns: Sequence[Column], widths: Mapping[int, float]
) -> bool:
    """Whether the row has cells side by side, each below a text behind which its first word would have had room in the
    width of the column's texts: no text of a cell breaks there."""
    before = {covered_column(line, columns): line for line in above}
    places = [covered_column(line, columns) for line in row]
    return len(set(places)) > 1 and all(
        place in before and has_room(before[place], line, widths[place])
        for place, line in zip(places, row, strict=True)
    )


def _are_listed(band: Sequence[Sequence[Line]], columns: Sequence[Column]) -> bool:
    """Whether all of many lines have something in every column, and one column says the same in each: no text that
    wraps does."""
    texts: dict[int, set[str]] = {}
    for line in [line for row in band for line in row]:
        texts.setdefault(covered_column(line, columns), set()).add(line.text)
    return len(band) >= MIN_LISTED and _is_whole(band, columns) and any(len(found) == 1 for found in texts.values())


def _is_whole(band: Sequence[Sequence[Line]], columns: Sequence[Column]) -> bool:
    """Whether every line has something in every column."""
    return all({covered_column(line, columns) for line in row} == set(range(len(columns))) for row in band)


def has_room(above: Line, line: Line, width: float) -> bool:
    """Whether the first word of the line would have had room behind the text above it, in a column of this width."""
    word = (line.x1 - line.x0) * len(line.text.split(maxsplit=1)[0]) / len(line.text)
    return above.x1 - above.x0 + BLANK_EM * line.size + word <= width
