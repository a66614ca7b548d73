"""Rows of notebooks: each version lists what its cells hold, and no row of either is ever changed."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.store.connect import Connection, Row
from shared.store.documents import hold_documents
from shared.store.edits import name_of
from shared.store.named_queries import load_queries

_SQL = load_queries("notebooks")


def add_notebook(connection: Connection, identity: Identity, knowledge_base_id: UUID, title: str) -> UUID:
    """Without a version: the first one is to follow in this transaction."""
    values = _owner(connection, identity, knowledge_base_id)
    connection.execute(_SQL["add_notebook"], values | {"title": title})
    return values["id"]


def list_notebooks(connection: Connection, knowledge_base_id: UUID, after: UUID | None, limit: int) -> list[Row]:
    """Oldest first."""
    values = {"knowledge_base_id": knowledge_base_id, "after": after, "limit": limit}
    return connection.execute(_SQL["list_notebooks"], values).fetchall()


def get_notebook(connection: Connection, notebook_id: UUID) -> Row | None:
    return connection.execute(_SQL["get_notebook"], {"id": notebook_id}).fetchone()


def lock_notebook(connection: Connection, notebook_id: UUID) -> Row | None:
    """Until the transaction ends nobody else changes it."""
    return connection.execute(_SQL["lock_notebook"], {"id": notebook_id}).fetchone()


def remove_notebook(connection: Connection, notebook_id: UUID) -> None:
    connection.execute(_SQL["remove_notebook"], {"id": notebook_id})


def add_content(
    connection: Connection,
    identity: Identity,
    notebook: Row,
    cell_id: UUID,
    kind: str,
    body: dict[str, Any],
    documents: Sequence[UUID] = (),
) -> UUID:
    """What a cell is to hold; `documents` are those that it quotes: what it quotes of one that is not there any more is
    left out."""
    held = hold_documents(connection, documents)
    values = _owner(connection, identity, notebook["knowledge_base_id"]) | {
        "notebook_id": notebook["id"],
        "cell_id": cell_id,
        "kind": kind,
        "body": Jsonb(body),
        "document_ids": held,
        "gone": [one for one in documents if one not in held],
    }
    connection.execute(_SQL["add_content"], values)
    return values["id"]


def add_version(
    connection: Connection,
    identity: Identity,
    notebook: Row,
    title: str,
    contents: Sequence[UUID],
    act: str,
    cell_id: UUID | None = None,
    restored: int | None = None,
) -> int:
    """Makes these contents the latest version of the locked `notebook`; returns its number."""
    revision = notebook["revision"] + 1
    values = _owner(connection, identity, notebook["knowledge_base_id"]) | {
        "notebook_id": notebook["id"],
        "revision": revision,
        "title": title,
        "contents": list(contents),
        "act": act,
        "cell_id": cell_id,
        "restored": restored,
    }
    connection.execute(_SQL["add_version"], values)
    connection.execute(_SQL["set_notebook"], {"id": notebook["id"], "title": title, "revision": revision})
    return revision


def get_version(connection: Connection, notebook_id: UUID, revision: int) -> Row | None:
    values = {"notebook_id": notebook_id, "revision": revision}
    return connection.execute(_SQL["get_version"], values).fetchone()


def list_contents(connection: Connection, notebook_id: UUID, revision: int) -> list[Row]:
    """What the cells of a version hold, in their order."""
    values = {"notebook_id": notebook_id, "revision": revision}
    return connection.execute(_SQL["list_contents"], values).fetchall()


def list_versions(connection: Connection, notebook_id: UUID, before: int | None, limit: int) -> list[Row]:
    """Newest first."""
    values = {"notebook_id": notebook_id, "before_revision": before, "limit": limit}
    return connection.execute(_SQL["list_versions"], values).fetchall()


def _owner(connection: Connection, identity: Identity, knowledge_base_id: UUID) -> Row:
    person = None if identity.is_machine else identity.user_id
    return {
        "organization_id": identity.organization_id,
        "knowledge_base_id": knowledge_base_id,
        "id": new_id(),
        "author_id": person,
        "author": name_of(connection, identity) if person else "a program",
    }
