"""Chooses which posting lists of a large knowledge base to read; a list has the chunks with one term at one impact
level.

Greedy: the next list is always the one that lowers the score bound of unread chunks most per posting, until the budget
is spent. The remaining bound is the guarantee: no chunk outside the lists read can score above `bound`.
"""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from shared.lexical.keys import LEVELS, base_number, bound_below, slot
from shared.lexical.query import Term
from shared.lexical.statistics import Histogram

KEYS_MAX = 20_000  # the most that the database function accepts
# Added to the bound: impacts and scores are stored and compared as 32-bit floats.
ROUNDING = 1e-4


@dataclass(frozen=True)
class ReadingPlan:
    """The keys to read, each with the number of its postings, and an upper bound on the score of a chunk with none of
    them."""

    keys: dict[int, int]
    bound: float

    @property
    def postings(self) -> int:
        return sum(self.keys.values())

    def joined(self, other: "ReadingPlan") -> "ReadingPlan":
        """The plan of reading both: a chunk that has no key of the union has none of either plan."""
        return ReadingPlan(self.keys | other.keys, min(self.bound, other.bound))


class _List:
    """The posting lists of one term, strongest level first; those below `level` have not been read."""

    def __init__(self, term: Term, histograms: Mapping[UUID, Histogram]) -> None:
        self.term = term
        self.histograms = histograms
        self._counts = [sum(h[level] for h in histograms.values()) for level in range(LEVELS)]
        self.level = self._next_level(LEVELS)

    def bound(self) -> float:
        return self.term.weight * bound_below(self.level)

    def cost(self) -> int:
        """The number of postings of the strongest unread level."""
        return self._counts[self.level - 1]

    def gain_per_posting(self) -> float:
        dropped = bound_below(self.level) - bound_below(self._next_level(self.level - 1))
        return self.term.weight * dropped / (self.cost() + 1)

    def read(self) -> dict[int, int]:
        """Marks the strongest unread level as read; returns its keys with their numbers of postings."""
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
    """Plans reading at most `budget` postings of the knowledge bases `bases`, and stops once the bound is down to
    `enough`."""
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
    """The highest score of an unread chunk. A chunk has one language, so terms of different languages never add up."""
    sums: dict[str, float] = {}
    for one in lists:
        sums[one.term.language] = sums.get(one.term.language, 0.0) + one.bound()
    common = sums.pop("", 0.0)
    bound = common + max(sums.values(), default=0.0)
    return bound + ROUNDING if bound else 0.0
