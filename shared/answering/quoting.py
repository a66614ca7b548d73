"""Chooses what is quoted: the best few statements, without padding, and which of them disagree."""

import math
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple
from uuid import UUID

from shared.answering.contradictions import ALIKE_FROM, Clash, find_clash
from shared.answering.defining import DEFINES_NOTHING, Says
from shared.answering.evidence import Sentence
from shared.answering.question import Question
from shared.domain.knowledge import Hit
from shared.lexical.tokenizer import tokenize
from shared.retrieval.named import LABELS
from shared.retrieval.titled import asked_term, title_matcher
from shared.values.addresses import below_roman, normalise, outline_step

QUOTATIONS_MAX: Final = 3
# Statements below this share of the best score are left out, and so are those as similar as this to a chosen one.
RELATIVE_MIN: Final = 0.75
REPEATED_FROM: Final = 0.92
# Statements that contradict what is quoted are shown too: so many of the best.
OPPOSITES_MAX: Final = 2
OPPOSITES_AMONG: Final = 40
# So many rows that meet a limit are quoted.
MEETING_MAX: Final = 10
# Words of a question that asks a section for what it says, and for nothing in it.
_SAYING: Final = frozenset(
    tokenize(
        "say says state states tell tells read reads contain contains cover covers explain explains summarise summarize"
        f" show quote about text content contents {' '.join(LABELS)}"
    ).counts
)


def in_named_sections(
    weighed: Sequence[Sentence], keys: Collection[str], naming: Mapping[str, Collection[UUID]]
) -> list[Sentence]:
    """The statements of the sections whose addresses, as normalised `keys`, a question names; of those below them
    where they have none of their own; [] where none is among `weighed`. Of documents that have such a section, those
    alone that most terms of the question name, by `naming`: section 3.9 of the handbook."""
    there = [s for s in weighed if not set(keys).isdisjoint([*_addresses(s), *_own_addresses(s)])]
    names = {s.hit.document.id: sum(s.hit.document.id in those for those in naming.values()) for s in there}
    most = max(names.values(), default=0)
    there = [s for s in there if names[s.hit.document.id] == most]
    return [s for s in there if not set(keys).isdisjoint(_own_addresses(s))] or there


def in_titled_sections(weighed: Sequence[Sentence], query: str) -> list[Sentence]:
    """The statements of the sections that a question names by their title, and of those below them."""
    is_named = title_matcher(asked_term(query))
    return [s for s in weighed if any(map(is_named, _titles(s)))]


def asks_nothing_more(question: Question, keys: Collection[str]) -> bool:
    """Whether a question that names sections by their addresses, as normalised `keys`, asks for nothing in them: what
    does AC-7 say."""
    words = {term for term in question.weights if term.isalpha()}
    return not words - question.naming.keys() - tokenize(" ".join(keys)).counts.keys() - _SAYING


def beginning(named: Sequence[Sentence], says: Says = DEFINES_NOTHING) -> list[Sentence]:
    """The first statements of sections, in the order of reading, those of the best document first; before them that
    which says what the asked thing is, as `says` tells of its text."""
    documents = [*dict.fromkeys(s.hit.document.id for s in named)]
    ordered = sorted(named, key=lambda s: (documents.index(s.hit.document.id), s.hit.chunk.ordinal, s.place))
    first = max(ordered, key=lambda one: _defines(one, says))
    return [first, *(one for one in ordered if one is not first)][:QUOTATIONS_MAX]


def _defines(sentence: Sentence, says: Says) -> int:
    """A row says nothing in words."""
    return 0 if sentence.cells else says(sentence.text)


