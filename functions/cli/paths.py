"""Expands files, folders and patterns to files."""

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path

from shared.readers.registry import EXTENSIONS


def expand(given: Sequence[str]) -> tuple[list[Path], int]:
    """Returns (files in a stable order without repetitions, number of files in folders that no reader takes).

    A folder means the readable files below it, without hidden ones; a pattern is expanded where the shell did not. A
    path that does not exist remains in the list, so that it is reported like any other file.
    """
    found: dict[Path, None] = {}
    left_out = 0
    for text in given:
        for path in _matches(text):
            if not path.is_dir():
                found[path] = None
                continue
            inside = list(_files_below(path))
            readable = [file for file in inside if file.suffix.lower() in EXTENSIONS]
            left_out += len(inside) - len(readable)
            found.update(dict.fromkeys(readable))
    return list(found), left_out


def _matches(text: str) -> list[Path]:
    path = Path(text).expanduser()
    if path.exists() or not glob.has_magic(text):
        return [path]
    return sorted(Path(match) for match in glob.glob(str(path), recursive=True)) or [path]


def _files_below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden:
            yield path
