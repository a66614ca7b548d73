"""What a library imports for a feature that is turned off here need not be loaded: half of the time of `--help`."""

import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from types import ModuleType


@contextmanager
def left_out(names: Mapping[str, str]) -> Generator[None]:
    """While it lasts, each module that is not loaded yet is an empty one with a class of the given name; then it is
    itself again for whoever imports it."""
    missing = {module: name for module, name in names.items() if module not in sys.modules}
    for module, name in missing.items():
        stand_in = ModuleType(module)
        setattr(stand_in, name, type(name, (), {}))
        sys.modules[module] = stand_in
    try:
        yield
    finally:
        for module in missing:
            del sys.modules[module]
