"""The values in a statement: quantities with their units, bare numbers, and what statistics are printed like."""

import re
from collections.abc import Iterator
from typing import Final

from shared.domain.attributes import Comparator, Quantity
from shared.domain.experiments import SummaryValue, ValueKind
from shared.values.numbers import NUMBER, Style, parse_number
from shared.values.quantities import NumberReading, find_quantities

READING: Final = NumberReading(Style.POINT)
_COMPARATOR: Final[dict[str, Comparator]] = {
    "<": "<",
    ">": ">",
    "≤": "<=",
    "≥": ">=",
    "=": "=",
    "≈": "~",
    "∼": "~",
    "~": "~",
}
_SIGN = r"(?P<sign>[<>=≤≥≈∼~]|below|under|less than|of|is)"
# 10−4 as text layers have it: the exponent's raised digits stand behind the ten.
_POWER: Final = r"10\s?(?:\^\s?)?[-−–⁻]\s?(?P<power>[\d⁰¹²³⁴-⁹]{1,2})"
_P_VALUE: Final = re.compile(
    rf"(?<![\w])p(?:-?\s?values?)?\s?(?:is\s)?{_SIGN}\s?(?:{_POWER}|(?P<number>0?\.\d+|[01](?![\w.])))", re.I
)
# There p is a probability that is set.
_RATE: Final = re.compile(r"\bdrop-?out\b|\bdrop rate\b", re.I)
_LEVEL: Final = re.compile(
    r"(?:\bat (?:the )?|\bα\s?=\s?|\balpha\s?=\s?|significan\w+ level \(?(?:of |α = )?)(?P<number>0?\.\d+)", re.I
)
_SAMPLE: Final = re.compile(r"(?<![\w])n\s?=\s?(?P<number>\d[\d,]*)")
_INTERVAL: Final = re.compile(
    r"(?P<number>\d{2}(?:\.\d)?)\s?%\s?(?:CI"
    r"|confidence intervals?)\b(?:\s?[:=,(\[]*\s?(?P<low>[-−]?\d*\.?\d+)\s?(?:,|to|[-–—])\s?"
    r"(?P<high>[-−]?\d*\.?\d+))?", re.I
)  # fmt: skip
_DEVIATION: Final = re.compile(
    r"(?<![\d.])(?P<number>[-−]?\d++(?:\.\d++)?)\s?(?:±|\+/-)\s?(?P<more>\d+(?:\.\d+)?)"
    r"|(?:\bSDs?|\bstd\.?|standard deviations?(?: of)?)\s?[=:]?\s?(?P<deviation>\d+(?:\.\d+)?)", re.I
)  # fmt: skip
_EFFECT: Final = re.compile(
    r"(?:Cohen.{0,2}s d|Hedges.{0,2}s? g|odds ratio|hazard ratio|relative risk|\bOR|\bHR|\bRR|η2?²?|\beta squared"
    r"|R2|R²)"
    r"\s?(?:[=:]|of|was)\s?(?P<number>[-−]?\d*\.?\d+)"
)  # fmt: skip
_AGREEMENT: Final = re.compile(
    r"(?:κ|\bkappa(?: value)?|coefficient alpha|Cronbach.{0,2}s (?:α|alpha)|inter-?(?:rater"
    r"|annotator) (?:reliability|agreement))"
    r"[^.;\d]{0,60}?(?P<number>[01]?\.\d+)", re.I
)  # fmt: skip
_STATISTICS: Final[tuple[tuple[ValueKind, re.Pattern[str]], ...]] = (
    ("p_value", _P_VALUE), ("confidence_interval", _INTERVAL), ("deviation", _DEVIATION), ("effect_size", _EFFECT),
    ("agreement", _AGREEMENT), ("p_value", _LEVEL), ("sample_size", _SAMPLE),
)  # fmt: skip
_CELL: Final = re.compile(
    rf"(?P<sign>[-−+])?\s?(?P<number>{NUMBER})\s?(?P<percent>%)?(?:\s?(?:±|\+/-)\s?(?P<more>\d+(?:\.\d+)?))?"
    # What is said of it: marks of significance, a deviation, share or interval in parentheses, degrees of freedom.
    r"(?:\s?[*†‡§∗])*(?:\s?\((?=[^()]*\d)[^()]{1,30}\))?(?:,?\s?n\.?s\.?)?(?:,?\s?df\s?[=¼]\s?\d+)?(?:\s?[*†‡§∗])*"
)
# What is no value: a year, a reference, the number of a table, a digit in a name.
_BARE: Final = re.compile(
    rf"(?<![\w.,/#\[])(?<!\w[-–])(?P<sign>[-−+](?=[\d.]))?(?P<number>{NUMBER})"
    r"(?P<scale>\s?(?:million|billion|thousand)\b|[kKM](?![\w-]))?(?![\w/]|[-–]?\d)(?!\.\d)"
)
_NO_VALUE: Final = re.compile(
    r"(?i:\b(?:tables?|fig(?:ure)?s?|sections?|sect|eqs?|equations?|tasks?|cases?|appendix|chapter|vol|nos?|pp?"
    r"|version|grant|formula)"
    r"\.?\s?\(?$|et al\.,?\s?\(?$)"
)  # fmt: skip
# `SemEval-2019`, `Task 6`: a small whole number behind a name is part of it.
_NAMED: Final = re.compile(r"(?<![\w’'-])[A-Z][\w’'-]*+\s\(?$")
_YEAR: Final = re.compile(r"(?:19|20)\d\d[a-z]?$")
_SCALES: Final = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "billion": 1e9}
_RAISED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
# Names of tests, as papers print them.
TESTS: Final = re.compile(
    r"(?:two-sample |paired |unpaired |independent |student.{0,2}s |welch.{0,2}s )*\bt-?\s?tests?\b"
    r"|\bMcNemar.{0,2}s test|\bM?AN[C]?OVA\b"
    r"|multivariate analysis of (?:co)?variance|\banalysis of (?:co)?variance|\bWilcoxon(?: signed.?rank)?(?: test)?"
    r"|\bMann.Whitney(?: U)?(?: test)?|\bKruskal.Wallis|\bchi.?squared?(?: test)?|χ2|\bFisher.{0,2}s exact test"
    r"|\bKolmogorov.Smirnov"
    r"|\bShapiro.Wilk|\bFriedman test|\bbootstrap(?: resampling| test)|\bpermutation test|\bnon-?parametric tests?"
    r"|\b(?:Pearson|Spearman)(?:.{0,2}s)?(?: rank)?(?: (?:product.moment )?correlations?(?: coefficien\w+)?)"
    r"|\b(?:linear|logistic|hierarchical|Cox|multiple) regression analys[ie]s|\bregression analys[ie]s|\blog.?rank test"
    r"|\bBonferroni|\bpower analysis|\binter-?quartile range",
    re.I,
)  # fmt: skip


