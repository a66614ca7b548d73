"""Weighted reciprocal rank fusion: several rankings into one.

Cormack, Clarke & Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods" (2009).
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from shared.domain.knowledge import IndexName

RANK_CONSTANT = 60  # k in the paper

Key = TypeVar("Key")


def fuse(rankings: Mapping[IndexName, Sequence[Key]], weights: Mapping[IndexName, float]) -> dict[Key, float]:
    """Sum of weight / (60 + rank) over the rankings, best first; equal sums keep the order of appearance."""
    scores: dict[Key, float] = {}
    for name, ranking in rankings.items():
        for rank, key in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + weights[name] / (RANK_CONSTANT + rank)
    return dict(sorted(scores.items(), key=lambda item: -item[1]))
