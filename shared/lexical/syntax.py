"""What a query says about its own words: quoted phrases, and beginnings of words (`recharg*`).

Everything else is words. A quote without its other half is a sign like any other, and so is a star that follows no
word of three characters.
"""

import re
import unicodedata
from dataclasses import dataclass

PHRASES_MAX = 4
PREFIXES_MAX = 4
PREFIX_LENGTH_MIN = 3
# Of a prefix as written: longer than any word of an index.
WRITTEN_MAX = 63

_MARKS = '"\u201c\u201d\u201e\u00ab\u00bb'
_QUOTED = re.compile(f"[{_MARKS}]([^{_MARKS}]+)[{_MARKS}]")
_PREFIX = re.compile(rf"(?<![\w*])(\w[\w.\-/]{{{PREFIX_LENGTH_MIN - 1},{WRITTEN_MAX}}})\*(?![\w*])")
_SPACE = re.compile(r"\s+")
_DASHES = re.compile("[\u2010\u2011\u2012\u2013\u2212]")


@dataclass(frozen=True)
class ParsedQuery:
    """`text` is to be found by its words; each of `phrases` must occur as written; `prefixes` begin words."""

    text: str
    phrases: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()


def parse_query(query: str) -> ParsedQuery:
    """Never fails: what is no phrase and no prefix is text. Phrases stay in the text, for their words count too."""
    phrases = [plain_text(match) for match in _QUOTED.findall(query)]
    kept = tuple(dict.fromkeys(p for p in phrases if re.search(r"\w", p)))[:PHRASES_MAX]
    prefixes = tuple(dict.fromkeys(p.lower() for p in _PREFIX.findall(query)))[:PREFIXES_MAX]
    return ParsedQuery(_PREFIX.sub(" ", query), kept, prefixes)


def plain_text(text: str) -> str:
    """Text as phrases are compared: case, width, dashes and spaces do not count."""
    return _SPACE.sub(" ", _DASHES.sub("-", unicodedata.normalize("NFKC", text))).strip().lower()


def has_phrase(text: str, phrase: str) -> bool:
    """Whether plain `text` has the plain `phrase`, from the start of a word to the end of one."""
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not (_joined(text, start) or _joined(text, end)):
            return True
        start = text.find(phrase, start + 1)
    return False


def _joined(text: str, place: int) -> bool:
    """Whether a word goes on over `place`."""
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()
