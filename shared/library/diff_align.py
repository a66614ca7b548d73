"""Aligns the passages of two versions by their names, their words and their vectors.

Pairs are chosen greedily, the most certain first, ties in document order, so that the same input always gives the same
alignment. Candidates are passages with the same address or title and the nearest few by words and by vectors, which
keeps the work nearly linear: 1,500 passages against 1,200 take about a second.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]

# How many of the nearest passages are candidates, by words and by vectors each.
NEAREST = 6
# Words in more passages than this are not used to find candidates.
COMMON = 60
# Weights of words and vectors in the similarity of two passages, and the cosine that unrelated passages of one
# document have.
BY_WORDS = 0.6
UNRELATED = 0.4
SAME_ADDRESS, SAME_TITLE, SAME_PARENT = 0.12, 0.2, 0.05


@dataclass(frozen=True)
class AlignedPassage:
    """A section or chunk to be aligned. `names` are address, title and parent's title, normalised, '' for none."""

    tokens: Sequence[str]
    vector: Matrix | None = None
    address: str = ""
    title: str = ""
    parent: str = ""
    text_key: str = field(default="")


@dataclass(frozen=True)
class Match:
    """Passage `a` of one version corresponds to passage `b` of the other; `cosine` is None without vectors."""

    a: int
    b: int
    similarity: float
    cosine: float | None


class Aligner:
    """Aligns the passages of two versions; `sure` is the score from which passages with different names match."""

    def __init__(self, left: Sequence[AlignedPassage], right: Sequence[AlignedPassage], sure: float) -> None:
        self._left, self._right, self._sure = left, right, sure
        self._counts = [Counter(p.tokens) for p in left], [Counter(p.tokens) for p in right]
        self._weight = _rarity([*self._counts[0], *self._counts[1]])
        self._totals = tuple([self._total(c) for c in side] for side in self._counts)
        self._cosines = _cosines(left, right)
        titles = [Counter(p.title for p in side) for side in (left, right)]
        self._unique = {title for title in titles[0] if titles[0][title] == titles[1][title] == 1}

    def align(self) -> list[Match]:
        """At most one match per passage, in the order of the right side."""
        free_left, free_right = set(range(len(self._left))), set(range(len(self._right)))
        found: list[Match] = []

        def take(pairs: Iterable[tuple[int, int]]) -> None:
            for a, b in pairs:
                if a in free_left and b in free_right:
                    free_left.remove(a)
                    free_right.remove(b)
                    found.append(self.match(a, b))

        take(self._identical(lambda p: (p.text_key, p.address, p.title)))
        take(self._identical(lambda p: (p.text_key, p.title)))
        take(self._identical(lambda p: (p.text_key,)))
        scored = [(self._score(a, b), a, b) for a, b in self._candidates(free_left, free_right)]
        take((a, b) for score, a, b in sorted(scored, key=lambda s: (-s[0], s[2], s[1])) if score >= self._sure)
        return sorted(found, key=lambda m: m.b)

    def match(self, a: int, b: int) -> Match:
        cosine = None if self._cosines is None else float(self._cosines[a, b])
        return Match(a, b, self.similarity(a, b), None if cosine is None or math.isnan(cosine) else cosine)

    def similarity(self, a: int, b: int) -> float:
        """Dice coefficient of the words of both, weighted by inverse document frequency; 1 for two passages without
        words."""
        total = self._totals[0][a] + self._totals[1][b]
        if not total:
            return 1.0
        left, right = self._counts[0][a], self._counts[1][b]
        if len(left) > len(right):
            left, right = right, left
        shared = sum(min(n, right[word]) * self._weight[word] for word, n in left.items() if word in right)
        return 2 * shared / total

    def _total(self, counts: Mapping[str, int]) -> float:
        return sum(n * self._weight[word] for word, n in counts.items())

    def _identical(self, key: Any) -> Iterable[tuple[int, int]]:
        """Pairs of passages with equal words, in order; short ones only if their names are equal too."""
        places: tuple[defaultdict[Any, list[int]], ...] = (defaultdict(list), defaultdict(list))
        for side, passages in zip(places, (self._left, self._right), strict=True):
            for index, passage in enumerate(passages):
                if len(passage.tokens) >= 4 or passage.title or passage.address:
                    side[key(passage)].append(index)
        for value, left in places[0].items():
            right = places[1].get(value, [])
            if len(left) == len(right):
                yield from zip(left, right, strict=True)

    def _score(self, a: int, b: int) -> float:
        left, right = self._left[a], self._right[b]
        likeness = self.similarity(a, b)
        if self._cosines is not None and not math.isnan(self._cosines[a, b]):
            meaning = max(0.0, (float(self._cosines[a, b]) - UNRELATED) / (1 - UNRELATED))
            likeness = BY_WORDS * likeness + (1 - BY_WORDS) * meaning
        same_address = bool(left.address) and left.address == right.address
        same_title = bool(left.title) and left.title == right.title
        same_parent = bool(left.parent) and left.parent == right.parent
        if same_title and (same_address or same_parent or left.title in self._unique):
            return 1.0 + likeness
        return likeness + SAME_ADDRESS * same_address + SAME_TITLE * same_title + SAME_PARENT * same_parent

    def _candidates(self, left: set[int], right: set[int]) -> list[tuple[int, int]]:
        found: set[tuple[int, int]] = set()
        for name in ("address", "title"):
            found |= _same(self._left, self._right, left, right, name)
        found |= self._near_by_words(left, right)
        if self._cosines is not None:
            found |= _near_by_vectors(self._cosines, sorted(left), sorted(right))
        return sorted(found)

    def _near_by_words(self, left: set[int], right: set[int]) -> set[tuple[int, int]]:
        holders: defaultdict[str, list[int]] = defaultdict(list)
        for b in sorted(right):
            for word in self._counts[1][b]:
                holders[word].append(b)
        found: set[tuple[int, int]] = set()
        for a in left:
            shared: defaultdict[int, float] = defaultdict(float)
            for word in self._counts[0][a]:
                among = holders.get(word, ())
                if len(among) <= COMMON:
                    for b in among:
                        shared[b] += self._weight[word]
            best = sorted(shared, key=lambda b: (-shared[b], b))[:NEAREST]
            found |= {(a, b) for b in best}
        return found


