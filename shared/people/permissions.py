"""Who sees a knowledge base: everybody of the organization, or named members.

Row-level security enforces it (`kept_from` in the schema); here it is decided. Owners and admins see all.
"""

from uuid import UUID

from shared.access import find_knowledge_base, reading, require_admin
from shared.domain.people import AccessChange, BaseAccess
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.runtime import Runtime
from shared.store import permissions as rows
from shared.store.audit import note
from shared.store.connect import Connection


def get_access(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> BaseAccess:
    """For whoever sees the knowledge base; raises NotFound for others."""
    with reading(runtime, identity) as connection:
        return _access(connection, knowledge_base_id)


def change_access(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, change: AccessChange) -> BaseAccess:
    """Replaces who sees it, from the next request on. Raises Forbidden below admin; NotFound, also for somebody who is
    no member."""
    require_admin(identity)
    with reading(runtime, identity) as connection:
        find_knowledge_base(connection, knowledge_base_id)
        stranger = rows.set_access(connection, knowledge_base_id, change.restricted, change.members)
        if stranger is not None:
            raise NotFound(f"There is no member {stranger}. `autri members list` shows those there are.")
        named = {str(one.user_id): "write" if one.may_write else "read" for one in change.members}
        note(
            connection, identity, "knowledge_base.access", knowledge_base_id, knowledge_base_id,
            restricted=change.restricted, members=named,
        )  # fmt: skip
        return _access(connection, knowledge_base_id)


def _access(connection: Connection, knowledge_base_id: UUID) -> BaseAccess:
    find_knowledge_base(connection, knowledge_base_id)
    return BaseAccess(
        knowledge_base_id=knowledge_base_id,
        restricted=bool(rows.is_restricted(connection, knowledge_base_id)),
        members=rows.list_permitted(connection, knowledge_base_id),
    )
