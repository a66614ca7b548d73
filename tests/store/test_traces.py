"""Traces: complete, replayable, without content, and of one's own organization only."""

from uuid import UUID, uuid4

import pytest
from psycopg.types.json import Jsonb

from shared.domain.scope import Identity, Scope
from shared.errors import BadInput, NotFound
from shared.library.traces import get_trace, list_traced_chunks, list_traces
from shared.retrieval.requests import LookupRequest, SearchRequest
from shared.retrieval.service import lookup, search
from shared.runtime import Runtime
from shared.store import traces as stored
from tests.store.seeding import Passage, add_base, add_document, replace_passages


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


def test_every_candidate_is_a_hit_or_dropped_with_a_reason(runtime: Runtime, identity: Identity, base: UUID) -> None:
    result = search(runtime, identity, SearchRequest(query="pump 7", knowledge_base_ids=[base], k=3))
    trace = get_trace(runtime, identity, result.trace_id)
    found = {c.chunk_id for i in trace.indexes for c in i.candidates}
    hits, dropped = {h.chunk_id for h in trace.hits}, {d.chunk_id: d.reason for d in trace.dropped}
    assert hits | dropped.keys() == found == {c.chunk_id for c in trace.ranking}
    assert not hits & dropped.keys()
    assert set(dropped.values()) == {"below_k"}
    assert [c.rank for c in trace.ranking] == list(range(1, 21))


def test_what_is_ranked_too_low_to_be_read_is_told_apart(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "crowded")
    add_document(runtime, scope, "Many", [Passage(f"Valve {i} closes at {i} bar.") for i in range(50)])
    result = search(runtime, identity, SearchRequest(query="valve", knowledge_base_ids=list(scope.knowledge_base_ids)))
    reasons = [d.reason for d in get_trace(runtime, identity, result.trace_id).dropped]
    assert {reason: reasons.count(reason) for reason in set(reasons)} == {"beyond_pool": 20, "below_k": 20}


