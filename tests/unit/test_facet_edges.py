from datetime import UTC, datetime

import pytest

from shared.filters.facets.edges import RANGES_MAX, number_edges, time_edges
from shared.values.unit_names import unit_name
from shared.values.units import ucum_unit, whole_unit
from shared.values.units_table import SURFACES


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (10, 40, [10, 15, 20, 25, 30, 35, 40, 45]),
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1, 1.2]),
        (1984, 2015, [1980, 1985, 1990, 1995, 2000, 2005, 2010, 2015, 2020]),
        (-3, 3, [-3, -2, -1, 0, 1, 2, 3, 4]),
        (15, 15, [15, 17]),
        (0, 0, [0, 0.2]),
    ],
)
def test_ranges_begin_at_round_numbers(low: float, high: float, expected: list[float]) -> None:
    assert number_edges(low, high) == expected


@pytest.mark.parametrize("low", [-1e12, -7.3, 0.0, 1e-9, 0.1, 3.0, 9.99, 1e7])
@pytest.mark.parametrize("span", [0.0, 1e-6, 0.3, 1.0, 7.77, 1e3, 1e13])
def test_ranges_hold_every_number(low: float, span: float) -> None:
    edges = number_edges(low, low + span)
    assert edges == sorted(set(edges))
    assert len(edges) - 1 <= RANGES_MAX
    assert edges[0] <= low + abs(low) * 1e-9
    assert low + span < edges[-1]


@pytest.mark.parametrize(
    ("first", "last", "count", "begin"),
    [
        (datetime(2026, 3, 1, 5, tzinfo=UTC), datetime(2026, 3, 4, 23, tzinfo=UTC), 4, "2026-03-01"),
        (datetime(2026, 1, 31, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC), 6, "2026-01-01"),
        (datetime(2025, 11, 2, tzinfo=UTC), datetime(2027, 2, 1, tzinfo=UTC), 6, "2025-10-01"),
        (datetime(1984, 1, 1, tzinfo=UTC), datetime(2015, 1, 1, tzinfo=UTC), 8, "1980-01-01"),
    ],
)
def test_dates_are_in_days_months_and_years(first: datetime, last: datetime, count: int, begin: str) -> None:
    edges = time_edges(first, last)
    assert (len(edges) - 1, edges[0].date().isoformat()) == (count, begin)
    assert edges[0] <= first
    assert edges[-1] > last
    assert edges == sorted(set(edges))


def test_the_longest_time_has_few_ranges() -> None:
    edges = time_edges(datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC))
    assert len(edges) <= RANGES_MAX + 1


def test_the_name_of_a_unit_reads_as_that_unit() -> None:
    assert [unit_name(code) for code in ("[HP]", "[cft_i]/min", "kW", "USD", "%")] == ["hp", "cfm", "kW", "USD", "%"]
    for code in set(SURFACES.values()):
        read = whole_unit(unit_name(code)) or ucum_unit(unit_name(code))
        assert read is not None, code
        assert read.code == code
