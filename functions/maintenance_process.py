"""Maintenance of the local server in a process of its own: what it computes takes no turn from requests, whose threads
share one interpreter.

`python -m functions.maintenance_process OWNER_DSN FIRST_S PARENT` is that process. Each byte on its standard input has
the next round begin at once, and it ends with that input, which its parent holds.
"""

import logging
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from functions.background import FIRST_S, Maintenance
from shared.bootstrap import process_runtime
from shared.contract import Env
from shared.lifeline import end_with
from shared.runtime import Runtime

logger = logging.getLogger("autri.maintenance")

# Answers come first wherever both want a core.
NICENESS: Final = 10
# Before it is started again, doubled for each one that did not live as long as the longest.
RESTART_S, LONGEST_RESTART_S = 1.0, 60.0
END_S: Final = 10.0


class MaintenanceProcess:
    """Starts the process, and again whenever it has died, until the context ends. A round that it died in is begun
    anew; unfinished work is resumed, as that of any ended process."""

    def __init__(self, runtime: Runtime, home: Path, dsn: str, owner_dsn: str, first_s: float = FIRST_S) -> None:
        self._runtime, self._owner_dsn, self._first_s = runtime, owner_dsn, first_s
        self._environment = {**os.environ, Env.HOME: str(home), Env.DATABASE_URL: dsn}
        self._environment["PYTHONPATH"] = ":".join(path for path in sys.path if path)
        self._stopping, self._lock = threading.Event(), threading.Lock()
        self._child: subprocess.Popen[Any] | None = None
        # The process ends with the thread that started it (lifeline.py), so this one waits for it as well.
        self._thread = threading.Thread(target=self._keep, name="autri-maintenance-process", daemon=True)

    def __enter__(self) -> Self:
        self._runtime.wake_maintenance = self._wake
        self._runtime.wake_digest = lambda _organization, _base: self._wake()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._stopping.set()
        self._close()
        self._thread.join(END_S)
        if self._child is not None:
            self._child.kill()
        self._thread.join()

    def _wake(self) -> None:
        """One that is not there begins with a round, and a full pipe holds what begins one."""
        with self._lock, suppress(BlockingIOError, BrokenPipeError):
            if self._child is not None and self._child.stdin is not None and not self._child.stdin.closed:
                os.write(self._child.stdin.fileno(), b"\n")

    def _close(self) -> None:
        with self._lock:
            if self._child is not None and self._child.stdin is not None:
                self._child.stdin.close()

    def _keep(self) -> None:
        wait, first_s = RESTART_S, self._first_s
        while not self._stopping.is_set():
            started = time.monotonic()
            try:
                ended = f"it ended with {self._run(first_s)}"
            except OSError as error:
                ended = f"it cannot be started: {error}"
            if self._stopping.is_set():
                return
            wait = RESTART_S if time.monotonic() - started > LONGEST_RESTART_S else wait
            logger.warning("maintenance: %s, and begins again in %g s", ended, wait)
            self._stopping.wait(wait)
            wait, first_s = min(2 * wait, LONGEST_RESTART_S), 0.0

    def _run(self, first_s: float) -> int:
        """Returns the exit code of the process, once it has ended."""
        command = [sys.executable, "-m", __name__, self._owner_dsn, str(first_s), str(os.getpid())]
        with self._lock:
            if self._stopping.is_set():
                return 0
            # A group of its own, as Ctrl-C is for the server; its session, by which Linux shares cores between users'
            # programs, so that the niceness counts.
            self._child = subprocess.Popen(
                command, stdin=subprocess.PIPE, env=self._environment, process_group=0, bufsize=0
            )
            assert self._child.stdin is not None  # noqa: S101 a pipe was asked for
            os.set_blocking(self._child.stdin.fileno(), False)
        code = self._child.wait()
        self._close()
        return code


def main() -> None:
    owner_dsn, first_s, parent = sys.argv[1:]
    end_with(int(parent))
    os.nice(NICENESS)
    runtime = process_runtime()
    with runtime.database, Maintenance(runtime, owner_dsn, float(first_s)):
        while os.read(sys.stdin.fileno(), 4096):
            runtime.wake_maintenance()


if __name__ == "__main__":
    main()
