"""Retrieval for the web pages, the API and the CLI: one code path, and one trace per call."""

from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from shared import telemetry
from shared.access import reading
from shared.domain.facets import Facets, ResultTable
from shared.domain.knowledge import Boost, FoundSection, Hit, IndexRank, LookupResult, RowsBehind, SearchResult
from shared.domain.scope import Identity
from shared.domain.trace import TracedHit
from shared.filters.facets.count import count_facets
from shared.filters.ordering import order_candidates, order_matches, read_order
from shared.filters.selection import Filters, Selection, select_chunks
from shared.ports import Reranker
from shared.retrieval.captions import asks_for_picture, behind_passages
from shared.retrieval.consolidate import consolidate, other_places
from shared.retrieval.diversity import diversify
from shared.retrieval.filters import check_documents, check_request
from shared.retrieval.fts import fts_search
from shared.retrieval.hybrid import hybrid_search
from shared.retrieval.lookup import lookup_item, lookup_section, tell_apart
from shared.retrieval.named import lookup_named
from shared.retrieval.previous import lookup_of_versions, of_versions
from shared.retrieval.recency import boost_recent
from shared.retrieval.requests import KNOWLEDGE_BASES_MAX, LookupRequest, SearchRequest
from shared.retrieval.reranking import rerank_candidates
from shared.retrieval.rows_behind import ROWS_SHOWN, FoundBlocks, before_hits, find_blocks, read_rows
from shared.retrieval.table import table_of
from shared.retrieval.threshold import check_threshold, cut_low_scores
from shared.retrieval.trace import Tracer
from shared.retrieval.vector import EmbeddedQuery, vector_search
from shared.runtime import Runtime
from shared.store.audit import note
from shared.store.connect import Connection
from shared.store.posted import corrections_of_chunks
from shared.store.search import Candidate, FoundChunk, chunk_dates, load_chunks, newest_candidates

# POOL: candidates that are fused or reordered by age. READ_…: how many of the best are read from the store, per hit
# asked for and at least, to find repetitions among them.
POOL = 100
READ_PER_HIT = 3
READ_MIN = 30


def search(
    runtime: Runtime,
    identity: Identity,
    request: SearchRequest,
    tracer: Tracer | None = None,
    *,
    rows_listed: int = ROWS_SHOWN,
) -> SearchResult:
    """Returns ranked hits. Raises BadInput (empty request, invalid filter) and NotFound (knowledge base, document).
    `tracer`: of the call that this is a part of; `rows_listed`: how many rows that are no passages at most."""
    check_request(request)
    check_threshold(request)
    tracer = tracer or Tracer("search", request.query, request)
    query = embed_query(runtime, request, tracer)
    with _reading(runtime, identity, request.knowledge_base_ids, tracer) as connection:
        found = find(connection, request, query, tracer, runtime.reranker)
        facets, table = _counted(connection, request, found, tracer)
        behind = look_behind(connection, request.query, found.selection.filters, tracer, request.index)
        if "usd" in (call := tracer.body.notes.get("rerank", {})):
            note(connection, identity, "model.call", tracer.id, stage="rerank", **call)
        latency = 0.0 if behind else tracer.store(connection, identity)
    rows = read_behind(runtime, behind, tracer, rows_listed)
    if behind:
        with _reading(runtime, identity, request.knowledge_base_ids, tracer) as connection:
            latency = tracer.store(connection, identity)
    return SearchResult(
        query=request.query,
        trace_id=tracer.id,
        latency_ms=latency,
        hits=found.hits,
        corrections=tracer.corrections,
        facets=facets,
        table=table,
        rows_behind=rows and before_hits(rows, found.hits),
    )


def look_behind(
    connection: Connection, query: str, filters: Filters, tracer: Tracer, index: str = "hybrid"
) -> FoundBlocks | None:
    """The blocks of rows that are no passages and may have words of the query; None where there are no such rows."""
    with tracer.step("find_blocks"):
        return find_blocks(connection, query, filters, index)


def read_behind(
    runtime: Runtime, found: FoundBlocks | None, tracer: Tracer, listed: int = ROWS_SHOWN
) -> RowsBehind | None:
    """Their rows with these words. No connection is held while they are read."""
    if found is None:
        return None
    with tracer.step("read_blocks"):
        rows = read_rows(runtime.blobs, found, listed)
    tracer.body.notes["rows_behind"] = {"opened": len(found.opened), "rows": len(rows.hits), "more": rows.more}
    return rows


