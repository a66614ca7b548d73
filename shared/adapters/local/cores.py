"""How many cores this process may use, and how its workers share them."""

import math
import os
from pathlib import Path

# What the libraries of a worker read when they start their threads: OpenMP, OpenBLAS, the tokenizer.
THREAD_LIMITS = ("OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def count_cores(quota: Path = _QUOTA) -> int:
    """The cores that the system lets this process run on; in a container at most those of its quota."""
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not quota.exists():
        return found
    allowed, period = quota.read_text().split()
    return found if allowed == "max" else max(1, min(found, math.ceil(int(allowed) / int(period))))


def share_cores(wanted: int, cores: int) -> tuple[int, int]:
    """How many workers, and threads in each: their product is never above `cores`."""
    workers = min(wanted, cores)
    return workers, cores // workers
