"""Two things that a question names with "and": each is answered, where no statement tells of both.

"What is the limit of class S and class E?" has two rows, of which one has more rare words than the other.
"""

import re
from collections.abc import Sequence
from typing import Final

from shared.answering.evidence import Sentence
from shared.answering.question import Question
from shared.answering.quoting import QUOTATIONS_MAX, holds
from shared.lexical.tokenizer import tokenize

_WORD: Final = re.compile(r"-{0,2}\w[\w.+-]*")
_AND: Final = re.compile(r",? and ")
# What stands before the second thing, and names none.
_BEFORE: Final = frozenset({
    "the", "a", "an", "both", "of", "for", "in", "on", "with", "to", "its", "their", "is", "are", "was", "were", "does",
    "do", "did", "what", "which",
})  # fmt: skip
# Another statement tells as much of the rest of the question as this share of what the first does.
REST_MIN: Final = 0.75


def named_together(question: str) -> list[str]:
    """The things that a question names with "and", as it writes them; [] where it names none so. The word of their
    kind may be said twice: class S and class E."""
    first, *others = _AND.split(question, maxsplit=1)
    words = _words(first)
    if not others or not words:
        return []
    # "A, B and C": single words between commas are things as well.
    things = list[str]()
    for piece in reversed(first.split(", ")):
        listed = _words(piece)
        things = [*listed[-1:], *things]
        if len(listed) != 1:
            break
    said = {word.lower() for word in words}
    last = next((w for w in _words(others[0].partition(",")[0]) if w.lower() not in said | _BEFORE), "")
    return [*things, last] if last else []


def _words(text: str) -> list[str]:
    return [word.rstrip(".") for word in _WORD.findall(text)]


def with_each_named(
    question: Question, things: Sequence[str], chosen: Sequence[Sentence], weighed: Sequence[Sentence]
) -> list[Sentence]:
    """What is quoted, some statements, and behind the first the best of each of the `things` that none of them tells
    of; as it is where the first tells of all or none."""
    first = chosen[0]
    told = [thing for thing in things if _tells_of(first, thing)]
    missing = [thing for thing in things if not any(_tells_of(one, thing) for one in chosen[: len(things)])]
    if not told or not missing:
        return [*chosen]
    named = {term for thing in things for term in tokenize(thing).counts}
    rest = {term: weight for term, weight in question.weights.items() if term not in named}

    def share(one: Sentence) -> float:
        return sum(weight for term, weight in rest.items() if term in one.terms)

    able = [
        one
        for one in weighed
        if one not in chosen
        and one.met is not False
        and holds(one) >= holds(first)
        and bool(one.cells) == bool(first.cells)
        and share(one) >= REST_MIN * share(first)
    ]
    found = [next((one for one in able if _tells_of(one, thing)), None) for thing in missing]
    further = list(dict.fromkeys(one for one in found if one))
    others = [one for one in chosen[1:] if one not in further]
    return [first, *further, *others][: max(QUOTATIONS_MAX, 1 + len(further))]


def _tells_of(sentence: Sentence, thing: str) -> bool:
    """A letter is the thing itself, of which no other form is known."""
    if len(thing) == 1 or thing.startswith("-"):
        return thing in _words(sentence.text)
    wanted = tokenize(thing).counts.keys()
    return bool(wanted) and wanted <= sentence.terms
