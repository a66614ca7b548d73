"""What Excel's number formats show, as far as they are simple; other numbers are shown as they are.

The codes are those of ECMA-376 part 1, 18.8.30 and 18.8.31.
"""

import math
import operator
import re
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Final

from shared.readers.sheets.cells import SheetCell

# 14 and 22 follow the reader's country: they are shown in the order that none can take for another.
BUILT_IN: Final = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 14: "yyyy-mm-dd",
    15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)", 41: "#,##0;(#,##0)", 42: "#,##0;(#,##0)", 43: "#,##0.00;(#,##0.00)",
    44: "#,##0.00;(#,##0.00)", 45: "mm:ss",
}  # fmt: skip
_TOKEN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.|\[\$(?P<money>[^\]-]*)(?:-[^\]]*)?\]|\[(?P<elapsed>h+|m+|s+)\]|(?P<bracket>\[[^\]]*\])'
    r"|(?P<noon>AM/PM|A/P)|(?P<date>y+|m+|d+|h+|s+)|(?P<general>General)|(?P<over>[#0?]+/[#0?1-9]+)|(?P<digits>[#0?](?:[#0?,]*[#0?])?"
    r"(?:\.[#0?]*)?,*|\.[#0?]+,*)|(?P<exponent>E[+-]0+)|(?P<other>.)",
    re.I,
)
_COLOURS: Final = re.compile(r"\[(?:black|blue|cyan|green|magenta|red|white|yellow|colou?r ?\d+)\]", re.I)
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
# By the language's part of a Windows locale (MS-LCID), which stands in a format as [$-407].
_MONTHS_OF: Final = {
    "de": ("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
           "Dezember"),
    "fr": ("janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
           "décembre"),
    "es": ("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
           "noviembre", "diciembre"),
}  # fmt: skip
_DAYS_OF: Final = {
    "de": ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
    "fr": ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    "es": ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
}
_LANGUAGES: Final = {0x07: "de", 0x0A: "es", 0x0C: "fr"}
_LOCALE: Final = re.compile(r"\[\$[^\]-]*-(?:([0-9A-Fa-f]+)|([A-Za-z]{2})-[A-Za-z-]+)\]")
_CONDITION: Final = re.compile(r"\[(<=|>=|<>|<|>|=)(-?(?:\d+\.?\d*|\.\d+))\]")
_COMPARED: Final = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "<>": operator.ne,
}  # fmt: skip
LAST_DAY: Final = 2_958_466
Tokens = list[tuple[str, str]]


def shown(value: float, code: str, since_1904: bool = False) -> SheetCell:
    """The cell of a number with this format; without one it is shown as it is."""
    if not math.isfinite(value):
        return SheetCell("#NUM!", "error")
    if not code:
        return SheetCell(general(value), "number")
    sections = _sections(code)
    chosen = _choose(sections, value)
    section = _tokens(_CONDITION.sub("", chosen))
    kinds = {kind for kind, _ in section}
    if kinds & {"date", "elapsed"}:
        return _date(value, section, since_1904, _language(code))
    text = None if kinds & {"bracket", "fraction", "general", "noon"} else _number(abs(value), section)
    if text is None:
        return SheetCell(general(value), "number")
    signed = chosen is not sections[0] and any(said in "-(" for _, said in section)
    minus = value < 0 and not signed and any(digit in "123456789" for digit in text)
    return SheetCell(("-" if minus else "") + text, "number")


def general(value: float) -> str:
    """A number with at most 15 digits, as Excel computes; a whole one with all that it has."""
    if value == int(value) and abs(value) < 2**53:
        return str(int(value))
    return format(value, ".15g").replace("e", "E")


def moment(serial: float, since_1904: bool = False) -> datetime | None:
    """The date of a serial number; None outside the calendar. Excel's 1900 has a 29 February: days before it are one
    later than they are counted."""
    if not 0 <= serial < LAST_DAY:
        return None
    if since_1904:
        return datetime(1904, 1, 1, tzinfo=UTC) + timedelta(days=serial)
    return datetime(1899, 12, 31 if serial < 60 else 30, tzinfo=UTC) + timedelta(seconds=round(serial * 86400, 3))


