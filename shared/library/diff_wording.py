"""Decides whether two passages differ only in small matters of wording, by their words and not by their vectors.

Vectors cannot decide it: replacing one noun changes them less than a passive voice does (docs/decisions/0023). So the
content words must be equal and in the same order; a true paraphrase counts as a change, which only costs a person a
look.
"""

import re
from collections.abc import Iterator, Sequence

# Words that may be added or removed. Prepositions, `and`, `or`, `will`, `can` and all other meaningful words may not.
_EMPTY = frozenset({"a", "an", "the", "is", "are", "was", "were", "be", "been", "being", "that", "which"})
_SIGNS = frozenset(".,;:'\"()[]•·…")
_SPELLINGS = (
    (re.compile(r"(?<=\w{3})our(?=s?$|ed$|ing$|able$|ful$|less$)"), "or"),
    (re.compile(r"(?<=\w{3})is(?=(?:e|es|ed|ing|er|ers|ation\w*)$)"), "iz"),
    (re.compile(r"(?<=\w{3})ys(?=(?:e|es|ed|ing)$)"), "yz"),
    (re.compile(r"(?<=\w{2}[bt])re(?=s?$)"), "er"),
    (re.compile(r"(?<=\w{3})ence$"), "ense"),
    (re.compile(r"(?<=\w{3}[aeiou])ll(?=(?:ed|ing|er|ers)$)"), "l"),
)
_POSSESSIVE = re.compile(r"'s$")
# Endings of the third person and the plural.
_ENDINGS = (
    (re.compile(r"(?<=\w{2})ies$"), "y"),
    (re.compile(r"(?<=ss|sh|ch)es$|(?<=x)es$"), ""),
    (re.compile(r"(?<=\w\w[^su])s$"), ""),
)


def is_small(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether the words of two passages (`diff_words.words`) differ only in articles, forms of `be`, `that`,
    punctuation, letter case, spelling, or the `s` of a plural or third person."""
    return list(_content(before)) == list(_content(after))


def _content(words: Sequence[str]) -> Iterator[str]:
    for place, word in enumerate(words):
        if not _is_empty(word, words[place + 1] if place + 1 < len(words) else ""):
            yield _root(word)


def _is_empty(word: str, following: str) -> bool:
    if word == "-":  # before a digit it may be a minus
        return not following[:1].isdigit()
    return word in _SIGNS or (word.lower() in _EMPTY and not _is_code(word))


def _root(word: str) -> str:
    if _is_code(word) or not word[0].isalpha():
        return word
    plain = _POSSESSIVE.sub("", word.lower())
    for pattern, other in (*_SPELLINGS, *_ENDINGS):
        plain = pattern.sub(other, plain)
    return plain


def _is_code(word: str) -> bool:
    """Whether capitals distinguish the word from another one (`US` and `us`, `SHALL` and `shall`)."""
    return len(word) > 1 and word.isupper()
