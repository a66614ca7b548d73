"""Compiles declared steps to SQL. Every name in it is ours, every value of a step is bound."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import singledispatchmethod
from itertools import count
from typing import Any, Final, NamedTuple
from uuid import UUID

from shared.domain.datasets import ALL_ROWS, LINEAGE_MAX, ColumnSource, ColumnType, DatasetColumn
from shared.domain.transforms import (
    Aggregate,
    ConvertStep,
    DeriveStep,
    DistinctStep,
    FillStep,
    FilterStep,
    GroupStep,
    JoinStep,
    LabelsStep,
    LimitStep,
    LogStep,
    MeltStep,
    OriginStep,
    PivotStep,
    RenameStep,
    SelectStep,
    ShareStep,
    SortStep,
    SpreadStep,
    StackStep,
    StandardiseStep,
    Step,
)
from shared.errors import BadInput
from shared.lab.datasets import checks, stacking
from shared.lab.datasets.aggregating import Aggregated, aggregate, keyed
from shared.lab.datasets.checks import StepCheck
from shared.lab.datasets.expression_functions import finite
from shared.lab.datasets.expressions import KINDS, Bind, Operand, read_expression
from shared.lab.datasets.relations import COLUMN_MASK, TABLE_SHIFT, Column, Relation, free_label, renamed
from shared.lab.datasets.row_lists import (
    carried,
    gather,
    gathered,
    marked,
    of_rows,
    parts_named,
    parts_of,
    row_lists,
    rows_of,
)
from shared.lab.datasets.standing_over import filled, labelled
from shared.lab.datasets.unit_arithmetic import difference_unit, is_offset
from shared.library.table_columns import UNEVEN
from shared.values.measures import read_measure
from shared.values.units import Unit, ucum_unit, whole_unit

PIVOTED_MAX: Final = 100
HIDDEN: Final = "o, l, n"


class Others(NamedTuple):
    """What steps need besides: another dataset with its name; the rows of a query; document and version of each table
    of the run, by its place; its tables' ids, once the labels over their rows are there (`Loader.label`); the number of
    the printed table that each is a part of; a table of the spreads behind a column's numbers (`Loader.spread`)."""

    load: Callable[[UUID], tuple[str, Relation]]
    ask: Callable[[str, Mapping[str, object]], Sequence[Sequence[object]]]
    origins: Callable[[], Sequence[tuple[str, str]]]
    labels: Callable[[], Sequence[str]]
    printed: Callable[[], Sequence[int]]
    spreads: Callable[[DatasetColumn, ColumnSource], str]


