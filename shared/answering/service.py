"""`ask`: retrieves evidence, then quotes what speaks of the question, each statement with its chunk, or has a model
write from it; or says that nothing answers."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, Literal
from uuid import UUID

from shared.access import reading
from shared.answering.agent.planning import Planned, check_planner, plan_evidence
from shared.answering.agent.tools import AgentTools
from shared.answering.asked import asked_kinds
from shared.answering.events import AskEvent, Tell, tell_nobody
from shared.answering.evidence import CHUNKS_READ, Question, Sentence, judge, weigh_sentences
from shared.answering.links import WRITTEN_IN_MARKDOWN, link_marks
from shared.answering.quoting import choose_quotations, disagreements, in_named_sections
from shared.answering.rows import AnsweringCell
from shared.answering.writing import Written, WrittenSentence, write_answer
from shared.domain.knowledge import Answer, AnswerSentence, Contradiction, Hit, Insufficiency, QuotedCell
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
from shared.store.connect import Connection
from shared.store.knowledge_bases import opened_knowledge_bases
from shared.store.search import FoundChunk, load_chunks, row_contexts

INSUFFICIENT = (
    "Found nothing that answers: no passage has the rarer words of the question, and none comes near its meaning."
)


UNWRITTEN: Final[Mapping[Literal["nothing_found", "model_declined", "not_borne_out"], str]] = MappingProxyType({
    "nothing_found": INSUFFICIENT,
    "model_declined": "Found nothing that answers: the model read no answer in the passages that come nearest.",
    "not_borne_out": "Found nothing that answers: what the model wrote is not borne out by the passages that it cites.",
})  # fmt: skip


def ask(runtime: Runtime, identity: Identity, request: AskRequest, tell: Tell = tell_nobody) -> Answer:
    """Answers from the chunks of a hybrid search, and tells each step. Raises BadInput (empty question), NotFound
    (knowledge base), PlanExhausted, where the month's answers are used up; with a model BudgetSpent and Unavailable."""
    if not request.question.strip():
        raise BadInput("The question is empty.")
    with one_question(runtime, identity):
        answer = _ask(runtime, identity, request, tell)
    tell(AskEvent("final", answer.model_dump(mode="json")))
    return answer


def _ask(runtime: Runtime, identity: Identity, request: AskRequest, tell: Tell) -> Answer:
    model = check_planner(runtime.answerer) if request.plan else runtime.answerer
    deadline = time.monotonic() + runtime.answer_seconds
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
        rows, tables, whole = _contexts(connection, hits)
    plan = {"question": request.question, "knowledge_base_ids": [str(one) for one in asked], "k": request.k}
    tell(AskEvent("plan", {**plan, "model": model and model.name}))
    planned = Planned()
    if request.plan and model:
        with tracer.step("plan_evidence"):
            tools = AgentTools(runtime, identity, request, asked)
            planned = plan_evidence(runtime, identity, model, request.question, tools, hits, tell)
        tracer.body.notes["plan"] = planned.note()
        # Read again within the question's scope: whatever ids came of the plan, nothing else can be evidence.
        with reading(runtime, identity, asked, newest=KNOWLEDGE_BASES_MAX, snapshot=True) as connection:
            hits = _planned_hits(planned.chunk_ids, hits, load_chunks(connection, planned.chunk_ids), request.k)
            rows, tables, whole = _contexts(connection, hits)
    tell(AskEvent("hits", {"hits": [hit.model_dump(mode="json") for hit in hits]}))
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
    headed = {row: _table_hit(whole[table]) for row, table in tables.items() if table in whole}
    told = {"confidence": round(evidence.confidence, 3), "enough": evidence.enough}
    tell(AskEvent("evidence", {**told, "chunk_ids": [str(hit.chunk.id) for hit in hits[:CHUNKS_READ]]}))
    if model is None:
        answer = _answer(chosen, hits, headed, evidence.confidence, tracer)
        for sentence in answer.sentences:
            tell(AskEvent("sentence", sentence.model_dump(mode="json")))
    else:
        answer = _answer([], hits, headed, evidence.confidence, tracer)
        written = Written()
        if evidence.enough:

            def wrote(one: WrittenSentence) -> None:
                tell(AskEvent("sentence", _sentence(one, headed).model_dump(mode="json")))

            with tracer.step("write_answer"):
                written = write_answer(runtime, identity, model, request.question, hits, rows, wrote, deadline)
        tracer.body.notes["model"] = written.note(model.name)
        answer = _written(answer, written, chosen, headed, asked, model.name)
        answer = answer.model_copy(update={"usd": written.usd + planned.usd})
    with reading(runtime, identity, asked, newest=KNOWLEDGE_BASES_MAX, snapshot=True) as connection:
        tracer.store(connection, identity)
    return answer


