"""Web pages by way of the bucket: an object below `fetching/` is an event, and a function outside the network asks.
What webhooks are told goes the same way.

What it may write is what the request grants: two objects, by signed addresses (docs/decisions/0089-the-web-on-aws.md).
"""

import hashlib
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from shared.adapters.aws.s3 import S3BlobStore
from shared.adapters.web import MAX_BYTES, WebPoster
from shared.contract import fetched_keys, fetching_key
from shared.domain.fetched import Fetched, PostAnswer
from shared.domain.ids import new_id
from shared.errors import BadInput, NotFound, Unavailable

POLL_S: Final = 0.25
# More than any answer has, which is read before it is believed.
ANSWER_BYTES: Final = 64 * 1024
ERRORS: Final = {"BadInput": BadInput, "Unavailable": Unavailable}


@dataclass(frozen=True)
class _NotFetched:
    error: str
    message: str


_ANSWER: Final[TypeAdapter[Fetched | PostAnswer | _NotFetched]] = TypeAdapter(Fetched | PostAnswer | _NotFetched)


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
        said = _await(self._blobs, url, answer, self._wait_s)
        if not isinstance(said, Fetched):
            raise _unreadable(url)
        data = self._read(url, body, limit) if said.size else b""
        target.write_bytes(data)
        return replace(said, size=len(data), sha256=hashlib.sha256(data).hexdigest())

    def _read(self, url: str, key: str, limit: int) -> bytes:
        """The function outside has a limit of its own, which is not relied on."""
        try:
            data = self._blobs.read_range(key, 0, limit + 1)
        except NotFound as gone:
            raise Unavailable(f"{url} came without its content. Try again.") from gone
        if len(data) > limit:
            raise BadInput(f"{url} has more than {limit // 1024**2} MB. Save it and upload the part that is needed.")
        return data


class BucketPoster:
    """A `Poster` that waits `wait_s` seconds at most. The function outside gets what is sent, signed, and no secret;
    the request is deleted by the bucket's own rule."""

    def __init__(self, blobs: S3BlobStore, wait_s: float) -> None:
        self._blobs, self._wait_s = blobs, wait_s

    def check(self, url: str) -> str:
        """As `WebPoster`."""
        return WebPoster().check(url)

    def __call__(self, url: str, body: bytes, headers: Mapping[str, str]) -> PostAnswer:
        """As `WebPoster`; also Unavailable where no answer has come in time."""
        fetch = str(new_id())
        _, answer = fetched_keys(fetch)
        wanted = {"url": url, "post": body.decode(), "headers": dict(headers), "answer": self._blobs.write_url(answer)}
        self._blobs.put(fetching_key(fetch), json.dumps(wanted).encode(), "application/json")
        said = _await(self._blobs, url, answer, self._wait_s)
        if not isinstance(said, PostAnswer):
            raise _unreadable(url)
        return said


def _await(blobs: S3BlobStore, url: str, key: str, wait_s: float) -> Fetched | PostAnswer:
    """What the function outside has answered; raises what it says."""
    ends = time.monotonic() + wait_s
    while True:
        with suppress(NotFound):
            data = blobs.read_range(key, 0, ANSWER_BYTES)
            break
        if time.monotonic() >= ends:
            raise Unavailable(f"{url} did not come within {wait_s:.0f} s. Try again.")
        time.sleep(POLL_S)
    try:
        said = _ANSWER.validate_json(data)
    except ValidationError as error:
        raise _unreadable(url) from error
    if isinstance(said, _NotFetched):
        raise ERRORS.get(said.error, Unavailable)(said.message)
    return said


def _unreadable(url: str) -> Unavailable:
    return Unavailable(f"What came of {url} cannot be read. Try again.")
