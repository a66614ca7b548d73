"""Archives on AWS: asked for, then fetched from the bucket. (One machine sends them as they are: `archives`.)"""

from uuid import UUID

from fastapi.responses import JSONResponse

from functions.api.caller import Admin
from functions.api.idempotency import Administration
from functions.api.pagination import PageOf
from functions.api.routing import v1_router
from shared.archive import import_jobs, jobs
from shared.archive.import_jobs import AskedImport, ImportJob, PartPlaces, SentParts, WantedImport, WantedParts
from shared.archive.jobs import ExportJob, WantedExport

router = v1_router("archives", "/exports")
imports = v1_router("archives", "/imports/jobs")


@router.post("", status_code=202, response_model=ExportJob)
def request_export(change: Administration, body: WantedExport) -> JSONResponse:
    """Ask for an archive of a knowledge base, or of the whole organization. `progress` says how far it is."""
    return change.answer(202, lambda: jobs.request_export(change.runtime, change.identity, body), body)


@router.get("/{export_id}")
def get_export(caller: Admin, export_id: UUID) -> ExportJob:
    """How far it is; whether it is ready, and then where it can be fetched for five minutes."""
    return jobs.get_export(caller.runtime, caller.identity, export_id)


@imports.post("", status_code=202, response_model=AskedImport)
def request_import(change: Administration, body: WantedImport) -> JSONResponse:
    """Ask where to send an archive. It is imported when it has arrived, all of it or nothing."""
    return change.answer(202, lambda: import_jobs.request_import(change.runtime, change.identity, body), body)


@imports.get("")
def list_imports(caller: Admin) -> PageOf[ImportJob]:
    """Those of the last week, newest first: the last twenty, from wherever they were asked for."""
    return PageOf(items=import_jobs.list_imports(caller.runtime, caller.identity), next_cursor=None)


@imports.get("/{import_id}")
def get_import(caller: Admin, import_id: UUID) -> ImportJob:
    """How far it is; whether it is done, and what it brought; or why it failed, and then nothing of it is here."""
    return import_jobs.get_import(caller.runtime, caller.identity, import_id)


@imports.post("/{import_id}/parts", response_model=PartPlaces)
def place_parts(change: Administration, import_id: UUID, body: WantedParts) -> JSONResponse:
    """Where to send parts of an archive that is larger than one request, a hundred at most; ask again for the next."""
    return change.answer(200, lambda: import_jobs.place_parts(change.runtime, change.identity, import_id, body), body)


@imports.post("/{import_id}/sent", status_code=202, response_model=ImportJob)
def end_parts(change: Administration, import_id: UUID, body: SentParts) -> JSONResponse:
    """All parts are sent: the archive is made of them, and imported."""
    return change.answer(202, lambda: import_jobs.end_parts(change.runtime, change.identity, import_id, body), body)
