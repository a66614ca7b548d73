"""What is posted, and the runs by which it is announced before it is read."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from shared.contract import incoming_key
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.processes import own_name
from shared.runtime import Runtime
from shared.store import ingestions
from shared.store.connect import Connection, Row

FILENAME_MAX = 200


class Posting(NamedTuple):
    """What is to be read: `posted` is the row of its table, with its source type."""

    knowledge_base_id: UUID
    filename: str
    title: str
    data: bytes
    posted: Mapping[str, Any]
    version_of: UUID | None = None

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


class Announced(NamedTuple):
    """A posting, and the run that is to read it."""

    run_id: UUID
    posting: Posting


def announce(
    runtime: Runtime, connection: Connection, identity: Identity, postings: Sequence[Posting]
) -> list[Announced]:
    """Inserts the rows of their runs in the caller's transaction."""
    announced = [Announced(new_id(), posting) for posting in postings]
    rows = [_row(identity, one) for one in announced]
    ingestions.insert_posted(connection, rows, own_name() if runtime.workflow.leases else None)
    return announced


def _row(identity: Identity, one: Announced) -> Row:
    posting = one.posting
    return {
        "organization_id": identity.organization_id,
        "knowledge_base_id": posting.knowledge_base_id,
        "id": one.run_id,
        "filename": posting.filename,
        "title": posting.title,
        "size": len(posting.data),
        "sha256": posting.sha256,
        "version_of": posting.version_of,
        "label": None,
        "created_by": identity.user_id,
        "source_key": incoming_key(str(identity.organization_id), str(posting.knowledge_base_id), str(one.run_id)),
        "posted": dict(posting.posted),
    }
