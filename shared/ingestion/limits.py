"""Limits of time and memory for the work on a page, enforced by the kernel."""

import os
import resource
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

# With the libraries' own 200-odd MB a process stays below 1 GB. The largest page of 268 real and fuzzed files took
# 280 MB beyond them (`python -m tests.bench.robustness`).
PAGE_MEMORY_BYTES = 768 * 1024**2
# How much longer a page may take where others want the cores, too.
PATIENCE_MAX = 5
_STATUS = Path("/proc/self/status")

# For each block that has not ended, the limit before it began; a block that ends restores the one that began last.
_before: list[int] = []
_lock = threading.Lock()


# Whether the work is part of a request.
_within_request: ContextVar[bool] = ContextVar("within_request", default=False)


@contextmanager
def within_request() -> Generator[None]:
    """Work on what a request brings is bounded by its size: a limit that ends the process would end other requests."""
    before = _within_request.set(True)
    try:
        yield
    finally:
        _within_request.reset(before)


def patience(seconds: float) -> float:
    """`seconds`, up to PATIENCE_MAX times as long where more processes want a core than there are: there a page waits
    longer than it works. A Lambda function has its machine to itself. Where the system does not tell, `seconds`."""
    try:
        load = os.getloadavg()[0]
    except OSError:
        return seconds
    return seconds * min(max(1.0, load / (os.cpu_count() or 1)), PATIENCE_MAX)


@contextmanager
def page_deadline(seconds: float) -> Generator[None]:
    """Ends this process if the block takes longer than `seconds`, and the `patience` that a busy machine asks for;
    nothing within a request.

    The kernel does it, as a PDF library that loops holds the interpreter's lock, so that no thread could. The range
    then fails, and its pages are run one by one.
    """
    if _within_request.get():
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, patience(seconds))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def memory_limit(headroom: int = PAGE_MEMORY_BYTES) -> Generator[None]:
    """Limits the memory that the block may allocate to `headroom` bytes above the process's present use; further
    allocations fail.

    Within a request, and where the system does not report a process's memory (macOS), there is no limit. The limit
    applies to the whole process: where blocks overlap in several threads, the last one to end restores the limit from
    before the first.
    """
    used = None if _within_request.get() else _data_bytes()
    if used is None:
        yield
        return
    with _lock:
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        _before.append(soft)
        resource.setrlimit(resource.RLIMIT_DATA, (_at_most(used + headroom, hard), hard))
    try:
        yield
    finally:
        with _lock:
            soft = _before.pop()
            resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def ran_out_of_memory(message: str) -> bool:
    """Whether an error message is that of a failed allocation in Python, MuPDF or numpy."""
    lowered = message.lower()
    return "memoryerror" in lowered or "malloc" in lowered or "unable to allocate" in lowered


def _data_bytes() -> int | None:
    """The process's memory as RLIMIT_DATA counts it, in bytes: private writable memory, `VmData` in proc(5). None if
    unknown."""
    if not _STATUS.exists():
        return None
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmData:"))
    return int(line.split()[1]) * 1024


def _at_most(wanted: int, hard: int) -> int:
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
