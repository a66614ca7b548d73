"""Uploads and what becomes of them: announce a file, send it, follow its ingestion, run one again."""

from typing import Annotated
from uuid import UUID

from fastapi import Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from functions.api.caller import Reader
from functions.api.idempotency import Change
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed
from functions.api.routing import v1_router
from shared.domain.inspect import Ingestion
from shared.extraction.engine_choice import Engine
from shared.ingestion import uploads
from shared.ingestion.uploads import UploadRequest, UploadTicket

router = v1_router("ingestion")


class ReingestRequest(BaseModel):
    """With which engine to run again, and the password of a source that was refused for want of one."""

    model_config = ConfigDict(extra="forbid")

    engine: Engine = "layout"
    password: SecretStr | None = Field(default=None, min_length=1, max_length=uploads.MAX_PASSWORD)


@router.post("/uploads", status_code=201, response_model=UploadTicket)
def create_upload(change: Change, body: UploadRequest) -> JSONResponse:
    """Announce a file; the answer says where and how to send its bytes. The ingestion bears the upload's id."""
    return change.answer(201, lambda: uploads.create_upload(change.runtime, change.identity, body), body)


@router.get("/ingestions")
def list_ingestions(
    caller: Reader,
    knowledge_base_id: Annotated[UUID, Query()],
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> PageOf[Ingestion]:
    """The latest runs of a knowledge base, newest first, with progress per stage and page."""
    found = uploads.list_ingestions(caller.runtime, caller.identity, knowledge_base_id)
    return listed("ingestions", cursor, limit, lambda behind, _: [i for i in found if behind is None or i.id < behind])


@router.get("/ingestions/{ingestion_id}")
def get_ingestion(caller: Reader, ingestion_id: UUID) -> Ingestion:
    """One run with its progress."""
    return uploads.get_ingestion(caller.runtime, caller.identity, ingestion_id)


@router.get("/ingestions/{ingestion_id}/files")
def list_parcel(
    caller: Reader, ingestion_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[Ingestion]:
    """The files of a ZIP file, in its order, each with its run: those that were refused say why."""
    return listed(
        "parcel",
        cursor,
        limit,
        lambda after, most: uploads.list_parcel(caller.runtime, caller.identity, ingestion_id, after, most),
    )


@router.post("/documents/{document_id}/reingest", status_code=202, response_model=Ingestion)
def reingest(change: Change, document_id: UUID, body: ReingestRequest | None = None) -> JSONResponse:
    """Run the stages again over the stored source, with today's configuration. Chunks keep their ids."""
    engine = body.engine if body else "layout"
    password = body.password.get_secret_value() if body and body.password else None
    return change.answer(
        202, lambda: uploads.reingest(change.runtime, change.identity, document_id, engine, password), body
    )
