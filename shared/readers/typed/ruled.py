"""Tables whose columns are given by a rule of dashes in pieces, one over each column: simple tables of
reStructuredText, and reports that underline the names of their columns."""

from collections.abc import Sequence
from itertools import islice, pairwise

from shared.readers.typed.framed import DASHES
from shared.readers.typed.lines import FAR, TypedCell, TypedLine, TypedTable, joined, span_of

MAX_HEADER_LINES = 4
# Share of the lines up to a closing rule that have nothing in a gap, from which all are of the table, blank or not.
FITTING_SHARE = 0.9
# How far words of a header may reach beyond the dashes below them.
OVER = 2
# How far below a rule another one closes its table.
MAX_LINES = 500

Pieces = list[tuple[int, int]]


def ruled_table(lines: Sequence[TypedLine], at: int, floor: int) -> TypedTable | None:
    """The table of the rule in line `at`, which is its first; its header may begin above, from line `floor` on. None
    where the line is no such rule, or nothing is below it."""
    pieces = _pieces(lines[at].text)
    if len(pieces) < 2 or at + 1 == len(lines) or _pieces(lines[at + 1].text) or _is_grouping(lines, at):
        return None
    rule = lines[at].text.strip()
    below = range(at, min(len(lines), at + MAX_LINES))
    rules = [*islice((n for n in below if lines[n].text.strip() == rule), 3)]
    first = _first_of_header(lines, at, floor, pieces)
    head = range(first, at)
    body_start = at
    if not head and len(rules) > 2 and _is_header(lines, at, rules[1]):
        head, body_start = range(at + 1, rules[1]), rules[1]
    end = _end(lines, body_start, [n for n in rules if n > body_start], pieces)
    body = [n for n in range(body_start + 1, end) if lines[n].text.strip() and not _pieces(lines[n].text)]
    edges = _edges([lines[n].text for n in [*head, *body]], pieces)
    rows = _header(lines, head, edges, pieces)
    header = len(rows)
    for n in body:
        row = _row(lines, n, edges)
        if len(rows) > header and _continues(row, rows[-1], lines[at].text):
            rows[-1] = joined(rows[-1], row)
        else:
            rows.append(row)
    if not any(sum(bool(cell.spans) for cell in row) > 1 for row in rows[header:]):
        return None
    return TypedTable(first, end, rows, header)


def _pieces(text: str) -> Pieces:
    """The extents of the pieces of a rule, each of one kind of dash; none where the line is no rule."""
    found: Pieces = []
    at = 0
    for piece in text.split():
        if piece[0] not in DASHES or piece.strip(piece[0]):
            return []
        start = text.index(piece, at)
        at = start + len(piece)
        found.append((start, at))
    return found if any(end - start > 1 for start, end in found) else []


def _is_grouping(lines: Sequence[TypedLine], at: int) -> bool:
    """Whether the line is a rule that only groups the columns that another rule soon below it gives."""
    pieces = _pieces(lines[at].text)
    if not pieces:
        return False
    for n in range(at + 1, min(len(lines), at + MAX_HEADER_LINES)):
        if not lines[n].text.strip():
            return False
        if finer := _pieces(lines[n].text):
            return len(finer) > len(pieces) and all(_columns_below(piece, finer) for piece in pieces)
    return False


def _columns_below(piece: tuple[int, int], pieces: Pieces) -> list[int]:
    """Which of the pieces have their middle below a piece of another rule."""
    return [n for n, (start, end) in enumerate(pieces) if piece[0] <= (start + end) / 2 <= piece[1]]


def _first_of_header(lines: Sequence[TypedLine], at: int, floor: int, pieces: Pieces) -> int:
    """The first of the lines right above the rule that have words over several columns, and none beyond the last."""
    first = at
    grouping: set[int] = set()
    for n in range(at - 1, max(floor, at - MAX_HEADER_LINES) - 1, -1):
        if n < at - 1 and _is_grouping(lines, n):
            grouping |= {n - 1, n}
            continue
        if not lines[n].text.strip() or _pieces(lines[n].text) or len(lines[n].text.rstrip()) > pieces[-1][1] + OVER:
            break
        if sum(bool(lines[n].text[start:end].strip()) for start, end in _widened(pieces)) > 1:
            first = n
    plain = [n for n in range(first, at) if n not in grouping]
    crossed = sum(_crosses(lines[n].text, pieces) for n in plain)
    return first if 2 * crossed <= len(plain) else at