def choose_quotations(
    weighed: Sequence[Sentence],
    codes: Collection[str] = (),
    *,
    demanded: bool = False,
    answering: Sequence[Sentence] = (),
    says: Says = DEFINES_NOTHING,
) -> list[Sentence]:
    """The best statements, best first. `demanded`: nothing but a value of the asked kind answers; of the statements
    `answering` has those that are known to hold one: where none of the good ones is among them, the best of them.

    Where some of the good ones have more of the question's `codes` than others, those alone; of a table's rows those
    alone of which the question says most. What a form says under a label that names what is asked comes first. Rows
    that hold a value of the asked kind and tell as much of the question as the best come first, those first whose names
    say least beyond it: in a row all words name the value, in a sentence any thing. Of other statements those come
    first that say what the asked thing is, as `says` tells of their text. One that repeats another is left out, unless
    it gives another value, and so is one that restates the question, unless there is nothing else. What does not meet
    the limit that is asked for answers nothing.
    """
    weighed = [s for s in weighed if not s.restates] or weighed
    needed = RELATIVE_MIN * max((s.score for s in weighed), default=0.0)
    weighed = [s for s in weighed if s.met is not False]
    good = [s for s in weighed if s.score >= needed]
    most = max((_codes_in(s, codes) for s in good), default=0)
    able = [s for s in good if _codes_in(s, codes) == most]
    able = _rows_meant(_with_values(able, weighed, answering) if demanded else able)

    def order(one: Sentence) -> tuple[bool, float, int]:
        return not one.filled, one.beyond if _is_named_value(one, able[0].told) else math.inf, -_defines(one, says)

    able = sorted(able, key=order)
    chosen: list[Sentence] = []
    for one in able:
        if len(chosen) < QUOTATIONS_MAX and not any(_repeats(one, other) for other in chosen):
            chosen.append(one)
    return chosen


def with_meeting(chosen: Sequence[Sentence], weighed: Sequence[Sentence]) -> list[Sentence]:
    """What is quoted, and where the first is a row that is meant by what the question says, the others of its table
    that are, as of a list; where it says more than what was compared, those that tell as much."""
    first = chosen[0]
    if not (first.met and first.meant):
        return [*chosen]
    rows = [s for s in weighed if s.met and s.meant and s.meant.table == first.meant.table]
    further = [s for s in rows if (first.meant.whole or s.coverage >= first.coverage) and s not in chosen]
    chosen = [replace(first, meeting=first.meant.meeting), *chosen[1:]]
    return [*chosen, *(replace(s, listed=True) for s in further[: MEETING_MAX - len(chosen)])]


def _rows_meant(able: Sequence[Sentence]) -> list[Sentence]:
    """Without rows beside which another one of their table has each of the cells by which the question means them, and
    one more: class 10.9 of an M12, not of an M12 × 1.25, nor 12.9; but M16 beside them, where that is asked for too."""
    told: defaultdict[UUID | None, set[frozenset[tuple[str, str]]]] = defaultdict(set)
    for one in able:
        told[one.hit.chunk.table_id].add(one.restated)
    return [s for s in able if not s.cells or not any(s.restated < other for other in told[s.hit.chunk.table_id])]


def _with_values(
    able: Sequence[Sentence], weighed: Sequence[Sentence], answering: Sequence[Sentence]
) -> Sequence[Sentence]:
    known, holding = set(answering), [s for s in able if holds(s)]
    choices = ([s for s in those if s in known] for those in (holding, able, weighed))
    return next(filter(None, choices), holding or able)


class ClashingPair(NamedTuple):
    """The places of two statements, and how they differ."""

    one: int
    other: int
    difference: Clash


def disagreements(chosen: Sequence[Sentence]) -> list[ClashingPair]:
    """The pairs in `chosen` whose statements contradict each other. What one passage says side by side is of several
    cases: there are no two places to compare, nor in what a list has."""
    told = [i for i, one in enumerate(chosen) if not one.listed]
    pairs = [(i, j) for j in told for i in told if i < j and not _is_same_chunk(chosen[i], chosen[j])]
    return [ClashingPair(i, j, found) for i, j in pairs if (found := _disagree(chosen[i], chosen[j]))]


def with_opposites(chosen: Sequence[Sentence], weighed: Sequence[Sentence]) -> list[Sentence]:
    """What is quoted, and behind it the best of the other statements that contradict it: a reader is to see both. Rows
    that are known not to be meant are of other things."""
    among = [s for s in weighed[:OPPOSITES_AMONG] if s.met is not False and s not in chosen]
    among = [s for s in among if not is_listed(s, chosen)]
    told = [s for s in chosen if not s.listed]
    opposed = [one for one in among if any(not _is_same_chunk(own, one) and _disagree(own, one) for own in told)]
    found: list[Sentence] = []
    for one in opposed:
        if len(found) < OPPOSITES_MAX and not any(_repeats(one, other) for other in found):
            found.append(one)
    return [*chosen, *found]


def is_listed(one: Sentence, chosen: Sequence[Sentence]) -> bool:
    """Whether an item of a list that is quoted says it."""
    return any(item.listed and _is_same_chunk(one, item) and one.text in item.text for item in chosen)


