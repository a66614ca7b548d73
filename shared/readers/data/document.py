"""Opens files of data. A place is that of a value with its name in the characters of the file."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from shared.readers.blocks import Block, HeadingBlock, PassageBlock
from shared.readers.data.calendar_tree import cards_of
from shared.readers.data.json_tree import json_lines_of, json_of
from shared.readers.data.tree import Node, blocks_of
from shared.readers.data.xml_tree import xml_of
from shared.readers.html.tree import decode_page
from shared.readers.parted import PartedSource
from shared.readers.parts import PASSAGE_CHARACTERS, parts_of
from shared.readers.text.decode import decode
from shared.readers.text.document import TITLE_CHARACTERS, covered
from shared.readers.text.plain import code_blocks, plain_blocks

EXTRACTOR_VERSION: Final = "data-3"
# A longer file is read as text, line by line.
MAX_CHARACTERS: Final = 30_000_000
# A line of so many bytes may be divided within a character (RFC 5545 3.1).
_DIVIDED_CHARACTER: Final = re.compile(rb"([\xc2-\xf4][\x80-\xbf]{0,2})(\r?\n[ \t])([\x80-\xbf]{1,3})")

Reading = Callable[[str], Node]


def open_json(path: Path, _password: str | None) -> PartedSource:
    return _opened(decode(path.read_bytes()), (json_of, json_lines_of))


def open_xml(path: Path, _password: str | None) -> PartedSource:
    return _opened(decode_page(path.read_bytes()), (xml_of,))


def open_cards(path: Path, _password: str | None) -> PartedSource:
    """The title is that of the first event or contact."""
    text = decode_cards(path.read_bytes())
    node = _tree_of(text, (cards_of,))
    if node is None:
        return PartedSource(parts_of(covered(text, plain_blocks(text)), EXTRACTOR_VERSION))
    blocks = [*blocks_of(node)]
    titles = (one.lines[0].text for one in blocks if isinstance(one, HeadingBlock))
    return PartedSource(parts_of(blocks, EXTRACTOR_VERSION), next(titles, "")[:TITLE_CHARACTERS] or None)


def decode_cards(data: bytes) -> str:
    """The text; a character that is divided between two lines stands whole in the first one. Raises RefusedFile for
    what is no text."""
    try:
        return _DIVIDED_CHARACTER.sub(rb"\1\3\2", data).decode("utf-8-sig") if b"\0" not in data else decode(data)
    except UnicodeDecodeError:
        return decode(data)


def _opened(text: str, readings: Sequence[Reading]) -> PartedSource:
    """What is broken, or too large to be held as values, is text."""
    node = _tree_of(text, readings)
    blocks = blocks_of(node) if node else covered(text, map(_readable, code_blocks(text)))
    return PartedSource(parts_of(blocks, EXTRACTOR_VERSION))


def _readable(block: Block) -> Block:
    """Lines that no program has are divided as text is."""
    if isinstance(block, PassageBlock) and any(len(one.text) > PASSAGE_CHARACTERS for one in block.lines):
        return block._replace(kind="text")
    return block


def _tree_of(text: str, readings: Sequence[Reading]) -> Node | None:
    """The tree by the first of `readings` that takes the text; None where none does."""
    if len(text) <= MAX_CHARACTERS:
        for read in readings:
            try:
                return read(text)
            except ValueError:
                continue
    return None
