"""One suite for every blob store: a folder, and a bucket in an emulated S3."""

import hashlib
import json
import os
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError

from shared.adapters.aws import s3
from shared.adapters.aws.clients import make_client
from shared.adapters.aws.s3 import S3BlobStore
from shared.adapters.local.files import FileBlobStore
from shared.errors import BadInput, NotFound, StoreUnavailable
from shared.ports import BlobStore
from tests.aws.bucket import BUCKET


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


def test_several_objects_are_put_at_once_and_their_versions_are_told(store: BlobStore) -> None:
    store.put("work/a/1.json", b"former")
    objects = {"work/a/1.json": b"{}", "work/b": b"", **{f"sources/{n}/source": b"x" * n for n in range(20)}}
    versions = store.put_all(objects)
    assert {key: store.get(key) for key in objects} == objects
    assert versions == {key: store.latest_version(key) for key in objects}
    assert sorted(objects) == [*store.list("")]


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
    assert not source.exists()


def test_a_copy_that_goes_while_room_is_made_for_another_does_no_harm(s3_store: S3BlobStore, tmp_path: Path) -> None:
    (tmp_path / "copies").mkdir()
    (tmp_path / "copies" / "gone").symlink_to("nowhere")
    s3_store.put("work/a", b"one")
    assert s3_store.local_copy("work/a").read_bytes() == b"one"


def test_a_copy_that_another_thread_removes_for_room_does_no_harm(
    s3_store: S3BlobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3, "COPIES_BYTES", 4)
    (tmp_path / "copies").mkdir()
    (old := tmp_path / "copies" / "old").write_bytes(b"old")
    s3_store.put("work/a", b"new")
    stat = Path.stat

    def then_it_goes(path: Path, **how: Any) -> os.stat_result:
        found = stat(path, **how)
        if path == old:
            path.unlink()
        return found

    monkeypatch.setattr(Path, "stat", then_it_goes)
    assert s3_store.local_copy("work/a").read_bytes() == b"new"


def test_there_is_room_for_copies_of_the_largest_upload_twice(s3_store: S3BlobStore, tmp_path: Path) -> None:
    (tmp_path / "copies").mkdir()
    for number, (name, size) in enumerate((("first", 2**29), ("second", 2**29 - 1))):
        with (copy := tmp_path / "copies" / name).open("wb") as file:
            file.truncate(size)  # takes no room on the disk
        os.utime(copy, (number, number))
    for text, left in (("x", {"first", "second"}), ("y", {"second"})):
        s3_store.put(f"work/{text}", text.encode())
        s3_store.local_copy(f"work/{text}")
        assert {path.name for path in (tmp_path / "copies").iterdir() if path.stat().st_size > 1} == left


def test_copies_lie_in_a_folder_of_their_own_below_the_systems(
    bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "not" / "there"))
    for store, folder in (
        (S3BlobStore(BUCKET), tmp_path / "not" / "there" / "autri-copies"),
        (S3BlobStore(BUCKET, tmp_path / "given"), tmp_path / "given"),
    ):
        store.put("work/a", b"one")
        assert store.local_copy("work/a").parent == folder
        assert [path.read_bytes() for path in folder.iterdir()] == [b"one"]


def test_room_for_copies_is_made_by_removing_the_oldest(
    s3_store: S3BlobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3, "COPIES_BYTES", 8)
    for number, name in enumerate(("a", "b", "c")):
        s3_store.put(f"work/{name}", name.encode() * 4)
        os.utime(s3_store.local_copy(f"work/{name}"), (number, number))
    assert {copy.read_bytes() for copy in (tmp_path / "copies").iterdir()} == {b"bbbb", b"cccc"}


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


def test_one_object_is_deleted_and_nothing_beside_it(store: BlobStore) -> None:
    for key in ("work/a", "work/ab", "work/a/b") if isinstance(store, S3BlobStore) else ("work/a", "work/ab"):
        store.put(key, b"x")
    for _ in range(2):
        store.delete("work/a")
        assert [key for key in store.list("work/") if key != "work/a/b"] == ["work/ab"]
    assert store.exists("work/a/b") == isinstance(store, S3BlobStore)


def test_what_is_told_of_objects(store: BlobStore) -> None:
    for key in ("work/b", "work/a", "else/1"):
        store.put(key, key[-1].encode() * 3)
    told = list(store.entries("work/"))
    assert [(one.key, one.size, one.partial) for one in told] == [("work/a", 3, False), ("work/b", 3, False)]
    assert all(abs(datetime.now(UTC) - one.changed_at) < timedelta(hours=1) for one in told)
    assert list(store.entries("none/")) == []


