"""Measures one gold question: searches every index, and asks for an answer if wanted."""

from collections.abc import Callable, Sequence
from uuid import UUID

from shared.access import reading
from shared.answering.service import ask
from shared.domain.evaluation import GoldInput, GoldPlace, IndexResult, Measured, Parameters, QuestionResult
from shared.domain.knowledge import Hit
from shared.domain.scope import Identity
from shared.errors import BadInput
from shared.evaluation.claims import measure_claim
from shared.evaluation.places import Documents, distinct, place_hits
from shared.library.document_names import DocumentNames
from shared.retrieval.requests import AskRequest, LookupRequest, SearchRequest
from shared.retrieval.service import embed_query, run_lookup, run_search
from shared.retrieval.trace import Tracer
from shared.retrieval.vector import EmbeddedQuery
from shared.runtime import Runtime

Embed = Callable[[Runtime, SearchRequest, Tracer], EmbeddedQuery | None]


class Measurer:
    """Measures questions in one knowledge base. Its searches are not stored in the retrieval log, as no user made
    them. `embed` makes the queries' vectors, by default as every search does."""

    def __init__(
        self, runtime: Runtime, identity: Identity, knowledge_base_id: UUID, parameters: Parameters, asks: bool,
        documents: DocumentNames, embed: Embed = embed_query,
    ) -> None:  # fmt: skip
        self._runtime, self._identity, self._base = runtime, identity, knowledge_base_id
        self._parameters, self._asks, self._documents, self._embed = parameters, asks, documents, embed

    def measure(self, question: GoldInput) -> QuestionResult:
        """Measures a question, also one whose documents are missing here: their places are then not found."""
        named = self._documents.resolve(question)
        if self._parameters.skip_missing:
            there = [place for place in question.expected if named[place.document]]
            question = question.model_copy(update={"expected": there})
        if question.attribute is None:
            question = question.model_copy(update={"expected": distinct(question.expected, question.level, named)})
        result = QuestionResult(
            key=question.key,
            question=question.question,
            kind=question.kind,
            level=question.level,
            pin=question.pin,
            expected=[label_of(place) for place in question.expected[:LABELS_MAX]],
            grades=[place.grade for place in question.expected],
            missing=[name for name, ids in named.items() if not ids],
        )
        if self._parameters.skip_missing and (not question.expected or result.pin in result.missing):
            result.skipped = question.kind == "answerable"
        if result.skipped:
            return result
        if question.attribute is not None:
            with reading(self._runtime, self._identity, [self._base], snapshot=True) as connection:
                result.attribute = measure_claim(connection, question, named)
            return result
        if question.kind == "answerable":
            for index in self._parameters.indexes:
                result.indexes[index] = self._place(question, index, named)
        if self._asks and question.pin is None:
            answer = ask(self._runtime, self._identity, self._ask_request(question))
            result.refused, result.confidence = answer.insufficient_evidence, answer.confidence
        return result

    def _place(self, question: GoldInput, index: Measured, named: Documents) -> IndexResult:
        pinned = None if question.pin is None else sorted(named[question.pin])
        if pinned == []:
            return place_hits([], question.expected, question.level, named)
        hits = self._look_up(question, pinned) if index == "lookup" else self._search(question, index, pinned)
        return place_hits(hits, question.expected, question.level, named)

    def _search(self, question: GoldInput, index: Measured, pinned: list[UUID] | None) -> Sequence[Hit]:
        request = SearchRequest.model_validate(
            {
                "query": question.question,
                "index": index,
                "k": self._parameters.depth,
                "documents": pinned,
                "knowledge_base_ids": [self._base],
            }
        )
        tracer = Tracer("search", request.query, request)
        query = self._embed(self._runtime, request, tracer)
        with reading(self._runtime, self._identity, [self._base], snapshot=True) as connection:
            return run_search(connection, request, query, tracer, self._runtime.reranker)

    def _look_up(self, question: GoldInput, pinned: list[UUID] | None) -> Sequence[Hit]:
        """Looks up a question that is an address; any other question finds nothing."""
        if len(question.question) > ADDRESS_MAX:
            return []
        request = LookupRequest(address=question.question, documents=pinned, knowledge_base_ids=[self._base])
        tracer = Tracer("lookup", request.address, request)
        with reading(self._runtime, self._identity, [self._base], snapshot=True) as connection:
            try:
                _, hits = run_lookup(connection, request, tracer)
            except BadInput:
                return []
        return hits[: self._parameters.depth]

    def _ask_request(self, question: GoldInput) -> AskRequest:
        return AskRequest(question=question.question, knowledge_base_ids=[self._base])


LABELS_MAX = 20
ADDRESS_MAX = 200


def label_of(place: GoldPlace) -> str:
    """`rules.pdf, page 7: “the rear wing”`."""
    page = f", page {place.page}" if place.page else ""
    quote = f": “{' '.join(place.quote.split())[:120]}”" if place.quote else ""
    return f"{place.document}{page}{quote}"
