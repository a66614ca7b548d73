"""The attributes of a knowledge base, which its filters may name."""

from uuid import UUID

from shared.domain.declared import DeclaredAttribute
from shared.domain.scope import Identity
from shared.filters.declared import list_attributes
from shared.library.access import check_knowledge_base, open_library
from shared.runtime import Runtime


def list_declared(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, after: str, limit: int
) -> list[DeclaredAttribute]:
    """Attributes sorted by name, after the name `after`. Raises NotFound."""
    with open_library(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        return list_attributes(connection, knowledge_base_id, after, limit)
