"""Compares two passages word by word: what was removed and added, and whether that concerns numbers, limits or
obligations.

Numbers with units are compared as quantities where they are given (`2 h` is `120 min`), so that a different notation is
no change.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from shared.domain.diff import Flag, WordRun

# A word may be divided at the end of a line.
_TOKEN = re.compile(r"\w+(?:(?:[.,'’:/-]|[-\u2010\u2011]\s+(?=[a-z])|[\u00ad\u2010\u2011]\s*)\w+)*|[^\w\s]")
_SPELLINGS = (("\u2010\u2011\u2012\u2013\u2014\u2212", "-"), ("‘’`´", "'"), ("“”„«»", '"'), ("\u00ad", None))
_PLAIN = {ord(sign): plain for signs, plain in _SPELLINGS for sign in signs}
# Hyphens from line breaks and hyphens that belong to a word cannot be told apart, so both are ignored.
_HYPHEN = re.compile(r"(?<=[^\W\d])-\s*(?=[^\W\d])")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*%?")
_REFERENCE = re.compile(
    r"(?:sections?|sec\.?|chapters?|tables?|figures?|fig\.?|annex|appendix|clauses?|articles?|art\.?|rules?|pages?|items?|"
    r"paragraphs?|requirements?|see|§+)\s*$",
    re.I,
)
_SPELLED = {
    word: str(n)
    for n, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
    if n > 1
}
_NEGATIONS = frozenset(
    {"not", "no", "never", "none", "without", "cannot", "neither", "nor", "unless", "except", "nothing"}
)
_STRENGTH = {
    "shall": "must", "must": "must", "required": "must", "requires": "must", "mandatory": "must",
    "should": "should", "recommended": "should", "ought": "should",
    "may": "may", "optional": "may", "optionally": "may", "permitted": "may", "allowed": "may",
    "prohibited": "never", "forbidden": "never",
}  # fmt: skip
_LIMITS = re.compile(
    r"\b(at least|at most|(?:no|not) (?:more|less|fewer|later|earlier) than|"
    r"(?:more|less|fewer|greater|longer|shorter|higher|lower) than|"
    r"up to|minimum|maximum|exceed(?:s|ing)?|within|only|all|any|each|every)\b",
    re.I,
)
# In passages of more words, difflib ignores the most frequent ones, which bounds its time.
_LONG = 2000
# Up to this many equal words between two changes are treated as part of one change.
_ISLAND = 2
# How many characters before a number a word such as `section` may be that makes it a reference.
REACH = 24

Token = tuple[str, int, int]


def plain_text(text: str) -> str:
    """The text without meaningless differences of notation: quotes, dashes, hyphens, line ends, ligatures."""
    return _HYPHEN.sub("", " ".join(unicodedata.normalize("NFKC", text).translate(_PLAIN).split()))


def words(text: str) -> list[str]:
    """The words and punctuation of a passage as they are compared: case matters; hyphens and white space do not."""
    return [word for word, _, _ in _tokens(text)]


def word_runs(before: str, after: str) -> list[WordRun]:
    """Both passages in one, as equal, removed and added runs; concatenating the runs of either passage reproduces
    it."""
    left, right = _tokens(before), _tokens(after)
    keys = [[token for token, _, _ in side] for side in (left, right)]
    long = max(map(len, keys)) > _LONG
    codes = SequenceMatcher(None, keys[0], keys[1], autojunk=long).get_opcodes()
    runs: list[WordRun] = []
    for equal, (a, b), (c, d) in _merged(codes):
        if equal:
            runs.append(WordRun(op="equal", text=_slice(after, right, c, d)))
            continue
        for op, text in (("removed", _slice(before, left, a, b)), ("added", _slice(after, right, c, d))):
            if text:
                runs.append(_run(op, text))
    return runs


class Measured(NamedTuple):
    """A passage and its quantities: the text without them, their values in canonical units, the printed units."""

    rest: str
    values: tuple[tuple[float, str], ...]
    units: tuple[str, ...]


def flags_of(before: Measured, after: Measured) -> list[Flag]:
    """Which differences of the passages can change a rule: numbers, units, limits, negations, modal verbs."""
    values = Counter(before.values) != Counter(after.values)
    differs: dict[Flag, bool] = {
        "numbers": values or _differ(_numbers, before, after),
        "units": values and Counter(before.units) != Counter(after.units),
        "limits": _differ(_limits, before, after),
        "negation": _differ(_negations, before, after),
        "modality": _differ(_modals, before, after),
    }
    return [flag for flag, yes in differs.items() if yes]


def _differ(find: Callable[[str], Iterable[str]], before: Measured, after: Measured) -> bool:
    return Counter(find(before.rest)) != Counter(find(after.rest))


def _limits(text: str) -> Iterator[str]:
    yield from (match[0].lower() for match in _LIMITS.finditer(text))


def _run(op: str, text: str) -> WordRun:
    return WordRun.model_validate({"op": op, "text": text})


def _tokens(text: str) -> list[Token]:
    """Each word as it is compared, and where it is in `text`."""
    return [(plain_text(m[0]), m.start(), m.end()) for m in _TOKEN.finditer(text)]


def _slice(text: str, tokens: Sequence[Token], first: int, last: int) -> str:
    """The text from the first of these words to the start of the word after the last one."""
    if first == last:
        return ""
    start = 0 if first == 0 else tokens[first][1]
    return text[start:] if last == len(tokens) else text[start : tokens[last][1]]


Span = tuple[int, int]


def _merged(codes: Iterable[tuple[str, int, int, int, int]]) -> Iterator[tuple[bool, Span, Span]]:
    """Opcodes as (equal, span before, span after), with short runs of equal words merged into the changes around
    them."""
    steps = [(tag == "equal", (a, b), (c, d)) for tag, a, b, c, d in codes]
    merged: list[tuple[bool, Span, Span]] = []
    for index, (equal, left, right) in enumerate(steps):
        inner = 0 < index < len(steps) - 1
        island = equal and inner and left[1] - left[0] <= _ISLAND
        counts = equal and not island
        if merged and not counts and not merged[-1][0]:
            _, (a, _), (c, _) = merged.pop()
            merged.append((False, (a, left[1]), (c, right[1])))
        else:
            merged.append((counts, left, right))
    yield from merged


def _numbers(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(plain_text(text)):
        word = match[0].lower()
        if word in _SPELLED:
            yield _SPELLED[word]
        elif (
            _NUMBER.fullmatch(word)
            and word.count(".") < 2
            and not _REFERENCE.search(match.string[max(0, match.start() - REACH) : match.start()])
        ):
            yield word.replace(",", "")


def _negations(text: str) -> Iterator[str]:
    for word in _TOKEN.findall(plain_text(text).lower()):
        if word in _NEGATIONS or word.endswith("n't"):
            yield "not" if word.endswith(("n't", "cannot")) else word


def _modals(text: str) -> Iterator[str]:
    """Yields obligations by their strength; in capitals they are normative (RFC 8174) and counted separately."""
    for word in _TOKEN.findall(plain_text(text)):
        strength = _STRENGTH.get(word.lower())
        if strength:
            yield strength.upper() if word.isupper() else strength


def strip_address(text: str, address: str | None) -> str:
    """The text without its section's own number in front, which is its place and not its content."""
    if not address:
        return text
    bare = text.lstrip()
    for shown in (address, address.lstrip("VCvc§ ")):
        if shown and bare.startswith(shown):
            return bare[len(shown) :].lstrip(" .:|)")
    return text
