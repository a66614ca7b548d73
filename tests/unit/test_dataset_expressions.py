"""Expressions of datasets: what is typed never becomes SQL, and what is computed is what Python computes."""

import math
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shared.domain.datasets import DatasetColumn
from shared.domain.transforms import STEPS, canonical_steps
from shared.errors import BadInput
from shared.lab.datasets.compiling import Compiler, Others
from shared.lab.datasets.engine import Sandbox
from shared.lab.datasets.expressions import Bind, Operand, read_expression
from shared.lab.datasets.relations import Column, Relation

COLUMNS = {
    "x": Operand("c0", "number"), "n": Operand("c1", "number", whole=True), "Mass (kg)": Operand("c2", "number", "kg"),
    "t": Operand("c3", "text"), "b": Operand("c4", "boolean"), "d": Operand("c5", "date"),
    "a]b": Operand("c6", "number"), "t [s]": Operand("c7", "number", "s"),
    "k": Operand("c8", "number", "g", 1000.0), "v": Operand("c9", "number", "m/s"),
    "warm": Operand("c10", "number", "Cel"), "cold": Operand("c11", "number", "Cel"),
    "hot": Operand("c12", "number", "[degF]"), "p": Operand("c13", "number", "kg/m3"),
    "none": Operand("cast(null as double)", "number"), "earlier": Operand("cast('2024-03-01' as date)", "date"),
    "dense": Operand("c13", "number", "g/cm3"), "g": Operand("c8", "number", "g"),
    "eur": Operand("c8", "number", "EUR"),
}  # fmt: skip
ROW = (
    "(select cast(2.5 as double) as c0, cast(7 as bigint) as c1, cast(1250 as double) as c2, 'Kite' as c3, true as c4,"
    " cast('2024-05-31' as date) as c5, cast(4 as double) as c6, cast(5 as double) as c7,"
    " cast(4 as double) as c8, cast(3 as double) as c9, cast(25 as double) as c10, cast(20 as double) as c11,"
    " cast(77 as double) as c12, cast(2 as double) as c13)"
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
    ("[a]]b] * x", 10), ("[a]b] * x", 10), ("[t [s]] * 2", 10), ("[t [s]]] * 2", 10), ("[t [s]] + [t [s]]", 10),
    ("n / 2", 3.5), ("round(x * 1.111, 2)", 2.78), ("sqrt(0 - 1)", None), ("ln(0)", None),
    ("log10(1000)", 3), ("if(x > 2 and not b = false, 'big', 'small')", "big"), ("coalesce(ln(0), x)", 2.5),
    ("contains(lower(t), 'ki')", True), ("length(concat(t, \"!\"))", 5), ("d >= '2024-05-31'", True), ("year(d)", 2024),
    ("t = 'it\\'s'", False), ("b or x > 99", True), ("is_missing(ln(0))", True), ("[Mass (kg)] > 1000", True),
    ("number(t)", None), ("least(x, n)", 2.5), ("n % 0", None), ("n % (x - x)", None), ("-7 % 4", 1),
    ("(-8) ^ 0.5", None), ("0 ^ -1", None), ("exp(n * 1000)", None), ("is_missing(exp(1000))", True),
    ("if(none > 20, 'hot', 'cold')", None), ("if(not none > 20, 1, 2)", None), ("if(x > 20, 'hot', 'cold')", "cold"),
    ("if(if(none > 1, true, false), 1, 2)", None), ("coalesce(if(none > 1, 1, 2), 3)", 3),
    ("[Mass (kg)] > 1 kg", True), ("[Mass (kg)] = 1.25 t", True), ("[Mass (kg)] < 1250001 g", True),
    ("1 t < [Mass (kg)]", True), ("warm = 298.15 K", True), ("warm = 77 °F", True), ("v > 10 km/h", True),
    ("k = 4 kg", True), ("eur > 3 EUR", True), ("[Mass (kg)] + 500 g", 1250.5), ("warm + 5 K", 30), ("warm - 5 K", 20),
    ("warm - 5 °C", 20), ("warm > -5 °C", True), ("hot + 10 K", 95), ("coalesce([Mass (kg)], 1 g)", 1250),
    ("t in ('Kite', 'Bird')", True), ("t not in ('Kite', 'Bird')", False), ("n in (1, 7)", True), ("none in (1)", None),
    ("n between 7 and 8", True), ("n not between 1 and 7", False), ("n between 1 and 6 or b", True),
    ("[Mass (kg)] between 1 kg and 2 t", True), ("d between '2024-05-01' and '2024-05-31'", True),
    ("d in ('2024-05-31')", True), ("d - earlier", 91), ("d - '2024-05-30'", 1), ("'2024-06-01' - d > 12 h", True),
    ("replace(t, 'K', 'B')", "Bite"), ("substring(t, 2)", "ite"), ("substring(t, 1, 2)", "Ki"),
    ("5 m/2", 2.5), ("12 kg / 2", 6), ("[Mass (kg)]*5 kg/10", 625), ("10 m/s/2", 5), ("1 kg/m3*2", 2),
    ("4 kg between g and g", False), ("0.004 kg in (g)", True), ("4 g between g and 1 kg", True),
    ("1 kg in (g, 1000 g)", True), ("4 kg not in (g, 2 kg)", True), ("298.15 K between warm and cold + 5", True),
    ("4 kg in (k)", True), ("4 between g and g", True), ("1 kg between 999 g and 1001 g", True),
    ("coalesce(1 g, [Mass (kg)])", 0.001), ("greatest(2 t, 1, [Mass (kg)])", 2000), ("least(1 kg, 500 g)", 0.5),
    ("'2024-05-31' between d and '2024-06-01'", True), ("'2024-05-31' in ('2024-05-30', d)", True),
    ("least('2024-06-30', d) = d", True), ("coalesce('2024-06-30', d) = '2024-06-30'", True),
])  # fmt: skip
def test_an_expression_computes(sandbox: Sandbox, text: str, expected: object) -> None:
    assert value_of(sandbox, text) == expected


