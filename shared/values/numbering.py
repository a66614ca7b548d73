"""Numbering sequences: 1, 2, 2.1, 2.2, 3 … confirm each other as titles, whatever their style."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_NUMBERED = re.compile(
    r"(?:(?P<prefix>[A-Z]{1,3})?(?P<digits>\d{1,3}(?:\.\d{1,3})*)|(?P<letter>[A-Z])(?P<below>(?:\.\d{1,3})*))"
    r"[.:)]?\s+(?P<title>\S.*)$"
)
_ROMAN_NUMBER = re.compile(r"(?P<roman>[IVXLC]{1,6})(?:[-.](?P<sub>[A-Z]))?[.:)]?\s+(?P<title>\S.*)$")
_INITIALS = re.compile(r"[A-Z]\.(?:,|\s?[A-Z]\.)")
# Penalty for a number missing from the sequence, and for a sequence that does not begin with 1.
GAP = 0.5
LATE_START = 1.0


@dataclass(frozen=True, slots=True)
class Numbered:
    """A row that begins with a number: its scheme (`` for 1.2, `A` for lettered, `I` for roman, or the prefix), the
    numbering steps, the number as printed.

    `weight` is how much the row looks like a title by itself.
    """

    row: int
    scheme: str
    steps: tuple[int, ...]
    printed: str
    weight: float


def numbers_of(text: str) -> list[tuple[str, tuple[int, ...], str]]:
    """The possible readings of the number that `text` starts with: (scheme, steps, as printed). `I` can be a letter or
    roman."""
    found: list[tuple[str, tuple[int, ...], str]] = []
    matched = _NUMBERED.match(text)
    if matched and _begins_title(matched["title"]):
        if matched["digits"]:
            steps = tuple(int(step) for step in matched["digits"].split("."))
            found.append((matched["prefix"] or "", steps, (matched["prefix"] or "") + matched["digits"]))
        else:
            below = tuple(int(step) for step in matched["below"].split(".")[1:])
            found.append(("A", (ord(matched["letter"]) - 64, *below), matched["letter"] + matched["below"]))
    roman = _ROMAN_NUMBER.match(text)
    if roman and _begins_title(roman["title"]):
        sub = (ord(roman["sub"]) - 64,) if roman["sub"] else ()
        printed = roman["roman"] + (text[roman.end("roman") : roman.end("sub")] if sub else "")
        found.append(("I", (_roman(roman["roman"]), *sub), printed))
    return found


def _begins_title(title: str) -> bool:
    return title[0].isalpha() and not title[0].islower() and not _INITIALS.match(title)


def _roman(text: str) -> int:
    values = [_ROMAN[c] for c in text]
    return sum(-v if v < max(values[n:]) else v for n, v in enumerate(values))


def longest_sequences(candidates: Sequence[Numbered]) -> list[list[Numbered]]:
    """Per scheme, the sequence of greatest weight in which each number is a successor of the one before: 2 → 3, 2.1 →
    3, 2 → 2.1."""
    schemes = dict.fromkeys(one.scheme for one in candidates)
    return [_heaviest([one for one in candidates if one.scheme == scheme]) for scheme in schemes]


def _heaviest(candidates: Sequence[Numbered]) -> list[Numbered]:
    scores: list[float] = []
    before: list[int | None] = []
    ends_exactly: dict[tuple[int, ...], int] = {}
    ends_below: dict[tuple[int, ...], int] = {}
    for index, one in enumerate(candidates):
        score, previous = _best_start(one.steps, scores, ends_exactly, ends_below)
        scores.append(score + one.weight)
        before.append(previous)
        _keep(ends_exactly, one.steps, index, scores)
        for length in range(len(one.steps)):
            _keep(ends_below, one.steps[: length + 1], index, scores)
    at: int | None = scores.index(max(scores))
    chain: list[Numbered] = []
    while at is not None:
        chain.append(candidates[at])
        at = before[at]
    return chain[::-1]


def _keep(ends: dict[tuple[int, ...], int], key: tuple[int, ...], index: int, scores: list[float]) -> None:
    if key not in ends or scores[index] > scores[ends[key]]:
        ends[key] = index


def _best_start(
    steps: tuple[int, ...], scores: list[float], exact: dict[tuple[int, ...], int], below: dict[tuple[int, ...], int]
) -> tuple[float, int | None]:
    """The best score of a sequence that can continue with `steps`, and the index of its last row."""
    above, last = steps[:-1], steps[-1]
    options: list[tuple[float, int | None]] = [(0.0 if last <= 1 and not above else -LATE_START, None)]
    if last <= 1 and above in exact:
        options.append((scores[exact[above]], exact[above]))
    for skipped in (1, 2):
        earlier = below.get((*above, last - skipped))
        if earlier is not None:
            options.append((scores[earlier] - GAP * (skipped - 1), earlier))
    return max(options, key=lambda option: option[0])
