"""Rows of summaries that a model wrote of several documents. A group is its documents, in any order."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.experiments import WrittenGroupVersion
from shared.domain.ids import new_id
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("group_summaries")


def group_key(document_ids: Sequence[UUID]) -> str:
    """The same for the same documents in any order, each counted once."""
    return hashlib.sha256(" ".join(sorted({str(one) for one in document_ids})).encode()).hexdigest()


def add_version(
    connection: Connection, knowledge_base_id: UUID, document_ids: Sequence[UUID], made: Mapping[str, Any]
) -> int:
    """Its number. `made`: `read_from` and `body` as JSON, `engine`, `usd`, `author_id`, `by`."""
    values = {"group_key": group_key(document_ids), "document_ids": [*document_ids], "new_id": new_id()}
    connection.execute(_SQL["hold_group"], values)
    told = values | {**made} | {name: Jsonb(made[name]) for name in ("read_from", "body")}
    row = connection.execute(_SQL["add_version"], told | {"knowledge_base_id": knowledge_base_id}).fetchone()
    return row["version"] if row else 0


def get_version(connection: Connection, document_ids: Sequence[UUID], version: int | None) -> Row | None:
    """The newest, or number `version`; None where there is no such."""
    values = {"group_key": group_key(document_ids), "wanted": version}
    row = connection.execute(_SQL["get_version"], values).fetchone()
    return row if row is None or version in (None, row["version"]) else None


def list_versions(connection: Connection, document_ids: Sequence[UUID]) -> list[WrittenGroupVersion]:
    """Oldest first."""
    rows = connection.execute(_SQL["list_versions"], {"group_key": group_key(document_ids)}).fetchall()
    return [WrittenGroupVersion.model_validate(row) for row in rows]