def test_a_threshold_cuts_by_the_score_of_one_index_and_says_so(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    wish = SearchRequest(query="pump 7", knowledge_base_ids=[base], index="vector", k=20)
    scores = [hit.score for hit in search(runtime, identity, wish).hits]
    least = (scores[4] + scores[5]) / 2
    result = search(runtime, identity, wish.model_copy(update={"min_score": least}))
    assert [hit.score for hit in result.hits] == scores[:5]
    dropped = get_trace(runtime, identity, result.trace_id).dropped
    assert [d.reason for d in dropped] == ["below_score"] * 15


def test_a_threshold_where_scores_cannot_be_compared_is_refused(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    for wish in (SearchRequest(query="pump", min_score=0.5), SearchRequest(recency_days=3, min_score=0.5)):
        with pytest.raises(BadInput, match="min_score"):
            search(runtime, identity, wish)


def test_a_trace_tells_the_database_from_python_and_who_embedded(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    result = search(runtime, identity, SearchRequest(query="pump 7", knowledge_base_ids=[base]))
    trace = get_trace(runtime, identity, result.trace_id)
    times = {s.name: s for s in trace.steps}
    assert times["embed_query"].database_ms == 0
    assert all(0 < (times[name].database_ms or 0) <= times[name].ms for name in ("fts_search", "vector_search"))
    assert trace.embedder_version == runtime.embedder.version
    assert trace.selection is not None
    assert trace.selection.plan


def test_boosts_say_from_which_rank_to_which(runtime: Runtime, identity: Identity, base: UUID) -> None:
    wish = SearchRequest(query="pump 7", knowledge_base_ids=[base], recency_days=30)
    trace = get_trace(runtime, identity, search(runtime, identity, wish).trace_id)
    boosts = [boost for candidate in trace.ranking for boost in candidate.boosts]
    boosts = [boost for boost in boosts if boost.name == "recency"]
    assert [b.to_rank for b in boosts] == [c.rank for c in trace.ranking]
    assert sorted(b.from_rank for b in boosts) == [c.rank for c in trace.ranking]
    assert trace.hits[0].boosts == trace.ranking[0].boosts


def test_a_trace_of_several_knowledge_bases_is_hidden_where_one_of_them_is_not_in_scope(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    other = add_base(runtime, identity, "hidden")
    both = [base, other.knowledge_base_ids[0]]
    result = search(runtime, identity, SearchRequest(query="pump", knowledge_base_ids=both))
    narrow = Scope(organization_id=identity.organization_id, knowledge_base_ids=(base,))
    with runtime.database.transaction(narrow) as connection:
        assert stored.get_trace(connection, result.trace_id) is None
        assert result.trace_id not in {row["id"] for row in stored.list_traces(connection, None, None, None, 100)}
    with runtime.database.transaction(narrow.model_copy(update={"knowledge_base_ids": tuple(both)})) as connection:
        assert stored.get_trace(connection, result.trace_id) is not None


def test_traces_are_listed_newest_first_by_pages_operator_and_knowledge_base(
    runtime: Runtime, identity: Identity, other_identity: Identity
) -> None:
    scope = add_base(runtime, identity, "listed")
    wish = list(scope.knowledge_base_ids)
    searched = [search(runtime, identity, SearchRequest(query=f"q{i}", knowledge_base_ids=wish)) for i in range(3)]
    looked_up = lookup(runtime, identity, LookupRequest(address="C7", knowledge_base_ids=wish))
    ids = [looked_up.trace_id, *(s.trace_id for s in reversed(searched))]
    assert [t.id for t in list_traces(runtime, identity, knowledge_base_id=wish[0])] == ids
    assert [t.id for t in list_traces(runtime, identity, ids[1], None, wish[0], 1)] == [ids[2]]
    assert [t.id for t in list_traces(runtime, identity, operator="lookup", knowledge_base_id=wish[0])] == ids[:1]
    assert list_traces(runtime, other_identity) == []
    with pytest.raises(NotFound):
        list_traces(runtime, other_identity, knowledge_base_id=wish[0])


def test_the_chunks_of_a_trace_are_those_that_are_there_still(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "shrinking")
    document = add_document(runtime, scope, "Seals", [Passage(f"Seal {i} holds {i} bar.") for i in range(4)])
    wish = SearchRequest(query="seal", knowledge_base_ids=list(scope.knowledge_base_ids), index="fts", k=2)
    result = search(runtime, identity, wish)
    found = list_traced_chunks(runtime, identity, result.trace_id)
    assert [c.chunk_id for c in found[:2]] == [h.chunk.id for h in result.hits]
    assert {c.document_name for c in found} == {"Seals"}
    replace_passages(runtime, scope, document, "Seals", [Passage("Seal 1 holds 1 bar.")])
    left = list_traced_chunks(runtime, identity, result.trace_id)
    assert [c.excerpt for c in left] == ["Seal 1 holds 1 bar."]
    assert len(get_trace(runtime, identity, result.trace_id).ranking) == 4


def test_a_trace_that_was_stored_before_chunks_were_named_by_place_reads_the_same(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    result = search(runtime, identity, SearchRequest(query="pump 7", knowledge_base_ids=[base]))
    trace = get_trace(runtime, identity, result.trace_id)
    old = trace.model_dump(mode="json", include={"steps", "indexes", "dropped", "hits", "notes"})
    scope = Scope(organization_id=identity.organization_id, knowledge_base_ids=(base,))
    with runtime.database.transaction(scope) as connection:
        connection.execute(
            "update retrieval_log set trace = %s, candidate_ids = '{}' where id = %s", (Jsonb(old), result.trace_id)
        )
    again = get_trace(runtime, identity, result.trace_id)
    assert again.hits == trace.hits
    assert again.indexes == trace.indexes


def test_a_passage_that_steps_back_behind_other_pages_says_from_where(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "paged")
    passages = [Passage(f"Rotor {i} turns at {i} hertz.", page=1 if i < 3 else i) for i in range(6)]
    add_document(runtime, scope, "Rotors", passages, embedder=runtime.embedder)
    wish = SearchRequest(query="rotor 0 1 2 hertz", knowledge_base_ids=list(scope.knowledge_base_ids))
    result = search(runtime, identity, wish)
    moved = [(hit, boost) for hit in result.hits for boost in hit.boosts if boost.name == "diversity"]
    assert len(moved) == 2
    assert all(boost.factor < 1 and boost.from_rank <= boost.to_rank for _, boost in moved)
    ranking = {c.chunk_id: c.boosts for c in get_trace(runtime, identity, result.trace_id).ranking}
    assert [boost.name for hit, _ in moved for boost in ranking[hit.chunk.id]] == ["diversity"] * 2
