"""What two documents are compared by to see whether one is a version of the other, and the score.

    score = identity x (0.65 + 0.35 x body)

`identity`, the mean of `name` and `title`, says that they are called the same, `body`, the mean of `sections` and
`content`, that they are built and worded alike. Neither suffices: reports of two companies share a template, plans of
two products share their text. Weights and threshold: docs/decisions/0023-versions.md.
"""

import heapq
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import islice
from statistics import fmean

from pydantic import BaseModel, ConfigDict

from shared.domain.version_names import likeness, read_name, words_of

# Changes of anything below change the numbers: stored with each profile and suggestion.
METHOD = 1
SKETCH = 256
SHINGLE = 4
TITLES = 3
THRESHOLD = 0.6
CALLED, BUILT = 0.65, 0.35
# Only the name or only the title is known.
ONE_WITNESS = 0.9
SAME = 0.99
# A file of another name with the same title and at least this much of the same text was renamed. Forms of one template
# that are filled in for different things reach 0.42.
RENAMED = 0.5


class VersionProfile(BaseModel):
    """A document as the comparison sees it. The last three are bottom-k sketches."""

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
    name: str, titles: Sequence[str], addresses: Iterable[str], sections: Iterable[str], contents: Iterable[str]
) -> VersionProfile:
    """From a file's name, its title and first headings, and its sections' addresses and titles and its texts."""
    return VersionProfile(
        name=name,
        titles=list(titles)[:TITLES],
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
        title=likeness(_title_words(one), _title_words(other)),
        sections=max((known for known in (addresses, titles) if known is not None), default=None),
        content=resemblance(one.content, other.content),
    )


def score_of(parts: VersionParts) -> float:
    """0 to 1. Pairs from `THRESHOLD` up are suggested."""
    body = _mean(parts.sections, parts.content)
    return round(_identity(parts) * (CALLED + BUILT * (body or 0.0)), 4)


def _identity(parts: VersionParts) -> float:
    name = parts.name
    if name is not None and (parts.title or 0.0) >= SAME and (parts.content or 0.0) >= RENAMED:
        name = max(name, parts.content or 0.0)
    both = _mean(name, parts.title)
    if both is None:
        return parts.content or 0.0
    return both if name is not None and parts.title is not None else ONE_WITNESS * both


def _mean(*parts: float | None) -> float | None:
    known = [part for part in parts if part is not None]
    return fmean(known) if known else None


def _title_words(profile: VersionProfile) -> list[str]:
    return [word for title in profile.titles for word in read_name(title).words]


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
