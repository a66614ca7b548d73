"""A blob store in a folder: what the bucket is in the cloud."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from shared.errors import BadInput, NotFound
from shared.ports import UploadTarget


class FileBlobStore:
    """Objects as files below `root`. A write is a rename, so a reader never sees half an object."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.root.mkdir(parents=True, exist_ok=True)

    def put(self, key: str, data: bytes, content_type: str = "application/octet-stream") -> None:
        target = self._make_room(key)
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".part-")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, target)

    def put_file(self, key: str, path: Path) -> None:
        target = self._make_room(key)
        # A rename is atomic within one file system only; the spool may lie in another.
        partial = target.with_name(f".part-{target.name}-{os.getpid()}")
        shutil.move(path, partial)
        os.replace(partial, target)

    def get(self, key: str) -> bytes:
        return self.local_copy(key).read_bytes()

    def size(self, key: str) -> int:
        return self.local_copy(key).stat().st_size

    def exists(self, key: str) -> bool:
        return self._path(key).is_file()

    def list(self, prefix: str) -> Iterator[str]:
        folder = self._path(prefix.rpartition("/")[0])
        found = (p.relative_to(self.root).as_posix() for p in folder.rglob("*") if p.is_file())
        return iter(sorted(key for key in found if key.startswith(prefix) and "/.part-" not in f"/{key}"))

    def delete_prefix(self, prefix: str) -> int:
        keys = list(self.list(prefix))
        for key in keys:
            self._path(key).unlink(missing_ok=True)
        # What a crash left half written goes too; `/`, `./` and `a//` begin no key and are no folder.
        folder = self._path(prefix)
        if folder != self.root and f"{folder.relative_to(self.root).as_posix()}/" == prefix:
            shutil.rmtree(folder, ignore_errors=True)
        return len(keys)

    def local_copy(self, key: str) -> Path:
        path = self._path(key)
        if not path.is_file():
            raise NotFound(f"There is no object {key}.")
        return path

    def upload_target(self, key: str, max_bytes: int) -> UploadTarget:
        """The application itself takes the bytes; `…/{upload_id}/source` is addressed by its upload."""
        upload_id = key.split("/")[-2]
        return UploadTarget(url=f"/v1/uploads/{upload_id}/content", method="PUT", headers={}, fields={})

    def read_url(self, key: str) -> str | None:
        return None

    def _make_room(self, key: str) -> Path:
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def _path(self, key: str) -> Path:
        path = (self.root / key).resolve()
        if path != self.root and self.root not in path.parents:
            raise BadInput("An object key may not leave its store.")
        return path
