"""`ask`: retrieves evidence, then answers with its sentences, each citing its chunk; or reports insufficient
evidence."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from shared.access import reading
from shared.answering.evidence import Sentence, choose_sentences, judge, weigh_sentences
from shared.domain.knowledge import Answer, AnswerSentence, Hit
from shared.domain.scope import Identity
from shared.errors import BadInput
from shared.plans.quota import one_question
from shared.retrieval.requests import KNOWLEDGE_BASES_MAX, AskRequest, SearchRequest
from shared.retrieval.service import embed_query, run_search
from shared.retrieval.terms import weigh_terms
from shared.retrieval.trace import Tracer
from shared.runtime import Runtime
from shared.store.knowledge_bases import opened_knowledge_bases
from shared.store.search import FoundChunk, load_chunks, row_contexts

CONFIDENCE_MIN = 0.5
INSUFFICIENT = "Insufficient evidence: the knowledge base does not contain an answer to this question."


def ask(runtime: Runtime, identity: Identity, request: AskRequest) -> Answer:
    """Answers from the chunks of a hybrid search. Raises BadInput (empty question), NotFound (knowledge base) and
    PlanExhausted, where the month's answers are used up."""
    if not request.question.strip():
        raise BadInput("The question is empty.")
    with one_question(runtime, identity):
        return _ask(runtime, identity, request)


def _ask(runtime: Runtime, identity: Identity, request: AskRequest) -> Answer:
    tracer = Tracer("ask", request.question, request)
    wanted = SearchRequest(
        query=request.question,
        knowledge_base_ids=request.knowledge_base_ids,
        k=request.k,
        include_superseded=request.include_superseded,
    )
    query = embed_query(runtime, wanted, tracer)
    wish = request.knowledge_base_ids
    with reading(runtime, identity, wish, newest=KNOWLEDGE_BASES_MAX, snapshot=True) as connection:
        asked = opened_knowledge_bases(connection)
        hits = run_search(connection, wanted, query, tracer, runtime.reranker)
        weights = weigh_terms(connection, request.question)
        rows, tables = row_contexts(connection, [hit.chunk.id for hit in hits])
        whole = load_chunks(connection, list(set(tables.values())))
    # No connection is held while sentences are embedded.
    with tracer.step("weigh_sentences"):
        vector = query.vector if query else runtime.embedder.embed_query(request.question)
        weighed = weigh_sentences(vector, weights, hits, runtime.embedder.embed_passages, rows)
    evidence = judge(weights, hits, weighed)
    enough = evidence.confidence >= CONFIDENCE_MIN
    chosen = choose_sentences(weighed) if enough else []
    tracer.body.notes["evidence"] = {**vars(evidence), "threshold": CONFIDENCE_MIN, "sentences": len(weighed)}
    with reading(runtime, identity, asked, newest=KNOWLEDGE_BASES_MAX, snapshot=True) as connection:
        tracer.store(connection, identity)
    headed = {row: _table_hit(whole[table]) for row, table in tables.items() if table in whole}
    return _answer(chosen, hits, headed, evidence.confidence, tracer)


def _table_hit(table: FoundChunk) -> Hit:
    """The table of a cited row as a hit, for its column names; no index found it."""
    return Hit(chunk=table.chunk, document=table.document, version=table.version, score=0.0, indexes=[])


def _answer(
    chosen: Sequence[Sentence], hits: Sequence[Hit], headed: Mapping[UUID, Hit], confidence: float, tracer: Tracer
) -> Answer:
    """Builds the answer; a sentence that is a table row cites the row and then the table."""
    cited = {s.hit.chunk.id for s in chosen}
    tables = {headed[row].chunk.id: headed[row] for row in headed if row in cited}
    own = [hit for hit in hits if hit.chunk.id in cited]
    return Answer(
        answer=" ".join(s.text for s in chosen) or INSUFFICIENT,
        sentences=[AnswerSentence(text=s.text, citations=_citations(s, headed)) for s in chosen],
        citations=[*own, *(table for key, table in tables.items() if key not in cited)],
        hits=list(hits),
        insufficient_evidence=not chosen,
        confidence=round(confidence, 3),
        trace_id=tracer.id,
    )


def _citations(sentence: Sentence, headed: Mapping[UUID, Hit]) -> list[UUID]:
    row = sentence.hit.chunk.id
    return [row, headed[row].chunk.id] if row in headed else [row]
