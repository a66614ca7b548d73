"""What a table's header says about the bare numbers below it, where a letter may be a unit or a scale: `Params (M)`.

Wider than `names.read_label`, which attributes are read with: here a person sees the guess with its confidence and
corrects it.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from shared.values.money import currency_of
from shared.values.names import NO_HINT, Hint, hint_of, read_label
from shared.values.units import whole_unit

SCALES: Final = {
    "k": 1e3, "K": 1e3, "M": 1e6, "m": 1e6, "mn": 1e6, "mio": 1e6, "B": 1e9, "G": 1e9, "bn": 1e9, "T": 1e12,
    "tn": 1e12, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12,
}  # fmt: skip
# Letters that are a unit too, and which.
AMBIGUOUS: Final = frozenset("KMmBT")
# What is counted, or paid: the letter behind it is a scale.
_COUNTED = re.compile(
    r"\b(?:params?|parameters?|weights|tokens?|words?|sentences?|sequences?|samples?|examples?|images?|pairs?|flops?|macs|"
    r"mult-?adds|operations|ops|steps|iterations|iters|users?|people|population|inhabitants|households|employees|units|"
    r"downloads|requests|queries|views|rows|records|documents|pages|citations|reads|cells|nodes|edges|vocab(?:ulary)?|"
    r"dataset|corpus|model|count|number|revenues?|sales|costs?|price|budget|income|profit|loss(?:es)?|earnings|expenses|"
    r"turnover|ebitda|assets|gdp|value)\b|#",
    re.I,
)
_DISSOLVED = re.compile(r"\b(?:conc|concentration|molarity|molar|solution|buffer|kd|ki|km|ic50|ec50)\b|[\[\]]", re.I)
_STORED = re.compile(
    r"\b(?:memory|file|storage|packet|disk|payload|message|cache|buffer|block|object|ram|bytes?)\b", re.I
)
_TIMED = re.compile(r"(?:time|latency|duration|delay|runtime|elapsed|speed|period|age|interval)$", re.I)
# The last brackets, also where no space stands before them; marks of what is better may follow.
_LAST = re.compile(r"[(\[]([^()\[\]]{1,40})[)\]][\s↑↓†‡*§.:]{0,8}$")
_POWER = re.compile(r"[×x*]?\s?10\^?([-−–]?\d{1,2}|[⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})")
_MONEY = re.compile(
    r"(?P<first>[kKMB]|bn|mn)?\s?(?P<currency>(?:US|U\.S\.|C|A|HK|NT)?[$€£¥]|[A-Z]{3})\s?(?P<last>[a-zA-Z]{0,9}?)s?"
)
# Alone in a header it names a quantity or a score (`N`, `F1`), and no unit; a small one may be either (`t`, `m`).
_SYMBOL = re.compile(r"[A-Za-z]\d?")
# The share stands in brackets behind each count.
_SHARES = re.compile(r"(?:n|no\.?|#|number|count|frequency)\s?\(%\)", re.I)
# Names as programs write them, `body_mass_g`: the last part may be a unit of what the part before it names.
_SNAKE = re.compile(r"(?:[a-z0-9]+_)*([a-z]+)_([a-z]+)")
_QUANTITIES: Final = {
    "length": "length width height depth distance diameter radius thickness altitude elevation wavelength span precip "
    "precipitation rain rainfall snow snowfall visibility",
    "mass": "mass weight payload",
    "duration": "time duration latency delay runtime elapsed interval timeout",
    "temperature": "temp temperature", "speed": "speed velocity", "frequency": "frequency freq clock",
    "volume": "volume capacity displacement", "area": "area", "pressure": "pressure", "power": "power",
    "energy": "energy consumption", "voltage": "voltage", "current": "current",
}  # fmt: skip
_QUANTITY_OF: Final = {word: name for name, words in _QUANTITIES.items() for word in words.split()}
# Symbols with capital letters, as such names have them.
_SMALL: Final = {
    "c": "°C", "degc": "°C", "f": "°F", "degf": "°F", "w": "W", "kw": "kW", "mw": "MW", "wh": "Wh", "kwh": "kWh",
    "mwh": "MWh", "j": "J", "kj": "kJ", "mj": "MJ", "v": "V", "mv": "mV", "kv": "kV", "a": "A", "ma": "mA", "pa": "Pa",
    "kpa": "kPa", "hpa": "hPa", "mpa": "MPa", "hz": "Hz", "khz": "kHz", "mhz": "MHz", "ghz": "GHz",
}  # fmt: skip
# What is a unit there, and may be another one or none.
_TWOFOLD: Final = frozenset({"min", "mw", "mwh", "mj"})
# Currencies whose codes are no words of such names, as `all` and `top` are.
_PAID_IN: Final = frozenset({
    "usd", "eur", "gbp", "chf", "jpy", "cny", "inr", "cad", "aud", "nzd", "sek", "nok", "dkk", "pln", "czk", "huf",
    "brl", "mxn", "krw", "sgd",
})  # fmt: skip
_SUPERSCRIPT: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−–", "0123456789---")
LIKELY, UNSURE, UNREAD = 0.9, 0.7, 0.6
# As bytes few sizes are this small, in billions few are this large.
_BILLIONS_MAX: Final = 1_000


class Header(NamedTuple):
    """Unit, currency and scale of the numbers below a header, and how sure that is, from 0 to 1."""

    hint: Hint
    confidence: float = 1.0


@lru_cache(maxsize=4096)
def counts_something(label: str) -> bool:
    """Whether the numbers below it are counts or amounts of money, so that a letter behind one scales it."""
    return _COUNTED.search(label) is not None and not _DISSOLVED.search(label)


def read_header(label: str, numbers: Sequence[float] = ()) -> Header:
    """`numbers` are those below it: a size of 7 (B) is one in billions, one of 2048 (B) in bytes."""
    said = label.strip()
    if _SHARES.fullmatch(said):
        return Header(NO_HINT, LIKELY)
    if _SYMBOL.fullmatch(said):
        return Header(NO_HINT, UNREAD if said.islower() and whole_unit(said) else 1.0)
    if snake := _SNAKE.fullmatch(said):
        return _suffixed(snake[1], snake[2], numbers)
    last = _LAST.search(said)
    inside, before = (last[1].strip(), said[: last.start()]) if last else (said, "")
    inside = inside.removeprefix("in ").strip()
    if last and inside in SCALES:
        return _letter(inside, before, numbers)
    found = scaled_money(inside) or _power(inside if last else "") or _scaled_tail(said if not last else "")
    if found is not None:
        return Header(found)
    if last and before and not before[-1].isspace():
        return Header(_joined(inside, before) or read_label(label)[1])
    return Header(read_label(label)[1] if label else NO_HINT)


def hint_below(label: str) -> Hint:
    """What a header says of the numbers below it: as attributes are read or, where nothing is said so, as is likely."""
    hint = read_label(label)[1] if label else NO_HINT
    wider = read_header(label) if hint == NO_HINT else Header(hint)
    return wider.hint if wider.confidence >= LIKELY else NO_HINT


def says_unit(label: str, unit: str | None) -> bool | None:
    """Whether the label says this unit or currency; None where it says none. One that says another is of a column that
    was converted."""
    hint = read_header(label).hint
    said = hint.unit.code if hint.unit else hint.currency
    return None if said is None else said == unit


def _suffixed(name: str, suffix: str, numbers: Sequence[float]) -> Header:
    """`length_mm` and `power_kw` say a unit of their quantity, `price_usd` a currency, `humidity_pct` a share;
    `birth_year` and `price_all` say none. `time_min` may be the least, `power_mw` milli- or megawatts, and `win_pct`
    over .456 fractions of 1."""
    if suffix in ("pct", "percent"):
        fractions = any(number % 1 for number in numbers) and max(map(abs, numbers)) <= 1
        return Header(NO_HINT, UNREAD) if fractions else Header(hint_of(suffix), LIKELY)
    unit = whole_unit(_SMALL.get(suffix, suffix))
    if unit and unit.name and unit.name == _QUANTITY_OF.get(name):
        return Header(NO_HINT, UNREAD) if suffix in _TWOFOLD else Header(Hint(unit=unit), LIKELY)
    if suffix in _PAID_IN and counts_something(name):
        return Header(Hint(currency=suffix.upper()), LIKELY)
    return Header(NO_HINT)


def _letter(letter: str, before: str, numbers: Sequence[float]) -> Header:
    scaled = Hint(scale=SCALES[letter])
    if letter not in AMBIGUOUS:
        return Header(scaled, 1.0 if len(letter) > 1 else LIKELY)
    unit = hint_of(letter)
    if letter == "B" and _STORED.search(before):
        return Header(unit)
    if counts_something(before):
        return Header(scaled, LIKELY)
    if letter == "B":
        small = bool(numbers) and max(numbers) < _BILLIONS_MAX
        return Header(scaled if small else unit, UNSURE)
    if letter == "M" and not _DISSOLVED.search(before):
        return Header(NO_HINT, UNREAD)
    return Header(unit)


def scaled_money(text: str) -> Hint | None:
    """`$M`, `k€`, `USD millions`; None for anything else, also for a currency without a scale."""
    found = _MONEY.fullmatch(text)
    scale = SCALES.get(found["last"].lower() if len(found["last"]) > 1 else found["last"]) if found else None
    scale = scale or (SCALES.get(found["first"] or "") if found else None)
    currency = currency_of(found["currency"], plain_dollar=True) if found else None
    return Hint(currency=currency, scale=scale) if scale and currency else None


def _power(text: str) -> Hint | None:
    found = _POWER.fullmatch(text)
    return Hint(scale=float(f"1e{int(found[1].translate(_SUPERSCRIPT))}")) if found else None


def _scaled_tail(label: str) -> Hint | None:
    """Without brackets: `Revenue in €M`, `Revenue, EUR bn`."""
    head, comma, tail = label.rpartition(",")
    if not comma:
        head, _, tail = label.rpartition(" in ")
    return scaled_money(tail.strip()) if head.strip() else None


def _joined(inside: str, before: str) -> Hint | None:
    """`time(min)`, but not `f(t)` and `item(s)`."""
    word = before.split()[-1] if before.strip() else ""
    if len(word) < 3 or (inside == "s" and not _TIMED.search(word)):
        return None
    found = hint_of(inside)
    return found if found != NO_HINT else None