def lookup(runtime: Runtime, identity: Identity, request: LookupRequest, tracer: Tracer | None = None) -> LookupResult:
    """Returns sections by address with their chunks in document order; an empty result where there are none. `tracer`:
    of the call that this is a part of."""
    tracer = tracer or Tracer("lookup", request.address, request)
    with _reading(runtime, identity, request.knowledge_base_ids, tracer) as connection:
        sections, hits = run_lookup(connection, request, tracer)
        latency = tracer.store(connection, identity)
    return LookupResult(query=request.address, trace_id=tracer.id, latency_ms=latency, sections=sections, hits=hits)


def run_lookup(connection: Connection, request: LookupRequest, tracer: Tracer) -> tuple[list[FoundSection], list[Hit]]:
    """Returns (sections, hits of their chunks) within the open scope; stores nothing.

    Raises BadInput for text that cannot be an address.
    """
    request = lookup_of_versions(connection, request, tracer)
    filters = request.filters()
    check_documents(connection, filters)
    sections, ids = lookup_section(connection, request.address, request.recursive, filters, tracer)
    if not sections:
        sections, ids = lookup_item(connection, request.address, filters, tracer)
    if not sections:
        sections, ids = lookup_named(connection, request.address, request.recursive, filters, tracer)
    with tracer.step("read_chunks"):
        chunks = load_chunks(connection, ids)
    sections, ids = tell_apart(sections, chunks, ids)
    tracer.looked_up(ids)
    return sections, with_corrections(connection, _hits(dict.fromkeys(ids, 0.0), chunks, {}, tracer), chunks)


@contextmanager
def _reading(runtime: Runtime, identity: Identity, wish: Sequence[UUID], tracer: Tracer) -> Generator[Connection]:
    """Opens the scope and traces how long the connection and the transaction took."""
    with ExitStack() as stack:
        with tracer.step("open_scope"):
            opened = reading(runtime, identity, wish, newest=KNOWLEDGE_BASES_MAX, snapshot=True)
            connection = stack.enter_context(opened)
        yield connection


def embed_query(runtime: Runtime, request: SearchRequest, tracer: Tracer) -> EmbeddedQuery | None:
    """Returns the query with its vector, computed before a connection is held; None where the search needs none."""
    if request.index == "fts" or not request.query.strip():
        return None
    with tracer.step("embed_query"):
        vector = runtime.embedder.embed_query(request.query)
    tracer.body.embedder_version = runtime.embedder.version
    known = runtime.embedders.known_share
    return EmbeddedQuery(
        request.query,
        vector,
        runtime.embedder.version,
        runtime.embedders.embed_query,
        known_share=known,
        twin=runtime.database.twin,
    )


@dataclass(frozen=True)
class Found:
    """The hits; the selection that they are of; and what a query ranked, None where there was no query."""

    hits: list[Hit]
    selection: Selection
    ranked: list[UUID] | None


def run_search(
    connection: Connection,
    request: SearchRequest,
    query: EmbeddedQuery | None,
    tracer: Tracer,
    reranker: Reranker | None = None,
    *,
    diverse: bool = True,
) -> list[Hit]:
    """Returns the hits alone."""
    return find(connection, request, query, tracer, reranker, diverse=diverse).hits


def find(
    connection: Connection,
    request: SearchRequest,
    query: EmbeddedQuery | None,
    tracer: Tracer,
    reranker: Reranker | None = None,
    *,
    diverse: bool = True,
) -> Found:
    """Returns the hits within the open scope. Each step notes in the trace what it did to the candidates.

    Steps: select the chunks that may be ranked, rank and fuse, cut low scores, boost recent ones, read the best from
    the store, rerank, remove repetitions, keep `k`. A search of a single index keeps that index's order and is not
    reranked. An order that is asked for replaces that of the scores. `diverse`: further hits of a place are lowered.
    """
    with telemetry.work("rag.retrieve", trace_id=tracer.id, k=request.k) as span:
        found = _find(connection, request, query, tracer, reranker, diverse=diverse)
        span.note(hits=len(found.hits), candidates=len(tracer.body.ranking))
        return found


