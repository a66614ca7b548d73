"""Idempotency keys: who claimed one, for which request, and the stored answer."""

from dataclasses import dataclass
from typing import Any

from psycopg.types.json import Jsonb

from shared.domain.scope import Identity
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("idempotency")

# Clients retry within a day; the claim of a process that died is released after the longest time of a request.
KEEP_HOURS = 24
ABANDONED_AFTER_S = 60


@dataclass(frozen=True)
class StoredAnswer:
    """What a key holds; `status` is None while the first request still runs."""

    request_hash: str
    status: int | None
    response: Any


def claim(connection: Connection, identity: Identity, key: str, request_hash: str) -> StoredAnswer | None:
    """Claims the key and returns None; where it is claimed already, returns what is stored."""
    values = {"user_id": identity.user_id, "key": key}
    connection.execute(_SQL["forget_old"], values | {"hours": KEEP_HOURS})
    request = {"organization_id": identity.organization_id, "request_hash": request_hash}
    claimed = connection.execute(_SQL["claim"], values | request | {"abandoned_after": ABANDONED_AFTER_S}).fetchone()
    if claimed:
        return None
    row = connection.execute(_SQL["read"], values).fetchone()
    return StoredAnswer(**row) if row else StoredAnswer(request_hash, None, None)


def complete(connection: Connection, identity: Identity, key: str, status: int, response: Any) -> None:
    """Store the answer for later repetitions."""
    values = {"user_id": identity.user_id, "key": key, "status": status, "response": Jsonb(response)}
    connection.execute(_SQL["complete"], values)


def release(connection: Connection, identity: Identity, key: str) -> None:
    """Deletes the claim: the request failed, and the client may send it again."""
    connection.execute(_SQL["release"], {"user_id": identity.user_id, "key": key})
