"""The data folder, which only its owner may read."""

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from shared.contract import Env
from shared.errors import Unavailable

PRIVATE = 0o700
OURS = ("blobs", "models", "postgres", "vault")


def prepare_home(home: Path) -> None:
    """Make the folder, or close it to other accounts where it is too open. Raises Unavailable with what to do."""
    try:
        home.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
        if _is_of_its_own(home):
            _close(home)
        for folder in (home / name for name in OURS):
            if folder.is_dir() and not folder.is_symlink():
                _close(folder)
    except OSError as error:
        raise Unavailable(
            f"Cannot make the data folder {home} ({error.strerror}). Set {Env.HOME} to a folder you may write."
        ) from error
    if not os.access(home, os.W_OK):
        raise Unavailable(f"The data folder {home} is not writable. Set {Env.HOME} to a folder you may write.")


@contextmanager
def private_files() -> Generator[None]:
    """Files created while this context lasts are readable by this account alone."""
    before = os.umask(0o777 - PRIVATE)
    try:
        yield
    finally:
        os.umask(before)


def _is_of_its_own(home: Path) -> bool:
    """Whether the folder is empty or a data folder already: another one, such as `/tmp` or a home directory, keeps its
    permissions."""
    return not home.stat().st_mode & stat.S_ISVTX and ((home / "postgres.use").exists() or not any(home.iterdir()))


def _close(folder: Path) -> None:
    """Restricts the folder to its owner. Folders of another account (the server's, under root) were restricted by that
    account."""
    found = folder.stat()
    if found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) & 0o077:
        folder.chmod(PRIVATE)
