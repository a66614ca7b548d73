"""Verifies tables: each cell of a stored grid has the text of its lines; the chunks of the table and of its rows match
the grid.

A row that a page break divides is one row of the grid, with one chunk; in the chunk of the whole table its two parts
are two lines, each with the rows of its page.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from shared.domain.knowledge import TableCell, TableGrid
from shared.verify import wording
from shared.verify.boxes import box_failure, column_failures
from shared.verify.chunks import Boxed, GetPage, by_page, compare_text
from shared.verify.page import Wrong
from shared.verify.pieces import Piece
from shared.verify.report import Checked


@dataclass
class ProvenTable:
    """A grid whose cells have been compared; `rows` counts the chunks of each row."""

    grid: TableGrid
    rows: Counter[int] = field(default_factory=Counter[int])

    @property
    def pages(self) -> list[int]:
        return sorted({box.page for row in self.grid.rows for cell in row for box in cell.boxes})


def check_table(checked: Checked, boxed: Boxed, page: GetPage) -> ProvenTable | None:
    """The chunk of a whole table with its grid."""
    chunk, first = checked.chunk, boxed[0][0].page
    if chunk.table is None or chunk.table_id != str(chunk.table.id):
        checked.fail("table", first, "the grid of the table", str(chunk.table_id))
        return None
    table = ProvenTable(chunk.table)
    for number, row in enumerate(table.grid.rows):
        for cell in row:
            _check_cell(checked, number, cell, page)
    if checked.failures:
        return table
    said = (table.grid.first_page, table.grid.last_page)
    if table.pages and said != (table.pages[0], table.pages[-1]):
        checked.fail("table", first, f"pages {table.pages[0]} to {table.pages[-1]}", f"pages {said[0]} to {said[1]}")
    if not 0 <= table.grid.header_rows <= len(table.grid.rows):
        checked.fail("table", first, f"at most {len(table.grid.rows)} header rows", str(table.grid.header_rows))
    named = [(box.page, box.fragment_ids) for box, _ in boxed]
    expected = [(number, tuple(_references(table.grid, number))) for number in table.pages]
    if named != expected:
        checked.fail("table", first, str(expected), str(named))
    compare_text(checked, first, wording.stacked(_written(table.grid, number, page) for number in table.pages))
    return table


def check_row(checked: Checked, boxed: Boxed, table: ProvenTable | None, page: GetPage) -> None:
    """The chunk of one row."""
    chunk, first = checked.chunk, boxed[0][0].page
    if table is None or chunk.row is None or not 0 <= chunk.row < len(table.grid.rows):
        checked.fail("table", first, "a row of a stored table", f"row {chunk.row} of table {chunk.table_id}")
        return
    table.rows[chunk.row] += 1
    row = table.grid.rows[chunk.row]
    named = [reference for box, _ in boxed for reference in box.fragment_ids]
    expected = [reference for cell in row for box in cell.boxes for reference in box.fragment_ids]
    if named != expected:
        checked.fail("table", first, " ".join(expected), " ".join(named))
    pages = {box.page for box, _ in boxed}
    if len(pages) == 1 and len(boxed) > 1:
        checked.fail("box", first, "one box around the row", f"{len(boxed)} boxes")
    compare_text(checked, first, wording.row(cell.text for cell in row))


def row_failures(table: ProvenTable) -> Iterator[tuple[int, Wrong]]:
    """(page, failure) for body rows without a chunk or with several, and header rows with one."""
    for number, row in enumerate(table.grid.rows):
        wanted = int(number >= table.grid.header_rows)
        if table.rows[number] != wanted:
            page = next((box.page for cell in row for box in cell.boxes), table.grid.first_page)
            yield page, Wrong("table", f"{wanted} chunk of row {number}", f"{table.rows[number]}")


def cells_on(table: TableGrid, page: int) -> list[tuple[tuple[tuple[str, ...], int, int], ...]]:
    """The rows on a page: of each cell its references there and its spans, which do not extend to rows on other
    pages."""
    found: list[tuple[tuple[tuple[str, ...], int, int], ...]] = []
    for row in table.rows:
        pages = {box.page for cell in row for box in cell.boxes}
        if page in pages:
            last = page == max(pages)
            found.append(tuple((_named(cell, page), cell.row_span if last else 1, cell.col_span) for cell in row))
    return found


def _check_cell(checked: Checked, number: int, cell: TableCell, page: GetPage) -> None:
    boxed: Boxed = []
    for box in cell.boxes:
        try:
            boxed.append((box, page(box.page).lines.pieces(box.fragment_ids)))
        except ValueError as error:
            checked.fail("table", None, f"lines of the source in row {number}", str(error))
            return
    for box, pieces in boxed:
        if wrong := box_failure(box, pieces):
            checked.fail("box", box.page, *wrong)
    for expected, actual in column_failures(boxed):
        checked.fail("box", boxed[0][0].page, expected, actual)
    text = wording.running(by_page(boxed))
    if text != cell.text:
        checked.fail("table", boxed[0][0].page if boxed else None, f"row {number}: {text}", cell.text)


def _named(cell: TableCell, page: int) -> tuple[str, ...]:
    return tuple(reference for box in cell.boxes if box.page == page for reference in box.fragment_ids)


def _references(grid: TableGrid, page: int) -> Iterator[str]:
    return (reference for row in grid.rows for cell in row for reference in _named(cell, page))


def _written(grid: TableGrid, number: int, page: GetPage) -> str:
    """The rows of a page as text, one per line."""
    lines = page(number).lines
    texts = [wording.row([_text(lines.pieces(_named(cell, number))) for cell in row]) for row in grid.rows]
    return wording.stacked(texts)


def _text(pieces: Sequence[Piece]) -> str:
    return wording.running([pieces]) if pieces else ""