class Compiler:
    """One for a run: the names of columns and of bound values are never used twice in it."""

    def __init__(self, others: Others) -> None:
        self.bind = Bind()
        self._names = (f"c{number}" for number in count())
        self._others = others
        self._within: list[int] = []
        self.checks: list[StepCheck] = []

    def name(self) -> str:
        return next(self._names)

    def apply(self, relation: Relation, steps: Sequence[Step]) -> Relation:
        """Raises BadInput that says which step does not fit, and why."""
        for number, step in enumerate(steps, 1):
            self._within.append(number)
            try:
                relation = self._apply(step, relation)
            except BadInput as wrong:
                raise BadInput(f"Step {number} ({step.op}): {wrong}") from None
            finally:
                self._within.pop()
        return relation

    def _check(self, sql: str, say: Callable[[Sequence[Any]], checks.Said]) -> None:
        """Of its own steps, and none of those of a dataset that they join."""
        if len(self._within) == 1:
            self.checks.append(StepCheck(self._within[0], sql, say))

    @singledispatchmethod
    def _apply(self, step: Step, before: Relation) -> Relation:
        raise TypeError(f"{step} is no step")

    @_apply.register
    def _(self, step: FilterStep, before: Relation) -> Relation:
        term = self._expression(step.where, before)
        if term.kind != "boolean":
            raise BadInput("It needs something that is true or false, such as `[Year] >= 2020`.")
        return before.with_columns(f"select * from ({before.sql}) where {term.sql}", before.columns)

    @_apply.register
    def _(self, step: SelectStep, before: Relation) -> Relation:
        chosen = [before.column(label) for label in step.columns]
        return before.with_columns(f"select {HIDDEN}, {carried(chosen)} from ({before.sql})", chosen)

    @_apply.register
    def _(self, step: RenameStep, before: Relation) -> Relation:
        column = before.column(step.column)
        return before.with_columns(
            before.sql, [renamed(one, step.name) if one is column else one for one in before.columns]
        )

    @_apply.register
    def _(self, step: DeriveStep, before: Relation) -> Relation:
        term = self._expression(step.expression, before)
        unit = term.unit if step.unit is None else _said_unit(step.unit, term)
        kinds: dict[str, ColumnType] = {"text": "text", "boolean": "boolean", "date": "date"}
        number: ColumnType = "quantity" if unit else "integer" if term.whole and term.scale == 1 else "number"
        kind = kinds.get(term.kind, number)
        made = DatasetColumn(label=step.name, type=kind, unit=unit, scale=term.scale, formula=step.expression)
        return self._added(before, made, term.sql, term.sources)

    @_apply.register
    def _(self, step: OriginStep, before: Relation) -> Relation:
        origins = self._others.origins()
        for at, label in enumerate((step.document, step.version)):
            names = f"cast({self.bind([origin[at] for origin in origins])} as varchar[])"
            # Of each source row the name of its table's document; one for all of them, or none.
            said = f"list_distinct(list_transform(l, lambda x: list_extract({names}, (x >> {TABLE_SHIFT}) + 1)))"
            sql = f"case when len({said}) = 1 and len(l) = n then {said}[1] end"
            before = self._added(before, DatasetColumn(label=label, type="text"), sql, frozenset())
        return before

    @_apply.register
    def _(self, step: LabelsStep, before: Relation) -> Relation:
        names = (self.name(), self.name())
        return labelled(before, step, self._others.labels(), self.bind, names)

    @_apply.register
    def _(self, step: FillStep, before: Relation) -> Relation:
        column = before.column(step.column)
        return filled(before, column, self.bind(self._others.printed()), self.name)

    @_apply.register
    def _(self, step: LogStep, before: Relation) -> Relation:
        column = before.number(step.column, "A logarithm")
        name = {"10": "log10", "2": "log2", "e": "ln"}[step.base]
        scale = column.of.scale
        sql = f"{name}(cast({column.name} as double) * {self.bind(scale)})"
        formula = f"{name}({_shown(column)}{'' if scale == 1 else f' × {scale:.12g}'})"
        made = DatasetColumn(label=step.name or f"{name}({column.label})", type="number", formula=formula)
        return self._added(before, made, sql, column.sources)

    @_apply.register
    def _(self, step: StandardiseStep, before: Relation) -> Relation:
        column = before.number(step.column, "Standardising")
        sql = (
            f"({column.name} - avg({column.name}) over ()) "
            f"/ nullif(stddev_samp(cast({column.name} as double)) over (), 0)"
        )
        made = DatasetColumn(
            label=step.name or f"z({column.label})",
            type="number",
            formula=f"({column.label} − mean) / standard deviation",
        )
        return self._added(replace(before, ordered=False), made, sql, column.sources)

    @_apply.register
    def _(self, step: ShareStep, before: Relation) -> Relation:
        column = before.number(step.column, "A share")
        if is_offset(column.of.unit):
            raise BadInput(f"{column.label!r} is in {column.of.unit}, of which there is no total.")
        by = [before.column(label) for label in step.by]
        over = f"partition by {', '.join(one.name for one in by)}" if by else ""
        of_each = f" of each {', '.join(one.label for one in by)}" if by else ""
        sql = f"cast({column.name} as double) * 100 / nullif(sum({column.name}) over ({over}), 0)"
        label = step.name or f"share of {column.label}"
        formula = f"{_shown(column)} / total{of_each}"
        made = DatasetColumn(label=label, type="quantity", unit="%", formula=formula)
        return self._added(replace(before, ordered=False), made, sql, column.sources)

    @_apply.register
    def _(self, step: SpreadStep, before: Relation) -> Relation:
        column = before.number(step.column, "A spread")
        source = next(iter(column.sources), None)
        if source is None or len(column.sources) > 1 or source.rows != ALL_ROWS or column.of.formula:
            raise BadInput(f"{column.label!r} is computed. Read the spread of a printed column, as the first step.")
        spreads, name = self._others.spreads(column.of, source), self.name()
        unit, scale = difference_unit(column.of.unit, column.of.scale)
        made = DatasetColumn(
            label=step.name or f"spread of {column.label}", type=column.of.type, unit=unit, scale=scale,
            formula=f"what is printed behind {_shown(column)}",
        )  # fmt: skip
        kind = "number" if made.type == "integer" else made.type
        row = f"case when b.n = 1 and len(b.l) = 1 then b.l[1] - (b.l[1] & {COLUMN_MASK}) end"
        sql = f"select b.*, g.spread as {name} from ({before.sql}) b left join {spreads} g on g.place = {row}"
        columns = [*before.columns, Column(name, made.model_copy(update={"type": kind}), column.sources)]
        return before.with_columns(sql, columns, ordered=False)

    @_apply.register
    def _(self, step: DistinctStep, before: Relation) -> Relation:
        by = [before.column(label) for label in step.columns] or [*before.columns]
        gathered, lists = self._gathered(by)
        keys = ", ".join(one.name for one in by)
        sql = f"select min(o) as o, {', '.join([*gathered, *keyed(by)])} from ({before.sql}) group by {keys}"
        return before.with_columns(sql, [of_rows(one, lists) for one in by], ordered=False)

    @_apply.register
    def _(self, step: ConvertStep, before: Relation) -> Relation:
        column = before.number(step.column, "Converting")
        source, target, conversion = _units(column, step.unit)
        factor, added = (float(f"{one:.12g}") for one in conversion)
        shift = "" if not added else f" + {added:g}" if added > 0 else f" − {-added:g}"
        made = DatasetColumn(
            label=step.name or column.label,
            type="quantity",
            unit=target.code,
            scale=1.0 if source.offset or target.offset else column.of.scale,
            confidence=column.of.confidence,
            formula=f"{_shown(column)} × {factor:.12g}{shift} ({source.code} → {target.code})",
        )
        printed = f"({column.name} * {self.bind(column.of.scale)})" if made.scale != column.of.scale else column.name
        sql = f"cast({printed} as double) * {self.bind(factor)} + {self.bind(added)}"
        if step.name:
            return self._added(before, made, sql, column.sources)
        return self._replaced(before, column, made, sql)

    @_apply.register
    def _(self, step: SortStep, before: Relation) -> Relation:
        column = before.column(step.column)
        way = "desc" if step.descending else "asc"
        sql = (
            f"select row_number() over (order by {column.name} {way} nulls last, o) as o, l, n, "
            f"{carried(before.columns)} from ({before.sql})"
        )
        return before.with_columns(sql, before.columns, ordered=False)

    @_apply.register
    def _(self, step: LimitStep, before: Relation) -> Relation:
        ordered = "" if before.ordered else "order by o "
        sql = f"select * from ({before.sql}) {ordered}limit {self.bind(step.rows)}"
        return before.with_columns(sql, before.columns)

    @_apply.register
    def _(self, step: GroupStep, before: Relation) -> Relation:
        by = [before.column(label) for label in step.by]
        made = [self._made(aggregate(one, before)) for one in step.aggregates]
        columns = [*by, *(column for column, _ in made)]
        gathered, lists = self._gathered(columns)
        keys = [one.name for one in by]
        parts = [*gathered, *keyed(by), *(part for _, parts in made for part in parts)]
        # Without rows there is no group: a mean of nothing is no row.
        grouped = f"group by {', '.join(keys)}" if keys else "having count(*) > 0"
        sql = f"select min(o) as o, {', '.join(parts)} from ({before.sql}) {grouped}"
        return before.with_columns(sql, [of_rows(one, lists) for one in columns], ordered=False)

    @_apply.register
    def _(self, step: PivotStep, before: Relation) -> Relation:
        index = [before.column(label) for label in step.index]
        column, value = before.column(step.column), before.column(step.value)
        wanted = Aggregate(function=step.function, column=step.value)
        found = self._others.ask(
            f"select {column.name} as v, cast({column.name} as varchar) as said from ({before.sql}) "
            f"group by {column.name} order by min(o) limit {PIVOTED_MAX + 1}",
            self.bind.values,
        )
        if len(found) > PIVOTED_MAX:
            raise BadInput(f"{column.label!r} has more than {PIVOTED_MAX} values: that many columns are not made.")
        if step.function == "first":
            self._check(*checks.pivoted(step, before.sql, index, column, value))
        gathered, lists = self._gathered(index)
        columns, parts = [of_rows(one, lists) for one in index], gathered
        for one, said in found:
            same = f"{column.name} is not distinct from {self.bind(one)}"
            operand = f"case when {same} then {value.name} end"
            # The first of them, not of all rows; a standard error is a function of two aggregates, which has no filter.
            only = f" filter (where {same})" if step.function == "first" else ""
            made, own_parts = self._made(aggregate(wanted, before, operand), only)
            label = free_label("(missing)" if said is None else str(said) or "(empty)", [c.label for c in columns])
            made = replace(made, of=made.of.model_copy(update={"label": label, "formula": None}))
            parts += own_parts
            own = {rows: self.name() for rows in {source.rows for source in made.sources}}
            parts += [f"{gather(rows, same)} as {new}" for rows, new in own.items()]
            columns.append(of_rows(made, own))
        keys = ", ".join(one.name for one in index)
        sql = f"select min(o) as o, {', '.join([*parts, *keyed(index)])} from ({before.sql}) group by {keys}"
        return before.with_columns(sql, columns, ordered=False)

    @_apply.register
    def _(self, step: MeltStep, before: Relation) -> Relation:
        melted = [before.column(label) for label in step.columns]
        if len(set(step.columns)) < len(step.columns):
            raise BadInput("A column is named twice: each of its cells would be counted twice. Name it once.")
        kept = [one for one in before.columns if one not in melted]
        name, value, rows = self.name(), self.name(), self.name()
        numbers = all(one.is_number for one in melted)
        alike = numbers or len({one.of.type for one in melted}) == 1
        kind = (melted[0].of.type if len({one.of.type for one in melted}) == 1 else "number") if alike else "text"
        measures = {(one.of.unit, one.of.scale) for one in melted}
        if numbers and len(measures) > 1:
            raise BadInput("The columns have different units. Convert them to one first.")
        unit, scale = next(iter(measures)) if numbers else (None, 1.0)
        decimals = [one.printed or str(UNEVEN if one.of.decimals is None else one.of.decimals) for one in melted]
        common = {one.of.decimals for one in melted}
        printed = self.name() if numbers and (len(common) > 1 or any(one.printed for one in melted)) else None
        cast = "varchar" if kind == "text" else "double" if kind == "number" else None
        others = f"l, n, {carried(kept)}, " if kept else "l, n, "
        parts = [
            f"select o * {len(melted)} + {at} as o, {others}{marked(one)} as {rows}, "
            f"cast({self.bind(one.label)} as varchar) as {name}, "
            f"{f'cast({one.name} as {cast})' if cast else one.name} as {value}"
            f"{f', cast({decimals[at]} as tinyint) as {printed}' if printed else ''} from ({before.sql})"
            for at, one in enumerate(melted)
        ]
        sources = frozenset(source._replace(rows=rows) for one in melted for source in one.sources)
        of = DatasetColumn(
            label=step.value, type=kind, unit=unit, scale=scale, decimals=common.pop() if len(common) == 1 else None
        )
        columns = [
            *kept,
            Column(name, DatasetColumn(label=step.name, type="text"), frozenset()),
            Column(value, of, sources, printed),
        ]
        return before.with_columns(" union all ".join(parts), columns, ordered=False)

    @_apply.register
    def _(self, step: JoinStep, before: Relation) -> Relation:
        title, other = self._others.load(step.dataset_id)
        pairs = [(before.column(key.left), other.column(key.right)) for key in step.on]
        for left, right in pairs:
            if KINDS[left.of.type] != KINDS[right.of.type]:
                what = f"{left.label!r} is of type {left.of.type}, {right.label!r} of type {right.of.type}"
                raise BadInput(f"{what}: columns that are joined have to be of one type.")
            if left.is_number and (left.of.unit, left.of.scale) != (right.of.unit, right.of.scale):
                raise BadInput(f"{left.label!r} and {right.label!r} have different units. Convert one first.")
        here, there = self.name(), self.name()
        ours, theirs = row_lists(before.columns), row_lists(other.columns)
        columns = [of_rows(one, {ALL_ROWS: here}) for one in before.columns]
        joined = [one for one in other.columns if one not in [right for _, right in pairs]]
        for one in joined:
            taken = [column.label for column in columns]
            label = one.label if one.label not in taken else free_label(f"{one.label} ({title})", taken)
            columns.append(renamed(of_rows(one, {ALL_ROWS: there}), label))
        condition = " and ".join(f"a.{left.name} = b.{right.name}" for left, right in pairs)
        self._check(*checks.joined(step, title, before.sql, other.sql, condition))
        # Of a left join's rows without another the other's lists are empty.
        lists = [f"a.{one}" for one in ours] + [f"{rows_of(f'b.{one}.l', f'b.{one}.n')} as {one}" for one in theirs]
        names = [f"a.{one}" for one in parts_named(before.columns)] + [f"b.{one}" for one in parts_named(joined)]
        sql = (
            f"select row_number() over (order by a.o, b.o) as o, "
            f"list_slice(list_concat(a.l, b.l), 1, {LINEAGE_MAX}) as l, a.n + coalesce(b.n, 0) as n, "
            f"{rows_of('a.l', 'a.n')} as {here}, {rows_of('b.l', 'b.n')} as {there}, {', '.join([*lists, *names])} "
            f"from ({before.sql}) a {step.how} join ({other.sql}) b on {condition}"
        )
        return before.with_columns(sql, columns, ordered=False)

    @_apply.register
    def _(self, step: StackStep, before: Relation) -> Relation:
        title, other = self._others.load(step.dataset_id)
        pairs = stacking.paired(before, other, step.columns)
        self._check(stacking.counts_of(before, other), stacking.told(pairs, title))
        return stacking.stacked(before, other, pairs, title, self.bind, self.name)

    def _expression(self, text: str, before: Relation) -> Operand:
        return read_expression(text, {one.label: one.term() for one in before.columns}, self.bind)

    def _added(self, before: Relation, made: DatasetColumn, sql: str, sources: frozenset[ColumnSource]) -> Relation:
        name = self.name()
        columns = [*before.columns, Column(name, made, sources)]
        return before.with_columns(f"select *, {_safe(sql, made)} as {name} from ({before.sql})", columns)

    def _replaced(self, before: Relation, column: Column, made: DatasetColumn, sql: str) -> Relation:
        name = self.name()
        new = [Column(name, made, column.sources) if one is column else one for one in before.columns]
        kept = [*row_lists(new), *parts_named(one for one in before.columns if one is not column)]
        listed = ", ".join([HIDDEN, *kept, f"{_safe(sql, made)} as {name}"])
        return before.with_columns(f"select {listed} from ({before.sql})", new)

    def _gathered(self, columns: Sequence[Column]) -> tuple[list[str], dict[str, str]]:
        """The lists of a group's rows, of all and of those of `columns`; and the new name of each."""
        lists = {rows: self.name() for rows in row_lists(columns)}
        every = [f"{part} as {name}" for part, name in zip(gathered(ALL_ROWS), parts_of(ALL_ROWS), strict=True)]
        return [*every, *(f"{gather(rows)} as {name}" for rows, name in lists.items())], lists

    def _made(self, one: Aggregated, only: str = "") -> tuple[Column, list[str]]:
        """The column of an aggregate, and what a query names for it; `only`: of which rows."""
        column = Column(self.name(), one.of, one.sources, self.name() if one.decimals else None)
        found = zip(column.parts, (one.sql, one.decimals), strict=False)
        return column, [f"{sql}{only} as {name}" for name, sql in found]


