"""Links that show a conversation to whoever has them, for some days, as far as who made them may see it."""

from uuid import UUID

from shared.access import reading
from shared.answering import sharing as links
from shared.answering.sharing import NO_SHARE
from shared.answering.threads.service import find_thread, require_person
from shared.answering.threads.shapes import (
    MadeShare,
    NewShare,
    Share,
    SharedAnswer,
    SharedCitation,
    SharedMessage,
    SharedSentence,
    SharedThread,
    ThreadAnswer,
)
from shared.answering.threads.showing import shown_messages
from shared.domain.knowledge import Hit
from shared.domain.scope import Identity
from shared.errors import BadInput, NotFound
from shared.plans.quota import check_shares
from shared.runtime import Runtime
from shared.store import threads as rows
from shared.store.connect import Row
from shared.store.shares import Shown


def create_share(runtime: Runtime, identity: Identity, thread_id: UUID, wanted: NewShare) -> MadeShare:
    """A link to the conversation as it is now. Raises NotFound, PlanExhausted, BadInput (nothing was answered yet)."""
    require_person(identity)
    check_shares(runtime, identity)
    with reading(runtime, identity) as connection:
        find_thread(connection, thread_id)
        answers = rows.list_answers(connection, thread_id)
        if not answers:
            raise BadInput("Nothing was answered in this conversation yet: there is nothing to show.")
        return links.make_share(connection, identity, Shown(thread_id, answers[-1]["id"]), wanted.days)


def list_shares(runtime: Runtime, identity: Identity, thread_id: UUID) -> list[Share]:
    """All of the conversation, ended ones too, oldest first. Raises NotFound."""
    with runtime.database.transaction(identity.scope()) as connection:
        find_thread(connection, thread_id)
        return links.list_shares(connection, identity, Shown(thread_id))


def revoke_share(runtime: Runtime, identity: Identity, thread_id: UUID, share_id: UUID) -> Share:
    """From now on it shows nothing. Raises NotFound."""
    require_person(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        find_thread(connection, thread_id)
        return links.revoke_share(connection, identity, Shown(thread_id), share_id)


def read_share(runtime: Runtime, identity: Identity, share: Row) -> SharedThread:
    """What the link shows, of what `links.find_share` gave: what its maker may see now, of what was there then. Raises
    NotFound where it has ended meanwhile."""
    with runtime.database.transaction(identity.scope(*share["base_ids"])) as connection:
        thread = rows.get_thread(connection, share["thread_id"])
        if thread is None:
            raise NotFound(NO_SHARE)
        answers = [row for row in rows.list_answers(connection, thread["id"]) if row["id"] <= share["until_id"]]
        shown = shown_messages(connection, rows.list_messages(connection, thread["id"]), answers)
    messages = [
        SharedMessage(question=one.question, asked_as=one.asked_as, answers=[_shared(answer) for answer in one.answers])
        for one in shown
        if one.answers
    ]
    return SharedThread(
        title=thread["title"], shared_at=share["created_at"], expires_at=share["expires_at"], messages=messages
    )


def _shared(one: ThreadAnswer) -> SharedAnswer:
    """Without its cost, its trace, what was found beside it, and what was noted of it."""
    answer = one.answer
    fields = ("answer", "mode", "model", "insufficient_evidence")
    return SharedAnswer(
        **{name: getattr(answer, name) for name in fields},
        contradictions=[pair.model_copy(update={"sides": []}) for pair in answer.contradictions],
        sentences=[
            SharedSentence(**{name: getattr(sentence, name) for name in SharedSentence.model_fields})
            for sentence in answer.sentences
        ],
        citations=[_citation(hit) for hit in answer.citations],
        created_at=one.created_at,
    )


def _citation(hit: Hit) -> SharedCitation:
    return SharedCitation(
        chunk_id=hit.chunk.id,
        document=hit.document.name,
        version=hit.version.label if hit.version else None,
        section=hit.chunk.section_path,
        page=hit.chunk.first_page,
        text=hit.chunk.content,
        kept_row=hit.kept_row,
    )