def test_a_key_that_looks_like_a_path_upwards_reaches_nothing(store: BlobStore) -> None:
    store.put("work/a", b"inside")
    assert not store.exists("work/%2e%2e/a")


def test_deleting_leaves_no_old_version_in_the_bucket(s3_store: S3BlobStore, bucket: Any) -> None:
    s3_store.put("work/a", b"first")
    s3_store.put("work/a", b"second")
    bucket.Object("work/a").delete()  # leaves a marker, and the versions under it
    s3_store.put("work/b", b"third")
    assert s3_store.delete_prefix("work/") == 1
    assert list(bucket.object_versions.all()) == []
    s3_store.put("work/a", b"first")
    bucket.Object("work/a").delete()
    s3_store.delete("work/a")
    assert list(bucket.object_versions.all()) == []


@pytest.mark.parametrize(("given", "stored"), [([], "application/octet-stream"), (["image/jpeg"], "image/jpeg")])
def test_an_object_is_served_as_what_it_was_put_as(
    s3_store: S3BlobStore, bucket: Any, given: list[str], stored: str
) -> None:
    s3_store.put("work/a", b"one", *given)
    assert bucket.Object("work/a").content_type == stored


def test_of_several_objects_json_is_served_as_such(s3_store: S3BlobStore, bucket: Any) -> None:
    s3_store.put_all({"work/1.json": b"{}", "sources/x/source": b"one"})
    served = {key: bucket.Object(key).content_type for key in ("work/1.json", "sources/x/source")}
    assert served == {"work/1.json": "application/json", "sources/x/source": "application/octet-stream"}


@pytest.mark.parametrize("code", ["404", "NoSuchKey", "NoSuchVersion", "NotFound"])
def test_every_way_in_which_a_bucket_says_that_there_is_none(s3_store: S3BlobStore, code: str) -> None:
    def refuse(**_: Any) -> None:
        raise ClientError({"Error": {"Code": code, "Message": "Not here."}}, "Any")

    with hooked(make_client("s3").meta.events, "before-call.s3.GetObject", refuse), pytest.raises(NotFound):
        s3_store.get("work/a")


SLOW_DOWN = ClientError({"Error": {"Code": "SlowDown", "Message": "Reduce your rate."}}, "Any")


@pytest.mark.parametrize("error", [SLOW_DOWN, ConnectTimeoutError(endpoint_url="s3")], ids=["busy", "silent"])
@pytest.mark.parametrize(
    ("asked", "ask"),
    [
        ("ListObjectsV2", lambda store, _: list(store.list("work/"))),
        ("ListObjectsV2", lambda store, _: list(store.entries("work/"))),
        ("ListObjectVersions", lambda store, _: store.delete("work/a")),
        ("ListObjectVersions", lambda store, _: store.delete_prefix("work/")),
        ("DeleteObjects", lambda store, _: store.delete("work/a")),
        ("DeleteObjects", lambda store, _: store.delete_prefix("work/")),
        ("GetObject", lambda store, _: store.get("work/a")),
        ("PutObject", lambda store, file: store.put_file("work/b", file)),
    ],
)
def test_a_bucket_that_does_not_serve_is_a_store_that_does_not_answer(
    s3_store: S3BlobStore, tmp_path: Path, asked: str, ask: Callable[[S3BlobStore, Path], Any], error: Exception
) -> None:
    def refuse(**_: Any) -> None:
        raise error

    s3_store.put("work/a", b"one")
    source = tmp_path / "source.bin"
    source.write_bytes(b"two")
    hook = hooked(make_client("s3").meta.events, f"before-call.s3.{asked}", refuse)
    with hook, pytest.raises(StoreUnavailable, match="document store does not"):
        ask(s3_store, source)
    assert source.exists()
    assert list(s3_store.list("work/")) == ["work/a"]


