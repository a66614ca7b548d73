"""A typed table as a block."""

from collections.abc import Callable, Sequence

from shared.readers.blocks import CellBlock, GridBlock, PlacedLine
from shared.readers.typed.lines import TypedSpan, TypedTable


def grid_of(
    table: TypedTable, placed: Callable[[TypedSpan], PlacedLine], caption: Sequence[PlacedLine] = ()
) -> GridBlock:
    """`placed` gives the text and the place of a part of a cell."""
    rows = [[CellBlock([*map(placed, cell.spans)], cell.row_span, cell.col_span) for cell in row] for row in table.rows]
    return GridBlock(rows, table.header_rows, caption)
