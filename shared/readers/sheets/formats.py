"""What Excel's number formats show, as far as they are simple; other numbers are shown as they are.

The codes are those of ECMA-376 part 1, 18.8.30 and 18.8.31.
"""

import math
import re
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
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
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.|\[\$(?P<money>[^\]-]*)(?:-[^\]]*)?\]|(?P<bracket>\[[^\]]*\])'
    r"|(?P<noon>AM/PM|A/P)|(?P<date>y+|m+|d+|h+|s+)|(?P<general>General)|(?P<digits>[#0?](?:[#0?,]*[#0?])?"
    r"(?:\.[#0?]*)?|\.[#0?]+)|(?P<exponent>E[+-]0+)|(?P<other>.)",
    re.I,
)
_COLOURS: Final = re.compile(r"\[(?:black|blue|cyan|green|magenta|red|white|yellow|colou?r ?\d+)\]", re.I)
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
LAST_DAY: Final = 2_958_466
Tokens = list[tuple[str, str]]


def shown(value: float, code: str, since_1904: bool = False) -> SheetCell:
    """The cell of a number with this format; without one it is shown as it is."""
    if not math.isfinite(value):
        return SheetCell("#NUM!", "error")
    if not code:
        return SheetCell(general(value), "number")
    sections = [_tokens(section) for section in _sections(code)]
    section = _choose(sections, value)
    kinds = {kind for kind, _ in section}
    if "date" in kinds:
        return _date(value, section, since_1904)
    words = [one for one in section if one[0] == "digits"]
    if kinds & {"bracket", "fraction", "general", "noon"} or len(words) != 1:
        return SheetCell(general(value), "number")
    text = _number(abs(value), section)
    signed = len(sections) > 1 and section is not sections[0] and any(said in "-(" for _, said in section)
    minus = value < 0 and not signed and any(digit in "123456789" for digit in text)
    return SheetCell(("-" if minus else "") + text, "number")


def general(value: float) -> str:
    """A number with at most 15 digits, as Excel computes."""
    if value == int(value) and abs(value) < 1e15:
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


def _tokens(section: str) -> Tokens:
    found: Tokens = []
    for token in _TOKEN.finditer(_COLOURS.sub("", section)):
        kind, said = token.lastgroup or "", token[token.lastgroup] if token.lastgroup else ""
        if kind in ("quoted", "escaped", "money"):
            kind = "literal"
        elif kind == "other":
            kind = "fraction" if said in "/@," else "percent" if said == "%" else "literal"
        found.append((kind, said))
    if any(kind == "date" for kind, _ in found):
        return [("literal" if kind == "fraction" else kind, said) for kind, said in found]
    return found


def _choose(sections: list[Tokens], value: float) -> Tokens:
    if any(kind == "bracket" for section in sections for kind, _ in section):
        return [("bracket", "")]
    if value == 0 and len(sections) > 2:
        return sections[2]
    return sections[1] if value < 0 and len(sections) > 1 else sections[0]


def _number(value: float, section: Tokens) -> str:
    percent = any(kind == "percent" for kind, _ in section)
    exponent = next((said for kind, said in section if kind == "exponent"), "")
    pieces: list[str] = []
    for kind, said in section:
        if kind == "digits":
            pieces.append(_scientific(value, said, exponent) if exponent else _digits(value, said, percent))
        elif kind in ("literal", "percent"):
            pieces.append(said)
    return "".join(pieces).strip()


def _digits(value: float, pattern: str, percent: bool) -> str:
    whole, _, fraction = pattern.partition(".")
    exact = Decimal(format(value, ".15g")) * (100 if percent else 1)
    rounded = exact.quantize(Decimal(1).scaleb(-len(fraction)), ROUND_HALF_UP) if exact.adjusted() < 20 else exact
    before, _, behind = format(rounded, "f").partition(".")
    least = len(re.sub("[^0]", "", fraction))
    while len(behind) > least and behind.endswith("0"):
        behind = behind[:-1]
    before = "" if before == "0" and behind and "0" not in whole else before.zfill(whole.count("0"))
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


def _date(value: float, section: Tokens, since_1904: bool) -> SheetCell:
    when = moment(value, since_1904)
    # Excel calls the day before its first one the 0 January: a time of day has no other, and a date is none.
    no_day = value < 1 and not since_1904 and any(kind == "date" and said[0] in "dDyY" for kind, said in section)
    if when is None or no_day or any(kind == "bracket" for kind, _ in section):
        return SheetCell(general(value), "number")
    noon = any(kind == "noon" for kind, _ in section)
    fine = max([len(said) - 1 for kind, said in section if kind == "digits"], default=0)
    when = _rounded(when, 10 ** max(6 - fine, 0))
    fields = [said.lower() if kind == "date" else "" for kind, said in section]
    pieces: list[str] = []
    for index, (kind, said) in enumerate(section):
        if kind == "date":
            pieces.append(_field(fields, index, when, noon))
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


def _field(fields: list[str], index: int, when: datetime, noon: bool) -> str:
    said = fields[index]
    before = next((one[0] for one in reversed(fields[:index]) if one), "")
    behind = next((one[0] for one in fields[index + 1 :] if one), "")
    match said[0]:
        case "y":
            return f"{when.year:04}" if len(said) > 2 else f"{when.year % 100:02}"
        case "d":
            name = _DAYS[when.weekday()]
            return name if len(said) > 3 else name[:3] if len(said) == 3 else str(when.day).zfill(len(said))
        case "m" if len(said) > 2:
            name = _MONTHS[when.month - 1]
            return name if len(said) == 4 else name[: 3 if len(said) == 3 else 1]
        case "m" if before == "h" or behind == "s":
            return str(when.minute).zfill(len(said))
        case "m":
            return str(when.month).zfill(len(said))
        case "h":
            return str((when.hour + 11) % 12 + 1 if noon else when.hour).zfill(min(len(said), 2))
        case _:
            return str(when.second).zfill(min(len(said), 2))
