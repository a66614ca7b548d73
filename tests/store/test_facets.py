"""Facets of a result: counts that are what their filters find, for whom they are, and how the result is ordered."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from shared.domain.facets import Facet, FacetRange, Facets
from shared.domain.scope import Identity
from shared.errors import BadFilter, BadInput
from shared.filters import selection as selections
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from tests.store.seeding import add_base
from tests.store.test_filters import MACHINES, add_chunks, passing

COMPRESSORS: list[tuple[str, list[tuple[str, object]]]] = [
    ("apex rotary", [("power", "10 hp"), ("flow", "35 cfm"), ("lubrication", "oilless"), ("price", "USD 9000"),
                     ("made", datetime(2023, 5, 1, tzinfo=UTC)), ("quiet", True)]),
    ("bora rotary", [("power", "15 hp"), ("flow", "95 cfm"), ("lubrication", "Oilless"), ("price", "USD 12000"),
                     ("made", datetime(2025, 2, 3, tzinfo=UTC)), ("quiet", True)]),
    ("ciro rotary", [("power", "20 hp"), ("flow", "90 cfm"), ("lubrication", "oilless"), ("price", "EUR 11000"),
                     ("made", datetime(2024, 7, 9, tzinfo=UTC)), ("quiet", False)]),
    ("dune piston", [("power", "18.4 kW"), ("flow", "140 cfm"), ("lubrication", "oil"), ("price", "USD 15000")]),
    ("echo piston", [("power", "10–15 hp"), ("flow", "50 cfm"), ("lubrication", "oil"), ("price", "USD 8000")]),
    ("fern piston", [("power", "40 hp"), ("power", "12 hp"), ("lubrication", "oil"), ("lubrication", "grease")]),
    ("gale manual", []),
]  # fmt: skip


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    scope = add_base(runtime, identity, "compressors")
    add_chunks(runtime, scope, "Compressors", COMPRESSORS)
    return scope.knowledge_base_ids[0]


def found(runtime: Runtime, identity: Identity, base: UUID, **fields: Any) -> str:
    """The first letters of the hits, in their order."""
    request = SearchRequest.model_validate({"knowledge_base_ids": [base], "k": 50, **fields})
    return "".join(hit.chunk.content[0] for hit in search(runtime, identity, request).hits)


def facets_of(runtime: Runtime, identity: Identity, base: UUID, **fields: Any) -> Facets:
    request = SearchRequest.model_validate({"knowledge_base_ids": [base], "facets": True, **fields})
    counted = search(runtime, identity, request).facets
    assert counted is not None
    return counted


def facet(counted: Facets, name: str, unit: str | None = None) -> Facet:
    (one,) = [f for f in counted.attributes if f.name == name and (unit is None or f.unit == unit)]
    return one


def shown(ranges: Sequence[FacetRange]) -> dict[str, int]:
    return {f"{one.low}..{one.high}": one.count for one in ranges if one.count}


def test_values_are_counted_by_chunk_without_case(runtime: Runtime, identity: Identity, base: UUID) -> None:
    counted = facets_of(runtime, identity, base, where="power exists")
    assert (counted.counted, counted.chunks) == ("matches", 6)
    lubrication = facet(counted, "lubrication")
    assert [(v.value.lower(), v.count) for v in lubrication.values] == [("oil", 3), ("oilless", 3), ("grease", 1)]
    assert lubrication.chunks == 6
    assert {v.value: v.count for v in facet(counted, "quiet").values} == {"true": 2, "false": 1}


def test_numbers_are_counted_in_the_unit_that_is_printed_most(runtime: Runtime, identity: Identity, base: UUID) -> None:
    power = facet(facets_of(runtime, identity, base, where="power exists"), "power")
    assert (power.unit, power.low, power.high, power.chunks) == ("hp", 10, 40, 6)
    # 18.4 kW are 24.7 hp; 10–15 hp are in two ranges, the two values of one chunk in theirs.
    assert shown(power.ranges) == {"10.0..15.0": 3, "15.0..20.0": 2, "20.0..25.0": 2, "40.0..45.0": 1}


def test_money_is_counted_by_currency(runtime: Runtime, identity: Identity, base: UUID) -> None:
    counted = facets_of(runtime, identity, base, where="power exists")
    assert facet(counted, "price", "USD").chunks == 4
    assert (facet(counted, "price", "EUR").low, facet(counted, "price", "EUR").chunks) == (11000, 1)


def test_dates_are_counted_by_periods(runtime: Runtime, identity: Identity, base: UUID) -> None:
    made = facet(facets_of(runtime, identity, base, where="power exists"), "made")
    assert (str(made.low), str(made.high)) == ("2023-05-01", "2025-02-03")
    assert shown(made.ranges) == {
        "2023-04-01..2023-07-01": 1, "2024-07-01..2024-10-01": 1, "2025-01-01..2025-04-01": 1
    }  # fmt: skip


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize(
    "where",
    [
        None,
        "power exists",
        "lubrication = oilless",
        "power >= 10 hp and power <= 20 hp",
        "not quiet = true",
        "power between 10 and 20 hp",
        "lubrication in (oilless, grease) and flow >= 35 cfm",
    ],
)
def test_each_count_is_what_its_filter_finds(
    runtime: Runtime, identity: Identity, base: UUID, where: str | None, listed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not listed:
        monkeypatch.setattr(selections, "LISTED_MAX", 0)
        monkeypatch.setattr(selections, "EXPECTED_MAX", -1)
    counted = facets_of(runtime, identity, base, where=where, sort="newest")
    assert counted.chunks == len(passing(runtime, identity, base, where, sort="newest"))
    choices = [choice for one in counted.attributes for choice in [*one.values, *one.ranges] if not choice.chosen]
    assert len(choices) > 5
    for choice in choices:
        assert len(passing(runtime, identity, base, choice.where)) == choice.count, choice


def test_a_chosen_value_or_range_is_taken_away_by_its_filter(runtime: Runtime, identity: Identity, base: UUID) -> None:
    where = "lubrication = oilless and power >= 15 hp and power < 20 hp"
    counted = facets_of(runtime, identity, base, where=where)
    assert counted.chunks == 1
    (chosen,) = [value for value in facet(counted, "lubrication").values if value.chosen]
    assert chosen.where == "power >= 15 hp and power < 20 hp"
    power = facet(counted, "power")
    assert power.rest == "lubrication = oilless"
    assert all(one.where.count("power") == 2 for one in power.ranges if not one.chosen)


def test_a_filter_that_matches_nothing_counts_nothing(runtime: Runtime, identity: Identity, base: UUID) -> None:
    counted = facets_of(runtime, identity, base, where="power > 1000 hp")
    assert (counted.chunks, counted.attributes) == (0, [])
    assert found(runtime, identity, base, where="power > 1000 hp", sort="price desc") == ""


def test_a_query_counts_what_it_ranked(runtime: Runtime, identity: Identity, base: UUID) -> None:
    counted = facets_of(runtime, identity, base, query="rotary", index="fts", k=1)
    assert (counted.counted, counted.chunks) == ("candidates", 3)
    assert {v.value.lower(): v.count for v in facet(counted, "lubrication").values} == {"oilless": 3}
    none = facets_of(runtime, identity, base, query="rotary", index="fts", where="power > 30 hp")
    assert (none.chunks, none.attributes) == (0, [])


def test_named_attributes_are_counted_and_unknown_ones_refused(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    counted = facets_of(runtime, identity, base, where="power exists", facets=["Price", "lubrication"])
    assert [one.name for one in counted.attributes] == ["price", "price", "lubrication"]
    with pytest.raises(BadFilter, match=r"There is no attribute `colour`\. Declared are: .*power"):
        facets_of(runtime, identity, base, where="power exists", facets=["colour"])


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("power", "aefbcdg"),
        ("power desc", "fdcbaeg"),
        ("price", "eabdcfg"),
        ("lubrication desc", "abcdefg"),
        ('"Power" DESC', "fdcbaeg"),
        ("newest", None),
    ],
)
def test_a_result_is_ordered_by_an_attribute_with_what_lacks_it_last(
    runtime: Runtime, identity: Identity, base: UUID, sort: str, expected: str | None
) -> None:
    order = found(runtime, identity, base, sort=sort)
    assert sorted(order) == list("abcdefg")
    assert expected is None or order == expected


def test_a_query_is_ordered_by_an_attribute(runtime: Runtime, identity: Identity, base: UUID) -> None:
    assert found(runtime, identity, base, query="rotary", index="fts", sort="flow desc") == "bca"
    assert found(runtime, identity, base, query="rotary", index="fts", sort="flow", k=1) == "a"


@pytest.mark.parametrize("sort", ["", "  ", "newest desc"])
def test_an_order_that_names_nothing_is_refused(runtime: Runtime, identity: Identity, base: UUID, sort: str) -> None:
    with pytest.raises(BadInput, match="is no order"):
        found(runtime, identity, base, sort=sort)


def test_an_unknown_attribute_to_order_by_is_refused(runtime: Runtime, identity: Identity, base: UUID) -> None:
    with pytest.raises(BadFilter, match="There is no attribute `colour`"):
        found(runtime, identity, base, sort="colour desc")


def test_what_others_keep_restricted_is_not_counted(runtime: Runtime, identity: Identity, base: UUID) -> None:
    other = add_base(runtime, identity, "other compressors")
    add_chunks(runtime, other, "Others", [("zeta rotary", [("lubrication", "oilless"), ("secret", "yes indeed")])])
    counted = facets_of(runtime, identity, base, where="lubrication exists")
    assert "secret" not in json.dumps(counted.model_dump(mode="json"))
    both = SearchRequest(
        knowledge_base_ids=[base, *other.knowledge_base_ids], where="lubrication exists", facets=["lubrication"]
    )
    answer = search(runtime, identity, both).facets
    assert answer is not None
    assert {v.value.lower(): v.count for v in answer.attributes[0].values} == {"oil": 3, "oilless": 4, "grease": 1}


def test_bounds_and_inexact_numbers_are_counted_as_filters_take_them(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "bounds")
    add_chunks(runtime, scope, "Machines", MACHINES)
    (base,) = scope.knowledge_base_ids
    for choice in [c for one in facets_of(runtime, identity, base, sort="mass").attributes for c in one.ranges]:
        assert len(passing(runtime, identity, base, choice.where)) == choice.count, choice
