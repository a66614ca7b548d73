"""What a caller may see and change: the two ways to open a scope, the roles, and what is there in an open scope.

Stages know their scope and open it with `Database.transaction`, which both ways stand on.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from shared.domain.knowledge import Document, KnowledgeBase
from shared.domain.scope import ROLES, Identity, Role
from shared.errors import Forbidden, NotFound
from shared.runtime import Runtime
from shared.store import documents, library, permissions
from shared.store import knowledge_bases as rows
from shared.store.connect import Connection
from shared.store.library import DocumentPlace

READ_ONLY = "You may read this knowledge base and not change it. Ask an owner or admin for the right to write."


@contextmanager
def reading(
    runtime: Runtime,
    identity: Identity,
    wish: Sequence[UUID] = (),
    *,
    newest: int | None = None,
    snapshot: bool = False,
) -> Generator[Connection]:
    """A transaction that sees exactly the knowledge bases of `wish`, all of them of the identity's organization.

    No wish means all of the organization's, or the `newest` so many; of an identity that is narrowed, all that it is
    narrowed to, and anything else is not there. Raises NotFound naming the first of `wish` that is
    not there to read, whether or not it exists elsewhere. With `snapshot` all statements see the same state: a version
    that is superseded meanwhile is current for all or none.
    """
    if identity.within is not None:
        if outside := [one for one in wish if one not in identity.within]:
            raise _no_knowledge_base(outside[0])
        wish = wish or identity.within
    with runtime.database.transaction(identity.scope(*wish), snapshot=snapshot) as connection:
        if wish:
            _check_wish(connection, wish)
        elif identity.within is None:
            rows.open_organization(connection, newest)
        yield connection


@contextmanager
def changing(runtime: Runtime, identity: Identity, wish: Sequence[UUID] = ()) -> Generator[Connection]:
    """The same, of the knowledge bases that the identity may change: nothing else can be found or written.

    Raises Forbidden for a viewer, and for a wish that may only be read.
    """
    require_editor(identity)
    with reading(runtime, identity, wish) as connection:
        permissions.narrow_to_writable(connection)
        if wish and len(rows.opened_knowledge_bases(connection)) < len(set(wish)):
            raise Forbidden(READ_ONLY)
        yield connection


def require_editor(identity: Identity) -> None:
    """Raises Forbidden for a viewer, and for what was made to read, whose maker need be none."""
    require_writing(identity)
    if identity.role == "viewer":
        raise Forbidden("Your role is viewer: you may read and search. Ask an owner or admin for the role editor.")


def require_writing(identity: Identity) -> None:
    """Raises Forbidden for a token, key or connection that was made to read; alone where everybody may change what is
    their own."""
    if identity.read_only:
        raise Forbidden(
            "What you signed in with was made to read: a token, a key or an assistant's connection. Sign in with one"
            " that may write, or change it in the browser."
        )


def require_admin(identity: Identity) -> None:
    """Raises Forbidden for editors and viewers."""
    if identity.role not in ("owner", "admin"):
        raise Forbidden(f"{_standing(identity)}; this is for owners and admins. Ask one of them.")


def require_owner(identity: Identity) -> None:
    """Raises Forbidden for anybody but an owner."""
    if identity.role != "owner":
        raise Forbidden(f"{_standing(identity)}; this is for owners alone. Ask one of them.")


def _standing(identity: Identity) -> str:
    """What was made to read has a viewer's role, whatever its maker has."""
    return "What you signed in with was made to read" if identity.read_only else f"Your role is {identity.role}"


def require_role(role: Role | None, least: Role) -> None:
    """Raises Forbidden for a role below `least`, and for nobody at all."""
    if role is None:
        raise Forbidden("This is for members of the organization. Sign in, or open it on the machine that serves it.")
    if ROLES.index(role) < ROLES.index(least):
        raise Forbidden(f"Your role is {role}; this needs the role {least}. Ask an owner or admin.")


def find_knowledge_base(connection: Connection, knowledge_base_id: UUID) -> KnowledgeBase:
    """With its counts; raises NotFound, the same for an id that does not exist and for one of somebody else."""
    found = rows.get_knowledge_base(connection, knowledge_base_id)
    if found is None:
        raise _no_knowledge_base(knowledge_base_id)
    _check_open(connection, knowledge_base_id)
    return found


def check_knowledge_base(connection: Connection, knowledge_base_id: UUID) -> None:
    """Raises NotFound as `find_knowledge_base` does, without counting anything."""
    if not rows.known_knowledge_bases(connection, [knowledge_base_id]):
        raise _no_knowledge_base(knowledge_base_id)
    _check_open(connection, knowledge_base_id)


def find_document(connection: Connection, document_id: UUID) -> Document:
    """Whole; raises NotFound, the same for an id that does not exist and for one of somebody else."""
    found = library.get_document(connection, document_id)
    if found is None:
        raise _no_document(connection, document_id)
    return found


def find_place(connection: Connection, document_id: UUID) -> DocumentPlace:
    """Raises NotFound as `find_document` does; enough for a check and for the files, at the price of one row."""
    found = library.get_place(connection, document_id)
    if found is None:
        raise _no_document(connection, document_id)
    return found


def find_row(connection: Connection, document_id: UUID) -> dict[str, Any]:
    """The document's row as it is stored; raises NotFound as `find_document` does."""
    found = documents.find_document(connection, document_id)
    if found is None:
        raise _no_document(connection, document_id)
    return found


def _check_wish(connection: Connection, wish: Sequence[UUID]) -> None:
    known = rows.known_knowledge_bases(connection, wish)
    for knowledge_base in wish:
        if knowledge_base not in known:
            raise NotFound(f"There is no knowledge base {knowledge_base}.")


def _no_knowledge_base(knowledge_base_id: UUID) -> NotFound:
    return NotFound(f"There is no knowledge base {knowledge_base_id}. List those you can see, and take an id of them.")


def _check_open(connection: Connection, knowledge_base_id: UUID) -> None:
    """Raises Forbidden for a knowledge base that a change leaves out because it may only be read."""
    if knowledge_base_id in permissions.read_only(connection):
        raise Forbidden(READ_ONLY)


def _no_document(connection: Connection, document_id: UUID) -> NotFound | Forbidden:
    """In a change also what lies where one may only read is not found; it says so."""
    if permissions.widen_to_readable(connection) and library.get_place(connection, document_id) is not None:
        return Forbidden(READ_ONLY)
    return NotFound(f"There is no document {document_id}. List those you can see, and take an id of them.")
