"""The tables of a plain text: drawn with characters, below rules in pieces, of aligned columns, parted by tabs."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from shared.readers.typed.framed import barred_table, framed_table
from shared.readers.typed.lines import TypedLine, TypedTable, typed_line
from shared.readers.typed.ruled import ruled_table
from shared.readers.typed.spaced import spaced_table, tabbed_table

# Lines up to which something is read as a table: a longer one is data, and stays text.
MAX_LINES = 5_000
# Characters up to which a line is typed: a longer one is data, and divided nowhere.
MAX_WIDTH = 2_000
_HUNK = re.compile(r"@@ -\d+(?:,(\d{1,9}))? \+\d+(?:,(\d{1,9}))? @@")


def typed_tables(sources: Sequence[str]) -> list[TypedTable]:
    """The tables in these lines, in their order; none of them share a line."""
    changed = _changed_lines(sources)
    lines = [
        _undivided(source) if at in changed or len(source) > MAX_WIDTH else typed_line(source)
        for at, source in enumerate(sources)
    ]
    found: list[TypedTable] = []
    floor = at = 0
    while at < len(lines):
        table = _drawn(lines, at, floor)
        if table and _is_whole(sources, table):
            found += [*_between(sources, lines, floor, table.first), table]
            floor = at = table.end
        else:
            at += 1
    return [*found, *_between(sources, lines, floor, len(lines))]


def _changed_lines(sources: Sequence[str]) -> set[int]:
    """The lines of the pieces that a unified diff shows, with those that head them."""
    found: set[int] = set()
    for at, source in enumerate(sources):
        hunk = _HUNK.match(source)
        if hunk is None:
            continue
        found |= {*range(max(0, at - 2), at + 1)}
        left = [int(count or 1) for count in hunk.groups()]
        for n in range(at + 1, len(sources)):
            mark = sources[n][:1] or " "
            if mark not in " +-" or max(left) <= 0:
                break
            left = [left[0] - (mark != "+"), left[1] - (mark != "-")]
            found.add(n)
    return found


def _undivided(source: str) -> TypedLine:
    """A line as one place."""
    return TypedLine("\x00", (0, len(source))) if source.strip() else TypedLine("", (0,))


def _is_whole(sources: Sequence[str], table: TypedTable) -> bool:
    """Whether all letters and digits of its lines are in its cells."""
    lines = sum(map(_letters, sources[table.first : table.end]))
    cells = (sources[s.line][s.start : s.end] for row in table.rows for cell in row for s in cell.spans)
    return lines == sum(map(_letters, cells))


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _drawn(lines: Sequence[TypedLine], at: int, floor: int) -> TypedTable | None:
    text = lines[at].text
    if text.isspace() or not text:
        return None
    return framed_table(lines, at) or barred_table(lines, at) or ruled_table(lines, at, floor)


def _between(sources: Sequence[str], lines: Sequence[TypedLine], start: int, end: int) -> Iterator[TypedTable]:
    """The tables without rules in the paragraphs from line `start` to before `end`."""
    blank = [start - 1, *(at for at in range(start, end) if not lines[at].text.strip()), end]
    for before, after in pairwise(blank):
        if 2 < after - before <= MAX_LINES:
            table = tabbed_table(sources, before + 1, after) or spaced_table(sources, lines, before + 1, after)
            if table and _is_whole(sources, table):
                yield table
