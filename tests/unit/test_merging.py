"""Which printed names a proposal takes for one attribute, and which it never does."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from uuid import UUID

import pytest

from shared.library.curation.merging import merge_parts, split_names
from shared.library.curation.words import core_words
from shared.store.observed import Figure, Kind, Observed, PlacedValue

WATT, PASCAL, FLOW, CUBIC, KILO = "W", "Pa", "m3/s", "m3", "kg"


def numbers(name: str, unit: str = "", count: int = 10) -> Observed:
    return Observed(name, {("number", unit): Kind("number", unit, count)})


def texts(name: str, *values: str) -> Observed:
    return Observed(name, {("text", ""): Kind("text", "", len(values))}, texts=Counter(values))


def groups(
    seen: Iterable[Observed],
    beside: Sequence[Sequence[PlacedValue]] = (),
    figures: Mapping[str, Collection[Figure]] | None = None,
) -> set[frozenset[str]]:
    return {frozenset(part.name for part in group.parts) for group in merge_parts(split_names(seen), beside, figures)}


def stated(*figures: float, document: int = 1) -> set[Figure]:
    return {(UUID(int=document), "USD", figure) for figure in figures}


def one(*names: str) -> frozenset[str]:
    return frozenset(names)


def row(**values: tuple[str, float]) -> list[PlacedValue]:
    """Each printed in a unit of its own."""
    return [
        PlacedValue(name, unit, number, printed)
        for printed, (name, (unit, number)) in zip(("hp", "kW"), values.items(), strict=True)
    ]


def test_what_only_names_the_dimension_goes_with_the_one_name_that_says_more() -> None:
    seen = [numbers("motor_power", WATT), numbers("hp", WATT), numbers("horsepower", WATT), numbers("kw", WATT)]
    assert groups(seen) == {one("motor_power", "hp", "horsepower", "kw")}


def test_of_two_names_that_say_more_a_plain_one_goes_with_neither_and_says_with_which_it_might() -> None:
    seen = [numbers("motor_power", WATT), numbers("fan_power", WATT), numbers("hp", WATT, 3)]
    found = merge_parts(split_names(seen), [])
    assert {frozenset(part.name for part in group.parts) for group in found} == {
        one("motor_power"), one("fan_power"), one("hp"),
    }  # fmt: skip
    plain = next(group for group in found if group.parts[0].name == "hp")
    assert plain.maybe == {"motor_power", "fan_power"}


def test_columns_of_one_table_are_two_attributes_however_alike_their_names() -> None:
    seen = [numbers("max_pressure", PASCAL), numbers("pressure", PASCAL)]
    assert groups(seen) == {one("max_pressure", "pressure")}
    beside = [row(max_pressure=(PASCAL, 8e5 + at), pressure=(PASCAL, 7e5 + at)) for at in range(5)]
    assert groups(seen, beside) == {one("max_pressure"), one("pressure")}


def test_one_value_printed_in_two_units_side_by_side_is_one_attribute() -> None:
    seen = [numbers("engine_rating", WATT), numbers("motor_size", WATT)]
    beside = [row(engine_rating=(WATT, 7457.0 * at), motor_size=(WATT, 7500.0 * at)) for at in range(1, 6)]
    assert groups(seen, beside) == {one("engine_rating", "motor_size")}
    assert groups(seen, [row(engine_rating=(WATT, 7457.0), motor_size=(WATT, 5500.0))] * 5) == {
        one("engine_rating"), one("motor_size"),
    }  # fmt: skip


def test_equal_numbers_in_one_unit_side_by_side_are_two_columns() -> None:
    seen_names = ("cash_adjusted_cost", "cash_fair_value")
    seen = [numbers(name, "USD") for name in seen_names]
    beside = [
        [PlacedValue(name, "USD", 1e6 * at, unit) for name, unit in zip(seen_names, units, strict=True)]
        for at in range(1, 6)
        for units in (("$", "$"), (None, "$"))
    ]
    assert groups(seen, beside) == {one(name) for name in seen_names}


def test_a_longer_name_that_states_the_same_figures_is_the_same_attribute() -> None:
    names = ("marketable_securities", "current_assets_marketable_securities", "total_marketable_securities")
    seen = [numbers(name, "USD") for name in names]
    figures = {name: stated(24658e6, 31590e6, 18283e6) for name in names}
    assert groups(seen, (), figures) == {one(*names)}
    # What a document says that has but one of the names is no matter.
    more = {name: figures[name] | stated(*range(101, 120), document=at) for at, name in enumerate(names, 2)}
    assert groups(seen, (), more) == {one(*names)}
    assert groups(seen) == {one(name) for name in names}


@pytest.mark.parametrize(
    "figures",
    [stated(101e6, 102e6, 103e6), stated(24658e6, 31590e6), stated(24658e6, 31590e6, 18283e6, document=2),
     stated(24658e6, 31590e6, 18283e6, 101e6, 102e6, 103e6)],
    ids=["others", "two alone", "of another document", "half of them"],
)  # fmt: skip
def test_a_longer_name_of_other_figures_is_another_attribute(figures: set[Figure]) -> None:
    seen = [numbers("inventories", "USD"), numbers("changes_in_inventories", "USD")]
    own = stated(24658e6, 31590e6, 18283e6, 201e6, 202e6, 203e6)
    assert groups(seen, (), {"inventories": own, "changes_in_inventories": figures}) == {
        one("inventories"), one("changes_in_inventories"),
    }  # fmt: skip


def test_round_figures_and_names_of_other_words_say_nothing() -> None:
    seen = [numbers("seats", "USD"), numbers("rear_seats", "USD")]
    assert groups(seen, (), dict.fromkeys(("seats", "rear_seats"), stated(1, 2, 3, 40, 5e6, 66))) == {
        one("seats"), one("rear_seats"),
    }  # fmt: skip
    balance = [numbers("total_assets", "USD"), numbers("total_liabilities_and_equity", "USD"), numbers("total", "USD")]
    figures = {seen.name: stated(24658e6, 31590e6, 18283e6) for seen in balance}
    assert groups(balance, (), figures) == {one(seen.name) for seen in balance}


def test_columns_of_one_table_that_agree_are_two_attributes() -> None:
    seen = [numbers("price", "USD"), numbers("list_price", "USD")]
    beside = [[PlacedValue("price", "USD", 101.0, "$"), PlacedValue("list_price", "USD", 101.0, "$")]] * 5
    figures = dict.fromkeys(("price", "list_price"), stated(101, 102, 103))
    assert groups(seen, beside, figures) == {one("price"), one("list_price")}


def test_what_stands_apart_is_not_joined_over_a_third_name() -> None:
    seen = [numbers("inlet_pressure", PASCAL), numbers("outlet_pressure", PASCAL), numbers("pressure", PASCAL)]
    assert groups(seen) == {one("inlet_pressure"), one("outlet_pressure"), one("pressure")}


@pytest.mark.parametrize(
    ("left", "right"),
    [("qty", "quantity"), ("net_weight", "net_wt"), ("max_temp", "maximum_temperature"), ("manufacturer", "mfr"),
     ("motor_speeds", "motor_speed"), ("noise_level", "noise"), ("inventories", "inventory"), ("taxes_due", "tax_due"),
     ("operating_income_loss", "operating_income"), ("loss_income_before_taxes", "income_before_tax"),
     ("net_cash_provided_by_used_in_operations", "net_cash_provided_by_operations"),
     ("benefit_provision_for_income_taxes", "provision_for_income_taxes")],
)  # fmt: skip
def test_abbreviations_plurals_and_empty_words_say_the_same(left: str, right: str) -> None:
    assert core_words(left) == core_words(right)
    assert groups([numbers(left), numbers(right)]) == {one(left, right)}


@pytest.mark.parametrize(
    ("left", "right"),
    [("net_weight", "gross_weight"), ("inlet_temperature", "outlet_temperature"), ("min_pressure", "max_pressure"),
     ("length", "width"), ("list_price", "net_price"), ("income_tax_expense", "income_tax"), ("gross_loss", "gross")],
)  # fmt: skip
def test_qualifiers_tell_names_apart(left: str, right: str) -> None:
    assert groups([numbers(left, KILO), numbers(right, KILO)]) == {one(left), one(right)}


def test_dimensions_that_do_not_convert_are_never_one() -> None:
    assert groups([numbers("capacity", FLOW), numbers("tank_capacity", CUBIC)]) == {
        one("capacity"), one("tank_capacity"),
    }  # fmt: skip
    assert groups([numbers("tank_capacity", CUBIC), numbers("tank_cap", FLOW)]) == {
        one("tank_capacity"), one("tank_cap"),
    }  # fmt: skip
    assert groups([numbers("noise"), texts("noise_level", "low", "high")]) == {one("noise"), one("noise_level")}


def test_one_name_of_two_dimensions_is_two_attributes() -> None:
    seen = Observed(
        "capacity", {("number", FLOW): Kind("number", FLOW, 6), ("number", CUBIC): Kind("number", CUBIC, 4)}
    )
    parts = split_names([seen])
    assert [(part.unit, part.count) for part in parts] == [(FLOW, 6), (CUBIC, 4)]
    stray = Observed(
        "capacity", {("number", FLOW): Kind("number", FLOW, 60), ("number", CUBIC): Kind("number", CUBIC, 3)}
    )
    assert len(split_names([stray])) == 1


def test_categories_of_the_same_texts_are_one_whatever_they_are_called() -> None:
    lubrication, kind = (
        texts("lubrication", "oilless", "flooded"),
        texts("compressor_type", "Oilless", "Flooded", "water"),
    )
    assert groups([lubrication, kind]) == {one("lubrication", "compressor_type")}
    colour = texts("colour", "red", "blue")
    assert groups([lubrication, colour]) == {one("lubrication"), one("colour")}
    # A single text in common says nothing.
    assert groups([texts("phase", "3"), texts("doors", "3")]) == {one("phase"), one("doors")}


def test_of_thousands_of_names_few_are_compared() -> None:
    # Every pair would take minutes.
    seen = [numbers(f"line_{at}_of_item_{at * 7}", count=1 + at % 9) for at in range(3000)]
    assert len(groups([*seen, numbers("motor_power", WATT), numbers("hp", WATT)])) == 3001
