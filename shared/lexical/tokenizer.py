"""Text to index terms: words are stemmed, identifiers are kept whole and in parts. Used for indexing and for queries.

Postgres' own parser splits `GA-37`, `SP 800-63B` and `C7.6.2` into pieces that match everywhere. Here an identifier
yields its whole (`c7.6.2`), itself with the word before (`sp.800.63b`), itself without a letter prefix (`7.6.2`), and
its parts, so that it is found however it is written; a period (`FY2022`, `3Q22`, `2022Q3`) yields its year and quarter.
A word yields its stem in the text's language. Stems of languages other than English have a language prefix (`de:rad`),
so that stems of two languages never collide.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple

from shared.lexical.languages import ENGLISH, STOP_WORDS, languages_version, stem
from shared.lexical.periods import spell_period

# Raise it with any change to the terms of a text: rows of another version are indexed again.
RULES = 5
TERM_LENGTH_MAX = 64
PREFIX_LENGTH_MAX = 12
RUNS_KNOWN = 16_384  # whose tokens are kept, about 10 MB
TERM_SPACE = 1_000_000_000  # the most dimensions that a sparsevec may have

_SEPARATORS = re.escape("._/:-") + "\u2010\u2011\u2012\u2013\u2212"
_RUN = re.compile(rf"[^\W_]+(?:[{_SEPARATORS}'\u2019]+[^\W_]+|\(\w{{1,3}}\))*")
_PART = re.compile(r"[^\W_]+")
_DIGIT = re.compile(r"\d")
_APOSTROPHE = re.compile(r"['\u2019](?:s(?=\W|$))?")
# l'aile, dell'auto: an elided article is a word of its own.
_ELIDED = re.compile(r"\b([^\W\d_]{1,6})['\u2019](?=\w)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?:\D|$))")
# Numbers, the first perhaps with the letter of a kind of thread; 0x10 is one number in another base.
_PRODUCT = re.compile(r"\b(?!(?<!\.)0x)[a-z]?\d+(?:x\d+)+", re.I)
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
_LETTER_PREFIX = re.compile(r"([a-z]{1,4})(\d+(?:\.\w+)*)")
# A word with the number of a note behind it, as the text of `employees\u00b9` is read.
_NOTED = re.compile(r"([^\W\d_]{5,})\d{1,2}")
_CODE = re.compile(r"[a-z]{0,4}\d\w{0,63}(?:\.\w+)+")
_ELIDING = frozenset({"fr", "it"})


class Token(NamedTuple):
    """A term, the form in the text that it comes from, and whether it counts towards the text's length in words."""

    term: str
    form: str
    is_word: bool


def tokenizer_version() -> str:
    """Identifies rules and stemmers: texts indexed under equal versions have equal terms."""
    return f"identifiers.{RULES}/{languages_version()}"


@dataclass(frozen=True)
class Terms:
    """How often each term occurs, and the length of the text in words (identifiers' extra forms not counted)."""

    counts: Counter[str]
    length: int


def tokenize(text: str, language: str = ENGLISH) -> Terms:
    """Terms of a text, for the index and for queries alike."""
    counts: Counter[str] = Counter()
    length = 0
    for token in read_tokens(text, language):
        counts[token.term] += 1
        length += token.is_word
    return Terms(counts, length)


@lru_cache(maxsize=RUNS_KNOWN)
def term_number(term: str) -> int:
    """The term's dimension in the sparse vector, 0 to 1e9: a hash, so that no dictionary has to be locked."""
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest()) % TERM_SPACE


def language_of(term: str) -> str:
    """The language of a stem; '' for what is the same in all (identifiers, numbers, pairs of ideographs)."""
    if term[2:3] == ":":
        return term[:2]
    return "" if _DIGIT.search(term) or _CJK.match(term) else ENGLISH


def is_identifier(term: str) -> bool:
    """Whether a term is a code or a number with parts, such as `c7.6.2` or `ga.37`."""
    return bool(_DIGIT.search(term)) and ("." in term or bool(re.search(r"[a-z]", term)))


def is_code(term: str) -> bool:
    """Whether a term is an identifier written as one word, such as `c7.6.2` or `800.63b`, not a word joined with a
    number."""
    return bool(_CODE.fullmatch(term))


def read_tokens(text: str, language: str = ENGLISH) -> Iterator[Token]:
    """The tokens of a text, in its order."""
    text = _THOUSANDS.sub("", with_products(unicodedata.normalize("NFKC", text).lower()))
    if language in _ELIDING:
        text = _ELIDED.sub(r"\1 ", text)
    before, end = "", -1
    for match in _RUN.finditer(text):
        run = match.group()
        follows = before if match.start() == end + 1 and text[end].isspace() else ""
        read = _read_known if len(run) <= TERM_LENGTH_MAX else _read_run
        # Only a number is joined with the word before it: any other run is one entry, whatever it follows.
        tokens, before = read(run, follows if _DIGIT.search(run) else "", language)
        end = match.end()
        yield from tokens


def with_products(text: str) -> str:
    """The text with the sign of a product where it is typed as a letter: 1920x1080."""
    return _PRODUCT.sub(lambda found: re.sub("x", "\u00d7", found[0], flags=re.I), text)


def _read_run(run: str, follows: str, language: str) -> tuple[tuple[Token, ...], str]:
    """The tokens of a run of characters behind the word `follows`, and the word that a number behind it is joined
    with."""
    stop_words = STOP_WORDS[language]
    run = _APOSTROPHE.sub("", run)
    tokens = [Token(pair, pair, True) for ideographs in _CJK.findall(run) for pair in _pairs(ideographs)]
    parts = _PART.findall(_CJK.sub(" ", run))
    if _DIGIT.search(run):
        tokens += [_token(form, form, False) for form in _identifier_forms(parts, follows)]
    tokens += _words(parts, language, stop_words)
    single = len(parts) == 1 and parts[0].isalpha() and len(parts[0]) <= PREFIX_LENGTH_MAX
    return tuple(tokens), parts[0] if single and parts[0] not in stop_words else ""


# The same words and labels come again and again, in one text and in thousands of records.
_read_known: Final = lru_cache(maxsize=RUNS_KNOWN)(_read_run)


def _identifier_forms(parts: list[str], word_before: str) -> Iterator[str]:
    if not parts:
        return
    whole = ".".join(parts)
    if len(parts) > 1:
        yield whole
    for part in parts:
        yield from spell_period(part)
    prefixed = _LETTER_PREFIX.fullmatch(whole)
    if prefixed:
        letters, number = prefixed.groups()
        yield f"{letters}.{number}"
        if "." in number:
            yield number
    elif word_before:
        yield f"{word_before}.{whole}"


def _words(parts: list[str], language: str, stop_words: frozenset[str]) -> Iterator[Token]:
    for part in parts:
        if part in stop_words or (len(parts) > 1 and len(part) == 1):
            continue
        yield _token(part if _DIGIT.search(part) else _stemmed(part, language), part, True)
        noted = _NOTED.fullmatch(part)
        if noted and noted[1] not in stop_words:
            yield _token(_stemmed(noted[1], language), part, False)


def _stemmed(word: str, language: str) -> str:
    return stem(word, language) if language == ENGLISH else f"{language}:{stem(word, language)}"


def _token(term: str, form: str, is_word: bool) -> Token:
    return Token(term[:TERM_LENGTH_MAX], form[:TERM_LENGTH_MAX], is_word)


def _pairs(ideographs: str) -> list[str]:
    """Overlapping character pairs, the usual index terms of scripts without spaces."""
    return [ideographs[i : i + 2] for i in range(len(ideographs) - 1)] or [ideographs]
