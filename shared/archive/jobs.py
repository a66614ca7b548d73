"""Exports that somebody waits for: asked for by one process, done by another, with their state in the object store.

The request is an object that the application alone may write; its event starts the export. The outcome lies beside the
archive. Both are deleted by the bucket's own rule after a week.
"""

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from shared.access import check_knowledge_base, reading, require_admin
from shared.archive.exporting import export_knowledge_base, export_organization
from shared.archive.manifest import Manifest
from shared.archive.outcomes import JobOutcome, check_in_time, is_late, read_outcome, run_once
from shared.contract import export_archive_key, export_outcome_key, export_request_key
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.runtime import Runtime
from shared.store.audit import note

TOO_LONG: Final = (
    "The export did not end in time: there is more than one run can write. Export the knowledge bases one by one."
)
FULL: Final = "The archive has no room in the 10 GB that one run has. Export the knowledge bases one by one."
FAILED: Final = "The export failed on our side. Ask for it again, and tell the operator its id if it stays."


class WantedExport(BaseModel):
    """One knowledge base, or (null) the whole organization."""

    model_config = ConfigDict(extra="forbid")

    knowledge_base_id: UUID | None = None


class ExportJob(BaseModel):
    """An export: `url` is good for five minutes, ask again for another one."""

    id: UUID
    status: Literal["running", "ready", "failed"]
    knowledge_base_id: UUID | None
    requested_at: datetime
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
        late = is_late(request.requested_at)
        return known.model_copy(update={"status": "failed", "error": TOO_LONG}) if late else known
    if outcome.error is not None:
        return known.model_copy(update={"status": "failed", "error": outcome.error})
    url = runtime.blobs.read_url(export_archive_key(organization, str(job)))
    return known.model_copy(update={"status": "ready", "url": url, **outcome.model_dump(exclude={"error", "failures"})})


def run_export(runtime: Runtime, key: str) -> None:
    """Does what the request at `key` asks for, unless it was done. Raises what may pass: the event comes again."""
    organization, job = key.split("/")[1], Path(key).stem
    request = _Request.model_validate_json(runtime.blobs.get(key))
    target = export_archive_key(organization, job)
    outcome = export_outcome_key(organization, job)
    run_once(runtime, outcome, _Outcome, lambda: _write(runtime, request, target), FAILED, FULL)


def _write(runtime: Runtime, request: _Request, key: str) -> _Outcome:
    check_in_time(request.requested_at, TOO_LONG)
    with tempfile.NamedTemporaryFile(delete=False) as file:
        target = Path(file.name)
    try:
        manifest = _export(runtime, request, target)
        size = target.stat().st_size
        runtime.blobs.put_file(key, target)
    finally:
        target.unlink(missing_ok=True)
    return _Outcome(bytes=size, members_sha256=manifest.members_sha256)


def _export(runtime: Runtime, request: _Request, target: Path) -> Manifest:
    if request.knowledge_base_id is None:
        return export_organization(runtime, request.identity, target)
    return export_knowledge_base(runtime, request.identity, request.knowledge_base_id, target)