def _safe(sql: str, made: DatasetColumn) -> str:
    """A number that is none (infinite, too large for its type) is missing. In a list, which DuckDB does not take apart:
    it computes a filter before the columns that it asks for, from copies of them, twice as many with each step."""
    if made.type in ("number", "quantity"):
        return finite(sql)
    one = f"try_cast({sql} as bigint)" if made.type == "integer" else sql
    return f"list_filter([{one}], lambda v: v is not null)[1]"


def _said_unit(said: str, term: Operand) -> str | None:
    """What a person says that computed numbers are in."""
    if term.kind != "number":
        raise BadInput(f"A {term.kind} has no unit. Leave `unit` out.")
    found = read_measure(said) if said.strip() else None
    if said.strip() and found is None:
        raise BadInput(f"{said!r} is no unit that is known here. Write one as `kg`, `m/s` or `EUR`.")
    return found.code if found else None


def _shown(column: Column) -> str:
    return f"[{column.label}]"


def _units(column: Column, wanted: str) -> tuple[Unit, Unit, tuple[float, float]]:
    """The column's unit, the wanted one, and by what numbers of the first are converted (`Unit.conversion`)."""
    target = whole_unit(wanted) or ucum_unit(wanted)
    if target is None:
        raise BadInput(f"{wanted!r} is no unit that is known here. Write one as `kg`, `m/s` or `Cel`.")
    source = ucum_unit(column.of.unit) if column.of.unit else None
    if source is None:
        how = (
            "Correct the column's unit" if column.of.formula is None else "Say its `unit` in the step that computes it"
        )
        raise BadInput(f"{column.label!r} has no unit to convert from. {how} first.")
    conversion = source.conversion(target)
    if conversion is None:
        raise BadInput(f"{source.code} cannot be converted to {target.code}: they measure different things.")
    return source, target, conversion
