"""A child process ends with its parent, however that ended: on Linux the kernel sees to it, elsewhere a thread.

Standard library only, so that it is the first thing that a child does, before it loads what takes seconds.
"""

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping

PR_SET_PDEATHSIG = 1
PARENT_CHECK_S = 0.5


def end_with(parent: int) -> None:
    """End this process when the one whose id is `parent` and that started it is gone, even inside native code.

    The kernel ends it with the *thread* that started it, so that one must live as long as the child is wanted.
    """
    by_kernel = _ask_kernel()
    if os.getppid() != parent:
        # Gone already: what the kernel was asked came too late.
        os._exit(1)
    if not by_kernel:
        threading.Thread(target=_follow, args=(parent,), name="autri-lifeline", daemon=True).start()


def start_worker(environment: Mapping[str, str], parent: int) -> None:
    """Initialise a pool process: its environment, which libraries read when they are loaded, and its end."""
    end_with(parent)
    os.environ.update(environment)


def mortal(command: list[str]) -> list[str]:
    """`command` for a program of somebody else's that shall end with this process."""
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command]


def _ask_kernel() -> bool:
    """Whether the system took the order; only Linux knows it."""
    if not sys.platform.startswith("linux"):
        return False
    return ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0) == 0


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK_S)
    os._exit(1)


def main() -> None:
    """`python lifeline.py PARENT PROGRAM …`: become another's program that ends with its starter.

    What the kernel was asked outlives the change of program; a thread does not, so elsewhere it ends by itself.
    """
    _ask_kernel()
    if os.getppid() != int(sys.argv[1]):
        sys.exit(1)
    os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606 it is what this program is for


if __name__ == "__main__":
    main()
