"""Rows of what askers said of answers, which may become gold."""

from collections.abc import Sequence
from uuid import UUID

from shared.domain.evaluation import GoldCandidate
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.store.connect import Connection, Row
from shared.store.edits import name_of
from shared.store.named_queries import load_queries

_SQL = load_queries("candidates")


def put_candidate(
    connection: Connection, identity: Identity, knowledge_base_id: UUID, row: Row, chunk_ids: Sequence[UUID]
) -> None:
    """`row` has answer_id, question, verdict and note; said again of an answer, it is replaced."""
    own = {
        "organization_id": identity.organization_id,
        "knowledge_base_id": knowledge_base_id,
        "id": new_id(),
        "author_id": identity.user_id,
        "author": name_of(connection, identity),
        "chunk_ids": list(chunk_ids),
    }
    connection.execute(_SQL["put_candidate"], row | own)


def withdraw_candidates(connection: Connection, answer_id: UUID) -> None:
    """Of the scope's own user, in every knowledge base of the organization, whether or not they see it now."""
    connection.execute(_SQL["withdraw_candidates"], {"answer_id": answer_id})


def list_candidates(
    connection: Connection, knowledge_base_id: UUID, after: UUID | None, limit: int
) -> list[GoldCandidate]:
    """Oldest first, from behind `after`."""
    values = {"knowledge_base_id": knowledge_base_id, "after": after, "limit": limit}
    rows = connection.execute(_SQL["list_candidates"], values).fetchall()
    return [GoldCandidate.model_validate(row) for row in rows]


def take_candidate(connection: Connection, knowledge_base_id: UUID, candidate_id: UUID) -> GoldCandidate | None:
    """Removes it; None where there is none."""
    values = {"knowledge_base_id": knowledge_base_id, "id": candidate_id}
    row = connection.execute(_SQL["take_candidate"], values).fetchone()
    return GoldCandidate.model_validate(row) if row else None
