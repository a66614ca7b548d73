"""Web pages by way of the bucket: an object below `fetching/` is an event, and a function outside the network asks.

What it may write is what the request grants: two objects, by signed addresses (docs/decisions/0089-the-web-on-aws.md).
"""

import hashlib
import json
import time
from pathlib import Path
from typing import Any, Final

from shared.adapters.aws.s3 import S3BlobStore
from shared.adapters.web import MAX_BYTES
from shared.contract import fetched_keys, fetching_key
from shared.domain.fetched import Fetched
from shared.domain.ids import new_id
from shared.errors import BadInput, NotFound, Unavailable

POLL_S: Final = 0.25
ERRORS: Final = {"BadInput": BadInput, "Unavailable": Unavailable}


class BucketFetcher:
    """A `Fetcher` that waits `wait_s` seconds at most. What it writes is deleted by the bucket's own rule."""

    def __init__(self, blobs: S3BlobStore, wait_s: float) -> None:
        self._blobs, self._wait_s = blobs, wait_s

    def __call__(
        self, url: str, target: Path, *, etag: str | None = None, modified: str | None = None, limit: int = MAX_BYTES
    ) -> Fetched:
        """As `WebFetcher`; also Unavailable where no answer has come in time."""
        fetch = str(new_id())
        body, answer = fetched_keys(fetch)
        wanted = {"url": url, "etag": etag, "modified": modified, "limit": limit}
        tickets = {"body": self._blobs.write_url(body), "answer": self._blobs.write_url(answer)}
        self._blobs.put(fetching_key(fetch), json.dumps(wanted | tickets).encode(), "application/json")
        said = self._await(url, answer)
        if error := said.get("error"):
            raise ERRORS[error](said["message"])
        data = self._blobs.get(body) if said["size"] else b""
        target.write_bytes(data)
        return Fetched(**said | {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()})

    def _await(self, url: str, key: str) -> dict[str, Any]:
        ends = time.monotonic() + self._wait_s
        while True:
            try:
                return json.loads(self._blobs.get(key))
            except NotFound:
                if time.monotonic() >= ends:
                    raise Unavailable(f"{url} did not come within {self._wait_s:.0f} s. Try again.") from None
            time.sleep(POLL_S)
