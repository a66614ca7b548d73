"""Tables of a Word document, with their merged cells."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from shared.readers.blocks import CellBlock, GridBlock, PlacedLine
from shared.readers.docx.elements import child, is_on, local, value
from shared.readers.docx.text import Paragraph, read_paragraph

MAX_SPAN: Final = 1_000
_AROUND: Final = frozenset({"sdt", "sdtContent", "customXml", "ins", "moveTo", "AlternateContent", "Choice"})


@dataclass
class _Cell:
    lines: list[PlacedLine] = field(default_factory=list[PlacedLine])
    row_span: int = 1
    col_span: int = 1


def is_layout(table: Any) -> bool:
    """Whether a table has one column or one row: it places text and relates nothing."""
    rows = [list(_named(row, "tc")) for row in _named(table, "tr")]
    return len(rows) < 2 or max(len(row) for row in rows) < 2


def grid_of(table: Any, place: Callable[[Any, Paragraph], list[PlacedLine]]) -> tuple[GridBlock, list[Paragraph]]:
    """The table, whose lines `place` gives for each paragraph, and its paragraphs, for what stands behind them."""
    rows: list[list[_Cell]] = []
    read: list[Paragraph] = []
    open_cells: dict[int, _Cell] = {}
    shown = [row for row in _named(table, "tr") if child(child(row, "trPr"), "del") is None]
    for row in shown:
        cells: list[_Cell] = []
        column = _number(child(child(row, "trPr"), "gridBefore"), 0)
        cells += [_Cell(col_span=column)] if column else []
        for element in _named(row, "tc"):
            settings = child(element, "tcPr")
            span = max(_number(child(settings, "gridSpan"), 1), 1)
            paragraphs = [(one, read_paragraph(one)) for one in _paragraphs(element)]
            read += [paragraph for _, paragraph in paragraphs]
            lines = [line for one, paragraph in paragraphs for line in place(one, paragraph)]
            merge = child(settings, "vMerge")
            above = open_cells.get(column) if merge is not None and value(merge) != "restart" else None
            if above is None:
                above = _Cell(col_span=span)
                cells.append(above)
            else:
                above.row_span += 1
            above.lines += lines
            open_cells[column] = above if merge is not None else _Cell()
            column += span
        rows.append(cells)
    grid = [[CellBlock(cell.lines, cell.row_span, cell.col_span) for cell in row] for row in rows]
    marked = _marked(shown)
    first = not marked and len(shown) > 1 and _sets_first_apart(table)
    return GridBlock(grid, marked or int(first), guessed=first), read


def _marked(rows: list[Any]) -> int:
    """Rows that are repeated on each page are the header."""
    marked = [is_on(child(child(row, "trPr"), "tblHeader")) for row in rows]
    return marked.index(False) if False in marked else 0


def _sets_first_apart(table: Any) -> bool:
    """Whether the table's look sets its first row apart, as that of every new table does."""
    look = child(child(table, "tblPr"), "tblLook")
    first = value(look, "firstRow") or ("1" if _hexadecimal(value(look)) & 0x20 else "0")
    return first in ("1", "true", "on")


def _paragraphs(cell: Any) -> Iterator[Any]:
    """The paragraphs of a cell, those of tables in it too; what text boxes hold stands behind the table."""
    for one in cell:
        if local(one) == "p":
            yield one
        elif local(one) in _AROUND or local(one) in ("tbl", "tr", "tc"):
            yield from _paragraphs(one)


def _named(element: Any, name: str) -> Iterator[Any]:
    for one in element:
        if local(one) == name:
            yield one
        elif local(one) in _AROUND:
            yield from _named(one, name)


def _number(element: Any, default: int) -> int:
    said = value(element)
    return min(int(said), MAX_SPAN) if said.isdecimal() and len(said) < 6 else default


def _hexadecimal(said: str) -> int:
    try:
        return int(said, 16)
    except ValueError:
        return 0
