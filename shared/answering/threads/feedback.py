"""What an asker says of an answer. Who keeps the gold of the knowledge bases that it cites is told so."""

from uuid import UUID

from shared.access import reading
from shared.answering.threads.service import find_thread, require_person
from shared.answering.threads.shapes import NewFeedback, ShownAnswer, scope_of
from shared.answering.threads.showing import seen_of
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.runtime import Runtime
from shared.store import candidates
from shared.store import threads as rows
from shared.store.connect import Connection, Row
from shared.store.knowledge_bases import opened_knowledge_bases


def judge_answer(
    runtime: Runtime, identity: Identity, thread_id: UUID, answer_id: UUID, said: NewFeedback
) -> NewFeedback:
    """Keeps what is said now in place of what was. Raises NotFound."""
    require_person(identity)
    with reading(runtime, identity) as connection:
        find_thread(connection, thread_id)
        found = rows.get_answer(connection, thread_id, answer_id)
        if found is None:
            raise NotFound(f"There is no answer {answer_id} in this conversation.")
        kept = said if said.verdict else NewFeedback(verdict=None)
        rows.judge_answer(connection, answer_id, kept.verdict, kept.note)
        candidates.withdraw_candidates(connection, answer_id)
        if kept.verdict is not None:
            row = {"answer_id": answer_id, "question": found["question"], "verdict": kept.verdict, "note": kept.note}
            for base, chunks in _concerned(connection, found).items():
                candidates.put_candidate(connection, identity, base, row, chunks)
    return kept


def _concerned(connection: Connection, found: Row) -> dict[UUID, list[UUID]]:
    """The chunks that the answer cites, by knowledge base; none of one of which it cites rows alone that are no chunks.
    One that cites nothing concerns what was asked, where that is one knowledge base."""
    answer, concerned = ShownAnswer.model_validate(found["answer"]), dict[UUID, list[UUID]]()
    seen = seen_of(connection, [answer])
    for hit in answer.citations:
        if hit.chunk.id in seen:
            chunks = concerned.setdefault(hit.chunk.knowledge_base_id, [])
            chunks += [] if hit.kept_row else [hit.chunk.id]
    if answer.citations:
        return concerned
    opened = opened_knowledge_bases(connection)
    asked = [base for base in scope_of(found["scope"]).knowledge_base_ids or opened if base in opened]
    return {asked[0]: []} if len(asked) == 1 else {}