def _find(
    connection: Connection,
    request: SearchRequest,
    query: EmbeddedQuery | None,
    tracer: Tracer,
    reranker: Reranker | None,
    *,
    diverse: bool,
) -> Found:
    request, query = of_versions(connection, request, query, tracer)
    filters = request.filters()
    check_documents(connection, filters)
    selection, scores, lifts = _candidates(connection, request, filters, query, tracer)
    scores = cut_low_scores(scores, request.min_score, tracer)
    ranked = list(scores) if request.query.strip() else None
    scores = _in_order(connection, scores, request, tracer) if ranked else scores
    scores, boosts = _prefer_recent(connection, scores, request, tracer)
    chunks = _read_best(connection, scores, request.k, tracer)
    if reranker and reranker.version and query and request.index == "hybrid" and request.sort is None:
        read, boosts = rerank_candidates(reranker, request.query, scores, chunks, boosts, tracer)
        scores = read | {c: s for c, s in scores.items() if c not in read}
    tracer.ranked(scores, boosts)
    kept = _without_repetitions(scores, chunks, tracer)
    if request.sort is None:
        kept = _behind_passages(kept, chunks, request, lifts, tracer)
        if diverse:
            kept, boosts = _diversify(kept, chunks, {} if boosts else lifts, boosts, tracer)
    best = list(kept)
    tracer.drop(best[request.k :], "below_k")
    hits = _hits({chunk_id: kept[chunk_id] for chunk_id in best[: request.k]}, chunks, boosts, tracer)
    return Found(with_corrections(connection, hits, chunks), selection, ranked)


def _counted(
    connection: Connection, request: SearchRequest, found: Found, tracer: Tracer
) -> tuple[Facets | None, ResultTable | None]:
    """The facets and the table of what was found, where they were asked for."""
    facets = table = None
    if request.facets is not False:
        names = None if request.facets is True else request.facets
        with tracer.step("facets"):
            facets = count_facets(connection, found.selection, found.ranked, names)
    if request.columns is not None:
        table = table_of(connection, found.hits, request.columns)
    return facets, table


def _in_order(
    connection: Connection, scores: dict[UUID, float], request: SearchRequest, tracer: Tracer
) -> dict[UUID, float]:
    """What a query ranked in the order that was asked for."""
    if request.sort is None:
        return scores
    with tracer.step("sort"):
        return {c: scores[c] for c in order_candidates(connection, list(scores), read_order(request.sort))}


def _candidates(
    connection: Connection, request: SearchRequest, filters: Filters, query: EmbeddedQuery | None, tracer: Tracer
) -> tuple[Selection, dict[UUID, float], dict[UUID, float]]:
    """Returns the selection, the scores of one index or the fused ones, best first, and what codes give to each fused
    one. Without a query every chunk that passes scores 1."""
    limit = _read_count(request.k)
    reordered = request.recency_days is not None or request.sort is not None or request.facets is not False
    if request.index == "hybrid" or reordered:
        limit = max(POOL, limit)
    if not request.query.strip():
        with tracer.step("filter"):
            selection = select_chunks(connection, filters)
            listed = _listed(connection, selection, request, limit)
        return selection, dict.fromkeys(listed, 1.0), {}
    with tracer.step("select"):
        selection = select_chunks(connection, filters)
    tracer.selected(selection)
    if query is None:
        return selection, _scores(fts_search(connection, request.query, selection, limit, tracer)), {}
    if request.index == "vector":
        return selection, _scores(vector_search(connection, query, selection, limit, tracer)), {}
    return selection, *hybrid_search(connection, query, selection, limit, tracer)


def _listed(connection: Connection, selection: Selection, request: SearchRequest, limit: int) -> list[UUID]:
    if request.sort is not None:
        return order_matches(connection, selection, read_order(request.sort), limit)
    return newest_candidates(connection, selection, request.recency_days is not None, limit)


def _scores(candidates: Sequence[Candidate]) -> dict[UUID, float]:
    return {c.chunk_id: c.score for c in candidates}


def _prefer_recent(
    connection: Connection, scores: dict[UUID, float], request: SearchRequest, tracer: Tracer
) -> tuple[dict[UUID, float], dict[UUID, list[Boost]]]:
    if request.recency_days is None or request.sort is not None or not scores:
        return scores, {}
    with tracer.step("recency"):
        dates = chunk_dates(connection, list(scores))
        boosted, boosts = boost_recent(scores, dates, datetime.now(UTC), request.recency_days)
    return boosted, {chunk_id: [boost] for chunk_id, boost in boosts.items()}


def _read_best(connection: Connection, scores: Mapping[UUID, float], k: int, tracer: Tracer) -> dict[UUID, FoundChunk]:
    """Reads the best candidates from the store: enough that `k` are left after repetitions have been removed."""
    ordered = list(scores)
    tracer.drop(ordered[_read_count(k) :], "beyond_pool")
    with tracer.step("read_chunks"):
        return load_chunks(connection, ordered[: _read_count(k)])


