"""A stage of a transformation: a query, and what its columns are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from shared.domain.datasets import NUMERIC, ColumnSource, ColumnType, DatasetColumn
from shared.errors import BadInput
from shared.lab.datasets.expressions import KINDS, Operand

SQL_TYPES: Final[dict[ColumnType, str]] = {
    "number": "DOUBLE",
    "quantity": "DOUBLE",
    "integer": "BIGINT",
    "text": "VARCHAR",
    "boolean": "BOOLEAN",
    "date": "DATE",
}
COLUMNS_MAX: Final = 500
# A source row is a number: its table's place among those of the run, its row, and a column (from 1) where it is known
# that only this one of several counts.
ROW_SHIFT: Final = 12
TABLE_SHIFT: Final = 36
COLUMN_MASK: Final = (1 << ROW_SHIFT) - 1


@dataclass(frozen=True)
class Column:
    """A column of a query, which calls it `name`; people call it `of.label`. `printed` is another column of the query:
    with how many decimals each number is printed, where these differ; below 0 where that is not known."""

    name: str
    of: DatasetColumn
    sources: frozenset[ColumnSource]
    printed: str | None = None

    @property
    def label(self) -> str:
        return self.of.label

    @property
    def is_number(self) -> bool:
        return self.of.type in NUMERIC

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of all that the query has of it, but lists of rows."""
        return (self.name, self.printed) if self.printed else (self.name,)

    def term(self) -> Operand:
        of = self.of
        return Operand(self.name, KINDS[of.type], of.unit, of.scale, self.sources, of.type == "integer")


@dataclass(frozen=True)
class Relation:
    """`sql` gives the columns by their names and three more: `o`, which orders the rows; `l`, the list of source rows;
    `n`, how many these are in truth; and the lists of fewer rows that columns have of their own (`row_lists.py`).
    `ordered`: the rows come in the order of `o` by themselves."""

    sql: str
    columns: tuple[Column, ...]
    ordered: bool = True

    def column(self, label: str) -> Column:
        """Raises BadInput that names the columns there are."""
        for one in self.columns:
            if one.label == label:
                return one
        known = ", ".join(repr(one.label) for one in self.columns[:12])
        raise BadInput(f"There is no column {label!r} at this step. There are {known}.")

    def number(self, label: str, what: str) -> Column:
        """The same, of numbers. Raises BadInput for another."""
        found = self.column(label)
        if not found.is_number:
            raise BadInput(f"{what} needs numbers, and {label!r} is of type {found.of.type}. Correct its type first.")
        return found

    def with_columns(self, sql: str, columns: Sequence[Column], ordered: bool | None = None) -> "Relation":
        """Raises BadInput for too many of them, and for two of one label."""
        if len(columns) > COLUMNS_MAX:
            raise BadInput(f"That makes more than {COLUMNS_MAX} columns. Select fewer first.")
        seen = set[str]()
        for one in columns:
            if one.label in seen:
                raise BadInput(f"There is a column {one.label!r} already. Give another name.")
            seen.add(one.label)
        return Relation(sql, tuple(columns), self.ordered if ordered is None else ordered)


def renamed(column: Column, label: str) -> Column:
    return replace(column, of=column.of.model_copy(update={"label": label}))


def free_label(wanted: str, taken: Sequence[str]) -> str:
    """`wanted`, with a number behind it where it is taken."""
    number, label = 1, wanted
    while label in taken:
        number += 1
        label = f"{wanted} ({number})"
    return label
