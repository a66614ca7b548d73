"""What a column of a table is, from its head and its cells."""

import pytest

from shared.domain.datasets import Cell, DatasetColumn
from shared.library.table_columns import infer_column, printed_decimals, read_cells, read_distinct, with_decimals


@pytest.mark.parametrize(
    ("label", "cells", "kind", "unit"),
    [
        ("year", ["1997", "2015"], "integer", None),
        ("Model year", ["1997.0", "2015.0"], "integer", None),
        ("Age (years)", ["12", "40"], "quantity", "a"),
        ("Age (years)", ["12", "1997"], "quantity", "a"),
        ("Year", ["1997.5", "1998.5"], "quantity", "a"),
        ("Kept for", ["1000 years", "1200 years"], "quantity", "a"),
    ],
)
def test_years_of_the_calendar_are_no_durations(label: str, cells: list[str], kind: str, unit: str | None) -> None:
    column = infer_column(label, cells)
    assert (column.type, column.unit) == (kind, unit)


TYPED_FROM = 0.8


@pytest.mark.parametrize(
    ("label", "cells", "unit", "scale", "confidence"),
    [
        ("Params (M)", ["110", "340"], None, 1e6, 0.9),
        ("# params (M)", ["110", "340"], None, 1e6, 0.9),
        ("Concentration (M)", ["0.1", "0.2"], "mol/L", 1.0, 1.0),
        ("NaCl (M)", ["0.1", "0.2"], None, 1.0, 0.6),
        ("Model size (B)", ["7", "70"], None, 1e9, 0.9),
        ("Size (B)", ["7", "70"], None, 1e9, 0.7),
        ("Size (B)", ["1024", "2048"], "By", 1.0, 0.7),
        ("Message size (B)", ["16", "64"], "By", 1.0, 1.0),
        ("Tokens (k)", ["5", "8"], None, 1e3, 0.9),
        ("FLOPs (G)", ["4.1", "3"], None, 1e9, 0.9),
        ("Samples (×10^3)", ["4.1", "3"], None, 1e3, 1.0),
        ("Temperature (K)", ["300", "310"], "K", 1.0, 1.0),
        ("Dataset size (K)", ["50", "60"], None, 1e3, 0.9),
        ("Length (m)", ["4.1", "3"], "m", 1.0, 1.0),
        ("Sales (m)", ["4.1", "3"], None, 1e6, 0.9),
        ("time(min)", ["12", "3.5"], "min", 1.0, 1.0),
        ("f(t)", ["12", "3.5"], None, 1.0, 1.0),
        ("Item(s)", ["12", "3"], None, 1.0, 1.0),
        ("Latency(s)", ["12", "3"], "s", 1.0, 1.0),
        ("$M", ["1.5", "2"], "USD", 1e6, 1.0),
        ("Cost (k€)", ["5", "8"], "EUR", 1e3, 1.0),
        ("Revenue (USD millions)", ["5", "8"], "USD", 1e6, 1.0),
        ("Revenue in €M", ["5", "8"], "EUR", 1e6, 1.0),
        ("Memory (GB)", ["8", "16"], "GBy", 1.0, 1.0),
        ("Accuracy (%) ↑", ["91.2", "93"], "%", 1.0, 1.0),
        ("n (%)", ["12 (40)", "13 (60)"], None, 1.0, 0.9),
        ("F1", ["0.91", "0.89"], None, 1.0, 1.0),
        ("bill_length_mm", ["39.1", "40.3"], "mm", 1.0, 0.9),
        ("body_mass_g", ["3750", "3800"], "g", 1.0, 0.9),
        ("lap_time_s", ["81.2", "79.9"], "s", 1.0, 0.9),
        ("temp_c", ["21", "19.5"], "Cel", 1.0, 0.9),
        ("power_kw", ["110", "85"], "kW", 1.0, 0.9),
        ("humidity_pct", ["40", "55"], "%", 1.0, 0.9),
        ("humidity_pct", ["0.4", "55"], "%", 1.0, 0.9),
        ("churned_pct", ["0", "1"], "%", 1.0, 0.9),
        ("win_pct", [".456", "1.000", "-.2"], None, 1.0, 0.6),
        ("tax_rate_percent", ["0.19", "0.07"], None, 1.0, 0.6),
        ("tx_power_mw", ["20", "100"], None, 1.0, 0.6),
        ("energy_mj", ["20", "100"], None, 1.0, 0.6),
        ("battery_energy_mwh", ["48000", "100"], None, 1.0, 0.6),
        ("supply_voltage_mv", ["3300", "5000"], "mV", 1.0, 0.9),
        ("unit_price_eur", ["4.50", "3"], "EUR", 1.0, 0.9),
        ("run_time_min", ["4.50", "3"], None, 1.0, 0.6),
        ("temp_min", ["4.50", "3"], None, 1.0, 1.0),
        ("birth_year", ["1990", "1985"], None, 1.0, 1.0),
        ("weight_m", ["4.50", "3"], None, 1.0, 1.0),
        ("logged_in", ["4", "3"], None, 1.0, 1.0),
        ("error_bar", ["4.5", "3"], None, 1.0, 1.0),
        ("price_all", ["4", "3"], None, 1.0, 1.0),
        ("team_usd", ["4", "3"], None, 1.0, 1.0),
        ("foo", ["4", "3"], None, 1.0, 1.0),
    ],
)
def test_a_letter_in_a_header_is_a_unit_or_a_scale_as_what_it_stands_behind(
    label: str, cells: list[str], unit: str | None, scale: float, confidence: float
) -> None:
    column = infer_column(label, cells, TYPED_FROM)
    assert (column.unit, column.scale, column.confidence) == (unit, scale, confidence)


