"""Rows of conversations. The scope of a transaction shows its own user's alone."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.store.connect import Connection, Row
from shared.store.documents import hold_documents
from shared.store.named_queries import load_queries

_SQL = load_queries("threads")


def add_thread(connection: Connection, identity: Identity, title: str, scope: dict[str, Any]) -> UUID:
    return _add(connection, identity, "add_thread", {"title": title, "scope": Jsonb(scope)})


def list_threads(
    connection: Connection, words: Sequence[str], before: tuple[datetime, UUID] | None, limit: int
) -> list[Row]:
    """Those that were asked in last first, from behind `before` (its time and id); with each of `words`, which are in
    lower case, in their title, their questions or what of their answers the scope sees."""
    at, thread_id = before or (None, None)
    values = {"words": list(words), "before_at": at, "before_id": thread_id, "limit": limit}
    return connection.execute(_SQL["list_threads"], values).fetchall()


def get_thread(connection: Connection, thread_id: UUID) -> Row | None:
    return connection.execute(_SQL["get_thread"], {"id": thread_id}).fetchone()


def rename_thread(connection: Connection, thread_id: UUID, title: str) -> None:
    connection.execute(_SQL["rename_thread"], {"id": thread_id, "title": title})


def touch_thread(connection: Connection, thread_id: UUID, title: str, scope: dict[str, Any]) -> None:
    """Something was asked in it, with this scope; `title` is for one that has none."""
    connection.execute(_SQL["touch_thread"], {"id": thread_id, "title": title, "scope": Jsonb(scope)})


def remove_thread(connection: Connection, thread_id: UUID) -> bool:
    return connection.execute(_SQL["remove_thread"], {"id": thread_id}).rowcount == 1


def add_message(
    connection: Connection,
    identity: Identity,
    thread_id: UUID,
    question: str,
    asked_as: str | None,
    scope: dict[str, Any],
) -> UUID:
    values = {"thread_id": thread_id, "question": question, "asked_as": asked_as, "scope": Jsonb(scope)}
    return _add(connection, identity, "add_message", values)


def get_message(connection: Connection, thread_id: UUID, message_id: UUID) -> Row | None:
    return connection.execute(_SQL["get_message"], {"thread_id": thread_id, "message_id": message_id}).fetchone()


def list_messages(connection: Connection, thread_id: UUID) -> list[Row]:
    """Oldest first."""
    return connection.execute(_SQL["list_messages"], {"thread_id": thread_id}).fetchall()


def add_answer(
    connection: Connection, identity: Identity, message_id: UUID, answer: dict[str, Any], documents: Collection[UUID]
) -> UUID:
    """`documents` are those that the answer quotes; what it quotes of one that is not there any more is left out."""
    held = hold_documents(connection, documents)
    gone = [one for one in documents if one not in held]
    values = {"message_id": message_id, "answer": Jsonb(answer), "document_ids": held, "gone": gone}
    return _add(connection, identity, "add_answer", values)


def list_answers(connection: Connection, thread_id: UUID) -> list[Row]:
    """Oldest first, of all messages."""
    return connection.execute(_SQL["list_answers"], {"thread_id": thread_id}).fetchall()


def get_answer(connection: Connection, thread_id: UUID, answer_id: UUID) -> Row | None:
    """With its question, as it was asked, and the scope of that."""
    return connection.execute(_SQL["get_answer"], {"thread_id": thread_id, "answer_id": answer_id}).fetchone()


def quoting(connection: Connection, document_id: UUID) -> list[Row]:
    """Answers that quote the document, with their questions, oldest first."""
    return connection.execute(_SQL["quoting"], {"document_id": document_id}).fetchall()


def judge_answer(connection: Connection, answer_id: UUID, verdict: str | None, note: str | None) -> None:
    """What its asker says of it; None: nothing any more."""
    connection.execute(_SQL["judge_answer"], {"answer_id": answer_id, "verdict": verdict, "note": note})


def visible(connection: Connection, chunk_ids: Collection[UUID]) -> set[UUID]:
    """Those of the chunks that are there and may be read."""
    return {row["id"] for row in connection.execute(_SQL["visible"], {"chunk_ids": list(chunk_ids)})}


def _add(connection: Connection, identity: Identity, statement: str, values: Row) -> UUID:
    own = {"organization_id": identity.organization_id, "asker_id": identity.user_id, "id": new_id()}
    connection.execute(_SQL[statement], values | own)
    return own["id"]
