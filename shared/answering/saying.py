"""What a question says of the things that it means: its terms, single capitals, and words that turn what it says."""

import re
from collections.abc import Set
from typing import Final, NamedTuple

from shared.answering.rows import AnsweringCell
from shared.lexical.languages import ENGLISH, STOP_WORDS
from shared.lexical.tokenizer import tokenize
from shared.retrieval.terms import Properties, terms_in
from shared.values.quantities import find_limits

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
# So small a number may count anything.
_SMALL: Final = re.compile(r"\d{1,3}")


class Saying(NamedTuple):
    """What a question says of the things that it means: its terms, and capitals that stand alone."""

    terms: frozenset[str]
    letters: frozenset[str]

    @classmethod
    def of(cls, question: str, bounds: Set[str]) -> "Saying":
        """`bounds`: of what a value is to be above or below no cell is said to be."""
        bounds = tokenize(" ".join(find_limits(question))).counts.keys() | bounds
        return cls(frozenset(tokenize(question).counts.keys() - bounds), letters_in(question))

    def says(self, text: str) -> bool:
        """Whether it has all terms and letters of a text that has some: of Plan A not where it has Plan B."""
        having, letters = parts_of(text)
        return bool(letters or having) and letters <= self.letters and having <= self.terms

    def says_cell(self, cell: AnsweringCell, properties: Properties) -> bool:
        """Whether it says which row is meant: of 4 under the header "Lanes" with that word alone."""
        small = _SMALL.fullmatch(cell.value.strip()) and cell.label
        return self.says(cell.value) and not (
            small and not terms_in(cell.label, dict.fromkeys(self.terms, 1.0), properties)
        )


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
