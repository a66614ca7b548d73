"""Which other knowledge bases would answer where those that were asked do not: suggested, never searched into an
answer. A person confirms by asking again with them."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from shared.access import reading
from shared.answering.evidence import Question, estimate
from shared.domain.knowledge import Hit, Widening
from shared.domain.scope import Identity
from shared.lexical.query import read_query
from shared.retrieval.requests import KNOWLEDGE_BASES_MAX, SearchRequest
from shared.retrieval.service import run_search
from shared.retrieval.terms import properties_of
from shared.retrieval.trace import Tracer
from shared.retrieval.vector import EmbeddedQuery
from shared.runtime import Runtime
from shared.store.knowledge_bases import named_knowledge_bases, opened_knowledge_bases
from shared.store.search import row_contexts

SUGGESTED_MAX: Final = 3
# Passages that the check reads; the least confidence that a knowledge base is suggested with.
READ: Final = 20
LEAST: Final = 0.5


def suggest_widening(
    runtime: Runtime, identity: Identity, question: str, query: EmbeddedQuery, asked: Sequence[UUID], trace_id: UUID
) -> list[Widening]:
    """The knowledge bases that the identity may read beside those that were `asked` and whose passages speak of the
    question, the best first: by one search without a model, of which nothing but their names is told."""
    with reading(runtime, identity, newest=KNOWLEDGE_BASES_MAX) as connection:
        others = [one for one in opened_knowledge_bases(connection) if one not in asked]
    if not others:
        return []
    request = SearchRequest(query=question, knowledge_base_ids=others, k=READ)
    tracer = Tracer("search", question, request, trace_id)
    with reading(runtime, identity, others, snapshot=True) as connection:
        hits = run_search(connection, request, query, tracer)
        words = read_query(connection, question)
        rows, _ = row_contexts(connection, [hit.chunk.id for hit in hits])
        names = named_knowledge_bases(connection, [str(one) for one in others], len(others), others)
    asks = Question(query.vector, words.rarities(), properties=properties_of(words.text))
    found = list[Widening]()
    for base in names:
        own = [hit for hit in hits if hit.chunk.knowledge_base_id == base.id]
        _, confidence = estimate(asks, own, _nearest(own), rows)
        if own and confidence >= LEAST:
            found.append(
                Widening(knowledge_base_id=base.id, slug=base.slug, name=base.name, confidence=round(confidence, 3))
            )
    return sorted(found, key=lambda one: -one.confidence)[:SUGGESTED_MAX]


def _nearest(hits: Sequence[Hit]) -> float:
    cosines = (one.score for hit in hits for one in hit.indexes if one.name == "vector_search")
    return max((cosine for cosine in cosines if cosine is not None), default=0.0)
