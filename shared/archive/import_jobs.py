"""Imports that somebody waits for: the archive is sent to the object store, and its arrival starts the import.

What was asked for lies beside the archive, the outcome where those of exports lie. The bucket's own rule deletes all
three after a week.
"""

from datetime import UTC, datetime
from typing import Any, Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from shared.access import reading, require_admin
from shared.archive.importing import ImportedBase, import_archive
from shared.archive.jobs import LATE
from shared.contract import export_outcome_key, import_archive_key, import_request_key
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.errors import AutriError, NotFound
from shared.library.knowledge_bases import NAME_MAX
from shared.runtime import Runtime
from shared.store.audit import note

# The most that S3 takes in one request.
MAX_BYTES: Final = 5 * 1024**3
NOT_ENDED: Final = (
    "The import did not end in time: the archive did not arrive, or holds more than one run can read. Nothing of it is"
    " here. Send it again, or export the knowledge bases one by one."
)
FAILED: Final = "The import failed on our side. Send it again, and tell the operator its id if it stays."


class WantedImport(BaseModel):
    """An archive of `size` bytes; its only knowledge base is called `name` if that is given."""

    model_config = ConfigDict(extra="forbid")

    size: int = Field(gt=0, le=MAX_BYTES)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    name: str | None = Field(default=None, max_length=NAME_MAX)


class ImportJob(BaseModel):
    """An import: it runs once its archive was sent."""

    id: UUID
    status: Literal["running", "ready", "failed"]
    requested_at: datetime
    error: str | None = None
    knowledge_bases: list[ImportedBase] = []


class AskedImport(ImportJob):
    """The job, and how to send its archive: `method`, `url`, `headers` and the form's `fields`."""

    upload: dict[str, Any]


class _Request(WantedImport):
    identity: Identity
    requested_at: datetime


class _Outcome(BaseModel):
    error: str | None = None
    knowledge_bases: list[ImportedBase] = []


def request_import(runtime: Runtime, identity: Identity, wanted: WantedImport) -> AskedImport:
    """Raises Forbidden below admin."""
    require_admin(identity)
    job, now, organization = new_id(), datetime.now(UTC), str(identity.organization_id)
    with reading(runtime, identity) as connection:
        note(connection, identity, "import.request", job)
    request = _Request(**wanted.model_dump(), identity=identity, requested_at=now)
    key = import_request_key(organization, str(job))
    runtime.blobs.put(key, request.model_dump_json().encode(), "application/json")
    target = runtime.blobs.upload_target(import_archive_key(organization, str(job)), wanted.size, wanted.sha256)
    return AskedImport(id=job, status="running", requested_at=now, upload=vars(target))


def get_import(runtime: Runtime, identity: Identity, job: UUID) -> ImportJob:
    """Raises Forbidden below admin; NotFound for one that was not asked for, is of another organization, or is a week
    old."""
    require_admin(identity)
    organization = str(identity.organization_id)
    try:
        request = _Request.model_validate_json(runtime.blobs.get(import_request_key(organization, str(job))))
    except NotFound as gone:
        raise NotFound(f"There is no import {job}. What became of one is kept for a week.") from gone
    known = ImportJob(id=job, status="running", requested_at=request.requested_at)
    try:
        outcome = _Outcome.model_validate_json(runtime.blobs.get(export_outcome_key(organization, str(job))))
    except NotFound:
        late = datetime.now(UTC) - request.requested_at > LATE
        return known.model_copy(update={"status": "failed", "error": NOT_ENDED}) if late else known
    status = "ready" if outcome.error is None else "failed"
    return known.model_copy(update={"status": status, **dict(outcome)})


def run_import(runtime: Runtime, organization: str, job: str) -> None:
    """Imports the archive that arrived, unless that was done. Raises what nobody expected, after saying so in the
    outcome."""
    outcome_key = export_outcome_key(organization, job)
    if runtime.blobs.exists(outcome_key):
        return
    request = _Request.model_validate_json(runtime.blobs.get(import_request_key(organization, job)))
    try:
        archive = runtime.blobs.local_copy(import_archive_key(organization, job), None)
        done = import_archive(runtime, request.identity, archive, request.name)
        outcome = _Outcome(knowledge_bases=done.knowledge_bases)
    except AutriError as error:
        outcome = _Outcome(error=str(error))
    except BaseException:
        _keep(runtime, outcome_key, _Outcome(error=FAILED))
        raise
    _keep(runtime, outcome_key, outcome)


def _keep(runtime: Runtime, key: str, outcome: _Outcome) -> None:
    runtime.blobs.put(key, outcome.model_dump_json().encode(), "application/json")
