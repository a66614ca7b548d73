"""What a search makes of its indexes' rankings: fused by score, cut by score, preferred by age, in this order."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from shared.domain.knowledge import Hit
from shared.domain.scope import Identity, Scope
from shared.filters.selection import Filters, select_chunks
from shared.library.traces import get_trace
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from shared.store.search import chunk_dates, newest_candidates
from tests.store.seeding import Passage, add_base, add_document

QUERY = "the rear wing of the car"
TEXTS = [
    "The rear wing of the car is fixed.",
    "A wing may be wide.",
    "Wheels turn when the driver wants them to.",
    "Nothing is said of the rear of the car at all.",
]
NOW = datetime.now(UTC)


@pytest.fixture(scope="module")
def scope(runtime: Runtime, identity: Identity) -> Scope:
    """A passage a page, so that pages change nothing, in one document, so that there is none to prefer."""
    made = add_base(runtime, identity, "ranking")
    passages = [Passage(text, page=page) for page, text in enumerate(TEXTS, start=1)]
    add_document(runtime, made, "Doc", passages, embedder=runtime.embedder)
    return made


@pytest.fixture(scope="module")
def many(runtime: Runtime, identity: Identity) -> Scope:
    """Sixty passages, the better the older; the last of all is of today."""
    made = add_base(runtime, identity, "many")
    add_document(runtime, made, "Doc", [Passage("wing " + "floor " * n + f"x{n}", page=n + 1) for n in range(60)])
    with runtime.database.transaction(made) as connection:
        connection.execute("update chunks set date = %s::timestamptz - interval '10 years'", (NOW,))
        connection.execute("update chunks set date = %s where ordinal = 59", (NOW,))
    return made


def hits(runtime: Runtime, identity: Identity, scope: Scope, query: str = QUERY, **fields: object) -> list[Hit]:
    request = {"query": query, "knowledge_base_ids": list(scope.knowledge_base_ids), **fields}
    return search(runtime, identity, SearchRequest.model_validate(request)).hits


def test_a_hybrid_score_is_what_each_index_gives_for_its_score(
    runtime: Runtime, identity: Identity, scope: Scope
) -> None:
    """BM25 as a share of the best, which has every word, and the share of the farthest's distance that is saved."""
    found = hits(runtime, identity, scope)
    assert len(found) == len(TEXTS)
    scores = [{i.name: i.score or 0.0 for i in hit.indexes} for hit in found]
    best = max(s.get("fts_search", 0.0) for s in scores)
    farthest = max(1 - s["vector_search"] for s in scores)
    for hit, own in zip(found, scores, strict=True):
        nearer = 1 - (1 - own["vector_search"]) / farthest
        assert hit.score == pytest.approx(own.get("fts_search", 0.0) / best + nearer, abs=1e-5)
        assert hit.boosts == []
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_the_evidence_for_each_document_is_noted(runtime: Runtime, identity: Identity) -> None:
    made = add_base(runtime, identity, "named")
    bolt, acme, crane = (
        add_document(runtime, made, f"{name} pumps", [Passage(f"{name} {n}", page=n) for n in words])
        for name, words in (("Bolt", (1, 2)), ("Acme", (1, 2)), ("Crane", (1, 2)))
    )
    wish = SearchRequest(query="acme 1", knowledge_base_ids=list(made.knowledge_base_ids), index="hybrid")
    trace = get_trace(runtime, identity, search(runtime, identity, wish).trace_id)
    # 2 of 6 chunks have the word: ln((2 + 100/3) / 102 / (1/3)) = .03846, ln((0 + 100/3) / 102 / (1/3)) = -.0198
    assert trace.notes["documents"] == {str(acme): 0.038, str(bolt): -0.02, str(crane): -0.02}


