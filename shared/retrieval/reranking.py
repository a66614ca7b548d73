"""Reranking: a model scores the query together with each of the best candidates, and these scores replace the fused
ones.

The recency factor is applied to the model's scores as well, so that a half-life means the same with a reranker and
without.
"""

from collections.abc import Mapping
from math import prod
from uuid import UUID

from shared.domain.knowledge import Boost
from shared.errors import Unavailable
from shared.ports import Reranker
from shared.retrieval.trace import Tracer
from shared.store.search import Candidate, FoundChunk, Ranking

Boosts = dict[UUID, list[Boost]]


def rerank_candidates(
    reranker: Reranker,
    query: str,
    scores: dict[UUID, float],
    chunks: Mapping[UUID, FoundChunk],
    boosts: Boosts,
    tracer: Tracer,
) -> tuple[dict[UUID, float], Boosts]:
    """Returns (scores, boosts) of the candidates given to the model, best first; unchanged where the model does not
    answer."""
    window = [chunk_id for chunk_id in scores if chunk_id in chunks]
    if not window:
        return scores, boosts
    with tracer.step("rerank"):
        try:
            answer = reranker.rerank(query, [_text_to_rank(chunks[chunk_id]) for chunk_id in window])
        except Unavailable as error:
            tracer.body.notes["rerank"] = {"model": reranker.version, "left_out": str(error)}
            return scores, boosts
    found = [Candidate(window[place], chunks[window[place]].chunk.document_id, score) for place, score in answer.order]
    tracer.found("rerank", Ranking(found, f"{reranker.version} over the {len(window)} best", exact=True))
    tracer.body.notes["rerank"] = {"model": reranker.version, "usd": answer.usd}
    return _replaced(scores, {one.chunk_id: one.score for one in found}, boosts)


def _replaced(
    scores: Mapping[UUID, float], relevance: Mapping[UUID, float], boosts: Boosts
) -> tuple[dict[UUID, float], Boosts]:
    """Relevance times each candidate's recency factor, with the change of rank."""
    final = {c: score * prod(boost.factor for boost in boosts.get(c, ())) for c, score in relevance.items()}
    ordered = sorted(final, key=lambda chunk_id: -final[chunk_id])
    before = {chunk_id: rank for rank, chunk_id in enumerate(scores, start=1)}
    moved: Boosts = {}
    for rank, chunk_id in enumerate(ordered, start=1):
        factor = final[chunk_id] / scores[chunk_id] if scores[chunk_id] else 1.0
        own = Boost(name="rerank", factor=factor, from_rank=before[chunk_id], to_rank=rank)
        moved[chunk_id] = [*boosts.get(chunk_id, []), own]
    return {chunk_id: final[chunk_id] for chunk_id in ordered}, moved


def _text_to_rank(found: FoundChunk) -> str:
    """The chunk's content after its section path, which a passage rarely repeats."""
    section = found.chunk.section
    titles = [step.title for step in section.path] if section else []
    return "\n".join(part for part in (found.document.name, " › ".join(titles), found.chunk.content) if part)
