"""A checked filter as SQL: tests of single stored values, combined per chunk.

A stored value represents a set of numbers: an exact or approximate one (`12`, `~ 12`, `12 ± 1`) its number, a range the
numbers between its ends, a bound (`< 5`, `at least 5`) one side. An ordering holds where some number of the set
satisfies it. `=` holds where the wanted number is in the set and within the printed limits: `10–20` equals 15 and `up
to 5` equals 5, but `up to 5` does not equal 3. Why: docs/decisions/0020-attribute-filters.md.
"""

from dataclasses import dataclass
from typing import Any, Final, Literal, LiteralString
from uuid import UUID

from psycopg import sql

from shared.filters.tree import ORDERINGS, Op
from shared.filters.values import TimeSpan

Kind = Literal["number", "printed", "text", "time", "boolean"]
# Unit conversion keeps twelve digits; numbers that agree in nine are equal.
EQUAL: Final = 1e-9


_AND, _OR, _GROUPED, _NONE = sql.SQL(" and "), sql.SQL(" or "), sql.SQL("({})"), sql.SQL("not ({})")


@dataclass(frozen=True)
class Check:
    """A test of one stored value. `eq` matches any of `values`, an ordering has a single value. `unit` is canonical."""

    kind: Kind
    op: Op
    values: tuple[Any, ...]
    unit: str | None = None


@dataclass(frozen=True)
class Leaf:
    """True where some value of the attribute passes every test of one of the alternatives; without alternatives, where
    it has any value. `bases` are the knowledge bases that have it declared; None: all in scope."""

    name: str
    alternatives: tuple[tuple[Check, ...], ...] = ()
    bases: tuple[UUID, ...] | None = None

    @property
    def is_bound(self) -> bool:
        # All tests of a leaf have one operator, or are orderings both.
        return bool(self.alternatives) and self.alternatives[0][0].op in ORDERINGS

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return tuple(checks[0].kind for checks in self.alternatives)

    def both(self, other: "Leaf") -> "Leaf":
        pairs = zip(self.alternatives, other.alternatives, strict=True)
        return Leaf(self.name, tuple((*own, *others) for own, others in pairs), self.bases)


@dataclass(frozen=True)
class LeafGroup:
    kind: Literal["all", "any", "none"]
    parts: tuple["LeafTree", ...]


LeafTree = Leaf | LeafGroup


def drivers(tree: LeafTree | None) -> list[LeafTree]:
    """The parts of the filter that every matching chunk passes and that an index can list chunks for: single tests, and
    groups of which one must hold. Empty where there are none, as for `not`."""
    if isinstance(tree, LeafGroup) and tree.kind == "all":
        return [part for child in tree.parts for part in drivers(child)]
    if isinstance(tree, LeafGroup) and tree.kind == "any":
        return [tree] if all(isinstance(part, Leaf) for part in tree.parts) else []
    return [tree] if isinstance(tree, Leaf) else []


def without(tree: LeafTree | None, part: LeafTree) -> LeafTree | None:
    """The rest of the filter to be tested where `part` is known to hold."""
    if tree is part:
        return None
    if isinstance(tree, LeafGroup) and tree.kind == "all":
        left = tuple(rest for child in tree.parts if (rest := without(child, part)) is not None)
        return LeafGroup("all", left) if left else None
    return tree


