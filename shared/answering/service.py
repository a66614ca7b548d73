"""`ask`: retrieves evidence, then quotes what speaks of the question, each statement with its chunk, or has a model
write from it; or says that nothing answers."""

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from uuid import UUID

from shared import telemetry
from shared.access import reading
from shared.answering.agent.planning import (
    PlanBudget,
    Planned,
    check_planner,
    plan_evidence,
    plan_seconds,
)
from shared.answering.agent.tools import AgentTools
from shared.answering.announcing import with_announced
from shared.answering.asked import demanded_kinds
from shared.answering.composing import ROWS_ELSEWHERE, quoted_answer, unfound_hit, written_answer, written_sentence
from shared.answering.defining import defines
from shared.answering.events import AskEvent, Tell, tell_nobody
from shared.answering.evidence import (
    CHUNKS_READ,
    Sentence,
    weigh_extreme,
    weigh_field,
    weigh_sentences,
    weigh_whole,
    with_told_kinds,
)
from shared.answering.found import FoundEvidence
from shared.answering.lacking import Ground, find_lack
from shared.answering.messages import asked_field, field_of
from shared.answering.paired import named_together, with_each_named
from shared.answering.question import Question
from shared.answering.quoting import (
    QUOTATIONS_MAX,
    asks_nothing_more,
    beginning,
    choose_quotations,
    in_named_sections,
    in_titled_sections,
    with_meeting,
    with_opposites,
)
from shared.answering.sufficiency import Lack, Sufficiency, judge
from shared.answering.widening import suggest_widening
from shared.answering.writing import Written, WrittenSentence, write_answer
from shared.domain.knowledge import Answer, RowsBehind
from shared.domain.scope import Identity
from shared.errors import BadInput
from shared.lexical.query import LexicalQuery, read_query
from shared.plans.quota import one_question
from shared.ports import Answerer
from shared.retrieval.named import named_addresses
from shared.retrieval.previous import of_versions
from shared.retrieval.requests import KNOWLEDGE_BASES_MAX, AskRequest, SearchRequest
from shared.retrieval.rows_behind import FoundBlocks, before_hits, telling_rows
from shared.retrieval.service import embed_query, find, look_behind, read_behind, with_corrections
from shared.retrieval.titled import asked_term
from shared.retrieval.trace import Tracer
from shared.retrieval.vector import EmbeddedQuery
from shared.runtime import Runtime
from shared.store.connect import Connection
from shared.store.knowledge_bases import opened_knowledge_bases
from shared.store.search import answering_chunks, chunk_dates, load_chunks, load_rows


def ask(
    runtime: Runtime, identity: Identity, request: AskRequest, tell: Tell = tell_nobody, typed: str | None = None
) -> Answer:
    """Answers from the chunks of a hybrid search, and tells each step. `typed`: the question before it was made to
    stand alone, for the trace. Raises BadInput (empty question), NotFound (knowledge base), PlanExhausted, where the
    month's answers are used up; with a model BudgetSpent and Unavailable."""
    if not request.question.strip():
        raise BadInput("The question is empty.")
    with one_question(runtime, identity):
        answer = _Asking(runtime, identity, request, tell, typed).answer()
    tell(AskEvent("final", answer.model_dump(mode="json")))
    return answer


