"""Lists of the source rows that cells are made of, which go through a query beside its columns.

All columns share one, of what their row is made of. Where a cell is made of fewer rows (of a pivot, a join, a melting)
its column has another, a struct of the list and of how many rows there are in truth.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from shared.domain.datasets import ALL_ROWS, LINEAGE_MAX
from shared.lab.datasets.relations import COLUMN_MASK, Column

_NO_ROWS: Final = "cast([] as bigint[])"


def row_lists(columns: Iterable[Column]) -> list[str]:
    """The lists of source rows that columns have besides that of the whole row."""
    return sorted({source.rows for one in columns for source in one.sources} - {ALL_ROWS})


def parts_of(rows: str) -> tuple[str, str]:
    """The list of source rows and their number."""
    return ("l", "n") if rows == ALL_ROWS else (f"{rows}.l", f"{rows}.n")


def of_rows(column: Column, lists: Mapping[str, str]) -> Column:
    """The column, made of the rows in other lists where `lists` names them."""
    return replace(
        column, sources=frozenset(one._replace(rows=lists.get(one.rows, one.rows)) for one in column.sources)
    )


def carried(columns: Sequence[Column]) -> str:
    """All that a query has of them, their lists of rows too, each once."""
    return ", ".join(dict.fromkeys([*row_lists(columns), *parts_named(columns)]))


def parts_named(columns: Iterable[Column]) -> list[str]:
    return [part for one in columns for part in one.parts]


def rows_of(numbers: str, count: str) -> str:
    return f"struct_pack(l := coalesce({numbers}, {_NO_ROWS}), n := coalesce({count}, 0))"


def gathered(rows: str, where: str | None = None) -> tuple[str, str]:
    """The source rows of a group in the order of its rows, and their number; `where`: of some of its rows."""
    numbers, count = parts_of(rows)
    some = f" filter (where {where})" if where else ""
    listed = f"list_slice(flatten(list({numbers} order by o){some}), 1, {LINEAGE_MAX})"
    return listed, f"cast(sum({count}){some} as bigint)"


def gather(rows: str, where: str | None = None) -> str:
    return rows_of(*gathered(rows, where))


def marked(one: Column) -> str:
    """The source rows of a melted column, each with the place of its column, for which alone it counts from then on."""
    places = sorted({(source.rows, source.column + 1) for source in one.sources})
    lists = [
        f"list_transform(list_filter({parts_of(rows)[0]}, lambda x: x & {COLUMN_MASK} in (0, {place})), "
        f"lambda x: x - (x & {COLUMN_MASK}) + {place})"
        for rows, place in places
    ]
    counts = [parts_of(rows)[1] for rows in sorted({rows for rows, _ in places})]
    listed = f"list_slice(flatten([{', '.join(lists)}]), 1, {LINEAGE_MAX})" if lists else _NO_ROWS
    return rows_of(listed, " + ".join(counts) or "0")
