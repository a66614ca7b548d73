"""A caller's wish for knowledge bases, cut down to what the identity may read."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import NamedTuple
from uuid import UUID

from shared.domain.scope import Identity, Scope
from shared.errors import NotFound
from shared.retrieval.requests import KNOWLEDGE_BASES_MAX
from shared.retrieval.rows import known_knowledge_bases, newest_knowledge_bases
from shared.runtime import Runtime
from shared.store.connect import Connection, set_scope


class OpenedScope(NamedTuple):
    """A transaction, and the knowledge bases it sees."""

    connection: Connection
    knowledge_base_ids: list[UUID]


@contextmanager
def open_scope(runtime: Runtime, identity: Identity, wish: Sequence[UUID]) -> Generator[OpenedScope]:
    """A transaction that sees exactly the knowledge bases of `wish`, all of them of the identity's organization.

    All of a call's statements read one snapshot: a version that is superseded meanwhile is current for all or none.
    No wish means all of the organization's, the newest first where there are more than one call may ask. Raises
    NotFound naming the first one that is not there to read, whether or not it exists elsewhere.
    """
    organization = Scope(organization_id=identity.organization_id, user_id=identity.user_id)
    with runtime.database.transaction(organization, snapshot=True) as connection:
        granted = _readable(connection, wish) if wish else newest_knowledge_bases(connection, KNOWLEDGE_BASES_MAX)
        set_scope(connection, organization.model_copy(update={"knowledge_base_ids": tuple(granted)}))
        yield OpenedScope(connection, granted)


def _readable(connection: Connection, wish: Sequence[UUID]) -> list[UUID]:
    known = known_knowledge_bases(connection, wish)
    for knowledge_base in wish:
        if knowledge_base not in known:
            raise NotFound(f"There is no knowledge base {knowledge_base}.")
    return list(wish)
