"""`hybrid_search`: full text (with the scores of the pages around each chunk) and vectors, fused by their scores.

Documents that the query's words name are preferred; sections, pages and codes that the query names come first, and what
meets its conditions on values. How the weights were chosen: docs/decisions/0044-fusion-by-scores.md.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from uuid import UUID

from shared.domain.knowledge import IndexName
from shared.filters.selection import Selection
from shared.lexical.page_scores import Matches, match_words
from shared.lexical.phrases import read_contents
from shared.lexical.profiles import documents_of_chunks
from shared.lexical.query import LexicalQuery, read_query
from shared.lexical.search import lexical_candidates
from shared.retrieval.codes import count_codes, written_codes
from shared.retrieval.conditions import meeting_chunks
from shared.retrieval.documents import Evidence, Named, prefer_documents, read_evidence
from shared.retrieval.fts import fts_search
from shared.retrieval.fuse import fuse, shares_of_best, shares_of_distance
from shared.retrieval.named import chunks_of_named_pages, named_chunks
from shared.retrieval.naming import credit_names, entries_of_records, kinds_in, names_in, without_names
from shared.retrieval.newest import asks_for_newest, lower_older
from shared.retrieval.titled import titled_chunks
from shared.retrieval.trace import Tracer
from shared.retrieval.vector import EmbeddedQuery, vector_search_meanwhile
from shared.store.connect import Connection
from shared.store.search import Candidate, Ranking, document_dates

# A section that the query names has the weight of both indexes together; further ranks as in reciprocal rank fusion.
NAMED_WEIGHT = 2.0
RANK_CONSTANT = 60
# A table's row has few words and no sentence: both indexes find it later than the prose about it.
ROW_FACTOR = 1.15


def hybrid_search(
    connection: Connection, query: EmbeddedQuery, selection: Selection, limit: int, tracer: Tracer
) -> tuple[dict[UUID, float], dict[UUID, float]]:
    """Returns the fused scores, best first, and what of each score its codes give (none: absent).

    The trace has what each index can add for this query, the documents' evidence and the query's words.
    """
    with tracer.step("read_query"):
        words = read_query(connection, query.text)
    query = _as_corrected(query, words, tracer)
    with vector_search_meanwhile(connection, query, selection, limit, tracer) as vectors:
        lexical = fts_search(connection, words, selection, limit, tracer)
        nearest = vectors()
    found = {c.chunk_id: c.document_id for both in zip_longest(lexical, nearest) for c in both if c}
    named = _named_sections(connection, query, words, list(found), selection, tracer)
    meeting = [] if words.phrases else meeting_chunks(connection, words.text, selection, tracer)
    documents = documents_of_chunks(connection, [*named, *meeting]) | found
    with tracer.step("weigh_documents"):
        evidence, naming, shared = read_evidence(connection, words, list(dict.fromkeys(documents.values())))
    tracer.naming = naming | shared
    names = names_in(words, naming | kinds_in(words, shared)) or names_in(words, naming)
    asked = without_names(words, names)
    rest = _search_rest(connection, asked, selection, limit, tracer) if names else Ranking([], "", exact=True)
    documents |= {c.chunk_id: c.document_id for c in rest.candidates}
    evidence |= dict.fromkeys(documents.values() - evidence.keys(), min(evidence.values(), default=0.0))
    evidence = _by_age(connection, words, evidence, naming)
    on_pages = chunks_of_named_pages(connection, query.text, set(documents.values()), selection, tracer)
    documents |= documents_of_chunks(connection, on_pages)
    named |= dict.fromkeys(on_pages, True)
    if named:
        tracer.looked_up(list(named))
    with tracer.step("weigh_pages"):
        met = [Candidate(chunk_id, documents[chunk_id], 0.0) for chunk_id in meeting]
        rankings = [rest.candidates, lexical, met, nearest] if names else [lexical, met, nearest]
        matches = _match(connection, asked, rankings, named)
        if entries_of_records(names, asked, matches):
            names, matches = {}, _match(connection, words, [lexical, met, nearest], named)
        matches = credit_names(words, names, matches, documents)
    tracer.named(names, rest)
    tracer.searched(words.words, matches)
    with tracer.step("fuse"):
        shares: dict[IndexName, dict[UUID, float]] = {
            "fts_search": shares_of_best(matches.scores, matches.coverage),
            "vector_search": _as_known(shares_of_distance(nearest), nearest, query),
        }
        fused = {c: score * (ROW_FACTOR if c in matches.rows else 1) for c, score in fuse(shares).items()}
        scores = _add_named(prefer_documents(fused, evidence, documents), named)
        codes = _count_codes(connection, query.text, naming, documents, names)
        lifts = _lift(scores, codes + Counter(meeting), named)
    _note(tracer, shares, evidence)
    lifted = {c: score + lifts.get(c, 0.0) for c, score in scores.items()}
    # What is lifted and has no word of the query comes before what has them all.
    return dict(sorted(lifted.items(), key=lambda item: (-item[1], -lifts.get(item[0], 0.0)))), lifts


def _named_sections(
    connection: Connection,
    query: EmbeddedQuery,
    words: LexicalQuery,
    found: Sequence[UUID],
    selection: Selection,
    tracer: Tracer,
) -> dict[UUID, bool]:
    """The first chunks of what the query names by an address; else by a title of those `found`, unless it quotes a
    phrase, which stands in its own words. True where it is printed as it was asked for."""
    named = named_chunks(connection, query.text, selection, tracer)
    if named or words.phrases:
        return named
    return dict.fromkeys(titled_chunks(connection, words.text, found, selection, tracer), True)


def _by_age(connection: Connection, words: LexicalQuery, evidence: Evidence, naming: Named) -> Evidence:
    """With less for documents that others are newer than, where the newest is asked for."""
    if not asks_for_newest(words.text):
        return evidence
    return lower_older(evidence, naming, document_dates(connection, list(evidence)))


def _as_corrected(query: EmbeddedQuery, words: LexicalQuery, tracer: Tracer) -> EmbeddedQuery:
    """The query with the words that are looked for instead of misspelt ones, embedded again."""
    if not words.corrections:
        return query
    with tracer.step("embed_query"):
        vector = query.embed_as(query.embedder_version, words.text)
    return query if vector is None else replace(query, text=words.text, vector=vector)


def _as_known(shares: Mapping[UUID, float], nearest: Sequence[Candidate], query: EmbeddedQuery) -> dict[UUID, float]:
    """The shares by how much of the query their embedder knows: in a script that it does not, nearness is chance."""
    spaces = {c.chunk_id: c.space or query.embedder_version for c in nearest}
    known = {space: query.known_share(space, query.text) for space in set(spaces.values())}
    return {chunk_id: share * known[spaces[chunk_id]] for chunk_id, share in shares.items()}


def _search_rest(
    connection: Connection, asked: LexicalQuery, selection: Selection, limit: int, tracer: Tracer
) -> Ranking:
    """Full text once more without the names, which would fill the list with covers and signatures."""
    with tracer.step("search_rest"):
        return lexical_candidates(connection, asked, selection, limit)


def _count_codes(
    connection: Connection, text: str, naming: Named, documents: Mapping[UUID, UUID], names: Named
) -> Counter[UUID]:
    written = written_codes(text)
    contents = read_contents(connection, documents) if written else {}
    return count_codes(written, contents, naming, documents, names)


def _match(
    connection: Connection,
    words: LexicalQuery,
    rankings: Sequence[list[Candidate]],
    named: Collection[UUID],
) -> Matches:
    """Scores all lists by words; with a quoted phrase only what has it, which is what full text found."""
    if words.phrases:
        return match_words(connection, words, rankings[:1], [*(c.chunk_id for c in rankings[-1]), *named])
    return match_words(connection, words, rankings, named)


def _add_named(scores: dict[UUID, float], named: Collection[UUID]) -> dict[UUID, float]:
    for rank, chunk_id in enumerate(named, start=1):
        weight = NAMED_WEIGHT * (RANK_CONSTANT + 1) / (RANK_CONSTANT + rank)
        scores[chunk_id] = scores.get(chunk_id, 0.0) + weight
    return scores


def _lift(scores: Mapping[UUID, float], codes: Counter[UUID], named: Mapping[UUID, bool]) -> dict[UUID, float]:
    """What codes, and addresses printed as asked, add: for each the best score of all, so that one more outranks
    everything else. A section that is asked for has all codes, which may be its own address."""
    most, aliases = max(codes.values(), default=0), not all(named.values())
    counted = codes | Counter({chunk_id: most + (exact and aliases) for chunk_id, exact in named.items()})
    best = max(scores.values(), default=0.0)
    return {c: best * count for c, count in counted.items() if c in scores}


def _note(tracer: Tracer, shares: Mapping[IndexName, Mapping[UUID, float]], evidence: Evidence) -> None:
    """Notes the most that each index adds for this query, and the evidence other than zero, highest first."""
    for index in tracer.body.indexes:
        best = max(shares.get(index.name, {}).values(), default=0.0)
        index.weight = round(best, 3) if index.name in shares else NAMED_WEIGHT
    ordered = sorted(evidence.items(), key=lambda item: -item[1])
    tracer.body.notes["documents"] = {str(document): round(value, 3) for document, value in ordered if value}
