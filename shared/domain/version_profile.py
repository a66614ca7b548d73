"""The profiles by which two documents are compared to see whether one is a version of the other, and the score.

score = identity x (0.65 + 0.35 x body)

`identity`, the mean of `name` and `title`, measures whether they have the same name; `body`, the mean of `sections` and
`content`, whether their structure and text are alike. Neither suffices alone: reports of two companies share a
template, plans of two products share their text. Weights and threshold: docs/decisions/0023-versions.md.
"""

import heapq
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import islice
from statistics import fmean

from pydantic import BaseModel, ConfigDict

from shared.domain.version_names import likeness, read_name, words_of

# Stored with each profile and suggestion; raise it with any change to the method below.
METHOD = 2
SKETCH = 256
SHINGLE = 4
HEADINGS = 3
THRESHOLD = 0.6
CALLED, BUILT = 0.65, 0.35
# Factor of the name's score where there is no title, and the reverse: a title may be that of a form, which many
# documents have.
NAME_ALONE, TITLE_ALONE = 0.9, 0.6
SAME = 0.99
# A file of another name with the same title and at least this much of the same text was renamed. Forms of one template
# that are filled in for different things reach 0.42.
RENAMED = 0.5
# The prefix that a word processor puts before the file's name to make a title.
WORD_PROCESSOR = "Microsoft Word - "


class VersionProfile(BaseModel):
    """A document as the comparison sees it. The title of its metadata ('' for none) leads `titles`, the headings of its
    first page follow; the last three are bottom-k sketches."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    name: str
    titles: list[str]
    addresses: list[int]
    sections: list[int]
    content: list[int]


class VersionParts(BaseModel):
    """How alike two documents are in each respect, 0 to 1; None where one of them has nothing to compare."""

    model_config = ConfigDict(frozen=True)

    name: float | None
    title: float | None
    sections: float | None
    content: float | None


def make_profile(
    name: str,
    title: str | None,
    headings: Sequence[str],
    addresses: Iterable[str],
    sections: Iterable[str],
    contents: Iterable[str],
) -> VersionProfile:
    """From a file's name, the title of its metadata, the headings of its first page, its sections' addresses and
    titles, and its texts."""
    return VersionProfile(
        name=name,
        titles=[title or "", *list(dict.fromkeys(headings))[:HEADINGS]],
        addresses=sketch(addresses),
        sections=sketch(" ".join(words_of(title)) for title in sections),
        content=sketch(_shingles(contents)),
    )


def compare(one: VersionProfile, other: VersionProfile) -> VersionParts:
    """The parts, symmetric in the two."""
    addresses = resemblance(one.addresses, other.addresses)
    titles = resemblance(one.sections, other.sections)
    return VersionParts(
        name=likeness(read_name(one.name).words, read_name(other.name).words),
        title=_best(_headings_alike(one, other), likeness(_words(one.titles[0]), _words(other.titles[0]))),
        sections=_best(addresses, titles),
        content=resemblance(one.content, other.content),
    )


def score_of(parts: VersionParts) -> float:
    """0 to 1. Pairs from `THRESHOLD` up are suggested."""
    body = _mean(parts.sections, parts.content)
    return round(_identity(parts) * (CALLED + BUILT * (body or 0.0)), 4)


def _identity(parts: VersionParts) -> float:
    name = parts.name
    if (parts.title or 0.0) >= SAME and (parts.content or 0.0) >= RENAMED:
        name = max(name or 0.0, parts.content or 0.0)
    if name is None and parts.title is None:
        return parts.content or 0.0
    if name is None:
        return TITLE_ALONE * (parts.title or 0.0)
    return NAME_ALONE * name if parts.title is None else (name + parts.title) / 2


def _mean(*parts: float | None) -> float | None:
    known = [part for part in parts if part is not None]
    return fmean(known) if known else None


def _best(*parts: float | None) -> float | None:
    return max((part for part in parts if part is not None), default=None)


def _headings_alike(one: VersionProfile, other: VersionProfile) -> float | None:
    """How similar each heading of the shorter first page is to its best match on the other, on average; None without
    headings."""
    left, right = ([w for w in map(_words, p.titles[1:]) if w] for p in (one, other))
    if not left or not right:
        return None
    few, many = sorted((left, right), key=len)
    each = [max((likeness(words, known) or 0.0) for known in many) for words in few]
    return fmean(each)


def _words(title: str) -> tuple[str, ...]:
    return read_name(title.removeprefix(WORD_PROCESSOR)).words


def sketch(items: Iterable[str]) -> list[int]:
    """The `SKETCH` smallest hashes of the distinct items, ascending (bottom-k, Cohen & Kaplan 2007)."""
    hashes = {int.from_bytes(blake2b(item.encode(), digest_size=8).digest()) >> 1 for item in items if item}
    return heapq.nsmallest(SKETCH, hashes)


def resemblance(one: Sequence[int], other: Sequence[int]) -> float | None:
    """The Jaccard index of two sets by their sketches: exact for small sets, within about 0.03 otherwise."""
    if not one or not other:
        return None
    left, right = set(one), set(other)
    union = heapq.nsmallest(SKETCH, left | right)
    return sum(item in left and item in right for item in union) / len(union)


def _shingles(contents: Iterable[str]) -> Iterable[str]:
    for content in contents:
        words = list(words_of(content))
        yield from (" ".join(part) for part in zip(*(islice(words, n, None) for n in range(SHINGLE)), strict=False))
