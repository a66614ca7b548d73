"""Rows of another dataset below those of one: which of its columns goes below which, and what its numbers are
multiplied by."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from shared.domain.datasets import ALL_ROWS, ColumnType, DatasetColumn
from shared.domain.transforms import JoinKey
from shared.errors import BadInput
from shared.lab.datasets.checks import Said, listed
from shared.lab.datasets.expressions import KINDS, Bind
from shared.lab.datasets.relations import SQL_TYPES, Column, Relation, free_label
from shared.lab.datasets.row_lists import of_rows, row_lists, rows_of
from shared.library.table_columns import UNEVEN
from shared.values.names import read_label
from shared.values.units import ucum_unit

_NO_ROWS: Final = rows_of("cast(null as bigint[])", "cast(null as bigint)")


class StackedPair(NamedTuple):
    """A column of the result: what stands above, what below, and by which numbers what is below is multiplied and
    increased; `how` says it."""

    above: Column | None
    below: Column | None
    conversion: tuple[float, float] | None = None
    how: str = ""

    @property
    def columns(self) -> list[Column]:
        return [one for one in (self.above, self.below) if one]


def paired(above: Relation, below: Relation, said: Sequence[JoinKey]) -> list[StackedPair]:
    """As a person says, else by equal labels, whichever letters are large; else by those that differ in their units
    alone (`Mass (g)`, `Mass (kg)`). Raises BadInput for columns that do not fit."""
    found = {above.column(key.left).name: below.column(key.right) for key in said}
    if len({one.name for one in found.values()}) < len(said):
        raise BadInput("A column is named twice. Say for each one which it goes below.")
    for key_of in (_label, _name):
        left = _by(key_of, [one for one in above.columns if one.name not in found])
        right = _by(key_of, _without(below.columns, found.values()))
        found |= {left[key].name: right[key] for key in left if key in right}
    if not found:
        raise BadInput("No column of the two has the same name. Rename some, or say in `columns` which go together.")
    pairs = [_converted(one, found[one.name]) if one.name in found else StackedPair(one, None) for one in above.columns]
    return [*pairs, *(StackedPair(None, one) for one in _without(below.columns, found.values()))]


def _without(columns: Iterable[Column], others: Iterable[Column]) -> list[Column]:
    names = {one.name for one in others}
    return [one for one in columns if one.name not in names]


def _label(column: Column) -> str | None:
    return " ".join(column.label.casefold().split())


def _name(column: Column) -> str | None:
    return read_label(column.label)[0]


def _by(key_of: Callable[[Column], str | None], columns: Iterable[Column]) -> dict[str, Column]:
    """Those that are the only ones of their key."""
    found: dict[str, list[Column]] = {}
    for one in columns:
        found.setdefault(key_of(one) or "", []).append(one)
    return {key: several[0] for key, several in found.items() if key and len(several) == 1}


def _converted(above: Column, below: Column) -> StackedPair:
    if KINDS[above.of.type] != KINDS[below.of.type]:
        raise BadInput(
            f"{above.label!r} is of type {above.of.type}, and {below.label!r} of type {below.of.type}. Correct the "
            "type of one of them, or rename it."
        )
    if not above.is_number:
        return StackedPair(above, below)
    here, there = above.of.unit, below.of.unit
    of, to = ucum_unit(there) if there else None, ucum_unit(here) if here else None
    units = of.conversion(to) if of and to else (1.0, 0.0) if here == there else None
    if units is None:
        raise BadInput(
            f"{above.label!r} is in {here or 'no unit'}, and {below.label!r} in {there or 'no unit'}: correct the unit "
            "of one of them, or rename it."
        )
    factor, added = (
        float(f"{one:.12g}") for one in (units[0] * below.of.scale / above.of.scale, units[1] / above.of.scale)
    )
    if (factor, added) == (1, 0):
        return StackedPair(above, below)
    shift = "" if not added else f" + {added:g}" if added > 0 else f" − {-added:g}"
    arrow = f" ({there} → {here})" if here != there else ""
    return StackedPair(above, below, (factor, added), f"[{below.label}] × {factor:.12g}{shift}{arrow}")


def stacked(
    above: Relation, below: Relation, pairs: Sequence[StackedPair], title: str, bind: Bind, name: Callable[[], str]
) -> Relation:
    """The rows of `above`, then those of `below`; each cell is made of the rows of its side."""
    here, there = name(), name()
    lists = [(row_lists(above.columns), 0), (row_lists(below.columns), 1)]
    sides: list[list[str]] = [
        ["0 as s", "o", "l", "n", f"{rows_of('l', 'n')} as {here}", f"{_NO_ROWS} as {there}"],
        ["1 as s", "o", "l", "n", f"{_NO_ROWS} as {here}", f"{rows_of('l', 'n')} as {there}"],
    ]
    own: list[dict[str, str]] = [{ALL_ROWS: here}, {ALL_ROWS: there}]
    made_lists = [here, there]
    for names, side in lists:
        for one in names:
            new = own[side][one] = name()
            made_lists.append(new)
            sides[side].append(f"{one} as {new}")
            sides[1 - side].append(f"{_NO_ROWS} as {new}")
    columns: list[Column] = []
    for pair in pairs:
        column = _made(pair, title, [one.label for one in columns], name)
        kind = SQL_TYPES[column.of.type]
        for parts, one, conversion in ((sides[0], pair.above, None), (sides[1], pair.below, pair.conversion)):
            value = one.name if one else "null"
            if conversion:
                value = f"cast({value} as double) * {bind(conversion[0])} + {bind(conversion[1])}"
            parts.append(f"cast({value} as {kind}) as {column.name}")
            if column.printed:
                decimals = _decimals(one) if one and not conversion else str(UNEVEN)
                parts.append(f"cast({decimals} as tinyint) as {column.printed}")
        sources = frozenset(
            source for one, lists_of in ((pair.above, own[0]), (pair.below, own[1])) if one
            for source in of_rows(one, lists_of).sources
        )  # fmt: skip
        columns.append(Column(column.name, column.of, sources, column.printed))
    both = f"select {', '.join(sides[0])} from ({above.sql}) union all select {', '.join(sides[1])} from ({below.sql})"
    kept = ", ".join(["l", "n", *made_lists, *(part for one in columns for part in one.parts)])
    sql = f"select row_number() over (order by s, o) as o, {kept} from ({both})"
    return above.with_columns(sql, columns, ordered=False)


def _made(pair: StackedPair, title: str, taken: Sequence[str], name: Callable[[], str]) -> Column:
    ofs = [one.of for one in pair.columns]
    kinds = {of.type for of in ofs}
    kind: ColumnType = ofs[0].type if len(kinds) == 1 else "quantity" if ofs[0].unit else "number"
    if pair.conversion and kind == "integer":
        kind = "number"
    formula = ofs[0].formula
    if pair.conversion:
        formula = f"{formula or f'[{ofs[0].label}]'}; of {title}: {pair.how}"
    alike = len({of.decimals for of in ofs}) == 1 and not pair.conversion and not any(o.printed for o in pair.columns)
    label = ofs[0].label if ofs[0].label not in taken else free_label(f"{ofs[0].label} ({title})", taken)
    changed: dict[str, Any] = {"label": label, "type": kind, "formula": formula}
    changed |= {"decimals": ofs[0].decimals if alike else None, "confidence": min(of.confidence for of in ofs)}
    number = KINDS[kind] == "number"
    of: DatasetColumn = ofs[0].model_copy(update=changed)
    return Column(name(), of, frozenset(), None if alike or not number else name())


def _decimals(column: Column) -> str:
    return column.printed or str(UNEVEN if column.of.decimals is None else column.of.decimals)


def counts_of(above: Relation, below: Relation) -> str:
    return f"select (select count(*) from ({above.sql})), (select count(*) from ({below.sql}))"


def told(pairs: Sequence[StackedPair], title: str) -> Callable[[Sequence[Any]], Said]:
    """How many rows came, which columns went below which, and how many rows are without one."""
    together = [one.how or one.below.label for one in pairs if one.above and one.below]
    here = [one.above.label for one in pairs if one.above and not one.below]
    there = [one.below.label for one in pairs if one.below and not one.above]

    def say(found: Sequence[Any]) -> Said:
        above, below = (int(one) for one in found)
        yield below, f"{below:,} row{'' if below == 1 else 's'} of {title!r} below {above:,}, by {listed(together)}."
        if here and below:
            yield below, f"{listed(here)}: missing in the {below:,} of {title!r}, which has no such column."
        if there and above:
            yield above, f"{listed(there)}: missing in the {above:,} above, which have no such column."

    return say
