"""The scope of the read side: every knowledge base of the caller's organization, and nothing else."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from shared.domain.knowledge import Document, KnowledgeBase
from shared.domain.scope import Identity
from shared.errors import Forbidden, NotFound
from shared.runtime import Runtime
from shared.store import documents, library
from shared.store import knowledge_bases as rows
from shared.store.connect import Connection
from shared.store.library import DocumentPlace


@contextmanager
def open_library(runtime: Runtime, identity: Identity) -> Generator[Connection]:
    """A transaction that sees all knowledge bases of the caller's organization."""
    with rows.organization_transaction(runtime.database, identity) as connection:
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


def require_admin(identity: Identity) -> None:
    """Raises Forbidden for editors and viewers."""
    if identity.role not in ("owner", "admin"):
        raise Forbidden(f"Your role is {identity.role}; this is for owners and admins. Ask one of them.")


def find_knowledge_base(connection: Connection, knowledge_base_id: UUID) -> KnowledgeBase:
    """With its counts; raises NotFound, the same for an id that does not exist and for one of somebody else."""
    found = rows.get_knowledge_base(connection, knowledge_base_id)
    if found is None:
        raise _no_knowledge_base(knowledge_base_id)
    return found


def check_knowledge_base(connection: Connection, knowledge_base_id: UUID) -> None:
    """Raises NotFound as `find_knowledge_base` does, without counting anything."""
    if not rows.has_knowledge_base(connection, knowledge_base_id):
        raise _no_knowledge_base(knowledge_base_id)


def find_document(connection: Connection, document_id: UUID) -> Document:
    """Whole; raises NotFound, the same for an id that does not exist and for one of somebody else."""
    found = library.get_document(connection, document_id)
    if found is None:
        raise _no_document(document_id)
    return found


def find_place(connection: Connection, document_id: UUID) -> DocumentPlace:
    """Raises NotFound as `find_document` does; enough for a check and for the files, at the price of one row."""
    found = library.get_place(connection, document_id)
    if found is None:
        raise _no_document(document_id)
    return found


def find_row(connection: Connection, document_id: UUID) -> dict[str, Any]:
    """The document's row as it is stored; raises NotFound as `find_document` does."""
    found = documents.find_document(connection, document_id)
    if found is None:
        raise _no_document(document_id)
    return found


def _no_knowledge_base(knowledge_base_id: UUID) -> NotFound:
    return NotFound(f"There is no knowledge base {knowledge_base_id}. List those you can see, and take an id of them.")


def _no_document(document_id: UUID) -> NotFound:
    return NotFound(f"There is no document {document_id}. List those you can see, and take an id of them.")
