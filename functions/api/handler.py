"""The application as a Lambda function: the same pages and `/v1`, behind API Gateway and its authorizer."""

import os
from typing import Any
from urllib.parse import urlsplit

from mangum import Mangum

from functions import runtime_logging, start  # noqa: F401 the first gives the requests' log its form
from functions.api.app import create_app
from functions.api.identity import CloudIdentity
from functions.api.release import answer_release_check, is_release_check
from shared import telemetry
from shared.bootstrap import process_runtime
from shared.contract import Env
from shared.ports import BlobStore


def _origin_of(blobs: BlobStore) -> str:
    """Where the browser reads images from and sends uploads to, as presigned addresses have it."""
    parts = urlsplit(blobs.read_url("work/") or "")
    return f"{parts.scheme}://{parts.netloc}"


runtime = process_runtime()
_origin = os.environ[Env.PUBLIC_ORIGIN]
application = create_app(
    runtime,
    CloudIdentity(runtime, _origin),
    local=False,
    storage=_origin_of(runtime.blobs),
    origin=_origin,
    cors_origins=os.environ.get(Env.CORS_ORIGINS, ""),
)
_serve = Mangum(application, lifespan="off")
start.started()


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    if is_release_check(event):
        return answer_release_check(application, event)
    try:
        return _serve(event, context)
    finally:
        telemetry.flush()
