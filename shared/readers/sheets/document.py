"""Opens spreadsheets. Every place is a cell or a range of cells; parts are made when they are asked for."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from math import inf
from pathlib import Path
from typing import Final, NamedTuple, overload

from shared.domain.cell_formulas import CellFormula
from shared.domain.geometry import CellRange, letters_of, range_name
from shared.domain.kept_rows import KeptBlock, stacked, unseen
from shared.domain.page import PageFile
from shared.errors import RefusedFile
from shared.readers.blocks import Block, CellBlock, GridBlock, HeadingBlock, LeftOutBlock, PassageBlock, PlacedLine
from shared.readers.parted import PartedSource
from shared.readers.parts import part_of
from shared.readers.sheets.binary import read_binary_workbook
from shared.readers.sheets.cells import Area, Sheet, SheetCell, SheetNote
from shared.readers.sheets.delimited import read_delimited
from shared.readers.sheets.formulas import formula_at
from shared.readers.sheets.legacy import read_legacy_workbook
from shared.readers.sheets.opendocument import read_opendocument
from shared.readers.sheets.pieces import WINDOW_CELLS, SheetPiece, pieces_of
from shared.readers.sheets.regions import SheetGrid, grid_of
from shared.readers.sheets.workbook import read_workbook

EXTRACTOR_VERSION: Final = "sheets-13"
SHEET_DEPTH: Final = 1
TITLE_DEPTH: Final = 2
# A table in plain text is a sheet without a name; spreadsheet programs and their libraries call it so.
UNNAMED: Final = "Sheet1"


class Part(NamedTuple):
    """The pieces of one sheet that count as a page. The first part of a sheet has the sheet's name. `apart`: rows and
    columns of cells with formulas that nobody has calculated and that are in none of its pieces, nor in others'."""

    grid: SheetGrid
    pieces: list[SheetPiece]
    first: bool
    apart: Sequence[tuple[int, int]] = ()


def open_workbook(path: Path, _password: str | None) -> PartedSource:
    return _open(path, read_workbook)


def open_binary_workbook(path: Path, _password: str | None) -> PartedSource:
    return _open(path, read_binary_workbook)


def open_legacy_workbook(path: Path, _password: str | None) -> PartedSource:
    return _open(path, read_legacy_workbook)


def open_opendocument(path: Path, _password: str | None) -> PartedSource:
    return _open(path, read_opendocument)


def open_delimited(path: Path, _password: str | None) -> PartedSource:
    return _open(path, read_delimited)


def _open(path: Path, read: Callable[[Path], list[Sheet]]) -> PartedSource:
    parts = [part for sheet in read(path) for part in _with_apart(list(_parts(grid_of(sheet))))]
    if not any(part.grid.sheet.rows or part.grid.sheet.notes for part in parts):
        why = "formulas that were never calculated, and no cells with text" if parts else "no cells with text"
        what = "open it in a spreadsheet program, save it" if parts else "check that it was saved"
        raise RefusedFile(f"The spreadsheet has {why}; {what} and upload it again.")
    return _SheetSource(_LazyParts(parts))


def _parts(grid: SheetGrid) -> Iterator[Part]:
    """Pieces are together in a part as long as it stays small; a title stays with what follows it, and every window of
    a long table begins a part."""
    pieces: list[SheetPiece] = []
    first, size = True, 0
    for piece in pieces_of(grid):
        full = bool(pieces) and size + piece.cells > WINDOW_CELLS
        behind = bool(pieces) and (len(pieces[-1].kept) > 0 or pieces[-1].block is not None)
        if piece.goes_on or behind or (full and pieces[-1].kind != "title"):
            yield Part(grid, pieces, first)
            pieces, first, size = [], False, 0
        pieces.append(piece)
        size += piece.cells
    if pieces or (first and grid.sheet.uncalculated):
        yield Part(grid, pieces, first)


def _with_apart(parts: list[Part]) -> list[Part]:
    """Formulas that nobody has calculated and that no table has stand at the part that begins above them."""
    if not parts or not parts[0].grid.sheet.uncalculated:
        return parts
    left = {row: {*columns} for row, columns in parts[0].grid.sheet.uncalculated.items()}
    begins: list[float] = []
    for part in parts:
        rows = [row for piece in part.pieces for row in (*piece.header, *piece.rows)]
        # A window of a table that goes on has its header again; what is said beside cells has no rows.
        begins.append(min((row for piece in part.pieces for row in _begun(piece)), default=inf))
        for piece in part.pieces if any(row in left for row in rows) else ():
            for row in (*piece.header, *piece.rows, *piece.kept) if piece.kind == "table" else ():
                left.get(row, set[int]()).difference_update(piece.columns)
    apart: list[list[tuple[int, int]]] = [[] for _ in parts]
    # The last part that begins at or above a row, though parts beside each other do not ascend.
    least = [*accumulate(reversed(begins), min)][::-1]
    for row, columns in sorted(left.items()):
        apart[max(bisect_right(least, row) - 1, 0)] += [(row, column) for column in sorted(columns)]
    return [part._replace(apart=cells) for part, cells in zip(parts, apart, strict=True)]


