"""Conversations: begun, listed, read, renamed, deleted, and asked in. Each is its asker's alone."""

from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from shared.access import reading, require_writing
from shared.answering.events import AskEvent, Tell, tell_nobody
from shared.answering.threads.models import pick_model
from shared.answering.threads.shapes import (
    TITLE_MAX,
    AskedMessage,
    NewAnswer,
    NewThread,
    Thread,
    ThreadChange,
    ThreadQuestion,
    WholeThread,
    scope_of,
)
from shared.answering.threads.showing import shown_messages, stored_form
from shared.domain.scope import Identity
from shared.errors import BadInput, Forbidden, NotFound
from shared.plans.quota import check_question
from shared.retrieval.requests import AskRequest, AskScope
from shared.runtime import Runtime
from shared.store import threads as rows
from shared.store.audit import note
from shared.store.connect import Connection, Row

# One is read as a whole.
ANSWERS_MAX: Final = 100


def create_thread(runtime: Runtime, identity: Identity, new: NewThread) -> Thread:
    """Raises Forbidden for a machine's key, NotFound for a knowledge base that the asker does not see."""
    require_person(identity)
    with reading(runtime, identity, new.scope.knowledge_base_ids) as connection:
        thread_id = rows.add_thread(connection, identity, new.title, new.scope.model_dump(mode="json"))
        return _thread(find_thread(connection, thread_id))


def list_threads(
    runtime: Runtime, identity: Identity, words: str, before: tuple[datetime, UUID] | None, limit: int
) -> list[Thread]:
    """One's own, those that were asked in last first; with all of `words` in their title, their questions or
    what of their answers is to be seen now."""
    with reading(runtime, identity) as connection:
        return [_thread(row) for row in rows.list_threads(connection, words.lower().split(), before, limit)]


def get_thread(runtime: Runtime, identity: Identity, thread_id: UUID) -> WholeThread:
    """With all messages, as far as its asker may see now what they quote. Raises NotFound, the same for somebody
    else's."""
    with reading(runtime, identity) as connection:
        found = _thread(find_thread(connection, thread_id))
        messages, answers = rows.list_messages(connection, thread_id), rows.list_answers(connection, thread_id)
        return WholeThread(**found.model_dump(), messages=shown_messages(connection, messages, answers))


def change_thread(runtime: Runtime, identity: Identity, thread_id: UUID, change: ThreadChange) -> Thread:
    """Raises NotFound, and Forbidden for what was made to read."""
    require_person(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        find_thread(connection, thread_id)
        rows.rename_thread(connection, thread_id, change.title)
        return _thread(find_thread(connection, thread_id))


def delete_thread(runtime: Runtime, identity: Identity, thread_id: UUID) -> None:
    """With its answers, its links, and what was said of it to editors. Raises NotFound."""
    require_person(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        find_thread(connection, thread_id)
        rows.remove_thread(connection, thread_id)
        note(connection, identity, "thread.delete", thread_id)


def ask_in_thread(
    runtime: Runtime, identity: Identity, thread_id: UUID, asked: ThreadQuestion, tell: Tell = tell_nobody
) -> AskedMessage:
    """Answers as `answering.service.ask` does, and keeps question and answer. Tells `asked` before its events and
    `message` behind them. A question that could not be answered stays without an answer; where the month's answers
    are used up, none is kept. Raises as that does, and NotFound (thread), BadInput (a conversation that is too long).
    """
    from shared.answering.threads.rewriting import rewrite

    require_person(identity)
    if not asked.question.strip():
        raise BadInput("The question is empty.")
    with reading(runtime, identity) as connection:
        thread = _thread(find_thread(connection, thread_id))
        _require_room(connection, thread_id)
        # Before a model is paid to make the question stand alone.
        check_question(connection, identity.organization_id, runtime.limits)
    scope = asked.scope or thread.scope
    with reading(runtime, identity, scope.knowledge_base_ids) as connection:
        former = [row["asked_as"] or row["question"] for row in rows.list_messages(connection, thread_id)]
    asked_as = rewrite(runtime, identity, asked.question, former) if asked.rewrite else None
    with reading(runtime, identity, scope.knowledge_base_ids) as connection:
        kept = scope.model_dump(mode="json")
        message_id = rows.add_message(connection, identity, thread_id, asked.question, asked_as, kept)
        rows.touch_thread(connection, thread_id, _title(asked.question), kept)
    return _answer(runtime, identity, thread_id, message_id, scope, tell)


def require_person(identity: Identity) -> None:
    """Raises Forbidden for what was made to read, and for a machine's key."""
    require_writing(identity)
    if identity.is_machine:
        raise Forbidden("A machine's key keeps no conversations. Ask by POST /v1/ask.")


def answer_again(
    runtime: Runtime, identity: Identity, thread_id: UUID, message_id: UUID, wanted: NewAnswer, tell: Tell = tell_nobody
) -> AskedMessage:
    """A further answer to a question, by the model that is wanted. Raises as `ask_in_thread` does."""
    require_person(identity)
    model = pick_model(runtime, wanted.model)
    with reading(runtime, identity) as connection:
        find_thread(connection, thread_id)
        message = _message(connection, thread_id, message_id)
        _require_room(connection, thread_id)
    chosen = replace(runtime, load_answerer=lambda: model)
    return _answer(chosen, identity, thread_id, message_id, scope_of(message["scope"]), tell)


def find_thread(connection: Connection, thread_id: UUID) -> Row:
    """Raises NotFound."""
    found = rows.get_thread(connection, thread_id)
    if found is None:
        raise NotFound(f"There is no conversation {thread_id} of yours. List them, and take an id of them.")
    return found


def _answer(
    runtime: Runtime, identity: Identity, thread_id: UUID, message_id: UUID, scope: AskScope, tell: Tell
) -> AskedMessage:
    """A further answer to a message that is kept."""
    from shared.answering import service as answering

    with reading(runtime, identity) as connection:
        message = _message(connection, thread_id, message_id)
    question = message["asked_as"] or message["question"]
    told = {"message_id": str(message_id), "question": message["question"], "asked_as": message["asked_as"]}
    tell(AskEvent("asked", told))
    typed = message["question"] if message["asked_as"] else None
    answer = answering.ask(runtime, identity, AskRequest(question=question, **scope.model_dump()), tell, typed)
    stored, documents = stored_form(answer)
    with reading(runtime, identity) as connection:
        rows.add_answer(connection, identity, message_id, stored, documents)
        answers = [row for row in rows.list_answers(connection, thread_id) if row["message_id"] == message_id]
        shown = shown_messages(connection, [message], answers)[0]
    tell(AskEvent("message", shown.model_dump(mode="json")))
    return shown


def _message(connection: Connection, thread_id: UUID, message_id: UUID) -> Row:
    found = rows.get_message(connection, thread_id, message_id)
    if found is None:
        raise NotFound(f"There is no question {message_id} in this conversation.")
    return found


def _require_room(connection: Connection, thread_id: UUID) -> None:
    held = max(len(rows.list_answers(connection, thread_id)), len(rows.list_messages(connection, thread_id)))
    if held >= ANSWERS_MAX:
        raise BadInput(f"A conversation holds {ANSWERS_MAX} questions and as many answers. Begin another one.")


def _thread(row: Row) -> Thread:
    return Thread(**row | {"scope": scope_of(row["scope"])})


def _title(question: str) -> str:
    plain = " ".join(question.split())
    return plain if len(plain) <= TITLE_MAX else plain[: TITLE_MAX - 1].rstrip() + "…"
