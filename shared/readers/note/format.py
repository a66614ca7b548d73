"""Notes as a format: no file is taken for one, they are posted."""

from pathlib import Path
from typing import Final

from shared.domain.raw_page import SecondText
from shared.readers.formats import Look, StructuredFormat
from shared.readers.parted import PartedSource


def _matches(_look: Look) -> bool:
    return False


def _open_note(path: Path, password: str | None) -> PartedSource:
    from shared.readers.note.document import open_note

    return open_note(path, password)


def _reread_note(path: Path) -> SecondText:
    from shared.rereading.text import reread_markdown

    return reread_markdown(path)


def _version() -> str:
    from shared.readers.note.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


NOTE: Final = StructuredFormat("note", "note", (), (), _matches, _open_note, _reread_note, _version)
