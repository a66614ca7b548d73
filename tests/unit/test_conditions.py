"""Conditions on values that a query states."""

import pytest

from shared.retrieval.conditions import read_conditions


@pytest.mark.parametrize(
    ("query", "conditions"),
    [
        ("a machine with 20 kW that weighs at most 300 kg", {"W": [("eq", 20_000.0)], "kg": [("le", 300.0)]}),
        ("between 2 and 3, more than 5 kW and under 3,000 EUR", {"W": [("gt", 5000.0)], "EUR": [("lt", 3000.0)]}),
        ("about 4 m", {"m": [("eq", 4.0)]}),
        ("10 to 20 kg", {"kg": [("ge", 10.0), ("le", 20.0)]}),
        ("over 1 kg and below 2 kg", {"kg": [("gt", 1.0), ("lt", 2.0)]}),
        ("the TA-37V in Q3 2022, 25 elements", {}),
    ],
)
def test_a_condition_is_a_number_in_a_unit(query: str, conditions: dict[str, list[tuple[str, float]]]) -> None:
    found = read_conditions(query)
    assert {unit: [(one.op, one.values[0]) for one in checks] for unit, checks in found.items()} == conditions
    assert all(check.unit == unit for unit, checks in found.items() for check in checks)
