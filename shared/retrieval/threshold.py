"""`min_score`: a lower bound on the scores of a search of one index.

A score is comparable only within its index: a cosine has the same scale for every query of an embedder, a BM25 score at
least within one query. A fused score is made of shares of the best: the first hit of a useless ranking gets as much as
the first of a good one. A hybrid search therefore takes no threshold (docs/decisions/0024-traces-and-thresholds.md).
"""

from uuid import UUID

from shared.errors import BadInput
from shared.retrieval.requests import SearchRequest
from shared.retrieval.trace import Tracer


def check_threshold(request: SearchRequest) -> None:
    """Raises BadInput for a threshold on a search whose scores are not comparable."""
    if request.min_score is None:
        return
    if not request.query.strip():
        raise BadInput("`min_score` needs a query: without one nothing is scored. Give a query, or leave it out.")
    if request.index == "hybrid":
        raise BadInput(
            "`min_score` needs one index: a hybrid score adds up shares of the best, however good that is. "
            "Ask the index `vector` (cosine, up to 1) or `fts` (BM25), or leave `min_score` out."
        )


def cut_low_scores(scores: dict[UUID, float], least: float | None, tracer: Tracer) -> dict[UUID, float]:
    """Returns the scores of at least `least`, in their order. Called before recency, so that the index's own score is
    compared."""
    if least is None:
        return scores
    tracer.drop([chunk_id for chunk_id, score in scores.items() if score < least], "below_score")
    return {chunk_id: score for chunk_id, score in scores.items() if score >= least}
