"""What a question says of the things that it means: its terms, single capitals, and words that turn what it says."""

import re
from collections.abc import Mapping, Set
from datetime import datetime
from types import MappingProxyType
from typing import Final, NamedTuple

from shared.answering.rows import AnsweringCell
from shared.lexical.languages import ENGLISH, STOP_WORDS
from shared.lexical.tokenizer import tokenize
from shared.retrieval.terms import Properties, terms_in
from shared.values.dates import find_dates, whole_date
from shared.values.quantities import find_limits

# By day the terms of it as a question writes it.
Days = Mapping[datetime, frozenset[str]]

# Words that are no terms and say nothing of a thing. "Not", "other", "only", "more", "to" and the like do.
_SILENT_WORDS: Final = (
    "a all am an and any are as at be been being by did do does doing for from had has have having he her him his i in "
    "is it its me my of on or our s she some that the their them there these they this those was we were what which "
    "who whom with you your"
)
_SILENT: Final = frozenset(_SILENT_WORDS.split())
_BELONGS_TO: Final = re.compile(r"\bbelong(?:s|ed|ing)? to\b", re.I)
WORD: Final = re.compile(r"[^\W_](?:[\w.-]*[^\W_])?")
# A capital that stands alone: of berth B, class S. No pronoun, and no article at the beginning.
_LETTER: Final = re.compile(r"(?<=[^\W_]\s)[A-HJ-Z](?![\w'’.&-])")
_ALONE: Final = re.compile(r"(?<![\w'’.&-])[A-Z](?![\w'’.&-])")
# What a sheet or a log prints behind a day.
_TIME: Final = re.compile(
    r"[\sT][0-2]?\d:[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:\s?[ap]m)?(?:\s?(?:Z|UTC|[+-]\d\d:?\d\d))?\Z", re.I
)
# So small a number may count anything.
_SMALL: Final = re.compile(r"\d{1,3}")


class Saying(NamedTuple):
    """What a question says of the things that it means: its terms, capitals that stand alone, and days, however a cell
    writes them."""

    terms: frozenset[str]
    letters: frozenset[str]
    days: Days = MappingProxyType({})

    @classmethod
    def of(cls, question: str, bounds: Set[str]) -> "Saying":
        """`bounds`: of what a value is to be above or below no cell is said to be."""
        bounds = tokenize(" ".join(find_limits(question))).counts.keys() | bounds
        return cls(frozenset(tokenize(question).counts.keys() - bounds), letters_in(question), days_in(question))

    def says(self, text: str) -> bool:
        """Whether it has all terms and letters of a text that has some: of Plan A not where it has Plan B."""
        having, letters = parts_of(text)
        return bool(letters or having) and letters <= self.letters and having <= self.terms

    def says_cell(self, cell: AnsweringCell, properties: Properties) -> bool:
        """Whether it says which row is meant: of 4 under the header "Lanes" with that word alone."""
        if self.day_of(cell.value):
            return True
        small = _SMALL.fullmatch(cell.value.strip()) and cell.label
        return self.says(cell.value) and not (
            small and not terms_in(cell.label, dict.fromkeys(self.terms, 1.0), properties)
        )

    def day_of(self, text: str, month_first: bool | None = None) -> frozenset[str]:
        """The question's terms of the day that a cell is, or a time of it; none where it is none of its days.
        `month_first` as for `find_dates`."""
        day = whole_date(without_time(text), month_first) if self.days else None
        return self.days.get(day, frozenset()) if day else frozenset()

    def may_be_of_day(self, text: str, month_first: bool | None = None) -> bool:
        """Whether a cell may be of one of the days, as a range or a date that can be read in two ways is."""
        for order in (True, False) if month_first is None else (month_first,):
            read = [day for _, _, day in find_dates(text, order)]
            if read and any(min(read) <= day <= max(read) for day in self.days):
                return True
        return False


def without_time(text: str) -> str:
    """A day as a cell has it, without the time behind it."""
    return _TIME.sub("", text.strip())


def days_in(question: str) -> Days:
    return {day: frozenset(tokenize(question[start:end]).counts) for start, end, day in find_dates(question)}


def letters_in(question: str) -> frozenset[str]:
    return frozenset(_LETTER.findall(question))


def parts_of(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Its terms, and the capitals that stand alone."""
    letters = frozenset(_ALONE.findall(text))
    return frozenset(tokenize(text).counts.keys() - {letter.lower() for letter in letters}), letters


def turning_in(text: str) -> frozenset[str]:
    """The words that are no terms, and make another thing of what the others say: not North B, other than North B."""
    words = {word.lower() for word in WORD.findall(_BELONGS_TO.sub(" ", text))}
    return frozenset((words & STOP_WORDS[ENGLISH]) - _SILENT)
