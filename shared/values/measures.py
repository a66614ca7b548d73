"""A unit or currency as people write it: `hp`, `[HP]`, `m³/h`, `USD`, `€`; with what it is compared by."""

from dataclasses import dataclass

from shared.values.money import currency_of
from shared.values.names import Hint
from shared.values.units import ucum_unit, whole_unit


@dataclass(frozen=True)
class Measure:
    """`code` is UCUM or ISO 4217; values compare where `canonical` is the same; `dimension` is its common name."""

    code: str
    canonical: str
    dimension: str
    hint: Hint


def read_measure(text: str) -> Measure | None:
    """None for what is neither a unit nor a currency."""
    unit = whole_unit(text) or ucum_unit(text)
    if unit:
        return Measure(unit.code, unit.canonical_code, unit.name or unit.dimension, Hint(unit=unit))
    currency = currency_of(text, plain_dollar=True)
    return Measure(currency, currency, "money", Hint(currency=currency)) if currency else None
