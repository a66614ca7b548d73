"""A blob store in a folder: the local counterpart of the bucket."""

import hashlib
import os
import shutil
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from shared.adapters.local.room import needing_room
from shared.errors import BadInput, NotFound
from shared.ports import StoredObject, UploadTarget

PARTIAL = ".part-"

# The spool folder's name begins like that of a partial object, so nothing in it is listed as an object.
SPOOL = ".part-arriving"
SPOOLED_S = 24 * 3600.0


class FileBlobStore:
    """Objects as files below `root`. A write is a rename, so that a reader never sees a partial object."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)

    def put(self, key: str, data: bytes, content_type: str = "application/octet-stream") -> None:
        with self._replacing(key) as (partial, _):
            partial.write(data)

    def put_all(self, objects: Mapping[str, bytes]) -> dict[str, str | None]:
        """One after the other: threads would wait for the interpreter, not for the disk."""
        for key, data in objects.items():
            self.put(key, data)
        return dict.fromkeys(objects)

    def put_file(self, key: str, path: Path) -> None:
        # A rename is atomic within one file system only; the spool may lie in another.
        with self._replacing(key) as (_, partial):
            shutil.move(path, partial)

    def get(self, key: str) -> bytes:
        with _gone_is_not_found(key):
            return self.local_copy(key).read_bytes()

    def size(self, key: str) -> int:
        with _gone_is_not_found(key):
            return self.local_copy(key).stat().st_size

    def exists(self, key: str) -> bool:
        return self._path(key).is_file()

    def list(self, prefix: str) -> Iterator[str]:
        return (key for key in self._files(prefix) if not _is_partial(key))

    def entries(self, prefix: str) -> Iterator[StoredObject]:
        for key in self._files(prefix):
            try:
                found = self._path(key).stat()
            except FileNotFoundError:
                continue
            changed_at = datetime.fromtimestamp(found.st_mtime, UTC)
            yield StoredObject(key, found.st_size, changed_at, partial=_is_partial(key))

    def delete(self, key: str, version: str | None = None) -> None:
        self._path(key).unlink(missing_ok=True)

    def delete_prefix(self, prefix: str, until: float | None = None) -> int:
        keys = list(self.list(prefix))
        for place, key in enumerate(keys):
            if until is not None and time.monotonic() >= until:
                return place
            self.delete(key)
        # What a crash left half written goes too; `/`, `./` and `a//` begin no key and are no folder.
        folder = self._path(prefix)
        if folder != self.root and f"{folder.relative_to(self.root).as_posix()}/" == prefix:
            shutil.rmtree(folder, ignore_errors=True)
        return len(keys)

    def local_copy(self, key: str, version: str | None = None) -> Path:
        path = self._path(key)
        if not path.is_file():
            raise NotFound(f"There is no object {key}.")
        return path

    def spool(self) -> Path:
        """A folder beside the objects, so on their disk. Files left by a killed process are deleted after a day."""
        folder = self.root / SPOOL
        with needing_room(self.root):
            folder.mkdir(exist_ok=True)
        for path in folder.iterdir():
            with suppress(FileNotFoundError):  # its sender has just been done with it
                if time.time() - path.stat().st_mtime > SPOOLED_S:
                    path.unlink()
        return folder

    def latest_version(self, key: str) -> str | None:
        self.local_copy(key)
        return None

    def copy(self, key: str, version: str | None, target: str) -> None:
        """A real copy and not a link, so that a process with the other file open cannot write into this one."""
        source = self.local_copy(key, version)
        with self._replacing(target) as (_, partial), _gone_is_not_found(key):
            shutil.copyfile(source, partial)

    def upload_target(self, key: str, size: int, sha256: str) -> UploadTarget:
        """The application itself receives the bytes and compares them with the announced ones; `…/{upload_id}/source`
        is addressed by its upload."""
        upload_id = key.split("/")[-2]
        return UploadTarget(url=f"/v1/uploads/{upload_id}/content", method="PUT", headers={}, fields={})

    def begin_upload(self, key: str) -> str:
        upload = uuid4().hex
        with needing_room(self.root):
            self._parts(key, upload).mkdir(parents=True)
        return upload

    def put_part(self, key: str, upload: str, number: int, data: bytes) -> str:
        with needing_room(self.root), _gone_is_not_found(key):
            (self._parts(key, upload) / f"{number:05}").write_bytes(data)
        return hashlib.sha256(data).hexdigest()

    def part_url(self, key: str, upload: str, number: int) -> str:
        raise BadInput("This machine takes an archive in one: POST /v1/imports.")

    def end_upload(self, key: str, upload: str, parts: Sequence[str]) -> None:
        folder = self._parts(key, upload)
        with _gone_is_not_found(key), self._replacing(key) as (whole, _):
            for number, tag in enumerate(parts, start=1):
                data = (folder / f"{number:05}").read_bytes()
                if hashlib.sha256(data).hexdigest() != tag:
                    raise BadInput(f"The parts of {key} are not those that were sent. Send them again.")
                whole.write(data)
        shutil.rmtree(folder)

    def read_range(self, key: str, start: int, size: int) -> bytes:
        with _gone_is_not_found(key), self.local_copy(key).open("rb") as file:
            file.seek(start)
            return file.read(max(0, size))

    def read_url(self, key: str, filename: str | None = None) -> str | None:
        return None

    def _parts(self, key: str, upload: str) -> Path:
        """The folder of an upload: a partial object, by its name."""
        return self._path(f"{key.rpartition('/')[0]}/{PARTIAL}{upload}")

    def _files(self, prefix: str) -> Iterator[str]:
        folder = self._path(prefix.rpartition("/")[0])
        # Unlike `Path.rglob`, this goes on where a folder is deleted meanwhile.
        files = (Path(at, name) for at, _, names in os.walk(folder) for name in names)
        found = (file.relative_to(self.root).as_posix() for file in files if file.is_file())
        return iter(sorted(key for key in found if key.startswith(prefix)))

    @contextmanager
    def _replacing(self, key: str) -> Generator[tuple[BinaryIO, Path]]:
        """Yields a temporary file, open to be written, that replaces the object at the end, or is deleted. Raises
        StorageFull."""
        target = self._inside(key)
        temporary = os.path.join(os.path.dirname(target), f"{PARTIAL}{uuid4().hex}")
        with needing_room(self.root):
            file = _new_file(temporary)
            try:
                with file:
                    yield file, Path(temporary)
                os.replace(temporary, target)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise

    def _path(self, key: str) -> Path:
        return Path(self._inside(key))

    def _inside(self, key: str) -> str:
        """Its path. Raises BadInput for one that is outside of the store."""
        root = str(self.root)
        path = os.path.realpath(os.path.join(root, key))
        if path != root and not path.startswith(root + os.sep):
            raise BadInput("An object key may not leave its store.")
        return path


def _new_file(path: str) -> BinaryIO:
    """Open to be written, in a folder that need not be there: that of most objects is not."""
    try:
        return open(path, "xb", opener=_open_private)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return open(path, "xb", opener=_open_private)


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@contextmanager
def _gone_is_not_found(key: str) -> Generator[None]:
    """Maps a missing file to NotFound: an object may be deleted between being found and being read."""
    try:
        yield
    except FileNotFoundError as gone:
        raise NotFound(f"There is no object {key}.") from gone


def _is_partial(key: str) -> bool:
    """Whether the file is an unfinished write or upload."""
    return any(part.startswith(PARTIAL) for part in key.split("/"))
