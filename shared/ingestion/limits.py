"""Limits of time and memory for the work on a page, enforced by the kernel."""

import resource
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

# With the libraries' own 200-odd MB a process stays below 1 GB. The largest page of 268 real and fuzzed files took
# 280 MB beyond them (`python -m tests.bench.robustness`).
PAGE_MEMORY_BYTES = 768 * 1024**2
_STATUS = Path("/proc/self/status")

# For each block that has not ended, the limit before it began; a block that ends restores the one that began last.
_before: list[int] = []
_lock = threading.Lock()


@contextmanager
def page_deadline(seconds: float) -> Generator[None]:
    """Ends this process if the block takes longer than `seconds`.

    The kernel does it, as a PDF library that loops holds the interpreter's lock, so that no thread could. The range
    then fails, and its pages are run one by one.
    """
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def memory_limit(headroom: int = PAGE_MEMORY_BYTES) -> Generator[None]:
    """Limits the memory that the block may allocate to `headroom` bytes above the process's present use; further
    allocations fail.

    Where the system does not report a process's memory (macOS), there is no limit. The limit applies to the whole
    process: where blocks overlap in several threads, the last one to end restores the limit from before the first.
    """
    used = _data_bytes()
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
