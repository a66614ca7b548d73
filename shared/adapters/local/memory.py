"""How much memory this process may use."""

import os
from collections.abc import Sequence
from pathlib import Path

# Of control groups of version 2 and 1.
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def usable_memory(limits: Sequence[Path] = _LIMITS) -> int:
    """Bytes: the machine's, in a container at most its limit; 0 where the system does not tell."""
    try:
        found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError):
        return 0
    return min([found, *(allowed for limit in limits if (allowed := _read(limit)))])


def _read(limit: Path) -> int:
    """0 for none, or what cannot be read."""
    try:
        return int(limit.read_text())
    except (OSError, ValueError):
        return 0
