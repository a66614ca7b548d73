"""Rows of API keys."""

from typing import Any
from uuid import UUID

from shared.domain.people import ApiKey
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("keys")


def identity_of_key(connection: Connection, key_hash: str) -> Row | None:
    """`{organization_id, slug, user_id, role, key_id, scope}` of a key in force; `role` is null for a machine's."""
    return connection.execute(_SQL["identity_of_key"], {"hash": key_hash}).fetchone()


def add_key(connection: Connection, row: dict[str, Any]) -> None:
    connection.execute(_SQL["add_key"], row)


def list_keys(connection: Connection, owner: UUID | None, after: UUID | None, limit: int) -> list[ApiKey]:
    """Those of `owner` (None: all of the organization), oldest first, after the one with id `after`."""
    rows = connection.execute(_SQL["list_keys"], {"owner": owner, "after": after, "limit": limit}).fetchall()
    return [ApiKey.model_validate(row) for row in rows]


def get_key(connection: Connection, key_id: UUID) -> ApiKey | None:
    row = connection.execute(_SQL["get_key"], {"id": key_id}).fetchone()
    return ApiKey.model_validate(row) if row else None


def revoke_key(connection: Connection, key_id: UUID) -> None:
    connection.execute(_SQL["revoke_key"], {"id": key_id})
