"""Units of what is computed of columns: of products, quotients, powers and differences, as UCUM codes. None is no unit:
of a plain number, and where UCUM has no code that is known here. A unit whose zero is none, as of degrees Celsius, has
no multiples: what is computed of it has no unit."""

from shared.values.units import code_of, factors_of, ucum_unit


def product_unit(left: str | None, right: str | None) -> str | None:
    return _joined(left, right, 1)


def quotient_unit(left: str | None, right: str | None) -> str | None:
    return _joined(left, right, -1)


def _joined(left: str | None, right: str | None, sign: int) -> str | None:
    if is_offset(left) or is_offset(right):
        return None
    if right is None or (left is None and sign > 0):
        return left or right
    if left == right and sign < 0:
        return None
    found, others = factors_of(left) if left else {}, factors_of(right)
    if found is None or others is None:
        return None
    return _known({one: found.get(one, 0) + sign * others.get(one, 0) for one in {**found, **others}})


def power_unit(code: str | None, power: int) -> str | None:
    """The unit to a power, each of its factors: `m/s` is m2/s2."""
    unit, found = (ucum_unit(code), factors_of(code)) if code else (None, None)
    if unit is None or found is None or unit.offset or unit.tag:
        return None
    return _known({one: exponent * power for one, exponent in found.items()})


def _known(factors: dict[tuple[str, str], int]) -> str | None:
    code = code_of(factors)
    return code if ucum_unit(code) else None


def is_offset(code: str | None) -> bool:
    """Whether its zero is none: twice as many degrees Celsius are not twice as warm."""
    found = ucum_unit(code) if code else None
    return found is not None and found.offset != 0


def difference_unit(unit: str | None, scale: float) -> tuple[str | None, float]:
    """Unit and scale of a difference: one of temperatures is no temperature, 5 °C more are 5 K and not 278.15 K."""
    found = ucum_unit(unit) if unit else None
    return ("K", scale * found.factor) if found and found.offset else (unit, scale)