def test_many_versions_are_deleted_page_by_page_and_one_that_stays_is_told(s3_store: S3BlobStore) -> None:
    sizes: list[int] = []

    def two_a_page(params: dict[str, Any], **_: Any) -> None:
        params["MaxKeys"] = 2

    def count(params: dict[str, Any], **_: Any) -> None:
        sizes.append(len(params["Delete"]["Objects"]))

    def one_stays(parsed: dict[str, Any], **_: Any) -> None:
        parsed["Errors"] = [{"Key": "work/a", "Code": "AccessDenied"}]

    events = make_client("s3").meta.events
    for number in range(5):
        s3_store.put(f"work/{number}", b"x")
    with (
        hooked(events, "before-parameter-build.s3.ListObjectVersions", two_a_page),
        hooked(events, "before-parameter-build.s3.DeleteObjects", count),
    ):
        assert s3_store.delete_prefix("work/") == 5
    assert (sizes, list(s3_store.list("work/"))) == ([2, 2, 1], [])
    s3_store.put("work/a", b"stays")
    with (
        hooked(events, "after-call.s3.DeleteObjects", one_stays),
        pytest.raises(StoreUnavailable, match="could not delete 1 objects"),
    ):
        s3_store.delete("work/a")


@contextmanager
def hooked(events: Any, event: str, call: Callable[..., None]) -> Generator[None]:
    events.register(event, call)
    try:
        yield
    finally:
        events.unregister(event, call)


def test_a_read_url_serves_the_object_for_five_minutes(s3_store: S3BlobStore) -> None:
    s3_store.put("work/image", b"pixels", "image/jpeg")
    url = s3_store.read_url("work/image")
    assert url is not None
    assert "X-Amz-Expires=300" in url
    assert httpx.get(url).content == b"pixels"


def test_a_read_url_with_a_name_is_saved_and_not_shown(s3_store: S3BlobStore) -> None:
    s3_store.put("sources/x", b"<script>", "text/html")
    url = s3_store.read_url("sources/x", 'a "b" é.pdf')
    assert url is not None
    assert httpx.get(url).headers["content-disposition"] == "attachment; filename*=UTF-8''a%20%22b%22%20%C3%A9.pdf"


def test_a_local_copy_is_made_once(s3_store: S3BlobStore) -> None:
    s3_store.put("incoming/x/source", b"document")
    first = s3_store.local_copy("incoming/x/source")
    written = first.stat().st_mtime_ns
    assert s3_store.local_copy("incoming/x/source") == first
    assert first.stat().st_mtime_ns == written


def test_a_version_is_read_as_it_was_whatever_was_put_since(s3_store: S3BlobStore) -> None:
    s3_store.put("sources/x/source", b"first one")
    first = s3_store.latest_version("sources/x/source")
    s3_store.put("sources/x/source", b"second")
    assert s3_store.latest_version("sources/x/source") != first
    assert s3_store.local_copy("sources/x/source", first).read_bytes() == b"first one"
    assert s3_store.local_copy("sources/x/source").read_bytes() == b"second"
    s3_store.copy("sources/x/source", first, "sources/y/source")
    assert s3_store.get("sources/y/source") == b"first one"
    s3_store.delete_prefix("sources/x/")
    with pytest.raises(NotFound, match="sources/x/source"):
        s3_store.local_copy("sources/x/source", first)


def test_a_copy_has_bytes_of_its_own(store: BlobStore) -> None:
    data = bytes(range(256)) * 40_000  # more than one part of a copy in parts
    store.put("incoming/x/source", data)
    store.copy("incoming/x/source", store.latest_version("incoming/x/source"), "sources/x/source")
    store.put("incoming/x/source", b"something else")
    assert store.get("sources/x/source") == data
    store.delete_prefix("incoming/x/source")
    assert store.get("sources/x/source") == data
    for ask in (store.latest_version, lambda key: store.copy(key, None, "sources/z/source")):
        with pytest.raises(NotFound, match="incoming/x/source"):
            ask("incoming/x/source")
    assert not store.exists("sources/z/source")


def test_a_copy_in_the_folder_cannot_be_written_through_a_file_that_is_still_open(tmp_path: Path) -> None:
    store = FileBlobStore(tmp_path / "blobs")
    store.put("incoming/x/source", b"announced")
    with store.local_copy("incoming/x/source").open("r+b") as still_open:
        store.copy("incoming/x/source", None, "sources/x/source")
        still_open.write(b"forged!!!")
    assert store.get("sources/x/source") == b"announced"


