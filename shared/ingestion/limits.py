"""Limits of time and memory that a page's work may not exceed, set where no thread of ours could."""

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

# The limits that were there when each block that has not ended began; whichever ends takes the latest.
_before: list[int] = []
_lock = threading.Lock()


@contextmanager
def page_deadline(seconds: float) -> Generator[None]:
    """End this process if the block takes longer. The kernel does it: a PDF library that loops holds the interpreter's
    lock, so no thread of ours could. The range then fails, and its pages run one by one."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def memory_limit(headroom: int = PAGE_MEMORY_BYTES) -> Generator[None]:
    """Let the block take at most `headroom` bytes more than this process has: beyond them allocations fail, and with
    them the block. Where the system does not tell what a process has (macOS), there is no limit. The limit is the whole
    process's: of blocks that overlap in several threads the last to end puts back what was before the first."""
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
    """Whether an error's text is that of Python, MuPDF or numpy when an allocation failed."""
    lowered = message.lower()
    return "memoryerror" in lowered or "malloc" in lowered or "unable to allocate" in lowered


def _data_bytes() -> int | None:
    """What RLIMIT_DATA counts: private writable memory, as `VmData` in proc(5)."""
    if not _STATUS.exists():
        return None
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmData:"))
    return int(line.split()[1]) * 1024


def _at_most(wanted: int, hard: int) -> int:
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
