"""Processes by name, `host:pid:start`, so that another process on the same host can tell whether one still lives."""

import os
import socket


def own_name() -> str:
    """This process."""
    return f"{host_name()}:{os.getpid()}:{_started_at(os.getpid())}"


def is_dead(name: str) -> bool:
    """True when `name` was a process of this host that is gone; False when it lives or nobody can tell."""
    host, _, rest = name.rpartition(":")[0].rpartition(":")
    pid = int(rest)
    if host != host_name():
        return False
    return _started_at(pid) != name.rpartition(":")[2]


def host_name() -> str:
    """The host, within which process ids are unique: two containers may share a host's name but not its processes."""
    try:
        return f"{socket.gethostname()}/{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return socket.gethostname()


def _started_at(pid: int) -> str:
    """The process's start time in clock ticks, which distinguishes a reused pid.

    `-` where there is no such process, or a zombie, which a container's first process may never reap.
    """
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            state, *fields = file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return _exists(pid)
    return "-" if state in "ZX" else fields[18]


def _exists(pid: int) -> str:
    """Where there is no /proc (macOS): whether the process exists."""
    if os.path.isdir("/proc/self"):
        return "-"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return "-"
    except PermissionError:
        return "alive"
    return "alive"