def test_a_threshold_keeps_what_reaches_it_and_looks_before_age_does(
    runtime: Runtime, identity: Identity, scope: Scope
) -> None:
    for index in ("fts", "vector"):
        whole = hits(runtime, identity, scope, index=index)
        assert len(whole) > 1
        second = whole[1].score
        kept = hits(runtime, identity, scope, index=index, min_score=second)
        assert [hit.chunk.id for hit in kept] == [hit.chunk.id for hit in whole if hit.score >= second]
        old = hits(runtime, identity, scope, index=index, min_score=second, recency_days=1e-6)
        assert {hit.chunk.id for hit in old} == {hit.chunk.id for hit in kept}
        assert all(hit.score < second for hit in old)


def test_what_is_new_is_preferred_among_a_hundred_and_not_among_the_few_that_are_shown(
    runtime: Runtime, identity: Identity, many: Scope
) -> None:
    for index in ("fts", "hybrid"):
        (best,) = hits(runtime, identity, many, "wing", index=index, k=1, recency_days=365)
        assert best.chunk.ordinal == 59
        assert [(b.name, b.to_rank) for b in best.boosts if b.name == "recency"] == [("recency", 1)]


def test_age_counts_from_the_passages_date_then_the_documents_then_its_arrival(
    runtime: Runtime, identity: Identity
) -> None:
    made = add_base(runtime, identity, "dates")
    documents = [add_document(runtime, made, name, [Passage("wing one"), Passage("wing two")]) for name in "AB"]
    arrived, written, own = (NOW - timedelta(days=days) for days in (3, 300, 30))
    written = written.replace(hour=0, minute=0, second=0, microsecond=0)
    with runtime.database.transaction(made) as connection:
        connection.execute("update documents set created_at = %s", (arrived,))
        connection.execute(
            "update documents set document_date = %s, document_date_source = 'edited' where id = %s",
            (written.date(), documents[1]),
        )
        connection.execute("update chunks set date = %s where ordinal = 0", (own,))
        rows = connection.execute("select id, document_id, ordinal from chunks").fetchall()
        dates = chunk_dates(connection, [row["id"] for row in rows])
        newest = newest_candidates(connection, select_chunks(connection, Filters(("text",))), by_date=True, limit=3)
        oldest = {row["id"] for row in rows if (row["document_id"], row["ordinal"]) == (documents[1], 1)}
        assert set(newest) == {row["id"] for row in rows} - oldest
    places: dict[tuple[UUID, int], datetime] = {(row["document_id"], row["ordinal"]): dates[row["id"]] for row in rows}
    first, second = documents
    assert places == {(first, 0): own, (second, 0): own, (first, 1): arrived, (second, 1): written}
    listed = hits(runtime, identity, made, "", recency_days=30, types=["text"])
    order = [(hit.chunk.document_id, hit.chunk.ordinal) for hit in listed]
    assert order == [(first, 1), (first, 0), (second, 0), (second, 1)]
    plain = hits(runtime, identity, made, "", types=["text"])
    assert [(hit.chunk.document_id, hit.chunk.ordinal) for hit in plain] == [
        (first, 0), (first, 1), (second, 0), (second, 1)
    ]  # fmt: skip


def test_the_trace_of_a_hybrid_search_says_what_each_index_weighs(
    runtime: Runtime, identity: Identity, scope: Scope
) -> None:
    request = SearchRequest(query=QUERY, knowledge_base_ids=list(scope.knowledge_base_ids))
    found = search(runtime, identity, request)
    trace = get_trace(runtime, identity, found.trace_id)
    cosines = [c.score or 0.0 for i in trace.indexes if i.name == "vector_search" for c in i.candidates]
    nearer = 1 - (1 - cosines[0]) / (1 - cosines[-1])
    assert {index.name: index.weight for index in trace.indexes} == {
        "fts_search": 1.0, "vector_search": pytest.approx(nearer, abs=1e-3),
    }  # fmt: skip
    assert trace.notes["words"]["wing"]["chunks"] == 2
    unknown = SearchRequest(query="rear zeppelin", knowledge_base_ids=list(scope.knowledge_base_ids), index="hybrid")
    less = get_trace(runtime, identity, search(runtime, identity, unknown).trace_id)
    # ln(1 + 2.5 / 2.5) of that and ln(1 + 4.5 / .5)
    assert {i.name: i.weight for i in less.indexes}["fts_search"] == pytest.approx(0.231, abs=1e-3)
    assert trace.notes["words"]["wing"]["hits"] == [
        rank for rank, hit in enumerate(found.hits, start=1) if "wing" in hit.chunk.content
    ]


