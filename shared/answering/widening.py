"""Which other knowledge bases would answer where those that were asked do not: suggested, never searched into an
answer. A person confirms by asking again with them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final
from uuid import UUID

import numpy as np

from shared.access import reading
from shared.answering.evidence import weigh_sentences
from shared.answering.found import FoundEvidence
from shared.answering.lacking import Ground, find_lack
from shared.answering.question import Question
from shared.answering.quoting import in_named_sections
from shared.answering.sufficiency import Sufficiency, estimate, judge
from shared.domain.knowledge import Hit, Widening
from shared.domain.scope import Identity
from shared.lexical.query import LexicalQuery, read_query
from shared.ports import Vectors
from shared.retrieval.named import named_addresses
from shared.retrieval.requests import KNOWLEDGE_BASES_MAX, SearchRequest
from shared.retrieval.service import run_search
from shared.retrieval.trace import Tracer
from shared.retrieval.vector import EmbeddedQuery
from shared.runtime import Runtime
from shared.store.knowledge_bases import named_knowledge_bases, opened_knowledge_bases

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
        found = FoundEvidence.load(connection, run_search(connection, request, query, tracer))
        words = read_query(connection, question)
        names = named_knowledge_bases(connection, [str(one) for one in others], len(others), others)
    suggested = list[Widening]()
    for base in names:
        own = [hit for hit in found.hits if hit.chunk.knowledge_base_id == base.id]
        evidence = _judge(query, words.within(base.id), replace(found, hits=own), tracer)
        if evidence.enough:
            suggested.append(
                Widening(
                    knowledge_base_id=base.id, slug=base.slug, name=base.name, confidence=round(evidence.confidence, 3)
                )
            )
    return sorted(suggested, key=lambda one: -one.confidence)[:SUGGESTED_MAX]


def _judge(query: EmbeddedQuery, words: LexicalQuery, found: FoundEvidence, tracer: Tracer) -> Sufficiency:
    """Whether a knowledge base's passages answer, by the checks of an answer. Statements are compared by their words
    alone: what is near in meaning is told by the passages, which the search has compared."""
    documents = {hit.document.id for hit in found.hits}
    naming = {form: own for form, named in tracer.naming.items() if (own := documents.intersection(named))}
    asks = Question.read(words, query.vector, naming)
    nearest, printed = _nearest(found.hits), found.printed()
    rare, confidence = estimate(asks, found.hits, nearest, found.rows)
    # Most are not, and need no further look.
    if confidence < LEAST:
        return Sufficiency(nearest, rare, confidence, enough=False)
    weighed = weigh_sentences(asks, found.read(), partial(_without_meaning, query.vector), found.rows, printed)
    evidence = judge(asks, found.hits, weighed, nearest, found.rows)
    named = bool(in_named_sections(weighed, named_addresses(words.text), asks.naming))
    ground = Ground(
        words, nearest, found.hits, weighed, found.rows, printed, naming, properties=asks.properties, codes=asks.codes
    )
    lack = find_lack(ground, named)
    return evidence.without(lack) if lack else replace(evidence, enough=evidence.enough or named)


def _without_meaning(like: Vectors, texts: Sequence[str]) -> Vectors:
    return np.zeros((len(texts), like.size), like.dtype)


def _nearest(hits: Sequence[Hit]) -> float:
    cosines = (one.score for hit in hits for one in hit.indexes if one.name == "vector_search")
    return max((cosine for cosine in cosines if cosine is not None), default=0.0)
