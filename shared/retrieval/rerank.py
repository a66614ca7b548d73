"""`rerank`: an optional last look at the candidates, by a model that reads query and passage together."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from shared.runtime import Runtime


class RerankedChunks(NamedTuple):
    """Chunks with the model's scores, best first; the model (None: nothing was changed), and what it cost."""

    scores: dict[UUID, float]
    model: str | None
    usd: float


def rerank(runtime: Runtime, query: str, texts: Mapping[UUID, str]) -> RerankedChunks:
    """Order chunks by relevance to `query`; `texts` are their contents in their order so far, which equal scores keep.

    Call it without an open transaction: a model takes some hundred milliseconds. Raises Unavailable while the model
    does not answer; then the order so far is the answer to give.
    """
    ids: Sequence[UUID] = list(texts)
    if not ids:
        return RerankedChunks({}, runtime.reranker.version, 0.0)
    found = runtime.reranker.rerank(query, list(texts.values()))
    return RerankedChunks({ids[place]: score for place, score in found.order}, runtime.reranker.version, found.usd)