@pytest.mark.parametrize("text", [
    "t = 'it''s'", "1 < 2 < 3", "x +", "unknown", "t + 1", "[Mass (kg)] > x", "x; drop table base0", "", "c1",
    "read_csv('/etc/passwd')", "[x] -- comment", "[Mass (kg)] > 1 m", "x > 1 kg", "5 nonsense",
    "t in (1)", "x between 1",
    "d - 5", "d + d", "eur > 3 USD", "in", "5 m/x", "1 kg between g and [Mass (kg)]", "4 in (g, [Mass (kg)])",
])  # fmt: skip
def test_an_expression_that_is_none_says_what_is_wrong(text: str) -> None:
    with pytest.raises(BadInput, match="In the expression"):
        read_expression(text, COLUMNS, Bind())


@pytest.mark.parametrize(("text", "unit"), [
    ("[Mass (kg)] * 2", "kg"), ("[Mass (kg)] / [t [s]]]", "kg/s"), ("[Mass (kg)] / [Mass (kg)]", None),
    ("[Mass (kg)] + 1", "kg"), ("x * [Mass (kg)]", "kg"), ("sqrt([Mass (kg)])", None), ("abs([t [s]]])", "s"),
    ("[t [s]]] ^ 2", "s2"), ("v ^ 2", "m2/s2"), ("p ^ 2", "kg2/m6"), ("v ^ 3", "m3/s3"), ("warm ^ 2", None),
    ("if(b, 0, [Mass (kg)])", "kg"), ("coalesce(0, [Mass (kg)])", "kg"), ("least(5, [Mass (kg)], 7)", "kg"),
    ("least(5 g, [Mass (kg)])", "kg"),
    ("g / dense", "cm3"), ("[Mass (kg)] / dense", "kg.cm3/g"), ("g / [Mass (kg)]", "g/kg"), ("v * [t [s]]]", "m"),
    ("v / [t [s]]]", "m/s2"), ("p * v ^ 2", "kg/m/s2"), ("5 / [t [s]]]", "s-1"), ("5 / v", "s/m"), ("v / v", None),
    ("[t [s]]] * [t [s]]]", "s2"), ("eur / [Mass (kg)]", None), ("eur * 2", "EUR"), ("eur / eur", None),
    ("warm * 9 / 5 + 32", None), ("warm * 2", None), ("warm / [t [s]]]", None), ("g * warm", None), ("-warm", None),
    ("warm + cold", None), ("(warm - cold) / [t [s]]]", "K/s"), ("5 - warm", "K"), ("warm + 5", "Cel"),
    ("warm + 5 K", "Cel"), ("warm - 5 K", "Cel"), ("warm - 5 °C", "K"), ("5 kg", "kg"), ("-(5 °C)", "Cel"),
    ("5 m/s * [t [s]]]", "m"), ("5 m / [t [s]]]", "m/s"), ("d - earlier", "d"),
    ("warm - cold", "K"), ("hot - hot", "K"), ("warm - 5", "Cel"), ("warm % 10", "Cel"),
])  # fmt: skip
def test_units_go_through_an_expression(text: str, unit: str | None) -> None:
    assert read_expression(text, COLUMNS, Bind()).unit == unit


