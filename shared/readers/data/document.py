"""Opens files of data. A place is that of a value with its name in the characters of the file."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from shared.errors import RefusedFile
from shared.readers.data.calendar_tree import cards_of
from shared.readers.data.json_tree import json_lines_of, json_of
from shared.readers.data.tree import Node, blocks_of, count_of
from shared.readers.data.xml_tree import xml_of
from shared.readers.html.tree import decode_page
from shared.readers.parted import PartedSource
from shared.readers.parts import PASSAGE_CHARACTERS, Block, HeadingBlock, PassageBlock, parts_of
from shared.readers.text.decode import decode
from shared.readers.text.document import TITLE_CHARACTERS, covered
from shared.readers.text.plain import code_blocks, plain_blocks

EXTRACTOR_VERSION: Final = "data-2"
# A longer file is read as text, line by line.
MAX_CHARACTERS: Final = 30_000_000
# About 3 kB each while a file is read.
MAX_VALUES: Final = 200_000


def open_json(path: Path, _password: str | None) -> PartedSource:
    return _open(path, json_of, json_lines_of)


def open_xml(path: Path, _password: str | None) -> PartedSource:
    return _open(path, xml_of, decoded=decode_page)


def open_cards(path: Path, _password: str | None) -> PartedSource:
    return _open(path, cards_of, named=False)


def _open(
    path: Path, *readings: Callable[[str], Node], named: bool = True, decoded: Callable[[bytes], str] = decode
) -> PartedSource:
    """By the first of `readings` that takes the text; as text where none does: what is broken is still read. Raises
    RefusedFile for a file that is no text."""
    text = decoded(path.read_bytes())
    node = _first(text, readings) if len(text) <= MAX_CHARACTERS else None
    if node is None:
        flat = map(_readable, code_blocks(text)) if named else plain_blocks(text)
        return PartedSource(parts_of(covered(text, flat), EXTRACTOR_VERSION))
    if count_of(node) > MAX_VALUES:
        raise RefusedFile(
            f"The file has more than {MAX_VALUES:,} values; divide it into several files, or save its rows as CSV."
        )
    blocks = [*blocks_of(node)]
    first = next((one for one in blocks if isinstance(one, HeadingBlock)), None) if not named else None
    title = first.lines[0].text[:TITLE_CHARACTERS] if first else None
    return PartedSource(parts_of(blocks, EXTRACTOR_VERSION), title)


def _readable(block: Block) -> Block:
    """Lines that no program has are divided as text is."""
    if isinstance(block, PassageBlock) and any(len(one.text) > PASSAGE_CHARACTERS for one in block.lines):
        return block._replace(kind="text")
    return block


def _first(text: str, readings: tuple[Callable[[str], Node], ...]) -> Node | None:
    for read in readings:
        try:
            return read(text)
        except ValueError:
            continue
    return None
