"""Steps neither lose nor double a row, and a row leads to the rows that it is made of: beside the same in Python."""

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any
from uuid import UUID

import pytest

from shared.domain.datasets import ALL_ROWS, ColumnSource, ColumnType, DatasetColumn, DatasetTable, RowLineage
from shared.domain.transforms import STEPS
from shared.errors import BadInput
from shared.lab.datasets.compiling import PIVOTED_MAX, Compiler, Others
from shared.lab.datasets.engine import Sandbox
from shared.lab.datasets.relations import COLUMN_MASK, ROW_SHIFT, SQL_TYPES, Column, Relation
from shared.lab.datasets.row_lists import parts_of, row_lists

KEYS = ("a", "b", "A", "", "it's", None)
LABELS: Mapping[str, ColumnType] = {"key": "text", "other": "text", "x": "integer", "y": "integer"}
Rows = list[dict[str, str | int | None]]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as made:
        yield made


def drawn(seed: int) -> Rows:
    draw = random.Random(seed)
    return [
        {
            "key": draw.choice(KEYS), "other": draw.choice(KEYS[:3]),
            "x": draw.choice([None, *range(-3, 9)]), "y": draw.randrange(100),
        }
        for _ in range(draw.randrange(1, 25))
    ]  # fmt: skip


class Bench:
    """Rows in a sandbox; row `at` has the source `first + at`."""

    def __init__(self, sandbox: Sandbox, rows: Rows, other: Rows) -> None:
        self.sandbox = sandbox
        self.values: dict[str, object] = {}
        self.counts: list[dict[str, int]] = []
        self.base, self.other = self._relation("b", rows, 0), self._relation("d", other, 1_000)

    def _relation(self, prefix: str, rows: Rows, first: int) -> Relation:
        parts: list[str] = []
        for at, row in enumerate(rows):
            cells = ""
            for place, (label, kind) in enumerate(LABELS.items()):
                name = f"{prefix}value{len(self.values)}"
                self.values[name] = row[label]
                cells += f", cast(${name} as {SQL_TYPES[kind]}) as {prefix}{place}"
            source = (first + at) << ROW_SHIFT
            parts.append(f"select {at} as o, [cast({source} as bigint)] as l, cast(1 as bigint) as n{cells}")
        columns = tuple(
            Column(
                f"{prefix}{place}",
                DatasetColumn(label=label, type=kind),
                frozenset({ColumnSource(frozenset({prefix}), place)}),
            )
            for place, (label, kind) in enumerate(LABELS.items())
        )
        return Relation(" union all ".join(parts), columns)

    def _ask(self, statement: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
        # Each test is a run of its own.
        self.sandbox.spent = 0.0
        return self.sandbox.ask(statement, {**self.values, **values})

    def _applied(self, steps: Sequence[object]) -> tuple[Compiler, Relation]:
        compiler = Compiler(Others(lambda _: ("the other", self.other), self._ask, list, list, list, lambda *_: ""))
        return compiler, compiler.apply(self.base, STEPS.validate_python(steps))

    def run(self, *steps: object) -> tuple[list[str], list[tuple[tuple[object, ...], list[int]]]]:
        """Labels; rows in order, each with the sources that it names."""
        compiler, made = self._applied(steps)
        names = ", ".join(one.name for one in made.columns)
        found = self._ask(f"select l, n, {names} from ({made.sql}) order by o", compiler.bind.values)
        assert all(len(row[0]) == row[1] for row in found)
        sources = [[number >> ROW_SHIFT for number in row[0]] for row in found]
        return [one.label for one in made.columns], [
            (tuple(row[2:]), places) for row, places in zip(found, sources, strict=True)
        ]

    def cells(self, *steps: object) -> list[dict[str, set[tuple[int, int]]]]:
        """Of each row by label the places, (source row, column), of the cells that a cell is made of; `counts` has of
        how many rows."""
        compiler, made = self._applied(steps)
        lists = [ALL_ROWS, *row_lists(made.columns)]
        names = ", ".join(part for one in lists for part in parts_of(one))
        found = self._ask(f"select {names} from ({made.sql}) order by o", compiler.bind.values)
        lineages = {
            one: [RowLineage(rows=[place_of(number) for number in row[2 * at]], count=row[2 * at + 1]) for row in found]
            for at, one in enumerate(lists)
        }
        table = DatasetTable(
            dataset_id=UUID(int=1), revision=1, sha256="", columns=[one.of for one in made.columns],
            rows=[[] for _ in found], rows_in_all=len(found), offset=0, lineage=lineages.pop(ALL_ROWS),
            made_of=[[*one.sources] for one in made.columns], rows_of=lineages,
        )  # fmt: skip
        self.counts = [
            {one.label: table.count_rows(row, column) for column, one in enumerate(made.columns)}
            for row in range(len(found))
        ]
        return [
            {one.label: placed(table.cells(row, column)) for column, one in enumerate(made.columns)}
            for row in range(len(found))
        ]


def place_of(number: int) -> str:
    row, column = number >> ROW_SHIFT, number & COLUMN_MASK
    return f"{'b' if row < 1_000 else 'd'}:{row}" + (f":{column - 1}" if column else "")


def placed(cells: Sequence[str]) -> set[tuple[int, int]]:
    found = [(int(row), int(column)) for _, row, column in (one.split(":") for one in cells)]
    assert len(found) == len(set(found))
    return set(found)


@pytest.fixture(params=range(12))
def case(request: pytest.FixtureRequest, sandbox: Sandbox) -> tuple[Bench, Rows, Rows]:
    rows, other = drawn(request.param), drawn(request.param + 100)
    return Bench(sandbox, rows, other), rows, other


Case = tuple[Bench, Rows, Rows]


def groups_of(rows: Rows, *labels: str) -> dict[tuple[object, ...], list[int]]:
    found: dict[tuple[object, ...], list[int]] = {}
    for at, row in enumerate(rows):
        found.setdefault(tuple(row[label] for label in labels), []).append(at)
    return found


def numbers(rows: Rows, places: Sequence[int], label: str) -> list[int]:
    return [value for at in places if isinstance(value := rows[at][label], int)]


def label_of(key: object) -> str:
    return "(missing)" if key is None else f"{key}" or "(empty)"


def test_a_group_has_all_its_rows_and_no_other(case: Case) -> None:
    bench, rows, _ = case
    _, found = bench.run({
        "op": "group", "by": ["key", "other"],
        "aggregates": [{"function": "count"}, {"function": "sum", "column": "x"}, {"function": "mean", "column": "x"}],
    })  # fmt: skip
    expected: list[tuple[tuple[object, ...], list[int]]] = []
    for key, places in groups_of(rows, "key", "other").items():
        of = numbers(rows, places, "x")
        mean = pytest.approx(fmean(of)) if of else None
        expected.append(((*key, len(places), sum(of) if of else None, mean), places))
    assert found == expected


def test_a_pivot_has_each_value_in_its_place_once(case: Case) -> None:
    bench, rows, _ = case
    labels, found = bench.run({"op": "pivot", "index": ["other"], "column": "key", "value": "y", "function": "sum"})
    keys = [key for (key,) in groups_of(rows, "key")]
    assert labels[1:] == [label_of(key) for key in keys]
    expected: list[tuple[tuple[object, ...], list[int]]] = []
    for (other,), places in groups_of(rows, "other").items():
        cells = [numbers(rows, [at for at in places if rows[at]["key"] == key], "y") for key in keys]
        expected.append(((other, *(sum(of) if of else None for of in cells)), places))
    assert found == expected


def test_what_is_melted_has_a_row_for_each_cell(case: Case) -> None:
    bench, rows, _ = case
    labels, found = bench.run({"op": "melt", "columns": ["x", "y"], "name": "which", "value": "v"})
    assert labels == ["key", "other", "which", "v"]
    assert found == [
        ((row["key"], row["other"], which, row[which]), [at]) for at, row in enumerate(rows) for which in ("x", "y")
    ]


@pytest.mark.parametrize("how", ["inner", "left"])
def test_a_join_has_every_pair_and_a_left_one_every_row(case: Case, how: str) -> None:
    bench, rows, other = case
    on = [{"left": "key", "right": "key"}, {"left": "other", "right": "other"}]
    _, found = bench.run({"op": "join", "dataset_id": str(UUID(int=1)), "on": on, "how": how})
    expected: list[tuple[tuple[object, ...], list[int]]] = []
    for at, row in enumerate(rows):
        key = (row["key"], row["other"])
        # As in SQL: what is missing equals nothing.
        pairs = [to for to, one in enumerate(other) if row["key"] is not None and (one["key"], one["other"]) == key]
        expected += [((*row.values(), other[to]["x"], other[to]["y"]), [at, 1_000 + to]) for to in pairs]
        if not pairs and how == "left":
            expected.append(((*row.values(), None, None), [at]))
    assert found == expected


PIVOT = {"op": "pivot", "index": ["other"], "column": "key", "value": "y", "function": "sum"}
JOIN = {
    "op": "join", "dataset_id": str(UUID(int=1)), "how": "left",
    "on": [{"left": "key", "right": "key"}, {"left": "other", "right": "other"}],
}  # fmt: skip
PLACES = {label: place for place, label in enumerate(LABELS)}


def test_a_cell_of_a_pivot_is_made_of_the_cells_of_its_column_alone(case: Case) -> None:
    bench, rows, _ = case
    keys = [key for (key,) in groups_of(rows, "key")]
    expected: list[dict[str, set[tuple[int, int]]]] = []
    for places in groups_of(rows, "other").values():
        own = {key: {(at, PLACES["y"]) for at in places if rows[at]["key"] == key} for key in keys}
        of = {label_of(key): cells for key, cells in own.items()}
        expected.append({"other": {(at, PLACES["other"]) for at in places}, **of})
    assert bench.cells(PIVOT) == expected
    assert bench.counts == [{label: len(cells) for label, cells in row.items()} for row in expected]
    # Through further steps: what is computed of a cell, melted again, and put together.
    first = next(iter(expected[0].keys() - {"other"}))
    derived = {"op": "derive", "name": "twice", "expression": f"[{first}] * 2"}
    kept = {"op": "select", "columns": ["twice", "other"]}
    assert [row["twice"] for row in bench.cells(PIVOT, derived, kept)] == [row[first] for row in expected]
    labels = [label for label in expected[0] if label != "other"]
    melted = bench.cells(PIVOT, {"op": "melt", "columns": labels, "name": "which", "value": "v"})
    assert [row["v"] for row in melted] == [row[label] for row in expected for label in labels]
    total = {"op": "group", "by": [], "aggregates": [{"function": "sum", "column": first, "name": "sum"}]}
    (all_of_it,) = bench.cells(PIVOT, total)
    assert all_of_it["sum"] == set[tuple[int, int]]().union(*(row[first] for row in expected))


def test_a_melted_cell_is_made_of_one_and_those_beside_it_of_their_own(case: Case) -> None:
    bench, rows, _ = case
    melt = {"op": "melt", "columns": ["x", "y"], "name": "which", "value": "v"}
    assert bench.cells(melt) == [
        {"key": {(at, 0)}, "other": {(at, 1)}, "which": set(), "v": {(at, PLACES[which])}}
        for at in range(len(rows)) for which in ("x", "y")
    ]  # fmt: skip
    group = {"op": "group", "by": ["which"], "aggregates": [{"function": "mean", "column": "v", "name": "mean"}]}
    assert [row["mean"] for row in bench.cells(melt, group)] == [
        {(at, PLACES[which]) for at in range(len(rows))} for which in ("x", "y")
    ]


def test_what_is_melted_put_together_and_melted_again_knows_its_cells(case: Case) -> None:
    bench, rows, _ = case
    found = bench.cells(
        {"op": "melt", "columns": ["x", "y"], "name": "which", "value": "v"},
        {"op": "filter", "where": "[v] > 3"},
        {"op": "group", "by": ["key"], "aggregates": [{"function": "max", "column": "v", "name": "most"}]},
        {"op": "melt", "columns": ["most"], "name": "again", "value": "w"},
    )
    larger = [
        (row["key"], (at, PLACES[which]))
        for at, row in enumerate(rows) for which in ("x", "y") if isinstance(value := row[which], int) and value > 3
    ]  # fmt: skip
    keys = dict.fromkeys(key for key, _ in larger)
    assert [row["w"] for row in found] == [{place for key, place in larger if key == one} for one in keys]


def test_what_is_computed_of_a_pivots_cell_and_its_row_is_made_of_both(case: Case) -> None:
    bench, rows, _ = case
    first = label_of(rows[0]["key"])
    found = bench.cells(PIVOT | {"index": ["x"]}, {"op": "derive", "name": "both", "expression": f"[x] + [{first}]"})
    assert [row["both"] for row in found] == [
        {(at, PLACES["x"]) for at in places}
        | {(at, PLACES["y"]) for at in places if label_of(rows[at]["key"]) == first}
        for places in groups_of(rows, "x").values()
    ]


def test_a_cell_of_a_join_is_made_of_the_row_of_its_side(case: Case) -> None:
    bench = case[0]
    pairs = [(places[0], places[1:]) for _, places in bench.run(JOIN)[1]]
    right = [label for label in bench.run(JOIN)[0] if label not in LABELS]
    assert right == ["x (the other)", "y (the other)"]
    own = {label: PLACES[label[0]] for label in right}
    expected = [
        {label: {(at, place)} for label, place in PLACES.items()}
        | {label: {(to, place) for to in tos} for label, place in own.items()}
        for at, tos in pairs
    ]
    assert bench.cells(JOIN) == expected
    assert bench.counts == [{label: len(cells) for label, cells in row.items()} for row in expected]
    melt = {"op": "melt", "columns": ["y", "x (the other)"], "name": "which", "value": "v"}
    columns = ("y", "x (the other)")
    assert [row["v"] for row in bench.cells(JOIN, melt)] == [row[one] for row in expected for one in columns]
    sums = {"op": "derive", "name": "both", "expression": "[x] + [y (the other)]"}
    assert [row["both"] for row in bench.cells(JOIN, sums)] == [row["x"] | row["y (the other)"] for row in expected]


def test_a_column_that_is_melted_twice_is_refused(sandbox: Sandbox) -> None:
    bench = Bench(sandbox, drawn(1), drawn(2))
    with pytest.raises(BadInput, match="twice"):
        bench.run({"op": "melt", "columns": ["x", "x"]})


def test_a_pivot_makes_so_many_columns_and_no_more(sandbox: Sandbox) -> None:
    def found(values: int) -> int:
        rows: Rows = [{"key": f"k{at}", "other": "a", "x": 1, "y": at} for at in range(values)]
        return len(Bench(sandbox, rows, rows[:1]).run(PIVOT)[0])

    assert found(PIVOTED_MAX) == PIVOTED_MAX + 1
    with pytest.raises(BadInput, match="more than 100 values"):
        found(PIVOTED_MAX + 1)


@pytest.mark.parametrize("expression", [
    "if([{0}] = 'x', lower([{0}]), [{0}])", "coalesce([{0}], trim([{0}]))", "concat(lower([{0}]), upper([{0}]))",
])  # fmt: skip
def test_columns_made_of_columns_cost_no_more_with_a_filter_behind_them(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, expression: str
) -> None:
    monkeypatch.setattr("shared.lab.datasets.engine.SECONDS", 3)
    depth = 16
    names = ["key", *(f"made {at}" for at in range(depth))]
    steps = [
        {"op": "derive", "name": name, "expression": expression.format(before)} for before, name in pairwise(names)
    ]
    rows: Rows = [{"key": "ab", "other": "b", "x": 1, "y": 2}]
    _, found = Bench(sandbox, rows, rows).run(*steps, {"op": "filter", "where": f"[{names[-1]}] != 'y'"})
    assert [places for _, places in found] == [[0]]


def test_a_text_that_grows_with_each_step_ends_at_the_wall_of_memory() -> None:
    longer = [
        {"op": "derive", "name": f"made {at}", "expression": f"concat({', '.join([f'[{before}]'] * 20)})"}
        for at, before in enumerate(["key", *(f"made {at}" for at in range(8))])
    ]
    rows: Rows = [{"key": "abcdefghij", "other": "b", "x": 1, "y": 2}]
    with Sandbox() as sandbox, pytest.raises(BadInput, match="memory"):
        Bench(sandbox, rows, rows).run(*longer)