def test_a_page_that_says_the_rest_of_the_query_brings_its_passages_forward(
    runtime: Runtime, identity: Identity
) -> None:
    """The shorter caption is the better one by itself; the other word stands on the page of the longer one."""
    made = add_base(runtime, identity, "pages")
    shorter, longer = "A wing", "A wing and so on and so forth"
    passages = [
        Passage(shorter, page=1, chunk_type="caption"),
        Passage(longer, page=2, chunk_type="caption"),
        Passage("The brakes", page=2),
        *(Passage(f"Other things {n}", page=3 + n) for n in range(6)),
    ]
    add_document(runtime, made, "Doc", passages, embedder=runtime.embedder)

    def found(index: str) -> list[str]:
        return [h.chunk.content for h in hits(runtime, identity, made, "wing brakes", index=index, types=["caption"])]

    assert found("fts") == [shorter, longer]
    assert found("hybrid") == [longer, shorter]


def test_a_page_that_is_asked_for_is_the_page_of_the_document_that_is_named(
    runtime: Runtime, identity: Identity
) -> None:
    made = add_base(runtime, identity, "handbooks")
    for name in ("Alpha", "Gamma"):
        passages = [Passage(f"{name} says something of page {n}", page=n) for n in (1, 2, 3)]
        add_document(runtime, made, f"{name} handbook", passages, embedder=runtime.embedder)
    found = hits(runtime, identity, made, "what is on page 2 of the Alpha handbook")
    named = [h.chunk.content for h in found if "lookup_section" in {i.name for i in h.indexes}]
    assert named == ["Alpha says something of page 2"]
    assert len(found) > 3


HEBREW = [
    "המהירות המרבית בדרך עירונית היא חמישים קמש",
    "שכר הדירה ישולם בראשון לכל חודש",
    "תעודת אחריות למוצרי חשמל",
    "הנחיות לשימוש במעלית",
    "דוח שנתי של החברה",
    "סדר יום לישיבת ועד",
]


@pytest.fixture(scope="module")
def hebrew(runtime: Runtime, identity: Identity) -> Scope:
    made = add_base(runtime, identity, "hebrew")
    passages = [Passage(text, page=page) for page, text in enumerate(HEBREW, start=1)]
    add_document(runtime, made, "Doc", passages, embedder=runtime.embedder)
    return made


@pytest.mark.parametrize("query", ["אחריות חשמל", "שכר חודש", "הנחיות מעלית", "ישיבת ועד", "דוח החברה"])
def test_an_embedder_that_cannot_read_the_query_has_no_vote(
    runtime: Runtime, identity: Identity, hebrew: Scope, query: str
) -> None:
    """The bundled embedder has Hebrew's letters and none of its words: what has the words leads, and all that has none
    of them scores nothing."""
    found = hits(runtime, identity, hebrew, query)
    words = [sum(word in hit.chunk.content.split() for word in query.split()) for hit in found]
    assert words[0] > 0
    assert [hit.score > 0 for hit in found] == [count > 0 for count in words]


def test_vectors_count_by_how_much_of_the_query_their_embedder_can_read(
    runtime: Runtime, identity: Identity, scope: Scope
) -> None:
    def share(query: str) -> float:
        wish = SearchRequest(query=query, knowledge_base_ids=list(scope.knowledge_base_ids), index="hybrid")
        trace = get_trace(runtime, identity, search(runtime, identity, wish).trace_id)
        return next(index.weight or 0.0 for index in trace.indexes if index.name == "vector_search")

    assert share("rear wing") > 0.3
    assert share("Which wing is at the back?") > 0.2
    assert share("הכנף האחורית") == 0
    assert 0 < share("wing כנף") < 0.5