@pytest.mark.parametrize(("text", "expected"), [
    ("k ^ 2", 4000.0**2), ("sqrt(k)", math.sqrt(4000)), ("ln(k)", math.log(4000)), ("log10(k)", math.log10(4000)),
    ("log2(k)", math.log2(4000)), ("exp(k / 1000000)", math.exp(0.004)), ("1.001 ^ k", 1.001**4000),
    ("k * 3", 12_000.0),
    ("x / k", 2.5 / 4000), ("warm - cold", 5.0), ("hot - 77", 0.0),
])  # fmt: skip
def test_a_number_printed_in_thousands_counts_as_what_it_is(sandbox: Sandbox, text: str, expected: float) -> None:
    bind = Bind()
    found = read_expression(text, COLUMNS, bind)
    printed = sandbox.ask(f"select {found.sql} from {ROW}", bind.values)[0][0]
    assert printed * found.scale == pytest.approx(expected, rel=1e-12)


def test_a_difference_of_degrees_fahrenheit_is_five_ninths_of_as_many_kelvin() -> None:
    assert read_expression("hot - hot", COLUMNS, Bind()).scale == pytest.approx(5 / 9)


@pytest.mark.parametrize("text", ["least(1, [Mass (kg)], x)", "if(b, 1, t)", "coalesce(0, v, x)", "v % [Mass (kg)]"])
def test_a_number_that_comes_first_hides_no_difference_of_units_or_types(text: str) -> None:
    with pytest.raises(BadInput, match=r"both|two sides"):
        read_expression(text, COLUMNS, Bind())


@pytest.mark.parametrize(("start", "end"), [
    ("sqrt(", ")"), ("ln(", ")"), ("1 / (x + ", ")"), ("7 % (n + ", ")"), ("2 ^ (", ")"), ("exp(-", ")"),
    ("round(", ")"), ("if(b, ", ", 1)"), ("if(1 < ", ", 1, 2)"), ("coalesce(x, ", ")"),
])  # fmt: skip
def test_a_statement_grows_with_its_depth_and_not_by_its_power(sandbox: Sandbox, start: str, end: str) -> None:
    def nested(depth: int) -> str:
        return start * depth + "n" + end * depth

    lengths = [len(read_expression(nested(depth), COLUMNS, Bind()).sql) for depth in (6, 12, 18)]
    assert lengths[2] - lengths[1] < 1.2 * (lengths[1] - lengths[0])
    before = time.process_time()
    value_of(sandbox, nested(18))
    assert time.process_time() - before < 2


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
    assert set(found.sql) <= set("abcdefghijklmnopqrstuvwxyz_0123456789$(),<>=+-*/ .[]:")
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
@example(["a", "b", "v"])
def test_labels_never_become_sql(sandbox: Sandbox, labels: list[str]) -> None:
    columns = tuple(
        Column(f"b{at}", DatasetColumn(label=label, type="integer"), frozenset()) for at, label in enumerate(labels)
    )
    listed = ", ".join(f"cast({at + 1} as bigint) as b{at}" for at in range(len(labels)))
    hidden = "cast(0 as bigint) as o, [cast(0 as bigint)] as l, cast(1 as bigint) as n"
    base = Relation(f"select {hidden}, {listed}", columns)

    def no_other(_: object) -> tuple[str, Relation]:
        raise AssertionError("nothing is joined")

    compiler = Compiler(Others(no_other, sandbox.ask, list, list, list, lambda *_: ""))
    escaped, longer = labels[0].replace("]", "]]"), f"={''.join(labels)}"
    name, value = f"n{longer}", f"v{longer}"
    steps = STEPS.validate_python([
        {"op": "derive", "name": longer, "expression": f"[{escaped}] + 1"},
        {"op": "sort", "column": labels[1]}, {"op": "melt", "columns": labels[:2], "name": name, "value": value},
        {"op": "pivot", "index": [name], "column": name, "value": value},
    ])  # fmt: skip
    made = compiler.apply(base, steps)
    assert not any(label in made.sql for label in labels if len(label) > 12)
    names = ", ".join(one.name for one in made.columns)
    found = sandbox.ask(f"select {names} from ({made.sql}) order by o", compiler.bind.values)
    assert found == [(labels[0], 1, None), (labels[1], None, 2)]


