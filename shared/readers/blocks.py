"""What a reader without pages yields in reading order: headings, passages, tables, pictures, each of lines that
stand at places in the source."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from shared.domain.geometry import CellRange, Place
from shared.domain.operations import EngineChunkType, SkipReason
from shared.domain.page import LeftOut, PartPicture

# A line with what ends it: a line feed, a carriage return or both, and nothing else.
LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


Head = Literal["begins", "goes_on"]


class PlacedLine(NamedTuple):
    """Text that stands at one place: a line, a cell. `marker`: the number in front of it that nobody typed; `hidden` as
    a fragment has it."""

    text: str
    place: Place
    marker: str = ""
    hidden: bool = False


class CellBlock(NamedTuple):
    """A cell of a table; one without text has no lines, and a `place` where it has a formula. `heads`: the source says
    that it is a label."""

    lines: Sequence[PlacedLine] = ()
    row_span: int = 1
    col_span: int = 1
    heads: bool = False
    place: CellRange | None = None


class HeadingBlock(NamedTuple):
    """`depth` from 1. `address`: its number, where that is not written in its lines."""

    lines: Sequence[PlacedLine]
    depth: int
    address: str | None = None


class Defined(NamedTuple):
    """Where a passage of program text stands: in the section at this depth (0: in none), which it opens where it has
    the section's `name`, a part of one of its lines. `key` is what others call that by."""

    depth: int
    name: PlacedLine | None = None
    key: str = ""


class PassageBlock(NamedTuple):
    """Lines that read as one piece. `address`: the number of a rule, where that is not written in its lines. `head`: as
    `RegisterChunk` has it."""

    kind: EngineChunkType
    lines: Sequence[PlacedLine]
    address: str | None = None
    head: Head | None = None
    defines: Defined | None = None


class GridBlock(NamedTuple):
    """A table, of which the first `header_rows` rows are the header. `guessed`: its source only sets the first row
    apart, as its program does with any table."""

    rows: Sequence[Sequence[CellBlock]]
    header_rows: int = 0
    caption: Sequence[PlacedLine] = ()
    guessed: bool = False


class LeftOutBlock(NamedTuple):
    """Text that is no content, with the reason."""

    reason: SkipReason
    lines: Sequence[PlacedLine]


class FigureBlock(NamedTuple):
    """A picture with its caption, and with the description that the file has of it."""

    picture: PartPicture
    caption: Sequence[PlacedLine] = ()
    described: Sequence[PlacedLine] = ()


class LeftOutPicture(NamedTuple):
    """A picture that is no figure, with the reason, and what the file says of it."""

    reason: LeftOut
    described: Sequence[PlacedLine] = ()


class NewPart(NamedTuple):
    """What follows is a part of its own: a sheet, a slide, a message; a `hidden` one is not shown by its source."""

    label: str
    hidden: bool = False


Block = HeadingBlock | PassageBlock | GridBlock | LeftOutBlock | FigureBlock | LeftOutPicture | NewPart


def lines_of_block(block: Block) -> list[PlacedLine]:
    """All lines of a block, in the order of their places."""
    if isinstance(block, NewPart):
        return []
    if isinstance(block, LeftOutPicture):
        return [*block.described]
    if isinstance(block, FigureBlock):
        return [*block.caption, *block.described]
    if isinstance(block, GridBlock):
        return [*block.caption, *(line for row in block.rows for cell in row for line in cell.lines)]
    return [*block.lines]


def as_head(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks; the passages before anything else are what a thing says of itself, which holds for all of it."""
    head: Head | None = "begins"
    for block in blocks:
        if head and isinstance(block, PassageBlock):
            yield block._replace(head=head)
            head = "goes_on"
        else:
            head = None
            yield block


def lines_of(text: str, start: int = 0) -> Iterator[tuple[str, int]]:
    """The lines of `text` without white space at their ends, each with the offset of its first character from `start`
    on; empty ones too. A line ends with a line feed, a carriage return or both, and with nothing else."""
    for found in LINE.finditer(text):
        stripped = found[0].strip()
        yield stripped, start + found.start() + (found[0].index(stripped) if stripped else 0)