def _widened(pieces: Pieces) -> Pieces:
    """The pieces, each up to the next."""
    starts = [0, *[start for start, _ in pieces[1:]], FAR]
    return list(pairwise(starts))


def _crosses(text: str, pieces: Pieces) -> bool:
    """Whether some text goes through a gap between pieces."""
    return any(all(_is_through(text, x) for x in range(a[1], b[0] + 1)) for a, b in pairwise(pieces))


def _is_header(lines: Sequence[TypedLine], rule: int, other: int) -> bool:
    """Whether a few lines of words are all that is between the two rules, and others follow."""
    texts = [lines[n].text.strip() for n in range(rule + 1, other)]
    return 0 < len(texts) <= MAX_HEADER_LINES and all(texts) and bool(lines[other + 1].text.strip())


def _end(lines: Sequence[TypedLine], start: int, rules: Sequence[int], pieces: Pieces) -> int:
    """Behind the closing rule, if all up to there is of the table; else behind the last line before a blank one."""
    inside = [n for n in range(start + 1, rules[0]) if lines[n].text.strip()] if rules else []
    fitting = sum(not any(lines[n].text[a[1] : b[0]].strip() for a, b in pairwise(pieces)) for n in inside)
    if inside and fitting >= FITTING_SHARE * len(inside):
        return rules[0] + 1
    end = start + 1
    while end < min(len(lines), start + MAX_LINES) and lines[end].text.strip():
        end += 1
    return end


def _edges(texts: Sequence[str], pieces: Pieces) -> list[int]:
    """The places that part the columns: where fewest lines have text, within the gap of two pieces if possible."""
    edges = [0]
    for (start, before), (after, end) in pairwise(pieces):
        crossed = {x: sum(_is_through(text, x) for text in texts) for x in range(max(start, edges[-1]) + 1, end)}
        ranked = [(count, not before <= x <= after, abs(2 * x - before - after), x) for x, count in crossed.items()]
        edges.append(min(ranked)[-1])
    return [*edges, FAR]


def _header(lines: Sequence[TypedLine], head: range, edges: Sequence[int], pieces: Pieces) -> list[list[TypedCell]]:
    """The rows of the header: lines of words over one column each are one row."""
    rows: list[list[TypedCell]] = []
    plain = False
    for n in head:
        if _pieces(lines[n].text):
            continue
        groups = _pieces(lines[n + 1].text) if n + 1 in head else []
        row = _grouping_row(lines, n, edges, [_columns_below(one, pieces) for one in groups])
        row = row or _row(lines, n, edges)
        if plain and rows and all(cell.col_span == 1 for cell in row):
            rows[-1] = joined(rows[-1], row)
        else:
            rows.append(row)
        plain = all(cell.col_span == 1 for cell in row)
    return rows


def _grouping_row(
    lines: Sequence[TypedLine], n: int, edges: Sequence[int], groups: Sequence[Sequence[int]]
) -> list[TypedCell]:
    """The cells of a line above a rule that groups columns; nothing where there are no groups."""
    inside = {column for group in groups for column in group[1:]}
    if not groups:
        return []
    starts = [column for column in range(len(edges)) if column not in inside]
    return [TypedCell(span_of(lines[n], n, edges[a], edges[b]), 1, b - a) for a, b in pairwise(starts)]


def _row(lines: Sequence[TypedLine], n: int, edges: Sequence[int]) -> list[TypedCell]:
    """The cells of a line; text that goes through an edge is over both columns."""
    text = lines[n].text
    cells: list[TypedCell] = []
    column = 0
    while column < len(edges) - 1:
        across = 1
        while column + across < len(edges) - 1 and _is_through(text, edges[column + across]):
            across += 1
        cells.append(TypedCell(span_of(lines[n], n, edges[column], edges[column + across]), 1, across))
        column += across
    return cells


def _is_through(text: str, edge: int) -> bool:
    return edge < len(text) and not text[edge - 1].isspace() and not text[edge].isspace()


def _continues(row: Sequence[TypedCell], above: Sequence[TypedCell], rule: str) -> bool:
    """Whether the line goes on with the row above: without a first cell, as reStructuredText has it, or else with one
    cell only, below one."""
    if row[0].spans or any(cell.col_span > 1 for cell in [*row, *above]):
        return False
    filled = [n for n, cell in enumerate(row) if cell.spans]
    return "=" in rule or (len(filled) == 1 and bool(above[filled[0]].spans))