def _sections(code: str) -> list[str]:
    return re.findall(r'(?:"[^"]*"|\\.|\[[^\]]*\]|[^;])+|(?<=;)(?=;|$)', code) or [code]


def _language(code: str) -> str:
    found = _LOCALE.search(code)
    if found is None:
        return ""
    return found[2].lower() if found[2] else _LANGUAGES.get(int(found[1], 16) & 0x3FF, "")


def _tokens(section: str) -> Tokens:
    found: Tokens = []
    for token in _TOKEN.finditer(_COLOURS.sub("", section)):
        kind, said = token.lastgroup or "", token[token.lastgroup] if token.lastgroup else ""
        if kind in ("quoted", "escaped", "money"):
            kind = "literal"
        elif kind == "other":
            kind = "fraction" if said in "/@," else "percent" if said == "%" else "literal"
        found.append((kind, said))
    if any(kind in ("date", "elapsed") for kind, _ in found):
        return [("literal" if kind == "fraction" else kind, said) for kind, said in found]
    return found


def _choose(sections: list[str], value: float) -> str:
    """The section for the value: by the conditions that sections have, else by its sign."""
    conditions = [_CONDITION.search(one) for one in sections]
    if any(conditions):
        for one, found in zip(sections, conditions, strict=True):
            if found is None or _COMPARED[found[1]](value, float(found[2])):
                return one
        return sections[-1]
    if value == 0 and len(sections) > 2:
        return sections[2]
    return sections[1] if value < 0 and len(sections) > 1 else sections[0]


def _number(value: float, section: Tokens) -> str | None:
    """The text; None where the format cannot be followed, or hides what the cell holds."""
    patterns = [said for kind, said in section if kind in ("digits", "over")]
    percent = any(kind == "percent" for kind, _ in section)
    exponent = next((said for kind, said in section if kind == "exponent"), "")
    if any(kind == "over" for kind, _ in section):
        shown_ = _fraction(value, patterns)
    elif exponent or len(patterns) == 1:
        one = patterns[0] if len(patterns) == 1 else ""
        scaled = one.endswith(",")
        named = any(kind == "literal" and any(map(str.isalpha, said)) for kind, said in section)
        if not one or (scaled and not named):
            return None
        size = value / 1000 ** (len(one) - len(one.rstrip(",")))
        one = one.rstrip(",")
        shown_ = [_scientific(size, one, exponent) if exponent else _digits(size, one, percent)]
    else:
        shown_ = _grouping(value, patterns)
    # Of zero a format may show a sign alone; any other number keeps its figures.
    if shown_ is None or (not patterns and value):
        return None
    told, pieces = iter(shown_), list[str]()
    for kind, said in section:
        if kind in ("digits", "over"):
            pieces.append(next(told))
        elif kind in ("literal", "percent"):
            pieces.append(said)
    return "".join(pieces).strip() or None


def _grouping(value: float, patterns: list[str]) -> list[str] | None:
    """The figures of a whole number in several places, from the last: (000) 000-0000."""
    if any(set(one) & set(".,") for one in patterns):
        return None
    left, told = str(round(value)), list[str]()
    for place, one in reversed([*enumerate(patterns)]):
        cut = max(len(left) - len(one), 0) if place else 0
        told.append(left[cut:].zfill(one.count("0")))
        left = left[:cut]
    return told[::-1]


def _fraction(value: float, patterns: list[str]) -> list[str] | None:
    """A whole number and a fraction (# ?/?), or a fraction alone."""
    whole = int(value) if len(patterns) == 2 else 0
    if len(patterns) > 2 or "/" not in patterns[-1] or not value:
        return None
    below = patterns[-1].partition("/")[2]
    part = Fraction(value - whole)
    over = round(part * int(below)) if below.isdigit() and int(below) else None
    if over is None:
        part = part.limit_denominator(10 ** len(below) - 1)
        over, below = part.numerator, str(part.denominator)
    if len(patterns) == 1:
        return [f"{over}/{below}"]
    if over == int(below):
        whole, over = whole + 1, 0
    return [str(whole) if whole else "" if over else "0", f"{over}/{below}" if over else ""]