def _read_count(k: int) -> int:
    """How many candidates are read from the store for `k` hits."""
    return max(READ_MIN, READ_PER_HIT * k)


def _without_repetitions(
    scores: Mapping[UUID, float], chunks: Mapping[UUID, FoundChunk], tracer: Tracer
) -> dict[UUID, float]:
    with tracer.step("consolidate"):
        kept, dropped = consolidate({c: s for c, s in scores.items() if c in chunks}, chunks)
    tracer.body.dropped += dropped
    return kept


def _behind_passages(
    kept: dict[UUID, float],
    chunks: Mapping[UUID, FoundChunk],
    request: SearchRequest,
    lifts: Mapping[UUID, float],
    tracer: Tracer,
) -> dict[UUID, float]:
    """In a search of several indexes that asks for no picture, puts captions behind what they title; not those that
    have a code of the query."""
    if len(tracer.body.indexes) < 2 or asks_for_picture(request.query):
        return kept
    ordered = behind_passages(kept, chunks, _looked_up(tracer) | lifts.keys())
    moved = [str(chunk_id) for chunk_id, score in ordered.items() if score < kept[chunk_id]]
    if moved:
        tracer.body.notes["captions"] = moved
    return ordered


def _diversify(
    kept: dict[UUID, float],
    chunks: Mapping[UUID, FoundChunk],
    lifts: Mapping[UUID, float],
    boosts: dict[UUID, list[Boost]],
    tracer: Tracer,
) -> tuple[dict[UUID, float], dict[UUID, list[Boost]]]:
    """In a search of several indexes, lowers further passages of a place; each boost notes the rank before and
    after."""
    if len(tracer.body.indexes) < 2:
        return kept, boosts
    ordered = diversify(kept, chunks, _looked_up(tracer), lifts)
    before = {chunk_id: rank for rank, chunk_id in enumerate(kept, start=1)}
    moved = {
        chunk_id: Boost(name="diversity", factor=score / kept[chunk_id], from_rank=before[chunk_id], to_rank=rank)
        for rank, (chunk_id, score) in enumerate(ordered.items(), start=1)
        if score < kept[chunk_id]
    }
    tracer.boosted(moved)
    return ordered, {c: [*boosts.get(c, []), *([moved[c]] if c in moved else [])] for c in kept}


def _looked_up(tracer: Tracer) -> set[UUID]:
    named = (index.candidates for index in tracer.body.indexes if index.name == "lookup_section")
    return {candidate.chunk_id for candidates in named for candidate in candidates}


def _hits(
    scores: Mapping[UUID, float], chunks: Mapping[UUID, FoundChunk], boosts: Mapping[UUID, list[Boost]], tracer: Tracer
) -> list[Hit]:
    """Returns hits in the order of `scores`, each with every index that found it, and notes them in the trace."""
    ranks = _ranks(tracer, scores)
    places = other_places([one for one in tracer.body.dropped if one.kept in scores], chunks)
    hits: list[Hit] = []
    for chunk_id, score in scores.items():
        boost, found = boosts.get(chunk_id, []), chunks[chunk_id]
        hit = Hit(
            chunk=found.chunk,
            document=found.document,
            version=found.version,
            score=score,
            indexes=ranks.get(chunk_id, []),
            boosts=boost,
            other_places=places.get(chunk_id, []),
        )
        hits.append(hit)
        tracer.body.hits.append(TracedHit(chunk_id=chunk_id, score=score, boosts=boost))
    tracer.found_words()
    return hits


def with_corrections(connection: Connection, hits: Sequence[Hit], chunks: Mapping[UUID, FoundChunk]) -> list[Hit]:
    """The hits with the notes that correct them, which are asked for where one of `chunks` is `noted`; hits that are
    none of `chunks` are left as they are."""
    noted = [hit.chunk.id for hit in hits if hit.chunk.id in chunks and chunks[hit.chunk.id].noted]
    found = corrections_of_chunks(connection, noted) if noted else {}
    return [
        hit.model_copy(update={"corrected_by": found[hit.chunk.id]}) if hit.chunk.id in found else hit for hit in hits
    ]


def _ranks(tracer: Tracer, chunk_ids: Collection[UUID]) -> dict[UUID, list[IndexRank]]:
    ranks: dict[UUID, list[IndexRank]] = {}
    for index in tracer.body.indexes:
        for candidate in index.candidates:
            if candidate.chunk_id in chunk_ids:
                ranks.setdefault(candidate.chunk_id, []).append(
                    IndexRank(name=index.name, rank=candidate.rank, score=candidate.score)
                )
    return ranks
