import math
import re
from typing import Any

import pytest
from ucumvert import PintUcumRegistry

from shared.values.units import match_unit, unit_of, whole_unit
from shared.values.units_table import ATOMS, CANONICAL, METRIC_SYMBOLS, METRIC_WORDS, SURFACES

CODES = sorted({*SURFACES.values(), *METRIC_SYMBOLS.values(), *METRIC_WORDS.values()})
# What UCUM defines these by; ucumvert takes the one for a hundredth of a foot and the other at 60 °F.
DEFINED_BY = {"[cft_i]": "[ft_i]3", "[in_i'Hg]": "m[Hg].[in_i]/m"}
# Decibels and bits have no dimension of their own in pint.
OWN = re.compile("dB|By|bit")


@pytest.fixture(scope="module")
def registry() -> PintUcumRegistry:
    return PintUcumRegistry()


@pytest.mark.parametrize("code", [code for code in CODES if not OWN.search(code)])
def test_every_code_is_ucum_and_its_factor_is_pints(registry: Any, code: str) -> None:
    unit, defined = unit_of(code), code
    for known, definition in DEFINED_BY.items():
        defined = defined.replace(known, definition)
    units = registry.from_ucum(defined).units
    factor = registry.from_ucum(defined).magnitude
    for number in (1.0, 20.0):
        theirs = registry.Quantity(number * factor, units).to_base_units().magnitude
        assert math.isclose(unit.factor * number + unit.offset, theirs, rel_tol=1e-9)


@pytest.mark.parametrize("dimension", sorted(CANONICAL))
def test_a_canonical_unit_has_the_dimension_that_it_stands_for_and_no_factor(dimension: str) -> None:
    unit = unit_of(CANONICAL[dimension])
    assert unit.factor == 1.0
    assert unit.canonical_code == CANONICAL[dimension]


@pytest.mark.parametrize(
    ("printed", "code", "value", "canonical", "unit"),
    [
        ("kg", "kg", 3.0, 3.0, "kg"),
        ("hp", "[HP]", 10.0, 7456.99871582, "W"),
        ("m s−1", "m.s-1", 2.0, 2.0, "m/s"),
        ("km/h", "km/h", 36.0, 10.0, "m/s"),
        ("mg/L", "mg/L", 5.0, 0.005, "kg/m3"),
        ("m³/h", "m3/h", 3.6, 0.001, "m3/s"),
        ("W·m⁻²", "W.m-2", 1.0, 1.0, "kg.s-3"),
        ("°C", "Cel", 20.0, 293.15, "K"),
        ("°F", "[degF]", 32.0, 273.15, "K"),
        ("%", "%", 12.0, 0.12, "1"),
        ("SCFM", "[cft_i]{standard}/min", 31.2, 0.0147247602278, "m3/s{standard}"),
        ("dB(A)", "dB{A}", 59.0, 59.0, "dB{A}"),
        ("Nautical Miles", "[nmi_i]", 1.0, 1852.0, "m"),
    ],
)
def test_what_is_printed_becomes_a_code_and_a_canonical_value(
    printed: str, code: str, value: float, canonical: float, unit: str
) -> None:
    found = whole_unit(printed)
    assert found is not None
    assert found.code == code
    assert found.canonical(value) == pytest.approx(canonical, rel=1e-10)
    assert found.canonical_code == unit


@pytest.mark.parametrize("text", ["kg/person", "kg per person", "mg plant−1", "g CO2 m−2", "m/apple", "kgs", "gallons"])
def test_a_unit_that_is_not_known_to_its_end_is_none(text: str) -> None:
    assert match_unit(text, 0) is None


def test_equal_values_in_different_units_are_equal_in_the_canonical_one() -> None:
    assert unit_of("bar").canonical(1.2) == unit_of("kPa").canonical(120.0) == unit_of("Pa").canonical(120000.0)


def test_annotated_units_are_not_compared_with_plain_ones() -> None:
    assert unit_of("[cft_i]{standard}/min").canonical_code != unit_of("[cft_i]/min").canonical_code


def test_every_atom_is_a_unit_by_itself() -> None:
    assert all(unit_of(code).factor > 0 for code in ATOMS)
