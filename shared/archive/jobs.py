"""Exports that somebody waits for: asked for by one process, done by another, with their state in the object store.

The request is an object that the application alone may write; its event starts the export. The outcome lies beside the
archive. Both are deleted by the bucket's own rule after a week.
"""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from shared.access import check_knowledge_base, reading, require_admin
from shared.archive.container import ArchiveWriter, WrittenMember
from shared.archive.exporting import ExportState, begin_export, documents_of, end_export, write_files, write_rows
from shared.archive.outcomes import (
    SLICE_S,
    JobOutcome,
    RunBudget,
    check_in_time,
    is_late,
    is_over,
    read_outcome,
    run_once,
)
from shared.contract import MAX_ARCHIVE_BYTES, export_archive_key, export_outcome_key, export_request_key
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.errors import BadInput, Busy, NotFound
from shared.runtime import Runtime
from shared.store import archive_jobs as rows
from shared.store.audit import note
from shared.store.connect import Connection, tried_again

# All of them but the last; S3 takes 10,000 of one upload, from 5 MB on.
PART_BYTES: int = 16 * 1024 * 1024
TOO_LONG: Final = "The export stands still: its runs were stopped. Ask for it again, and tell the operator its id."
FULL: Final = "A file that is exported has no room in the 10 GB that one run has. Tell the operator the export's id."
TOO_LARGE: Final = (
    "The archive would be larger than {} GB, and no deployment takes that back. Export the knowledge bases one by one;"
    " divide one that is larger by itself."
)
FAILED: Final = "The export failed on our side. Ask for it again, and tell the operator its id if it stays."


class WantedExport(BaseModel):
    """One knowledge base, or (null) the whole organization."""

    model_config = ConfigDict(extra="forbid")

    knowledge_base_id: UUID | None = None


class ExportJob(BaseModel):
    """An export: `progress` is 0 to 1; `url` is good for five minutes, ask again for another one."""

    id: UUID
    status: Literal["running", "ready", "failed"]
    knowledge_base_id: UUID | None
    requested_at: datetime
    progress: float = 0
    error: str | None = None
    url: str | None = None
    bytes: int | None = None
    members_sha256: str | None = None


class _Request(WantedExport):
    identity: Identity
    requested_at: datetime


class _Outcome(JobOutcome):
    bytes: int | None = None
    members_sha256: str | None = None


def request_export(runtime: Runtime, identity: Identity, wanted: WantedExport) -> ExportJob:
    """Raises Forbidden below admin, NotFound for a knowledge base that the caller does not see."""
    require_admin(identity)
    job, now, base = new_id(), datetime.now(UTC), wanted.knowledge_base_id
    with reading(runtime, identity) as connection:
        if base is not None:
            check_knowledge_base(connection, base)
        note(connection, identity, "export.request", job, base)
    request = _Request(knowledge_base_id=base, identity=identity, requested_at=now)
    key = export_request_key(str(identity.organization_id), str(job))
    runtime.blobs.put(key, request.model_dump_json().encode(), "application/json")
    return ExportJob(id=job, status="running", knowledge_base_id=base, requested_at=now)


def get_export(runtime: Runtime, identity: Identity, job: UUID) -> ExportJob:
    """Raises Forbidden below admin; NotFound for one that was not asked for, is of another organization, or is a week
    old."""
    require_admin(identity)
    organization = str(identity.organization_id)
    try:
        request = _Request.model_validate_json(runtime.blobs.get(export_request_key(organization, str(job))))
    except NotFound as gone:
        raise NotFound(f"There is no export {job}. Exports are kept for a week; ask for another one.") from gone
    known = ExportJob(
        id=job, status="running", knowledge_base_id=request.knowledge_base_id, requested_at=request.requested_at
    )
    outcome = read_outcome(runtime, export_outcome_key(organization, str(job)), _Outcome)
    if outcome is None or not outcome.is_final:
        with reading(runtime, identity) as connection:
            progress, since = rows.find_progress(connection, job) or (0.0, request.requested_at)
        late = {"status": "failed", "error": TOO_LONG}
        return known.model_copy(update=late if is_late(since) else {"progress": progress})
    if outcome.error is not None:
        return known.model_copy(update={"status": "failed", "error": outcome.error})
    url = runtime.blobs.read_url(export_archive_key(organization, str(job)))
    found = outcome.model_dump(include={"bytes", "members_sha256"})
    return known.model_copy(update={"status": "ready", "progress": 1.0, "url": url, **found})


def run_export(runtime: Runtime, key: str, budget: RunBudget | None = None) -> bool:
    """Does some of what the request at `key` asks for, unless it was done; returns whether there is more for another
    run. Raises what may pass: the event comes again."""
    budget = budget or RunBudget()
    organization, job = key.split("/")[1], UUID(Path(key).stem)
    request = _Request.model_validate_json(runtime.blobs.get(key))
    outcome = export_outcome_key(organization, str(job))
    try:
        return run_once(runtime, outcome, _Outcome, lambda: _slices(runtime, request, job, budget), FAILED, FULL)
    finally:  # the last failure raises, and is final all the same
        if is_over(runtime, outcome, _Outcome):
            with runtime.database.transaction(request.identity.scope()) as connection:
                rows.remove_job(connection, job)


