"""Of which years a statement is: what stands nearest to it tells.

"We are under examination for fiscal 2019" makes no other figure of its page one of 2019, and a report of 2023 has notes
due in 2027. So a statement is of the years that it has itself, a row of those above its cells; without any, of those of
its passage, and then of those that name its document. What a document's own name says holds for all of it.
"""

import re
from collections.abc import Collection, Mapping
from typing import Final
from uuid import UUID

from shared.answering.evidence import Sentence
from shared.lexical.periods import spell_period

# A year, and the second of two: 2012-13. No amount, and no day: 2012-03-13.
_YEAR: Final = re.compile(r"(?<![\d,.$€£])(?P<year>(?:19|20)\d\d)(?:[-–/](?P<next>\d\d)(?![-–/\d]))?(?!\d|[,.]\d)")
_SPAN: Final = re.compile(r"\b(?:between|from) ((?:19|20)\d\d) (?:and|to|until|through) ((?:19|20)\d\d)\b", re.I)
_WRITTEN: Final = re.compile(r"(?<!\w)(?=\w*\d)[a-z\d]{4,6}(?!\w)", re.I)


def years_asked(question: str) -> list[str]:
    """The years of a question; of "between 2018 and 2022" also those that lie between."""
    years = years_in(question)
    for first, last in _SPAN.findall(question):
        years += [str(year) for year in range(int(first) + 1, int(last))]
    return years


def years_in(text: str) -> list[str]:
    """The years of a text in their order, also of a fiscal period (3Q22) and of two years (2012-13)."""
    found = list[tuple[int, str]]()
    for match in _YEAR.finditer(text):
        found.append((match.start(), match["year"]))
        if match["next"]:
            found.append((match.end(), f"{match['year'][:2]}{match['next']}"))
    for match in _WRITTEN.finditer(text):
        found += [(match.start(), year) for year in spell_period(match[0].lower())[-1:]]
    return list(dict.fromkeys(year for _, year in sorted(found)))


def is_of_year(sentence: Sentence, year: str, passage: str, naming: Mapping[str, Collection[UUID]]) -> bool:
    """`passage`: all that the statement stands in, with its document's name, its titles and its table; `naming`: which
    documents a word names."""
    document = sentence.hit.document
    if year in years_in(document.name):
        return True
    own = years_in("\n".join(cell.label for cell in sentence.cells)) or years_in(sentence.text)
    told = own or years_in(passage.removeprefix(document.name))
    return year in told or (not told and document.id in naming.get(year, ()))
