"""Custom resource: puts this version's static files into the bucket that CloudFront serves them from.

Those of earlier versions stay: a page that was opened before a deployment still finds its modules.
"""

import mimetypes
import os
from typing import Any

from functions.api.static_files import FOR_EVER, STATIC, static_root
from shared.adapters.aws.clients import make_client
from shared.contract import Env

PHYSICAL_ID = "static-files"


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Answers with how many files this version has."""
    files = [] if event["RequestType"] == "Delete" else sorted(path for path in STATIC.rglob("*") if path.is_file())
    store, bucket = make_client("s3"), os.environ[Env.STATIC_BUCKET]
    for path in files:
        store.put_object(
            Bucket=bucket,
            Key=f"{static_root().removeprefix('/')}/{path.relative_to(STATIC).as_posix()}",
            Body=path.read_bytes(),
            ContentType=mimetypes.guess_type(path.name)[0] or "application/octet-stream",
            CacheControl=FOR_EVER,
        )
    return {"PhysicalResourceId": PHYSICAL_ID, "Data": {"Files": str(len(files))}}
