"""A page that is fetched by way of the bucket: what is asked for, what may be written, and what is said where nothing
comes."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from functions.fetch import handler
from shared.adapters.aws.fetching import BucketFetcher
from shared.adapters.aws.s3 import S3BlobStore
from shared.contract import FETCHED_PREFIX, FETCHING_PREFIX, Env
from shared.errors import BadInput, Unavailable
from tests.aws.bucket import BUCKET
from tests.web_server import Site, running_site


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with running_site() as made:
        monkeypatch.setenv(Env.FETCH_FROM, made.host)
        yield made


@pytest.fixture
def outside(bucket: Any) -> Iterator[list[str]]:
    """The function outside the network, started for each request; with the keys of the requests."""
    seen, ended = list[str](), threading.Event()

    def serve() -> None:
        while not ended.wait(0.1):
            for key in [one.key for one in bucket.objects.filter(Prefix=FETCHING_PREFIX) if one.key not in seen]:
                seen.append(key)
                handler({"detail": {"bucket": {"name": BUCKET}, "object": {"key": key}}}, None)

    thread = threading.Thread(target=serve)
    thread.start()
    yield seen
    ended.set()
    thread.join()


def fetcher(tmp_path: Path, wait_s: float = 20) -> BucketFetcher:
    return BucketFetcher(S3BlobStore(BUCKET, tmp_path / "copies"), wait_s)


@pytest.mark.usefixtures("outside")
def test_a_page_comes_byte_for_byte_with_what_its_server_said(site: Site, tmp_path: Path) -> None:
    site.put("/a", b"\x00\xff" * 9_999, "application/pdf", ETag='"1"')
    found = fetcher(tmp_path)(f"{site.url}/a", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == b"\x00\xff" * 9_999
    assert (found.url, found.status, found.content_type, found.etag) == (f"{site.url}/a", 200, "application/pdf", '"1"')


@pytest.mark.usefixtures("outside")
def test_conditions_and_limits_are_kept_on_the_way(site: Site, tmp_path: Path) -> None:
    site.put("/a", "x" * 2_000, ETag='"1"')
    fetch = fetcher(tmp_path)
    assert fetch(f"{site.url}/a", tmp_path / "x", etag='"1"').status == 304
    assert (tmp_path / "x").read_bytes() == b""
    with pytest.raises(BadInput, match="has more than"):
        fetch(f"{site.url}/a", tmp_path / "x", limit=1_000)


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://[::ffff:10.0.0.1]/", "http://[::1]/",
        "http://2130706433/", "http://0177.0.0.1/", "https://ada:secret@a.example/", "http://127.0.0.1:9001/",
    ],
)  # fmt: skip
def test_nothing_of_our_own_is_asked_and_the_reason_comes_back(url: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no host of the public|name or password|names the port"):
        fetcher(tmp_path)(url, tmp_path / "x")


def test_a_page_that_does_not_come_in_time_is_said(bucket: Any, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="did not come within 1 s"):
        fetcher(tmp_path, 1)("https://a.example/", tmp_path / "x")


def test_a_request_lets_write_its_own_two_objects_and_no_other(
    bucket: Any, outside: list[str], site: Site, tmp_path: Path
) -> None:
    site.put("/a", "here")
    fetcher(tmp_path)(f"{site.url}/a", tmp_path / "x")
    (key,) = outside
    asked = json.loads(bucket.Object(key).get()["Body"].read())
    written = sorted(one.key for one in bucket.objects.filter(Prefix=FETCHED_PREFIX))
    assert [one.rpartition("/")[2] for one in written] == ["answer.json", "body"]
    assert all(name in asked[ticket] for name, ticket in zip(written, ("answer", "body"), strict=True))
    assert "X-Amz-Signature" in asked["body"]
