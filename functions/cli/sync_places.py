"""What `autri sync` reads: folders, mailboxes and buckets, as files with paths and hashes."""

import hashlib
import mailbox
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from email.header import decode_header, make_header
from email.parser import BytesHeaderParser
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from shared.errors import BadInput, Unavailable
from shared.readers.formats import is_text
from shared.readers.registry import HEAD_BYTES, SENDABLE
from shared.values.file_paths import is_litter

SUBJECT_LENGTH: Final = 80
_BUCKET: Final = "s3://"
_MAILDIR: Final = frozenset({"cur", "new", "tmp"})
# What mail programs note in a mailbox about a message; it is no part of what was sent.
_NOTED: Final = re.compile(rb"(?im)^(?:status|x-status|x-keywords|x-uid|x-mozilla-(?:status2?|keys)):[^\n]*\n")


class FoundFile(NamedTuple):
    """A file that is there. `fetch` puts its bytes into a folder, or says where they are; `mark` is by what its place
    tells it without sending it."""

    path: str
    sha256: str
    mark: str | None
    fetch: Callable[[Path], Path]


class KnownItem(NamedTuple):
    """What came from a path last."""

    sha256: str | None
    mark: str | None


class SyncPlace(Protocol):
    """Where files come from. `kind` and `name` are what the server knows it by."""

    kind: str
    name: str

    def files(self, known: Mapping[str, KnownItem]) -> Iterator[FoundFile]:
        """All files, by path; what has a known mark is not read. Raises BadInput where there is no such place."""
        ...


def open_place(given: str, wanted: "SyncWish") -> SyncPlace:
    """A bucket, a mailbox or a folder, by how it is called and what is there. Raises BadInput where nothing is."""
    if given.startswith(_BUCKET):
        return BucketPlace(given, wanted)
    path = Path(given).expanduser()
    if not path.exists():
        raise BadInput(f"{path} does not exist. Check the path.")
    if path.is_file() or all((path / name).is_dir() for name in _MAILDIR):
        return MailboxPlace(path)
    return FolderPlace(path, wanted)


class SyncWish:
    """Which files count, by patterns as in a .gitignore: those of `include`, or all, without those of `exclude`.
    `unread` are those asked for that would count if anything here read them, when a place was looked through last."""

    def __init__(self, include: Sequence[str], exclude: Sequence[str]) -> None:
        from pathspec import GitIgnoreSpec

        self._include = GitIgnoreSpec.from_lines(include) if include else None
        self._exclude = GitIgnoreSpec.from_lines(exclude)
        self.unread: set[str] = set()

    def __call__(self, path: str, file: Path | None = None) -> bool:
        """Hidden files, what systems leave beside others and what nothing here reads never count. A `file` whose name
        has no ending is read where it is text: README, Makefile."""
        included = self._include is None or self._include.match_file(path)
        if is_litter(path) or not included or self._exclude.match_file(path):
            return False
        ending = Path(path).suffix.lower()
        if ending in SENDABLE or (not ending and file and _holds_text(file)):
            return True
        self.unread.add(path)
        return False


def _holds_text(file: Path) -> bool:
    """Whether it begins as a text does; not of one that is empty, gone or closed to us."""
    with suppress(OSError), file.open("rb") as opened:
        head = opened.read(HEAD_BYTES)
        return bool(head) and is_text(head)
    return False


class FolderPlace:
    """A folder of this machine. Links are not followed: they may lead anywhere, and round."""

    kind = "folder"

    def __init__(self, folder: Path, wanted: SyncWish) -> None:
        self._folder, self._wanted = folder, wanted
        self.name = folder.resolve().name

    def files(self, known: Mapping[str, KnownItem]) -> Iterator[FoundFile]:
        """Every file is read: a time of change says too little. Raises Unavailable where the folder is gone since."""
        if not self._folder.is_dir():
            raise Unavailable(f"{self._folder} is there no more. Check that it is mounted.")
        self._wanted.unread.clear()
        for path in sorted(self._paths()):
            file = self._folder / path
            # Gone since, or closed to us: it is not there now.
            with suppress(OSError), file.open("rb") as opened:
                yield FoundFile(path, hashlib.file_digest(opened, "sha256").hexdigest(), None, lambda _, at=file: at)

    def _paths(self) -> Iterator[str]:
        for at, folders, names in os.walk(self._folder):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                file = Path(at, name)
                path = file.relative_to(self._folder).as_posix()
                if not file.is_symlink() and self._wanted(path, file):
                    yield path


