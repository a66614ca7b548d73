"""A reranker's order replaces the fused one; recency and the trace stay what they are."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import pytest

from shared.domain.scope import Identity
from shared.errors import Unavailable
from shared.library.traces import get_trace
from shared.ports import Reranked, Reranker
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from tests.store.seeding import Passage, add_base, add_document


class Backwards:
    """Likes best what came last, and remembers what it read."""

    version = "backwards/1"

    def __init__(self) -> None:
        self.read: list[str] = []

    def rerank(self, query: str, texts: Sequence[str]) -> Reranked:
        self.read = list(texts)
        last = len(texts) - 1
        return Reranked([(last - place, 1 - place / 100) for place in range(len(texts))], usd=0.002)


class Absent:
    version = "absent/1"

    def rerank(self, query: str, texts: Sequence[str]) -> Reranked:
        raise Unavailable("The model does not answer.")


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    scope = add_base(runtime, identity, "reranked")
    passages = [Passage(f"The pump number {i} delivers {i} litres.") for i in range(8)]
    add_document(runtime, scope, "Pumps", passages, embedder=runtime.embedder)
    return scope.knowledge_base_ids[0]


def with_reranker(runtime: Runtime, reranker: Reranker) -> Runtime:
    return replace(runtime, load_reranker=lambda: reranker)


def test_hits_come_in_the_order_of_the_reranker_and_say_from_where(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    wish = SearchRequest(query="pump 3", knowledge_base_ids=[base], k=4)
    plain = search(runtime, identity, wish.model_copy(update={"k": 8})).hits
    model = Backwards()
    result = search(with_reranker(runtime, model), identity, wish)
    assert [h.chunk.id for h in result.hits] == [h.chunk.id for h in reversed(plain)][:4]
    assert [next(i.rank for i in h.indexes if i.name == "rerank") for h in result.hits] == [1, 2, 3, 4]
    assert [(b.name, b.from_rank, b.to_rank) for b in result.hits[0].boosts] == [("rerank", 8, 1)]
    assert result.hits[0].score == 1
    assert all(text.startswith("Pumps\nThe pump number ") for text in model.read)
    trace = get_trace(runtime, identity, result.trace_id)
    assert trace.notes["rerank"] == {"model": "backwards/1", "usd": 0.002}
    assert [c.rank for c in trace.ranking] == list(range(1, 9))
    assert "rerank" in {step.name for step in trace.steps}


def test_recency_stays_a_factor_of_what_the_reranker_says(runtime: Runtime, identity: Identity, base: UUID) -> None:
    wish = SearchRequest(query="pump 3", knowledge_base_ids=[base], recency_days=30)
    hit = search(with_reranker(runtime, Backwards()), identity, wish).hits[0]
    assert [b.name for b in hit.boosts] == ["recency", "rerank"]
    assert hit.score == pytest.approx(hit.boosts[0].factor)


def test_a_search_of_one_index_is_not_reranked(runtime: Runtime, identity: Identity, base: UUID) -> None:
    model = Backwards()
    for index in ("fts", "vector"):
        wish = SearchRequest(query="pump 3", knowledge_base_ids=[base], index=index)
        search(with_reranker(runtime, model), identity, wish)
    assert model.read == []


def test_a_reranker_that_does_not_answer_costs_its_order_and_not_the_search(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    wish = SearchRequest(query="pump 3", knowledge_base_ids=[base])
    plain = search(runtime, identity, wish)
    result = search(with_reranker(runtime, Absent()), identity, wish)
    assert [h.chunk.id for h in result.hits] == [h.chunk.id for h in plain.hits]
    assert get_trace(runtime, identity, result.trace_id).notes["rerank"]["left_out"] == "The model does not answer."
