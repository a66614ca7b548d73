"""What a sheet consists of, in reading order: titles, notes and tables, long tables in windows."""

from collections.abc import Generator, Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from shared.readers.sheets import cells
from shared.readers.sheets.cells import SheetNote
from shared.readers.sheets.headers import are_form, header_rows, notes_above
from shared.readers.sheets.regions import SheetGrid, SheetRegion, regions_of
from shared.values.totals import is_total

# A table is stored in windows of so many rows, so that none of its chunks and no part grows without bound.
WINDOW_ROWS: Final = 200
WINDOW_CELLS: Final = 2_400
TITLE_CHARACTERS: Final = 120
# What begins with such a mark explains a table, and names none.
_NOTED: Final = ("*", "\u2020", "\u2021", "\u00a7")


class SheetPiece(NamedTuple):
    """`rows` and `columns` of the sheet; `header` are rows above them, which a later window of a table, one that
    `goes_on`, has again. `kept` are rows below them that are no passages, or `block` is the place of such rows among
    those beyond the sheet. `beside` is what is said beside its cells; a piece of this kind has nothing else."""

    kind: Literal["title", "note", "table", "beside"]
    rows: Sequence[int]
    columns: Sequence[int]
    header: Sequence[int] = ()
    goes_on: bool = False
    kept: Sequence[int] = ()
    block: int | None = None
    beside: Sequence[SheetNote] = ()

    @property
    def cells(self) -> int:
        return (len(self.rows) + len(self.header)) * len(self.columns) + len(self.beside)


def pieces_of(grid: SheetGrid) -> Iterator[SheetPiece]:
    """In reading order. What is said beside a cell is with the cell's piece, and else at the end."""
    noted: dict[int, dict[int, list[SheetNote]]] = {}
    for note in grid.sheet.notes:
        noted.setdefault(note.area.top, {}).setdefault(note.area.left, []).append(note)
    for piece in _pieces(grid):
        rows = [row for row in (*piece.header, *piece.rows, *piece.kept) if row in noted]
        beside = [note for row in rows for column in piece.columns for note in noted[row].pop(column, ())]
        yield piece._replace(beside=beside)
    left = [note for _, row in sorted(noted.items()) for _, notes in sorted(row.items()) for note in notes]
    for at in range(0, len(left), WINDOW_ROWS):
        yield SheetPiece("beside", (), (), beside=left[at : at + WINDOW_ROWS])


def _pieces(grid: SheetGrid) -> Iterator[SheetPiece]:
    found: list[SheetPiece] = []
    for region in regions_of(grid):
        for piece in _of_region(grid, region):
            if not _joined(grid, found, piece):
                found.append(piece)
    beyond = grid.sheet.beyond
    last = _widen(found, beyond.columns) if beyond is not None else None
    for at, (piece, below) in enumerate(pairwise(found)):
        if piece.kind == "note" and below.kind == "table" and _short(grid, piece):
            found[at] = piece._replace(kind="title")
    for piece in found if beyond is not None else _below_titles(found):
        long = len(piece.rows) > cells.PASSAGE_ROWS or (beyond is not None and piece is last)
        yield from _windows(piece, long) if piece.kind == "table" else (piece,)
    if beyond is not None and last is not None:
        for at, first in enumerate(beyond.firsts):
            yield last._replace(rows=[first], goes_on=True, block=at)


def _below_titles(found: Sequence[SheetPiece]) -> list[SheetPiece]:
    """With a table that stands beside others, and has no title of its own, before the first title that is below its
    first row."""
    placed: list[SheetPiece] = []
    lowest = 0
    for at, piece in enumerate(found):
        top, place = min((*piece.header, *piece.rows), default=0), len(placed)
        if piece.kind == "title":
            lowest = max(lowest, top)
        elif piece.kind == "table" and lowest > top and not (at and found[at - 1].kind == "title"):
            place = next(n for n, one in enumerate(placed) if one.kind == "title" and one.rows[0] > top)
        placed.insert(place, piece)
    return placed


def _widen(found: list[SheetPiece], columns: Sequence[int]) -> SheetPiece:
    """The last table has the rows beyond the sheet too, in whichever columns they stand. Where there is none, the last
    piece is one."""
    at = next((at for at in range(len(found) - 1, -1, -1) if found[at].kind == "table"), len(found) - 1)
    found[at] = found[at]._replace(kind="table", columns=sorted({*found[at].columns, *columns}))
    return found[at]


def _of_region(grid: SheetGrid, region: SheetRegion) -> Iterator[SheetPiece]:
    """Tables that stand directly below one another, each with what belongs to it."""
    left = [(region, 0)]
    while left:
        below, header = yield from _first_table(grid, *left.pop())
        left += [(one, header) for one in reversed(below)]


