"""What askers said of answers: an editor confirms it as gold, or rejects it."""

from uuid import UUID

from shared.access import changing, check_knowledge_base
from shared.domain.evaluation import CandidateConfirmation, CandidatePassage, GoldCandidate, GoldQuestion, NewGold
from shared.domain.scope import Identity
from shared.errors import BadInput, NotFound
from shared.evaluation.gold import put_new_gold
from shared.runtime import Runtime
from shared.store import candidates as rows
from shared.store.audit import note
from shared.store.connect import Connection
from shared.store.evaluation import places_of_chunks

SOURCE = "feedback"


def list_candidates(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, after: UUID | None, limit: int
) -> list[GoldCandidate]:
    """Oldest first, from behind `after`. Raises NotFound, and Forbidden for whoever may not change the knowledge
    base."""
    with changing(runtime, identity, [knowledge_base_id]) as connection:
        found = rows.list_candidates(connection, knowledge_base_id, after, limit)
        places = places_of_chunks(connection, knowledge_base_id, {one for each in found for one in each.chunk_ids})
    passages = {
        chunk: CandidatePassage(
            chunk_id=chunk,
            document_id=row["document_id"],
            document=row["name"],
            page=row["first_page"],
            content=row["content"],
        )
        for chunk, row in places.items()
    }
    return [
        one.model_copy(update={"passages": [passages[chunk] for chunk in one.chunk_ids if chunk in passages]})
        for one in found
    ]


def confirm_candidate(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, candidate_id: UUID, wanted: CandidateConfirmation
) -> GoldQuestion:
    """Makes gold of it. Raises NotFound, Conflict as gold does, BadInput where nobody said what answers it."""
    with changing(runtime, identity) as connection:
        found = _take(connection, knowledge_base_id, candidate_id)
        cited = wanted.chunk_ids
        if cited is None and wanted.kind == "answerable":
            if found.verdict != "right":
                raise BadInput("The answer was not right: say which chunks answer the question, or call it negative.")
            cited = found.chunk_ids
        question = wanted.question or found.question
        new = NewGold(question=question, kind=wanted.kind, chunk_ids=cited or [], answer=wanted.answer)
        return put_new_gold(connection, identity, knowledge_base_id, new, SOURCE)


def reject_candidate(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, candidate_id: UUID) -> None:
    """Raises NotFound."""
    with changing(runtime, identity) as connection:
        _take(connection, knowledge_base_id, candidate_id)
        note(connection, identity, "candidate.reject", candidate_id, knowledge_base_id)


def _take(connection: Connection, knowledge_base_id: UUID, candidate_id: UUID) -> GoldCandidate:
    check_knowledge_base(connection, knowledge_base_id)
    found = rows.take_candidate(connection, knowledge_base_id, candidate_id)
    if found is None:
        raise NotFound(f"There is no candidate {candidate_id} in this knowledge base. List those there are.")
    return found
