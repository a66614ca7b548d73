"""What a quoted statement refers back to: "They wear no armour" is quoted with the sentence that says who."""

import re
from collections.abc import Sequence
from typing import Final

from shared.answering.evidence import Sentence
from shared.answering.sentences import SENTENCE_MAX, split_sentences

# English pronouns that begin a statement; not where "it" stands for what follows: "It is best to wait".
_REFERS: Final = re.compile(
    r"(?!It (?:is|was|may be|can be|will be) (?:[\w-]+ ){1,3}(?:to|that|if|when)\b)"
    r"(?:They|It|He|She|This|These|Those|Such|Their|Its|His|Her)\b"
)


def with_referent(sentence: Sentence, chosen: Sequence[Sentence]) -> tuple[str, int]:
    """The statement as it is quoted, and where in it the statement itself begins: of a text that refers back with the
    sentence before it, as both stand in the passage. Not where that one is quoted itself."""
    content, text = sentence.hit.chunk.content, sentence.text
    start = content.find(text)
    if sentence.cells or sentence.hit.chunk.chunk_type != "text" or start <= 0 or not _REFERS.match(text):
        return text, 0
    before = split_sentences(content[:start])[-1:]
    own = [one.text for one in chosen if one.hit.chunk.id == sentence.hit.chunk.id]
    if not before or len(before[0]) > SENTENCE_MAX or any(before[0] in one for one in own):
        return text, 0
    begins = content.rfind(before[0], 0, start)
    return content[begins : start + len(text)], start - begins
