"""Rows of links that show a conversation, or a version of a notebook, to whoever has one."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("shares")


class Shown(NamedTuple):
    """What a link shows: a conversation up to its answer `until_id`, or `revision` of a notebook."""

    thread_id: UUID | None = None
    until_id: UUID | None = None
    notebook_id: UUID | None = None
    revision: int | None = None


def add_share(
    connection: Connection,
    identity: Identity,
    shown: Shown,
    secret_hash: str,
    bases: Sequence[UUID],
    expires_at: datetime,
) -> UUID:
    """Of what is shown, what stands in `bases`."""
    own = {"organization_id": identity.organization_id, "asker_id": identity.user_id, "id": new_id()}
    values = {"hash": secret_hash, "bases": list(bases), "expires_at": expires_at}
    connection.execute(_SQL["add_share"], own | values | shown._asdict())
    return own["id"]


def list_shares(connection: Connection, shown_id: UUID, asker_id: UUID | None) -> list[Row]:
    """Of a conversation or notebook, oldest first; those that one person made, None: everybody's."""
    return connection.execute(_SQL["list_shares"], {"shown_id": shown_id, "asker_id": asker_id}).fetchall()


def list_all_shares(connection: Connection, asker_id: UUID | None, after: UUID | None, limit: int) -> list[Row]:
    """Those that one person made, None: all that row-level security shows; oldest first. `title` of what each shows,
    None where that is not seen."""
    values = {"asker_id": asker_id, "after": after, "limit": limit}
    return connection.execute(_SQL["list_all_shares"], values).fetchall()


def note_opening(connection: Connection, share_id: UUID) -> None:
    """What the link shows was read once more."""
    connection.execute(_SQL["note_opening"], {"share_id": share_id})


def revoke_share(connection: Connection, shown_id: UUID, share_id: UUID, asker_id: UUID | None) -> Row | None:
    """The link as it is listed; None where there is none."""
    values = {"shown_id": shown_id, "share_id": share_id, "asker_id": asker_id}
    return connection.execute(_SQL["revoke_share"], values).fetchone()


def link_of(connection: Connection, secret_hash: str) -> Row | None:
    """Whose link this is and what it shows; None for one that is not in force. It needs no scope."""
    return connection.execute(_SQL["link_of"], {"hash": secret_hash}).fetchone()
