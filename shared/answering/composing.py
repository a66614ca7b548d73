"""Answers as they are given: statements with their citations, from quotations or from what a model wrote."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal
from uuid import UUID

from shared.answering.contradictions import Clash
from shared.answering.evidence import CHUNKS_READ, Sentence
from shared.answering.links import WRITTEN_IN_MARKDOWN, link_marks
from shared.answering.quoting import disagreements
from shared.answering.rows import AnsweringCell
from shared.answering.writing import Written, WrittenSentence
from shared.domain.knowledge import (
    Answer,
    AnswerSentence,
    ConflictSide,
    Contradiction,
    Hit,
    Insufficiency,
    QuotedCell,
)
from shared.retrieval.trace import Tracer
from shared.store.search import FoundChunk

INSUFFICIENT = (
    "Found nothing that answers: no passage has the rarer words of the question, and none comes near its meaning."
)


UNWRITTEN: Final[Mapping[Literal["nothing_found", "model_declined", "not_borne_out"], str]] = MappingProxyType({
    "nothing_found": INSUFFICIENT,
    "model_declined": "Found nothing that answers: the model read no answer in the passages that come nearest.",
    "not_borne_out": "Found nothing that answers: what the model wrote is not borne out by the passages that it cites.",
})  # fmt: skip


def written_answer(
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
    sentences = [written_sentence(one, headed) for one in written.sentences]
    pairs = list[Contradiction]()
    for one, other, difference in disagreements(quoted):
        places = [_place(sentences, quoted[at]) for at in (one, other)]
        if places[0] is None and places[1] is None:
            continue
        for at, quotation in enumerate((quoted[one], quoted[other])):
            if places[at] is None:
                sentences.append(_quoted(quotation, headed))
                places[at] = len(sentences) - 1
        if places[0] is not None and places[1] is not None and places[0] != places[1]:
            pairs.append(_contradiction((places[0], places[1]), (quoted[one], quoted[other]), difference))
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


def written_sentence(one: WrittenSentence, headed: Mapping[UUID, Hit]) -> AnswerSentence:
    tables = [headed[chunk].chunk.id for chunk in one.citations if chunk in headed]
    return AnswerSentence(text=one.text, citations=list(dict.fromkeys([*one.citations, *tables])))


def unfound_hit(table: FoundChunk) -> Hit:
    """A chunk as a hit that no index found: a cited row's table, for its column names; or what a plan came upon."""
    return Hit(chunk=table.chunk, document=table.document, version=table.version, score=0.0, indexes=[])


def quoted_answer(
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
        contradictions=[
            _contradiction((one, other), (chosen[one], chosen[other]), difference)
            for one, other, difference in disagreements(chosen)
        ],
        confidence=round(confidence, 3),
        trace_id=tracer.id,
        corrections=tracer.corrections,
    )


def _contradiction(places: tuple[int, int], statements: tuple[Sentence, Sentence], difference: Clash) -> Contradiction:
    spans = (difference.one, difference.other)
    sides = [_side(*one) for one in zip(places, statements, spans, strict=True)]
    hits = [one.hit for one in statements]
    names = {hit.version.logical_document_name if hit.version else hit.document.name for hit in hits}
    if hits[0].document.id == hits[1].document.id:
        between = "places"
    elif len(names) == 1 and hits[0].version and hits[1].version and hits[0].version.index != hits[1].version.index:
        between = "versions"
        sides.sort(key=lambda side: side.version.index if side.version else 0)
    else:
        between = "documents"
    first, second = sorted(places)
    return Contradiction(sentences=(first, second), kind=difference.kind, between=between, sides=sides)


def _side(place: int, statement: Sentence, span: tuple[int, int] | None) -> ConflictSide:
    hit = statement.hit
    value = statement.text[slice(*span)] if span else None
    return ConflictSide(
        sentence=place, value=value, chunk_id=hit.chunk.id, document=hit.document, version=hit.version
    )  # fmt: skip


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
