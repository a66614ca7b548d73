"""Links that show a conversation to whoever has them, for some days, as far as who made them may see it."""

import re
import secrets
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from shared.access import reading
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
from shared.people.keys import hash_secret
from shared.plans.quota import check_shares
from shared.runtime import Runtime
from shared.store import threads as rows
from shared.store.audit import note
from shared.store.connect import Row
from shared.store.knowledge_bases import opened_knowledge_bases

SECRET: Final = re.compile(r"[A-Za-z0-9_-]{43}")
NO_SHARE: Final = "This link shows nothing: it has expired, was revoked, or never was one. Ask who sent it for another."


def create_share(runtime: Runtime, identity: Identity, thread_id: UUID, wanted: NewShare) -> MadeShare:
    """A link to the conversation as it is now. Raises NotFound, PlanExhausted, BadInput (nothing was answered yet)."""
    require_person(identity)
    check_shares(runtime, identity)
    secret = secrets.token_urlsafe(32)
    expires = datetime.now(UTC) + timedelta(days=wanted.days)
    with reading(runtime, identity) as connection:
        find_thread(connection, thread_id)
        answers = rows.list_answers(connection, thread_id)
        if not answers:
            raise BadInput("Nothing was answered in this conversation yet: there is nothing to show.")
        # What a key that is narrowed does not see, its link does not show.
        bases, last = opened_knowledge_bases(connection), answers[-1]["id"]
        share_id = rows.add_share(connection, identity, thread_id, hash_secret(secret), bases, last, expires)
        note(connection, identity, "share.create", share_id, thread=str(thread_id), days=wanted.days)
        made = next(row for row in rows.list_shares(connection, thread_id) if row["id"] == share_id)
    return MadeShare(**made, path=f"/shared/{secret}")


def list_shares(runtime: Runtime, identity: Identity, thread_id: UUID) -> list[Share]:
    """All of the conversation, ended ones too, oldest first. Raises NotFound."""
    with runtime.database.transaction(identity.scope()) as connection:
        find_thread(connection, thread_id)
        return [Share(**row) for row in rows.list_shares(connection, thread_id)]


def revoke_share(runtime: Runtime, identity: Identity, thread_id: UUID, share_id: UUID) -> Share:
    """From now on it shows nothing. Raises NotFound."""
    require_person(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        find_thread(connection, thread_id)
        revoked = rows.revoke_share(connection, thread_id, share_id)
        if revoked is None:
            raise NotFound(f"There is no link {share_id} to this conversation. List those there are.")
        note(connection, identity, "share.revoke", share_id, thread=str(thread_id))
    return Share(**revoked)


def find_share(runtime: Runtime, secret: str) -> tuple[Identity, Row]:
    """Whose link this is: they, as whom it is read. Raises NotFound, the same for all that are not in force."""
    found = None
    if SECRET.fullmatch(secret):
        with runtime.database.alone() as connection:
            found = rows.share_of(connection, hash_secret(secret))
    if found is None:
        raise NotFound(NO_SHARE)
    names = {"organization_id": found["organization_id"], "user_id": found["asker_id"], "role": found["role"]}
    return Identity(**names, read_only=True), found


def read_share(runtime: Runtime, identity: Identity, share: Row) -> SharedThread:
    """What the link shows, of what `find_share` gave: what its maker may see now, of what was there then. Raises
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
    fields = ("answer", "mode", "model", "insufficient_evidence", "contradictions")
    return SharedAnswer(
        **{name: getattr(answer, name) for name in fields},
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
    )
