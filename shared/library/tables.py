"""A table as a small data set, from its grid as it was printed."""

from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from shared.access import reading
from shared.domain.datasets import Dataset, DatasetColumn, DatasetRow
from shared.domain.knowledge import TableGrid
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.extraction.tables.rows import column_labels, columns_of, is_figure, width_of
from shared.runtime import Runtime
from shared.store import library
from shared.store.search import load_chunks
from shared.values.names import NO_HINT, read_label
from shared.values.numbers import Style, parse_number, style_of
from shared.values.quantities import NumberReading, find_quantities
from shared.values.unit_names import unit_name

EMPTY: Final = frozenset({"", "-", "–", "—", "n/a"})
# What may stand around the digits of a figure.
_AROUND: Final = " \u00a0$€£¥%*"


class _Number(NamedTuple):
    value: float
    unit: str | None


def read_dataset(runtime: Runtime, identity: Identity, chunk_id: UUID, after: int, limit: int) -> Dataset:
    """The table that the passage is, or is a row of: up to `limit` of its rows from behind row `after` (-1: the first).

    Raises NotFound, also for a passage that is in no table.
    """
    with reading(runtime, identity, snapshot=True) as connection:
        found = load_chunks(connection, [chunk_id]).get(chunk_id)
        if found is None:
            raise NotFound(f"There is no chunk {chunk_id}. Search again, and take a chunk_id of what is found.")
        stored = library.read_table(connection, chunk_id)
        if stored is None:
            raise NotFound(f"The passage {chunk_id} is in no table. Take the chunk_id of a table or of a row of one.")
        grid, chunks = stored
    texts = _columns(grid)
    columns, numbers = zip(*(_typed(label, cells) for label, cells in texts), strict=True) if texts else ((), ())
    total = len(grid.rows) - grid.header_rows
    first = max(0, after - grid.header_rows + 1)
    rows = [
        DatasetRow(
            row=at + grid.header_rows,
            chunk_id=chunks.get(at + grid.header_rows),
            cells=[
                _cell(column, cells[at], read[at])
                for column, (_, cells), read in zip(columns, texts, numbers, strict=True)
            ],
        )
        for at in range(first, min(total, first + limit))
    ]
    return Dataset(
        table_id=grid.id,
        document_id=found.document.id,
        document=found.document.name,
        version=found.version,
        caption=grid.caption,
        first_page=grid.first_page,
        last_page=grid.last_page,
        columns=[*columns],
        rows=rows,
        rows_in_all=total,
        rows_left=max(0, total - first - limit),
    )


def _columns(grid: TableGrid) -> list[tuple[str, list[str]]]:
    """Each column's label with its cells below the header; a cell over several rows or columns counts for each."""
    places = columns_of(grid.rows)
    texts = [[" ".join(cell.text.split()) for cell in row] for row in grid.rows]
    labels = column_labels(places, texts, grid.header_rows)
    filled = [[""] * width_of(grid.rows) for _ in grid.rows]
    for at, (row, extents) in enumerate(zip(grid.rows, places, strict=True)):
        for cell, extent, text in zip(row, extents, texts[at], strict=True):
            for below in range(at, min(len(filled), at + cell.row_span)):
                filled[below][extent.start : extent.end] = [text] * (extent.end - extent.start)
    body = filled[grid.header_rows :]
    return [
        (labels[column] if column < len(labels) else "", [row[column] for row in body])
        for column in range(width_of(grid.rows))
    ]


def _typed(label: str, cells: Sequence[str]) -> tuple[DatasetColumn, list[_Number | None]]:
    """The column, and its cells as numbers where all that are printed are numbers of one unit."""
    printed = [cell for cell in cells if cell.casefold() not in EMPTY]
    style = style_of([cell.strip(_AROUND) for cell in printed])
    read = [None if cell.casefold() in EMPTY else _number(cell, style) for cell in cells]
    numbers = [one for one in read if one is not None]
    units = {one.unit for one in numbers if one.unit}
    if not numbers or len(numbers) < len(printed) or len(units) > 1:
        return DatasetColumn(label=label, kind="text"), [None] * len(cells)
    hint = read_label(label)[1] if label else NO_HINT
    own = unit_name(hint.unit.code) if hint.unit else hint.currency
    return DatasetColumn(label=label, kind="number", unit=next(iter(units), own), scale=hint.scale), read


def _number(cell: str, style: Style) -> _Number | None:
    """One number, bare or with its unit; None for anything else, as for a range."""
    reading_as = NumberReading(style if style is not Style.UNKNOWN else Style.POINT)
    found = [*find_quantities(cell, reading_as, prose=False)]
    if len(found) == 1 and not cell[: found[0].start].strip() and not cell[found[0].end :].strip():
        quantity = found[0].quantity
        single = quantity.upper is None and quantity.tolerance is None and quantity.comparator == "="
        return _Number(quantity.number, unit_name(quantity.unit) if quantity.unit else None) if single else None
    if not is_figure(cell):
        return None
    plain = cell.strip(_AROUND)
    negative = plain.startswith(("(", "-", "−", "–"))
    value = parse_number(plain.strip("()-−–+").strip(_AROUND), reading_as.style)
    return None if value is None else _Number(-value if negative else value, "%" if "%" in cell else None)


def _cell(column: DatasetColumn, printed: str, read: _Number | None) -> str | float | None:
    if column.kind == "number":
        return read.value if read else None
    return printed or None
