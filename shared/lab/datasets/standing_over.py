"""What is printed once over several rows, as a cell of each of them that leads to where it is printed."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from shared.domain.datasets import ColumnSource, DatasetColumn
from shared.domain.transforms import LabelsStep
from shared.lab.datasets.expressions import Bind
from shared.lab.datasets.labels import WITHIN
from shared.lab.datasets.relations import COLUMN_MASK, TABLE_SHIFT, Column, Relation
from shared.lab.datasets.row_lists import of_rows, parts_named, parts_of, row_lists, rows_of

# The columns that every relation has besides those of people.
_OWN = "o, l, n"


def labelled(before: Relation, step: LabelsStep, tables: Sequence[str], bind: Bind, names: tuple[str, str]) -> Relation:
    """With the labels over each row, of the tables `labels` and `label_rows` (`Loader.label`); `names` are those of the
    column and of the list of the labels' rows, in whose first column they stand."""
    name, rows = names
    of = DatasetColumn(label=step.name, type="text")
    made = Column(name, of, frozenset({ColumnSource(frozenset(tables), 0, rows)}))
    # A row that is made of several stands below no label of its own.
    row = f"case when b.n = 1 and len(b.l) = 1 then b.l[1] - (b.l[1] & {COLUMN_MASK}) end"
    over = (
        f"select below, string_agg(said, {bind(WITHIN)} order by depth) as said, list(place order by depth) as places "
        "from labels group by below"
    )
    sql = (
        f"select b.*, g.said as {name}, {rows_of('g.places', 'len(g.places)')} as {rows} "
        f"from ({before.sql}) b left join ({over}) g on g.below = {row}"
    )
    if step.drop:
        sql += f" where coalesce({row} not in (select label from label_rows), true)"
    return before.with_columns(sql, [*before.columns, made], ordered=False)


def filled(before: Relation, column: Column, tables: str, name: Callable[[], str]) -> Relation:
    """With what stands above in the same printed table where `column` is empty. `tables` is bound to the number of the
    printed table that each table of the run is a part of; what is made of several rows stands in none."""
    new = name()
    empty = f"{column.name} is null" if column.of.type != "text" else f"coalesce({column.name}, '') = ''"
    table = f"list_extract(cast({tables} as bigint[]), (l[1] >> {TABLE_SHIFT}) + 1)"
    window = f"(partition by n = 1, {table} order by o rows unbounded preceding)"

    def above(value: str) -> str:
        some = f"case when not ({empty}) then {value} end"
        last = f"last_value({some} ignore nulls) over {window}"
        return f"case when n = 1 then coalesce({last}, {value}) else {value} end"

    own = {rows: name() for rows in {source.rows for source in column.sources}}
    lists = [f"{above(rows_of(*parts_of(rows)))} as {of}" for rows, of in own.items()]
    printed = name() if column.printed else None
    made = [f"{above(part)} as {of}" for part, of in zip(column.parts, filter(None, (new, printed)), strict=True)]
    columns = [
        of_rows(replace(column, name=new, printed=printed), own) if one is column else one for one in before.columns
    ]
    kept = [*row_lists(before.columns), *parts_named(one for one in before.columns if one is not column)]
    listed = ", ".join(dict.fromkeys([_OWN, *kept, *lists, *made]))
    return before.with_columns(f"select {listed} from ({before.sql})", columns, ordered=False)
