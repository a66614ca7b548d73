"""Query syntax: quoted phrases and prefixes (`recharg*`); everything else is words.

An unpaired quote is an ordinary character, and so is a star that does not follow a word of at least three characters.
"""

import re
import unicodedata
from dataclasses import dataclass

PHRASES_MAX = 4
PREFIXES_MAX = 4
PREFIX_LENGTH_MIN = 3
# Longest prefix in characters: longer than any indexed word.
WRITTEN_MAX = 63

_MARKS = '"\u201c\u201d\u201e\u00ab\u00bb'
_QUOTED = re.compile(f"[{_MARKS}]([^{_MARKS}]+)[{_MARKS}]")
_PREFIX = re.compile(rf"(?<![\w*])(\w[\w.\-/]{{{PREFIX_LENGTH_MIN - 1},{WRITTEN_MAX}}})\*(?![\w*])")
_SPACE = re.compile(r"\s+")
_DASHES = re.compile("[\u2010\u2011\u2012\u2013\u2212]")


@dataclass(frozen=True)
class ParsedQuery:
    """`text` is matched by its words; each of `phrases` must occur as written; each of `prefixes` matches words that
    begin with it."""

    text: str
    phrases: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()


def parse_query(query: str) -> ParsedQuery:
    """Never fails: what is neither phrase nor prefix is text. Phrases remain in the text, as their words are matched
    too."""
    phrases = [plain_text(match) for match in _QUOTED.findall(query)]
    kept = tuple(dict.fromkeys(p for p in phrases if re.search(r"\w", p)))[:PHRASES_MAX]
    prefixes = tuple(dict.fromkeys(p.lower() for p in _PREFIX.findall(query)))[:PREFIXES_MAX]
    return ParsedQuery(_PREFIX.sub(" ", query), kept, prefixes)


def plain_text(text: str) -> str:
    """Normalises a text for comparing phrases: case, character width, dashes and white space are ignored."""
    return _SPACE.sub(" ", _DASHES.sub("-", unicodedata.normalize("NFKC", text))).strip().lower()


def has_phrase(text: str, phrase: str) -> bool:
    """Whether the normalised `text` contains the normalised `phrase` at word boundaries."""
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not (_is_inside_word(text, start) or _is_inside_word(text, end)):
            return True
        start = text.find(phrase, start + 1)
    return False


def _is_inside_word(text: str, place: int) -> bool:
    """Whether `place` is inside a word, not at a boundary."""
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()
