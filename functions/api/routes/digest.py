"""A knowledge base's digest: its files in three tiers, their history, edits by people; and events, which it states."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Path, Query
from fastapi.responses import JSONResponse
from pydantic import AwareDatetime, BaseModel

from functions.api.caller import Reader
from functions.api.idempotency import Change
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed, number_cursor, page_of
from functions.api.routing import v1_router
from shared.digest import editing, events, service, updates
from shared.domain.digest import (
    DigestDiff,
    DigestEntry,
    DigestFile,
    DigestPast,
    DigestStatus,
    DigestUpdate,
    DigestVersion,
    EventWish,
    NewEvent,
    ReportedEvent,
    RestoreWish,
    StatementEdit,
    Tier,
    UpdateWish,
)

router = v1_router("digest")
BASE = "/knowledge-bases/{knowledge_base_id}/digest"
FILE = f"{BASE}/files/{{file_id}}"
Number = Annotated[int | None, Query(ge=1, lt=2**31, description="a version of the file, from 1")]


class RemovedEvent(BaseModel):
    """What is no longer there."""

    id: UUID


@router.get(BASE)
def get_digest(caller: Reader, knowledge_base_id: UUID) -> DigestStatus:
    """How the digest is: built, behind its sources, what is stale, uncited, by people."""
    return service.digest_status(caller.runtime, caller.identity, knowledge_base_id)


@router.post(f"{BASE}:update", response_model=DigestUpdate)
def update_digest(change: Change, knowledge_base_id: UUID, body: UpdateWish | None = None) -> JSONResponse:
    """Build the digest, or bring it in line with what has changed; where the answer says `more`, call again. It is also
    kept by itself, some minutes behind its sources. `write` says whether a model writes summaries, within the day's
    budget; whatever its passages do not bear out is left out."""
    who, wish = (change.runtime, change.identity, knowledge_base_id), body or UpdateWish()
    return change.answer(200, lambda: updates.update_digest(*who, wish), body)


@router.get(f"{BASE}/files")
def list_digest_files(
    caller: Reader,
    knowledge_base_id: UUID,
    tier: Annotated[Tier | None, Query(description="only those of this tier")] = None,
) -> PageOf[DigestEntry]:
    """All files of the digest by tier and path, without what they say."""
    found = service.list_digest_files(caller.runtime, caller.identity, knowledge_base_id, tier)
    return PageOf(items=found, next_cursor=None)


@router.get(FILE)
def get_digest_file(caller: Reader, knowledge_base_id: UUID, file_id: UUID) -> DigestFile:
    """A file as Markdown, and its lines: what each cites, whether that still stands, and whose it is."""
    return service.show_file(caller.runtime, caller.identity, knowledge_base_id, file_id)


@router.get(f"{FILE}/versions")
def list_digest_versions(
    caller: Reader, knowledge_base_id: UUID, file_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[DigestVersion]:
    """A file's versions, newest first."""
    before = number_cursor("digest versions", cursor) or None
    found = service.file_history(caller.runtime, caller.identity, knowledge_base_id, file_id, before, limit + 1)
    return page_of("digest versions", found, limit, lambda one: [one.number])


@router.get(f"{FILE}/versions/{{number}}")
def get_digest_version(
    caller: Reader, knowledge_base_id: UUID, file_id: UUID, number: Annotated[int, Path(ge=1, lt=2**31)]
) -> DigestPast:
    """What a file said in a version; what was deleted since is a dash."""
    return service.show_version(caller.runtime, caller.identity, knowledge_base_id, file_id, number)


@router.get(f"{FILE}/diff")
def diff_digest_versions(
    caller: Reader, knowledge_base_id: UUID, file_id: UUID, former: Number = None, later: Number = None
) -> DigestDiff:
    """What changed between two versions of a file; without them, with its last one."""
    return service.diff_versions(caller.runtime, caller.identity, knowledge_base_id, file_id, former, later)


@router.post(f"{FILE}/edits", response_model=DigestFile)
def edit_digest_file(change: Change, knowledge_base_id: UUID, file_id: UUID, body: StatementEdit) -> JSONResponse:
    """Change, add or take out one statement. It is yours from then on: every later update keeps it."""
    who = (change.runtime, change.identity, knowledge_base_id, file_id)
    return change.answer(200, lambda: editing.edit_file(*who, body), body)


@router.post(f"{FILE}/restore", response_model=DigestFile)
def restore_digest_version(change: Change, knowledge_base_id: UUID, file_id: UUID, body: RestoreWish) -> JSONResponse:
    """Have a file say again what it said in a version; what was deleted since does not come back."""
    who = (change.runtime, change.identity, knowledge_base_id, file_id)
    return change.answer(200, lambda: editing.restore_version(*who, body), body)


@router.post("/events", status_code=201, response_model=ReportedEvent)
def report_event(change: Change, body: NewEvent) -> JSONResponse:
    """Report what happened in another system: a deployment, a payment, a measurement. The digest states it, and cites
    it. The same event again, by its key or by all of it, is stored once."""
    return change.answer(201, lambda: events.report_event(change.runtime, change.identity, body), body)


@router.get("/events")
def list_events(
    caller: Reader,
    knowledge_base_id: UUID,
    kind: Annotated[str | None, Query(max_length=60, description="only those of this kind")] = None,
    since: Annotated[AwareDatetime | None, Query(description="that happened at this time or later")] = None,
    until: Annotated[AwareDatetime | None, Query(description="that happened before this time")] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> PageOf[ReportedEvent]:
    """A knowledge base's events, those that were reported last first, with the digest's files that state each."""
    wish = EventWish(kind, since, until)
    read = partial(events.list_events, caller.runtime, caller.identity, knowledge_base_id, wish)
    return listed("events", cursor, limit, read)


@router.delete("/events/{event_id}", response_model=RemovedEvent)
def delete_event(change: Change, event_id: UUID) -> JSONResponse:
    """Delete an event; what the digest says from it goes at once."""

    def act() -> RemovedEvent:
        events.delete_event(change.runtime, change.identity, event_id)
        return RemovedEvent(id=event_id)

    return change.answer(200, act)
