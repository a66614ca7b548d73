"""Opens text files: plain text, Markdown, program text. Places are offsets in the file's characters."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from shared.domain.geometry import TextRange
from shared.readers.blocks import Block, HeadingBlock, LeftOutBlock, PlacedLine, lines_of, lines_of_block
from shared.readers.parted import PartedSource
from shared.readers.parts import parts_of
from shared.readers.text.decode import decode
from shared.readers.text.markdown import markdown_blocks
from shared.readers.text.plain import code_blocks, plain_blocks

EXTRACTOR_VERSION: Final = "text-11"
TITLE_CHARACTERS: Final = 200


def open_plain(path: Path, _password: str | None) -> PartedSource:
    return _open(path, plain_blocks)


def open_markdown(path: Path, _password: str | None) -> PartedSource:
    return _open(path, markdown_blocks)


def open_code(path: Path, _password: str | None) -> PartedSource:
    return _open(path, code_blocks)


def _open(path: Path, blocks_of: Callable[[str], Iterable[Block]]) -> PartedSource:
    """Raises RefusedFile for a file that is no text."""
    text = decode(path.read_bytes())
    blocks = list(covered(text, blocks_of(text)))
    return PartedSource(parts_of(blocks, EXTRACTOR_VERSION), _title(blocks))


def covered(text: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks, and between them whatever else is printed in `text`, left out as decoration: the marks of headings,
    tables and fences. Blocks come in the order of their places."""
    at = 0
    for block in blocks:
        places = sorted(
            [place for line in lines_of_block(block) if isinstance(place := line.place, TextRange)], key=_start
        )
        if places:
            yield from _marks(text, at, places[0].start)
        yield block
        for place in places:
            yield from _marks(text, max(at, places[0].start), place.start)
            at = max(at, place.end)
    yield from _marks(text, at, len(text))


def _marks(text: str, start: int, end: int) -> Iterator[LeftOutBlock]:
    found = [_line(said, at) for said, at in lines_of(text[start:end], start) if said]
    if found:
        yield LeftOutBlock("decoration", found)


def _line(said: str, at: int) -> PlacedLine:
    return PlacedLine(said, TextRange(start=at, end=at + len(said)))


def _start(place: TextRange) -> int:
    return place.start


def _title(blocks: Iterable[Block]) -> str | None:
    """The first heading of the first depth; without one, the heading that is higher than all others, as a chapter in a
    file of its own has it."""
    headings = [block for block in blocks if isinstance(block, HeadingBlock)]
    depth = min((one.depth for one in headings), default=1)
    highest = [one for one in headings if one.depth == depth]
    if not highest or (depth > 1 and len(highest) > 1):
        return None
    return " ".join(line.text for line in highest[0].lines)[:TITLE_CHARACTERS]
