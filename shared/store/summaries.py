"""Rows of experiment summaries: their versions, and what people changed in them."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.experiments import SummaryEdit, SummaryFilter, SummaryVersion
from shared.domain.ids import new_id
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("summaries")


def hold_summary(connection: Connection, document_id: UUID) -> int:
    """The version that is shown, 0 for none; nobody else changes the summary until the transaction ends."""
    row = connection.execute(_SQL["hold_summary"], {"document_id": document_id}).fetchone()
    return row["version"] if row else 0


def add_version(
    connection: Connection, document_id: UUID, number: int, body: dict[str, Any], made: dict[str, Any]
) -> None:
    """Stores a version and shows it. `made`: `reason`, `body_hash`, `revision`, `engine`, `usd`, `author_id`, `by`;
    `restored` where it says another version again."""
    values = {"document_id": document_id, "number": number, "new_id": new_id(), "restored": None} | made
    connection.execute(_SQL["add_version"], values | {"body": Jsonb(body)})
    connection.execute(_SQL["show_version"], {"document_id": document_id, "number": number})


def get_version(connection: Connection, document_id: UUID, version: int | None) -> Row | None:
    """The version that is shown, or number `version`, with what is known of its document."""
    return get_versions(connection, [document_id], version).get(document_id)


def get_versions(connection: Connection, document_ids: Sequence[UUID], version: int | None) -> dict[UUID, Row]:
    """By document, those that have one; `newest` is the number of the one that is shown."""
    values = {"document_ids": list(document_ids), "wanted": version}
    return {row["document_id"]: row for row in connection.execute(_SQL["get_versions"], values)}


def list_versions(connection: Connection, document_id: UUID) -> list[SummaryVersion]:
    """Oldest first."""
    rows = connection.execute(_SQL["list_versions"], {"document_id": document_id}).fetchall()
    return [SummaryVersion.model_validate(row) for row in rows]


def list_summaries(
    connection: Connection, knowledge_base_id: UUID | None, wish: SummaryFilter, before: UUID | None, limit: int
) -> list[Row]:
    """Those that are shown and pass, of documents newest first, from behind the one with id `before`."""
    values = {"knowledge_base_id": knowledge_base_id, "before": before, "limit": limit}
    words = wish.words.lower().split()
    return connection.execute(_SQL["list_summaries"], values | wish.model_dump() | {"words": words}).fetchall()


def add_edit(
    connection: Connection,
    document_id: UUID,
    wish: dict[str, Any],
    chunk_ids: Sequence[UUID],
    who: Row,
    edit_id: UUID | None = None,
) -> UUID:
    """`wish`: `target`, `field` and `text`; `who`: `author_id` and `by`; `edit_id` for one that was there before."""
    edit_id = edit_id or new_id()
    values = {"document_id": document_id, "new_id": edit_id, "chunk_ids": list(chunk_ids)} | wish | who
    connection.execute(_SQL["add_edit"], values)
    return edit_id


def list_edits(connection: Connection, document_id: UUID) -> list[SummaryEdit]:
    """In the order in which they were made."""
    rows = connection.execute(_SQL["list_edits"], {"document_id": document_id}).fetchall()
    return [SummaryEdit.model_validate(row) for row in rows]


def remove_edit(connection: Connection, document_id: UUID, edit_id: UUID) -> bool:
    values = {"document_id": document_id, "edit_id": edit_id}
    return connection.execute(_SQL["remove_edit"], values).rowcount == 1
