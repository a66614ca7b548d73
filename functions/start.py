"""Imported before what is large: what is loaded when a process starts stays, so nobody looks for garbage in it."""

import gc

gc.disable()


def started() -> None:
    """From here on garbage is looked for, and not among what is there now."""
    gc.freeze()
    gc.enable()
