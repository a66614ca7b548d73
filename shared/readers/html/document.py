"""Opens web pages. Places are offsets in the text that is made of a page: its visible lines, joined by line feeds."""

from pathlib import Path
from typing import Final

from shared.readers.html.blocks import blocks_of_lines, illustrated
from shared.readers.html.flow import read_flow
from shared.readers.html.main_text import main_elements
from shared.readers.html.metadata import published, title_of
from shared.readers.html.pictures import PagePictures
from shared.readers.html.tree import parse
from shared.readers.parted import PartedSource
from shared.readers.parts import parts_of

EXTRACTOR_VERSION: Final = "html-13"


def open_html(path: Path, _password: str | None) -> PartedSource:
    """Raises RefusedFile for a file that is no text, or beyond a bound."""
    return read_html(path.read_bytes(), EXTRACTOR_VERSION)


def read_html(data: bytes, version: str, pictures: PagePictures | None = None) -> PartedSource:
    """A page from its bytes; of its `pictures` those that are written into it where no others are given. Raises as
    above."""
    root = parse(data)
    held = pictures or PagePictures()
    lines, shown = read_flow(root, main_elements(root))
    blocks = illustrated(blocks_of_lines(lines), [(one.at, held.blocks(one)) for one in shown])
    return PartedSource(parts_of(blocks, version), title_of(root), published(root), picture=held.read)
