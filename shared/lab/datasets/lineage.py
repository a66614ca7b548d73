"""From a cell of a result to the printed cells that it is made of."""

from collections.abc import Sequence
from uuid import UUID

from shared.access import reading
from shared.domain.datasets import CellSources, SourceCell, SourcesRequest
from shared.domain.knowledge import TableCell
from shared.domain.scope import Identity
from shared.errors import BadInput, NotFound
from shared.extraction.tables.rows import columns_of
from shared.lab.datasets.running import run_dataset
from shared.library.kept_rows import read_block
from shared.ports import BlobStore
from shared.runtime import Runtime
from shared.store import datasets as rows
from shared.store.connect import Connection, Row

CELLS_MAX = 1_000


def resolve_cells(runtime: Runtime, identity: Identity, cells: Sequence[str]) -> list[SourceCell]:
    """Printed cells by their ids (`table:row:column`), in that order; those that may not be read are left out.

    Raises BadInput for what is no such id, and for more than CELLS_MAX.
    """
    if len(cells) > CELLS_MAX:
        raise BadInput(f"Ask for {CELLS_MAX} cells at most.")
    with reading(runtime, identity, snapshot=True) as connection:
        return cells_within(connection, runtime.blobs, cells)


def cells_within(connection: Connection, blobs: BlobStore, cells: Sequence[str]) -> list[SourceCell]:
    """As `resolve_cells`, in the open scope and of any number."""
    wanted = {cell: _parsed(cell) for cell in cells}
    places = [*dict.fromkeys((table, row) for table, row, _ in wanted.values())]
    found = rows.rows_of_tables(connection, places)
    tables = {row["table_id"]: row for row in found}
    grids = {table: _placed(row) | _kept(blobs, row) for table, row in tables.items()}
    resolved: list[SourceCell] = []
    for cell, (table, row, column) in wanted.items():
        printed = grids.get(table, {}).get((row, column))
        if printed is not None:
            resolved.append(_source(cell, tables[table], row, column, printed))
    return resolved


def sources_of(runtime: Runtime, identity: Identity, dataset_id: UUID, wanted: SourcesRequest) -> CellSources:
    """What a cell of a dataset is made of. Raises NotFound, also for a row or column that there is not."""
    who = (runtime, identity, dataset_id)
    found = run_dataset(*who, instead=wanted.steps, revision=wanted.revision, offset=wanted.row, limit=1)
    if not found.rows or wanted.column >= len(found.columns):
        raise NotFound(f"There is no cell in row {wanted.row}, column {wanted.column}. Both count from 0.")
    cells = found.cells(0, wanted.column)[:CELLS_MAX]
    return CellSources(
        label=found.columns[wanted.column].label,
        value=found.rows[0][wanted.column],
        rows=found.count_rows(0, wanted.column),
        cells=resolve_cells(runtime, identity, cells),
    )


def _source(cell: str, stored: Row, row: int, column: int, printed: TableCell) -> SourceCell:
    box = printed.boxes[0] if printed.boxes else None
    return SourceCell(
        id=cell,
        table_id=stored["table_id"],
        row=row,
        column=column,
        text=printed.text,
        chunk_id=stored["chunks"].get(str(row)),
        document_id=stored["document_id"],
        knowledge_base_id=stored["knowledge_base_id"],
        document=stored["document"],
        version=stored["version"],
        page=box.page if box else stored["first_page"],
        box=box,
    )


def _parsed(cell: str) -> tuple[UUID, int, int]:
    table, _, place = cell.partition(":")
    row, _, column = place.partition(":")
    try:
        if len(row) > 7 or len(column) > 4 or not (row + column).isascii():
            raise ValueError(cell)
        return UUID(table), int(row), int(column)
    except ValueError:
        raise BadInput(f"{cell!r} names no cell. Take one of a dataset's rows: `table:row:column`.") from None


def _placed(stored: Row) -> dict[tuple[int, int], TableCell]:
    """The wanted rows' cells by row and column; a cell over several of them at each."""
    grid = [[TableCell.model_validate(cell) for cell in row] for row in stored["grid"]]
    wanted = set(stored["wanted"])
    found: dict[tuple[int, int], TableCell] = {}
    for at, (row, extents) in enumerate(zip(grid, columns_of(grid), strict=True)):
        for cell, extent in zip(row, extents, strict=True):
            for below in wanted.intersection(range(at, at + cell.row_span)):
                found |= dict.fromkeys(((below, column) for column in range(*extent)), cell)
    return found


def _kept(blobs: BlobStore, stored: Row) -> dict[tuple[int, int], TableCell]:
    """The same of rows that are kept beside the document; a cell without text has no place."""
    first = len(stored["grid"])
    wanted = [row for row in stored["wanted"] if row >= first]
    block = read_block(blobs, stored) if wanted else None
    if block is None:
        return {}
    return {
        (row, column): TableCell(text=text, boxes=[block.box(row - first, column, stored["first_page"])])
        for row in wanted
        if row - first < len(block.numbers)
        for column, text in enumerate(block.row(row - first))
        if text
    }
