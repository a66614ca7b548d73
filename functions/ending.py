"""Makes SIGTERM and SIGHUP end a program as Ctrl-C does: open resources are closed, the last user stops the
database."""

import signal
from types import FrameType


class Stopped(SystemExit):
    """This process was asked to end; the exit code is the shell's for the signal."""


def end_in_order() -> None:
    """Makes both signals raise Stopped in the main thread. `nohup` keeps its effect."""
    signal.signal(signal.SIGTERM, _stop)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        # By way of SIGTERM, which the web server handles while it runs.
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


def _stop(number: int, _frame: FrameType | None) -> None:
    """Raises once: while the program ends it cannot be interrupted again, except by SIGKILL."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Stopped(128 + number)
