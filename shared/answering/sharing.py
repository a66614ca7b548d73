"""Links that show a conversation or a notebook to whoever has them, for some days, as far as who made them may see it.

Who opens one signs in nowhere: it is read as its maker, with the role and the knowledge bases that they have then,
within those that were open to them when they made it.
"""

import re
import secrets
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from shared.access import reading
from shared.answering.threads.shapes import ListedShare, MadeShare, Share
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.people.keys import hash_secret
from shared.runtime import Runtime
from shared.store import permissions
from shared.store import shares as rows
from shared.store.audit import note, note_by_itself
from shared.store.connect import Connection, Row
from shared.store.knowledge_bases import opened_knowledge_bases
from shared.store.shares import Shown

SECRET: Final = re.compile(r"[A-Za-z0-9_-]{43}")
NO_SHARE: Final = "This link shows nothing: it has expired, was revoked, or never was one. Ask who sent it for another."


def make_share(connection: Connection, identity: Identity, shown: Shown, days: int) -> MadeShare:
    """A link; what a key that is narrowed does not see, it does not show."""
    secret, bases = secrets.token_urlsafe(32), opened_knowledge_bases(connection)
    expires = datetime.now(UTC) + timedelta(days=days)
    share_id = rows.add_share(connection, identity, shown, hash_secret(secret), bases, expires)
    note(connection, identity, "share.create", share_id, None, days=days, **_named(shown))
    own = rows.list_shares(connection, _shown_id(shown), identity.user_id)
    made = next(row for row in own if row["id"] == share_id)
    return MadeShare(**_listed(identity, made), path=f"/shared/{secret}")


def list_shares(connection: Connection, identity: Identity, shown: Shown, *, others: bool = False) -> list[Share]:
    """One's own, and of `others` too; ended ones as well, oldest first."""
    found = rows.list_shares(connection, _shown_id(shown), None if others else identity.user_id)
    return [Share(**_listed(identity, row)) for row in found]


def list_all_shares(runtime: Runtime, identity: Identity, after: UUID | None, limit: int) -> list[ListedShare]:
    """One's own, and those of notebooks that one may change; ended ones too, oldest first from behind `after`."""
    with reading(runtime, identity) as connection:
        permissions.narrow_to_writable(connection)
        maker = identity.user_id if identity.role == "viewer" or identity.read_only else None
        return [ListedShare(**_listed(identity, row)) for row in rows.list_all_shares(connection, maker, after, limit)]


def note_opening(runtime: Runtime, share: Row, owner: Identity, what: str) -> None:
    """What the link shows was read by somebody who is not known: counted at the link, and in the audit log."""
    with runtime.database.transaction(owner.scope()) as connection:
        rows.note_opening(connection, share["id"])
        note_by_itself(connection, owner.organization_id, "share.open", share["id"], None, what=what)


def revoke_share(
    connection: Connection, identity: Identity, shown: Shown, share_id: UUID, *, others: bool = False
) -> Share:
    """From now on it shows nothing; one that somebody else made only with `others`. Raises NotFound."""
    revoked = rows.revoke_share(connection, _shown_id(shown), share_id, None if others else identity.user_id)
    if revoked is None:
        raise NotFound(f"There is no link {share_id} to this. List those there are.")
    note(connection, identity, "share.revoke", share_id, None, **_named(shown))
    return Share(**_listed(identity, revoked))


def find_share(runtime: Runtime, secret: str) -> tuple[Identity, Row]:
    """Whose link this is: they, as whom it is read. Raises NotFound, the same for all that are not in force."""
    found = None
    if SECRET.fullmatch(secret):
        with runtime.database.alone() as connection:
            found = rows.link_of(connection, hash_secret(secret))
    if found is None:
        raise NotFound(NO_SHARE)
    names = {"organization_id": found["organization_id"], "user_id": found["asker_id"], "role": found["role"]}
    return Identity(**names, read_only=True), found


def _listed(identity: Identity, row: Row) -> Row:
    return row | {"own": row["asker_id"] == identity.user_id}


def _shown_id(shown: Shown) -> UUID:
    found = shown.thread_id or shown.notebook_id
    if found is None:
        raise ValueError("a link shows a conversation or a notebook")
    return found


def _named(shown: Shown) -> dict[str, str]:
    return {"notebook": str(shown.notebook_id)} if shown.notebook_id else {"thread": str(shown.thread_id)}
