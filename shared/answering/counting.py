"""What a row counts: the things that its name names, and not those that qualify others there."""

import re
from collections.abc import Callable
from typing import Final

from shared.answering.held import held
from shared.lexical.tokenizer import tokenize

_WITH_NEXT: Final = re.compile(r"([^\W\d_]+)(?:\s+(?=([^\W\d_]+)))?")
_WORD: Final = re.compile(r"[\w'-]+")
_COUNT: Final = frozenset({"count"})
# What says how many there are, behind the name of a thing: "employee count", "death toll".
_COUNTING: Final = frozenset(tokenize(
    "count number total headcount sum tally toll quantity volume amount figure statistic level strength population "
    "base size capacity enrolment enrollment registration admission attendance arrival departure delivery traffic per"
).counts)  # fmt: skip


def qualifier_of(asked: str) -> Callable[[str], bool]:
    """Tells of a row's name whether all that it has of the things that are `asked` for, "employees", says which other
    things it counts, as nouns in the singular do: "employee stock plans"."""
    things = asked.rpartition(" ")[2].lower()
    wanted = tokenize(things).counts

    def qualifies(name: str) -> bool:
        of_them = [m for m in _WITH_NEXT.finditer(name) if tokenize(m[1]).counts == wanted] if wanted else []
        return bool(of_them) and all(m[1].lower() != things and _is_other_noun(m[2]) for m in of_them)

    return qualifies


def counter_of(asked: str) -> Callable[[str], bool]:
    """Tells of a text whether it has a number directly in front of the things that are `asked` for: "62 levels"."""
    things = asked.split()
    wanted = tokenize(asked).counts

    def counts(text: str) -> bool:
        behind = (_WORD.findall(text, end)[: len(things)] for _, end in held(_COUNT, text))
        return bool(wanted) and any(tokenize(" ".join(words)).counts == wanted for words in behind)

    return counts


def _is_other_noun(word: str | None) -> bool:
    """Whether it names something: neither how many there are, nor is it a word such as "of"."""
    terms = tokenize(word).counts.keys() if word else frozenset[str]()
    return bool(terms) and _COUNTING.isdisjoint(terms)
