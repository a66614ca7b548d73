"""The one web application: `/v1`, and the pages over it. It runs under uvicorn, under Mangum and inside the CLI."""

from fastapi import APIRouter, Depends, FastAPI

from functions.api.caller import refuse_unstorable_text
from functions.api.compression import Compressed
from functions.api.envelope import Envelope
from functions.api.errors import add_error_handlers
from functions.api.identity import Identify
from functions.api.intake import Intake
from functions.api.openapi import openapi_document
from functions.api.pages import mount_pages
from functions.api.request_log import RequestLog
from functions.api.routes import (
    archives,
    attribute_schema,
    audit,
    content,
    documents,
    edits,
    erasures,
    evaluation,
    exports,
    joining,
    keys,
    knowledge_bases,
    members,
    notes,
    operations,
    pages,
    records,
    retrieval,
    reviews,
    sources,
    system,
    traces,
    uploads,
    usage,
    versions,
)
from functions.api.unexpected import Unexpected
from functions.api.upload_slots import UploadSlots
from shared.runtime import Runtime

VERSION = "0.1.0"
DESCRIPTION = (
    "The inspectable knowledge base. Lists are `{items, next_cursor}`; mutations take `Idempotency-Key`; every error "
    "is a problem document (RFC 9457); every response carries `X-Request-Id`."
)
ROUTERS = (
    system,
    members,
    notes,
    joining,
    keys,
    audit,
    knowledge_bases,
    attribute_schema,
    erasures,
    documents,
    edits,
    reviews,
    evaluation,
    operations,
    pages,
    records,
    sources,
    uploads,
    usage,
    versions,
    retrieval,
    traces,
)
LOCAL_ROUTERS = (content, archives)


def create_app(runtime: Runtime, identify: Identify, local: bool, storage: str = "") -> FastAPI:
    """The application over `runtime`. `identify` returns the identity of a request's sender; `local` adds what only one
    machine needs; `storage` is the origin of page images and uploads where it is another one.

    The interactive documentation pages are off, as they load scripts from elsewhere; the document itself is at
    `/v1/openapi.json`.
    """
    app = FastAPI(
        title="Autri",
        version=VERSION,
        description=DESCRIPTION,
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.state.runtime, app.state.identify, app.state.upload_slots = runtime, identify, UploadSlots()
    app.state.storage, app.state.local = storage, local
    for middleware in (Intake, Unexpected, RequestLog, Compressed, Envelope):  # the last one added is the outermost
        app.add_middleware(middleware)
    add_error_handlers(app)
    v1 = APIRouter(prefix="/v1", dependencies=[Depends(refuse_unstorable_text)])
    for module in ROUTERS + (LOCAL_ROUTERS if local else ()):
        v1.include_router(module.router)
    if not local:
        v1.include_router(joining.founding)
        v1.include_router(exports.router)
        v1.include_router(exports.imports)
    app.include_router(v1)
    mount_pages(app, local)
    app.openapi = lambda: openapi_document(app)  # pyrefly: ignore[method-assign] as FastAPI documents it
    return app
