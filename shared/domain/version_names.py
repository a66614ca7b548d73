"""Reads from a file's name or a title which document it is, and which version of it.

`ASVS-4.0.3_final (2).pdf` is the document `asvs` in version 4.0.3. Parts that mark a version (numbers, dates, quarters,
editions, drafts, copies) are removed before two names are compared, and order the versions afterwards.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
YEAR = r"(?:19|20)\d\d"
_EDGE, _END = r"(?<![a-z\d.])", r"(?![a-z\d]|\.\d)"
# Longer and more certain patterns first, as each removes its match from the name.
_DATES = (
    rf"(?P<y>{YEAR})(?P<s>[-./ ]?)(?P<m>0[1-9]|1[0-2])(?P=s)(?P<d>0[1-9]|[12]\d|3[01])",
    rf"(?P<d>[0-3]?\d)[-./ ](?P<m>0?[1-9]|1[0-2])[-./ ](?P<y>{YEAR})",
    rf"(?P<d>[0-3]?\d)(?:st|nd|rd|th)?[-./ ]*(?P<mon>{MONTH})[-./, ]*(?P<y>{YEAR})",
    rf"(?P<mon>{MONTH})[-./ ]*(?:(?P<d>[0-3]?\d)(?:st|nd|rd|th)?[-./, ]+)?(?P<y>{YEAR})",
    rf"(?P<y>{YEAR})[-./ ]*(?P<mon>{MONTH})",
    rf"(?:fy)?[-./ ]*(?P<y>{YEAR})[-./ ]*(?:q|h)(?P<q>[1-4])|(?:q|h)(?P<q2>[1-4])[-./ ]*(?:fy)?[-./ ]*(?P<y2>{YEAR})",
    rf"(?P<q>[1-4])q(?P<y>{YEAR}|\d\d)|(?P<y2>{YEAR})-(?P<m>0[1-9]|1[0-2])",
    rf"(?:fy)?(?P<y>{YEAR})",
)
_WORDED = (
    r"version|vers|ver|v|revision|rev|r|release|rel|edition|ed|issue|iss|draft|amendment|update|build|edicion|ausgabe"
)
_BARE = r"(?P<n>\d{1,4}(?:\.\d{1,4})+)(?P<x>[a-z]?)"
_VERSIONS = (
    rf"(?:{_WORDED})[-. ]*(?P<n>\d{{1,4}}(?:[.-]\d{{1,4}})*)(?P<x>[a-z]?)",
    r"(?P<n>\d{1,2})(?:st|nd|rd|th)[-. ]*(?:edition|ed|revision|issue|release)",
    rf"(?P<o>{'|'.join(ORDINALS)})[-. ]*(?:edition|ed|revision|issue|release)",
    r"(?:rev|revision|issue|version)[-. ]*(?P<l>[a-h])",
    _BARE,
    r"\((?P<n>\d{1,3})\)",
)
# A small number at the end counts editions or copies; after one of these words it numbers a part.
_LAST_NUMBER_MAX = 20
_NUMBERED = frozenset({
    "part", "chapter", "annex", "appendix", "volume", "vol", "book", "section", "schedule", "exhibit", "form", "level",
    "class", "type", "module", "unit", "phase", "stage", "group", "figure", "table", "page", "lot",
})  # fmt: skip
_STATES = frozenset({
    "draft", "final", "finalized", "copy", "of", "clean", "redline", "redlined", "tracked", "signed", "amended",
    "revised", "published", "approved", "proposed", "updated", "update", "new", "old", "latest", "current", "wip",
    "version", "revision", "edition", "issue", "release", "rev", "ver", "v", "fy", "the", "an", "and", "for",
    "quarterly", "ipd", "fpd", "prelim", "preliminary",
})  # fmt: skip
# Words that do not identify a document.
_EMPTY = frozenset({
    "document", "doc", "file", "scan", "scanned", "untitled", "output", "download", "print", "export", "pdf",
    "microsoft", "word",
})  # fmt: skip
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_EXTENSION = re.compile(r"\.(?:pdf|docx?|xlsx?|pptx?|md|markdown|html?|txt|odt|rtf)$")
_SPELLING = 0.85
_SPELLED = 5


class VersionMark(NamedTuple):
    """The version in a name: a date (year, month, day; a quarter as its last month), a number, a text for a label.

    Empty where the name has none. Versions of one document compare by `order`.
    """

    date: tuple[int, ...]
    number: tuple[int, ...]
    label: str

    @property
    def order(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return self.date, self.number


class ReadName(NamedTuple):
    """A name split into the words that identify the document and the mark of its version."""

    words: tuple[str, ...]
    mark: VersionMark


@lru_cache(maxsize=50_000)
def read_name(name: str) -> ReadName:
    """The words and the mark of a file's name or a title. Pure: the same name always reads the same."""
    text = _prepared(name)
    date: tuple[int, ...] = ()
    number: tuple[int, ...] = ()
    labels: list[tuple[int, str]] = []
    for pattern in _DATES:
        text, found = _take(text, pattern)
        date = date or next((_date(match) for match in found), ())
        labels += [(match.start(), match[0].strip(" -_.")) for match in found]
    for pattern in _VERSIONS:
        if number and pattern == _BARE:
            continue  # beside `Rev 4` the number in `RG 1.105` is the document's own
        text, found = _take(text, pattern)
        number = number or next((_number(match) for match in found), ())
        labels += [(match.start(), match[0].strip(" -_.")) for match in found]
    words = [word for word in _TOKEN.findall(text) if word not in _STATES]
    if _is_counted(words):
        labels.append((len(text), words[-1]))
        number = number or (int(words[-1]),)
        words.pop()
    return ReadName(tuple(words), VersionMark(date, number, _label(labels)))


