"""Printed units read into UCUM: `m s−1`, `mg/L`, `SCFM`, `dB(A)`; their factors, dimensions and canonical units."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from shared.values.units_table import (
    ATOMS,
    CANONICAL,
    DIMENSION_NAMES,
    METRIC_SYMBOLS,
    METRIC_WORDS,
    NOT_IN_PROSE,
    OFFSETS,
    PREFIX_WORDS,
    PREFIXES,
    SURFACES,
)

_BASE = ("kg", "m", "s", "K", "A", "mol", "cd", "rad", "bit", "dB")
_TERM = re.compile(
    r"(?P<op>[./]|^)(?P<code>[A-Za-z%0-9*]{0,60}?(?:\[[^\]]*\])?)(?P<exp>-?\d+)?(?P<tag>\{\w+\})?(?=[./]|$)"
)
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_EXPONENT = re.compile(r"[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|\^?[-−]\s?[1-9](?!\d)|\^?[1-4](?![\d.,])")
_JOIN = re.compile(r"\s?[·⋅∙×*]\s?|[ \u00a0\u2009]")
_PER = re.compile(r"\s?/\s?| per ")
# A further factor, possibly after the name of a substance (`g CO2 m−2`).
_MORE = re.compile(
    r"\s?/\s?[^\W\d_]| per [^\W\d_]|[^\W_]|[_°·⋅∙]|(?:[  ][A-Z]\w{0,7})?[  ]?[^\W\d_]+(?:[⁻−]\s?[\d¹²³]|-[1-9]\b)"
)
_WORD = re.compile(r"[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹]")


@dataclass(frozen=True)
class Unit:
    """`value in base units = number · factor + offset`. `tag` is a UCUM annotation: values with different tags
    (standard and actual cubic feet) are not compared."""

    code: str
    factor: float
    offset: float
    dimension: str
    tag: str

    @property
    def canonical_code(self) -> str:
        code = _canonical_names().get(self.dimension) or self.dimension.replace(" ", ".")
        return ("" if code == "1" and self.tag else code) + self.tag

    @property
    def name(self) -> str | None:
        """The name of a quantity of this dimension; None for a dimension without a common name."""
        return _dimension_names().get(self.dimension)

    def conversion(self, target: "Unit") -> tuple[float, float] | None:
        """What a number of this unit is multiplied by, and what is added to it then, to be one of `target`; None where
        they measure different things."""
        if (self.dimension, self.tag) != (target.dimension, target.tag):
            return None
        return self.factor / target.factor, (self.offset - target.offset) / target.factor

    def canonical(self, number: float) -> float:
        """`number` of this unit in the canonical unit; rounded to 12 digits, so that equal values are equal."""
        return _rounded((number + self.offset / self.factor) * self.factor if self.offset else number * self.factor)


@cache
def unit_of(code: str) -> Unit:
    """The unit of a UCUM expression; raises KeyError for an unknown one."""
    powers: dict[str, int] = dict.fromkeys(_BASE, 0)
    factor, tag = 1.0, ""
    terms = list(_TERM.finditer(code))
    for term in terms:
        exponent = int(term["exp"] or 1) * (-1 if term["op"] == "/" else 1)
        own_factor, dimension = _atom(term["code"] or "1")
        factor *= own_factor**exponent
        for base, power in _powers(dimension):
            powers[base] += power * exponent
        tag += term["tag"] or ""
    return Unit(code, factor, OFFSETS.get(code, 0.0), _joined(powers), tag)


def match_unit(text: str, start: int, prose: bool = True) -> tuple[Unit, int] | None:
    """The longest unit printed at `start`, and where it ends.

    None where there is none, and where the following text makes it another, unknown unit (`kg/person`). In `prose`,
    units that are also words or single letters are ignored.
    """
    found = _factor(text, start)
    if found is None:
        return None
    surface, code, end = found
    terms, divided = [code], False
    while True:
        following = _next(text, end)
        if following is None:
            break
        joiner, code, end = following
        terms += [joiner, code]
        divided = divided or joiner == "/"
    if _continues(text, end) or (prose and len(terms) == 1 and surface in NOT_IN_PROSE):
        return None
    return unit_of("".join(terms)), end


def whole_unit(text: str) -> Unit | None:
    """The unit that `text` is, all of it."""
    found = match_unit(text.strip(), 0, prose=False)
    return found[0] if found and found[1] == len(text.strip()) else None


def ucum_unit(code: str) -> Unit | None:
    """The unit that a UCUM expression names; None for one that is not known, or no such expression."""
    if not re.search(r"[A-Za-z%]", code) or "".join(term.group() for term in _TERM.finditer(code)) != code:
        return None
    try:
        return unit_of(code)
    except KeyError:
        return None


def factors_of(code: str) -> dict[tuple[str, str], int] | None:
    """The exponents of an expression's units, each with its annotation: kg/m3 is kg 1, m -3. None where it is none."""
    if ucum_unit(code) is None:
        return None
    found: dict[tuple[str, str], int] = {}
    for term in _TERM.finditer(code):
        one = (term["code"], term["tag"] or "")
        found[one] = found.get(one, 0) + int(term["exp"] or 1) * (-1 if term["op"] == "/" else 1)
    return found


