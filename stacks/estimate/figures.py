"""The dated prices and the measured needs of a page, read from their files."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Final

from stacks.specification import MODELS, DeploymentError

HOURS_A_MONTH: Final = 730
_HERE: Final = Path(__file__).parent
# The application's own, which prices its run time by the same table.
PRICES: Final = MODELS.parent / "prices.toml"


@dataclass(frozen=True)
class Amount:
    """One position: what, how many of which unit, and US dollars."""

    what: str
    amount: float
    unit: str
    usd: float


@dataclass(frozen=True)
class Prices:
    """A region's prices in US dollars, by the names of `prices.toml`, and the day they were looked up."""

    region: str
    looked_up: date
    values: Mapping[str, float]

    def line(self, what: str, amount: float, unit: str, price: str, per: float = 1) -> Amount:
        """`amount` units at the price for `per` of them."""
        return Amount(what, amount, unit, amount * self.values[price] / per)


def load_prices(region: str) -> Prices:
    """Raises DeploymentError for a region without prices."""
    table = _read(PRICES)
    if region not in table["regions"]:
        known = ", ".join(sorted(table["regions"]))
        raise DeploymentError(
            f"There are no prices for {region}. There are some for {known}: add a table for it to"
            " shared/adapters/aws/prices.toml, or name one of those with --region."
        )
    return Prices(region, table["looked_up"], table["regions"][region])


def load_measured() -> dict[str, Any]:
    return _read(_HERE / "measured.toml")


def load_models() -> dict[str, Any]:
    """The application's own table of models."""
    return _read(MODELS)


@cache
def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
