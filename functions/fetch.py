"""Fetches a web page, or posts to a webhook, for the application, which has no way out of its network.

Outside the VPC and with neither database nor documents: it reads the request that an event names, and may write the
two objects for which the request holds signed addresses.
"""

import json
import logging
import os
import tempfile
from dataclasses import asdict
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from typing import Any, BinaryIO, Final
from urllib.parse import urlsplit

from shared.adapters.aws.clients import make_client
from shared.adapters.web import WebFetcher, WebPoster
from shared.contract import Env
from shared.errors import AutriError, BadInput, Unavailable

logger = logging.getLogger("autri.fetch")
STORE_TIMEOUT_S: Final = 10


def handler(event: dict[str, Any], _context: object) -> dict[str, str]:
    """`fetched`, or why not. May come twice: the page is asked for again then."""
    key = event["detail"]["object"]["key"]
    stored = make_client("s3").get_object(Bucket=event["detail"]["bucket"]["name"], Key=key)
    outcome = fetch(json.loads(stored["Body"].read()))
    logger.warning("%s: %s", key, outcome)
    return {"outcome": outcome}


def fetch(request: dict[str, Any]) -> str:
    """`request` is what `BucketFetcher` or `BucketPoster` writes. The answer follows the bytes, so that who reads it
    finds them."""
    allowed = [one for one in os.environ.get(Env.FETCH_FROM, "").split(",") if one]
    if "post" in request:
        return _post(request, WebPoster(allowed))
    asked = WebFetcher(allowed)
    wanted = {name: request[name] for name in ("etag", "modified", "limit")}
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "body"
        try:
            found = asked(request["url"], target, **wanted)
        except (BadInput, Unavailable) as error:
            _refuse(request, error)
            return f"not fetched: {error}"
        if found.size:
            with target.open("rb") as body:
                _store(request["body"], body, found.size)
    _answer(request, asdict(found))
    return "fetched"


def _post(request: dict[str, Any], post: WebPoster) -> str:
    try:
        answer = post(request["url"], request["post"].encode(), request["headers"])
    except (BadInput, Unavailable) as error:
        # What it says names the address, which is a secret of whoever takes what is posted.
        return f"not posted: {_refuse(request, error)}"
    _answer(request, asdict(answer))
    return f"posted: {answer.posted}"


def _refuse(request: dict[str, Any], error: AutriError) -> str:
    """The kind of the error."""
    kind = "BadInput" if isinstance(error, BadInput) else "Unavailable"
    _answer(request, {"error": kind, "message": str(error)})
    return kind


def _answer(request: dict[str, Any], said: dict[str, Any]) -> None:
    data = json.dumps(said).encode()
    _store(request["answer"], data, len(data))


def _store(ticket: str, data: bytes | BinaryIO, size: int) -> None:
    """Raises Unavailable where the store refuses; then the event comes again."""
    parts = urlsplit(ticket)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=STORE_TIMEOUT_S)
    try:
        connection.request("PUT", f"{parts.path}?{parts.query}", data, {"Content-Length": str(size)})
        answer = connection.getresponse()
        if answer.status != 200:
            raise Unavailable(f"The store answers {answer.status}: {answer.read(500).decode(errors='replace')}")
    finally:
        connection.close()
