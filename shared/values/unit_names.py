"""What people call a unit that is stored by its code: `hp` for `[HP]`, `cfm` for `[cft_i]/min`."""

from functools import cache

from shared.values.units import whole_unit
from shared.values.units_table import SURFACES


def unit_name(code: str) -> str:
    """The first printed form that reads as this unit again; the code itself where there is none, or for a currency."""
    return _names().get(code, code)


@cache
def _names() -> dict[str, str]:
    found: dict[str, str] = {}
    for surface, code in SURFACES.items():
        unit = whole_unit(surface)
        if unit is not None and unit.code == code and whole_unit(code) is None:
            found.setdefault(code, surface)
    return found
