"""Makes a child process end with its parent, however that ended: on Linux by the kernel, elsewhere by a thread.

Standard library only, so that it is the first thing that a child imports, before modules that take seconds.
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
    """Makes this process end when its parent `parent` is gone, even inside native code.

    The kernel ends it with the *thread* that started it, so that thread must live as long as the child is wanted.
    """
    by_kernel = _ask_kernel()
    if os.getppid() != parent:
        # The parent has ended already, before the request to the kernel.
        os._exit(1)
    if not by_kernel:
        threading.Thread(target=_follow, args=(parent,), name="autri-lifeline", daemon=True).start()


def start_worker(environment: Mapping[str, str], parent: int) -> None:
    """Initialises a pool process: sets its environment, before libraries read it on import, and ends it with its
    parent."""
    end_with(parent)
    os.environ.update(environment)


def mortal(command: list[str]) -> list[str]:
    """`command` wrapped so that the program, which is not ours, ends with this process."""
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command]


def _ask_kernel() -> bool:
    """Whether the kernel accepted the request; only Linux has it."""
    if not sys.platform.startswith("linux"):
        return False
    return ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0) == 0


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK_S)
    os._exit(1)


def main() -> None:
    """`python lifeline.py PARENT PROGRAM …`: becomes another program that ends with its starter.

    The request to the kernel survives the change of program; a thread does not, so elsewhere the program ends by
    itself.
    """
    _ask_kernel()
    if os.getppid() != int(sys.argv[1]):
        sys.exit(1)
    os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606 it is what this program is for


if __name__ == "__main__":
    main()