@pytest.mark.parametrize(
    ("cells", "kind", "read"),
    [
        (["1\u2009234", "2\u202f345"], "integer", [1234, 2345]),
        (["1 234,5", "12,25"], "number", [1234.5, 12.25]),
        (["12 34", "1"], "text", ["12 34", "1"]),
        (["0.91 ± 0.02", "0.89±0.01"], "number", [0.91, 0.89]),
        (["12.3 (0.4)", "11.9 (±0.3)"], "number", [12.3, 11.9]),
        (["(12)", "(13)"], "integer", [-12, -13]),
        (["12345678901234567", "-98765432109876543"], "integer", [12345678901234567, -98765432109876543]),
        (["12,345,678,901,234,567", "1"], "integer", [12345678901234567, 1]),
        (["9223372036854775807", "9223372036854775806"], "integer", [9223372036854775807, 9223372036854775806]),
        (["9223372036854775808", "1"], "text", ["9223372036854775808", "1"]),
        (["0123", "0456"], "text", ["0123", "0456"]),
    ],
)
def test_numbers_are_read_as_they_are_printed(cells: list[str], kind: str, read: list[Cell]) -> None:
    column = infer_column("Value read", cells, TYPED_FROM)
    assert (column.type, read_cells(column, cells)) == (kind, read)


def test_letters_behind_numbers_scale_counts_and_are_units_elsewhere() -> None:
    counts, molar = ["110M", "1.5B", "20k"], ["2 M", "3 M"]
    params, dose = infer_column("Params", counts, TYPED_FROM), infer_column("Dose", molar, TYPED_FROM)
    assert (params.unit, params.scale, read_cells(params, counts)) == (None, 1.0, [110e6, 1.5e9, 20e3])
    assert (dose.unit, read_cells(dose, molar)) == ("mol/L", [2.0, 3.0])
    given_twice = infer_column("Params (M)", ["110M", "340M"], TYPED_FROM)
    assert (given_twice.scale, read_cells(given_twice, ["110M"])) == (1.0, [110e6])


@pytest.mark.parametrize(
    ("label", "cells", "unit", "read"),
    [
        ("Mass (kg)", ["1.20", "1100 g", "2.5", "3"], "kg", [1.2, 1.1, 2.5, 3.0]),
        ("Mass (kg)", ["1100 g", "1200 g"], "g", [1100.0, 1200.0]),
        ("Mass", ["1.2 kg", "2"], "kg", [1.2, 2.0]),
        ("Temp (°C)", ["20", "68 °F", "25"], "Cel", [20.0, 20.0, 25.0]),
        # What a bare cell means is open here: the words stay as they are.
        ("Time (s)", ["20", "3 kg", "25"], None, ["20", "3 kg", "25"]),
        ("Price (EUR)", ["12", "$5", "7"], None, ["12", "$5", "7"]),
    ],
)
def test_bare_cells_are_in_the_headers_unit_and_others_are_converted_to_it(
    label: str, cells: list[str], unit: str | None, read: list[Cell]
) -> None:
    column = infer_column(label, cells, TYPED_FROM)
    assert (column.unit, read_cells(column, cells)) == (unit, read)


def test_a_unit_that_a_person_names_converts_what_measures_the_same_and_calls_the_rest_so() -> None:
    metres = DatasetColumn(label="Length", type="quantity", unit="m", scale=1000.0)
    assert read_cells(metres, ["5 mm", "7 m", "8", "9 M"]) == [5e-6, 7.0, 8.0, 9.0]


@pytest.mark.parametrize(
    ("cells", "decimals"),
    [
        (["68.0", "57.2", ""], 1),
        (["1,234.50", "2.50"], 2),
        (["1.234,50", "2,50"], 2),
        (["1 234,50", "2,50"], 2),
        (["0.91 ± 0.02", "0.90 ± 0.1"], 2),
        (["45.20%", "1.00%"], 2),
        (["-3.50", "(2.10)", "−0.50"], 2),
        (["$ 3.00"], 2),
        (["68.0", "57.25"], None),
        (["68.0", "100"], None),
        (["1.5e3", "2.5e3"], None),
        (["110M", "1.5B"], None),
        (["3", "4"], None),
        (["68.0", "70.0"], 1),
        (["a", "b"], None),
    ],
)
def test_the_decimals_of_a_column_are_those_that_all_of_its_numbers_are_printed_with(
    cells: list[str], decimals: int | None
) -> None:
    column = infer_column("Value read", cells, TYPED_FROM)
    assert with_decimals(column, printed_decimals(read_distinct(column, cells))).decimals == decimals


def test_groups_of_thousands_are_no_decimals() -> None:
    cells = ["1.234.567", "1.234"]
    known = read_distinct(infer_column("Mass (kg)", cells, TYPED_FROM), cells)
    assert ([*known.values()], printed_decimals(known)) == ([1234567.0, 1234.0], [0, 0])
