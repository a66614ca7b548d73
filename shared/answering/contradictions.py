"""Whether two statements give one thing different values, or say and deny the same.

Values are compared as they were read, in the units of their dimensions, and never averaged. What the statements are
about is compared by their words: a word more on one side may be another season, model or condition, so that it has to
be small talk. Cautious on purpose: a contradiction that is not found costs less than one that is none.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from shared.answering.printed_numbers import style_in
from shared.domain.attributes import Quantity
from shared.lexical.tokenizer import tokenize
from shared.values.dates import find_dates, find_months
from shared.values.numbers import Style, parse_number
from shared.values.quantities import FoundQuantity, NumberReading, find_quantities
from shared.values.units import unit_of

Span = tuple[int, int]
Kind = Literal["value", "polarity"]
Bound = Literal["=", "<=", ">=", "~"]

# The least share of all their words that two statements about one thing have in common, where these are nearly the same
# sentence, and where their vectors are alike.
SHARED_MIN: Final = 0.6
SHARED_MIN_ALIKE: Final = 0.2
ALIKE_FROM: Final = 0.8
# Words that one side may have more. Amounts in two units are the same up to their rounding.
MORE_MAX: Final = 2
ROUNDED: Final = 0.01
APPROXIMATE: Final = 0.1

_YEAR: Final = re.compile(r"\b(?:19|20)\d\d(?:[/–-]\d{2,4})?\b(?!\s*(?:mm|cm|m|kg|g|km|h|W|kW|€|%))")
_COUNT: Final = re.compile(r"(?<![\w.,-])\d++(?:[.,]\d+|(?!))*+(?![\w.-]*\w)")
# What names one of several: a code, a numbered thing, a letter of a series.
_NAMED: Final = re.compile(
    r"\b(?:[A-Z]{1,4}[-.]?\d[\w.-]*|(?:class|category|group|type|level|zone|phase|stage|tier|grade|series|model|article|"
    r"section|rule|annex|table|quarter|q|week|day|round|part|step|version|option|plan|lot)\s+(?:\d+|[A-Z]|[ivx]+)\b)",
    re.I,
)
_PROPER: Final = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}\w*|\b[A-Z]{2,}\b")
# Where a qualification begins: what follows says when, where or for whom.
_CONDITION: Final = re.compile(
    r"\b(?:if|when|whenever|while|during|in|at|for|except|unless|after|before|until|between|with|without|under|on|of|"
    r"per|only|where|outside|inside|beyond|wenn|falls|bei|für|im|während|ohne|mit|außer)\b\s+((?:[\w’'-]+\s+){0,3}[\w’'-]+)",
    re.I,
)
_UPPER: Final = re.compile(
    r"(?:\b(?:at most|maximum|max\.?|no more|not more|up to|within|no later|not later|no longer|at the latest|"
    r"below|under|less|fewer|(?:small|low|short|light|narrow|thinn|earli|cheap|young)er than|höchstens|maximal)\b"
    r"|\b(?:not|no)\b[^.;]{0,24}\b\w{1,20}er than)[^.;\d]{0,24}$",
    re.I,
)
_LOWER: Final = re.compile(
    r"\b(?:at least|at the earliest|minimum|min\.?|exceed\w*|no less|not less|no fewer|more|above|over|mindestens|"
    r"minimal|\w{1,20}er than)\b[^.;\d]{0,24}$",
    re.I,
)
# What a quantity is read with is looked at with what stands before it: "not be more than" is no "more than".
_COMPARING: Final = re.compile(
    r"(?:more than|greater than|over|above|exceeding|less than|fewer than|below|under)\b", re.I
)
_NOT: Final = r"(?:\b(?:not|no|never|cannot|nicht|nie)\b|n['’]t\b)[^.;\d]{0,24}\b"
_NOT_MORE: Final = re.compile(rf"{_NOT}(?:more|greater|over|above|exceed\w*|mehr)\b[^.;\d]{{0,24}}$", re.I)
_NOT_LESS: Final = re.compile(
    rf"{_NOT}(?:less|fewer|lower|smaller|shorter|lighter|narrower|thinner|earlier|below|under|weniger)\b[^.;\d]{{0,24}}$",
    re.I,
)
_ABOUT: Final = re.compile(r"\b(?:about|approximately|approx\.?|around|roughly|circa|ca\.?|nearly|etwa|rund)\s*$", re.I)
# Words of one set exclude each other: what is said of one is not said of another.
CONTRASTS: Final = tuple(
    frozenset(words.split())
    for words in (
        "front rear back middle", "left right", "upper lower top bottom middle", "inner outer", "inside outside",
        "summer winter spring autumn fall", "day night", "weekday weekend", "morning afternoon evening",
        "wet dry rain", "minimum maximum min max least most", "adult child junior senior youth student",
        "domestic international abroad", "new old used", "first second third fourth last", "male female men women",
        "empty full laden unladen", "open closed", "indoor outdoor", "gross net", "buyer seller", "public private",
        "qualifying race practice", "input output", "monday tuesday wednesday thursday friday saturday sunday",
        "january february march april may june july august september october november december", "hot cold",
        "daily weekly monthly quarterly annual yearly", "petrol diesel electric hybrid", "single double triple",
        "north south east west", "online onsite remote", "basic standard premium", "primary secondary", "short long",
        "employee employer contractor manager", "home away", "peak offpeak", "actual planned budgeted forecast target",
        "width height length depth mass weight diameter thickness", "price deposit fee fine tax discount",
        "vorne hinten", "sommer winter", "links rechts",
    )
)  # fmt: skip
# Small talk: neither names a thing nor qualifies it.
_SMALL: Final = frozenset(
    word
    for line in (
        "must shall should may can will would have has had do does did be is are was were been being this that it its",
        "than more less most least up about approximately around roughly circa exactly always also any every each all",
        "only throughout event total overall currently now generally normally usually according given per",
        "limit limited amount amounts set equal equals exceed wide wider high higher long longer heavy heavier large",
        "larger greater smaller later earlier fewer below above over under within not no never without need needs",
        "required requires require allow allowed permit permitted prohibit prohibited forbid forbidden ban banned",
        "mandatory optional obligatory nicht kein keine darf dürfen muss müssen",
    )
    for word in line.split()
)
_NEGATED: Final = re.compile(r"\b(?:not|no|never|none|cannot|neither|nor|without|nicht|kein\w*|nie)\b|n['’]t\b", re.I)
# Of one set each pair excludes each other; a negation turns the sign.
_SIGNS: Final = (
    (
        re.compile(r"\b(?:allow(?:ed|s)?|permit(?:ted|s)?|may|can|erlaubt|zulässig|darf|dürfen)\b", re.I),
        re.compile(r"\b(?:prohibit(?:ed|s)?|forbid(?:den|s)?|ban(?:ned|s)?|disallowed|verboten|untersagt)\b", re.I),
    ),
    (
        re.compile(r"\b(?:required|mandatory|compulsory|obligatory|needs? to|have to|has to|vorgeschrieben)\b", re.I),
        re.compile(r"\b(?:optional|voluntary|unnecessary|freiwillig)\b", re.I),
    ),
    (re.compile(r"\b(?:includ\w+|covered)\b", re.I), re.compile(r"\b(?:exclud\w+|uncovered)\b", re.I)),
    (re.compile(r"\b(?:enabled|active)\b", re.I), re.compile(r"\b(?:disabled|inactive)\b", re.I)),
)  # fmt: skip


class ReadAmount(NamedTuple):
    """A value as read: `unit` is that of its dimension, "date" or "count"; from `low` to `high`, both the same for one
    number. `also`: from where to where else it may be, where nobody can tell what its separator means."""

    start: int
    end: int
    unit: str
    low: float
    high: float
    bound: Bound
    printed_unit: str
    also: tuple[float, float] | None = None

    @property
    def readings(self) -> list["ReadAmount"]:
        return [self, self._replace(low=self.also[0], high=self.also[1])] if self.also else [self]


@dataclass(frozen=True)
class Clash:
    """How two statements differ, and where in each of them; a denial is shown as a whole (no span)."""

    kind: Kind
    one: Span | None = None
    other: Span | None = None


def find_clash(one: str, other: str, *, alike: bool = False, bare: bool = False) -> Clash | None:
    """What the two statements contradict each other in; None where they do not. `alike`: their vectors are, so that
    they may be about one thing in other words. `bare`: they are values of one thing, as cells of a table are."""
    ours, theirs = _Statement(one), _Statement(other)
    if not bare and not ours.same_subject(theirs, alike=alike):
        return None
    if found := _differing(ours.amounts, theirs.amounts):
        return Clash("value", *found)
    if ours.amounts or theirs.amounts:
        # "At most 5" and "not more than 5" say the same with and without a "not".
        same = len(ours.amounts) == len(theirs.amounts) and ours.sign and theirs.sign and ours.sign != theirs.sign
        return Clash("polarity") if same and ours.words == theirs.words else None
    return Clash("polarity") if ours.denies(theirs) else None


class _Statement:
    def __init__(self, text: str) -> None:
        self.text = text
        self.years = frozenset(match.group() for match in _YEAR.finditer(text))
        self.amounts = tuple(read_amounts(text))
        self.bare = _without(text, [(one.start, one.end) for one in self.amounts])
        counted = tokenize(_YEAR.sub(" ", self.bare)).counts
        self.all_words = frozenset(re.findall(r"[^\W\d_]+", self.bare.casefold()))
        small = {stem for word in _SMALL for stem in tokenize(word).counts}
        self.words = frozenset(word for word in counted if word not in small and not word.isdigit())
        self.named = frozenset(" ".join(m.group().casefold().split()) for m in _NAMED.finditer(self.bare))
        self.proper = frozenset(m.group().casefold() for m in _PROPER.finditer(self.bare))
        self.sign = _sign(text)

    def same_subject(self, other: "_Statement", *, alike: bool) -> bool:
        if self.years != other.years or self.named != other.named:
            return False
        if self.proper - other.all_words or other.proper - self.all_words or self._excludes(other):
            return False
        shared, own, others = self.words & other.words, self.words - other.words, other.words - self.words
        share = len(shared) / max(1, len(self.words | other.words))
        if not shared or self.qualified(own) or other.qualified(others):
            return False
        if not (own and others):
            # One says the same and a little more.
            return share >= SHARED_MIN and len(own | others) <= MORE_MAX
        # Another word in the place of one: another thing, unless the whole means the same.
        return alike and share >= SHARED_MIN_ALIKE

    def denies(self, other: "_Statement") -> bool:
        if self.sign and other.sign:
            return self.sign != other.sign and self.words == other.words
        negations = [len(_NEGATED.findall(one.text)) % 2 for one in (self, other)]
        return not (self.sign or other.sign) and negations[0] != negations[1] and self.words == other.words

    def _excludes(self, other: "_Statement") -> bool:
        for words in CONTRASTS:
            ours, theirs = self.all_words & words, other.all_words & words
            if (ours - theirs and theirs - ours) or (
                bool(ours) != bool(theirs) and len(ours | theirs) == 1 and _names(words)
            ):
                return True
        return False

    def qualified(self, own: frozenset[str]) -> bool:
        """Whether a word that this side alone has says when, where or for whom."""
        if not own:
            return False
        behind = {stem for match in _CONDITION.finditer(self.bare) for stem in tokenize(match[1]).counts}
        return not own.isdisjoint(behind)


def _names(words: frozenset[str]) -> bool:
    """Whether a word of the set says of which of several things one speaks, also where the other names none."""
    return bool(words & {"front", "left", "summer", "adult", "wet", "qualifying", "domestic", "upper", "weekend"})


def _sign(text: str) -> int:
    """1 where it allows, demands or includes; -1 where it does the opposite; 0 where it does neither."""
    for positive, negative in _SIGNS:
        found = [(m, 1) for m in positive.finditer(text)] + [(m, -1) for m in negative.finditer(text)]
        if found:
            match, sign = min(found, key=lambda one: one[0].start())
            around = text[max(0, match.start() - 16) : match.end() + 12]
            return -sign if len(_NEGATED.findall(around)) % 2 else sign
    return 0


def read_amounts(text: str) -> Iterator[ReadAmount]:
    taken = list[Span]()
    for start, end, when in find_dates(text):
        taken.append((start, end))
        yield ReadAmount(start, end, "date", when.toordinal(), when.toordinal(), "=", "date")
    for start, end, when in find_months(text):
        if _free(taken, start, end):
            taken.append((start, end))
            yield ReadAmount(start, end, "month", when.toordinal(), when.toordinal(), "=", "month")
    styles = _styles(text)
    for found, also in _quantities(text, styles):
        quantity = found.quantity
        if quantity.canonical_unit is None or not _free(taken, found.start, found.end):
            continue
        taken.append((found.start, found.end))
        comparing = _COMPARING.match(text, found.start)
        bound = _bound(text[: comparing.end() if comparing else found.start], quantity.comparator)
        low, high = _extent(quantity)
        yield ReadAmount(
            found.start, found.end, quantity.canonical_unit, low, high, bound, quantity.unit or "",
            _extent(also) if also else None,
        )  # fmt: skip
    years = [match.span() for match in _YEAR.finditer(text)] + [match.span() for match in _NAMED.finditer(text)]
    for match in _COUNT.finditer(text):
        values = [v for style in styles if (v := parse_number(match.group(), style)) is not None]
        if values and _free([*taken, *years], *match.span()):
            low, also = values[0], (values[-1], values[-1]) if values[-1] != values[0] else None
            yield ReadAmount(*match.span(), "count", low, low, _bound(text[: match.start()], "="), "", also)


def _styles(text: str) -> tuple[Style, ...]:
    """What separators mean in the text; each that they may, where nobody can tell."""
    style = style_in(text)
    return (Style.POINT, Style.COMMA) if style is Style.UNKNOWN else (style,)


def _quantities(text: str, styles: tuple[Style, ...]) -> Iterator[tuple[FoundQuantity, Quantity | None]]:
    """Each quantity, and what else it may be: `1.500 mm`."""
    found = dict[Span, list[FoundQuantity]]()
    for style in styles:
        for one in find_quantities(text, NumberReading(style)):
            found.setdefault((one.start, one.end), []).append(one)
    for _, same in sorted(found.items(), key=lambda one: (one[0][0], -one[0][1])):
        other = same[-1].quantity
        yield same[0], other if _extent(other) != _extent(same[0].quantity) else None


def _extent(quantity: Quantity) -> tuple[float, float]:
    """From where to where it reaches, in the unit of its dimension."""
    low, upper = quantity.canonical_number, quantity.canonical_upper
    high = low if upper is None else upper
    if not quantity.tolerance:
        return low, high
    # A tolerance has no offset: ± 2 °C are ± 2 K.
    own = quantity.unit != quantity.canonical_unit and quantity.unit
    spread = quantity.tolerance * (unit_of(own).factor if own else 1.0)
    return low - spread, high + spread


def _free(taken: list[Span], start: int, end: int) -> bool:
    return not any(start < b and a < end for a, b in taken)


def _bound(before: str, comparator: str) -> Bound:
    if _NOT_LESS.search(before):
        return ">="
    if _NOT_MORE.search(before):
        return "<="
    if comparator in ("<", "<=") or _UPPER.search(before):
        return "<="
    if comparator in (">", ">=") or _LOWER.search(before):
        return ">="
    return "~" if comparator == "~" or _ABOUT.search(before) else "="


def _differing(ours: tuple[ReadAmount, ...], theirs: tuple[ReadAmount, ...]) -> tuple[Span, Span] | None:
    """The first pair of values of one dimension that cannot both be; None where a value is common to both, or where
    neither can be told to be the other's counterpart."""
    for unit in dict.fromkeys(one.unit for one in ours):
        first, second = ([one for one in side if one.unit == unit] for side in (ours, theirs))
        if not second or (len(first) != len(second) and len(first) > 1 and len(second) > 1):
            continue
        if len(first) == len(second):
            pairs = [*zip(first, second, strict=True)]
        elif any(not cannot_both_be(a, b) for a in first for b in second):
            continue
        else:
            pairs = [(first[0], second[0])]
        for one, other in pairs:
            if cannot_both_be(one, other):
                return (one.start, one.end), (other.start, other.end)
    return None


