"""Rows of messages and their threads, and of what is attached to them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from shared.domain.messages import AttachedFile, Carrier, ThreadMessage
from shared.domain.scope import Scope
from shared.store.connect import Connection
from shared.store.named_queries import load_queries
from shared.store.upsert import upsert

_SQL = load_queries("messages")
# Of a longer thread the first messages are listed.
THREAD_MAX: Final = 500
# A thread is followed from message to message so often; most name all of it.
ROUNDS: Final = 20


def replace(connection: Connection, scope: Scope, document_id: UUID, rows: Sequence[Mapping[str, Any]]) -> None:
    """Stores the messages of a document in their order instead of those that it had."""
    owner = {
        "organization_id": scope.organization_id,
        "knowledge_base_id": scope.knowledge_base_ids[0],
        "document_id": document_id,
    }
    connection.execute(_SQL["remove"], owner)
    numbered = [{**owner, "ordinal": ordinal, **row} for ordinal, row in enumerate(rows, 1)]
    upsert(connection, "messages", ("document_id", "ordinal"), numbered)


def find_thread(connection: Connection, knowledge_base_id: UUID, document_id: UUID) -> list[ThreadMessage]:
    """The messages of the threads that the document's are in, the oldest first; at most THREAD_MAX."""
    own = connection.execute(_SQL["ids_of_document"], {"document_id": document_id}).fetchall()
    names = {name for row in own for name in (row["message_id"], *row["answers"]) if name}
    found: list[dict[str, Any]] = []
    for _ in range(ROUNDS):
        values = {"knowledge_base_id": knowledge_base_id, "names": sorted(names), "limit": THREAD_MAX}
        found = connection.execute(_SQL["thread"], values).fetchall()
        more = {name for row in found for name in (row["message_id"], *row["answers"]) if name} - names
        if not more:
            break
        names |= more
    return [ThreadMessage.model_validate(row) for row in found]


def list_attachments(connection: Connection, document_id: UUID) -> list[AttachedFile]:
    """The files that came with the document, in their order, whatever became of them."""
    rows = connection.execute(_SQL["attachments"], {"document_id": document_id})
    return [AttachedFile.model_validate(row) for row in rows]


def list_carriers(connection: Connection, document_id: UUID) -> list[Carrier]:
    """The messages that the document was attached to, by name."""
    rows = connection.execute(_SQL["attached_to"], {"document_id": document_id})
    return [Carrier.model_validate(row) for row in rows]


def attachments_alone(connection: Connection, document_id: UUID) -> list[UUID]:
    """The documents that came with this one, and in no other way."""
    came = [of for of in _brought(connection, document_id).values() if of]
    values = {"document_id": document_id, "document_ids": came}
    return [row["id"] for row in connection.execute(_SQL["attachments_alone"], values)]


def keep_attachments(connection: Connection, document_id: UUID) -> None:
    """Makes what came with the document stay when it goes, as if each had been sent by itself."""
    connection.execute(_SQL["keep_attachments"], {"ids": [*_brought(connection, document_id)]})


def forget_waiting(connection: Connection, document_id: UUID) -> list[UUID]:
    """Forgets files that came with the document and are none yet, and ZIP files; returns their uploads."""
    values = {"ids": [*_brought(connection, document_id)]}
    return [row["id"] for row in connection.execute(_SQL["forget_waiting"], values)]


def _brought(connection: Connection, document_id: UUID) -> dict[UUID, UUID | None]:
    """The uploads that came with the document, in ZIP files too, each with its document where it has become one."""
    rows = connection.execute(_SQL["brought"], {"document_id": document_id})
    return {row["id"]: row["document_id"] for row in rows}
