"""The keeper process of the embedded Postgres: starts the server, restarts it after a crash, stops it after the last
user. It sets a little room aside, so that a server that a full disk has stopped starts again and is read from.

`python -I -S postgres_keeper.py PLAN` is a process of its own, so that the end of a user, even by `kill -9`, neither
leaves a server behind nor stops it for the others. Standard library only, so that it stays small.
"""

import ctypes
import errno
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

POLL_S = 0.1
FIRST_WAIT_S, LONGEST_WAIT_S = 0.2, 5.0
STOP_TIMEOUT_S = 60
# Two of Postgres's log files (16 MB each): one to recover with after a crash, one to go on with.
RESERVE_BYTES = 32 * 1024**2
RESERVE_CHECK_S = 5.0
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
NEVER_READY = 1


@dataclass(frozen=True)
class KeeperPlan:
    """What to run on which folder, under which account. `socket` is the clients' socket, `use` the lock file that every
    user holds, `reserve` the file that takes the room set aside."""

    program: str
    data: str
    socket: str
    use: str
    reserve: str
    lock: int
    options: list[str]
    identity: dict[str, Any]


class Server:
    """The postmaster, a child of this process, so that its end is noticed at once and leaves no zombie."""

    def __init__(self, plan: KeeperPlan) -> None:
        self._plan = plan
        self._folders = [os.open(folder, os.O_RDONLY | os.O_DIRECTORY) for folder in (plan.data, plan.socket)]
        self._child: subprocess.Popen[Any] | None = None
        self.is_ready = self.was_ready = False

    def start(self) -> None:
        """Starts the server; first stops one that a killed keeper left on the folder."""
        self.is_ready = False
        end_server(Path(self._plan.data))
        data, socket = (self._path(number) for number in (0, 1))
        command = [self._plan.program, "-D", data, "-c", "listen_addresses=", "-c", f"unix_socket_directories={socket}"]
        with _open_log(Path(self._plan.data) / "server.log") as log:
            self._child = subprocess.Popen(
                [*command, *self._plan.options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                start_new_session=True,
                pass_fds=self._folders,
                preexec_fn=_end_with_keeper,  # safe: this process has one thread
                **self._plan.identity,
            )

    def runs(self) -> bool:
        assert self._child is not None  # noqa: S101 started first
        if self._child.poll() is not None:
            return False
        self.is_ready = self.is_ready or _is_ready(Path(self._plan.data), self._child.pid)
        self.was_ready = self.was_ready or self.is_ready
        return True

    def stop(self) -> None:
        """Stops by fast shutdown, which ends sessions and writes everything out; by immediate shutdown where that takes
        too long."""
        assert self._child is not None  # noqa: S101 started first
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            if self._child.poll() is None:
                self._child.send_signal(number)
            try:
                self._child.wait(STOP_TIMEOUT_S)
                return
            except subprocess.TimeoutExpired:
                continue

    def _path(self, number: int) -> str:
        """The folder's path for the server. Another account may not be able to traverse the folders above: it gets an
        open handle."""
        if self._plan.identity:
            return f"/proc/self/fd/{self._folders[number]}"
        return (self._plan.data, self._plan.socket)[number]


class Reserve:
    """Room on the disk of the data folder that nobody else takes: set aside while there is plenty, given to the server
    when it has to start on a full disk."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._looked = 0.0

    def set_aside(self) -> None:
        """Looks every RESERVE_CHECK_S seconds, and takes no more than half of what is free."""
        now = time.monotonic()
        if now - self._looked < RESERVE_CHECK_S:
            return
        self._looked = now
        if self._path.exists() or self._free() < 2 * RESERVE_BYTES:
            return
        file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            os.posix_fallocate(file, 0, RESERVE_BYTES)
        except OSError:
            self._path.unlink()
        finally:
            os.close(file)

    def give_where_needed(self) -> None:
        if self._free() < RESERVE_BYTES:
            self._path.unlink(missing_ok=True)

    def _free(self) -> int:
        return shutil.disk_usage(self._path.parent).free


def main() -> int:
    if os.fork():
        # A daemon: whoever starts it need not wait for it.
        os._exit(0)
    plan = KeeperPlan(**json.loads(sys.argv[1]))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _adopt_orphans()
    server, reserve = Server(plan), Reserve(Path(plan.reserve))
    reserve.give_where_needed()
    server.start()
    wait = FIRST_WAIT_S
    with Path(plan.use).open("ab") as use:
        while not _is_unused(use):
            if server.runs():
                if server.is_ready:
                    wait = FIRST_WAIT_S
                    reserve.set_aside()
                time.sleep(POLL_S)
            elif not server.was_ready:
                return NEVER_READY
            else:
                _end_orphans()
                time.sleep(wait)
                wait = min(wait * 2, LONGEST_WAIT_S)
                reserve.give_where_needed()
                server.start()
        server.stop()
        os.close(plan.lock)
    return 0


def end_server(data: Path) -> None:
    """Stops an orphaned server on `data`, and removes the pid file of one that is gone.

    Process ids are reused: the pid file of a killed server may name an unrelated process by now, and Postgres would not
    start beside it.
    """
    mark = data / "postmaster.pid"
    try:
        pid = int(mark.read_text().split()[0])
    except (FileNotFoundError, IndexError, ValueError):
        return
    deadline = time.monotonic() + STOP_TIMEOUT_S
    number = signal.SIGINT
    while _serves(pid, data):
        os.kill(pid, number)
        time.sleep(POLL_S)
        if time.monotonic() > deadline:
            number = signal.SIGKILL
    mark.unlink(missing_ok=True)


def _serves(pid: int, data: Path) -> bool:
    """Whether the process is alive and has `data` as its working directory, as a postmaster has; without /proc, whether
    it is alive."""
    try:
        if sys.platform.startswith("linux"):
            return Path(f"/proc/{pid}/cwd").readlink() == data
        os.kill(pid, 0)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ESRCH, errno.EPERM, errno.EACCES):
            return False
        raise
    return True


def _is_ready(data: Path, pid: int) -> bool:
    try:
        lines = (data / "postmaster.pid").read_text().split("\n")
    except FileNotFoundError:
        return False
    return lines[0] == str(pid) and len(lines) > 7 and lines[7].strip() == "ready"


def _is_unused(use: IO[bytes]) -> bool:
    """Whether there are no users: each holds a shared lock, which the kernel releases when a process is killed."""
    try:
        fcntl.flock(use, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _open_log(path: Path) -> IO[bytes]:
    """Never follows a link: the folder belongs to the server's account, and this process may be root."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    return os.fdopen(os.open(path, flags, 0o600), "ab")


def _end_with_keeper() -> None:
    """Called in the server before it starts: makes it end when the keeper is killed."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGINT), 0, 0, 0)


def _adopt_orphans() -> None:
    """Makes the sessions of a killed server children of this process, which can then end them."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_orphans() -> None:
    """Ends sessions without a server: a busy one lives until its statement ends, and no new server starts meanwhile."""
    listed = Path(f"/proc/self/task/{os.getpid()}/children")
    for pid in map(int, listed.read_text().split() if listed.exists() else []):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    sys.exit(main())
