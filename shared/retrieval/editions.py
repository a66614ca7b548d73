"""Questions for one edition by its year, date or number: "the 2025 edition", "version 4.0.3", "ASVS 4".

A mark counts beside a word for editions, as "v4.0.3", or beside a word of a document's own name. It chooses a version
only where it fits exactly one of a document's; where it fits none, it is what a passage may speak of.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple
from uuid import UUID

from shared.domain.version_names import MONTH, ORDINALS, YEAR, VersionMark, read_name, words_of

_DAY = r"(?:\d{1,2}(?:st|nd|rd|th)? )?"
_DATE = rf"(?:{_DAY}{MONTH}\.?,? {YEAR}|{YEAR}-\d\d(?:-\d\d)?|Q[1-4] {YEAR}|{YEAR}(?: Q[1-4])?)"
_NUMBER = r"\d{1,4}(?:\.\d{1,4}){0,4}"
_ORDINAL = rf"(?:{'|'.join(ORDINALS)}|\d{{1,2}}(?:st|nd|rd|th))"
_KIND = r"(?:edition|version|revision|release)"
_LEAD = r"(?:(?:according to|in|of|from|by|under|to|with|than|since) )?(?:(?:the|its|their|our|this) )?"
_END = r"(?:['’]s)?(?![\w]|\.\d)"
# Each has one group, what the mark is read from. The last two say less: "v4.0.3" may be the number of a section, and
# a bare mark is one only beside a word of the document's name.
_WORDED = (
    rf"(?<![\w.]){_LEAD}(?P<mark>{_DATE}|{_ORDINAL}|{_NUMBER}) {_KIND}{_END}",
    rf"(?<![\w.]){_LEAD}(?P<mark>{_DATE}|{_ORDINAL}) {_KIND}s{_END}",  # a number before "versions" counts them
    rf"(?<![\w.]){_LEAD}(?P<mark>(?:{_KIND}|rev\.?|ver\.?)s? "
    rf"(?:(?:of|from|dated|no\.?|number) )?(?:the )?(?:year )?(?:{_DATE}|{_NUMBER})){_END}",
)
_SPELLED = rf"(?<![\w.]){_LEAD}(?P<mark>v\.? ?\d{{1,4}}(?:\.\d{{1,4}}){{1,4}}){_END}"
_BARE = rf"(?<![\w.])(?P<mark>{_DATE}|v\.? ?{_NUMBER}|{_NUMBER}){_END}"
# "the 2025 and 2026 editions": what joins two marks.
_JOIN = re.compile(r",? (?:(?:and|or|to|vs\.?|versus|with) )?(?:the )?", re.IGNORECASE)
# Shorter words of a name say little: "of", "the", "en".
_TELLING = 3


class Edition(NamedTuple):
    """A mark in a text, and where the words lie that say so; `how` they say it."""

    mark: VersionMark
    start: int
    end: int
    how: str


class KnownVersion(NamedTuple):
    """A version that may answer, with all that says which one it is."""

    id: UUID
    document: UUID
    index: int
    current: bool
    label: str | None
    names: Sequence[str]
    date: date | None
    date_unit: str | None


def read_editions(text: str) -> list[Edition]:
    """The marks of editions in `text`, in English words; those that a longer match holds are left out."""
    found: list[Edition] = []
    for how, pattern in (*(("worded", one) for one in _WORDED), ("spelled", _SPELLED), ("bare", _BARE)):
        for match in re.finditer(pattern, text, re.IGNORECASE):
            if any(one.start < match.end() and match.start() < one.end for one in found):
                continue
            mark = _mark(match["mark"])
            if mark.order != ((), ()):
                found.append(Edition(mark, match.start(), match.end(), how))
    return _joined(text, sorted(found, key=lambda one: one.start))


def _joined(text: str, found: Sequence[Edition]) -> list[Edition]:
    """A bare mark that is joined to one beside a word for editions is said by that word, too."""
    near = [one for one in found if one.how == "worded"]
    gaps = [{_gap(text, one, other) for other in near} for one in found]
    return [
        one._replace(how="worded") if any(_JOIN.fullmatch(gap) for gap in gaps[at]) else one
        for at, one in enumerate(found)
    ]


def _gap(text: str, one: Edition, other: Edition) -> str:
    first, second = sorted((one, other), key=lambda edition: edition.start)
    return text[first.end : second.start]


def may_choose(text: str, editions: Sequence[Edition]) -> bool:
    """Whether it is worth asking which versions there are: a bare number stands in many questions."""
    return any(one.how != "bare" or any(len(word) >= _TELLING for word in _beside(text, one)) for one in editions)


def _mark(text: str) -> VersionMark:
    text = re.sub(r"^(?:edition|version|revision|release|rev|ver|v)s?\.? ?", "version ", text, flags=re.IGNORECASE)
    ordinal = re.fullmatch(_ORDINAL, text, re.IGNORECASE)
    plain = re.fullmatch(_NUMBER, text) and not re.fullmatch(YEAR, text)
    return read_name(f"{text} edition" if ordinal else f"version {text}" if plain else text).mark


def choose(text: str, editions: Sequence[Edition], known: Sequence[KnownVersion]) -> dict[Edition, list[UUID]]:
    """The versions that each mark means; a mark that chooses none is left out.

    Only of the documents of which the rest of the text has most words, so that the 2025 edition of one document is not
    taken for another's.
    """
    documents: dict[UUID, list[KnownVersion]] = {}
    for version in known:
        documents.setdefault(version.document, []).append(version)
    said = {word for word in words_of(without(text, editions)) if len(word) >= _TELLING}
    named = {one: len(said & _names(versions)) for one, versions in documents.items()}
    meant = [versions for one, versions in documents.items() if named[one] == max(named.values())]
    chosen = {
        edition: [one.id for versions in meant if (one := _only(text, edition, versions))] for edition in editions
    }
    return {edition: ids for edition, ids in chosen.items() if ids}


def without(text: str, editions: Sequence[Edition]) -> str:
    """The text without the words that choose."""
    for one in sorted(editions, key=lambda one: -one.start):
        text = f"{text[: one.start]} {text[one.end :]}"
    return " ".join(text.split())


def patterns(text: str, editions: Sequence[Edition]) -> list[str]:
    """For SQL's `like`: what a document's name has that the text may speak of."""
    words = [word for word in words_of(without(text, editions)) if len(word) > _TELLING]
    return [f"%{word}%" for word in {*words, *(str(one.mark.date[0]) for one in editions if one.mark.date)}]


def _only(text: str, edition: Edition, versions: Sequence[KnownVersion]) -> KnownVersion | None:
    """The one version of a document that a mark fits."""
    if edition.how == "bare" and not _names(versions) & set(_beside(text, edition)):
        return None
    fits = [one for one in versions if _fits(edition, one, versions)]
    exact = [one for one in fits if _mark_of(one, versions).order == edition.mark.order]
    best = exact or fits
    return best[0] if len(best) == 1 else None


def _fits(edition: Edition, version: KnownVersion, versions: Sequence[KnownVersion]) -> bool:
    """Whether what is asked for begins the version's mark: 4 that of 4.0.3, 2024 that of May 2024. A number that only
    its "v" marks has to be all of it, as requirements of a standard are spelled so, too."""
    mark = _mark_of(version, versions)
    if edition.how == "spelled":
        return mark.number == edition.mark.number
    return any(
        wanted and found[: len(wanted)] == wanted for wanted, found in zip(edition.mark.order, mark.order, strict=True)
    )


def _mark_of(version: KnownVersion, versions: Sequence[KnownVersion]) -> VersionMark:
    """Date and number, each from the first that has one: its label, its names, its own date; the place in the series
    where no version has a number."""
    marks = [read_name(text).mark for text in (version.label, *version.names) if text]
    day = next((mark.date for mark in marks if mark.date), ()) or _day(version)
    number = next((mark.number for mark in marks if mark.number), ())
    if not number and len(versions) > 1 and not any(_has_number(one) for one in versions):
        number = (version.index,)
    return VersionMark(day, number, "")


def _has_number(version: KnownVersion) -> bool:
    return any(read_name(text).mark.number for text in (version.label, *version.names) if text)


def _day(version: KnownVersion) -> tuple[int, ...]:
    if version.date is None:
        return ()
    parts = version.date.year, version.date.month, version.date.day
    return parts[: {"year": 1, "month": 2}.get(version.date_unit or "", 3)]


def _names(versions: Sequence[KnownVersion]) -> set[str]:
    """The words by which people call a document, whichever version."""
    words = (word for version in versions for name in version.names for word in read_name(name).words)
    return {word for word in words if len(word) >= _TELLING}


def _beside(text: str, edition: Edition) -> Iterator[str]:
    """The words right before and behind a mark, with nothing but blanks between."""
    before = re.search(r"(?<!\w)(\w+) $", text[: edition.start])
    behind = re.match(r" (\w+)", text[edition.end :])
    return (match[1].lower() for match in (before, behind) if match)
