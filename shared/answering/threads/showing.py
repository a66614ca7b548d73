"""What of stored answers whoever reads may see now. Of what is gone or hidden from them nothing is told but that."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from shared.answering.threads.shapes import AskedMessage, Feedback, ShownAnswer, ShownSentence, ThreadAnswer, scope_of
from shared.domain.knowledge import Answer, CorrectingNote
from shared.store import threads as rows
from shared.store.connect import Connection, Row
from shared.store.posted import corrections_of_chunks
from shared.store.search import load_rows


def stored_form(answer: Answer) -> tuple[dict[str, object], set[UUID]]:
    """An answer as it is kept, without the hits that it does not cite, rows that it does not quote, and what speaks of
    other documents; and the documents that it quotes."""
    own = [hit.model_copy(update={"other_places": [], "corrected_by": []}) for hit in answer.citations]
    kept = answer.model_copy(update={"hits": own, "citations": own, "widening": [], "rows_behind": None})
    return kept.model_dump(mode="json"), {hit.document.id for hit in answer.citations}


def shown_messages(connection: Connection, messages: Sequence[Row], answers: Sequence[Row]) -> list[AskedMessage]:
    """Messages with their answers, as far as the open scope sees what these cite."""
    stored = [(row, ShownAnswer.model_validate(row["answer"])) for row in answers]
    seen = seen_of(connection, [answer for _, answer in stored])
    corrected = corrections_of_chunks(connection, seen) if seen else {}
    by_message: dict[UUID, list[ThreadAnswer]] = {}
    for row, answer in stored:
        said = Feedback(**{name: row[name] for name in Feedback.model_fields}) if row["verdict"] else None
        shown = ThreadAnswer(
            id=row["id"], answer=_as_seen(answer, seen, corrected), feedback=said, created_at=row["created_at"]
        )
        by_message.setdefault(row["message_id"], []).append(shown)
    return [
        AskedMessage(**row | {"scope": scope_of(row["scope"]), "answers": by_message.get(row["id"], [])})
        for row in messages
    ]


def seen_of(connection: Connection, answers: Sequence[ShownAnswer]) -> set[UUID]:
    """What of that which answers cite is there and may be read: chunks, and rows of long tables that are none."""
    chunks = {chunk for answer in answers for one in answer.sentences for chunk in one.citations}
    seen = rows.visible(connection, chunks) if chunks else set[UUID]()
    return seen | load_rows(connection, [hit for answer in answers for hit in answer.citations]).keys()


def _as_seen(
    answer: ShownAnswer, seen: Collection[UUID], corrected: Mapping[UUID, list[CorrectingNote]]
) -> ShownAnswer:
    """The answer for somebody who sees these chunks; and what was noted since against them."""
    sentences = [_sentence(one, seen) for one in answer.sentences]
    cited = dict.fromkeys(chunk for one in answer.sentences for chunk in one.citations)
    hits = [
        hit.model_copy(update={"corrected_by": corrected.get(hit.chunk.id, [])})
        for hit in answer.citations
        if hit.chunk.id in seen
    ]
    whole = not any(one.no_longer_visible for one in sentences)
    return answer.model_copy(
        update={
            "answer": answer.answer if whole else " ".join(one.text for one in sentences if one.text),
            "sentences": sentences,
            "citations": hits,
            "hits": hits,
            "contradictions": [
                one if all(side.chunk_id in seen for side in one.sides) else one.model_copy(update={"sides": []})
                for one in answer.contradictions
            ],
            "no_longer_visible": [chunk for chunk in cited if chunk not in seen],
        }
    )


def _sentence(sentence: ShownSentence, seen: Collection[UUID]) -> ShownSentence:
    if all(chunk in seen for chunk in sentence.citations):
        return sentence
    return ShownSentence(text="", citations=sentence.citations, no_longer_visible=True)
