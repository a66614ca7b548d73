"""The one web application: `/v1`, and the pages over it. It runs under uvicorn, under Mangum and inside the CLI."""

from fastapi import FastAPI

from functions.api.compression import Compressed
from functions.api.cross_origin import CrossOrigin, read_origins
from functions.api.envelope import Envelope
from functions.api.errors import add_error_handlers
from functions.api.head import Head
from functions.api.identity import Identify
from functions.api.intake import Intake
from functions.api.kept_streams import HEARTBEAT_S, KeptStreams
from functions.api.oauth import add_oauth
from functions.api.openapi import openapi_document
from functions.api.pages import mount_pages
from functions.api.request_log import RequestLog
from functions.api.routes import (
    archives,
    attribute_schema,
    audit,
    connections,
    content,
    datasets,
    digest,
    digest_files,
    documents,
    edits,
    erasures,
    evaluation,
    exports,
    joining,
    keys,
    knowledge_bases,
    links,
    members,
    model,
    notebooks,
    notes,
    operations,
    pages,
    plots,
    records,
    retrieval,
    reviews,
    shared,
    sources,
    summaries,
    system,
    threads,
    traces,
    uploads,
    usage,
    versions,
    webhooks,
)
from functions.api.routing import ByWords
from functions.api.unexpected import Unexpected
from functions.api.upload_slots import UploadSlots
from functions.mcp.http import Calls, mcp_routes
from shared import VERSION
from shared.runtime import Runtime

DESCRIPTION = (
    "The inspectable knowledge base. Lists are `{items, next_cursor}`; mutations take `Idempotency-Key`; every error "
    "is a problem document (RFC 9457); every response carries `X-Request-Id`."
)
ROUTERS = (
    datasets.router,
    system.router,
    members.router,
    notes.router,
    joining.router,
    keys.router,
    connections.router,
    audit.router,
    knowledge_bases.router,
    attribute_schema.router,
    erasures.router,
    digest.router,
    digest_files.router,
    documents.router,
    edits.router,
    reviews.router,
    evaluation.router,
    operations.router,
    pages.router,
    plots.router,
    records.router,
    sources.router,
    summaries.router,
    uploads.router,
    usage.router,
    model.router,
    versions.router,
    webhooks.router,
    retrieval.router,
    threads.router,
    notebooks.router,
    links.router,
    shared.router,
    traces.router,
)
LOCAL_ROUTERS = (content.router, archives.router, model.local)
CLOUD_ROUTERS = (joining.founding, exports.router, exports.imports)


def create_app(
    runtime: Runtime, identify: Identify, local: bool, storage: str = "", origin: str = "", cors_origins: str = ""
) -> FastAPI:
    """The application over `runtime`. `identify` returns the identity of a request's sender; `local` adds what only one
    machine needs; `storage` is the origin of page images and uploads where it is another one; `origin` is where the
    pages of this deployment are, empty on one machine, which has several names; `cors_origins` are those whose pages
    may call `/v1` with a token, with commas between them.

    FastAPI's own documentation pages are off, as they load scripts from elsewhere: `/docs` is ours.
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
    app.state.storage, app.state.local, app.state.origin = storage, local, origin
    # Elsewhere another process may get the next request.
    app.state.streams = KeptStreams() if local else None
    app.state.mcp_calls, app.state.heartbeat_s = Calls(KeptStreams() if local else None), HEARTBEAT_S
    for middleware in (Intake, Unexpected, RequestLog, Compressed):  # the last one added is the outermost
        app.add_middleware(middleware)
    app.add_middleware(CrossOrigin, origins=read_origins(cors_origins))
    app.add_middleware(Envelope)
    app.add_middleware(Head)
    add_error_handlers(app)
    for router in ROUTERS + (LOCAL_ROUTERS if local else CLOUD_ROUTERS):
        app.router.routes.extend(router.routes)
    app.router.routes.extend(mcp_routes())
    add_oauth(app)
    mount_pages(app, local)
    app.router.routes.insert(0, ByWords([*app.router.routes]))
    app.openapi = lambda: openapi_document(app)  # pyrefly: ignore[method-assign] as FastAPI documents it
    return app