def test_steps_count_thousands_as_thousands_and_spread_of_degrees_in_kelvin(sandbox: Sandbox) -> None:
    columns = (
        Column("b0", DatasetColumn(label="k", type="quantity", unit="g", scale=1000), frozenset()),
        Column("b1", DatasetColumn(label="warm", type="quantity", unit="Cel"), frozenset()),
    )
    rows = "(values (0, cast(4 as double), cast(20 as double)), (1, 0, 24), (2, -1, 28)) as t(o, b0, b1)"
    base = Relation(f"select o, [o] as l, 1 as n, b0, b1 from {rows}", columns)

    def computed(*steps: object) -> tuple[Relation, list[tuple[object, ...]]]:
        compiler = Compiler(Others(lambda _: ("", base), sandbox.ask, list, list, list, lambda *_: ""))
        made = compiler.apply(base, STEPS.validate_python(steps))
        names = ", ".join(one.name for one in made.columns)
        return made, sandbox.ask(f"select {names} from ({made.sql}) order by o", compiler.bind.values)

    made, found = computed({"op": "log", "column": "k", "base": "10"})
    assert [row[2] for row in found] == [pytest.approx(math.log10(4000)), None, None]
    assert made.columns[2].of.formula == "log10([k] × 1000)"
    made, found = computed({
        "op": "group", "by": [],
        "aggregates": [{"function": name, "column": "warm"} for name in ("mean", "stddev", "stderr", "max")],
    })  # fmt: skip
    assert found == [(24, 4, pytest.approx(4 / math.sqrt(3)), 28)]
    assert [one.of.unit for one in made.columns] == ["Cel", "K", "K", "Cel"]
    made, found = computed({"op": "group", "aggregates": [{"function": "sum", "column": "warm"}]})
    assert (found, made.columns[0].of.unit, made.columns[0].of.type) == ([(72,)], None, "number")


@pytest.mark.parametrize(("said", "expected"), [
    (None, ("number", None)), ("°F", ("quantity", "[degF]")), ("EUR", ("quantity", "EUR")), ("", ("number", None)),
])  # fmt: skip
def test_a_person_says_in_what_computed_numbers_are(said: str | None, expected: tuple[str, str | None]) -> None:
    hidden = "cast(0 as bigint) as o, [cast(0 as bigint)] as l, cast(1 as bigint) as n"
    warm = Column("b0", DatasetColumn(label="warm", type="quantity", unit="Cel"), frozenset())
    base = Relation(f"select {hidden}, cast(20 as double) as b0", (warm,))
    step = {"op": "derive", "name": "hot", "expression": "warm * 9 / 5 + 32"} | ({} if said is None else {"unit": said})
    compiler = Compiler(Others(lambda _: ("", base), lambda *_: [], list, list, list, lambda *_: ""))
    made = compiler.apply(base, STEPS.validate_python([step])).columns[1].of
    assert (made.type, made.unit) == expected


def test_what_has_no_unit_is_converted_once_a_person_has_said_it(sandbox: Sandbox) -> None:
    hidden = "cast(0 as bigint) as o, [cast(0 as bigint)] as l, cast(1 as bigint) as n"
    warm = Column("b0", DatasetColumn(label="warm", type="quantity", unit="Cel"), frozenset())
    base = Relation(f"select {hidden}, cast(20 as double) as b0", (warm,))
    compiler = Compiler(Others(lambda _: ("", base), sandbox.ask, list, list, list, lambda *_: ""))
    derived = {"op": "derive", "name": "hot", "expression": "warm * 9 / 5 + 32"}
    convert = {"op": "convert", "column": "hot", "unit": "Cel"}
    with pytest.raises(BadInput, match="Say its `unit` in the step that computes it first"):
        compiler.apply(base, STEPS.validate_python([derived, convert]))
    made = compiler.apply(base, STEPS.validate_python([derived | {"unit": "°F"}, convert]))
    found = sandbox.ask(f"select {made.columns[1].name} from ({made.sql})", compiler.bind.values)
    assert found == [(pytest.approx(20),)]
    for wrong in ({"unit": "furlings"}, {"expression": "text(warm)", "unit": "kg"}):
        with pytest.raises(BadInput, match="no unit"):
            compiler.apply(base, STEPS.validate_python([derived | wrong]))


def test_equal_steps_have_equal_hashes_whatever_the_order_of_their_fields() -> None:
    one = STEPS.validate_json('[{"op": "sort", "column": "x"}]')
    other = STEPS.validate_json('[{"descending": false, "column": "x", "op": "sort"}]')
    assert canonical_steps(one) == '[{"column":"x","descending":false,"op":"sort"}]'
    derived = '[{"expression":"x","name":"y","op":"derive"}]'
    assert canonical_steps(STEPS.validate_json(derived)) == derived
    assert canonical_steps(one) == canonical_steps(other)
    assert canonical_steps(one) != canonical_steps(STEPS.validate_python([{"op": "sort", "column": "y"}]))
