"""The measures of ranked retrieval, each computed from the ranks at which the expected places were found.

`ranks`: per expected place its rank from 1, None where it was not found. `grades`: its relevance, 1 or more.
"""

import math
from collections.abc import Sequence

Ranks = Sequence[int | None]


def recall_at(ranks: Ranks, k: int) -> float:
    """Share of the expected places among the first `k` (Manning, Raghavan & Schütze 2008, ch. 8.4)."""
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def hit_at(ranks: Ranks, k: int) -> float:
    """1 where any expected place is among the first `k`; its mean is the hit rate (success@k)."""
    return float(any(rank is not None and rank <= k for rank in ranks))


def reciprocal_rank(ranks: Ranks) -> float:
    """1 / rank of the first expected place, 0 where none was found; its mean is MRR (Voorhees 1999, TREC-8 QA)."""
    return 1 / min((rank for rank in ranks if rank is not None), default=math.inf)


def ndcg_at(ranks: Ranks, grades: Sequence[int], k: int) -> float:
    """Σ grade / log2(rank + 1) over the first `k`, over that of the best order (Järvelin & Kekäläinen 2002).

    The gain is the grade itself, as in trec_eval's `ndcg_cut`. Two places in one chunk share its rank: hence the cap.
    """
    gain = sum(g / math.log2(rank + 1) for rank, g in zip(ranks, grades, strict=True) if rank is not None and rank <= k)
    best = sorted(grades, reverse=True)[:k]
    return min(1.0, gain / sum(g / math.log2(place + 1) for place, g in enumerate(best, start=1)))


def measures(ranks: Ranks, grades: Sequence[int], document_ranks: Ranks) -> dict[str, float]:
    """Every measure of one question. `document_recall@5` counts among the first five hits, not five documents."""
    return {
        **{f"recall@{k}": recall_at(ranks, k) for k in (1, 5, 10)},
        **{f"hit@{k}": hit_at(ranks, k) for k in (1, 5, 10)},
        "mrr": reciprocal_rank(ranks),
        "ndcg@10": ndcg_at(ranks, grades, 10),
        "document_recall@5": recall_at(document_ranks, 5),
    }
