"""OCR by the tesseract program of this machine, with the languages that are installed beside it."""

import csv
import io
import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache

from shared.errors import Unavailable
from shared.lifeline import mortal
from shared.ports import OcrWord

PROGRAM = "tesseract"
# Each language costs time on every word; beyond this many, English alone unless the operator names some.
MOST_LANGUAGES = 6
NO_LANGUAGES = {"osd", "equ"}
TIMEOUT_S = 50
WORD_LEVEL = "5"


def find_tesseract() -> str | None:
    """The program's path, or None where it is not installed."""
    return shutil.which(PROGRAM)


class TesseractOcr:
    """One call per page, on one core: pages are read side by side by the workers."""

    def __init__(self, program: str, languages: str = "") -> None:
        self._program = program
        self._languages = languages or _pick_languages(program)

    @property
    def version(self) -> str:
        return f"{_version(self._program)}/{self._languages}"

    def read(self, image: bytes) -> list[OcrWord]:
        """Raises Unavailable when the program fails or takes longer than TIMEOUT_S."""
        command = [self._program, "stdin", "stdout", "-l", self._languages, "--oem", "1", "--psm", "3", "tsv"]
        return list(_words(_run(command, image).decode("utf-8", "replace")))


def _run(command: list[str], stdin: bytes = b"") -> bytes:
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    try:
        done = subprocess.run(
            mortal(command), input=stdin, capture_output=True, timeout=TIMEOUT_S, check=True, env=environment
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Unavailable(f"tesseract cannot read a page ({error}). Check `tesseract --version`.") from error
    return done.stdout


@cache
def _version(program: str) -> str:
    return "-".join(_run([program, "--version"]).decode().split()[:2])


@cache
def _pick_languages(program: str) -> str:
    listed = _run([program, "--list-langs"]).decode().splitlines()[1:]
    found = [name for name in listed if name not in NO_LANGUAGES and "/" not in name]
    if not found:
        raise Unavailable("tesseract has no language installed. Debian/Ubuntu: apt install tesseract-ocr-eng.")
    first = [name for name in found if name == "eng"]
    rest = [name for name in found if name != "eng"]
    return "+".join([*first, *rest] if len(found) <= MOST_LANGUAGES else first or found[:1])


def _words(table: str) -> Iterator[OcrWord]:
    width = height = 1.0
    lines: dict[tuple[str, ...], int] = {}
    for row in csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE):
        x, y, w, h = (float(row[name]) for name in ("left", "top", "width", "height"))
        if row["level"] == "1":
            width, height = w or 1.0, h or 1.0
        text = (row["text"] or "").strip()
        if row["level"] == WORD_LEVEL and text:
            line = lines.setdefault(tuple(row[name] for name in ("block_num", "par_num", "line_num")), len(lines))
            yield OcrWord(
                text, x / width, y / height, (x + w) / width, (y + h) / height,
                max(0.0, float(row["conf"])) / 100, line,
            )  # fmt: skip
