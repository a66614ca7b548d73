"""Imports that somebody waits for: the archive is sent to the object store, and its arrival starts the import.

What was asked for and what became of it lie beside the archive. The archive goes when the import has an end, and the
bucket's own rule deletes all three after a week.
"""

import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from shared.access import reading, require_admin
from shared.archive.container import ArchiveReader
from shared.archive.erasing import delete_failed_import
from shared.archive.importing import (
    ImportedBase,
    ImportState,
    begin_import,
    find_imported,
    finish_import,
    import_slice,
)
from shared.archive.outcomes import (
    LATE,
    SLICE_S,
    JobOutcome,
    RunBudget,
    check_in_time,
    is_late,
    is_over,
    read_outcome,
    run_once,
)
from shared.archive.ranges import open_object
from shared.contract import MAX_ARCHIVE_BYTES, import_archive_key, import_folder, import_outcome_key, import_request_key
from shared.domain.ids import new_id
from shared.domain.scope import Identity, Scope
from shared.errors import BadInput, Busy, NotFound
from shared.library.knowledge_bases import NAME_MAX
from shared.ports import StoredObject
from shared.runtime import Runtime
from shared.store import archive_jobs as rows
from shared.store.archive import check_constraints, lock_import
from shared.store.audit import note
from shared.store.connect import tried_again

# The most that S3 takes in one request: what is larger is sent in parts, of which it takes 10,000.
ONE_REQUEST_BYTES: int = 5 * 1024**3
PART_BYTES: int = 64 * 1024**2
# Addresses of parts that are made at once.
PARTS_AT_ONCE: Final = 100
LISTED: Final = 20
NOT_ENDED: Final = (
    "The import stands still: its runs were stopped. Nothing of it is here. Send the archive again, and tell the"
    " operator the import's id."
)
FULL: Final = (
    "A file of the archive has no room in the 10 GB that one run has. Nothing of it is here. Tell the operator the"
    " import's id."
)
OTHER_SIZE: Final = (
    "{:,} bytes of the archive arrived, and {:,} were announced. Nothing of it is here. Send the archive again."
)
FAILED: Final = "The import failed on our side. Send it again, and tell the operator its id if it stays."


