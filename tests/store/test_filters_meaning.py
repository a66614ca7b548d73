"""Random filters over random values: what SQL selects is what a plain evaluation of the tree selects."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from shared.domain.attributes import Comparator, Quantity
from shared.domain.draft import ChunkDraft, DocumentDraft
from shared.domain.scope import Identity, Scope
from shared.errors import BadFilter
from shared.filters.selection import Filters, Selection, select_chunks
from shared.filters.text import parse_filter
from shared.filters.tree import AllOf, AnyOf, Comparison, Filter, NoneOf, children, read_filter
from shared.runtime import Runtime
from shared.store.connect import Connection
from shared.store.draft import commit_draft
from shared.values.units import unit_of
from tests.store.seeding import Passage, add_base, add_document
from tests.store.selected import keep_selected
from tests.store.test_filters import BOX, attribute
from tests.store.written import write_filter

UNITS = {"kg": "kg", "g": "g", "lb": "[lb_av]"}
COMPARATORS: Sequence[Comparator] = ("=", "=", "=", "~", "<", "<=", ">", ">=")
COLOURS = ("red", "Dark  blue", "dark blue", "green")
Values = list[tuple[str, Quantity | str | bool]]


def made_values(rng: random.Random) -> Values:
    """Up to two values of a few names; numbers are small, so that they meet often."""
    values: Values = []
    for _ in range(rng.randint(0, 2)):
        unit = unit_of(UNITS[rng.choice(list(UNITS))])
        number = float(rng.randint(0, 6))
        upper = number + rng.randint(1, 3) if rng.random() < 0.3 else None
        values.append(("mass", Quantity(
            number=number, upper=upper, comparator=rng.choice(COMPARATORS), unit=unit.code,
            canonical_number=unit.canonical(number), canonical_upper=None if upper is None else unit.canonical(upper),
            canonical_unit=unit.canonical_code,
        )))  # fmt: skip
    if rng.random() < 0.7:
        number = float(rng.randint(0, 4))
        values.append(("hp", Quantity(number=number, canonical_number=number)))
    if rng.random() < 0.6:
        values.append(("colour", rng.choice(COLOURS)))
    if rng.random() < 0.5:
        values.append(("quiet", rng.random() < 0.5))
    return values


DATA = [made_values(random.Random(seed)) for seed in range(80)]


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> tuple[Scope, list[UUID]]:
    scope = add_base(runtime, identity, "random values")
    document = add_document(runtime, scope, "Random", [Passage("nothing yet")])
    chunks: list[ChunkDraft] = []
    for number, values in enumerate(DATA):
        stored = [
            attribute(name, "x").model_copy(update={"quantity": value, "text": None})
            if isinstance(value, Quantity)
            else attribute(name, value)
            for name, value in values
        ]
        content = f"chunk {number}"
        chunks.append(ChunkDraft(section=None, chunk_type="text", content=content, boxes=[BOX], attributes=stored))
    with runtime.database.transaction(scope) as connection:
        draft = DocumentDraft(sections=[], chunks=chunks, confidence=1)
        commit_draft(connection, scope, document, draft, "Random", "test")
        connection.execute("update documents set chunk_count = %s where id = %s", (len(chunks), document))
        rows = connection.execute("select id from chunks order by ordinal").fetchall()
    return scope, [row["id"] for row in rows]


def numbers() -> st.SearchStrategy[float]:
    return st.integers(0, 8).map(float)


def comparisons() -> st.SearchStrategy[Comparison]:
    ordering = st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"])
    bare = st.builds(lambda op, n: {"attr": "hp", "op": op, "value": n}, ordering, numbers())
    unit = st.sampled_from([*UNITS, None])
    mass = st.builds(lambda op, n, u: {"attr": "Mass:", "op": op, "value": n, "unit": u}, ordering, numbers(), unit)
    between = st.builds(
        lambda a, b, u: {"attr": "mass", "op": "between", "value": sorted([a, b]), "unit": u},
        numbers(),
        numbers(),
        unit,
    )
    some = st.lists(numbers(), min_size=1, max_size=3)
    listed = st.builds(lambda ns, u: {"attr": "mass", "op": "in", "value": ns, "unit": u}, some, unit)
    colour = st.builds(
        lambda op, c: {"attr": "colour", "op": op, "value": c}, st.sampled_from(["eq", "ne"]), st.sampled_from(COLOURS)
    )
    quiet = st.builds(lambda b: {"attr": "quiet", "op": "eq", "value": b}, st.booleans())
    exists = st.builds(lambda n: {"attr": n, "op": "exists"}, st.sampled_from(["mass", "hp", "colour", "quiet"]))
    return st.one_of(bare, mass, between, listed, colour, quiet, exists).map(Comparison.model_validate)


def trees() -> st.SearchStrategy[Filter]:
    def grow(inner: st.SearchStrategy[Filter]) -> st.SearchStrategy[Filter]:
        some = st.lists(inner, min_size=1, max_size=3).map(tuple)
        return st.one_of(
            some.map(lambda c: AllOf(all=c)), some.map(lambda c: AnyOf(any=c)),
            some.map(lambda c: NoneOf.model_validate({"not": c})),
        )  # fmt: skip

    return st.recursive(comparisons(), grow, max_leaves=6)


def holds(tree: Filter, values: Values) -> bool:
    match tree:
        case Comparison():
            return compared(tree, values)
        case AllOf():
            return all(holds(child, values) for child in children(tree)) and together(tree, values)
        case AnyOf():
            return any(holds(child, values) for child in children(tree))
        case NoneOf():
            return not any(holds(child, values) for child in children(tree))


def together(tree: AllOf, values: Values) -> bool:
    """Bounds of one attribute in one unit are for one value; `between` is two of them, brackets change nothing,
    nor does `any` of one."""
    bounds: dict[tuple[str, bool], list[Callable[[Quantity], bool]]] = {}
    for one, value, op in bounds_of(tree):
        bounds.setdefault((one.attr.lower().strip(":"), one.unit is None), []).append(satisfying(one, value, op))
    return all(
        any(isinstance(v, Quantity) and all(test(v) for test in tests) for n, v in values if n == name)
        for (name, _), tests in bounds.items()
    )


def bounds_of(tree: Filter) -> Iterator[tuple[Comparison, Any, str]]:
    if isinstance(tree, AllOf):
        for child in tree.all:
            yield from bounds_of(child)
    elif isinstance(tree, AnyOf) and len(tree.any) == 1:
        yield from bounds_of(tree.any[0])
    elif isinstance(tree, Comparison) and tree.op == "between":
        yield from zip([tree, tree], tree.values, ["ge", "le"], strict=True)
    elif isinstance(tree, Comparison) and tree.op in ("lt", "le", "gt", "ge"):
        yield tree, tree.values[0], tree.op


def compared(one: Comparison, values: Values) -> bool:
    name = one.attr.lower().strip(":")
    own = [value for n, value in values if n == name]
    if one.op == "exists":
        return bool(own)
    if one.op == "ne":
        return bool(own) and not any(matches(one, value, "eq") for value in own)
    return any(matches(one, value, one.op) for value in own)


def matches(one: Comparison, value: Quantity | str | bool, op: str) -> bool:
    if isinstance(value, str):
        return any(" ".join(value.lower().split()) == " ".join(str(v).lower().split()) for v in one.values)
    if isinstance(value, bool):
        return value in one.values
    if op == "between":
        low, high = one.values
        return satisfying(one, low, "ge")(value) and satisfying(one, high, "le")(value)
    return any(satisfying(one, wanted, "eq" if op == "in" else op)(value) for wanted in one.values)


def satisfying(one: Comparison, wanted: Any, op: str) -> Callable[[Quantity], bool]:
    """Whether a stored number, as the set of numbers that it stands for, satisfies one comparison."""

    def test(value: Quantity) -> bool:
        first, last = value.number, value.upper if value.upper is not None else value.number
        asked = float(wanted)
        if one.unit is not None:
            asked = unit_of(UNITS[one.unit]).canonical(asked)
            first, last = value.canonical_number, value.canonical_upper or value.canonical_number
        low = -math.inf if value.comparator in ("<", "<=") else first
        high = math.inf if value.comparator in (">", ">=") else last
        open_low, open_high = value.comparator == ">", value.comparator == "<"
        same_low, same_high = math.isclose(asked, first, rel_tol=2e-9), math.isclose(asked, last, rel_tol=2e-9)
        match op:
            case "gt":
                return high > asked and not (high == last and same_high)
            case "ge":
                return (high > asked and not (high == last and same_high)) or (same_high and not open_high)
            case "lt":
                return low < asked and not (low == first and same_low)
            case "le":
                return (low < asked and not (low == first and same_low)) or (same_low and not open_low)
            case _:
                inside = (first < asked or same_low) and (asked < last or same_high)
                return inside and not (same_high and open_high) and not (same_low and open_low)

    return test


def selected(connection: Connection, selection: Selection, chunks: Sequence[UUID]) -> set[int]:
    kept = set(keep_selected(connection, selection, chunks))
    return {number for number, chunk in enumerate(chunks) if chunk in kept}


@given(tree=trees())
@example(
    tree=read_filter(
        {"all": [{"attr": "mass", "op": "ge", "value": 5.0}, {"any": [{"attr": "mass", "op": "le", "value": 1.0}]}]}
    )
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_sql_selects_what_the_tree_means(runtime: Runtime, base: tuple[Scope, list[UUID]], tree: Filter) -> None:
    scope, chunks = base
    expected = {number for number, values in enumerate(DATA) if holds(tree, values)}
    with runtime.database.transaction(scope) as connection:
        listed = select_chunks(connection, Filters(where=tree))
        assert listed.listed is not None
        assert selected(connection, listed, chunks) == expected
        tested = replace(listed, listed=None)
        assert selected(connection, tested, chunks) == expected


def test_equal_to_two_numbers_is_what_has_both_of_them(runtime: Runtime, base: tuple[Scope, list[UUID]]) -> None:
    """Two bounds are for one value; two equalities are for two."""
    scope, chunks = base
    tested = 0
    for number, values in enumerate(DATA):
        masses = [v for name, v in values if name == "mass" and isinstance(v, Quantity) and v.comparator == "="]
        if len(masses) < 2 or any(v.upper is not None for v in masses) or are_equal(*masses):
            continue
        tested += 1
        units = {code: name for name, code in UNITS.items()}
        parts = [{"attr": "mass", "op": "eq", "value": v.number, "unit": units[v.unit or ""]} for v in masses]
        with runtime.database.transaction(scope) as connection:
            selection = select_chunks(connection, Filters(where=read_filter({"all": parts})))
            assert number in selected(connection, selection, chunks)
    assert tested > 2


def are_equal(one: Quantity, other: Quantity) -> bool:
    return math.isclose(one.canonical_number, other.canonical_number)


@pytest.mark.parametrize(
    ("asked", "told"),
    [("zzz", "colour, hp, mass, quiet"), ("massive", "mass, colour, hp, quiet"), ("quite", "quiet, colour, hp, mass")],
)
def test_who_asks_for_an_attribute_that_is_not_there_is_told_all_that_are_the_nearest_first(
    runtime: Runtime, base: tuple[Scope, list[UUID]], asked: str, told: str
) -> None:
    tree = read_filter({"attr": asked, "op": "exists"})
    with runtime.database.transaction(base[0]) as connection, pytest.raises(BadFilter) as refused:
        select_chunks(connection, Filters(where=tree))
    assert str(refused.value) == f"There is no attribute `{asked}`. Declared are: {told}."


ONE = {"attr": "mass", "op": "between", "value": [1.0, 1.0], "unit": "kg"}
NONE = {"attr": "mass", "op": "between", "value": [0.0, 0.0], "unit": "kg"}


@given(tree=trees())
@example(tree=read_filter({"all": [ONE, {"any": [NONE]}]}))
@settings(max_examples=200, deadline=None)
def test_a_written_filter_reads_back(tree: Filter) -> None:
    written = write_filter(tree)
    again = parse_filter(written)
    assert write_filter(again) == write_filter(parse_filter(write_filter(again)))
    assert [holds(again, values) for values in DATA] == [holds(tree, values) for values in DATA]
    assert read_filter(again.model_dump(mode="json", by_alias=True, exclude_none=True)) == again
