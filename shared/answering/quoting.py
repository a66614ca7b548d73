"""Chooses what is quoted: the best few statements, without padding, and which of them disagree."""

import math
import re
from collections.abc import Collection, Sequence
from typing import Final

from shared.answering.asked import held
from shared.answering.evidence import Sentence
from shared.values.addresses import normalise

QUOTATIONS_MAX: Final = 3
# Statements below this share of the best score are left out, and so are those as similar as this to a chosen one.
RELATIVE_MIN: Final = 0.75
REPEATED_FROM: Final = 0.92
# From this likeness on, two statements in other words are taken to be about the same thing.
ALIKE_FROM: Final = 0.8
_NUMBERS: Final = frozenset({"number"})


def in_named_sections(weighed: Sequence[Sentence], keys: Collection[str]) -> list[Sentence]:
    """The statements of the sections whose addresses, as normalised `keys`, a question names; of those below them
    where they have none of their own; [] where none is among `weighed`."""
    own = [s for s in weighed if _addresses(s)[-1:] and _addresses(s)[-1] in keys]
    return own or [s for s in weighed if not set(keys).isdisjoint(_addresses(s))]


def choose_quotations(weighed: Sequence[Sentence], codes: Collection[str] = ()) -> list[Sentence]:
    """The best statements, best first.

    Where some of the good ones have more of the question's `codes` than others, those alone. Rows that hold a value of
    the asked kind and tell as much of the question as the best come first, those first whose names say least beyond
    it: in a row all words name the value, in a sentence any thing. Where the first holds such a value, only such
    follow. One that repeats another is left out, unless it gives another value.
    """
    good = [s for s in weighed if s.score >= RELATIVE_MIN * weighed[0].score]
    most = max((_codes_in(s, codes) for s in good), default=0)
    able = [s for s in good if _codes_in(s, codes) == most]
    able = sorted(able, key=lambda s: s.beyond if _is_named_value(s, able[0].told) else math.inf)
    chosen: list[Sentence] = []
    for one in able:
        if len(chosen) == QUOTATIONS_MAX:
            break
        if _holds(able[0]) and not _holds(one):
            continue
        if not any(_repeats(one, other) for other in chosen):
            chosen.append(one)
    return chosen


def disagreements(chosen: Sequence[Sentence]) -> list[tuple[int, int]]:
    """The pairs of places in `chosen` whose statements say the same of another value."""
    return [(i, j) for j in range(len(chosen)) for i in range(j) if _disagree(chosen[i], chosen[j])]


def _is_named_value(sentence: Sentence, told: float) -> bool:
    """Whether it is a row that holds a value of the asked kind after its name, and has at least this share of the
    question's terms."""
    return sentence.told >= told and any(cell.holds for cell in sentence.cells[1:])


def _addresses(sentence: Sentence) -> list[str]:
    """The addresses of a statement's section and of those around it, outermost first."""
    section = sentence.hit.chunk.section
    return [normalise(step.address) for step in section.path if step.address] if section else []


def _codes_in(sentence: Sentence, codes: Collection[str]) -> int:
    return sum(code in sentence.terms for code in codes)


def _holds(sentence: Sentence) -> bool:
    return bool(sentence.values) or any(cell.answers for cell in sentence.cells)


def _repeats(one: Sentence, other: Sentence) -> bool:
    alike = float(one.vector @ other.vector) >= REPEATED_FROM
    return (
        alike
        and (not one.cells or one.text == other.text or one.cells[0] == other.cells[:1])
        and not _disagree(one, other)
    )


def _disagree(one: Sentence, other: Sentence) -> bool:
    """Same words with other numbers; or, where a kind of value was asked for, statements that are alike, have the same
    of the question's terms, and no value in common. Rows are compared where they begin with the same cell."""
    if bool(one.cells) != bool(other.cells) or (one.cells and one.cells[0] != other.cells[0]):
        return False
    if _masked(one.text) == _masked(other.text):
        return _said(one, _NUMBERS) != _said(other, _NUMBERS)
    ours, theirs = _answers(one), _answers(other)
    about_the_same = one.terms == other.terms and float(one.vector @ other.vector) >= ALIKE_FROM
    return bool(ours and theirs) and ours.isdisjoint(theirs) and about_the_same


def _answers(sentence: Sentence) -> set[str]:
    if sentence.cells:
        return {_plain(cell.value) for cell in sentence.cells if cell.answers}
    return {_plain(sentence.text[start:end]) for start, end in sentence.values}


def _said(sentence: Sentence, kinds: frozenset[str]) -> list[str]:
    return [_plain(sentence.text[start:end]) for start, end in held(kinds, sentence.text)]


def _masked(text: str) -> str:
    """The text without its numbers."""
    parts, at = list[str](), 0
    for start, end in held(_NUMBERS, text):
        parts.append(text[at:start])
        at = end
    return _plain("#".join([*parts, text[at:]]))


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().casefold()
