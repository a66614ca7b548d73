"""Text to index terms: words stemmed, identifiers kept whole and in parts. The index and its queries both use this.

Postgres' own parser splits `GA-37`, `SP 800-63B` and `C7.6.2` into pieces that match everywhere. Here an identifier
gives its whole (`c7.6.2`), itself with the word before (`sp.800.63b`), itself without a letter prefix (`7.6.2`), and
its parts, so that it is found however it is written.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import Stemmer

# Raise it with any change to the terms of a text: rows of another version are indexed anew.
RULES = 1
TERM_LENGTH_MAX = 64
PREFIX_LENGTH_MAX = 12
TERM_SPACE = 1_000_000_000  # the dimensions that a sparsevec may have

_SEPARATORS = re.escape("._/:-") + "\u2010\u2011\u2012\u2013\u2212"
_RUN = re.compile(rf"[^\W_]+(?:[{_SEPARATORS}'\u2019]+[^\W_]+|\(\w{{1,3}}\))*")
_PART = re.compile(r"[^\W_]+")
_DIGIT = re.compile(r"\d")
_APOSTROPHE = re.compile(r"['\u2019](?:s(?=\W|$))?")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?:\D|$))")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
_LETTER_PREFIX = re.compile(r"([a-z]{1,4})(\d+(?:\.\w+)*)")

_STOP_WORDS = (
    "a about above after again against all am an and any are as at be because been before being below between "
    "both but by can could did do does doing don during each few for from further had has have having he her here "
    "hers herself him himself his how i if in into is it its itself just me more most my myself no nor not now of "
    "off on once only or other our ours ourselves out over own s same she should so some such t than that the "
    "their theirs them themselves then there these they this those through to too under until up very was we were "
    "what when where which while who whom why will with would you your yours yourself yourselves "
)
STOP_WORDS = frozenset(_STOP_WORDS.split())
_stemmer = Stemmer.Stemmer("english")


def tokenizer_version() -> str:
    """Rules and stemmer: equal strings mean equal terms."""
    return f"identifiers.{RULES}/snowball-english-{Stemmer.version()}"


@dataclass(frozen=True)
class Terms:
    """How often each term occurs, and the length of the text in words (identifiers' extra forms not counted)."""

    counts: Counter[str]
    length: int


def tokenize(text: str) -> Terms:
    """Terms of a text, for the index and for queries alike."""
    counts: Counter[str] = Counter()
    length = 0
    for term, is_word in _terms(text):
        counts[term[:TERM_LENGTH_MAX]] += 1
        length += is_word
    return Terms(counts, length)


def term_number(term: str) -> int:
    """The term's place in the sparse vector, 0 to 1e9: a hash, so that there is no dictionary to lock."""
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest()) % TERM_SPACE


def is_identifier(term: str) -> bool:
    """Whether a term is a code or a number with parts, such as `c7.6.2` or `ga.37`."""
    return bool(_DIGIT.search(term)) and ("." in term or bool(re.search(r"[a-z]", term)))


def _terms(text: str) -> Iterator[tuple[str, bool]]:
    """(term, whether it counts as a word), in the order of the text."""
    text = _THOUSANDS.sub("", unicodedata.normalize("NFKC", text).lower())
    before, end = "", -1
    for match in _RUN.finditer(text):
        run = _APOSTROPHE.sub("", match.group())
        for ideographs in _CJK.findall(run):
            yield from ((pair, True) for pair in _pairs(ideographs))
        parts = _PART.findall(_CJK.sub(" ", run))
        follows = before if match.start() == end + 1 and text[end].isspace() else ""
        if _DIGIT.search(run):
            yield from ((term, False) for term in _identifier_forms(parts, follows))
        yield from ((term, True) for term in _words(parts))
        single = len(parts) == 1 and parts[0].isalpha() and len(parts[0]) <= PREFIX_LENGTH_MAX
        before, end = parts[0] if single and parts[0] not in STOP_WORDS else "", match.end()


def _identifier_forms(parts: list[str], word_before: str) -> Iterator[str]:
    if not parts:
        return
    whole = ".".join(parts)
    if len(parts) > 1:
        yield whole
    prefixed = _LETTER_PREFIX.fullmatch(whole)
    if prefixed:
        letters, number = prefixed.groups()
        yield f"{letters}.{number}"
        if "." in number:
            yield number
    elif word_before:
        yield f"{word_before}.{whole}"


def _words(parts: list[str]) -> Iterator[str]:
    for part in parts:
        if part in STOP_WORDS or (len(parts) > 1 and len(part) == 1):
            continue
        yield part if _DIGIT.search(part) else _stem(part)


def _pairs(ideographs: str) -> list[str]:
    """Overlapping pairs: the usual index terms of scripts without spaces."""
    return [ideographs[i : i + 2] for i in range(len(ideographs) - 1)] or [ideographs]


@lru_cache(200_000)
def _stem(word: str) -> str:
    return _stemmer.stemWord(word)
