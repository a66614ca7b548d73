"""A table of a document as a dataset would have it, from its grid as it was printed."""

from uuid import UUID

from shared.access import reading
from shared.domain.datasets import TableWindow, WindowRow
from shared.domain.knowledge import TableGrid
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.extraction.tables.rows import column_labels, columns_of, width_of
from shared.library.kept_rows import read_block
from shared.library.table_columns import are_mixed, infer_column, printed_decimals, read_distinct, with_decimals
from shared.runtime import Runtime
from shared.store import library
from shared.store.search import load_chunks
from shared.values.grids import tidy


def read_table_window(runtime: Runtime, identity: Identity, chunk_id: UUID, after: int, limit: int) -> TableWindow:
    """The table that the passage is, or is a row of: up to `limit` of its rows from behind row `after` (-1: the first).
    A column has a type where every cell reads so: nothing that is printed is left out.

    Raises NotFound, also for a passage that is in no table.
    """
    with reading(runtime, identity, snapshot=True) as connection:
        found = load_chunks(connection, [chunk_id]).get(chunk_id)
        if found is None:
            raise NotFound(f"There is no chunk {chunk_id}. Search again, and take a chunk_id of what is found.")
        stored = library.read_table(connection, chunk_id)
        if stored is None:
            raise NotFound(f"The passage {chunk_id} is in no table. Take the chunk_id of a table or of a row of one.")
        grid, chunks, row = stored
    labels, texts = texts_of(grid)
    if (block := read_block(runtime.blobs, row)) is not None:
        texts = [[*cells, *map(tidy, kept)] for cells, kept in zip(texts, block.texts, strict=True)]
    columns = [infer_column(label, cells) for label, cells in zip(labels, texts, strict=True)]
    known = [read_distinct(column, cells) for column, cells in zip(columns, texts, strict=True)]
    printed = [dict(zip(read, printed_decimals(read), strict=True)) for read in known]
    columns = [with_decimals(column, found.values()) for column, found in zip(columns, printed, strict=True)]
    values = [[read[cell] for cell in cells] for read, cells in zip(known, texts, strict=True)]
    formulas = _formulas_of(grid)
    total = len(grid.rows) - grid.header_rows + (len(block.numbers) if block else 0)
    first = max(0, after - grid.header_rows + 1)
    told = range(first, min(total, first + limit))
    rows = [
        WindowRow(
            row=at + grid.header_rows,
            chunk_id=chunks.get(at + grid.header_rows),
            cells=[cells[at] for cells in values],
            formulas=formulas.get(at + grid.header_rows),
        )
        for at in told
    ]
    return TableWindow(
        table_id=grid.id,
        document_id=found.document.id,
        document=found.document.name,
        version=found.version,
        caption=grid.caption,
        first_page=grid.first_page,
        last_page=grid.last_page,
        columns=columns,
        rows=rows,
        decimals={
            column.label: [found[cells[at]] if found[cells[at]] >= 0 else None for at in told]
            for column, found, cells in zip(columns, printed, texts, strict=True)
            if are_mixed(found.values())
        },
        rows_in_all=total,
        rows_left=max(0, total - first - limit),
    )


def _formulas_of(grid: TableGrid) -> dict[int, list[str | None]]:
    """By row, those of its columns' cells; a cell over several columns has its formula in the first."""
    found: dict[int, list[str | None]] = {}
    width = width_of(grid.rows)
    for at, (row, extents) in enumerate(zip(grid.rows, columns_of(grid.rows), strict=True)):
        for cell, extent in zip(row, extents, strict=True):
            if cell.formula is not None:
                if at not in found:
                    found[at] = [None] * width
                found[at][extent.start] = cell.formula
    return found


def texts_of(grid: TableGrid) -> tuple[list[str], list[list[str]]]:
    """Each column's label, and its cells below the header; a cell over several rows or columns counts for each."""
    places = columns_of(grid.rows)
    texts = [[" ".join(cell.text.split()) for cell in row] for row in grid.rows]
    labels = column_labels(places, texts, grid.header_rows)
    width = width_of(grid.rows)
    filled = [[""] * width for _ in grid.rows]
    for at, (row, extents) in enumerate(zip(grid.rows, places, strict=True)):
        for cell, extent, text in zip(row, extents, texts[at], strict=True):
            for below in range(at, min(len(filled), at + cell.row_span)):
                filled[below][extent.start : extent.end] = [text] * (extent.end - extent.start)
    body = filled[grid.header_rows :]
    return (
        [labels[column] if column < len(labels) else "" for column in range(width)],
        [[row[column] for row in body] for column in range(width)],
    )
