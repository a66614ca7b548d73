"""Convex fusion of scores: each index gives a passage a share between 0 and 1, and the shares are added up.

Bruch, Gai & Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval" (2023): scores keep what ranks lose. No
weight is fitted: words decide by how much of the query the best passage has, vectors by how far it stands out. The
collections and figures behind this: docs/decisions/0044-fusion-by-scores.md
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeVar
from uuid import UUID

from shared.domain.knowledge import IndexName
from shared.store.search import Candidate

# The nearest chunk that counts as not found; what a longer list has beyond it changes no share.
FLOOR_RANK = 100

Key = TypeVar("Key")


def fuse(shares: Mapping[IndexName, Mapping[Key, float]]) -> dict[Key, float]:
    """The sum of the indexes' shares, best first; equal sums keep the order of appearance."""
    scores: dict[Key, float] = {}
    for found in shares.values():
        for key, share in found.items():
            scores[key] = scores.get(key, 0.0) + share
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def shares_of_best(scores: Mapping[Key, float], coverage: float) -> dict[Key, float]:
    """Each BM25 score as a share of the best one, whose own share is `coverage`: how much of the query it has.

    The zero of BM25 means that no word is shared. Where the best passage has one word in three, words say little.
    """
    best = max(scores.values(), default=0.0)
    return {key: coverage * score / best if best > 0 else 0.0 for key, score in scores.items()}


def shares_of_distance(nearest: Sequence[Candidate]) -> dict[UUID, float]:
    """By how much of its distance to the query each chunk is nearer than the 100th (of fewer, the last): 0 to 1.

    A cosine has no zero that means "unrelated", and its range differs between embedders and queries; the relative
    distance needs neither. Chunks of different embedders are each compared with their own.
    """
    spaces: defaultdict[str, list[Candidate]] = defaultdict(list)
    for candidate in nearest:
        spaces[candidate.space].append(candidate)
    shares: dict[UUID, float] = {}
    for found in spaces.values():
        floor = 1 - found[:FLOOR_RANK][-1].score
        shares |= {c.chunk_id: max(0.0, 1 - (1 - c.score) / floor) if floor > 0 else 0.0 for c in found}
    return {c.chunk_id: shares[c.chunk_id] for c in nearest}
