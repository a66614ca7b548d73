"""A caller's wish for knowledge bases, cut down to what the identity may read."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from uuid import UUID

from shared.domain.scope import Identity, Scope
from shared.errors import NotFound
from shared.runtime import Runtime
from shared.store.connect import Connection, set_scope
from shared.store.search import known_knowledge_bases


@contextmanager
def open_scope(runtime: Runtime, identity: Identity, wish: Sequence[UUID]) -> Generator[Connection]:
    """A transaction that sees exactly the knowledge bases of `wish`, all of them of the identity's organization.

    Raises NotFound naming the first one that is not, whether or not it exists elsewhere.
    """
    organization = Scope(organization_id=identity.organization_id, user_id=identity.user_id)
    with runtime.database.transaction(organization) as connection:
        known = known_knowledge_bases(connection, wish)
        for knowledge_base in wish:
            if knowledge_base not in known:
                raise NotFound(f"There is no knowledge base {knowledge_base}.")
        set_scope(connection, organization.model_copy(update={"knowledge_base_ids": tuple(wish)}))
        yield connection