def _begun(piece: SheetPiece) -> Sequence[int]:
    return piece.rows if piece.goes_on else (*piece.header, *piece.rows)


class _LazyParts(Sequence[PageFile]):
    """The parts of a long table would need a gigabyte at once."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._last: tuple[int, Part, KeptBlock | None] | None = None

    def __len__(self) -> int:
        return len(self._parts)

    @overload
    def __getitem__(self, index: int) -> PageFile: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PageFile]: ...
    def __getitem__(self, index: int | slice) -> PageFile | Sequence[PageFile]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self._parts)))]
        part, kept = self.read(index)
        file = part_of(list(_blocks(part)), index + 1, _label(part, kept), EXTRACTOR_VERSION)
        update: dict[str, object] = {"kept": kept.described()} if kept else {}
        return file.model_copy(update=update | _formulas(part))

    def read(self, index: int) -> tuple[Part, KeptBlock | None]:
        """With the rows that are kept beside it. The last one is remembered."""
        if self._last is None or self._last[0] != index:
            self._last = index, *_with_kept(self._parts[index])
        return self._last[1:]


class _SheetSource(PartedSource):
    """Has blocks of rows beside some of its parts."""

    def __init__(self, parts: _LazyParts) -> None:
        super().__init__(parts)
        self._sheets = parts

    def read_kept(self, page: int) -> KeptBlock | None:
        return self._sheets.read(page - 1)[1]


def _with_kept(part: Part) -> tuple[Part, KeptBlock | None]:
    """The part, whose first row may only be found beyond its sheet, and the rows that are kept beside it."""
    if not part.pieces:
        return part, None
    piece, sheet = part.pieces[-1], part.grid.sheet
    said = [[_text(sheet.rows[row].get(at)) for at in piece.columns] for row in piece.kept]
    numbers = [*piece.kept]
    if piece.block is not None and sheet.beyond is not None:
        block = sheet.beyond.block(piece.block)
        (first,) = piece.rows
        record = block.pop(first)
        row = {at: SheetCell(text) for at, text in enumerate(record, 1) if text.strip()}
        above = {number: sheet.rows[number] for number in piece.header} | {first: row}
        part = part._replace(grid=grid_of(Sheet(sheet.name, rows=above)))
        numbers, said = [*block], [_placed_texts(record, piece.columns) for record in block.values()]
    if not numbers:
        return part, None
    texts = [[*column] for column in zip(*said, strict=True)]
    rows = numbers if sheet.hidden else [number for number in numbers if number in sheet.hidden_rows]
    hidden = unseen(rows, [column for column in piece.columns if column in sheet.hidden_columns])
    return part, KeptBlock(sheet.name or UNNAMED, [*piece.columns], numbers, texts, hidden)


def _formulas(part: Part) -> dict[str, object]:
    """The formulas of a part's cells and how many of them nobody has calculated. Of those apart from its tables the
    first ones are listed."""
    sheet = part.grid.sheet
    if not sheet.formulas:
        return {}
    cells = {
        (row, column)
        for piece in part.pieces
        for row in (*piece.header, *piece.rows)
        for column in sheet.formulas.get(row, ())
        if piece.columns[0] <= column <= piece.columns[-1]
        and (column in piece.columns or column in sheet.rows.get(row, ()))
    }
    if part.first:
        cells.update(cell for cell in part.grid.covered if cell[1] in sheet.formulas.get(cell[0], ()))
    found = [
        CellFormula(
            range=_cell_range(part.grid, row, column),
            formula=formula_at(sheet.formulas[row][column], row, column),
            calculated=column not in sheet.uncalculated.get(row, ()),
        )
        for row, column in sorted(cells.union(part.apart[:MOST_APART]))
    ]
    count = sum(not one.calculated for one in found) + len(part.apart[MOST_APART:])
    return {"formulas": found, "uncalculated": count}


def _placed_texts(record: Sequence[str], places: Sequence[int]) -> list[str]:
    return [_stacked(record[at - 1]) if at <= len(record) else "" for at in places]


def _text(cell: SheetCell | None) -> str:
    return _stacked(cell.text) if cell else ""


def _stacked(text: str) -> str:
    said = text.strip()
    return stacked(said.splitlines()) if not said.isprintable() else said


def _label(part: Part, kept: KeptBlock | None) -> str:
    """The sheet's name, the rows where it has several parts, and what is hidden of them."""
    sheet = part.grid.sheet
    rows = sorted({row for piece in part.pieces for row in (*piece.rows, *piece.kept)})
    columns = sorted({column for piece in part.pieces for column in piece.columns})
    said = [sheet.name] if sheet.name else []
    if rows and (not part.first or rows[-1] < max(sheet.rows)):
        said.append(f"rows {rows[0]}\u2013{kept.numbers[-1] if kept else rows[-1]}")
    if sheet.hidden:
        said.append("hidden sheet")
    hidden = [f"row {row}" for row in rows if row in sheet.hidden_rows]
    hidden += [f"column {letters_of(column)}" for column in columns if column in sheet.hidden_columns]
    if hidden:
        more = f" and {len(hidden) - MOST_HIDDEN} more" if len(hidden) > MOST_HIDDEN else ""
        said.append(f"hidden: {', '.join(hidden[:MOST_HIDDEN])}{more}")
    if part.first and sheet.unread:
        said.append(f"not read: {sheet.unread}")
    return ", ".join(said)


