"""Folders, mailboxes and buckets as files with paths and hashes."""

import hashlib
import mailbox
from pathlib import Path
from typing import Any

import pytest

from functions.cli.sync_places import BucketPlace, FoundFile, KnownItem, SyncWish, open_place
from shared.errors import BadInput

MAIL = """From: ada@kestrel.example
Subject: {subject}
Message-ID: <{id}@kestrel.example>
Date: Sat, 31 Jan 2026 10:00:00 +0000
{more}
{text}
"""


def write(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def found_in(place: Any, known: dict[str, KnownItem] | None = None) -> list[FoundFile]:
    return list(place.files(known or {}))


def paths(folder: Path, include: list[str] | None = None, exclude: list[str] | None = None) -> list[str]:
    return [one.path for one in found_in(open_place(str(folder), SyncWish(include or [], exclude or [])))]


def test_a_folder_is_its_readable_files_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("b/a.txt", "a.pdf", ".git/x.txt", "b/.x.txt", "song.mp3", "c/d/e.zip", "b/~$a.docx", "desktop.ini"):
        write(tmp_path / name)
    assert paths(tmp_path) == ["a.pdf", "b/a.txt", "c/d/e.zip"]


def test_a_file_without_an_ending_counts_where_it_is_text(tmp_path: Path) -> None:
    write(tmp_path / "README")
    (tmp_path / "program").write_bytes(b"\x7fELF" + bytes(200))
    (tmp_path / "empty").touch()
    wanted = SyncWish([], ["LICENSE"])
    write(tmp_path / "LICENSE")
    found = [one.path for one in found_in(open_place(str(tmp_path), wanted))]
    assert (found, wanted.unread) == (["README"], {"program", "empty"})


def test_what_is_there_no_more_is_not_told_as_unread(tmp_path: Path) -> None:
    wanted = SyncWish([], [])
    place = open_place(str(tmp_path), wanted)
    unread = write(tmp_path / "run.exe")
    assert (found_in(place), wanted.unread) == ([], {"run.exe"})
    unread.unlink()
    assert (found_in(place), wanted.unread) == ([], set())


def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "out/secret.txt")
    write(tmp_path / "in/a.txt")
    (tmp_path / "in/link.txt").symlink_to(tmp_path / "out/secret.txt")
    (tmp_path / "in/folder").symlink_to(tmp_path / "out")
    (tmp_path / "in/round").symlink_to(tmp_path / "in")
    assert paths(tmp_path / "in") == ["a.txt"]


@pytest.mark.parametrize(
    ("include", "exclude", "left"),
    [
        ([], ["drafts/"], ["a.txt", "b/a.md"]),
        ([], ["*.txt", "!/a.txt"], ["a.txt", "b/a.md"]),
        (["*.md"], [], ["b/a.md"]),
        (["/b/", "/drafts/"], ["*.md"], ["drafts/a.txt"]),
        ([], ["**/a.*"], []),
    ],
)
def test_patterns_are_those_of_a_gitignore(
    tmp_path: Path, include: list[str], exclude: list[str], left: list[str]
) -> None:
    for name in ("a.txt", "b/a.md", "drafts/a.txt"):
        write(tmp_path / name)
    assert paths(tmp_path, include, exclude) == left


def test_a_file_is_told_by_its_bytes(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "text")
    (one,) = found_in(open_place(str(tmp_path), SyncWish([], [])))
    assert one.sha256 == hashlib.sha256(b"text").hexdigest()
    assert one.fetch(tmp_path).read_text() == "text"


def test_what_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        open_place(str(tmp_path / "none"), SyncWish([], []))
    with pytest.raises(BadInput, match="Name the bucket"):
        open_place("s3://", SyncWish([], []))


def mail(number: int, more: str = "", text: str = "Hello") -> str:
    return MAIL.format(id=number, subject=f"Boats {number}/7", more=more, text=text)


def test_each_message_of_a_mailbox_counts_once_by_its_id(tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "in.mbox")
    for text in (mail(1), mail(2), mail(1)):
        box.add(text)
    box.close()
    found = found_in(open_place(str(tmp_path / "in.mbox"), SyncWish([], [])))
    assert [one.path.rpartition(" ")[0] for one in found] == ["2026-01-31 Boats 1 7", "2026-01-31 Boats 2 7"]
    assert b"Subject: Boats 1/7" in found[0].fetch(tmp_path).read_bytes()


def test_that_a_message_was_read_does_not_make_it_another_one(tmp_path: Path) -> None:
    told = list[tuple[str, str]]()
    for more in ("", "Status: RO\nX-Status: A\n"):
        box = mailbox.mbox(tmp_path / f"{len(more)}.mbox")
        box.add(mail(1, more))
        box.close()
        (one,) = found_in(open_place(str(tmp_path / f"{len(more)}.mbox"), SyncWish([], [])))
        told.append((one.path, one.sha256))
    assert told[0] == told[1]


def test_a_folder_of_messages_is_a_mailbox(tmp_path: Path) -> None:
    folder = mailbox.Maildir(tmp_path / "mail")
    folder.add(mail(1))
    folder.add(mail(2))
    place = open_place(str(tmp_path / "mail"), SyncWish([], []))
    assert place.kind == "mailbox"
    assert len(found_in(place)) == 2


def test_objects_of_a_bucket_are_read_once(bucket: Any, tmp_path: Path) -> None:
    for key in ("docs/a.txt", "docs/b/", "docs/b/c.md", "docs/song.mp3", "other/x.txt"):
        bucket.put_object(Key=key, Body=key.encode())
    wanted = SyncWish([], [])
    place = BucketPlace(f"s3://{bucket.name}/docs", wanted)
    found = found_in(place)
    assert [one.path for one in found] == ["a.txt", "b/c.md"]
    assert wanted.unread == {"song.mp3"}
    assert found[0].sha256 == hashlib.sha256(b"docs/a.txt").hexdigest()
    assert found[1].fetch(tmp_path).read_bytes() == b"docs/b/c.md"
    known = {one.path: KnownItem("0" * 64, one.mark) for one in found}
    bucket.put_object(Key="docs/a.txt", Body=b"other")
    again = found_in(place, known)
    assert [one.sha256 for one in again] == [hashlib.sha256(b"other").hexdigest(), "0" * 64]
    bucket.delete_objects(Delete={"Objects": [{"Key": "docs/song.mp3"}]})
    assert (len(found_in(place, known)), wanted.unread) == (2, set())
