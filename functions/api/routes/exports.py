"""Archives on AWS: asked for, then fetched from the bucket. (One machine sends them as they are: `archives`.)"""

from uuid import UUID

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from functions.api.caller import Admin
from functions.api.idempotency import Administration
from shared.archive import jobs
from shared.archive.jobs import ExportJob, WantedExport

router = APIRouter(prefix="/exports", tags=["archives"])


@router.post("", status_code=202, response_model=ExportJob)
def request_export(change: Administration, body: WantedExport) -> JSONResponse:
    """Ask for an archive of a knowledge base, or of the whole organization. It takes a quarter of an hour at most."""
    return change.answer(202, lambda: jobs.request_export(change.runtime, change.identity, body), body)


@router.get("/{export_id}")
def get_export(caller: Admin, export_id: UUID) -> ExportJob:
    """Whether it is ready, and then where it can be fetched for five minutes."""
    return jobs.get_export(caller.runtime, caller.identity, export_id)
