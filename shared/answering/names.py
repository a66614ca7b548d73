"""Names that answer who made something, or in which town it is."""

import re
from collections.abc import Callable, Collection
from typing import Final

from shared.lexical.languages import ENGLISH, STOP_WORDS

_WORD: Final = re.compile(r"\w+")
_ASKS_NAME: Final = re.compile(
    r"\W*(?:who\s+(?:wrote|composed|authored|created|designed|invented|founded|maintains|developed|painted|translated)"
    r"|who\s+(?:is|are|was|were)\s+the\s+(?:\w+\s+)?(?:author|maintainer|composer|founder|creator|designer|inventor)s?"
    r"|(?:\w+\s+)?(?:which|what)\s+(?:city|town|country))\b", re.I
)  # fmt: skip
# Who did it need not have a name: "designed by the staff".
_BY: Final = re.compile(
    r"\b(?:written|composed|authored|created|designed|invented|founded|maintained|developed|painted|translated) by\b",
    re.I,
)
_BEGINS: Final = re.compile(r"(?:\A|[.!?]\s)\W*\Z")


def named_in_answers(question: str) -> Callable[[str], bool] | None:
    """Tells of a text whether it has a name that the question has not, or says by whom; None where the question asks
    for no name."""
    if not _ASKS_NAME.match(question):
        return None
    words = {*_WORD.findall(question.lower())}
    asked = words - STOP_WORDS[ENGLISH]
    return lambda text: _has_name(text, asked) or ("who" in words and bool(_BY.search(text)))


def _has_name(text: str, asked: Collection[str]) -> bool:
    """Whether a word that is none of `asked` is written as a name: with a capital, and not at the beginning of a
    sentence unless a word of the question follows: "Smirnov wrote"."""
    for match in _WORD.finditer(text):
        word, start = match[0], match.start()
        own = word.lower() in asked or word.lower() in STOP_WORDS[ENGLISH]
        if word[0].isupper() and len(word) > 1 and not own:
            follows = _WORD.search(text, match.end())
            if (follows and follows[0] in asked) or not _BEGINS.search(text, max(0, start - 8), start):
                return True
    return False