def _slices(runtime: Runtime, request: _Request, job: UUID, budget: RunBudget) -> _Outcome | None:
    with runtime.database.transaction(request.identity.scope()) as connection:
        known = rows.find_progress(connection, job)
    check_in_time(request.requested_at if known is None else known[1], TOO_LONG)
    while (done := _slice(runtime, request, job, budget)) is None and budget.has_more():
        continue
    return done


@tried_again
def _slice(runtime: Runtime, request: _Request, job: UUID, budget: RunBudget) -> _Outcome | None:
    """What some seconds suffice for, in a transaction that notes where the next slice goes on: each begins with a look
    at all rows."""
    identity, until = request.identity, time.monotonic() + SLICE_S
    key = export_archive_key(str(identity.organization_id), str(job))
    wish = [] if request.knowledge_base_id is None else [request.knowledge_base_id]
    with reading(runtime, identity, wish, snapshot=True) as connection:
        if rows.find_progress(connection, job) is None:
            begun = begin_export(connection, identity, wish).model_dump(mode="json")
            rows.add_job(connection, identity.organization_id, job, "export", begun, runtime.blobs.begin_upload(key))
        held = rows.hold_job(connection, job)
        if held is None or held.upload is None:
            raise Busy("Another run is at this export.")
        state = ExportState.model_validate(held.state)
        if state.phase == "whole":
            _put_together(runtime, key, held.upload, held.parts)
            return _Outcome(bytes=state.at, members_sha256=state.members_sha256)

        def go_on() -> bool:
            return budget.spend() and time.monotonic() < until

        first, parts = state.members, _Parts(runtime, key, held.upload, len(held.parts), held.tail)
        with ArchiveWriter(parts.write, parts.keep, state.at, state.members, state.bytes) as writer:
            _go_on(runtime, request, connection, job, state, writer, go_on)
            parts.send(last=state.phase == "whole")
            state.at, state.members, state.bytes = writer.at, writer.members, writer.bytes
        if state.at > MAX_ARCHIVE_BYTES:
            raise BadInput(TOO_LARGE.format(MAX_ARCHIVE_BYTES // 1024**3))
        rows.add_members(connection, identity.organization_id, job, first, parts.members)
        kept = state.model_dump(mode="json")
        rows.keep_job(connection, job, kept, state.progress, parts.sent, bytes(parts.tail))
    return None


def _go_on(
    runtime: Runtime,
    request: _Request,
    connection: Connection,
    job: UUID,
    state: ExportState,
    writer: ArchiveWriter,
    go_on: Callable[[], bool],
) -> None:
    """Some of the phase that the export is in. Files follow in another transaction than rows, which sees whether
    documents were changed meanwhile, and the end in another one than files."""
    documents = documents_of(connection, state)
    if state.phase == "rows":
        if write_rows(connection, state, writer, go_on):
            state.phase, state.base = "files", 0
    elif state.phase == "files":
        if write_files(runtime, request.identity, state, documents, writer, go_on):
            state.phase = "end"
    else:

        def members() -> Iterator[WrittenMember]:
            return map(WrittenMember.model_validate, rows.list_members(connection, job))

        state.members_sha256 = end_export(state, writer, members).members_sha256
        state.phase = "whole"


def _put_together(runtime: Runtime, key: str, upload: str, parts: list[str]) -> None:
    """A run may have been killed just after it."""
    try:
        runtime.blobs.end_upload(key, upload, parts)
    except NotFound:
        if not runtime.blobs.exists(key):
            raise


class _Parts:
    """What a slice writes, in parts behind those that were sent: what is too short to be one is the next slice's."""

    def __init__(self, runtime: Runtime, key: str, upload: str, before: int, tail: bytes) -> None:
        self._runtime, self._key, self._upload, self._before = runtime, key, upload, before
        self.tail, self.sent, self.members = bytearray(tail), list[str](), list[dict[str, Any]]()

    def keep(self, member: WrittenMember) -> None:
        self.members.append(member.model_dump(mode="json"))

    def write(self, data: bytes) -> None:
        self.tail += data
        self.send()

    def send(self, *, last: bool = False) -> None:
        """Sends what is a whole part; of the last ones, whatever is left."""
        while len(self.tail) >= PART_BYTES or (last and self.tail):
            part = bytes(self.tail[:PART_BYTES])
            number = self._before + len(self.sent) + 1
            self.sent.append(self._runtime.blobs.put_part(self._key, self._upload, number, part))
            del self.tail[:PART_BYTES]
