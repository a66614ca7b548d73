"""Names of attributes: the printed label in lower case with underscores, without its unit and footnote marks.

`MAX. PRESSURE:` → `max_pressure`; `Price (EUR)` → `price`; `kW` → `kw`. In a table the name is the column's header; or
the row's label where the headers are periods (`2025`, `Three months ended`), with the other axis as qualifier.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from shared.values.money import currency_of, scale_of
from shared.values.units import Unit, whole_unit

MAX_NAME: Final = 60
_BRACKETS = re.compile(r"(?<!\S)[(\[]([^()\[\]]*(?:\([^()]*\))?[^()\[\]]*)[)\]]")
_MARKS = re.compile(r"(?:(?<!\s)\s*+(?:\(\d{1,2}\)|[*†‡§¹²³⁴⁵⁶⁷⁸⁹®™])){1,20}$")
_SCALED = re.compile(r"\bin (?P<scale>thousands|millions|billions)\b", re.I)
_OTHERS = re.compile(r"\b(?:per|pro|je|by|and|or|und|oder)$", re.I)  # `Price per kg` is no mass
# What is hardly a word or a letter for something else: `kW`, `mm`, `km/h`, `m²`, `°C`, `EUR`, `$`; not `m`, `min`,
# `in`, `pm`, nor `W/L`.
_UNIT_SYMBOL = re.compile(
    r"(?!pm$|cd$|pt$)[b-df-hj-np-tv-z\u00b5\u03bc]{2,4}|psi|oz|mol"
    r"|[a-z\u00b5\u03bc]{0,2}[A-Z][a-zA-Z]{1,3}|[a-z\u00b5\u03bc]{1,2}[A-Z]|[kM]?[\u03a9\u2126]"
    r"|[A-Z]{3}|(?:US|C|A|HK|NT)?[$\u20ac\u00a3\u00a5]|[%\u2030\u00b0]|\u00b0[CF]"
    r"|[a-z]{1,2}[23\u00b2\u00b3]|(?=.*[a-z])[^/]{1,6}/[^/]{1,6}"
)
_SYMBOLS: Final = {"%": " percent ", "#": " number ", "&": " and ", "+": " plus ", "°": " deg "}


@dataclass(frozen=True)
class Hint:
    """What a header states about the bare numbers below it: unit or currency, and scale ("in millions")."""

    unit: Unit | None = None
    currency: str | None = None
    scale: float = 1.0


NO_HINT: Final = Hint()


def name_of(label: str) -> str | None:
    """The label's name; None for a label without a letter."""
    text = "".join(_SYMBOLS.get(c, c) for c in _MARKS.sub("", label.strip().rstrip(":")))
    name = re.sub(r"[\W_]+", "_", text.lower()).strip("_")
    return name[:MAX_NAME].rstrip("_") if any(c.isalpha() for c in name) else None


@lru_cache(maxsize=4096)
def read_label(label: str, plain_dollar: bool = True) -> tuple[str | None, Hint]:
    """A label's name and what it says of the numbers under or behind it: `Mass (kg)`, `Price, EUR`, `$ in millions`."""
    if len(label.strip()) == 1 and label.strip().isalpha():
        return name_of(label), Hint()  # a quantity's symbol: a t statistic is not measured in tonnes
    own = whole_unit(label)
    if own:
        return name_of(label), Hint(unit=own)
    hint, rest = Hint(), label
    for inside in _BRACKETS.findall(label):
        said = hint_of(inside, plain_dollar)
        if said != Hint():
            hint, rest = said, rest.replace(f"({inside})", " ").replace(f"[{inside}]", " ")
    if hint == Hint():
        head, comma, tail = label.rpartition(",")
        said = hint_of(tail, plain_dollar) if comma and head.strip() else hint_of(label, plain_dollar)
        hint, rest = (said, head) if said != Hint() and comma and head.strip() else (said, label)
    if hint == Hint():
        hint, rest = _last_word(label, plain_dollar)
    return name_of(rest) or name_of(label), hint


def _last_word(label: str, plain_dollar: bool) -> tuple[Hint, str]:
    """What the last word says of the numbers, and what stands before it: `Power kW`, `Mass in kg`, `Price EUR`. A name
    of a share (`Votes %`) stays whole, as what is shared out is often beside it."""
    *before, last = label.strip().rstrip(":").split() or [""]
    is_said = before[-1:] == ["in"]
    head = " ".join(before[:-1] if is_said else before)
    if name_of(head) is None or _OTHERS.search(head) or not (is_said or _UNIT_SYMBOL.fullmatch(last)):
        return NO_HINT, label
    hint = Hint(unit=whole_unit(last), currency=currency_of(last, plain_dollar))
    is_share = hint.unit is not None and hint.unit.code == "%"
    return hint, label if hint == NO_HINT or is_share else head


def hint_of(text: str, plain_dollar: bool = True) -> Hint:
    """The unit, currency and scale in the brackets of a header; an empty hint where they hold anything else."""
    said = text.strip().removeprefix("in ").strip()
    unit = whole_unit(said)
    if unit:
        return Hint(unit=unit)
    scaled = _SCALED.search(text) or re.fullmatch(
        r"(?:US)?[$€£]?\s?(?P<scale>thousands|millions|billions|million|billion)", said
    )
    before = text[: scaled.start("scale")] if scaled else said
    before = re.sub(
        r"\bin\b|\bamounts\b|\bdollars\b", lambda m: "$" if m.group() == "dollars" else "", before, flags=re.I
    ).strip(" ,")
    currency = currency_of(before, plain_dollar)
    if not scaled:
        return Hint(currency=currency)
    if before and currency is None:
        return Hint()
    return Hint(currency=currency, scale=scale_of(scaled["scale"].lower()))
