"""Answers as they are given: statements with their citations, from quotations or from what a model wrote."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from shared.answering.contradictions import Clash
from shared.answering.evidence import CHUNKS_READ, Sentence
from shared.answering.links import WRITTEN_IN_MARKDOWN, link_marks
from shared.answering.quoting import disagreements
from shared.answering.referring import with_referent
from shared.answering.rows import AnsweringCell
from shared.answering.sufficiency import Lack, Sufficiency
from shared.answering.writing import Written, WrittenSentence
from shared.domain.knowledge import (
    Answer,
    AnswerSentence,
    ConflictSide,
    Contradiction,
    Hit,
    Insufficiency,
    QuotedCell,
    RowsMeeting,
)
from shared.retrieval.trace import Tracer
from shared.store.search import FoundChunk
from shared.values.hyphenation import printed_once

NOTHING = "Found nothing that answers: "
ROWS_ELSEWHERE: Final = "Rows of a long table that are no passages have words of it: a search lists them."
UNWRITTEN: Final[Mapping[str, str]] = MappingProxyType({
    "nothing_there": "there is no document to read: none was added, or none is ready or approved yet.",
    "not_named": "no passage names {words}.",
    "other_period": "the passages that come nearest are not of {words}.",
    "no_value": "no passage that comes near gives such a value ({words}).",
    "not_spoken_of": "no passage speaks of this ({words}).",
    "nothing_found": "no passage has the rarer words of the question, and none comes near its meaning.",
    "model_declined": "the model read no answer in the passages that come nearest.",
    "not_borne_out": "what the model wrote is not borne out by the passages that it cites.",
})  # fmt: skip
# `1912.01214` is a number of another kind.
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d|\.\d)")


def insufficient_text(lacking: Insufficiency, hits: Sequence[Hit]) -> str:
    """Why nothing answers, as a sentence. Where a year is asked for, with those that the nearest documents' names
    have."""
    said = NOTHING + UNWRITTEN[lacking.reason].format(words=" or ".join(lacking.missing))
    if not any(_YEAR.fullmatch(word) for word in lacking.missing):
        return said
    years = sorted({year for hit in hits[:CHUNKS_READ] for year in _YEAR.findall(hit.document.name)})
    return f"{said} The documents that come nearest are of {', '.join(years)}." if years else said


def insufficiency_of(lack: Lack | None, hits: Sequence[Hit], searched: Sequence[UUID]) -> Insufficiency:
    """What was found lacking before anything was quoted or a model was asked."""
    lack = lack or Lack("nothing_found")
    nearest = [hit.chunk.id for hit in hits[:CHUNKS_READ]]
    return Insufficiency(reason=lack.reason, missing=[*lack.words], searched=[*searched], nearest=nearest)


def written_answer(
    empty: Answer,
    written: Written,
    quoted: Sequence[Sentence],
    headed: Mapping[UUID, Hit],
    searched: Sequence[UUID],
    model: str,
    lack: Lack | None = None,
) -> Answer:
    """The answer that a model wrote, in place of the `empty` one. Where what it cites disagrees with another passage,
    that one is quoted beside it."""
    named: dict[str, Any] = {"mode": "answer", "model": model, "usd": written.usd}
    if not written.sentences:
        lacking = insufficiency_of(lack, empty.hits, searched)
        if written.calls:
            why = "model_declined" if written.declined else "not_borne_out"
            lacking = lacking.model_copy(update={"reason": why, "missing": []})
        text = insufficient_text(lacking, empty.hits)
        return empty.model_copy(update={**named, "answer": text, "insufficiency": lacking})
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
    return empty.model_copy(
        update={
            **named,
            "answer": " ".join(s.text for s in sentences),
            "sentences": sentences,
            "citations": _cited(sentences, [*headed.values(), *(one.hit for one in quoted), *empty.hits]),
            "insufficient_evidence": False,
            "insufficiency": None,
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
    chosen: Sequence[Sentence],
    hits: Sequence[Hit],
    headed: Mapping[UUID, Hit],
    evidence: Sufficiency,
    searched: Sequence[UUID],
    tracer: Tracer,
) -> Answer:
    """Builds the answer; a sentence that is a table row cites the row and then the table."""
    lacking = None if chosen else insufficiency_of(evidence.lack, hits, searched)
    sentences = [_quoted(s, headed, chosen) for s in chosen]
    return Answer(
        answer=" ".join(s.text for s in sentences) or (insufficient_text(lacking, hits) if lacking else ""),
        sentences=sentences,
        citations=_cited(sentences, [*headed.values(), *(s.hit for s in chosen), *hits]),
        hits=list(hits),
        insufficient_evidence=not chosen,
        insufficiency=lacking,
        contradictions=[
            _contradiction((one, other), (chosen[one], chosen[other]), difference)
            for one, other, difference in disagreements(chosen)
        ],
        confidence=round(evidence.confidence, 3),
        trace_id=tracer.id,
        corrections=tracer.corrections,
    )


def _cited(sentences: Sequence[AnswerSentence], hits: Sequence[Hit]) -> list[Hit]:
    """In the order in which they are cited, so that a reader meets them as 1, 2, 3; of a chunk the last hit."""
    there = {hit.chunk.id: hit for hit in hits}
    return [there[one] for one in dict.fromkeys(chunk for s in sentences for chunk in s.citations) if one in there]


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


def _quoted(sentence: Sentence, headed: Mapping[UUID, Hit], chosen: Sequence[Sentence] = ()) -> AnswerSentence:
    linked = sentence.hit.document.source_type in WRITTEN_IN_MARKDOWN
    text, begins = with_referent(sentence, chosen)
    hidden = link_marks(text) if linked else []
    values = [(a + begins, b + begins) for a, b in sentence.values]
    return AnswerSentence(
        text=text,
        citations=_citations(sentence, headed),
        marks=[(a, b) for a, b in values if not any(start < b and a < end for start, end in hidden)],
        hidden=hidden,
        cells=[_quoted_cell(cell, linked) for cell in sentence.cells],
        compared=sentence.compared,
        meeting=RowsMeeting.model_validate(sentence.meeting._asdict()) if sentence.meeting else None,
        listed=sentence.listed,
    )


def _quoted_cell(cell: AnsweringCell, linked: bool) -> QuotedCell:
    hidden = link_marks(cell.value) if linked else []
    return QuotedCell(label=printed_once(cell.label), value=cell.value, answers=cell.answers, hidden=hidden)


def _citations(sentence: Sentence, headed: Mapping[UUID, Hit]) -> list[UUID]:
    row = sentence.hit.chunk.id
    return [row, headed[row].chunk.id] if row in headed else [row]
