"""Expands files, folders and patterns to files."""

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from shared.readers.registry import SENDABLE
from shared.values.file_paths import is_litter


class Expanded(NamedTuple):
    """Files in a stable order without repetitions, how many files in folders no reader takes, and where those of
    folders stand in them."""

    files: list[Path]
    left_out: int
    places: dict[Path, str]


def expand(given: Sequence[str]) -> Expanded:
    """A folder means the readable files below it, without hidden ones and what systems leave there; a pattern is
    expanded where the shell did not. A path that does not exist remains in the list, so that it is reported like any
    other file.
    """
    found: dict[Path, None] = {}
    places: dict[Path, str] = {}
    left_out = 0
    for text in given:
        for path in _matches(text):
            if not path.is_dir():
                found[path] = None
                continue
            inside = list(_files_below(path))
            readable = [file for file in inside if file.suffix.lower() in SENDABLE]
            left_out += len(inside) - len(readable)
            found.update(dict.fromkeys(readable))
            places.update((file, file.relative_to(path).as_posix()) for file in readable)
    return Expanded(list(found), left_out, places)


def _matches(text: str) -> list[Path]:
    path = Path(text).expanduser()
    if path.exists() or not glob.has_magic(text):
        return [path]
    return sorted(Path(match) for match in glob.glob(str(path), recursive=True)) or [path]


def _files_below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not is_litter(path.relative_to(folder).as_posix()):
            yield path
