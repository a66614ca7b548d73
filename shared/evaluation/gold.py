"""Gold questions stored in a knowledge base."""

from collections.abc import Sequence
from uuid import UUID

from shared.access import changing, check_knowledge_base, reading
from shared.domain.evaluation import (
    PLACES_MAX,
    QUESTIONS_MAX,
    QUOTE_MAX,
    GoldInput,
    GoldPlace,
    GoldQuestion,
    NewGold,
)
from shared.domain.scope import Identity
from shared.errors import BadInput, Conflict, NotFound
from shared.evaluation.claims import read_claim
from shared.evaluation.quotes import content_hash
from shared.runtime import Runtime
from shared.store import evaluation as rows
from shared.store.audit import note
from shared.store.connect import Connection


def add_gold(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, new: NewGold, source: str) -> GoldQuestion:
    """Adds a question; an existing one gets the new places as well.

    Raises NotFound (knowledge base, chunk), BadInput (no place, too many questions) and Conflict.
    """
    with changing(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        return put_new_gold(connection, identity, knowledge_base_id, new, source)


def put_new_gold(
    connection: Connection, identity: Identity, knowledge_base_id: UUID, new: NewGold, source: str
) -> GoldQuestion:
    """The same, in an open change of the knowledge base."""
    places = [*new.expected, *_places(connection, knowledge_base_id, new.chunk_ids)]
    if (new.kind == "negative") != (not places):
        raise BadInput("Say what answers the question (a chunk, or a document and page), or call it negative.")
    if new.attribute is not None:
        read_claim(new.attribute)
    question = GoldInput(
        question=new.question,
        kind=new.kind,
        expected=places[:PLACES_MAX],
        pin=new.pin,
        answer=new.answer,
        attribute=new.attribute,
    )
    return _put(connection, identity, knowledge_base_id, [question], source)[0]


def import_gold(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, questions: Sequence[GoldInput], source: str
) -> list[GoldQuestion]:
    """Adds all questions or none; importing a file twice changes nothing. Raises NotFound, BadInput (too many),
    Conflict."""
    with changing(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        for question in questions:
            if question.attribute is not None:
                read_claim(question.attribute)
        return _put(connection, identity, knowledge_base_id, questions, source)


def list_gold(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, after: UUID | None, limit: int
) -> list[GoldQuestion]:
    """Oldest first, from behind `after`. Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        return rows.list_gold(connection, knowledge_base_id, after, limit)


def delete_gold(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, gold_id: UUID) -> None:
    """Raises NotFound."""
    with changing(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        if not rows.delete_gold(connection, knowledge_base_id, gold_id):
            raise NotFound(f"There is no gold question {gold_id} in this knowledge base. List those there are.")
        note(connection, identity, "gold.delete", gold_id, knowledge_base_id)


def _put(
    connection: Connection, identity: Identity, knowledge_base_id: UUID, questions: Sequence[GoldInput], source: str
) -> list[GoldQuestion]:
    rows.lock_gold(connection, knowledge_base_id)
    note(connection, identity, "gold.put", None, knowledge_base_id, questions=len(questions))
    wanted: dict[str, GoldInput] = {}
    known = rows.gold_by_key(connection, knowledge_base_id, [question.key for question in questions])
    for question in questions:
        wanted[question.key] = merge(wanted.get(question.key) or known.get(question.key), question)
    stored = rows.put_gold(connection, identity, knowledge_base_id, list(wanted.values()), source)
    if rows.count_gold(connection, knowledge_base_id) > QUESTIONS_MAX:
        raise BadInput(f"A knowledge base keeps {QUESTIONS_MAX} gold questions at most. Delete some first.")
    return stored


def merge(known: GoldInput | None, new: GoldInput) -> GoldInput:
    """The question with the places of both. Raises Conflict where one of them says that there is no answer."""
    if known is None:
        return new
    if known.kind != new.kind:
        raise Conflict(f"`{new.question}` is here as {known.kind}. Delete it first if that is no longer so.")
    places = list(dict.fromkeys([*known.expected, *new.expected]))[:PLACES_MAX]
    return known.model_copy(update={"expected": places, "answer": new.answer or known.answer})


def _places(connection: Connection, knowledge_base_id: UUID, ids: Sequence[UUID]) -> list[GoldPlace]:
    found = rows.places_of_chunks(connection, knowledge_base_id, ids)
    for chunk_id in ids:
        if chunk_id not in found:
            raise NotFound(f"There is no chunk {chunk_id} in this knowledge base.")
    return [
        GoldPlace(
            document=row["name"],
            page=row["first_page"],
            quote=row["content"][:QUOTE_MAX],
            content_hash=content_hash(row["content"]),
        )
        for row in (found[chunk_id] for chunk_id in ids)
    ]
