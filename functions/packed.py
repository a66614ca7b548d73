"""Packages that a layer holds compressed, as they do not fit otherwise: Lambda takes 250 MB of code and layers.

The first import of one unpacks it, into a folder of this process. Whoever imports none pays nothing.
"""

import shutil
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from shared.contract import PACKED_SUFFIX


class PackedPackages(MetaPathFinder):
    """Finds `NAME.tar.xz` in a folder where Python looks for modules. Asked last, when there is no package NAME."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None or not (archive := _find_archive(fullname)):
            return None
        folder = tempfile.mkdtemp(prefix=f"{fullname}-")
        try:
            with tarfile.open(archive) as packed:
                packed.extractall(folder, filter="data")
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        # What the package imports beside itself is there too.
        sys.path.append(folder)
        return PathFinder.find_spec(fullname, [folder])


def _find_archive(name: str) -> Path | None:
    files = (Path(folder) / f"{name}{PACKED_SUFFIX}" for folder in sys.path)
    return next((file for file in files if file.is_file()), None)


def find_packed() -> None:
    """From now on, for this process."""
    sys.meta_path.append(PackedPackages())
