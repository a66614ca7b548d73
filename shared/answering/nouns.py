"""The nouns of an English question: what is asked for, and what it asks of."""

import re
from collections.abc import Iterator
from typing import Final

from shared.answering.asked import asked_kinds, asked_phrase

# A noun with what stands before it, up to a word that ends it.
_ENDS: Final = (
    "of|for|in|at|on|to|by|from|with|about|under|per|between|behind|among|when|that|which|who|and|or|is|was|are|were|be|do|does|did|has|have|"
    "had|can|may|must|should|shall|will|would|could|as|into|over|than|if|"
    "gets?|got|becomes?|became|stays?|stayed|remains?|remained|seems?|seemed|too|very|not"
)
_NOUNS: Final = re.compile(rf"\b(?:the|an?)\s+((?:(?!(?:{_ENDS})\b)[\w-]+\s*){{1,3}})", re.I)
_ASKS_DOING: Final = re.compile(r"\b(?:do|does|did|can|could|may|might|must|shall|should|will|would)\s+\Z", re.I)
_ASKS_DONE: Final = re.compile(r"\b(?:is|are|was|were|been)\s+\Z", re.I)
_DONE: Final = re.compile(
    r"\s\w{2,20}[^\We]ed\Z|\s(?:made|built|sent|kept|held|found|written|drawn|set|put|given)\Z", re.I
)
_TAKES_PLACE: Final = re.compile(r" take (?:place|part|effect|off)\Z", re.I)


def nouns_of(question: str) -> Iterator[str]:
    """What is asked for, where that names more than a place or a time (which day), and each noun with an article;
    behind "does" and the like the last word is what it does, and behind "is" it may be what is done with it."""
    asked = asked_phrase(question)
    if asked_kinds(f"which {asked}").isdisjoint({"date", "place"}):
        yield asked
    for match in _NOUNS.finditer(question):
        noun = _TAKES_PLACE.sub(" happen", match[1].strip())
        if _ASKS_DOING.search(question, 0, match.start()):
            yield noun.rpartition(" ")[0]
        else:
            yield _DONE.sub("", noun) if _ASKS_DONE.search(question, 0, match.start()) else match[1].strip()