class _Asking:
    """One question on its way to its answer."""

    def __init__(
        self, runtime: Runtime, identity: Identity, request: AskRequest, tell: Tell, typed: str | None
    ) -> None:
        self._runtime, self._identity, self._request, self._tell = runtime, identity, request, tell
        self._model = check_planner(runtime.answerer) if request.plan else runtime.answerer
        self._seconds = runtime.answer_seconds
        if tell is tell_nobody:
            self._seconds = min(self._seconds, runtime.silent_answer_seconds)
        self._deadline = time.monotonic() + self._seconds
        self._tracer = Tracer("ask", request.question, request)
        self._behind: FoundBlocks | None = None
        self._rows: RowsBehind | None = None
        if typed is not None:
            self._tracer.body.notes["typed"] = typed

    def answer(self) -> Answer:
        query, words, asked, found = self._search()
        try:
            return self._answer(query, words, asked, found)
        finally:
            # Also of what failed or nobody waited for.
            with self._reading(asked) as connection:
                self._tracer.store(connection, self._identity)

    def _answer(
        self, query: EmbeddedQuery | None, words: LexicalQuery, asked: Sequence[UUID], found: FoundEvidence
    ) -> Answer:
        planned = Planned()
        if self._request.plan and self._model:
            planned, found = self._plan(self._model, asked, found)
        self._tell(AskEvent("hits", {"hits": [hit.model_dump(mode="json") for hit in found.hits]}))
        question, weighed = self._weigh(query, words, found)
        evidence, chosen = self._judge(question, words, weighed, found)
        if self._model is None:
            with telemetry.work("rag.generate", trace_id=self._tracer.id, evidence=len(found.hits)) as span:
                answer = quoted_answer(chosen, found.hits, found.headed(), evidence, asked, self._tracer)
                span.note(sentences=len(answer.sentences))
            for sentence in answer.sentences:
                self._tell(AskEvent("sentence", sentence.model_dump(mode="json")))
        else:
            answer = self._write(self._model, asked, found, evidence, chosen)
            answer = answer.model_copy(update={"usd": answer.usd + planned.usd})
        return self._with_rows(self._dated(self._widened(answer, query, asked), asked))

    def _with_rows(self, answer: Answer) -> Answer:
        """With the rows that are no passages and have words of the question, also those that it does not cite."""
        rows = self._rows_behind()
        if rows is None:
            return answer
        rows = before_hits(rows, [hit for hit in answer.hits if hit.kept_row is None])
        self._tell(AskEvent("rows", rows.model_dump(mode="json")))
        said = f"{answer.answer} {ROWS_ELSEWHERE}" if answer.insufficient_evidence and rows.hits else answer.answer
        return answer.model_copy(update={"answer": said, "rows_behind": rows})

    def _rows_behind(self) -> RowsBehind | None:
        """Read once."""
        found, self._behind = self._behind, None
        if found:
            self._rows = read_behind(self._runtime, found, self._tracer)
        return self._rows

    def _widened(self, answer: Answer, query: EmbeddedQuery | None, asked: Sequence[UUID]) -> Answer:
        """With a suggestion where else to ask, where nothing answers."""
        request = self._request
        if not answer.insufficient_evidence or query is None or request.documents is not None:
            return answer
        with self._tracer.step("suggest_widening"):
            found = suggest_widening(self._runtime, self._identity, request.question, query, asked, self._tracer.id)
        # Whoever reads the trace may not see those that were not asked: they are counted.
        self._tracer.body.notes["widening"] = len(found)
        if found:
            self._tell(AskEvent("widening", {"knowledge_bases": [one.model_dump(mode="json") for one in found]}))
        return answer.model_copy(update={"widening": found})

    def _dated(self, answer: Answer, asked: Sequence[UUID]) -> Answer:
        """With the dates of what contradicts each other."""
        sides = {side.chunk_id for pair in answer.contradictions for side in pair.sides}
        if not sides:
            return answer
        with self._reading(asked) as connection:
            dates = chunk_dates(connection, [*sides])
        pairs = [
            pair.model_copy(
                update={"sides": [s.model_copy(update={"date": dates.get(s.chunk_id)}) for s in pair.sides]}
            )
            for pair in answer.contradictions
        ]
        return answer.model_copy(update={"contradictions": pairs})

    def _reading(self, wished: Sequence[UUID]) -> AbstractContextManager[Connection]:
        return reading(self._runtime, self._identity, wished, newest=KNOWLEDGE_BASES_MAX, snapshot=True)

    def _search(self) -> tuple[EmbeddedQuery | None, LexicalQuery, Sequence[UUID], FoundEvidence]:
        """The question's vector, its words, the knowledge bases that were asked, and what was found in them."""
        request = self._request
        wanted = SearchRequest(
            query=request.question,
            knowledge_base_ids=request.knowledge_base_ids,
            k=request.k,
            documents=request.documents,
            include_superseded=request.include_superseded,
        )
        query = embed_query(self._runtime, wanted, self._tracer)
        with self._reading(request.knowledge_base_ids) as connection:
            asked = opened_knowledge_bases(connection)
            told = {"question": request.question, "knowledge_base_ids": [str(one) for one in asked], "k": request.k}
            # Before the search, so that whoever waits soon sees that something happens.
            self._tell(AskEvent("plan", {**told, "model": self._model and self._model.name}))
            wanted, query = of_versions(connection, wanted, query, self._tracer)
            # A quotation stands beside others of its place; a model reads every hit, and many places tell it more.
            diverse = self._model is not None
            ranked = find(connection, wanted, query, self._tracer, self._runtime.reranker, diverse=diverse)
            self._behind = look_behind(connection, wanted.query, ranked.selection.filters, self._tracer)
            words = read_query(connection, wanted.query)
            found = FoundEvidence.load(connection, ranked.hits, ranked.selection, words.text, self._tracer.naming)
            found = found.knowing_foreign(connection, words, self._tracer.naming)
        return query, words, asked, found.with_rows(telling_rows(self._rows_behind(), found.hits))

    def _plan(self, model: Answerer, asked: Sequence[UUID], first: FoundEvidence) -> tuple[Planned, FoundEvidence]:
        """What a model that plans came upon, in place of what was found at first."""
        rows = self._rows_behind()
        with self._tracer.step("plan_evidence"), telemetry.work("rag.plan", trace_id=self._tracer.id) as span:
            tools = AgentTools(
                self._runtime, self._identity, self._request, asked, self._tracer.id, sees=model.capabilities.images
            )
            budget = PlanBudget(seconds=plan_seconds(self._seconds))
            planned = plan_evidence(
                self._runtime,
                self._identity,
                model,
                self._request.question,
                tools,
                first.hits,
                self._tell,
                budget,
                rows,
            )
            used = {"calls": len(planned.calls), "tools": len(planned.tools), "tokens": planned.tokens}
            span.note(**used, found=len(planned.chunk_ids))
        self._tracer.body.notes["plan"] = planned.note()
        # Read again within the question's scope and documents: whatever ids came of the plan, nothing else is evidence,
        # nor is what people rejected, which a model may have read beside what was found.
        with self._reading(asked) as connection:
            there = load_chunks(connection, list(answering_chunks(connection, planned.chunk_ids)))
            there |= load_rows(connection, [*tools.rows.values()], answering=True)
            known = {hit.chunk.id: hit for hit in first.hits} | tools.rows
            hits = [known.get(one) or unfound_hit(there[one]) for one in planned.chunk_ids if one in there]
            if (pinned := self._request.documents) is not None:
                hits = [hit for hit in hits if hit.chunk.document_id in pinned]
            return planned, FoundEvidence.load(connection, with_corrections(connection, hits[: self._request.k], there))

    def _weigh(
        self, query: EmbeddedQuery | None, words: LexicalQuery, found: FoundEvidence
    ) -> tuple[Question, Sequence[Sentence]]:
        """The question as sentences are compared with it, and these. No connection is held while they are embedded."""
        embedder = self._runtime.embedder
        with self._tracer.step("weigh_sentences"):
            asked_as_meant = query is None or bool(words.corrections)
            vector = embedder.embed_query(words.text) if asked_as_meant else query.vector
            question = Question.read(words, vector, self._tracer.naming)
            question = with_told_kinds(question, found.read(), found.rows, found.printed())
            return question, weigh_sentences(
                question,
                found.read(),
                embedder.embed_passages,
                found.rows,
                found.printed(),
                found.headers,
                found.compared,
                found.questions,
            )

    def _judge(
        self, question: Question, words: LexicalQuery, weighed: Sequence[Sentence], found: FoundEvidence
    ) -> tuple[Sufficiency, Sequence[Sentence]]:
        """Whether this answers, and the sentences to quote."""
        evidence = judge(question, found.hits, weighed, self._tracer.nearest(), found.rows)
        keys = named_addresses(words.text)
        named = in_named_sections(weighed, keys, question.naming)
        titled = [] if named else in_titled_sections(weighed, words.text)
        # The section that the question names is there, whatever it says.
        ground = self._ground(question, words, weighed, found)
        there = bool(named or found.extremes or found.meeting) or ground.counted
        evidence = replace(evidence, enough=evidence.enough or there)
        lack = find_lack(ground, bool(named))
        # No passage says "heaviest", and none how many rows there are: a comparison of rows does.
        compared = (found.extremes and ["not_spoken_of"]) or (found.selected and ["no_value", "not_spoken_of"]) or []
        if lack and lack.reason not in compared:
            evidence = evidence.without(lack)
        # Who the chair is is told by a name, not by what the chair is.
        says = defines("" if "person" in question.kinds else asked_term(words.text))
        demanded, chosen = question.told or bool(demanded_kinds(words.text)), list[Sentence]()
        # What a section says stands at its beginning, but for a value that is asked for.
        if evidence.enough and ((titled and not demanded) or (named and asks_nothing_more(question, keys))):
            chosen = beginning(named or titled, says)
        elif evidence.enough and found.extremes:
            chosen = self._compared(question, found)
        elif evidence.enough and lack:
            chosen = [s for s in weighed if s.met and s.meant and s.meant.whole][:1]
        elif evidence.enough:
            codes = () if named else question.codes
            chosen = choose_quotations(
                named or titled or weighed, codes, demanded=demanded, answering=ground.answering, says=says
            )
            if chosen and (things := named_together(words.text)):
                chosen = with_each_named(question, things, chosen, weighed)
        if not chosen and not evidence.lack and question.limit and any(one.met is False for one in weighed):
            evidence = evidence.without(Lack("no_value", (question.limit.written,)))
        chosen = self._headed(words, question, chosen, weighed, found) if chosen else []
        if chosen:
            embed = self._runtime.embedder.embed_passages
            chosen = with_meeting(chosen, weighed)
            chosen = with_opposites(with_announced(question, chosen, found, embed), weighed)
        self._note(evidence, question, weighed, found)
        return evidence, chosen

    def _note(
        self, evidence: Sufficiency, question: Question, weighed: Sequence[Sentence], found: FoundEvidence
    ) -> None:
        """Notes and tells what was judged, and by what."""
        self._tracer.body.notes["evidence"] = {
            **{name: value for name, value in vars(evidence).items() if name != "lack"},
            "lack": evidence.lack and [evidence.lack.reason, *evidence.lack.words],
            "kinds": sorted(question.kinds),
            "codes": sorted(question.codes),
            "sentences": len(weighed),
        }
        told = {"confidence": round(evidence.confidence, 3), "enough": evidence.enough}
        read = [str(hit.chunk.id) for hit in found.hits[:CHUNKS_READ]]
        self._tell(AskEvent("evidence", {**told, "chunk_ids": read}))

    def _headed(
        self, words: LexicalQuery, question: Question, chosen: Sequence[Sentence], weighed: Sequence[Sentence],
        found: FoundEvidence,
    ) -> Sequence[Sentence]:  # fmt: skip
        """Where it is asked who wrote a message, or when: the field of the header that tells it, of the message that
        the first statement is of, and what that says."""
        header, name = found.header_of(chosen[0].hit), asked_field(words.text)
        if header is None or not (text := field_of(header, name)):
            return self._released(question, chosen, found)
        field = weigh_field(question, header, text, self._runtime.embedder.embed_passages)
        said = [one for one in weighed if found.header_of(one.hit) is header and one.hit.chunk.id != header.chunk.id]
        further = [one for one in chosen if one.hit.chunk.id != header.chunk.id and one not in said[:1]]
        return [field, *said[:1], *further][:QUOTATIONS_MAX]

    def _compared(self, question: Question, found: FoundEvidence) -> list[Sentence]:
        """Of each table the row that has the most or the least."""
        embed = self._runtime.embedder.embed_passages
        return [
            weigh_extreme(question, hit, found.rows[hit.chunk.id], extreme, embed)
            for hit, extreme in found.extremes[:QUOTATIONS_MAX]
        ]

    def _released(self, question: Question, chosen: Sequence[Sentence], found: FoundEvidence) -> Sequence[Sentence]:
        """Where it is asked in which release something changed: the title of the first
        statement's, and the statement."""
        title = found.releases.get(chosen[0].hit.chunk.id)
        if title is None or any(one.hit.chunk.id == title.chunk.id for one in chosen):
            return chosen
        return [weigh_whole(question, title, self._runtime.embedder.embed_passages), *chosen][:QUOTATIONS_MAX]

    def _ground(
        self, question: Question, words: LexicalQuery, weighed: Sequence[Sentence], found: FoundEvidence
    ) -> Ground:
        return Ground(
            words=words,
            nearest=self._tracer.nearest(),
            hits=found.hits,
            weighed=weighed,
            rows=found.rows,
            tables=found.printed(),
            naming=self._tracer.naming,
            known=self._tracer.having,
            pinned=self._request.documents is not None,
            planned=self._request.plan,
            properties=question.properties,
            codes=question.codes,
            told=question.told,
            headers=found.headers,
        )

    def _write(
        self,
        model: Answerer,
        asked: Sequence[UUID],
        found: FoundEvidence,
        evidence: Sufficiency,
        chosen: Sequence[Sentence],
    ) -> Answer:
        """What a model writes from this evidence; it is not asked where there is not enough."""
        headed, written = found.headed(), Written()

        def tell_sentence(one: WrittenSentence) -> None:
            self._tell(AskEvent("sentence", written_sentence(one, headed).model_dump(mode="json")))

        if evidence.enough:
            measured = telemetry.work("rag.generate", trace_id=self._tracer.id, evidence=len(found.hits))
            with self._tracer.step("write_answer"), measured as span:
                written = write_answer(
                    self._runtime, self._identity, model, self._request.question, found.hits, found.rows,
                    tell_sentence, self._deadline,
                )  # fmt: skip
                span.note(sentences=len(written.sentences))
        self._tracer.body.notes["model"] = written.note(model.name)
        empty = quoted_answer([], found.hits, headed, evidence, asked, self._tracer)
        return written_answer(empty, written, chosen, headed, asked, model.name, evidence.lack)
