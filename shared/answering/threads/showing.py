"""What of stored answers whoever reads may see now. Of what is gone or hidden from them nothing is told but that."""

from collections.abc import Collection, Sequence
from uuid import UUID

from shared.answering.threads.shapes import Feedback, ShownAnswer, ShownSentence, ThreadAnswer, ThreadMessage, scope_of
from shared.domain.knowledge import Answer, Hit
from shared.store import threads as rows
from shared.store.connect import Connection, Row


def stored_form(answer: Answer) -> tuple[dict[str, object], set[UUID]]:
    """An answer as it is kept, without the hits that it does not cite; and the documents that it quotes."""
    kept = answer.model_copy(update={"hits": answer.citations})
    return kept.model_dump(mode="json"), {hit.document.id for hit in answer.citations}


def shown_messages(connection: Connection, messages: Sequence[Row], answers: Sequence[Row]) -> list[ThreadMessage]:
    """Messages with their answers, as far as the open scope sees what these cite."""
    stored = [(row, ShownAnswer.model_validate(row["answer"])) for row in answers]
    chunks = {chunk for _, answer in stored for chunk in _chunks(answer)}
    notes = {note.id for _, answer in stored for hit in answer.citations for note in hit.corrected_by}
    seen = rows.visible(connection, chunks, notes) if chunks else set[UUID]()
    by_message: dict[UUID, list[ThreadAnswer]] = {}
    for row, answer in stored:
        said = Feedback(**{name: row[name] for name in Feedback.model_fields}) if row["verdict"] else None
        shown = ThreadAnswer(id=row["id"], answer=as_seen(answer, seen), feedback=said, created_at=row["created_at"])
        by_message.setdefault(row["message_id"], []).append(shown)
    return [
        ThreadMessage(**row | {"scope": scope_of(row["scope"]), "answers": by_message.get(row["id"], [])})
        for row in messages
    ]


def as_seen(answer: ShownAnswer, seen: Collection[UUID]) -> ShownAnswer:
    """The answer for somebody who sees these chunks and notes."""
    sentences = [_sentence(one, seen) for one in answer.sentences]
    cited = dict.fromkeys(chunk for one in answer.sentences for chunk in one.citations)
    whole = not any(one.no_longer_visible for one in sentences)
    hits = [_hit(hit, seen) for hit in answer.citations if hit.chunk.id in seen]
    return answer.model_copy(
        update={
            "answer": answer.answer if whole else " ".join(one.text for one in sentences if one.text),
            "sentences": sentences,
            "citations": hits,
            "hits": hits,
            "no_longer_visible": [chunk for chunk in cited if chunk not in seen],
        }
    )


def _chunks(answer: ShownAnswer) -> set[UUID]:
    cited = {chunk for one in answer.sentences for chunk in one.citations}
    return cited | {place.chunk_id for hit in answer.citations for place in hit.other_places}


def _sentence(sentence: ShownSentence, seen: Collection[UUID]) -> ShownSentence:
    if all(chunk in seen for chunk in sentence.citations):
        return sentence
    return ShownSentence(text="", citations=sentence.citations, no_longer_visible=True)


def _hit(hit: Hit, seen: Collection[UUID]) -> Hit:
    places = [place for place in hit.other_places if place.chunk_id in seen]
    notes = [note for note in hit.corrected_by if note.id in seen]
    return hit.model_copy(update={"other_places": places, "corrected_by": notes})
