"""Rows of connected assistants."""

from typing import Any
from uuid import UUID

from shared.domain.connections import ConnectedClient
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("connections")


def add_connection(connection: Connection, row: dict[str, Any]) -> None:
    connection.execute(_SQL["add_connection"], row)


def list_connections(
    connection: Connection, owner: UUID | None, after: UUID | None, limit: int
) -> list[ConnectedClient]:
    """Those of `owner` (None: all of the organization), oldest first, after the one with id `after`."""
    rows = connection.execute(_SQL["list_connections"], {"owner": owner, "after": after, "limit": limit}).fetchall()
    return [ConnectedClient.model_validate(row) for row in rows]


def get_connection(connection: Connection, connection_id: UUID) -> ConnectedClient | None:
    row = connection.execute(_SQL["get_connection"], {"id": connection_id}).fetchone()
    return ConnectedClient.model_validate(row) if row else None


def end_connection(connection: Connection, connection_id: UUID) -> None:
    """Its key with it."""
    connection.execute(_SQL["end_connection"], {"id": connection_id})


def exchange_code(connection: Connection, values: Row) -> Row | None:
    """`{outcome, organization_id, user_id, connection_id, scope}`; None for a code that nobody has."""
    return connection.execute(_SQL["exchange_code"], values).fetchone()


def refresh_connection(connection: Connection, values: Row) -> Row | None:
    """The same of a refresh token."""
    return connection.execute(_SQL["refresh_connection"], values).fetchone()


def revoke_token(connection: Connection, access: str, family: str) -> Row | None:
    """`{organization_id, user_id, connection_id}` of what was ended; None where nothing was."""
    return connection.execute(_SQL["revoke_token"], {"access": access, "family": family}).fetchone()
