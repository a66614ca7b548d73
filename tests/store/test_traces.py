"""Traces: complete, replayable, without content, and of one's own organization only."""

from uuid import UUID, uuid4

import pytest

from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import get_trace, search
from shared.runtime import Runtime
from tests.store.seeding import Passage, add_base, add_document


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    scope = add_base(runtime, identity, "traced")
    passages = [Passage(f"The zirconium pump number {i} delivers {i} litres.") for i in range(20)]
    add_document(runtime, scope, "Pumps", passages, embedder=runtime.embedder)
    return scope.knowledge_base_ids[0]


def test_a_trace_replays_to_the_same_hits(runtime: Runtime, identity: Identity, base: UUID) -> None:
    first = search(runtime, identity, SearchRequest(query="pump 7", knowledge_base_ids=[base], k=5))
    trace = get_trace(runtime, identity, first.trace_id)
    again = search(runtime, identity, SearchRequest.model_validate(trace.parameters))
    assert [h.chunk.id for h in again.hits] == [h.chunk.id for h in first.hits]
    assert [h.chunk_id for h in trace.hits] == [h.chunk.id for h in first.hits]
    assert trace.operator == "search"
    assert trace.query == "pump 7"


def test_a_trace_tells_what_each_index_found_and_how_long_it_took(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    result = search(runtime, identity, SearchRequest(query="pump 7", knowledge_base_ids=[base], k=5))
    trace = get_trace(runtime, identity, result.trace_id)
    assert [i.name for i in trace.indexes] == ["fts_search", "vector_search"]
    assert [len(i.candidates) for i in trace.indexes] == [20, 20]
    assert all(i.weight is not None and i.weight >= 0 for i in trace.indexes)
    assert {"embed_query", "fts_search", "vector_search", "fuse", "read_chunks"} <= {s.name for s in trace.steps}
    assert sum(s.ms for s in trace.steps) <= trace.latency_ms


def test_a_trace_holds_no_content(runtime: Runtime, identity: Identity, base: UUID) -> None:
    result = search(runtime, identity, SearchRequest(query="pump 7", knowledge_base_ids=[base]))
    assert "zirconium" in result.hits[0].chunk.content
    assert "zirconium" not in get_trace(runtime, identity, result.trace_id).model_dump_json()


def test_another_organization_does_not_find_the_trace(
    runtime: Runtime, identity: Identity, other_identity: Identity, base: UUID
) -> None:
    result = search(runtime, identity, SearchRequest(query="pump", knowledge_base_ids=[base]))
    for who, trace_id in ((other_identity, result.trace_id), (identity, uuid4())):
        with pytest.raises(NotFound, match=str(trace_id)):
            get_trace(runtime, who, trace_id)
