"""What a run of the tests makes once: its first process names a folder, whichever worker comes first fills it, and the
others find it.

Not kept longer than the run, so that it never is of another state of the program. What is no test (`make emulated`, a
bench) has one of its own.
"""

import atexit
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

FOLDER = "AUTRI_TEST_ONCE"


def open_folder() -> None:
    """For this process and those that it starts from now on."""
    os.environ[FOLDER] = tempfile.mkdtemp(prefix="autri-once-", dir=os.environ.get("AUTRI_TEST"))


def remove_folder() -> None:
    shutil.rmtree(os.environ.pop(FOLDER), ignore_errors=True)


@contextmanager
def building(what: str) -> Generator[Path]:
    """The run's folder, while no other worker builds `what`."""
    if FOLDER not in os.environ:
        open_folder()
        atexit.register(remove_folder)
    folder = Path(os.environ[FOLDER])
    with (folder / f"{what}.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def made_once(name: str, fill: Callable[[Path], None]) -> Path:
    """The folder `name`, which nobody writes to once `fill` has filled it."""
    with building(name) as folder:
        made = folder / name
        if not made.exists():
            partial = Path(tempfile.mkdtemp(dir=folder))
            fill(partial)
            partial.rename(made)
    return made
