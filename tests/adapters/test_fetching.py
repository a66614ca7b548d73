"""A page that is fetched by way of the bucket: what is asked for, what may be written, and what is said where nothing
comes."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
from cryptography.x509 import IPAddress

from functions.fetch import fetch, handler
from shared.adapters.aws.fetching import BucketFetcher, BucketPoster
from shared.adapters.aws.s3 import S3BlobStore
from shared.contract import FETCHED_PREFIX, FETCHING_PREFIX, Env, fetched_keys
from shared.domain.fetched import PostAnswer
from shared.errors import BadInput, Unavailable
from shared.people.oauth_clients import find_client
from shared.runtime import Runtime
from tests.aws.bucket import BUCKET
from tests.aws.serving import certified
from tests.patience import PATIENCE_S
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


def fetcher(tmp_path: Path, wait_s: float = PATIENCE_S) -> BucketFetcher:
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
def test_what_a_receiver_is_told_arrives_and_its_answer_comes_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    got = list[tuple[str | None, bytes]]()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append((self.headers["webhook-id"], self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(503)
            self.send_header("Retry-After", "120")
            self.end_headers()

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        monkeypatch.setenv(Env.FETCH_FROM, f"127.0.0.1:{server.server_port}")
        post = BucketPoster(S3BlobStore(BUCKET, tmp_path / "copies"), 20)
        said = post(f"http://127.0.0.1:{server.server_port}/hook", b'{"type": "test"}', {"webhook-id": "one"})
        server.shutdown()
    assert said == PostAnswer(503, "120")
    assert got == [("one", b'{"type": "test"}')]


def test_of_a_post_that_is_refused_no_more_than_its_kind_is_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    said = list[dict[str, Any]]()
    monkeypatch.setattr("functions.fetch._answer", lambda _, answer: said.append(answer))
    request = {"url": "http://hooks.internal.localhost/T0/the-secret", "post": "{}", "headers": {}, "answer": ""}
    assert fetch(request) in {"not posted: BadInput", "not posted: Unavailable"}
    assert [set(one) for one in said] == [{"error", "message"}]


def test_an_assistant_is_known_by_its_document_and_no_document_of_our_own_networks_is_asked_for(
    outside: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    certificate = tmp_path / "site.pem"
    with running_site(certified(IPAddress(ip_address("127.0.0.1")), certificate)) as site:
        runtime = cast(Runtime, SimpleNamespace(fetch=fetcher(tmp_path)))
        document = f"{site.url}/client.json"
        said = {"client_id": document, "client_name": "Described", "redirect_uris": ["http://127.0.0.1/callback"]}
        site.put("/client.json", json.dumps(said), "application/json")
        site.lead("/moved.json", document)
        with pytest.raises(BadInput, match="names the port"):
            find_client(runtime, document)
        monkeypatch.setenv(Env.FETCH_FROM, site.host)
        with pytest.raises(Unavailable):
            find_client(runtime, document)  # nobody vouches for its certificate
        assert site.asked == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        found = find_client(runtime, document)
        assert (found.name, found.redirect_uris) == ("Described", ("http://127.0.0.1/callback",))
        with pytest.raises(BadInput, match="does not answer with the document"):
            find_client(runtime, f"{site.url}/moved.json")
        asked, requests = len(site.asked), len(outside)
        for inside in ("https://169.254.169.254/latest/meta-data", "https://10.0.0.1/client.json", "https://[::1]/c"):
            with pytest.raises(BadInput, match="no host of the public internet"):
                find_client(runtime, inside)
        assert len(outside) == requests + 3
        with pytest.raises(BadInput, match="neither registered here nor the https address"):
            find_client(runtime, f"http://{site.host}/client.json")
        assert (len(site.asked), len(outside)) == (asked, requests + 3)


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


TakenOver = Callable[[bytes | None, bytes], None]


def test_the_answer_is_stored_behind_the_bytes_that_it_speaks_of(
    outside: list[str], site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = list[str]()

    class Noting(HTTPConnection):
        def request(self, method: str, url: str, *rest: Any, **options: Any) -> None:
            stored.append(urlsplit(url).path.rpartition("/")[2])
            super().request(method, url, *rest, **options)

    monkeypatch.setattr("functions.fetch.HTTPConnection", Noting)
    site.put("/a", "here")
    fetcher(tmp_path)(f"{site.url}/a", tmp_path / "x")
    assert stored == ["body", "answer.json"]
    assert len(outside) == 1


HONEST = {
    "url": "https://a.example/", "status": 200, "content_type": "text/html", "charset": None, "size": 4,
    "sha256": "0" * 64, "etag": None, "modified": None, "retry_after": None,
}  # fmt: skip


@pytest.fixture
def taken_over(bucket: Any, monkeypatch: pytest.MonkeyPatch) -> TakenOver:
    """The function outside says `answer`, whatever it is asked, and has written `body`."""
    store: Callable[..., None] = S3BlobStore.put

    def says(body: bytes | None, answer: bytes) -> None:
        def put(blobs: S3BlobStore, key: str, data: bytes, kind: str | None = None) -> None:
            at, said = fetched_keys(key.removeprefix(FETCHING_PREFIX).removesuffix(".json"))
            if body is not None:
                store(blobs, at, body)
            store(blobs, said, answer)

        monkeypatch.setattr(S3BlobStore, "put", put)

    return says


def test_the_bytes_that_came_are_counted_whatever_the_answer_says_of_them(
    taken_over: TakenOver, tmp_path: Path
) -> None:
    taken_over(b"seven b", json.dumps(HONEST).encode())
    found = fetcher(tmp_path, 1)("https://a.example/", tmp_path / "x")
    assert (found.size, found.sha256) == (7, hashlib.sha256(b"seven b").hexdigest())
    assert (tmp_path / "x").read_bytes() == b"seven b"


def test_more_bytes_than_were_asked_for_are_refused(taken_over: TakenOver, tmp_path: Path) -> None:
    taken_over(b"x" * 1001, json.dumps(HONEST).encode())
    with pytest.raises(BadInput, match="has more than"):
        fetcher(tmp_path, 1)("https://a.example/", tmp_path / "x", limit=1000)
    taken_over(b"x" * 1000, json.dumps(HONEST).encode())
    assert fetcher(tmp_path, 1)("https://a.example/", tmp_path / "x", limit=1000).size == 1000


@pytest.mark.parametrize(
    "answer",
    [
        b"", b"not json", b"[]", b"{}", b'{"error": "BadInput"}', b'{"size": 4}', b"\xff",
        json.dumps(HONEST | {"status": "fine"}).encode(), json.dumps(HONEST | {"size": None}).encode(),
        json.dumps(HONEST | {"etag": "x" * 100_000}).encode(),
    ],
)  # fmt: skip
def test_an_answer_that_is_none_is_said_to_be_ours(taken_over: TakenOver, tmp_path: Path, answer: bytes) -> None:
    taken_over(b"data", answer)
    with pytest.raises(Unavailable, match="cannot be read"):
        fetcher(tmp_path, 1)("https://a.example/", tmp_path / "x")


def test_an_error_of_an_unknown_name_and_bytes_that_are_not_there_may_pass(
    taken_over: TakenOver, tmp_path: Path
) -> None:
    taken_over(None, json.dumps({"error": "SystemExit", "message": "gone"}).encode())
    with pytest.raises(Unavailable, match="gone"):
        fetcher(tmp_path, 1)("https://a.example/", tmp_path / "x")
    taken_over(None, json.dumps(HONEST).encode())
    with pytest.raises(Unavailable, match="without its content"):
        fetcher(tmp_path, 1)("https://a.example/", tmp_path / "x")
