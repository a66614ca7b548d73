"""Runs one stage in a process of its own, for a page whose range failed: the parent's side and the child's."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

from shared.errors import AutriError, StoreUnavailable, Unavailable
from shared.ingestion.limits import PAGE_MEMORY_BYTES, patience, ran_out_of_memory
from shared.lifeline import end_with

# Added to a page's time limit while the process loads its libraries, in seconds. Even a shard in which every page hangs
# stays below the stage's own timeout (a test compares).
START_TIMEOUT_S = 15
# Address space of the process, above the memory limit of a page (limits.py): MuPDF and its caches, with room.
ADDRESS_SPACE_BYTES = 3 * 1024**3
# Exit code when a service is unavailable: the page is not at fault (sysexits' EX_TEMPFAIL).
UNAVAILABLE_EXIT = 75
# Exit code when the database or the disk fails (EX_IOERR): the page is not at fault either.
STORE_UNAVAILABLE_EXIT = 74
ERROR_TAIL = 300


def run_in_child(worker: str, stage: str, event: Mapping[str, Any], timeout_s: float) -> str | None:
    """Runs a stage in a process of the module `worker`, with limits of time and memory; returns None, or why it failed.

    Raises Unavailable where a service, the database or the disk failed: the stage may be run again later.
    """
    command = [sys.executable, "-m", worker, stage, str(os.getpid())]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(event),
            text=True,
            capture_output=True,
            timeout=patience(timeout_s + START_TIMEOUT_S),
            check=False,
            env={**os.environ, "PYTHONPATH": ":".join(p for p in sys.path if p)},
        )
    except subprocess.TimeoutExpired:
        return f"took longer than {timeout_s:g} s"
    if done.returncode == 0:
        return None
    if done.returncode == -signal.SIGALRM:
        return f"took longer than {timeout_s:g} s"
    if done.returncode < 0:
        return f"the reader crashed (signal {-done.returncode})"
    lines = done.stderr.strip().splitlines()
    if ran_out_of_memory(lines[-1] if lines else ""):
        return f"needs more than {PAGE_MEMORY_BYTES // 1024**2} MB of memory"
    if done.returncode == STORE_UNAVAILABLE_EXIT:
        raise StoreUnavailable(lines[-1][-ERROR_TAIL:] if lines else f"{stage}: the database does not answer")
    if done.returncode == UNAVAILABLE_EXIT:
        raise Unavailable(lines[-1][-ERROR_TAIL:] if lines else f"{stage}: a service does not answer")
    return lines[-1][-ERROR_TAIL:] if lines else f"exit code {done.returncode}"


def be_child(run_stage: Callable[[str, Mapping[str, Any]], object]) -> None:
    """The child's main function: its arguments are `STAGE PARENT`, its standard input is the event as JSON."""
    import resource

    end_with(int(sys.argv[2]))
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES))
    try:
        run_stage(sys.argv[1], json.load(sys.stdin))
    except Unavailable as error:
        print(error, file=sys.stderr)
        sys.exit(STORE_UNAVAILABLE_EXIT if isinstance(error, StoreUnavailable) else UNAVAILABLE_EXIT)
    except AutriError as error:
        sys.exit(str(error))