def _contexts(
    connection: Connection, hits: Sequence[Hit]
) -> tuple[dict[UUID, str], dict[UUID, UUID], dict[UUID, FoundChunk]]:
    """Rows among the hits as they are read, the table of each, and these tables."""
    rows, tables = row_contexts(connection, [hit.chunk.id for hit in hits])
    return rows, tables, load_chunks(connection, list(set(tables.values())))


def _planned_hits(ids: Sequence[UUID], first: Sequence[Hit], found: Mapping[UUID, FoundChunk], k: int) -> list[Hit]:
    """The first `k` of `ids` that are there; those of the first search as it found them."""
    known = {hit.chunk.id: hit for hit in first}
    return [known.get(one) or _table_hit(found[one]) for one in ids if one in found][:k]


def _written(
    empty: Answer,
    written: Written,
    quoted: Sequence[Sentence],
    headed: Mapping[UUID, Hit],
    searched: Sequence[UUID],
    model: str,
) -> Answer:
    """The answer that a model wrote, in place of the `empty` one. Where what it cites disagrees with another passage,
    that one is quoted beside it."""
    named: dict[str, Any] = {"mode": "answer", "model": model, "usd": written.usd}
    if not written.sentences:
        why = "nothing_found" if not written.calls else "model_declined" if written.declined else "not_borne_out"
        nearest = [hit.chunk.id for hit in empty.hits[:CHUNKS_READ]]
        lacking = Insufficiency(reason=why, searched=list(searched), nearest=nearest)
        return empty.model_copy(update={**named, "answer": UNWRITTEN[why], "insufficiency": lacking})
    sentences = [_sentence(one, headed) for one in written.sentences]
    pairs = list[Contradiction]()
    for one, other in disagreements(quoted):
        places = [_place(sentences, quoted[at]) for at in (one, other)]
        if places[0] is None and places[1] is None:
            continue
        for at, quotation in enumerate((quoted[one], quoted[other])):
            if places[at] is None:
                sentences.append(_quoted(quotation, headed))
                places[at] = len(sentences) - 1
        first, second = sorted(place for place in places if place is not None)
        if first != second:
            pairs.append(Contradiction(sentences=(first, second)))
    cited = {chunk for sentence in sentences for chunk in sentence.citations}
    own = [hit for hit in empty.hits if hit.chunk.id in cited]
    tables = {hit.chunk.id: hit for hit in headed.values() if hit.chunk.id in cited}
    found = {hit.chunk.id for hit in own}
    return empty.model_copy(
        update={
            **named,
            "answer": " ".join(s.text for s in sentences),
            "sentences": sentences,
            "citations": [*own, *(hit for key, hit in tables.items() if key not in found)],
            "insufficient_evidence": False,
            "contradictions": pairs,
        }
    )


def _place(sentences: Sequence[AnswerSentence], quotation: Sentence) -> int | None:
    """Where the answer cites the quotation's chunk first."""
    own = quotation.hit.chunk.id
    return next((at for at, one in enumerate(sentences) if own in one.citations), None)


def _sentence(one: WrittenSentence, headed: Mapping[UUID, Hit]) -> AnswerSentence:
    tables = [headed[chunk].chunk.id for chunk in one.citations if chunk in headed]
    return AnswerSentence(text=one.text, citations=list(dict.fromkeys([*one.citations, *tables])))


def _table_hit(table: FoundChunk) -> Hit:
    """A chunk as a hit that no index found: a cited row's table, for its column names; or what a plan came upon."""
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
