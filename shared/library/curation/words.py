"""What words in printed names say: abbreviations, and words that only name a unit or a dimension, or nothing."""

from functools import lru_cache
from itertools import pairwise
from typing import Final

from shared.values.units import whole_unit

ABBREVIATIONS: Final = {
    "qty": "quantity", "temp": "temperature", "max": "maximum", "min": "minimum", "wt": "weight", "mass": "weight",
    "dia": "diameter", "mfr": "manufacturer", "mfg": "manufacturer", "maker": "manufacturer", "brand": "manufacturer",
    "vol": "volume", "amt": "amount", "desc": "description", "lube": "lubrication", "trans": "transmission",
    "cyl": "cylinders", "displ": "displacement", "avg": "average", "approx": "approximate", "temps": "temperature",
    "dims": "dimensions", "dim": "dimensions", "len": "length", "ht": "height", "eff": "efficiency",
    "freq": "frequency",
    "volts": "voltage", "amps": "current", "cat": "category", "dept": "department", "tel": "telephone",
    "addr": "address", "revenues": "revenue", "sales": "sale", "cap": "capacity", "noise": "sound",
}  # fmt: skip
# Words of a name that do not tell it from another.
EMPTY: Final = frozenset({"the", "of", "in", "a", "an", "for", "at", "by", "value", "no", "number", "nr", "rated",
                          "nominal", "level"})  # fmt: skip
# Words of a statement's line that say which sign a number has, where one stands beside the other: `income (loss)`,
# `provided by (used in)`. The first of each says it alone.
OPPOSITES: Final = frozenset({
    ("income", "loss"), ("gain", "loss"), ("profit", "loss"), ("earning", "loss"), ("income", "expense"),
    ("expense", "benefit"), ("provision", "benefit"), ("provided", "used"), ("generated", "used"),
    ("increase", "decrease"), ("inflow", "outflow"), ("surplus", "deficit"),
})  # fmt: skip
# Words that say of what a number is the sum only with others.
TOTALS: Final = frozenset({"total", "subtotal", "sum", "all"})
# What names a dimension (UCUM canonical unit) and no more than that.
PLAIN: Final = {
    "W": {"power", "horsepower", "hp", "kw", "watt", "wattage", "bhp", "output"},
    "Pa": {"pressure", "psi", "psig", "bar", "barg", "mpa", "kpa"},
    "m3/s": {"flow", "airflow", "capacity", "delivery", "cfm", "scfm", "acfm", "fad", "flowrate", "rate", "air", "free",
             "displacement", "volume"},
    "kg": {"weight", "kg", "lb", "lbs"},
    "V": {"voltage", "volt", "supply"},
    "m3": {"volume", "capacity", "litre", "liter", "gallon"},
    "K": {"temperature"},
    "Hz": {"frequency", "hz"},
    "A": {"current", "ampere"},
    "s": {"duration", "time"},
}  # fmt: skip


@lru_cache(maxsize=10_000)
def core_words(name: str) -> tuple[str, ...]:
    """The words that tell a name from another: written out, in the singular, without units, empty words, and words that
    only say the other sign.

    Never none: a name that is a unit is its own word.
    """
    words = [_written_out(word) for word in name.split("_")]
    kept = [word for word in words if word not in EMPTY and not (len(words) > 1 and whole_unit(word))]
    signs = {
        at + ((one, other) in OPPOSITES)
        for at, (one, other) in enumerate(pairwise(kept))
        if (one, other) in OPPOSITES or (other, one) in OPPOSITES
    }
    return tuple(word for at, word in enumerate(kept) if at not in signs) or tuple(words)


@lru_cache(maxsize=10_000)
def is_plain(name: str, unit: str) -> bool:
    """Whether the name says nothing but the dimension of its values: `hp`, `motor_power` does more."""
    plain = PLAIN.get(unit.partition("{")[0], set[str]())
    return bool(plain) and all(word in plain or whole_unit(word) is not None for word in core_words(name))


@lru_cache(maxsize=10_000)
def qualifiers(name: str, unit: str) -> frozenset[str]:
    """The words of a name beside those that name its dimension."""
    plain = PLAIN.get(unit.partition("{")[0], set[str]())
    return frozenset(word for word in core_words(name) if word not in plain and whole_unit(word) is None)


def _written_out(word: str) -> str:
    known = ABBREVIATIONS.get(word, word)
    if len(known) > 4 and known.endswith("ies"):
        known = f"{known[:-3]}y"
    elif len(known) > 4 and known.endswith(("sses", "xes", "ches", "shes")):
        known = known[:-2]
    elif len(known) > 3 and known.endswith("s") and not known.endswith(("ss", "us", "is")):
        known = known[:-1]
    return ABBREVIATIONS.get(known, known)