def test_an_upload_is_bound_to_its_key_its_size_and_its_bytes(s3_store: S3BlobStore) -> None:
    data = b"0123456789"
    target = s3_store.upload_target("incoming/x/source", len(data), hashlib.sha256(data).hexdigest())
    # printf 0123456789 | openssl dgst -sha256 -binary | base64
    checksum = "hNiYd/DUBB77a/kaFvAkjy/Vc+avBcGflr7bn4gveII="
    assert target.method == "POST"
    assert target.fields["key"] == "incoming/x/source"
    assert (target.fields["x-amz-checksum-algorithm"], target.fields["x-amz-checksum-sha256"]) == ("SHA256", checksum)
    policy = json.loads(b64decode(target.fields["policy"]))
    for condition in (
        {"bucket": BUCKET},
        {"key": "incoming/x/source"},
        {"x-amz-checksum-algorithm": "SHA256"},
        {"x-amz-checksum-sha256": checksum},
        ["content-length-range", 10, 10],
    ):
        assert condition in policy["conditions"]
    loose = [c for c in policy["conditions"] if isinstance(c, list) and c[0] != "content-length-range"]
    assert loose == [], "every field that is sent is an exact condition"
    lifetime = datetime.fromisoformat(policy["expiration"]) - datetime.now(UTC)
    assert timedelta(minutes=14) < lifetime <= timedelta(minutes=15)


OTHER_CHECKSUM = b64encode(hashlib.sha256(b"9876543210").digest()).decode()


@pytest.mark.parametrize(
    ("fields", "data", "status"),
    [
        ({}, b"0123456789+", 400),
        ({}, b"012345678", 400),
        ({"x-amz-checksum-sha256": OTHER_CHECKSUM}, b"9876543210", 403),
        ({"x-amz-checksum-sha256": None}, b"9876543210", 403),
        ({"x-amz-checksum-algorithm": None}, b"9876543210", 403),
        ({"x-amz-checksum-algorithm": "CRC32"}, b"9876543210", 403),
        ({"key": "sources/x/source"}, b"0123456789", 403),
        ({"x-amz-meta-more": "1"}, b"0123456789", 403),
    ],
    ids=["longer", "shorter", "other hash", "no hash", "no algorithm", "other algorithm", "evidence's key", "more"],
)
def test_a_ticket_takes_nothing_but_what_was_announced(
    s3_store: S3BlobStore, fields: dict[str, str | None], data: bytes, status: int
) -> None:
    target = s3_store.upload_target("incoming/x/source", 10, hashlib.sha256(b"0123456789").hexdigest())
    form = {name: value for name, value in (target.fields | fields).items() if value is not None}
    assert httpx.post(target.url, data=form, files={"file": data}).status_code == status
    assert list(s3_store.list("")) == []
    assert httpx.post(target.url, data=target.fields, files={"file": b"0123456789"}).is_success
    assert s3_store.get("incoming/x/source") == b"0123456789"


# What S3 asks of every part but the last.
PART = 5 * 1024 * 1024


def test_parts_make_one_object_whatever_was_sent_instead_of_them_before(store: BlobStore) -> None:
    first, last = b"a" * PART, b"the end"
    upload = store.begin_upload("exports/o/job/archive.zip")
    store.put_part("exports/o/job/archive.zip", upload, 2, b"something else")
    tags = [store.put_part("exports/o/job/archive.zip", upload, at, part) for at, part in ((1, first), (2, last))]
    store.put_part("exports/o/job/archive.zip", upload, 3, b"behind the end")
    assert not store.exists("exports/o/job/archive.zip")
    assert list(store.list("exports/")) == []
    with pytest.raises(BadInput, match="not those that were sent"):
        store.end_upload("exports/o/job/archive.zip", upload, [tags[0], '"00000000000000000000000000000000"'])
    store.end_upload("exports/o/job/archive.zip", upload, tags)
    assert store.get("exports/o/job/archive.zip") == first + last
    with suppress(NotFound):
        store.end_upload("exports/o/job/archive.zip", upload, tags)
    assert store.get("exports/o/job/archive.zip") == first + last


def test_a_range_is_what_there_is_of_it(store: BlobStore) -> None:
    store.put("work/a", b"0123456789")
    ranges = [(0, 4), (4, 4), (8, 4), (10, 4), (50, 1), (3, 0)]
    assert [store.read_range("work/a", *one) for one in ranges] == [b"0123", b"4567", b"89", b"", b"", b""]
    with pytest.raises(NotFound):
        store.read_range("work/gone", 0, 1)


def test_a_part_is_put_to_its_address_by_whoever_has_it(s3_store: S3BlobStore) -> None:
    upload = s3_store.begin_upload("imports/o/job/archive.autri.zip")
    url = s3_store.part_url("imports/o/job/archive.autri.zip", upload, 1)
    answer = httpx.put(url, content=b"all of it")
    s3_store.end_upload("imports/o/job/archive.autri.zip", upload, [answer.headers["etag"]])
    assert s3_store.get("imports/o/job/archive.autri.zip") == b"all of it"
