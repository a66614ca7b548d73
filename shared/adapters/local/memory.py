"""How much memory this process may use."""

import os
from pathlib import Path

_LIMIT = Path("/sys/fs/cgroup/memory.max")


def usable_memory(limit: Path = _LIMIT) -> int:
    """Bytes: the machine's, in a container at most its limit; 0 where the system does not tell."""
    try:
        found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError):
        return 0
    allowed = limit.read_text().strip() if limit.exists() else "max"
    return found if allowed == "max" else min(found, int(allowed))
