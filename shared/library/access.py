"""The scope of the read side: every knowledge base of the caller's organization, and nothing else."""

from collections.abc import Generator
from contextlib import contextmanager
from uuid import UUID

from shared.domain.knowledge import Document, KnowledgeBase
from shared.domain.scope import Identity, Scope
from shared.errors import Forbidden, NotFound
from shared.runtime import Runtime
from shared.store import knowledge_bases as rows
from shared.store import library
from shared.store.connect import Connection


@contextmanager
def open_library(runtime: Runtime, identity: Identity) -> Generator[Connection]:
    """A transaction that sees all knowledge bases of the caller's organization."""
    scope = Scope(organization_id=identity.organization_id, user_id=identity.user_id)
    with runtime.database.transaction(scope) as connection:
        rows.open_organization(connection)
        yield connection


@contextmanager
def open_library_to_change(runtime: Runtime, identity: Identity) -> Generator[Connection]:
    """The same, for somebody who may change things; raises Forbidden for a viewer."""
    require_editor(identity)
    with open_library(runtime, identity) as connection:
        yield connection


def require_editor(identity: Identity) -> None:
    """Raises Forbidden for a viewer."""
    if identity.role == "viewer":
        raise Forbidden("Your role is viewer: you may read and search. Ask an owner or admin for the role editor.")


def find_knowledge_base(connection: Connection, knowledge_base_id: UUID) -> KnowledgeBase:
    """Raises NotFound, the same for an id that does not exist and for one of somebody else."""
    found = rows.get_knowledge_base(connection, knowledge_base_id)
    if found is None:
        raise NotFound(
            f"There is no knowledge base {knowledge_base_id}. List those you can see, and take an id of them."
        )
    return found


def find_document(connection: Connection, document_id: UUID) -> Document:
    """Raises NotFound, the same for an id that does not exist and for one of somebody else."""
    found = library.get_document(connection, document_id)
    if found is None:
        raise NotFound(f"There is no document {document_id}. List those you can see, and take an id of them.")
    return found
