"""Which statements contradict each other, and which only look like it."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from shared.answering.contradictions import find_clash

SETS = tomllib.loads(Path(__file__).with_name("contradictions.toml").read_text(encoding="utf-8"))


def found(pair: dict[str, Any], first: str = "one", second: str = "other") -> str:
    difference = find_clash(pair[first], pair[second], alike=pair.get("alike", False))
    return difference.kind if difference else ""


@pytest.mark.parametrize("pair", SETS["pair"], ids=lambda pair: f"{pair['one']} {pair['other']}")
def test_a_contradiction_is_found_and_what_only_looks_like_one_is_none(pair: dict[str, Any]) -> None:
    assert found(pair) == found(pair, "other", "one") == pair["differ"]


def test_of_pairs_left_out_none_is_a_false_alarm_and_most_are_found() -> None:
    alarms = [pair for pair in SETS["left_out"] if found(pair) and not pair["differ"]]
    real = [pair for pair in SETS["left_out"] if pair["differ"]]
    assert alarms == []
    assert sum(found(pair) == pair["differ"] for pair in real) >= len(real) - 1


def test_the_values_that_differ_are_pointed_at() -> None:
    one, other = "The fee is 5 EUR and lasts 3 days.", "The fee is 5 EUR and lasts 4 days."
    difference = find_clash(one, other)
    assert difference is not None
    assert difference.one is not None
    assert difference.other is not None
    assert (one[slice(*difference.one)], other[slice(*difference.other)]) == ("3 days", "4 days")
