"""The data folder: nobody but its owner may look into it."""

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
    """What this process makes meanwhile is for its own account alone."""
    before = os.umask(0o777 - PRIVATE)
    try:
        yield
    finally:
        os.umask(before)


def _is_of_its_own(home: Path) -> bool:
    """Empty, or a data folder already: `/tmp` or a home directory, taken for one, stays as open as others need it."""
    return not home.stat().st_mode & stat.S_ISVTX and ((home / "postgres.use").exists() or not any(home.iterdir()))


def _close(folder: Path) -> None:
    """What belongs to another account (the server's, of root's) is closed already, by its maker."""
    found = folder.stat()
    if found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) & 0o077:
        folder.chmod(PRIVATE)
