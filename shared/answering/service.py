"""`ask` without a model: retrieves evidence, then quotes what speaks of the question, each statement with its chunk; or
says that nothing answers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from shared.access import reading
from shared.answering.asked import asked_kinds
from shared.answering.evidence import Question, Sentence, judge, weigh_sentences
from shared.answering.links import WRITTEN_IN_MARKDOWN, link_marks
from shared.answering.quoting import choose_quotations, disagreements, in_named_sections
from shared.answering.rows import AnsweringCell
from shared.domain.knowledge import Answer, AnswerSentence, Contradiction, Hit, QuotedCell
from shared.domain.scope import Identity
from shared.errors import BadInput
from shared.lexical.query import read_query
from shared.plans.quota import one_question
from shared.retrieval.codes import written_codes
from shared.retrieval.named import named_addresses
from shared.retrieval.requests import KNOWLEDGE_BASES_MAX, AskRequest, SearchRequest
from shared.retrieval.service import embed_query, run_search
from shared.retrieval.terms import properties_of
from shared.retrieval.trace import Tracer
from shared.runtime import Runtime
from shared.store.knowledge_bases import opened_knowledge_bases
from shared.store.search import FoundChunk, load_chunks, row_contexts

INSUFFICIENT = (
    "Found nothing that answers: no passage has the rarer words of the question, and none comes near its meaning."
)


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
        documents=request.documents,
        include_superseded=request.include_superseded,
    )
    query = embed_query(runtime, wanted, tracer)
    wish = request.knowledge_base_ids
    with reading(runtime, identity, wish, newest=KNOWLEDGE_BASES_MAX, snapshot=True) as connection:
        asked = opened_knowledge_bases(connection)
        hits = run_search(connection, wanted, query, tracer, runtime.reranker)
        words = read_query(connection, request.question)
        rows, tables = row_contexts(connection, [hit.chunk.id for hit in hits])
        whole = load_chunks(connection, list(set(tables.values())))
    # No connection is held while sentences are embedded.
    with tracer.step("weigh_sentences"):
        asked_as_meant = query is None or bool(words.corrections)
        vector = runtime.embedder.embed_query(words.text) if asked_as_meant else query.vector
        codes, kinds = frozenset(written_codes(words.text)), asked_kinds(words.text)
        question = Question(vector, words.rarities(), codes, kinds, properties_of(words.text))
        printed = {row: whole[table].chunk.content for row, table in tables.items() if table in whole}
        weighed = weigh_sentences(question, hits, runtime.embedder.embed_passages, rows, printed)
    evidence = judge(question, hits, weighed, tracer.nearest(), rows)
    if named := in_named_sections(weighed, named_addresses(words.text)):
        # The section that the question names is there, whatever it says.
        evidence, chosen = replace(evidence, enough=True), choose_quotations(named)
    else:
        chosen = choose_quotations(weighed, question.codes) if evidence.enough else []
    tracer.body.notes["evidence"] = {
        **vars(evidence), "kinds": sorted(question.kinds), "codes": sorted(question.codes), "sentences": len(weighed)
    }  # fmt: skip
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
        sentences=[_quoted(s, headed) for s in chosen],
        citations=[*own, *(table for key, table in tables.items() if key not in cited)],
        hits=list(hits),
        insufficient_evidence=not chosen,
        contradictions=[Contradiction(sentences=pair) for pair in disagreements(chosen)],
        confidence=round(confidence, 3),
        trace_id=tracer.id,
        corrections=tracer.corrections,
    )


def _quoted(sentence: Sentence, headed: Mapping[UUID, Hit]) -> AnswerSentence:
    linked = sentence.hit.document.source_type in WRITTEN_IN_MARKDOWN
    hidden = link_marks(sentence.text) if linked else []
    return AnswerSentence(
        text=sentence.text,
        citations=_citations(sentence, headed),
        marks=[(a, b) for a, b in sentence.values if not any(start < b and a < end for start, end in hidden)],
        hidden=hidden,
        cells=[_quoted_cell(cell, linked) for cell in sentence.cells],
    )


def _quoted_cell(cell: AnsweringCell, linked: bool) -> QuotedCell:
    hidden = link_marks(cell.value) if linked else []
    return QuotedCell(label=cell.label, value=cell.value, answers=cell.answers, hidden=hidden)


def _citations(sentence: Sentence, headed: Mapping[UUID, Hit]) -> list[UUID]:
    row = sentence.hit.chunk.id
    return [row, headed[row].chunk.id] if row in headed else [row]