def find_values(text: str) -> list[SummaryValue]:
    """From left to right, none within another."""
    found = list[SummaryValue]()
    for one in (*_statistics(text), *_quantities(text), *_bare(text)):
        if not any(one.start < other.end and other.start < one.end for other in found):
            found.append(one)
    return sorted(found, key=lambda one: one.start)


def cell_quantity(raw: str, unit: str | None) -> Quantity | None:
    """The number that a table's cell gives, in the unit that it or its header prints; None for other cells."""
    plain = raw.strip()
    match = _CELL.fullmatch(plain)
    if match is None:
        return None
    quantities = [*find_quantities(plain, READING, prose=False)]
    if len(quantities) == 1 and quantities[0].start == 0:
        return quantities[0].quantity
    value = parse_number(match["number"], Style.POINT)
    if value is None:
        return None
    value = -value if match["sign"] and match["sign"] in "-−" else value
    own = "%" if match["percent"] else unit
    more = float(match["more"]) if match["more"] else None
    return Quantity(number=value, tolerance=more, unit=own, canonical_number=value, canonical_unit=own)


def _statistics(text: str) -> Iterator[SummaryValue]:
    for kind, pattern in _STATISTICS:
        for match in pattern.finditer(text):
            if kind == "p_value" and _RATE.search(text):
                continue
            groups = match.groupdict()
            if groups.get("power"):
                number = float(f"1e-{int(groups['power'].translate(_RAISED))}")
            else:
                printed = groups.get("number") or groups.get("deviation") or ""
                number = float(printed.replace(",", "").replace("−", "-"))
            sign = _COMPARATOR.get(
                groups.get("sign") or "=", "<" if groups.get("sign") in ("below", "under", "less than") else "="
            )
            unit = "%" if kind == "confidence_interval" else None
            more = groups.get("more")
            yield SummaryValue(
                kind=kind, raw=match.group(), start=match.start(), end=match.end(),
                quantity=Quantity(
                    number=number, tolerance=float(more) if more else None, comparator=sign, unit=unit,
                    canonical_number=number, canonical_unit=unit,
                ),
            )  # fmt: skip


def _quantities(text: str) -> Iterator[SummaryValue]:
    for one in find_quantities(text, READING):
        yield SummaryValue(
            kind="quantity", raw=text[one.start : one.end], start=one.start, end=one.end, quantity=one.quantity
        )


def _bare(text: str) -> Iterator[SummaryValue]:
    for match in _BARE.finditer(text):
        printed = match["number"]
        ahead = text[max(0, match.start() - 40) : match.start()]
        small = len(printed) < 3 and printed.isdigit()
        # `(1)` numbers what is listed.
        if small and ahead.endswith("(") and text[match.end() : match.end() + 1] == ")":
            continue
        if _YEAR.match(printed) or _NO_VALUE.search(ahead) or (small and _NAMED.search(ahead)):
            continue
        value = parse_number(printed, Style.POINT)
        if value is None or not any(c.isdigit() for c in printed):
            continue
        value *= _SCALES.get((match["scale"] or "").strip().lower(), 1.0)
        value = -value if match["sign"] and match["sign"] in "-−" else value
        yield SummaryValue(
            kind="number", raw=match.group(), start=match.start(), end=match.end(),
            quantity=Quantity(number=value, canonical_number=value),
        )  # fmt: skip
