"""`hybrid_search`: reciprocal rank fusion of full text (with the scores of the pages around each chunk) and vectors.

Documents that the query's words name are preferred; sections and pages that the query names come first. How the weights
were chosen: docs/decisions/0021-context-of-passages.md.
"""

from collections.abc import Sequence
from itertools import zip_longest
from uuid import UUID

from shared.domain.knowledge import IndexName
from shared.filters.selection import Selection
from shared.lexical.page_scores import rank_with_pages
from shared.lexical.profiles import documents_of_chunks
from shared.lexical.query import read_query
from shared.retrieval.documents import Evidence, prefer_documents, read_evidence
from shared.retrieval.fts import fts_search
from shared.retrieval.fuse import fuse
from shared.retrieval.named import chunks_of_named_pages, named_chunks
from shared.retrieval.trace import Tracer
from shared.retrieval.vector import EmbeddedQuery, vector_search
from shared.store.connect import Connection

# A section that the query names has the weight of both indexes together.
WEIGHTS: dict[IndexName, float] = {"fts_search": 1.0, "vector_search": 0.7, "lookup_section": 1.7}


def hybrid_search(
    connection: Connection, query: EmbeddedQuery, selection: Selection, limit: int, tracer: Tracer
) -> dict[UUID, float]:
    """Returns the fused scores, best first. Weights and document evidence are noted in the trace."""
    with tracer.step("read_query"):
        words = read_query(connection, query.text)
    lexical = fts_search(connection, words, selection, limit, tracer)
    nearest = vector_search(connection, query, selection, limit, tracer)
    found = {c.chunk_id: c.document_id for both in zip_longest(lexical, nearest) for c in both if c}
    named = named_chunks(connection, query.text, selection, tracer)
    documents = documents_of_chunks(connection, named) | found
    with tracer.step("weigh_documents"):
        evidence = read_evidence(connection, words, list(dict.fromkeys(documents.values())))
    on_pages = chunks_of_named_pages(connection, query.text, set(documents.values()), selection, tracer)
    documents |= documents_of_chunks(connection, on_pages)
    named += on_pages
    if named:
        tracer.looked_up(named)
    with tracer.step("weigh_pages"):
        among_pages = rank_with_pages(connection, words, lexical)
    rankings: dict[IndexName, Sequence[UUID]] = {
        "fts_search": among_pages,
        "vector_search": [c.chunk_id for c in nearest],
        "lookup_section": list(dict.fromkeys(named)),
    }
    with tracer.step("fuse"):
        preferred = prefer_documents(fuse(rankings, WEIGHTS), evidence, documents)
    for index in tracer.body.indexes:
        index.weight = WEIGHTS[index.name]
    tracer.body.notes["documents"] = _nonzero(evidence)
    return preferred


def _nonzero(evidence: Evidence) -> dict[str, float]:
    """The evidence other than zero, highest first."""
    ordered = sorted(evidence.items(), key=lambda item: -item[1])
    return {str(document): round(value, 3) for document, value in ordered if value}
