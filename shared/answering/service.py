"""`ask`: evidence first, then an answer made of its sentences, each citing its chunk; or "insufficient evidence"."""

from collections.abc import Sequence

from shared.answering.evidence import Sentence, choose_sentences, judge, weigh_sentences
from shared.domain.knowledge import Answer, AnswerSentence, Hit
from shared.domain.scope import Identity
from shared.errors import BadInput
from shared.retrieval.requests import AskRequest, SearchRequest
from shared.retrieval.scope import open_scope
from shared.retrieval.service import embed_query, run_search
from shared.retrieval.terms import weigh_terms
from shared.retrieval.trace import Tracer
from shared.runtime import Runtime

CONFIDENCE_MIN = 0.5
INSUFFICIENT = "Insufficient evidence: the knowledge base does not contain an answer to this question."


def ask(runtime: Runtime, identity: Identity, request: AskRequest) -> Answer:
    """Answers from the chunks of a hybrid search. Raises BadInput (empty question) and NotFound (knowledge base)."""
    if not request.question.strip():
        raise BadInput("The question is empty.")
    tracer = Tracer("ask", request.question, request)
    wanted = SearchRequest(
        query=request.question,
        knowledge_base_ids=request.knowledge_base_ids,
        k=request.k,
        include_superseded=request.include_superseded,
    )
    query = embed_query(runtime, wanted, tracer)
    with open_scope(runtime, identity, request.knowledge_base_ids) as (connection, granted):
        hits = run_search(connection, wanted, query, tracer, runtime.reranker)
        weights = weigh_terms(connection, request.question)
    # No connection is held while sentences are embedded.
    with tracer.step("weigh_sentences"):
        vector = query.vector if query else runtime.embedder.embed_query(request.question)
        weighed = weigh_sentences(vector, weights, hits, runtime.embedder.embed_passages)
    evidence = judge(weights, hits, weighed)
    enough = evidence.confidence >= CONFIDENCE_MIN
    chosen = choose_sentences(weighed) if enough else []
    tracer.body.notes["evidence"] = {**vars(evidence), "threshold": CONFIDENCE_MIN, "sentences": len(weighed)}
    with open_scope(runtime, identity, granted) as (connection, _):
        tracer.store(connection, identity, granted)
    return _answer(chosen, hits, evidence.confidence, tracer)


def _answer(chosen: Sequence[Sentence], hits: Sequence[Hit], confidence: float, tracer: Tracer) -> Answer:
    cited = {s.hit.chunk.id for s in chosen}
    return Answer(
        answer=" ".join(s.text for s in chosen) or INSUFFICIENT,
        sentences=[AnswerSentence(text=s.text, citations=[s.hit.chunk.id]) for s in chosen],
        citations=[hit for hit in hits if hit.chunk.id in cited],
        hits=list(hits),
        insufficient_evidence=not chosen,
        confidence=round(confidence, 3),
        trace_id=tracer.id,
    )
