"""Opens spreadsheets. Every place is a cell or a range of cells; parts are made when they are asked for."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, overload

from shared.domain.geometry import CellRange, range_name
from shared.domain.kept_rows import KeptBlock, stacked
from shared.domain.page import PageFile
from shared.errors import RefusedFile
from shared.readers.parted import PartedSource
from shared.readers.parts import (
    Block,
    CellBlock,
    GridBlock,
    HeadingBlock,
    LeftOutBlock,
    PassageBlock,
    PlacedLine,
    part_of,
)
from shared.readers.sheets.binary import read_binary_workbook
from shared.readers.sheets.cells import Area, Sheet, SheetCell, SheetNote
from shared.readers.sheets.delimited import read_delimited
from shared.readers.sheets.legacy import read_legacy_workbook
from shared.readers.sheets.opendocument import read_opendocument
from shared.readers.sheets.pieces import WINDOW_CELLS, SheetPiece, pieces_of
from shared.readers.sheets.regions import SheetGrid, grid_of
from shared.readers.sheets.workbook import read_workbook

EXTRACTOR_VERSION: Final = "sheets-10"
SHEET_DEPTH: Final = 1
TITLE_DEPTH: Final = 2
# A table in plain text is a sheet without a name; spreadsheet programs and their libraries call it so.
UNNAMED: Final = "Sheet1"


class Part(NamedTuple):
    """The pieces of one sheet that count as a page. The first part of a sheet has the sheet's name."""

    grid: SheetGrid
    pieces: list[SheetPiece]
    first: bool


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
    parts = [part for sheet in read(path) for part in _parts(grid_of(sheet))]
    if not parts:
        raise RefusedFile("The spreadsheet has no cells with text; check that it was saved and upload it again.")
    return _SheetSource(_LazyParts(parts))


def _parts(grid: SheetGrid) -> Iterator[Part]:
    """Pieces are together in a part as long as it stays small; a title stays with what follows it, and every window of
    a long table begins a part."""
    pieces: list[SheetPiece] = []
    first = True
    for piece in pieces_of(grid):
        full = sum(one.cells for one in pieces) + piece.cells > WINDOW_CELLS and pieces[-1:] != []
        behind = bool(pieces) and (len(pieces[-1].kept) > 0 or pieces[-1].block is not None)
        if piece.goes_on or behind or (full and pieces[-1].kind != "title"):
            yield Part(grid, pieces, first)
            pieces, first = [], False
        pieces.append(piece)
    if pieces:
        yield Part(grid, pieces, first)


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
        return file.model_copy(update={"kept": kept.described()}) if kept else file

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
    return part, KeptBlock(sheet.name or UNNAMED, [*piece.columns], numbers, texts)


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
    hidden += [f"column {_letters(column)}" for column in columns if column in sheet.hidden_columns]
    if hidden:
        more = f" and {len(hidden) - MOST_HIDDEN} more" if len(hidden) > MOST_HIDDEN else ""
        said.append(f"hidden: {', '.join(hidden[:MOST_HIDDEN])}{more}")
    if part.first and sheet.unread:
        said.append(f"not read: {sheet.unread}")
    return ", ".join(said)


MOST_HIDDEN: Final = 6


def _letters(column: int) -> str:
    return range_name(column, 1, column, 1).rstrip("0123456789")


def _blocks(part: Part) -> Iterator[Block]:
    sheet = part.grid.sheet
    if part.first and sheet.name.strip():
        yield HeadingBlock([PlacedLine(sheet.name.strip(), _used(sheet))], SHEET_DEPTH)
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
    return [PlacedLine(line.strip(), place) for line in cell.text.splitlines() if line.strip()]


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
                cells.append(CellBlock(_said(grid, row, column)))
            elif area not in seen:
                seen.add(area)
                down = sum(area.top <= one <= area.bottom for one in rows[len(made) :])
                across = sum(area.left <= one <= area.right for one in piece.columns)
                cells.append(CellBlock(_said(grid, area.top, area.left), row_span=down, col_span=across))
        made.append(cells)
    return GridBlock(made, header_rows=len(piece.header))
