"""Which lists of a large knowledge base to read: a list has the chunks with one term at one impact level.

Greedy: the list whose reading lowers the bound on everything unread most per chunk comes next, until the budget is
spent. What is left is the certificate: no chunk outside the lists that were read can score above `bound`.
"""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from shared.lexical.keys import LEVELS, base_number, bound_below, slot
from shared.lexical.query import Term
from shared.lexical.statistics import Histogram

KEYS_MAX = 20_000  # what the database function takes
# Levels and scores are compared as 32-bit numbers.
ROUNDING = 1e-4


@dataclass(frozen=True)
class ReadingPlan:
    """Keys to read with how many postings each has at most, and what a chunk without any of them can score at most."""

    keys: dict[int, int]
    bound: float

    @property
    def postings(self) -> int:
        return sum(self.keys.values())

    def joined(self, other: "ReadingPlan") -> "ReadingPlan":
        """Both are read: what has no key of either has none of each."""
        return ReadingPlan(self.keys | other.keys, min(self.bound, other.bound))


class _List:
    """One term's lists, strongest level first; below `level` nothing was read yet."""

    def __init__(self, term: Term, histograms: Mapping[UUID, Histogram]) -> None:
        self.term = term
        self.histograms = histograms
        self._counts = [sum(h[level] for h in histograms.values()) for level in range(LEVELS)]
        self.level = self._next_level(LEVELS)

    def bound(self) -> float:
        return self.term.weight * bound_below(self.level)

    def cost(self) -> int:
        """Postings of the strongest level that is not read."""
        return self._counts[self.level - 1]

    def gain_per_posting(self) -> float:
        dropped = bound_below(self.level) - bound_below(self._next_level(self.level - 1))
        return self.term.weight * dropped / (self.cost() + 1)

    def read(self) -> dict[int, int]:
        """The keys of the strongest unread level with their postings; it then counts as read."""
        read = self.level - 1
        number = slot(self.term.number, read)
        self.level = self._next_level(read)
        return {number ^ base_number(base): h[read] for base, h in self.histograms.items() if h[read]}

    def _next_level(self, level: int) -> int:
        while level > 0 and not self._counts[level - 1]:
            level -= 1
        return level


def plan_reading(
    terms: Sequence[Term],
    histograms: Mapping[int, Mapping[UUID, Histogram]],
    bases: Iterable[UUID],
    budget: int,
    enough: float = 0.0,
) -> ReadingPlan:
    """What to read of `bases` for at most `budget` postings, no more than brings the bound down to `enough`."""
    wanted = set(bases)
    lists = [_List(t, {b: h for b, h in histograms[t.number].items() if b in wanted}) for t in terms]
    queue = [(-one.gain_per_posting(), place) for place, one in enumerate(lists) if one.level]
    heapq.heapify(queue)
    keys: dict[int, int] = {}
    postings = 0
    while queue and _bound(lists) > enough:
        place = heapq.heappop(queue)[1]
        one = lists[place]
        if postings + one.cost() > budget or len(keys) + len(one.histograms) > KEYS_MAX:
            continue
        postings += one.cost()
        keys |= one.read()
        if one.level:
            heapq.heappush(queue, (-one.gain_per_posting(), place))
    return ReadingPlan(keys, _bound(lists))


def _bound(lists: Sequence[_List]) -> float:
    """A chunk is in one language: terms of different ones are never in it together."""
    sums: dict[str, float] = {}
    for one in lists:
        sums[one.term.language] = sums.get(one.term.language, 0.0) + one.bound()
    common = sums.pop("", 0.0)
    bound = common + max(sums.values(), default=0.0)
    return bound + ROUNDING if bound else 0.0
