"""Tables with nothing drawn in them: columns that tabs part, and columns that only blanks part."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import itemgetter

from shared.readers.typed.aligned import cell_starts, is_number
from shared.readers.typed.lines import FAR, TypedCell, TypedLine, TypedSpan, TypedTable, span_of
from shared.values.money import currency_of

# Lines from which those with as many tabs each are a table.
MIN_TABBED = 3
# Entries from which titles with leaders to ascending numbers are a table of contents.
MIN_ENTRIES = 3
# Share of the lines of aligned columns that have only one cell: labels and further lines of cells.
MAX_SINGLE = 0.5
# Share of the lines that may have text between two columns.
MAX_CROSSED = 0.2
# Also of the yuan, and so of no certain currency.
YEN = "\u00a5"
_LEADER = re.compile(r"\.{4}|(?:\. ){4}")


def tabbed_table(sources: Sequence[str], start: int, end: int) -> TypedTable | None:
    """The table that all lines are with as many tabs each; several at once part the same two columns everywhere."""
    rows: list[list[TypedCell]] = []
    for number in range(start, end):
        line = TypedLine(sources[number], range(len(sources[number]) + 1))
        cells = pairwise([-1, *(at for at, character in enumerate(line.text) if character == "\t"), len(line.text)])
        rows.append([TypedCell(span_of(line, number, a + 1, b)) for a, b in cells])
    if len(rows) < MIN_TABBED or len({len(row) for row in rows}) > 1:
        return None
    filled = [column for column in range(len(rows[0])) if any(row[column].spans for row in rows)]
    if len(filled) < 2:
        return None
    rows = [[row[column] for column in filled] for row in rows]
    texts = _texts(sources, rows)
    return None if _are_fields(texts) else TypedTable(start, end, rows, _header(texts))


def spaced_table(sources: Sequence[str], lines: Sequence[TypedLine], start: int, end: int) -> TypedTable | None:
    """The table of the lines from the first to the last that have cells; entries of a table of contents are none."""
    starts = cell_starts([line.text for line in lines[start:end]])
    if not starts:
        return None
    starts = {at: _with_currencies(lines[start + at].text, found) for at, found in starts.items()}
    inside = range(start + min(starts), start + max(starts) + 1)
    if len(inside) - len(starts) > MAX_SINGLE * len(inside):
        return None
    extents = {
        at: [span for a, b in pairwise([0, *starts.get(at - start, []), FAR]) for span in _extent(lines[at].text, a, b)]
        for at in inside
    }
    columns = _columns([extents[at] for at in inside if len(extents[at]) > 1])
    if len(columns) < 2:
        return None
    rows = [_placed(lines, at, extents[at], columns) for at in inside if extents[at]]
    texts = _texts(sources, rows)
    if _is_contents(lines, inside, texts) or _are_fields(texts):
        return None
    return TypedTable(inside.start, inside.stop, rows, _header(texts))


def _with_currencies(text: str, starts: Sequence[int]) -> list[int]:
    """The starts but those behind a currency that stands alone: it is of the amount."""
    parts = [(text[before:at].strip(), at) for before, at in pairwise([0, *starts])]
    return [at for part, at in parts if part != YEN and currency_of(part, plain_dollar=True) is None]


def _extent(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where what is printed from `start` to before `end` stands, without leader dots at its end."""
    part = text[start:end].rstrip()
    bare = part.rstrip(". ")
    part = bare if len(part) - len(bare) > 3 else part
    if part.strip():
        yield start + len(part) - len(part.lstrip()), start + len(part)


def _columns(rows: Sequence[Sequence[tuple[int, int]]]) -> list[tuple[int, int]]:
    """The runs of places that more than a few of the rows have text at."""
    covered = Counter(x for row in rows for start, end in row for x in range(start, end))
    places = sorted(x for x, count in covered.items() if count > MAX_CROSSED * len(rows))
    columns: list[tuple[int, int]] = []
    for x in places:
        if columns and columns[-1][1] == x:
            columns[-1] = columns[-1][0], x + 1
        else:
            columns.append((x, x + 1))
    parted = {a for row in rows for a in _parted(row, columns)}
    kept = [n for n in range(len(columns)) if n == 0 or n - 1 in parted]
    return [(columns[a][0], columns[b - 1][1]) for a, b in pairwise([*kept, len(columns)])]


def _parted(row: Sequence[tuple[int, int]], columns: Sequence[tuple[int, int]]) -> Iterator[int]:
    """The columns that have other text in this row than the one behind them."""
    for (_, end), (start, _) in pairwise(row):
        n = bisect_left(columns, (end,)) - 1
        if 0 <= n < len(columns) - 1 and columns[n][1] <= start < columns[n + 1][1]:
            yield n


def _placed(
    lines: Sequence[TypedLine], at: int, extents: Sequence[tuple[int, int]], columns: Sequence[tuple[int, int]]
) -> list[TypedCell]:
    """The cells of a line, each over the columns that it reaches into."""
    owned: dict[int, list[TypedSpan]] = {}
    reach: dict[int, int] = {}
    for start, end in extents:
        first, behind = bisect_right(columns, start, key=itemgetter(1)), bisect_left(columns, (end,))
        if first >= behind:  # between two columns
            first = max(0, behind - 1)
        owned.setdefault(first, []).extend(span_of(lines[at], at, start, end))
        reach[first] = max(behind, first + 1)
    cells: list[TypedCell] = []
    column = 0
    for following in [*sorted(owned), len(columns)]:
        while column < following:
            end = min(reach.get(column, column + 1), following)
            cells.append(TypedCell(owned.get(column, []), 1, end - column))
            column = end
    return cells


def _are_fields(texts: Sequence[Sequence[str]]) -> bool:
    """Whether most rows are a label with a colon and its value: the first is no header of the others."""
    fields = sum(len(row) == 2 and row[0].endswith(":") for row in texts)
    return 2 * fields > len(texts)


def _is_contents(lines: Sequence[TypedLine], inside: range, texts: Sequence[Sequence[str]]) -> bool:
    """Whether the lines are titles with leaders to numbers that ascend."""
    led = sum(_LEADER.search(lines[at].text) is not None for at in inside)
    numbers = [int(row[-1]) for row in texts if row[-1].isdecimal()]
    return led >= MIN_ENTRIES and len(numbers) > len(texts) / 2 and all(a <= b for a, b in pairwise(numbers))


def _texts(sources: Sequence[str], rows: Sequence[Sequence[TypedCell]]) -> list[list[str]]:
    return [["".join(sources[s.line][s.start : s.end] for s in cell.spans) for cell in row] for row in rows]


def _header(texts: Sequence[Sequence[str]]) -> int:
    """The number of rows before the first that has a number, if most others have one; else 0. The first row, if it
    alone has no label, is a header, also of years; a second one that has only a label, below a row that names its
    column, is none."""
    numbers = [any(map(is_number, row)) for row in texts]
    first = numbers.index(True) if True in numbers else 0
    if first == 0 and not texts[0][0] and all(row[0] for row in texts[1:]):
        return 1
    if first > 2 or sum(numbers[first:]) <= (len(texts) - first) / 2:
        return 0
    return 1 if first > 1 and texts[0][0] and texts[1][0] and not any(texts[1][1:]) else first