def _first_table(
    grid: SheetGrid, region: SheetRegion, header: int
) -> Generator[SheetPiece, None, tuple[list[SheetRegion], int]]:
    """Single cells above a table are its title and notes; long words below it are notes. The table has so many rows of
    a `header` that is known, and one below it. Returns what is left: the tables below, each from its title on, and how
    many rows their header has."""
    if len(region.columns) == 1:
        yield SheetPiece("note", region.rows, region.columns)
        return [], 0
    first, last = 0, len(region.rows)
    while first < last and _alone(grid, region, region.rows[first]) and not _is_level(grid, region, region.rows[first]):
        first += 1
    own = first + header + 1 if header else first
    while last > own and _alone(grid, region, region.rows[last - 1], at_left=True):
        last -= 1
    for at in range(first):
        piece = SheetPiece("note", region.rows[at : at + 1], region.columns)
        yield piece._replace(kind="title") if at == 0 and first < last and not _is_remark(grid, piece) else piece
    if first < last:
        notes = 0 if header else notes_above(grid, SheetRegion(region.rows[first:last], region.columns))
        for row in region.rows[first : first + notes]:
            yield SheetPiece("note", [row], region.columns)
        first += notes
        table = SheetRegion(region.rows[first:last], _used(grid, region, region.rows[first:last]))
        count = max(header, header_rows(grid, table))
        begins = _next_tables(grid, table, count)
        end = begins[0] if begins else len(table.rows)
        yield SheetPiece("table", table.rows[count:end], table.columns, table.rows[:count])
        if begins:
            ends = [*(first + at for at in begins[1:]), len(region.rows)]
            below = [region.rows[first + at : to] for at, to in zip(begins, ends, strict=True)]
            return [SheetRegion(rows, region.columns) for rows in below], count
    for row in region.rows[max(first, last) :]:
        yield SheetPiece("note", [row], region.columns)
    return [], 0


def _next_tables(grid: SheetGrid, table: SheetRegion, header: int) -> list[int]:
    """Where further tables begin, of the table's rows: with lines of words above rows that say the header again."""
    said = [_texts(grid, table, row) for row in table.rows[:header]]
    found: list[int] = []
    at = least = header + 1
    while header and at < len(table.rows) - header:
        if any(_texts(grid, table, table.rows[at + row]) != one for row, one in enumerate(said)):
            at += 1
            continue
        begin = at
        while begin > least and _alone(grid, table, table.rows[begin - 1]):
            begin -= 1
        found.append(begin)
        at = least = at + header + 1
    return found


def _texts(grid: SheetGrid, table: SheetRegion, row: int) -> list[str]:
    cells = grid.sheet.rows[row]
    return [cells[column].text if column in cells else "" for column in table.columns]


def _alone(grid: SheetGrid, region: SheetRegion, row: int, at_left: bool = False) -> bool:
    """Whether a row has one cell, of words; `at_left`: in the first column, since a word below another one is that
    column's."""
    filled = grid.filled(row, region)
    if len(filled) != 1 or grid.sheet.rows[row][filled[0]].kind != "text":
        return False
    return not at_left or filled[0] == region.columns[0] or _spans(grid, row, filled[0])


def _spans(grid: SheetGrid, row: int, column: int) -> bool:
    area = grid.area(row, column)
    return area is not None and area.right > area.left


def _is_level(grid: SheetGrid, region: SheetRegion, row: int) -> bool:
    """Whether a row's one cell stands over several columns and not over the first one, as a header's upper level does
    and no title."""
    (column,) = grid.filled(row, region)
    area = grid.area(row, column)
    return area is not None and region.columns[0] < area.left < area.right


def _used(grid: SheetGrid, region: SheetRegion, rows: Sequence[int]) -> list[int]:
    used = {column for row in rows for column in grid.filled(row, region)}
    return sorted(used)


def _short(grid: SheetGrid, piece: SheetPiece) -> bool:
    cells = [grid.sheet.rows[row].get(column) for row in piece.rows for column in piece.columns]
    said = [cell.text for cell in cells if cell is not None]
    return len(said) == 1 and len(said[0]) <= TITLE_CHARACTERS and not _is_remark(grid, piece)


def _is_remark(grid: SheetGrid, piece: SheetPiece) -> bool:
    """Whether a line explains a table, or is a total whose number is not there: it names nothing."""
    cells = [grid.sheet.rows[row].get(column) for row in piece.rows for column in piece.columns]
    said = [cell.text.strip() for cell in cells if cell is not None]
    return any(one.startswith(_NOTED) or is_total(one) or _is_sentence(one) for one in said)


def _is_sentence(text: str) -> bool:
    return text.endswith((".", "!", "?")) and len(text.split(maxsplit=1)) > 1


def _joined(grid: SheetGrid, found: list[SheetPiece], piece: SheetPiece) -> bool:
    """Whether the piece only goes on with the table above it, behind blank rows: it has no header, is no form, and has
    no other columns. It is then part of that one."""
    if piece.kind != "table" or piece.header or are_form(grid, SheetRegion([*piece.rows], [*piece.columns])):
        return False
    for at in range(len(found) - 1, -1, -1):
        above = found[at]
        if above.columns[-1] < piece.columns[0] or above.columns[0] > piece.columns[-1]:
            continue
        if not above.header or not set(piece.columns) <= set(above.columns) or piece.rows[0] <= above.rows[-1]:
            return False
        found[at] = above._replace(rows=[*above.rows, *piece.rows])
        return True
    return False


def _windows(piece: SheetPiece, long: bool) -> Iterator[SheetPiece]:
    """Of a long table the first rows are passages, and of each block of the others the first one. Without a header they
    are one window: nothing else tells that others go on with it."""
    most = min(len(piece.rows), cells.PASSAGE_ROWS) if long else len(piece.rows)
    size = max(1, min(WINDOW_ROWS, WINDOW_CELLS // len(piece.columns)))
    if long and not piece.header:
        size = most
    if not piece.rows:
        yield piece
    for at in range(0, most, size):
        yield piece._replace(rows=piece.rows[at : min(most, at + size)], goes_on=at > 0)
    size = max(1, min(cells.BLOCK_ROWS, cells.BLOCK_CELLS // len(piece.columns)))
    for at in range(most, len(piece.rows), size):
        rows = piece.rows[at : at + size]
        yield piece._replace(rows=rows[:1], kept=rows[1:], goes_on=True)