class MailboxPlace:
    """A file of messages (mbox), or a folder of them (Maildir). Each message counts once, by its id."""

    kind = "mailbox"

    def __init__(self, path: Path) -> None:
        self._path = path
        self.name = path.resolve().name

    def files(self, known: Mapping[str, KnownItem]) -> Iterator[FoundFile]:
        seen = set[str]()
        for data in self._messages():
            head = BytesHeaderParser().parsebytes(data)
            told = (head.get("Message-ID") or "").strip() or hashlib.sha256(data).hexdigest()
            if told in seen:
                continue
            seen.add(told)
            name = f"{_day(head.get('Date'))}{_subject(head.get('Subject'))} {_short(told)}.eml"
            yield FoundFile(
                name, hashlib.sha256(data).hexdigest(), None, lambda at, n=name, d=data: _written(at / n, d)
            )

    def _messages(self) -> Iterator[bytes]:
        if self._path.is_dir():
            folder = mailbox.Maildir(self._path, create=False)
            yield from (_sent(folder.get_bytes(key)) for key in sorted(folder.keys()))
            return
        with closing(mailbox.mbox(self._path, create=False)) as box:
            yield from (_sent(box.get_bytes(key)) for key in box.iterkeys())


class BucketPlace:
    """Objects of an S3 bucket below a prefix. An object of the same size and time is not read again."""

    kind = "bucket"

    def __init__(self, address: str, wanted: SyncWish) -> None:
        bucket, _, prefix = address.removeprefix(_BUCKET).partition("/")
        if not bucket:
            raise BadInput("Name the bucket: s3://BUCKET or s3://BUCKET/PREFIX.")
        self._bucket, self._wanted = bucket, wanted
        self._prefix = f"{prefix.rstrip('/')}/" if prefix.strip("/") else ""
        self.name = f"{bucket}/{self._prefix}".rstrip("/")

    def files(self, known: Mapping[str, KnownItem]) -> Iterator[FoundFile]:
        from botocore.exceptions import BotoCoreError, ClientError

        from shared.adapters.aws.clients import make_client

        s3 = make_client("s3")
        self._wanted.unread.clear()

        def fetch(key: str, folder: Path) -> Path:
            target = folder / Path(key).name
            s3.download_file(self._bucket, key, str(target))
            return target

        try:
            for page in s3.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=self._prefix):
                for item in page.get("Contents", []):
                    path = item["Key"].removeprefix(self._prefix)
                    # Consoles keep a folder as an object without bytes.
                    if not path.endswith("/") and self._wanted(path):
                        mark = f"{item['ETag']}{item['Size']}"
                        yield self._found(path, mark, known.get(path), lambda at, k=item["Key"]: fetch(k, at))
        except (BotoCoreError, ClientError) as error:
            raise Unavailable(
                f"s3://{self.name} cannot be read ({error}). Check its name and the credentials."
            ) from error

    def _found(self, path: str, mark: str, before: KnownItem | None, fetch: Callable[[Path], Path]) -> FoundFile:
        if before is not None and before.mark == mark and before.sha256 is not None:
            return FoundFile(path, before.sha256, mark, fetch)
        import tempfile

        with tempfile.TemporaryDirectory() as folder, fetch(Path(folder)).open("rb") as read:
            return FoundFile(path, hashlib.file_digest(read, "sha256").hexdigest(), mark, fetch)


def _sent(data: bytes) -> bytes:
    """The message as it was sent, without what a mail program noted about it."""
    head, blank, body = data.replace(b"\r\n", b"\n").partition(b"\n\n")
    return _NOTED.sub(b"", head + b"\n") + (blank[1:] + body if blank else b"")


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def _day(said: str | None) -> str:
    try:
        return f"{parsedate_to_datetime(said or '').date().isoformat()} "
    except (ValueError, TypeError, OverflowError):
        return ""


def _subject(said: str | None) -> str:
    try:
        text = str(make_header(decode_header(said or "")))
    except (ValueError, LookupError):
        text = str(said)
    kept = "".join(c if c.isprintable() and c not in '/\\:*?"<>|' else " " for c in text)
    return " ".join(kept.split())[:SUBJECT_LENGTH].strip() or "no subject"


def _short(told: str) -> str:
    return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:10]
