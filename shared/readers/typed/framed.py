"""Tables whose cells are drawn with characters: frames of `+--+` and `|` (reStructuredText, MySQL, PostgreSQL, box
drawing), and columns between bars below a rule of dashes that has a mark at each bar."""

from collections.abc import Sequence
from itertools import pairwise

from shared.readers.typed.lines import TypedCell, TypedLine, TypedSpan, TypedTable, span_of

DASHES = "-=\u2500\u2501\u2550\u2504\u2505\u2508\u2509\u254c\u254d"
_BARS = "|\u2502\u2503\u2551\u2506\u2507"
_CORNERS = "+" + "".join(chr(c) for c in range(0x250C, 0x2571) if chr(c) not in DASHES + _BARS)
_DRAWN = frozenset(DASHES + _CORNERS)
_UPRIGHT = frozenset(_BARS + _CORNERS)
_RULE = _DRAWN | _UPRIGHT | {":"}
# Lines of one row, at most, whose cells are all filled: with more, each of the lines is a row.
MAX_FULL_LINES = 2
MAX_LINES = 5_000


def framed_table(lines: Sequence[TypedLine], first: int) -> TypedTable | None:
    """The table whose frame begins with the line `first`; None where none does, or where it has one column only."""
    if not _is_border(lines[first].text) or first + 1 == len(lines):
        return None
    left = len(lines[first].text) - len(lines[first].text.lstrip())
    right = len(lines[first].text.rstrip()) - 1
    if first and _is_framed(lines[first - 1].text, left, right):
        return None  # the frame began above
    end = first
    while end < min(len(lines), first + MAX_LINES) and _is_framed(lines[end].text, left, right):
        end += 1
    borders = [at for at in range(first, end) if _is_border(lines[at].text)]
    inner = range(first, borders[-1] + 1) if len(borders) > 1 else range(0)
    edges = sorted({x for at in inner for x in _corners(lines[at].text)} | {left, right})
    if len(edges) < 3 or not inner:
        return None
    return _Frame(lines, inner, edges).table()


def _is_border(text: str) -> bool:
    text = text.strip()
    return text[:1] in _UPRIGHT and _is_rule(text)


def _is_rule(text: str) -> bool:
    """Whether the text is dashes and marks, at least one of each."""
    marks = set(text)
    return bool(marks) and marks <= _RULE and not marks.isdisjoint(DASHES) and not marks.isdisjoint(_UPRIGHT)


def _is_framed(text: str, left: int, right: int) -> bool:
    text = text.rstrip()
    return len(text) == right + 1 and text[left] in _UPRIGHT and text[right] in _UPRIGHT and not text[:left].strip()


def _corners(text: str) -> list[int]:
    """Where the corners of a line of the frame are; in a line that also has text, those beside a dash."""
    whole = _is_border(text)
    return [
        at
        for at, character in enumerate(text)
        if character in _UPRIGHT and (whole or text[at - 1 : at] in _DRAWN or text[at + 1 : at + 2] in _DRAWN)
    ]