def _is_counted(words: Sequence[str]) -> bool:
    """Whether the name ends in the number of a version: `sp 800 63 3`, not `part 3`, not `sp 800 63`."""
    last = words[-1] if len(words) > 1 else ""
    return last.isdigit() and len(last) <= 2 and int(last) <= _LAST_NUMBER_MAX and words[-2] not in _NUMBERED


def likeness(one: Sequence[str], other: Sequence[str]) -> float | None:
    """How likely two names mean the same document, 0 to 1; None where one of them has no identifying words.

    1 for the same words. Where one name has all words of the other and more: from 0.6 up, by the share they have in
    common. Where each has words of its own (`standard`, `plus`), or one has a number or letter more (`63`, `63 b`),
    they are names of different things: half of that share.
    """
    left, right = _telling(one), _telling(other)
    if not left or not right:
        return None
    shared = {word for word in left if _has(right, word)}
    only_left, only_right = left - shared, {word for word in right if not _has(left, word)}
    share = len(shared) / (len(shared) + len(only_left) + len(only_right))
    if not only_left and not only_right:
        return 1.0
    if not shared:
        return 0.0
    apart = (only_left and only_right) or any(_is_code(word) for word in only_left | only_right)
    return 0.5 * share if apart else 0.6 + 0.4 * share


def _is_code(word: str) -> bool:
    """Whether the word is a number or letter such as `b` or `63`, which identifies a part of a series."""
    return word.isdigit() or (len(word) == 1 and word.isascii())


def _telling(words: Sequence[str]) -> frozenset[str]:
    return frozenset(word for word in words if word not in _EMPTY)


def _has(words: frozenset[str], word: str) -> bool:
    return word in words or any(_spelled_alike(word, other) for other in words)


def _spelled_alike(one: str, other: str) -> bool:
    """Whether two words are spelled alike (`standard` and `standards`); numbers and short words only when they are
    equal."""
    if min(len(one), len(other)) < _SPELLED or one[0] != other[0] or one.isdigit():
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _SPELLING


def _prepared(name: str) -> str:
    """Lower case without the extension; camel case and underscores are spaces."""
    text = unicodedata.normalize("NFKC", name).strip()
    text = _EXTENSION.sub("", text.lower()) if not re.search(r"[a-z][A-Z]", text) else _uncamel(text)
    text = re.sub(rf"(?<=[a-z]{{3}})(?={YEAR}(?!\d))", " ", text)
    return " ".join(re.sub(r"[_+,;:–—]+|\s-\s", " ", text).split())


def _uncamel(text: str) -> str:
    stem = text[: -len(matched[0])] if (matched := _EXTENSION.search(text.lower())) else text
    parts = [stem[0], *(f" {b}" if a.islower() and b.isupper() else b for a, b in pairwise(stem))]
    return "".join(parts).lower()


def _take(text: str, pattern: str) -> tuple[str, list[re.Match[str]]]:
    """The text with each match blanked out, and the matches."""
    edge = _EDGE if not pattern.startswith(r"\(") else ""
    found = list(re.finditer(f"{edge}(?:{pattern}){_END if edge else ''}", text))
    for match in found:
        text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return text, found


def _date(match: re.Match[str]) -> tuple[int, ...]:
    groups = match.groupdict()
    year = int(groups.get("y") or groups.get("y2") or 0)
    quarter = groups.get("q") or groups.get("q2")
    if quarter:
        return (year + 2000 if year < 100 else year, 3 * int(quarter))
    month = _MONTHS.index(groups["mon"][:3]) + 1 if groups.get("mon") else int(groups.get("m") or 0)
    return tuple(part for part in (year, month, int(groups.get("d") or 0)) if part)


def _number(match: re.Match[str]) -> tuple[int, ...]:
    groups = match.groupdict()
    if groups.get("o"):
        return (ORDINALS.index(groups["o"]) + 1,)
    if groups.get("l"):
        return (ord(groups["l"]) - ord("a") + 1,)
    letter = groups.get("x") or ""
    return (*(int(part) for part in re.split(r"[.-]", groups["n"])), *(ord(c) - ord("a") + 1 for c in letter))


def _label(found: Sequence[tuple[int, str]]) -> str:
    return " ".join(_shown(text) for _, text in sorted(found))


def _shown(text: str) -> str:
    text = re.sub(r"\b\d?[qh]\d", lambda m: m[0].upper(), text.strip("()"))
    return re.sub(rf"\b{MONTH}\b", lambda m: m[0].title(), text)


def words_of(text: str) -> Iterator[str]:
    """The words of any text, lower case, letters and digits apart."""
    yield from _TOKEN.findall(unicodedata.normalize("NFKC", text).lower())