def cannot_both_be(one: ReadAmount, other: ReadAmount) -> bool:
    return all(_readings_differ(a, b) for a in one.readings for b in other.readings)


def _readings_differ(one: ReadAmount, other: ReadAmount) -> bool:
    bounds = {one.bound, other.bound}
    room = 0.0 if one.printed_unit == other.printed_unit else ROUNDED
    room = APPROXIMATE if "~" in bounds else room
    if bounds == {"<=", ">="}:
        return False
    if "=" in bounds and "<=" in bounds:
        exact, bound = (one, other) if one.bound == "=" else (other, one)
        return exact.low > bound.high + room * abs(bound.high)
    if "=" in bounds and ">=" in bounds:
        exact, bound = (one, other) if one.bound == "=" else (other, one)
        return exact.high < bound.low - room * abs(bound.low)
    scale = max(abs(one.high), abs(other.high))
    if one.low != one.high or other.low != other.high:
        return one.low > other.high + room * scale or other.low > one.high + room * scale
    return abs(one.low - other.low) > max(room * scale, 1e-9 * scale)


def _without(text: str, spans: list[Span]) -> str:
    parts, at = list[str](), 0
    for start, end in sorted(spans):
        parts.append(text[at:start])
        at = end
    return " ".join([*parts, text[at:]])
