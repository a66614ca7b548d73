"""`min_score`: what is below is cut and named, what is at it or above stays in its order."""

from typing import Any
from uuid import UUID

import pytest

from shared.errors import BadInput
from shared.retrieval.requests import SearchRequest
from shared.retrieval.threshold import check_threshold, cut_low_scores
from shared.retrieval.trace import Tracer

A, B, C, D = (UUID(int=number) for number in range(1, 5))
SCORES = {B: 0.9, A: 0.5, D: 0.5, C: -0.2}


@pytest.mark.parametrize(
    ("least", "kept", "dropped"),
    [
        (None, [B, A, D, C], []),
        (-0.2, [B, A, D, C], []),
        (0.0, [B, A, D], [C]),
        (0.5, [B, A, D], [C]),
        (0.50001, [B], [A, D, C]),
        (0.9, [B], [A, D, C]),
        (1.0, [], [B, A, D, C]),
    ],
)
def test_scores_below_the_least_are_cut_and_named(least: float | None, kept: list[UUID], dropped: list[UUID]) -> None:
    tracer = Tracer("search", "wing", SearchRequest(query="wing"))
    assert list(cut_low_scores(SCORES, least, tracer).items()) == [(chunk, SCORES[chunk]) for chunk in kept]
    assert [(one.chunk_id, one.reason) for one in tracer.body.dropped] == [(chunk, "below_score") for chunk in dropped]


@pytest.mark.parametrize(
    ("wish", "why"),
    [
        ({"query": "wing", "index": "vector", "min_score": 0.5}, None),
        ({"query": "wing", "index": "fts", "min_score": 0.0}, None),
        ({"query": "wing"}, None),
        ({"query": ""}, None),
        ({"query": "wing", "min_score": 0.5}, "needs one index"),
        ({"query": "wing", "min_score": 0.0}, "needs one index"),
        ({"query": " ", "index": "fts", "min_score": 0.5}, "needs a query"),
        ({"query": "", "index": "hybrid", "min_score": 0.5}, "needs a query"),
    ],
)
def test_a_threshold_needs_scores_that_mean_something(wish: dict[str, Any], why: str | None) -> None:
    request = SearchRequest.model_validate(wish)
    if why is None:
        check_threshold(request)
        return
    with pytest.raises(BadInput, match=why):
        check_threshold(request)