class Writer:
    """Writes SQL and collects its parameters, `where_0`, `where_1`, … for the prefix `where`.

    `by_sets` is for tests of nearly every chunk in scope: each test then lists what passes once, by its index, where
    it else looks up the values of each row.
    """

    def __init__(self, prefix: str, *, by_sets: bool = False) -> None:
        self.prefix, self.by_sets, self.values = prefix, by_sets, dict[str, Any]()

    def bind(self, value: Any) -> sql.Composable:
        name = f"{self.prefix}_{len(self.values)}"
        self.values[name] = value
        return sql.Placeholder(name)

    def chunk(self, tree: LeafTree, alias: str) -> sql.Composable:
        """SQL that is true for matching chunks, for rows `alias` with a column `chunk_id`.

        `offset 0` keeps each test a look-up per row: as a join it would read every value of the attribute. `is true`
        keeps a set a hash table, and the planner from joining it.
        """
        if isinstance(tree, Leaf) and self.by_sets:
            rows = [
                sql.SQL("select f.chunk_id from chunk_attributes f where {}").format(test)
                for test in self.branches(tree)
            ]
            passing = sql.SQL(" union all ").join(rows)
            return sql.SQL("({}.chunk_id in ({})) is true").format(sql.Identifier(alias), passing)
        if isinstance(tree, Leaf):
            return sql.SQL(
                "exists (select from chunk_attributes f where f.chunk_id = {a}.chunk_id and {test} offset 0)"
            ).format(a=sql.Identifier(alias), test=self.leaf(tree))
        parts = [self.chunk(part, alias) for part in tree.parts]
        joined = (_AND if tree.kind == "all" else _OR).join(parts)
        return (_NONE if tree.kind == "none" else _GROUPED).format(joined)

    def leaf(self, leaf: Leaf) -> sql.Composable:
        named = self._named(leaf)
        if not leaf.alternatives:
            return named
        tests = [self._alternative(checks, part) for checks in leaf.alternatives for part in _parts(checks)]
        return sql.SQL("{} and ({})").format(named, sql.SQL(" or ").join(tests))

    def _named(self, leaf: Leaf) -> sql.Composable:
        named = sql.SQL("f.name = {}").format(self.bind(leaf.name))
        if leaf.bases is None:
            return named
        declared = self.bind(list(leaf.bases))
        return sql.SQL("{} and f.knowledge_base_id = any ({}::uuid[])").format(named, declared)

    def branches(self, tree: LeafTree) -> list[sql.Composable]:
        """The tests of a leaf, or of a group of leaves, separately, so that an index can be used for each."""
        if isinstance(tree, LeafGroup):
            return [branch for part in tree.parts for branch in self.branches(part)]
        if not tree.alternatives:
            return [self.leaf(tree)]
        return [
            sql.SQL("{} and {}").format(self._named(tree), self._alternative(checks, part))
            for checks in tree.alternatives
            for part in _parts(checks)
        ]

    def _alternative(self, checks: tuple[Check, ...], part: str) -> sql.Composable:
        return sql.SQL("({})").format(sql.SQL(" and ").join([self._check(check, part) for check in checks]))

    def _check(self, check: Check, part: str) -> sql.Composable:
        match check.kind:
            case "text":
                keys = sql.SQL("array(select attribute_key(v) from unnest({}::text[]) v)").format(
                    self.bind(list(check.values))
                )
                return sql.SQL("f.text_key = any ({})").format(keys)
            case "boolean":
                return sql.SQL("f.value_boolean = any ({}::boolean[])").format(self.bind(list(check.values)))
            case "time":
                tests = [self._time(check.op, span) for span in check.values]
                return sql.SQL("({})").format(sql.SQL(" or ").join(tests))
            case _:
                return self._number(check, part)

    def _time(self, op: Op, span: TimeSpan) -> sql.Composable:
        if op == "eq":
            ends = (self.bind(span.start), self.bind(span.end))
            return sql.SQL("(f.value_time >= {}::timestamptz and f.value_time < {}::timestamptz)").format(*ends)
        edge = self.bind(span.start if op in ("lt", "ge") else span.end)
        sign = sql.SQL("<") if op in ("lt", "le") else sql.SQL(">=")
        return sql.SQL("f.value_time {} {}::timestamptz").format(sign, edge)

    def _number(self, check: Check, part: str) -> sql.Composable:
        tests = [self._exact(check, v) if part == "exact" else self._inexact(check, v) for v in check.values]
        joined = sql.SQL("({})").format(sql.SQL(" or ").join(tests))
        state = sql.SQL("not f.inexact" if part == "exact" else "f.inexact")
        if check.kind == "printed":
            return sql.SQL("{} and {}").format(state, joined)
        return sql.SQL("{} and f.unit = {} and {}").format(state, self.bind(check.unit), joined)

    def _exact(self, check: Check, value: float) -> sql.Composable:
        column: LiteralString = "f.value_number" if check.kind == "number" else "f.printed_number"
        return self._formed(_EXACT[check.op], check, value, number=sql.SQL(column))

    def _inexact(self, check: Check, value: float) -> sql.Composable:
        if check.kind == "number":
            first, last = sql.SQL("f.value_number"), sql.SQL("coalesce(f.value_upper, f.value_number)")
        else:
            first, last = sql.SQL("f.printed_number"), sql.SQL("coalesce(f.printed_upper, f.printed_number)")
        return self._formed(_INEXACT[check.op], check, value, first=first, last=last)

    def _formed(self, form: LiteralString, check: Check, value: float, **columns: sql.Composable) -> sql.Composable:
        """`form` with the limits of the interval that counts as equal to `value`."""
        spread = abs(value) * EQUAL if check.kind == "number" else 0.0
        ends = {"low": value - spread, "high": value + spread}
        bound = {
            name: sql.SQL("{}::float8").format(self.bind(end)) for name, end in ends.items() if f"{{{name}}}" in form
        }
        return sql.SQL(form).format(**columns, **bound)


_EXACT: Final[dict[Op, LiteralString]] = {
    "eq": "{number} between {low} and {high}",
    "lt": "{number} < {low}",
    "le": "{number} <= {high}",
    "gt": "{number} > {high}",
    "ge": "{number} >= {low}",
}
_INEXACT: Final[dict[Op, LiteralString]] = {
    "eq": "({first} <= {high} and {last} >= {low} and not (f.comparator = '<' and {last} <= {high})"
    " and not (f.comparator = '>' and {first} >= {low}))",
    "ge": "(f.comparator in ('>', '>=') or {last} > {high} or ({last} >= {low} and f.comparator <> '<'))",
    "gt": "(f.comparator in ('>', '>=') or {last} > {high})",
    "le": "(f.comparator in ('<', '<=') or {first} < {low} or ({first} <= {high} and f.comparator <> '>'))",
    "lt": "(f.comparator in ('<', '<=') or {first} < {low})",
}


def _parts(checks: tuple[Check, ...]) -> tuple[str, ...]:
    return ("exact", "inexact") if checks[0].kind in ("number", "printed") else ("any",)