MOST_HIDDEN: Final = 6
# A sheet may have a million formulas that nobody has calculated, below each other and beside nothing.
MOST_APART: Final = 1_000


def _blocks(part: Part) -> Iterator[Block]:
    sheet = part.grid.sheet
    if part.first and sheet.name.strip():
        yield HeadingBlock([PlacedLine(sheet.name.strip(), _used(sheet), hidden=sheet.hidden)], SHEET_DEPTH)
    if part.first and part.grid.covered:
        covered = [(Area(row, column, row, column), cell) for (row, column), cell in part.grid.covered.items()]
        yield LeftOutBlock("invisible", [line for one in covered for line in _placed(sheet, *one)])
    for piece in part.pieces:
        match piece.kind:
            case "title":
                yield HeadingBlock(_lines(part.grid, piece), TITLE_DEPTH)
            case "note":
                yield PassageBlock("text", _lines(part.grid, piece))
            case "table":
                yield _table(part.grid, piece)
            case "beside":
                pass
        for note in piece.beside:
            yield PassageBlock(note.kind, _placed(sheet, note.area, note))


def _placed(sheet: Sheet, area: Area, cell: SheetCell | SheetNote) -> list[PlacedLine]:
    """The lines of a cell, or of what is said beside it."""
    place = CellRange(sheet=sheet.name or UNNAMED, range=range_name(area.left, area.top, area.right, area.bottom))
    hidden = _is_hidden(sheet, area)
    return [PlacedLine(line.strip(), place, hidden=hidden) for line in cell.text.splitlines() if line.strip()]


def _is_hidden(sheet: Sheet, area: Area) -> bool:
    return (
        sheet.hidden
        or sheet.hidden_rows.issuperset(range(area.top, area.bottom + 1))
        or sheet.hidden_columns.issuperset(range(area.left, area.right + 1))
    )


def _used(sheet: Sheet) -> CellRange:
    """All cells of a sheet: where its name stands, which is in none of them."""
    columns = [column for row in sheet.rows.values() for column in (min(row), max(row))] or [1]
    top, bottom = min(sheet.rows, default=1), max(sheet.rows, default=1)
    return CellRange(sheet=sheet.name, range=range_name(min(columns), top, max(columns), bottom))


def _lines(grid: SheetGrid, piece: SheetPiece) -> list[PlacedLine]:
    return [
        line
        for row in piece.rows
        for column in sorted(grid.sheet.rows[row])
        if piece.columns[0] <= column <= piece.columns[-1]
        for line in _said(grid, row, column)
    ]


def _said(grid: SheetGrid, row: int, column: int) -> list[PlacedLine]:
    cell = grid.sheet.rows.get(row, {}).get(column)
    if cell is None:
        return []
    return _placed(grid.sheet, grid.area(row, column) or Area(row, column, row, column), cell)


def _table(grid: SheetGrid, piece: SheetPiece) -> GridBlock:
    rows = [*piece.header, *piece.rows]
    seen: set[Area] = set()
    made: list[list[CellBlock]] = []
    for row in rows:
        cells: list[CellBlock] = []
        for column in piece.columns:
            area = grid.area(row, column)
            if area is None:
                cells.append(CellBlock(_said(grid, row, column), place=_place_of_formula(grid.sheet, row, column)))
            elif area not in seen:
                seen.add(area)
                down = sum(area.top <= one <= area.bottom for one in rows[len(made) :])
                across = sum(area.left <= one <= area.right for one in piece.columns)
                cells.append(CellBlock(_said(grid, area.top, area.left), row_span=down, col_span=across))
        made.append(cells)
    return GridBlock(made, header_rows=len(piece.header))


def _cell_range(grid: SheetGrid, row: int, column: int) -> str:
    """As the places of its lines name it: a merged cell by its area."""
    area = grid.area(row, column)
    if area is not None and area[:2] == (row, column):
        return range_name(area.left, area.top, area.right, area.bottom)
    return range_name(column, row, column, row)


def _place_of_formula(sheet: Sheet, row: int, column: int) -> CellRange | None:
    """Of a cell with a formula and no text, which has no lines that say where it stands."""
    if column not in sheet.formulas.get(row, ()) or column in sheet.rows.get(row, ()):
        return None
    return CellRange(sheet=sheet.name or UNNAMED, range=range_name(column, row, column, row))
