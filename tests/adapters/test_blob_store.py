"""One suite for every blob store: a folder, and a bucket in an emulated S3."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import boto3
import httpx
import pytest

from shared.adapters.aws import clients
from shared.adapters.aws.s3 import S3BlobStore
from shared.adapters.local.files import FileBlobStore
from shared.errors import NotFound
from shared.ports import BlobStore
from tests.aws.emulator import REGION, running_emulator

BUCKET = "documents"


@pytest.fixture(scope="module")
def s3_url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    with running_emulator(tmp_path_factory.mktemp("emulator")) as emulator:
        yield emulator.url


@pytest.fixture
def bucket(s3_url: str, monkeypatch: pytest.MonkeyPatch) -> Generator[Any]:
    environment = {
        "AWS_ENDPOINT_URL": s3_url,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    clients.make_client.cache_clear()
    s3: Any = boto3.resource("s3")
    made = s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    made.Versioning().enable()
    yield made
    made.object_versions.delete()
    made.delete()
    clients.make_client.cache_clear()


@pytest.fixture
def s3_store(bucket: Any, tmp_path: Path) -> S3BlobStore:
    return S3BlobStore(BUCKET, tmp_path / "copies")


@pytest.fixture(params=["folder", "bucket"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    if request.param == "folder":
        return FileBlobStore(tmp_path / "blobs")
    return request.getfixturevalue("s3_store")


def test_what_was_put_is_got(store: BlobStore) -> None:
    store.put("work/a/1.json", b"one", "application/json")
    assert store.get("work/a/1.json") == b"one"
    assert store.size("work/a/1.json") == 3
    assert store.exists("work/a/1.json")


def test_a_second_put_replaces_the_first(store: BlobStore) -> None:
    store.put("work/a", b"first")
    store.put("work/a", b"second one")
    assert store.get("work/a") == b"second one"
    assert store.local_copy("work/a").read_bytes() == b"second one"


def test_an_empty_object_is_an_object(store: BlobStore) -> None:
    store.put("work/empty", b"")
    assert store.get("work/empty") == b""
    assert store.local_copy("work/empty").read_bytes() == b""


def test_a_file_is_stored_whole(store: BlobStore, tmp_path: Path) -> None:
    source = tmp_path / "source.bin"
    source.write_bytes(bytes(range(256)) * 4096)
    store.put_file("incoming/x/source", source)
    assert store.size("incoming/x/source") == 256 * 4096
    assert store.get("incoming/x/source")[:256] == bytes(range(256))


@pytest.mark.parametrize("ask", ["get", "size", "local_copy"])
def test_a_missing_object_is_not_found(store: BlobStore, ask: str) -> None:
    with pytest.raises(NotFound, match="work/nothing"):
        getattr(store, ask)("work/nothing")
    assert not store.exists("work/nothing")


def test_keys_are_listed_in_order_below_their_prefix(store: BlobStore) -> None:
    for key in ("work/b/2", "work/b/10", "work/a/1", "work/ba", "else/1"):
        store.put(key, b"x")
    assert list(store.list("work/b/")) == ["work/b/10", "work/b/2"]
    assert list(store.list("work/")) == ["work/a/1", "work/b/10", "work/b/2", "work/ba"]
    assert list(store.list("none/")) == []


def test_a_prefix_is_deleted_and_nothing_beside_it(store: BlobStore) -> None:
    for key in ("work/a/1", "work/a/2", "work/ab"):
        store.put(key, b"x")
    assert store.delete_prefix("work/a/") == 2
    assert store.delete_prefix("work/a/") == 0
    assert list(store.list("work/")) == ["work/ab"]


def test_a_key_that_looks_like_a_path_upwards_reaches_nothing(store: BlobStore) -> None:
    store.put("work/a", b"inside")
    assert not store.exists("work/%2e%2e/a")


def test_deleting_leaves_no_old_version_in_the_bucket(s3_store: S3BlobStore, bucket: Any) -> None:
    s3_store.put("work/a", b"first")
    s3_store.put("work/a", b"second")
    assert s3_store.delete_prefix("work/") == 1
    assert list(bucket.object_versions.all()) == []


def test_a_read_url_serves_the_object_for_five_minutes(s3_store: S3BlobStore) -> None:
    s3_store.put("work/image", b"pixels", "image/jpeg")
    url = s3_store.read_url("work/image")
    assert url is not None
    assert "X-Amz-Expires=300" in url
    assert httpx.get(url).content == b"pixels"


def test_a_local_copy_is_made_once(s3_store: S3BlobStore) -> None:
    s3_store.put("incoming/x/source", b"document")
    first = s3_store.local_copy("incoming/x/source")
    written = first.stat().st_mtime_ns
    assert s3_store.local_copy("incoming/x/source") == first
    assert first.stat().st_mtime_ns == written


def test_an_upload_is_bound_to_its_key_and_its_size(s3_store: S3BlobStore) -> None:
    target = s3_store.upload_target("incoming/x/source", 10)
    assert target.method == "POST"
    assert target.fields["key"] == "incoming/x/source"
    sent = httpx.post(target.url, data=target.fields, files={"file": b"0123456789"})
    assert sent.is_success
    assert s3_store.get("incoming/x/source") == b"0123456789"
    too_long = httpx.post(target.url, data=target.fields, files={"file": b"0123456789+"})
    assert too_long.status_code == 400
    assert s3_store.get("incoming/x/source") == b"0123456789"
