"""Rows of knowledge bases."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from shared.domain.ids import new_id
from shared.domain.knowledge import KnowledgeBase
from shared.domain.scope import Identity
from shared.store.attributes import date_chunks
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("knowledge_bases")


def open_organization(connection: Connection, newest: int | None = None) -> None:
    """Widens the scope of the open transaction to every knowledge base that its organization has now, or to the
    `newest` so many."""
    connection.execute(_SQL["open_organization"], {"newest": newest})


def opened_knowledge_bases(connection: Connection) -> list[UUID]:
    """The knowledge bases in the open transaction's scope, in no order."""
    row = connection.execute(_SQL["opened"]).fetchone()
    return list(row["ids"]) if row else []


def known_knowledge_bases(connection: Connection, ids: Sequence[UUID]) -> set[UUID]:
    """Those of `ids` that the organization has."""
    return {row["id"] for row in connection.execute(_SQL["known"], {"ids": list(ids)})}


class NamedBase(NamedTuple):
    """A knowledge base by what people call it."""

    id: UUID
    slug: str
    name: str


def named_knowledge_bases(
    connection: Connection, names: Sequence[str], limit: int, only: Sequence[UUID] | None = None
) -> list[NamedBase]:
    """Those whose id, slug or name, in lower case, is one of `names`; the oldest where `names` is empty; among `only`,
    where that is given."""
    values = {"names": list(names), "limit": limit, "only": None if only is None else list(only)}
    rows = connection.execute(_SQL["named"], values).fetchall()
    return [NamedBase(**row) for row in rows]


def list_knowledge_bases(
    connection: Connection, after: UUID | None, limit: int, only: Sequence[UUID] | None = None
) -> list[KnowledgeBase]:
    """Knowledge bases, oldest first, after the one with id `after`; those among `only`, where that is given."""
    values = {"after": after, "limit": limit, "only": None if only is None else list(only)}
    rows = connection.execute(_SQL["list_knowledge_bases"], values).fetchall()
    return [KnowledgeBase.model_validate(row) for row in rows]


def get_knowledge_base(connection: Connection, knowledge_base_id: UUID) -> KnowledgeBase | None:
    row = connection.execute(_SQL["get_knowledge_base"], {"id": knowledge_base_id}).fetchone()
    return KnowledgeBase.model_validate(row) if row else None


def add_knowledge_base(connection: Connection, identity: Identity, fields: dict[str, Any]) -> UUID | None:
    """The new id, or None when the slug is taken. `fields`: slug, name, description."""
    values = fields | {"id": new_id(), "organization_id": identity.organization_id}
    row = connection.execute(_SQL["add_knowledge_base"], values).fetchone()
    return row["id"] if row else None


def change_knowledge_base(
    connection: Connection, knowledge_base_id: UUID, name: str | None, description: str | None
) -> bool:
    """Changes name and description; None leaves a field unchanged. Returns whether the knowledge base exists."""
    values = {"id": knowledge_base_id, "name": name, "description": description}
    return connection.execute(_SQL["change_knowledge_base"], values).rowcount == 1


def set_date_attribute(connection: Connection, knowledge_base_id: UUID, name: str | None) -> None:
    """By which attribute its passages are dated from now on, those that are there already too."""
    connection.execute(_SQL["set_date_attribute"], {"id": knowledge_base_id, "name": name})
    date_chunks(connection, knowledge_base_id)


def set_approved_only(connection: Connection, knowledge_base_id: UUID, wish: bool) -> None:
    """Whether only documents that somebody approved answer, from the next search on."""
    connection.execute(_SQL["set_approved_only"], {"id": knowledge_base_id, "wish": wish})


def remove_knowledge_base(connection: Connection, knowledge_base_id: UUID) -> bool:
    """Deletes the row, everything that refers to it, and the traces of searches in it; False where there is none."""
    connection.execute(_SQL["remove_traces_of_knowledge_base"], {"id": knowledge_base_id})
    return connection.execute(_SQL["remove_knowledge_base"], {"id": knowledge_base_id}).rowcount == 1
