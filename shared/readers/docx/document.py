"""Opens Word documents. Places are offsets in the text that is made of one: its lines, joined by line feeds."""

from datetime import date
from pathlib import Path
from typing import Any, Final

from shared.readers.docx.blocks import WordBlocks
from shared.readers.docx.elements import child
from shared.readers.docx.parts import word_parts
from shared.readers.parted import PartedSource
from shared.readers.parts import parts_of
from shared.readers.zipped import ZippedParts, part_reader

EXTRACTOR_VERSION: Final = "docx-12"
TITLE_CHARACTERS: Final = 200


def open_docx(path: Path, _password: str | None) -> PartedSource:
    """Raises RefusedFile for a damaged file, or one beyond a bound."""
    with ZippedParts(path) as zipped:
        parts = parts_of(WordBlocks(word_parts(zipped), zipped).blocks(), EXTRACTOR_VERSION)
        core = zipped.root("docProps/core.xml")
    title = _said(child(core, "title"))[:TITLE_CHARACTERS]
    return PartedSource(parts, title or None, _day(_said(child(core, "created"))), picture=part_reader(path))


def _said(element: Any) -> str:
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def _day(said: str) -> date | None:
    try:
        return date.fromisoformat(said[:10])
    except ValueError:
        return None