def _rarity(counts: Sequence[Mapping[str, int]]) -> dict[str, float]:
    """Smoothed inverse document frequency: a word that every passage has still has a small weight."""
    holders: Counter[str] = Counter()
    for one in counts:
        holders.update(one.keys())
    return {word: math.log(1 + len(counts) / n) for word, n in holders.items()}


def _cosines(left: Sequence[AlignedPassage], right: Sequence[AlignedPassage]) -> Matrix | None:
    """Cosines of all pairs, NaN where a side has no vector; None where one version has none at all."""
    sides = [[p.vector for p in side] for side in (left, right)]
    known = [next((v for v in side if v is not None), None) for side in sides]
    if known[0] is None or known[1] is None:
        return None
    nothing = np.full_like(known[0], np.nan)
    rows = [np.stack([nothing if v is None else v for v in side]) for side in sides]
    return rows[0] @ rows[1].T


def _same(
    one: Sequence[AlignedPassage], other: Sequence[AlignedPassage], left: set[int], right: set[int], name: str
) -> set[tuple[int, int]]:
    places: defaultdict[str, list[int]] = defaultdict(list)
    for b in sorted(right):
        places[getattr(other[b], name)].append(b)
    return {
        (a, b)
        for a in left
        if getattr(one[a], name)
        for b in places.get(getattr(one[a], name), ())[:NEAREST]
    }  # fmt: skip


def _near_by_vectors(cosines: Matrix, left: Sequence[int], right: Sequence[int]) -> set[tuple[int, int]]:
    if not left or not right:
        return set()
    part = np.nan_to_num(cosines[np.ix_(left, right)], nan=-1.0)
    found: set[tuple[int, int]] = set()
    for row, a in enumerate(left):
        best = np.argsort(-part[row], kind="stable")[:NEAREST]
        found |= {(a, right[int(column)]) for column in best if part[row, column] > UNRELATED}
    return found