def code_of(factors: Mapping[tuple[str, str], int]) -> str:
    """The reverse: what is divided by behind the others; "" where nothing is left."""
    above = [_power(one, exponent) for one, exponent in factors.items() if exponent > 0]
    below = [(one, exponent) for one, exponent in factors.items() if exponent < 0]
    if not above:
        return ".".join(_power(one, exponent) for one, exponent in below)
    return "/".join([".".join(above), *(_power(one, -exponent) for one, exponent in below)])


def _power(one: tuple[str, str], exponent: int) -> str:
    symbol, tag = one
    return f"{symbol}{'' if exponent == 1 else exponent}{tag}"


def _factor(text: str, start: int) -> tuple[str, str, int] | None:
    """One printed unit with its exponent: (as printed, its code, its end)."""
    surfaces = _surfaces()
    for length in _lengths().get(text[start : start + 1], ()):
        if start + length > len(text):
            continue
        surface = text[start : start + length].replace("\u00a0", " ")
        code, end = surfaces.get(surface), start + length
        if code is None or (_WORD.match(surface[-1]) and _WORD.match(text[end : end + 1])):
            continue
        exponent = _EXPONENT.match(text, end) if _WORD.match(surface[-1]) else None
        if exponent is None:
            if text[end : end + 1].isdigit():
                return None
            return surface, code, end
        if re.search(r"[./{]|\d$", code):
            return None
        power = int(re.sub(r"[\s^]", "", exponent.group()).translate(_SUPERSCRIPT).replace("−", "-"))
        return surface, f"{code}{power}", exponent.end()
    return None


def _next(text: str, end: int) -> tuple[str, str, int] | None:
    """The next factor of a compound: after a slash or "per", or after a space or dot and then with an exponent."""
    per = _PER.match(text, end)
    if per:
        found = _factor(text, per.end())
        return ("/", found[1], found[2]) if found else None
    join = _JOIN.match(text, end)
    found = _factor(text, join.end()) if join else None
    if join is None or found is None:
        return None
    explicit = join.group().strip() != "" or re.search(r"-\d$", found[1]) is not None
    return (".", found[1], found[2]) if explicit else None


def _continues(text: str, end: int) -> bool:
    """Whether the following text belongs to the unit but cannot be parsed."""
    rest = text[end : end + 24]
    return _MORE.match(rest) is not None


@cache
def _surfaces() -> dict[str, str]:
    """Everything that is printed for a unit → UCUM."""
    found: dict[str, str] = {}
    for symbol, code in METRIC_SYMBOLS.items():
        for printed, prefix in [("", ""), *[(p, p) for p in PREFIXES], ("µ", "u"), ("μ", "u")]:
            found[printed + symbol] = prefix + code
    for word, code in METRIC_WORDS.items():
        for printed, prefix in [("", ""), *PREFIX_WORDS.items()]:
            for name in (f"{printed}{word}", f"{printed}{word}s"):
                found[name] = found[name.capitalize()] = prefix + code
    found |= SURFACES
    words = {s: code for s, code in SURFACES.items() if len(s) > 3 and s.islower() and s.replace(" ", "").isalpha()}
    found |= {s.title(): code for s, code in words.items()} | {s.capitalize(): code for s, code in words.items()}
    return found


@cache
def _lengths() -> dict[str, list[int]]:
    """How long what is printed for a unit may be, by its first character; the longest first."""
    found: dict[str, set[int]] = {}
    for surface in _surfaces():
        found.setdefault(surface[0], set()).add(len(surface))
    return {first: sorted(lengths, reverse=True) for first, lengths in found.items()}


def _atom(code: str) -> tuple[float, str]:
    if code in ATOMS:
        factor, dimension, _ = ATOMS[code]
        return factor, dimension
    factor, dimension, metric = ATOMS[code[1:]]
    if not metric:
        raise KeyError(code)
    return PREFIXES[code[0]] * factor, dimension


def _powers(dimension: str) -> list[tuple[str, int]]:
    matches = [re.match(r"([A-Za-z]+)(-?\d+)?$", part) for part in dimension.split()]
    return [(m[1], int(m[2] or 1)) for m in matches if m]


@cache
def _canonical_names() -> dict[str, str]:
    return _named(CANONICAL)


@cache
def _dimension_names() -> dict[str, str]:
    return _named(DIMENSION_NAMES)


def _named(table: Mapping[str, str]) -> dict[str, str]:
    """The table by dimensions in our order of base units."""
    return {_joined(dict(_powers(dimension))): name for dimension, name in table.items()}


def _joined(powers: Mapping[str, int]) -> str:
    """`{"kg": 1, "m": -1}` → `kg m-1`."""
    found = [(base, powers.get(base, 0)) for base in _BASE]
    return " ".join(base if power == 1 else f"{base}{power}" for base, power in found if power)


def _rounded(number: float) -> float:
    return float(f"{number:.12g}")
