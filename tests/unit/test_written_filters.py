import json

import pytest

from shared.filters.text import parse_filter, read_where
from shared.filters.tree import AllOf, AnyOf, Comparison, Filter, NoneOf
from shared.filters.written import join_parts, simplify, write_filter, write_name

TEXTS = [
    "power >= 10 hp and power < 20 hp and lubrication = oilless",
    "mass = 10 kg or mass = 20 kg and price < 200 USD",
    "(mass = 10 kg or mass = 20 kg) and not price < 200 USD",
    "not (hp = 1 or hp = 2)",
    "not not hp exists",
    "hp between 10 and 20 hp",
    'made between "2025-01-01" and "2025-02-01"',
    'model in ("911", K-7)',
    'model != "9 1 1" and "and" = "in"',
    'model = "say \\"hi\\" \\\\ there"',
    "quiet = true and loud != false",
    "noise <= 70 dB(A)",
    "x = 1e-07 and y = 123456789012",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_filter_is_written_as_it_was(text: str) -> None:
    assert write_filter(parse_filter(text)) == text


@pytest.mark.parametrize(
    "tree",
    [
        Comparison(attr="a", op="eq", value="oil or water"),
        Comparison(attr="a", op="eq", value=2.0, unit="odd, unit"),
        Comparison(attr="a", op="exists", value=False),
        NoneOf.model_validate({"not": [parse_filter("a = 1"), parse_filter("b = 2")]}),
        AllOf(all=(AllOf(all=(parse_filter("a = 1"), parse_filter("b = 2"))), parse_filter("c = 3"))),
        AnyOf(any=(AllOf(all=(parse_filter("a = 1"),)), AnyOf(any=(parse_filter("b = 2"), parse_filter("c = 3"))))),
        Comparison(attr="a", op="eq", value="true"),
        Comparison(attr="a", op="eq", value="yes"),
        Comparison(attr="a b", op="in", value=["x", 2.0]),
        Comparison(attr="a", op="between", value=["2025", "2026"]),
    ],
)
def test_whatever_is_written_reads_as_what_it_was(tree: Filter) -> None:
    read = read_where(write_filter(tree))
    assert read is not None
    assert simplify(read) == simplify(tree)


def test_a_unit_that_the_grammar_cannot_say_is_given_as_json() -> None:
    tree = Comparison(attr="a", op="eq", value=2.0, unit="odd, unit")
    assert json.loads(write_filter(tree)) == {"attr": "a", "op": "eq", "value": 2.0, "unit": "odd, unit"}


def test_parts_are_joined_once() -> None:
    part = parse_filter("a = 1")
    assert join_parts([part, part]) == part
    assert join_parts([]) is None


@pytest.mark.parametrize(("name", "written"), [("hp", "hp"), ("not", '"not"'), ("a b", '"a b"'), ("5", '"5"')])
def test_names_are_quoted_where_they_must_be(name: str, written: str) -> None:
    assert write_name(name) == written


def test_parts_with_lists_of_values_are_joined_each_once() -> None:
    span, some = parse_filter("power between 10 and 20 hp"), parse_filter("model in (a, b)")
    joined = join_parts([span, some, parse_filter("power between 10 and 20 hp")])
    assert joined is not None
    assert write_filter(joined) == "power between 10 and 20 hp and model in (a, b)"
