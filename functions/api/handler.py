"""The application as a Lambda function: the same pages and `/v1`, behind API Gateway and its authorizer."""

import os
from urllib.parse import urlsplit

from mangum import Mangum

from functions.api.app import create_app
from functions.api.identity import CloudIdentity
from shared.bootstrap import process_runtime
from shared.contract import Env
from shared.ports import BlobStore


def _origin_of(blobs: BlobStore) -> str:
    """Where the browser reads images from and sends uploads to, as presigned addresses have it."""
    parts = urlsplit(blobs.read_url("work/") or "")
    return f"{parts.scheme}://{parts.netloc}"


_runtime = process_runtime()
_identify = CloudIdentity(_runtime, os.environ[Env.PUBLIC_ORIGIN])
handler = Mangum(create_app(_runtime, _identify, local=False, storage=_origin_of(_runtime.blobs)), lifespan="off")
