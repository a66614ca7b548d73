"""Small numbers in words and in digits: "5 machines" stands as "five machines". English only.

"One" is left out, which is a pronoun as often, and so are compounds.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from shared.lexical.tokenizer import tokenize
from shared.values.numbers import IN_WORDS

_IN_DIGITS: Final = {
    term: str(number) for word, number in IN_WORDS.items() if number > 1 for term in tokenize(word).counts
}
# By the term of a number in words or digits that in the other.
WRITTEN_OTHERWISE: Final[Mapping[str, str]] = MappingProxyType(
    _IN_DIGITS | {digits: term for term, digits in _IN_DIGITS.items()}
)
# Between such a word and one that it may count: of "section 5 says" the number is a name.
_COUNTING: Final = re.compile(
    r"(?:^\W*|\b(?:is|are|was|were|have|has|had|the|these|those|any|all|there|of|for|with|in|on|by|and|or|than|only|about|least"
    r"|most|under|over|needs?|takes?|after|before|within|every) )(\d{1,2})(?=[ -][a-z]{3})",
    re.I,
)
_WORD: Final = re.compile(r"[^\W\d_]+")


def counting_words(text: str) -> dict[str, str]:
    """By word form of a question, a number that counts something, the same number as it may be written otherwise."""
    digits = set(_COUNTING.findall(text))
    words = {word for word in map(str.lower, _WORD.findall(text)) if word in IN_WORDS}
    found = {word: WRITTEN_OTHERWISE.get(term) for word in digits | words for term in tokenize(word).counts}
    return {word: other for word, other in found.items() if other}
