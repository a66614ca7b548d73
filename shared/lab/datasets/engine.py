"""DuckDB in this process, shut in: no files, no network, no extensions, bounded time, memory and rows.

Statements are made of names that are ours; what people typed is bound to them. The walls are for the case that this is
wrong. One thread: sums of floating-point numbers come out the same each time.
"""

import re
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from shared.errors import BadInput, TooMany, Unavailable

try:
    import duckdb
except ModuleNotFoundError:
    # A function on AWS that CloudFront sends none of these requests to (docs/decisions/0119-the-lab-on-aws.md).
    raise BadInput("Datasets and plots are not computed here. Ask at the deployment's own address.") from None

MEMORY: Final = "768MB"
# Of all statements of a run together.
SECONDS: Final = 20.0
# What is interrupted before it has begun is interrupted again.
AGAIN_S: Final = 0.1
# How many runs a process does at once: each holds a connection to the database, of which a process has four, and the
# memory above. Who finds no place for so long is asked to come again.
RUNS: Final = 2
TURN_S: Final = 5.0
_SETTINGS: Final[Mapping[str, str]] = {
    "threads": "1",
    "memory_limit": MEMORY,
    # Nothing is put on the disk where memory does not suffice.
    "temp_directory": "",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "default_order": "asc",
}


_BOUND = re.compile(r"\$(\w+)")
_PLACES: Final = threading.BoundedSemaphore(RUNS)


@contextmanager
def taking_turns() -> Generator[None]:
    """A place among the runs of this process; taken before a connection is, and once. Raises TooMany."""
    if not _PLACES.acquire(timeout=TURN_S):
        raise TooMany("Other datasets are being computed here now. Try again in a few seconds.")
    try:
        yield
    finally:
        _PLACES.release()


class Sandbox:
    """A database of one run, in memory."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` is where files may be read and written; None: nowhere. Where there is one, no step of a person
        runs."""
        self._connection = duckdb.connect(":memory:", config=dict(_SETTINGS))
        if folder is not None:
            named = str(folder).replace("'", "''")
            self._connection.execute(f"set allowed_directories = ['{named}/']")
        self.spent = 0.0
        self._connection.execute("set enable_external_access = false")
        self._connection.execute("set lock_configuration = true")

    def ask(self, statement: str, values: Mapping[str, object] | None = None) -> list[tuple[Any, ...]]:
        """The rows. Raises BadInput where it takes too long or too much, or a value does not fit."""
        with self._limited():
            named = set(_BOUND.findall(statement))
            used = {name: value for name, value in (values or {}).items() if name in named}
            return self._connection.execute(statement, used).fetchall()

    def arrays(self, statement: str) -> dict[str, Any]:
        """The columns as numpy has them; with a mask where values are missing."""
        with self._limited():
            return self._connection.execute(statement).fetchnumpy()

    def fill(self, table: str, names: Sequence[str], types: Sequence[str], arrays: Mapping[str, Any]) -> None:
        """A table of columns as numpy has them; one that is there gets further rows."""
        with self._limited():
            columns = ", ".join(f"{name} {kind}" for name, kind in zip(names, types, strict=True))
            self._connection.execute(f"create table if not exists {table} ({columns})")
            self._connection.register("given", dict(arrays))
            cast = ", ".join(f"cast({name} as {kind})" for name, kind in zip(names, types, strict=True))
            self._connection.execute(f"insert into {table} select {cast} from given")
            self._connection.unregister("given")

    @contextmanager
    def _limited(self) -> Generator[None]:
        if self.spent >= SECONDS:  # an interrupt that comes before its statement stops nothing
            raise _took_longer()
        over, began = threading.Event(), time.monotonic()
        threading.Thread(target=self._interrupt, args=(over, SECONDS - self.spent), daemon=True).start()
        try:
            yield
        except duckdb.InterruptException:
            raise _took_longer() from None
        except duckdb.OutOfMemoryException:
            raise BadInput(f"The steps need more than {MEMORY} of memory. Filter, group or select first.") from None
        except duckdb.InternalException as wrong:
            # A function that DuckDB took for one that never fails, as `concat` of texts too long for the memory.
            if "threw an execution error" not in str(wrong):
                raise
            raise BadInput("A value is too large for the memory that the steps have. Make shorter ones.") from None
        except (duckdb.DataError, duckdb.NotSupportedError) as wrong:
            said = str(wrong).splitlines()[0]
            raise BadInput(f"A value does not fit: {said} Correct the column's type, or filter first.") from None
        except duckdb.IOException:
            raise Unavailable("The files of a dataset cannot be read now. Try again.") from None
        finally:
            over.set()
            self.spent += time.monotonic() - began

    def _interrupt(self, over: threading.Event, seconds: float) -> None:
        """What runs after so many seconds, until it is `over`."""
        wait = max(0.0, seconds)
        while not over.wait(wait):
            self._connection.interrupt()
            wait = AGAIN_S

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _took_longer() -> BadInput:
    return BadInput(f"The steps took longer than {SECONDS:.0f} seconds. Filter or select first.")