class WantedImport(BaseModel):
    """An archive of `size` bytes; its only knowledge base is called `name` if that is given."""

    model_config = ConfigDict(extra="forbid")

    size: int = Field(gt=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    name: str | None = Field(default=None, max_length=NAME_MAX)


class ImportJob(BaseModel):
    """An import: it waits for its archive, and runs once that was sent; `progress` is 0 to 1."""

    id: UUID
    status: Literal["waiting", "running", "ready", "failed"]
    requested_at: datetime
    bytes: int
    progress: float = 0
    error: str | None = None
    knowledge_bases: list[ImportedBase] = []


class AskedImport(ImportJob):
    """The job, and how to send its archive: `method`, `url`, `headers` and the form's `fields`; or, what is larger than
    one request, `parts` of `part_bytes` each but the last."""

    upload: dict[str, Any]


class WantedParts(BaseModel):
    """Numbers of parts, from 1, that are sent next."""

    model_config = ConfigDict(extra="forbid")

    numbers: list[int] = Field(min_length=1, max_length=PARTS_AT_ONCE)


class PartPlaces(BaseModel):
    """Where to PUT each of the wanted parts, in their order; good for a quarter of an hour."""

    urls: list[str]


class SentParts(BaseModel):
    """The `ETag` that the store answered to each part, in their order: all of them."""

    model_config = ConfigDict(extra="forbid")

    tags: list[str] = Field(min_length=1, max_length=10_000)


class _Request(WantedImport):
    identity: Identity
    requested_at: datetime
    upload: str | None = None

    @property
    def parts(self) -> int:
        return -(-self.size // PART_BYTES)


class _Outcome(JobOutcome):
    knowledge_bases: list[ImportedBase] = Field(default_factory=list)


def request_import(runtime: Runtime, identity: Identity, wanted: WantedImport) -> AskedImport:
    """Raises Forbidden below admin, BadInput for an archive that is larger than any deployment takes."""
    require_admin(identity)
    if wanted.size > MAX_ARCHIVE_BYTES:
        raise BadInput(
            f"The archive has {wanted.size / 1024**3:.1f} GB; a deployment takes {MAX_ARCHIVE_BYTES // 1024**3} GB."
            " Export the knowledge bases one by one (`autri export KB FILE`), and import each of them."
        )
    job, now, organization = new_id(), datetime.now(UTC), str(identity.organization_id)
    with reading(runtime, identity) as connection:
        note(connection, identity, "import.request", job)
    target = import_archive_key(organization, str(job))
    in_parts = wanted.size > ONE_REQUEST_BYTES
    upload = runtime.blobs.begin_upload(target) if in_parts else None
    request = _Request(**wanted.model_dump(), identity=identity, requested_at=now, upload=upload)
    key = import_request_key(organization, str(job))
    runtime.blobs.put(key, request.model_dump_json().encode(), "application/json")
    if in_parts:
        place: dict[str, Any] = {"parts": request.parts, "part_bytes": PART_BYTES}
    else:
        place = vars(runtime.blobs.upload_target(target, wanted.size, wanted.sha256))
    return AskedImport(id=job, status="waiting", requested_at=now, bytes=wanted.size, upload=place)


def place_parts(runtime: Runtime, identity: Identity, job: UUID, wanted: WantedParts) -> PartPlaces:
    """Where parts of the archive are sent. Raises Forbidden below admin, NotFound as `get_import` does, BadInput for a
    part that the archive has not, or where it is sent in one."""
    require_admin(identity)
    request = _find(runtime, identity, job)
    upload = _in_parts(request)
    if not all(1 <= number <= request.parts for number in wanted.numbers):
        raise BadInput(f"The archive has the parts 1 to {request.parts}.")
    key = import_archive_key(str(identity.organization_id), str(job))
    return PartPlaces(urls=[runtime.blobs.part_url(key, upload, number) for number in wanted.numbers])


def end_parts(runtime: Runtime, identity: Identity, job: UUID, sent: SentParts) -> ImportJob:
    """Makes the archive of its parts, which starts the import; where that was done, it stays so. Raises BadInput where
    parts are missing or others than were sent, NotFound where the store has none of them any more."""
    require_admin(identity)
    request = _find(runtime, identity, job)
    upload = _in_parts(request)
    if len(sent.tags) != request.parts:
        raise BadInput(f"The archive has {request.parts} parts, and {len(sent.tags)} were sent. Send the others too.")
    with suppress(NotFound):  # it is whole already
        runtime.blobs.end_upload(import_archive_key(str(identity.organization_id), str(job)), upload, sent.tags)
    found = get_import(runtime, identity, job)
    if found.status == "waiting":
        raise NotFound("The parts that were sent are not kept any more. Ask for another import, and send them again.")
    return found


def _in_parts(request: _Request) -> str:
    if request.upload is None:
        raise BadInput("The archive is sent in one request, as the answer to the one that asked for the import says.")
    return request.upload


def _find(runtime: Runtime, identity: Identity, job: UUID) -> _Request:
    key = import_request_key(str(identity.organization_id), str(job))
    try:
        return _Request.model_validate_json(runtime.blobs.get(key))
    except NotFound as gone:
        raise NotFound(f"There is no import {job}. What became of one is kept for a week.") from gone


def list_imports(runtime: Runtime, identity: Identity) -> list[ImportJob]:
    """The last LISTED that were asked for within a week, newest first. Raises Forbidden below admin."""
    require_admin(identity)
    keys = runtime.blobs.list(import_folder(str(identity.organization_id)))
    jobs = sorted({UUID(key.split("/")[2]) for key in keys}, reverse=True)[:LISTED]  # their ids are in order of time
    found: list[ImportJob] = []
    for job in jobs:
        with suppress(NotFound):  # a week old meanwhile
            found.append(get_import(runtime, identity, job))
    return found


def get_import(runtime: Runtime, identity: Identity, job: UUID) -> ImportJob:
    """Raises Forbidden below admin; NotFound for one that was not asked for, is of another organization, or is a week
    old."""
    require_admin(identity)
    organization = str(identity.organization_id)
    request = _find(runtime, identity, job)
    known = ImportJob(id=job, status="waiting", requested_at=request.requested_at, bytes=request.size)
    outcome = read_outcome(runtime, import_outcome_key(organization, str(job)), _Outcome)
    if outcome is None or not outcome.is_final:
        arrived = _arrival(runtime, organization, str(job))
        if arrived is None:
            return known
        with reading(runtime, identity) as connection:
            progress, since = rows.find_progress(connection, job) or (0.0, arrived.changed_at)
        late = {"status": "failed", "error": NOT_ENDED}
        return known.model_copy(update=late if is_late(since) else {"status": "running", "progress": progress})
    status = "ready" if outcome.error is None else "failed"
    found = {
        "error": outcome.error,
        "progress": float(outcome.error is None),
        "knowledge_bases": outcome.knowledge_bases,
    }
    return known.model_copy(update={"status": status, **found})


def run_import(runtime: Runtime, key: str, budget: RunBudget | None = None) -> bool:
    """Imports some of the archive that arrived at `key`, unless that was done, and deletes it when that has an end;
    returns whether there is more for another run. Raises what may pass: the event comes again."""
    budget = budget or RunBudget()
    organization, job = key.split("/")[1:3]
    request = _Request.model_validate_json(runtime.blobs.get(import_request_key(organization, job)))
    outcome = import_outcome_key(organization, job)
    try:
        return run_once(runtime, outcome, _Outcome, lambda: _slices(runtime, request, UUID(job), budget), FAILED, FULL)
    finally:  # the last failure raises, and is final all the same
        if is_over(runtime, outcome, _Outcome):
            end_import(runtime, request.identity, UUID(job))
            runtime.blobs.delete(key)


def end_import(runtime: Runtime, identity: Identity, job: UUID) -> None:
    """Forgets the job; what it has brought and not finished is deleted."""
    with runtime.database.transaction(identity.scope()) as connection:
        held = rows.hold_job(connection, job)
    if held is not None:
        delete_failed_import(runtime, ImportState.model_validate(held.state).begun, identity.scope(), job)


def end_stopped(runtime: Runtime, scope: Scope) -> int:
    """Forgets exports and imports of the organization at which no run can be any more; what such an import has brought
    is deleted. Returns how many."""
    with runtime.database.transaction(scope) as connection:
        found = rows.list_idle(connection, LATE.total_seconds())
    for row in found:
        state = row["state"]
        begun = ImportState.model_validate(state).begun if row["kind"] == "import" else []
        delete_failed_import(runtime, begun, scope, row["id"])
    return len(found)


def _slices(runtime: Runtime, request: _Request, job: UUID, budget: RunBudget) -> _Outcome | None:
    organization = str(request.identity.organization_id)
    with reading(runtime, request.identity) as connection:
        here = find_imported(connection, job, request.requested_at)
        known = rows.find_progress(connection, job)
    if here is not None:  # a run was killed between its last row and its outcome
        return _Outcome(knowledge_bases=here)
    arrived = _arrival(runtime, organization, str(job))
    if arrived is None:
        return _Outcome(error=NOT_ENDED)
    if arrived.size != request.size:
        return _Outcome(error=OTHER_SIZE.format(arrived.size, request.size))
    check_in_time(arrived.changed_at if known is None else known[1], NOT_ENDED)
    require_admin(request.identity)
    with ArchiveReader(open_object(runtime.blobs, import_archive_key(organization, str(job)))) as archive:
        while (done := _slice(runtime, request, job, archive, budget)) is None and budget.has_more():
            continue
    return done


@tried_again
def _slice(
    runtime: Runtime, request: _Request, job: UUID, archive: ArchiveReader, budget: RunBudget
) -> _Outcome | None:
    """What some seconds suffice for, in a transaction that notes where the next slice goes on."""
    identity, until = request.identity, time.monotonic() + SLICE_S
    scope = identity.scope(*(base.id for base in archive.manifest.knowledge_bases))
    with runtime.database.transaction(scope) as connection:
        # A run that has ended since this one looked has no row any more: what it brought is here.
        if not lock_import(connection, job):
            raise Busy("Another run is at this import.")
        if rows.find_progress(connection, job) is None:
            here = find_imported(connection, job, request.requested_at)
            if here is not None:
                return _Outcome(knowledge_bases=here)
            begun = begin_import(connection, archive, request.name).model_dump(mode="json")
            rows.add_job(connection, identity.organization_id, job, "import", begun)
        held = rows.hold_job(connection, job)
        if held is None:
            raise Busy("Another run is at this import.")
        state = ImportState.model_validate(held.state)

        def go_on() -> bool:
            return budget.spend() and time.monotonic() < until

        if not import_slice(runtime, connection, identity, archive, state, request.name, go_on, shut=True):
            check_constraints(connection)
            rows.keep_job(connection, job, state.model_dump(mode="json"), state.progress)
            return None
        finish_import(runtime, connection, identity, archive, state, job)
        rows.remove_job(connection, job)
    return _Outcome(knowledge_bases=state.found)


def _arrival(runtime: Runtime, organization: str, job: str) -> StoredObject | None:
    """The archive as it came; None while it has not."""
    key = import_archive_key(organization, job)
    beside = runtime.blobs.entries(key.removesuffix(Path(key).name))
    return next((one for one in beside if one.key == key), None)
