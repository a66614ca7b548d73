"""SIGTERM and SIGHUP end a program as Ctrl-C does: what is open is closed, the last user stops the database."""

import signal
from types import FrameType


class Stopped(SystemExit):
    """Somebody asked this process to end; its exit code is what shells give for the signal."""


def end_in_order() -> None:
    """From now on both raise Stopped in the main thread. `nohup` keeps its meaning."""
    signal.signal(signal.SIGTERM, _stop)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        # By way of SIGTERM, which the web server handles while it runs.
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


def _stop(number: int, _frame: FrameType | None) -> None:
    """Once: while the program ends it is not interrupted again, short of SIGKILL."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Stopped(128 + number)