class _Frame:
    """A frame as a raster: `edges` part its columns, and its lines that are drawn, or partly, part its bands."""

    def __init__(self, lines: Sequence[TypedLine], inner: range, edges: Sequence[int]) -> None:
        self._lines = lines
        self._columns = [(a, b) for a, b in pairwise(edges) if b - a > 1]  # bars may be double
        parting = [at for at in inner if any(self._is_drawn(at, column) for column in self._columns)]
        self._bands = [range(a + 1, b) for a, b in pairwise(parting) if b - a > 1]
        self._inner = inner
        self._heads = next((n for n, band in enumerate(self._bands) if self._is_double(band.stop)), -1) + 1

    def table(self) -> TypedTable | None:
        rows: list[list[TypedCell]] = []
        header = 0
        heads = self._heads or int(len(self._bands) > 1)
        taken: set[tuple[int, int]] = set()
        for number, band in enumerate(self._bands):
            parts = [band] if taken & {(number, c) for c in range(len(self._columns))} else self._rows_of(number)
            for part in parts:
                row = self._row(number, part, taken)
                if row:
                    rows.append(row)
                    header += number < heads
        if len(rows) < 2:
            return None
        return TypedTable(self._inner.start, self._inner.stop, rows, header if header < len(rows) else 0)

    def _is_drawn(self, at: int, column: tuple[int, int]) -> bool:
        """Whether the line is drawn over the whole column."""
        part = self._lines[at].text[column[0] + 1 : column[1]]
        return bool(part) and all(character in _DRAWN or character == ":" for character in part)

    def _is_double(self, at: int) -> bool:
        text = self._lines[at].text
        return _is_border(text) and any(mark in text for mark in "=\u2550")

    def _row(self, number: int, part: range, taken: set[tuple[int, int]]) -> list[TypedCell]:
        """The cells that begin in these lines of a band."""
        row: list[TypedCell] = []
        column = 0
        while column < len(self._columns):
            if (number, column) in taken:
                column += 1
                continue
            across = 1
            while column + across < len(self._columns) and not self._is_parted(part, self._columns[column + across][0]):
                across += 1
            down, lines = 1, part
            while part == self._bands[number] and self._goes_down(number + down, column, across):
                lines = range(lines.start, self._bands[number + down].stop)
                down += 1
            taken |= {(number + d, column + c) for d in range(1, down) for c in range(across)}
            row.append(TypedCell(self._text(lines, column, across), down, across))
            column += across
        return row

    def _is_parted(self, part: range, edge: int) -> bool:
        return any(self._lines[at].text[edge] in _UPRIGHT for at in part)

    def _goes_down(self, number: int, column: int, across: int) -> bool:
        """Whether nothing is drawn between the cell and the band below it."""
        if number >= len(self._bands):
            return False
        between = range(self._bands[number - 1].stop, self._bands[number].start)
        extent = self._columns[column][0], self._columns[column + across - 1][1]
        return not any(self._is_drawn(at, c) for at in between for c in self._columns if extent[0] <= c[0] < extent[1])

    def _text(self, lines: range, column: int, across: int) -> list[TypedSpan]:
        start, end = self._columns[column][0] + 1, self._columns[column + across - 1][1]
        return [span for at in lines for span in span_of(self._lines[at], at, start, end)]

    def _rows_of(self, number: int) -> list[range]:
        """The rows of a band: its lines each, where all cells of more lines than one row has are filled, or where
        nothing parts the rows of the table; a line without a first cell goes on with the row above."""
        band = self._bands[number]
        filled = [[bool(self._text(range(at, at + 1), c, 1)) for c in range(len(self._columns))] for at in band]
        full = all(all(cells) for cells in filled)
        together = len(self._bands) - max(1, self._heads) <= 1 and number == len(self._bands) - 1
        several = len(band) > 1 and (
            (full and len(band) > MAX_FULL_LINES) or (together and sum(map(sum, filled)) > len(filled) + 1)
        )
        if not several:
            return [band]
        starts = [at for at, cells in zip(band, filled, strict=True) if cells[0] or at == band.start]
        return [range(a, b) for a, b in pairwise([*starts, band.stop])]


def barred_table(lines: Sequence[TypedLine], first: int) -> TypedTable | None:
    """The table whose header is the line `first`, above a rule of dashes with a mark below each of its bars; None where
    there is none."""
    if first + 2 >= len(lines) or _is_rule(lines[first].text.strip()):
        return None
    if not _is_rule("".join(lines[first + 1].text.split())):  # Markdown may have blanks beside its bars
        return None
    rule = lines[first + 1].text.rstrip()
    marks = [at for at, character in enumerate(rule) if character in _UPRIGHT]
    outer = slice(marks[0] == len(rule) - len(rule.lstrip()), -1 if marks[-1] == len(rule) - 1 else None)
    if len([-1, *marks, len(rule)][outer]) < 3:
        return None  # one column
    rows: list[list[TypedCell]] = []
    end = first
    while end < min(len(lines), first + MAX_LINES):
        text = lines[end].text.rstrip()
        if end != first + 1 and not _is_rule(text.strip()):
            bars = _bars(text, marks)
            if bars is None:
                break
            extents = list(pairwise([-1, *bars, len(text)]))
            cells = extents[outer]
            if any(text[a + 1 : b].strip() for a, b in extents if (a, b) not in cells):
                break  # it has text beside the table
            rows.append([TypedCell(span_of(lines[end], end, a + 1, b)) for a, b in cells])
        end += 1
    return TypedTable(first, end, rows, 1) if len(rows) > 1 else None


def _bars(text: str, marks: Sequence[int]) -> Sequence[int] | None:
    """The places of a line's bars: the marks, or wherever as many are; None for a line without them."""
    if all(at < len(text) and text[at] in _BARS for at in marks):
        return marks
    bars = [at for at, character in enumerate(text) if character in _BARS and text[at - 1 : at] != "\\"]
    return bars if len(bars) == len(marks) else None
