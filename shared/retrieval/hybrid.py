"""`hybrid_search`: full text and vectors fused by reciprocal rank, among the documents that the query means.

Sections that the query names lead. How the weights were chosen: docs/decisions/0021-context-of-passages.md.
"""

from collections.abc import Sequence
from uuid import UUID

from shared.domain.knowledge import IndexName
from shared.retrieval.documents import Evidence, prefer_documents, read_evidence
from shared.retrieval.fts import fts_search
from shared.retrieval.fuse import fuse
from shared.retrieval.named import named_chunks
from shared.retrieval.trace import Tracer
from shared.retrieval.vector import EmbeddedQuery, vector_search
from shared.store.connect import Connection
from shared.store.lexical_query import LexicalQuery, read_query
from shared.store.selection import Selection

# A section that the query names counts as much as both indexes together.
WEIGHTS: dict[IndexName, float] = {"fts_search": 1.0, "vector_search": 1.0, "lookup_section": 2.0}


def hybrid_search(
    connection: Connection, query: EmbeddedQuery, selection: Selection, limit: int, tracer: Tracer
) -> dict[UUID, float]:
    """Fused scores, best first. Weights and evidence are in the trace."""
    with tracer.step("read_query"):
        words = read_query(connection, query.text)
    lexical = fts_search(connection, words, selection, limit, tracer)
    nearest = vector_search(connection, query, selection, limit, tracer)
    named = named_chunks(connection, query.text, selection.filters, tracer)
    rankings: dict[IndexName, Sequence[UUID]] = {
        "fts_search": [c.chunk_id for c in lexical],
        "vector_search": [c.chunk_id for c in nearest],
        "lookup_section": named,
    }
    with tracer.step("fuse"):
        fused = fuse(rankings, WEIGHTS)
    for index in tracer.body.indexes:
        index.weight = WEIGHTS[index.name]
    return _among_documents(connection, words, fused, tracer)


def _among_documents(
    connection: Connection, words: LexicalQuery, fused: dict[UUID, float], tracer: Tracer
) -> dict[UUID, float]:
    with tracer.step("weigh_documents"):
        evidence, documents = read_evidence(connection, words, list(fused))
        preferred = prefer_documents(fused, evidence, documents)
    tracer.body.notes["documents"] = _noted(evidence)
    return preferred


def _noted(evidence: Evidence) -> dict[str, float]:
    """The evidence that is not nothing, best first."""
    ordered = sorted(evidence.items(), key=lambda item: -item[1])
    return {str(document): round(value, 3) for document, value in ordered if value}
