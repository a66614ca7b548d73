"""Expressions of datasets: what is typed never becomes SQL, and what is computed is what Python computes."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.domain.datasets import DatasetColumn
from shared.domain.transforms import STEPS, canonical_steps, hash_steps
from shared.errors import BadInput
from shared.lab.datasets.compiling import Compiler, Others
from shared.lab.datasets.engine import Sandbox
from shared.lab.datasets.expressions import Bind, Operand, read_expression
from shared.lab.datasets.relations import Column, Relation

COLUMNS = {
    "x": Operand("c0", "number"), "n": Operand("c1", "number", whole=True), "Mass (kg)": Operand("c2", "number", "kg"),
    "t": Operand("c3", "text"), "b": Operand("c4", "boolean"), "d": Operand("c5", "date"),
    "a]b": Operand("c6", "number"), "t [s]": Operand("c7", "number", "s"),
}  # fmt: skip
ROW = (
    "(select cast(2.5 as double) as c0, cast(7 as bigint) as c1, cast(1250 as double) as c2, 'Kite' as c3, true as c4,"
    " cast('2024-05-31' as date) as c5, cast(4 as double) as c6, cast(5 as double) as c7)"
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as made:
        yield made


def value_of(sandbox: Sandbox, text: str) -> object:
    bind = Bind()
    found = read_expression(text, COLUMNS, bind)
    return sandbox.ask(f"select {found.sql} from {ROW}", bind.values)[0][0]


@pytest.mark.parametrize(("text", "expected"), [
    ("1 + 2 * 3", 7), ("60000 * 60000", 3_600_000_000),
    ("(1 + 2) * 3", 9), ("-2 ^ 2", -4), ("2 ^ 3 ^ 2", 512), ("7 % 4", 3), ("x / 0", None),
    ("[a]]b] * x", 10), ("n / 2", 3.5), ("round(x * 1.111, 2)", 2.78), ("sqrt(0 - 1)", None), ("ln(0)", None),
    ("log10(1000)", 3), ("if(x > 2 and not b = false, 'big', 'small')", "big"), ("coalesce(ln(0), x)", 2.5),
    ("contains(lower(t), 'ki')", True), ("length(concat(t, \"!\"))", 5), ("d >= '2024-05-31'", True), ("year(d)", 2024),
    ("t = 'it\\'s'", False), ("b or x > 99", True), ("is_missing(ln(0))", True), ("[Mass (kg)] > 1000", True),
    ("number(t)", None), ("least(x, n)", 2.5),
])  # fmt: skip
def test_an_expression_computes(sandbox: Sandbox, text: str, expected: object) -> None:
    assert value_of(sandbox, text) == expected


@pytest.mark.parametrize("text", [
    "t = 'it''s'", "1 < 2 < 3", "x +", "unknown", "t + 1", "[Mass (kg)] > x", "x; drop table base0", "", "c1",
    "read_csv('/etc/passwd')", "[x] -- comment",
])  # fmt: skip
def test_an_expression_that_is_none_says_what_is_wrong(text: str) -> None:
    with pytest.raises(BadInput, match="In the expression"):
        read_expression(text, COLUMNS, Bind())


@pytest.mark.parametrize(("text", "unit"), [
    ("[Mass (kg)] * 2", "kg"), ("[Mass (kg)] / [t [s]]]", "kg/s"), ("[Mass (kg)] / [Mass (kg)]", None),
    ("[Mass (kg)] + 1", "kg"), ("x * [Mass (kg)]", "kg"), ("sqrt([Mass (kg)])", None), ("abs([t [s]]])", "s"),
    ("[t [s]]] ^ 2", "s2"),
])  # fmt: skip
def test_units_go_through_an_expression(text: str, unit: str | None) -> None:
    assert read_expression(text, COLUMNS, Bind()).unit == unit


Pair = tuple[str, float]
NUMBERS = st.integers(-50, 50).map(lambda value: (str(value) if value >= 0 else f"({value})", float(value)))


def _combined(parts: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    signs = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}
    return st.builds(
        lambda a, sign, b: (f"({a[0]} {sign} {b[0]})", signs[sign](a[1], b[1])), parts, st.sampled_from("+-*"), parts
    )


@settings(max_examples=150, deadline=None)
@given(st.recursive(NUMBERS, _combined, max_leaves=8))
def test_arithmetic_is_that_of_numbers(sandbox: Sandbox, pair: Pair) -> None:
    assert value_of(sandbox, pair[0]) == pair[1]


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("abtxn09.+-*/%^=<>!()[]'\",; \\\n$_{}€"), max_size=60))
def test_whatever_is_typed_is_refused_or_becomes_names_signs_and_bound_values(sandbox: Sandbox, text: str) -> None:
    bind = Bind()
    try:
        found = read_expression(text, COLUMNS, bind)
    except BadInput:
        return
    assert set(found.sql) <= set("abcdefghijklmnopqrstuvwxyz_0123456789$(),<>=+-*/ .")
    sandbox.ask(f"select {found.sql} from {ROW}", bind.values)


def test_deep_and_long_expressions_are_refused() -> None:
    for text in ("(" * 99 + "1" + ")" * 99, "-" * 300 + "1", "not " * 100 + "b", "+".join("1" * 500), "2^" * 99 + "2"):
        with pytest.raises(BadInput):
            read_expression(text, COLUMNS, Bind())


@pytest.mark.parametrize("statement", [
    "select * from read_csv('/etc/passwd')", "select * from read_text('/etc/hostname')", "select * from glob('/*')",
    "copy (select 1) to '/tmp/autri-escaped.csv'", "attach '/tmp/autri-escaped.db'", "install httpfs", "load httpfs",
    "select * from 'http://127.0.0.1:1/x.csv'", "select * from '/etc/passwd'", "set memory_limit = '64GB'",
    "set enable_external_access = true", "set allowed_directories = ['/']", "set lock_configuration = false",
    "export database '/tmp/autri-escaped'", "select * from COLUMNS", "select getenv('HOME')",
])  # fmt: skip
def test_even_sql_reaches_no_file_no_network_and_no_setting(sandbox: Sandbox, statement: str) -> None:
    with pytest.raises((duckdb.Error, BadInput)):
        sandbox.ask(statement)
    assert [*Path("/tmp").glob("autri-escaped*")] == []


def test_a_sandbox_with_a_folder_writes_nowhere_else(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in'side", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    with Sandbox(inside) as sandbox:
        named = str(inside).replace("'", "''")
        sandbox.ask(f"copy (select 1) to '{named}/x.parquet' (format parquet)")
        for target in (f"{outside}/x.parquet", f"{named}/../outside/x.parquet"):
            with pytest.raises(duckdb.PermissionException):
                sandbox.ask(f"copy (select 1) to '{target}' (format parquet)")
    assert [*outside.iterdir()] == []


def test_what_takes_too_long_or_too_much_is_ended_with_what_to_do(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.lab.datasets.engine.SECONDS", 0.2)
    with pytest.raises(BadInput, match="took longer"):
        sandbox.ask("select sum(sin(a.range * b.range)) from range(1000000) a, range(1000000) b")
    monkeypatch.setattr("shared.lab.datasets.engine.SECONDS", 60)
    with pytest.raises(BadInput, match="memory"):
        sandbox.ask("select list(repeat('x', 1000) || range) from range(3000000)")
    assert sandbox.ask("select 1") == [(1,)]


LABELS = st.text(min_size=1, max_size=20).filter(lambda text: "\0" not in text)


@settings(max_examples=60, deadline=None)
@given(st.lists(LABELS, min_size=2, max_size=4, unique=True))
def test_labels_never_become_sql(sandbox: Sandbox, labels: list[str]) -> None:
    columns = tuple(
        Column(f"b{at}", DatasetColumn(label=label, type="integer"), frozenset()) for at, label in enumerate(labels)
    )
    listed = ", ".join(f"cast({at + 1} as bigint) as b{at}" for at in range(len(labels)))
    hidden = "cast(0 as bigint) as o, [cast(0 as bigint)] as l, cast(1 as bigint) as n"
    base = Relation(f"select {hidden}, {listed}", columns)

    def no_other(_: object) -> tuple[str, Relation]:
        raise AssertionError("nothing is joined")

    compiler = Compiler(Others(no_other, sandbox.ask))
    escaped = labels[0].replace("]", "]]")
    steps = STEPS.validate_python([
        {"op": "derive", "name": f"={''.join(labels)}", "expression": f"[{escaped}] + 1"},
        {"op": "sort", "column": labels[1]}, {"op": "melt", "columns": labels[:2], "name": "a name", "value": "v"},
        {"op": "pivot", "index": ["a name"], "column": "a name", "value": "v"},
    ])  # fmt: skip
    made = compiler.apply(base, steps)
    assert not any(label in made.sql for label in labels if len(label) > 12)
    names = ", ".join(one.name for one in made.columns)
    found = sandbox.ask(f"select {names} from ({made.sql}) order by o", compiler.bind.values)
    assert found == [(labels[0], 1, None), (labels[1], None, 2)]


def test_equal_steps_have_equal_hashes_whatever_the_order_of_their_fields() -> None:
    one = STEPS.validate_json('[{"op": "sort", "column": "x"}]')
    other = STEPS.validate_json('[{"descending": false, "column": "x", "op": "sort"}]')
    assert canonical_steps(one) == '[{"column":"x","descending":false,"op":"sort"}]'
    assert hash_steps(one) == hash_steps(other)
    assert hash_steps(one) != hash_steps(STEPS.validate_python([{"op": "sort", "column": "y"}]))
