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


@contextmanager
def first_alone(what: str) -> Generator[None]:
    """Whichever worker comes first does it alone, and then the others at once, with what it has left behind."""
    with building(what) as folder:
        done = folder / f"{what}.done"
        if first := not done.exists():
            yield
            done.touch()
    if not first:
        yield


def are_compiled(tests: Path) -> bool:
    """Whether pytest has compiled every module of tests since it was written."""

    def compiled(file: Path) -> bool:
        kept = (file.parent / "__pycache__").glob(f"{file.stem}.*-pytest-*.pyc")
        return max((one.stat().st_mtime for one in kept), default=0.0) >= file.stat().st_mtime

    return all(map(compiled, tests.rglob("test_*.py")))


def made_once(name: str, fill: Callable[[Path], None]) -> Path:
    """The folder `name`, which nobody writes to once `fill` has filled it."""
    with building(name) as folder:
        made = folder / name
        if not made.exists():
            partial = Path(tempfile.mkdtemp(dir=folder))
            fill(partial)
            partial.rename(made)
    return made
