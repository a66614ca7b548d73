"""Steps neither lose nor double a row, and a row leads to the rows that it is made of: beside the same in Python."""

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any
from uuid import UUID

import pytest

from shared.domain.datasets import ColumnType, DatasetColumn
from shared.domain.transforms import STEPS
from shared.errors import BadInput
from shared.lab.datasets.compiling import Compiler, Others
from shared.lab.datasets.engine import Sandbox
from shared.lab.datasets.relations import ROW_SHIFT, SQL_TYPES, Column, Relation

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
            Column(f"{prefix}{place}", DatasetColumn(label=label, type=kind), frozenset())
            for place, (label, kind) in enumerate(LABELS.items())
        )
        return Relation(" union all ".join(parts), columns)

    def run(self, *steps: object) -> tuple[list[str], list[tuple[tuple[object, ...], list[int]]]]:
        """Labels; rows in order, each with the sources that it names."""

        def ask(statement: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
            return self.sandbox.ask(statement, {**self.values, **values})

        compiler = Compiler(Others(lambda _: ("the other", self.other), ask))
        made = compiler.apply(self.base, STEPS.validate_python(steps))
        names = ", ".join(one.name for one in made.columns)
        found = ask(f"select l, n, {names} from ({made.sql}) order by o", compiler.bind.values)
        assert all(len(row[0]) == row[1] for row in found)
        sources = [[number >> ROW_SHIFT for number in row[0]] for row in found]
        return [one.label for one in made.columns], [
            (tuple(row[2:]), places) for row, places in zip(found, sources, strict=True)
        ]


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
    assert labels[1:] == ["(missing)" if key is None else key for key in keys]
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


def test_a_column_that_is_melted_twice_is_refused(sandbox: Sandbox) -> None:
    bench = Bench(sandbox, drawn(1), drawn(2))
    with pytest.raises(BadInput, match="twice"):
        bench.run({"op": "melt", "columns": ["x", "x"]})


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
