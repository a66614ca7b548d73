"""Rows of gold questions, and the documents that their places are resolved against."""

from collections.abc import Collection, Sequence
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.evaluation import GoldInput, GoldQuestion
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.store.connect import Connection, Row
from shared.store.edits import name_of
from shared.store.named_queries import load_queries

_SQL = load_queries("evaluation")


def lock_gold(connection: Connection, knowledge_base_id: UUID) -> None:
    """Locks the knowledge base's gold until the transaction ends: a new key has no row yet that could be locked."""
    connection.execute(_SQL["lock_gold"], {"knowledge_base_id": str(knowledge_base_id)})


def put_gold(
    connection: Connection, identity: Identity, knowledge_base_id: UUID, questions: Sequence[GoldInput], source: str
) -> list[GoldQuestion]:
    """Adds questions in their order; a question whose key exists gets the new places and answer."""
    owner = {
        "organization_id": identity.organization_id,
        "knowledge_base_id": knowledge_base_id,
        "author_id": identity.user_id,
        "author": name_of(connection, identity),
        "source": source,
    }
    # Ids created within one millisecond are not in the order of their creation.
    ids = sorted(new_id() for _ in questions)
    return [_put(connection, owner | {"id": i}, question) for i, question in zip(ids, questions, strict=True)]


def _put(connection: Connection, owner: Row, question: GoldInput) -> GoldQuestion:
    values = owner | question.model_dump() | {"key": question.key, "expected": _places(question)}
    return GoldQuestion.model_validate(connection.execute(_SQL["put_gold"], values).fetchone())


def gold_by_key(connection: Connection, knowledge_base_id: UUID, keys: Collection[str]) -> dict[str, GoldInput]:
    """Those of the keys that exist, locked against deletion."""
    values = {"knowledge_base_id": knowledge_base_id, "keys": list(keys)}
    return {row["key"]: _input(row) for row in connection.execute(_SQL["gold_by_key"], values).fetchall()}


def list_gold(connection: Connection, knowledge_base_id: UUID, after: UUID | None, limit: int) -> list[GoldQuestion]:
    """Questions, oldest first, after the one with id `after`."""
    values = {"knowledge_base_id": knowledge_base_id, "after": after, "limit": limit}
    return [GoldQuestion.model_validate(row) for row in connection.execute(_SQL["list_gold"], values).fetchall()]


def replace_gold(connection: Connection, knowledge_base_id: UUID, gold_id: UUID, question: GoldInput) -> None:
    """Replaces the question's places and pin; does nothing where another question has the key that it would get."""
    values = {"knowledge_base_id": knowledge_base_id, "id": gold_id, "key": question.key}
    connection.execute(_SQL["replace_gold"], values | {"expected": _places(question), "pin": question.pin})


def count_gold(connection: Connection, knowledge_base_id: UUID) -> int:
    row = connection.execute(_SQL["count_gold"], {"knowledge_base_id": knowledge_base_id}).fetchone()
    return int((row or {})["questions"])


def delete_gold(connection: Connection, knowledge_base_id: UUID, gold_id: UUID) -> bool:
    """Returns whether there was one to delete."""
    return (
        connection.execute(_SQL["delete_gold"], {"knowledge_base_id": knowledge_base_id, "id": gold_id}).rowcount == 1
    )


def named_documents(connection: Connection, knowledge_base_id: UUID) -> list[Row]:
    """`id, name, logical_name` of every version that is served."""
    return connection.execute(_SQL["named_documents"], {"knowledge_base_id": knowledge_base_id}).fetchall()


def extractor_versions(connection: Connection, knowledge_base_id: UUID) -> list[str]:
    rows = connection.execute(_SQL["extractor_versions"], {"knowledge_base_id": knowledge_base_id}).fetchall()
    return [row["extractor_version"] for row in rows]


def places_of_chunks(connection: Connection, knowledge_base_id: UUID, ids: Collection[UUID]) -> dict[UUID, Row]:
    """`content, first_page, name` (of the document) of those chunks that the knowledge base has."""
    values = {"knowledge_base_id": knowledge_base_id, "ids": list(ids)}
    return {row["id"]: row for row in connection.execute(_SQL["places_of_chunks"], values).fetchall()}


def _places(question: GoldInput) -> Jsonb:
    return Jsonb([place.model_dump(mode="json", exclude_defaults=True) for place in question.expected])


def _input(row: Row) -> GoldInput:
    return GoldInput.model_validate({name: row[name] for name in GoldInput.model_fields})