def _is_same_chunk(one: Sentence, other: Sentence) -> bool:
    return one.hit.chunk.id == other.hit.chunk.id


def _is_named_value(sentence: Sentence, told: float) -> bool:
    """Whether it is a row that holds a value of the asked kind after its name, and has at least this share of the
    question's terms."""
    values = [cell for cell in sentence.cells if cell.value != sentence.name]
    return sentence.told >= told and any(cell.holds for cell in values)


def _addresses(sentence: Sentence) -> list[str]:
    """The addresses of a statement's section and of those around it, outermost first."""
    section = sentence.hit.chunk.section
    return [normalise(step.address) for step in section.path if step.address] if section else []


def _own_addresses(sentence: Sentence) -> list[str]:
    """Those of its section: IV.A also of `A. Fees` below IV."""
    section = sentence.hit.chunk.section
    steps = [step.address or outline_step(step.title) for step in section.path] if section else []
    return [*_addresses(sentence)[-1:], *(below_roman(normalise(steps[-1]), steps[:-1]) if steps else [])]


def _titles(sentence: Sentence) -> list[str]:
    section = sentence.hit.chunk.section
    return [step.title for step in section.path] if section else []


def _codes_in(sentence: Sentence, codes: Collection[str]) -> int:
    return sum(code in sentence.terms or code in sentence.identified for code in codes)


def holds(sentence: Sentence) -> bool:
    """Whether it has a value of the asked kind, or a cell that answers."""
    return bool(sentence.values) or any(cell.answers for cell in sentence.cells)


def _repeats(one: Sentence, other: Sentence) -> bool:
    alike = float(one.vector @ other.vector) >= REPEATED_FROM
    return alike and (not one.cells or one.text == other.text) and not _disagree(one, other)


def _disagree(one: Sentence, other: Sentence) -> Clash | None:
    """How they contradict each other. Rows are compared where they begin with the same cell; those of one table that
    are both meant are two things."""
    if one.met and other.met and one.meant and other.meant and one.meant.table == other.meant.table:
        return None
    if one.cells or other.cells:
        return _rows_disagree(one, other)
    valued = bool(one.values and other.values)
    alike = valued and one.terms == other.terms and float(one.vector @ other.vector) >= ALIKE_FROM
    if found := find_clash(one.text, other.text, alike=alike):
        return found
    ours, theirs = ([s.text[a:b] for a, b in s.values] for s in (one, other))
    # People, whom nothing but the question's kind tells from other words.
    named = alike and not any(any(c.isdigit() for c in value) for value in (*ours, *theirs))
    if not named or not {*map(_plain, ours)}.isdisjoint(map(_plain, theirs)):
        return None
    return Clash("value", one.values[0], other.values[0])


def _rows_disagree(one: Sentence, other: Sentence) -> Clash | None:
    """Rows of one name whose cells under the same headers are the same words, with another value in one that answers.
    A header that both lack stands for the column's place. Values of forms are compared in versions of one document:
    other forms are of other things."""
    if not one.cells or not other.cells or one.name != other.name:
        return None
    # The first quarter's row is not the second's.
    if one.hit.document.id == other.hit.document.id and one.below != other.below:
        return None
    named = sum(cell.value == one.name for cell in one.cells[:1])
    if not named and not _are_versions(one.hit, other.hit):
        return None
    found: Clash | None = None
    for at, (own, theirs) in enumerate(zip(one.cells[named:], other.cells[named:], strict=False), start=named):
        if own.label != theirs.label or _plain(own.value) == _plain(theirs.value):
            continue
        # An amount and its share of the whole are no two values of one thing.
        if own.stated and theirs.stated and own.stated != theirs.stated:
            return None
        # The other cells say what the row is about: another season, another size.
        if not (own.answers and theirs.answers):
            return None
        label = f"{own.label}: " if own.label else ""
        if find_clash(f"{label}{own.value}", f"{label}{theirs.value}", bare=True):
            found = found or Clash("value", _cell_span(one, at), _cell_span(other, at))
    return found


def _are_versions(one: Hit, other: Hit) -> bool:
    own, theirs = one.version, other.version
    if not own or not theirs:
        return False
    return own.logical_document_name == theirs.logical_document_name and own.index != theirs.index


def _cell_span(row: Sentence, at: int) -> tuple[int, int] | None:
    start = row.text.find(row.cells[at].value)
    return (start, start + len(row.cells[at].value)) if start >= 0 else None


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().casefold()
