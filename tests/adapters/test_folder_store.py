"""The folder that is the bucket on one machine: nothing outside it is reached, and nobody sees half of one."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from shared.adapters.local.files import FileBlobStore
from shared.errors import BadInput


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
