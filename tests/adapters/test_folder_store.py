"""The folder that is the bucket on one machine: nothing outside it is reached, and nobody sees half of one."""

import errno
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from shared.adapters.local.files import FileBlobStore
from shared.errors import BadInput, NotFound, StorageFull
from shared.ports import StoredObject, UploadTarget


@pytest.fixture
def store(tmp_path: Path) -> FileBlobStore:
    return FileBlobStore(tmp_path / "blobs")


@pytest.fixture
def outside(tmp_path: Path, store: FileBlobStore) -> Path:
    """A file beside the store, in a folder whose name begins like the store's; two links in the store lead there."""
    folder = tmp_path / "blobs-of-another"
    folder.mkdir()
    (folder / "secret").write_bytes(b"secret")
    store.put("work/a", b"inside")
    (store.root / "folder-link").symlink_to(folder)
    (store.root / "work" / "file-link").symlink_to(folder / "secret")
    return folder


def put_file(store: FileBlobStore, key: str) -> None:
    source = store.root.parent / "spool"
    source.write_bytes(b"overwritten")
    store.put_file(key, source)


def test_a_folder_that_goes_while_others_are_walked_does_no_harm(
    store: FileBlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a/1", "b/1", "c/1"):
        store.put(f"work/{name}", b"x")
    is_file = Path.is_file

    def other_is_deleted(file: Path) -> bool:
        for folder in (store.root / "work").iterdir():
            if folder != file.parent:
                shutil.rmtree(folder)
        return is_file(file)

    monkeypatch.setattr(Path, "is_file", other_is_deleted)
    assert [key[-4:] for key in store.list("work/")] in (["/a/1"], ["/b/1"], ["/c/1"])


REACH: dict[str, Callable[[FileBlobStore, str], object]] = {
    "put": lambda store, key: store.put(key, b"overwritten"),
    "put_all": lambda store, key: store.put_all({"work/b": b"kept", key: b"overwritten"}),
    "put_file": put_file,
    "get": lambda store, key: store.get(key),
    "size": lambda store, key: store.size(key),
    "exists": lambda store, key: store.exists(key),
    "local_copy": lambda store, key: store.local_copy(key),
    "list": lambda store, key: list(store.list(f"{key}/")),
    "delete_prefix": lambda store, key: store.delete_prefix(f"{key}/"),
}


@pytest.mark.parametrize("reach", REACH)
@pytest.mark.parametrize(
    "key",
    [
        "../blobs-of-another/secret",
        "work/../../blobs-of-another/secret",
        "work/a/../../../blobs-of-another/secret",
        "./../blobs-of-another/secret",
        "{outside}/secret",
        "folder-link/secret",
        "work/file-link",
        "work/../folder-link/secret",
        "..",
        "/",
    ],
)
def test_no_key_reaches_beyond_the_folder(store: FileBlobStore, outside: Path, reach: str, key: str) -> None:
    with pytest.raises(BadInput, match="may not leave its store"):
        REACH[reach](store, key.format(outside=outside))
    assert [path.name for path in outside.iterdir()] == ["secret"]
    assert (outside / "secret").read_bytes() == b"secret"


@pytest.mark.parametrize("prefix", ["../", "../blobs-of-another/", "//", "folder-link/"])
def test_nothing_beyond_the_folder_is_listed_or_deleted(store: FileBlobStore, outside: Path, prefix: str) -> None:
    for reach in (store.list, store.delete_prefix):
        with pytest.raises(BadInput):
            reach(prefix)
    assert (outside / "secret").read_bytes() == b"secret"


@pytest.mark.parametrize("prefix", ["/", "..", "work//", "work/../work/", "./", "./work/"])
def test_a_prefix_that_begins_no_key_deletes_nothing(store: FileBlobStore, prefix: str) -> None:
    store.put("work/a", b"x")
    assert list(store.list(prefix)) == []
    with suppress(BadInput):
        assert store.delete_prefix(prefix) == 0
    assert store.get("work/a") == b"x"


def test_keys_that_stay_inside_are_keys(store: FileBlobStore) -> None:
    for key in ("a/..b", "a/b..", "...", "a/.b", "a b/ü", "a:b"):
        store.put(key, key.encode())
        assert store.get(key) == key.encode()


def test_who_reads_an_object_while_it_is_replaced_reads_one_of_the_two(store: FileBlobStore, tmp_path: Path) -> None:
    store.put("work/a", b"first")
    with store.local_copy("work/a").open("rb") as reader:
        store.put("work/a", b"second")
        assert reader.read() == b"first"
    with store.local_copy("work/a").open("rb") as reader:
        spool = tmp_path / "spool"
        spool.write_bytes(b"third")
        store.put_file("work/a", spool)
        assert not spool.exists()
        assert reader.read() == b"second"
    assert store.get("work/a") == b"third"
    assert [path.name for path in (store.root / "work").iterdir()] == ["a"]


def test_what_is_being_written_is_no_object_and_goes_with_its_folder(store: FileBlobStore) -> None:
    store.put("work/a", b"done")
    (store.root / "work" / ".part-x").write_bytes(b"half")
    (store.root / "work" / "x.part-x").write_bytes(b"done too")
    assert list(store.list("work/")) == ["work/a", "work/x.part-x"]
    assert store.delete_prefix("work/") == 2
    assert list(store.root.iterdir()) == []


def test_a_prefix_is_the_beginning_of_a_key_and_no_folder(store: FileBlobStore) -> None:
    for key in ("work/a", "work/ab", "work/b/a", "else/work/a"):
        store.put(key, b"x")
    assert list(store.list("work/a")) == ["work/a", "work/ab"]
    assert list(store.list("")) == ["else/work/a", "work/a", "work/ab", "work/b/a"]
    assert store.delete_prefix("work/b") == 1
    assert store.delete_prefix("work/ab") == 1
    assert list(store.list("")) == ["else/work/a", "work/a"]


def test_the_folder_is_its_owners_alone_and_may_be_there(tmp_path: Path) -> None:
    for _ in range(2):
        assert FileBlobStore(tmp_path / "data" / "blobs").root.stat().st_mode & 0o777 == 0o700


def test_everything_that_takes_room_is_told_and_what_is_half_written_as_such(store: FileBlobStore) -> None:
    for key, size, second in (("work/b/.part-x", 3, 30), ("work/b/2", 2, 20), ("work/a", 1, 10), ("else", 4, 40)):
        store.put(key, b"x" * size)
        os.utime(store.root / key, (second, second))
    assert list(store.entries("work/")) == [
        StoredObject("work/a", 1, datetime(1970, 1, 1, 0, 0, 10, tzinfo=UTC), partial=False),
        StoredObject("work/b/.part-x", 3, datetime(1970, 1, 1, 0, 0, 30, tzinfo=UTC), partial=True),
        StoredObject("work/b/2", 2, datetime(1970, 1, 1, 0, 0, 20, tzinfo=UTC), partial=False),
    ]


def test_what_goes_while_others_are_told_is_left_out(store: FileBlobStore) -> None:
    for name in ("a", "b", "c"):
        store.put(f"work/{name}", b"x")
    entries = store.entries("work/")
    told = [next(entries).key]
    store.delete("work/b")
    assert [*told, *(entry.key for entry in entries)] == ["work/a", "work/c"]


def test_what_arrives_is_no_object_and_what_a_killed_process_left_of_it_goes_after_a_day(
    store: FileBlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put("work/a", b"x")
    now, day = 2_000_000_000, 24 * 3600
    for folder in (store.spool(), store.root / "work"):
        for age in (0, day, day + 1):
            (folder / f"{age}").write_bytes(b"half")
            os.utime(folder / f"{age}", (now - age, now - age))
    monkeypatch.setattr(time, "time", lambda: float(now))
    assert sorted(path.name for path in store.spool().iterdir()) == ["0", f"{day}"]
    assert list(store.list("")) == ["work/0", f"work/{day}", f"work/{day + 1}", "work/a"]
    assert [one.partial for one in store.entries("")] == [True, True, False, False, False, False]


class Vanishing(FileBlobStore):
    """Each object is deleted between being looked for and being read."""

    def local_copy(self, key: str, version: str | None = None) -> Path:
        path = super().local_copy(key, version)
        path.unlink()
        return path


@pytest.mark.parametrize(
    "read", [lambda s: s.get("work/a"), lambda s: s.size("work/a"), lambda s: s.copy("work/a", None, "work/b")]
)
def test_what_goes_while_it_is_read_is_not_there(tmp_path: Path, read: Callable[[FileBlobStore], object]) -> None:
    store = Vanishing(tmp_path / "blobs")
    store.put("work/a", b"a")
    with pytest.raises(NotFound, match="work/a"):
        read(store)
    assert [entry.key for entry in store.entries("work/")] == []


def test_what_is_no_file_is_no_object(store: FileBlobStore) -> None:
    store.put("work/a", b"x")
    assert (store.exists("work/a"), store.exists("work"), store.exists("")) == (True, False, False)
    for ask in (store.get, store.latest_version, store.local_copy):
        with pytest.raises(NotFound, match=r"There is no object work\."):
            ask("work")
    assert (store.latest_version("work/a"), store.read_url("work/a")) == (None, None)


def test_an_upload_goes_to_the_application_by_its_own_id(store: FileBlobStore) -> None:
    target = store.upload_target("incoming/organization/base/an-upload/source", 10, "0" * 64)
    assert target == UploadTarget(url="/v1/uploads/an-upload/content", method="PUT", headers={}, fields={})


def test_nobody_sees_an_object_before_it_is_whole_and_no_file_stays_open(
    store: FileBlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put("work/a", b"source")
    seen: list[tuple[list[str], list[bool], Path]] = []
    copyfile = shutil.copyfile

    def looked_at(source: Path, partial: Path) -> None:
        copyfile(source, partial)
        seen.append((list(store.list("")), [one.partial for one in store.entries("new/")], partial.parent))

    monkeypatch.setattr(shutil, "copyfile", looked_at)
    free = free_descriptor()
    store.copy("work/a", None, "new/b")
    assert seen == [(["work/a"], [True], store.root / "new")]
    assert (store.get("new/b"), free_descriptor()) == (b"source", free)


def free_descriptor() -> int:
    """The lowest number that is free for a file."""
    number = os.dup(0)
    os.close(number)
    return number


@pytest.mark.parametrize("deleted_meanwhile", [False, True])
@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (OSError(errno.ENOSPC, "full"), StorageFull),
        (PermissionError(errno.EACCES, "denied"), PermissionError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ],
    ids=["full", "denied", "interrupted"],
)
def test_a_write_that_fails_says_why_leaves_nothing_and_keeps_what_was_there(
    store: FileBlobStore,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    raised: type[BaseException],
    deleted_meanwhile: bool,
) -> None:
    def fail(_: Path, partial: Path) -> None:
        if deleted_meanwhile:
            partial.unlink()
        raise error

    store.put("work/a", b"source")
    store.put("new/b", b"there before")
    monkeypatch.setattr(shutil, "copyfile", fail)
    with pytest.raises(raised):
        store.copy("work/a", None, "new/b")
    assert store.get("new/b") == b"there before"
    assert [path.name for path in (store.root / "new").iterdir()] == ["b"]


@pytest.mark.parametrize("folder_is_there", [False, True])
def test_bytes_that_cannot_be_written_leave_nothing_and_keep_what_was_there(
    store: FileBlobStore, monkeypatch: pytest.MonkeyPatch, folder_is_there: bool
) -> None:
    if folder_is_there:
        store.put("new/b", b"there before")

    def fail(partial: str, target: str) -> None:
        assert [one.partial for one in store.entries("new/")] == [*[False] * folder_is_there, True][::-1]
        assert os.stat(partial).st_mode & 0o777 == 0o600
        assert Path(partial).read_bytes() == b"replaced"
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(StorageFull):
        store.put("new/b", b"replaced")
    assert [path.read_bytes() for path in (store.root / "new").iterdir()] == [b"there before"] * folder_is_there