def _digits(value: float, pattern: str, percent: bool) -> str:
    whole, _, fraction = pattern.partition(".")
    exact = Decimal(format(value, ".15g")) * (100 if percent else 1)
    rounded = exact.quantize(Decimal(1).scaleb(-len(fraction)), ROUND_HALF_UP) if exact.adjusted() < 20 else exact
    before, _, behind = format(rounded, "f").partition(".")
    least = len(re.sub("[^0]", "", fraction))
    while len(behind) > least and behind.endswith("0"):
        behind = behind[:-1]
    before = "" if before == "0" and "0" not in whole else before.zfill(whole.count("0"))
    if "," in whole:
        digits = before.lstrip("-")
        before = before[: len(before) - len(digits)] + _grouped(digits)
    return f"{before}.{behind}" if behind else before


def _grouped(digits: str) -> str:
    """In thousands."""
    first = len(digits) % 3
    groups = [digits[:first], *(digits[at : at + 3] for at in range(first, len(digits), 3))]
    return ",".join(filter(None, groups))


def _scientific(value: float, pattern: str, exponent: str) -> str:
    mantissa, _, power = format(value, f".{len(pattern.partition('.')[2])}E").partition("E")
    sign = "-" if int(power) < 0 else "+" if exponent[1] == "+" else ""
    return f"{mantissa}E{sign}{str(abs(int(power))).zfill(len(exponent) - 2)}"


def _date(value: float, section: Tokens, since_1904: bool, language: str) -> SheetCell:
    when = moment(value, since_1904)
    # Excel calls the day before its first one the 0 January: a time of day has no other, and a date is none.
    no_day = value < 1 and not since_1904 and any(kind == "date" and said[0] in "dDyY" for kind, said in section)
    if when is None or no_day or any(kind == "bracket" for kind, _ in section):
        return SheetCell(general(value), "number")
    noon = any(kind == "noon" for kind, _ in section)
    fine = max([len(said) - 1 for kind, said in section if kind == "digits"], default=0)
    # Excel shows whole seconds by rounding, and hours and minutes by what has passed.
    when = _rounded(when, 10 ** max(6 - fine, 0))
    seconds = round(value * 86_400)
    fields = [said.lower() if kind in ("date", "elapsed") else "" for kind, said in section]
    pieces: list[str] = []
    for index, (kind, said) in enumerate(section):
        if kind == "date":
            pieces.append(_field(fields, index, when, noon, language))
        elif kind == "elapsed":
            passed = seconds // {"h": 3600, "m": 60, "s": 1}[said[0].lower()]
            pieces.append(str(passed).zfill(len(said)))
        elif kind == "noon":
            pieces.append("PM" if when.hour >= 12 else "AM")
        elif kind == "digits":
            pieces.append(f".{when.microsecond:06}"[: len(said)])
        elif kind in ("literal", "percent"):
            pieces.append(said)
    return SheetCell("".join(pieces).strip(), "date")


def _rounded(when: datetime, step: int) -> datetime:
    """To a multiple of `step` microseconds."""
    over = when.microsecond % step
    return when + timedelta(microseconds=step - over if 2 * over >= step else -over)


def _field(fields: list[str], index: int, when: datetime, noon: bool, language: str) -> str:
    said = fields[index]
    before = next((one[0] for one in reversed(fields[:index]) if one), "")
    behind = next((one[0] for one in fields[index + 1 :] if one), "")
    match said[0]:
        case "y":
            return f"{when.year:04}" if len(said) > 2 else f"{when.year % 100:02}"
        case "d":
            name = _DAYS_OF.get(language, _DAYS)[when.weekday()]
            return name if len(said) > 3 else name[:3] if len(said) == 3 else str(when.day).zfill(len(said))
        case "m" if len(said) > 2:
            name = _MONTHS_OF.get(language, _MONTHS)[when.month - 1]
            return name if len(said) == 4 else name[: 3 if len(said) == 3 else 1]
        case "m" if before == "h" or behind == "s":
            return str(when.minute).zfill(len(said))
        case "m":
            return str(when.month).zfill(len(said))
        case "h":
            return str((when.hour + 11) % 12 + 1 if noon else when.hour).zfill(min(len(said), 2))
        case _:
            return str(when.second).zfill(min(len(said), 2))
