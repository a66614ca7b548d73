"""Labels that stand over groups of a table's rows ("Dev", "Test"), each alone in a row of its own: which rows they are
over, as chunks have it in their context (docs/decisions/0091-what-a-row-belongs-to.md)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from shared.domain.geometry import PageBox, SheetBox
from shared.domain.knowledge import TableCell
from shared.extraction.tables.groups import Groups, indent_of
from shared.extraction.tables.rows import columns_of, is_label, width_of
from shared.store import datasets as rows
from shared.store.connect import Connection, Row

TABLES_AT_ONCE: Final = 200
# Between labels of groups within groups, from the outermost.
WITHIN: Final = " › "


@dataclass(frozen=True)
class LabelledRow:
    """A row by its table and its place there, header rows counted, with the labels over it from the outermost: the
    table, row and text of each. `is_label`: it is a label itself; `is_sure` where it stands on a page or over several
    columns: elsewhere it may be a record whose values are missing."""

    table: UUID
    row: int
    labels: tuple[tuple[UUID, int, str], ...]
    is_label: bool
    is_sure: bool


def read_labels(connection: Connection, tables: Sequence[UUID]) -> Iterator[LabelledRow]:
    """Of the tables' bodies, in order. Groups go on from one table to the next of a sheet that is stored in several."""
    reader = _Reader()
    for at in range(0, len(tables), TABLES_AT_ONCE):
        for stored in rows.grids_of_tables(connection, tables[at : at + TABLES_AT_ONCE]):
            yield from reader.read(stored)


def has_groups(found: Sequence[LabelledRow]) -> bool:
    """Whether they are sure to be groups: two labels or more, each over two rows at least. One row below one of a
    single cell is rather a name in two lines."""
    over = Counter(label[:2] for one in found if not one.is_label for label in one.labels[:1])
    outer = [one for one in found if one.is_label and not one.labels]
    return len(outer) > 1 and all(one.is_sure and over[one.table, one.row] > 1 for one in outer)


class _Reader:
    def __init__(self) -> None:
        self._sheet: tuple[UUID, str] | None = None
        self._begin()

    def _begin(self) -> None:
        self._groups = Groups()
        self._entered: list[tuple[UUID, int, str]] = []

    def read(self, stored: Row) -> Iterator[LabelledRow]:
        grid = [[TableCell.model_validate(cell) for cell in row] for row in stored["grid"]]
        sheet = _sheet_of(stored, grid)
        if sheet is None or sheet != self._sheet:
            self._begin()
        self._sheet = sheet
        width, places = width_of(grid), columns_of(grid)
        for at in range(stored["header_rows"], len(grid)):
            cells = grid[at] if places[at] and places[at][0].start == 0 else []
            texts = [" ".join(cell.text.split()) for cell in cells]
            label, first = is_label(texts, width), texts[0] if texts else ""
            boxes = cells[0].boxes if cells else []
            over = self._groups.enter_at(first, indent_of(first, boxes), label)
            self._entered.append((stored["id"], at, first))
            labels = tuple(self._entered[one] for one in over)
            sure = label and (cells[0].col_span > 1 or any(isinstance(box, PageBox) for box in boxes))
            yield LabelledRow(stored["id"], at, labels, label, sure)


def _sheet_of(stored: Row, grid: Sequence[Sequence[TableCell]]) -> tuple[UUID, str] | None:
    box = next((box for row in grid for cell in row for box in cell.boxes), None)
    return (stored["document_id"], box.sheet) if isinstance(box, SheetBox) else None
