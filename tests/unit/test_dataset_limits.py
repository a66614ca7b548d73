"""The walls of time, memory and rows hold whichever step would break them, and for all statements of a run together."""

import time
from collections import deque
from typing import Any

import pytest

from shared.domain.datasets import ALL_ROWS, ColumnSource, DatasetColumn
from shared.domain.transforms import STEPS
from shared.errors import BadInput
from shared.lab.datasets.compiling import Compiler, Others
from shared.lab.datasets.engine import Sandbox
from shared.lab.datasets.relations import Column, Relation

SECONDS = 0.5
# A statement is interrupted between the parts of its work: so long it may go on, on all cores together.
PATIENCE_S = 6.0
KEYS = 7
ROWS = 200_000
JOIN = {"op": "join", "dataset_id": "01a00000-0000-7000-8000-000000000001", "on": [{"left": "key", "right": "key"}]}
# Each row of one key meets each of the other table: 5.7 thousand million rows.
SLOW: list[list[dict[str, Any]]] = [
    [JOIN],
    [JOIN, JOIN],
    [JOIN, {"op": "sort", "column": "x"}, {"op": "limit", "rows": 1}],
    [JOIN, {"op": "filter", "where": "[x] + [y] < 0"}],
    [JOIN, {"op": "derive", "name": "z", "expression": "ln([x]) * sqrt([y])"}],
    [JOIN, {"op": "group", "by": ["key"], "aggregates": [{"function": "median", "column": "x"}]}],
    [JOIN, {"op": "melt", "columns": ["x", "y"]}],
    [JOIN, {"op": "standardise", "column": "x"}],
    [JOIN, {"op": "log", "column": "x"}],
    [JOIN, {"op": "pivot", "index": ["x"], "column": "key", "value": "y", "function": "sum"}],
    [{"op": "pivot", "index": ["x"], "column": "key", "value": "x", "function": "sum"}, *[JOIN | {
        "on": [{"left": "x", "right": "y"}]}] * 3],
    [JOIN, {"op": "origin"}],
]  # fmt: skip


def relation(sandbox: Sandbox, name: str, column: str) -> Relation:
    sandbox.ask(
        f"create table if not exists {name} as select range as o, [range] as l, cast(1 as bigint) as n, "
        f"range % {KEYS} as {name}k, cast(range % 1000 as double) as {name}v from range({ROWS})"
    )
    kinds = ((f"{name}k", "key"), (f"{name}v", column))
    columns = [
        Column(
            one, DatasetColumn(label=label, type="number"), frozenset({ColumnSource(frozenset({name}), at, ALL_ROWS)})
        )
        for at, (one, label) in enumerate(kinds)
    ]
    return Relation(f"select o, l, n, {name}k, {name}v from {name}", tuple(columns))


def run(sandbox: Sandbox, compiler: Compiler, here: Relation, steps: list[dict[str, Any]]) -> None:
    made = compiler.apply(here, STEPS.validate_python(steps))
    names = ", ".join(one.name for one in made.columns)
    sandbox.ask(f"select {names} from ({made.sql}) order by o limit 5", compiler.bind.values)


@pytest.mark.parametrize("steps", SLOW, ids=["-".join(step["op"] for step in steps) for steps in SLOW])
def test_a_run_ends_when_its_time_is_over_whatever_its_steps_are(
    monkeypatch: pytest.MonkeyPatch, steps: list[dict[str, Any]]
) -> None:
    with Sandbox() as sandbox:
        here, there = relation(sandbox, "a", "x"), relation(sandbox, "b", "y")
        compiler = Compiler(
            Others(lambda _: ("other", there), sandbox.ask, lambda: [("document", "1")], list, list, lambda *_: "")
        )
        monkeypatch.setattr("shared.lab.datasets.engine.SECONDS", SECONDS + sandbox.spent)
        began = time.process_time()
        with pytest.raises(BadInput, match=r"took longer|of memory"):
            run(sandbox, compiler, here, steps)
        assert time.process_time() - began < PATIENCE_S


def test_many_short_statements_have_no_more_time_than_a_long_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.lab.datasets.engine.SECONDS", SECONDS)
    began = time.process_time()
    with Sandbox() as sandbox, pytest.raises(BadInput, match="took longer"):
        deque((sandbox.ask("select sum(sin(range)) from range(1000000)") for _ in range(200)), maxlen=0)
    assert time.process_time() - began < PATIENCE_S
