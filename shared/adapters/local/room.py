"""Errors for a full disk under a data folder."""

import errno
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from shared.errors import StorageFull

# With less, Postgres cannot create its next log file (16 MB each), which it needs to start and to answer.
LITTLE_BYTES = 16 * 1024**2
FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


def describe_full(folder: Path) -> str | None:
    """What to do about the full disk that holds `folder`; None while there is space on it."""
    return full_text(folder) if folder.exists() and shutil.disk_usage(folder).free < LITTLE_BYTES else None


def full_text(folder: Path) -> str:
    """Which folder, how much is free, what to do."""
    free = shutil.disk_usage(folder).free
    return (
        f"The disk that holds {folder} is full ({free / 1e6:,.1f} MB free). Make room on it; nothing that was stored is"
        " lost, and what was under way goes on."
    )


@contextmanager
def needing_room(folder: Path) -> Generator[None]:
    """Encloses writes below `folder`: raises StorageFull where the disk or the account's quota is full."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise StorageFull(full_text(folder)) from error
