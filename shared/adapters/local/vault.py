"""Passwords of files between upload and first opening, encrypted on this machine's disk."""

import os
import tempfile
from pathlib import Path
from uuid import UUID

from cryptography.fernet import Fernet, InvalidToken


class SealedFolder:
    """An encrypted file per name under `folder`; the key is beside the folder, readable by its owner alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key_file = folder.with_suffix(".key")

    def put(self, name: UUID, secret: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write_once(self._folder / str(name), self._fernet().encrypt(secret.encode()))

    def get(self, name: UUID) -> str | None:
        path = self._folder / str(name)
        if not path.exists():
            return None
        try:
            return self._fernet().decrypt(path.read_bytes()).decode()
        except InvalidToken:
            # Encrypted with another key: treated like a password that was never given.
            return None

    def forget(self, name: UUID) -> None:
        (self._folder / str(name)).unlink(missing_ok=True)

    def _fernet(self) -> Fernet:
        return Fernet(key_in(self._key_file))


def key_in(file: Path) -> bytes:
    """The key in `file`, readable by its owner alone; made where there is none."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        _write_once(file, Fernet.generate_key())
    return file.read_bytes()


def _write_once(path: Path, data: bytes) -> None:
    """Writes atomically, readable by the owner alone; of two concurrent writers the first one's data is kept."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.link(temporary, path)
    except FileExistsError:
        return
    finally:
        os.unlink(temporary)
