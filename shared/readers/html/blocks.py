"""From the lines of a page to its blocks: main text by its structure, what stands beside it as left out."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from shared.domain.geometry import TextRange
from shared.readers.blocks import (
    Block,
    CellBlock,
    GridBlock,
    HeadingBlock,
    LeftOutBlock,
    PassageBlock,
    PlacedLine,
    lines_of_block,
)
from shared.readers.html.flow import BlockOf, FlowLine, rows_of
from shared.readers.html.main_text import leads_nowhere

# Behind this many characters, the next item of a list begins a passage of its own.
LIST_CHARACTERS: Final = 900
MAX_SPAN: Final = 1_000
# By which pages link to a title; a pilcrow ends none.
_LINK_MARKS: Final = (" #", "\u00b6")


def blocks_of_lines(lines: Iterable[FlowLine]) -> Iterator[Block]:
    """Lines that stand together in one block become one."""
    for main, beside in groupby(_wholes(lines), key=lambda line: line.main):
        if not main:
            yield LeftOutBlock("boilerplate", [placed(line) for line in beside])
            continue
        for block, found in groupby(beside, key=lambda line: line.block):
            held = list(found)
            match block.kind:
                case "heading":
                    yield from _heading([placed(line) for line in held], block.depth)
                case "table":
                    yield from _grid(block.element, held)
                case "list":
                    yield from _list(held)
                case kind:
                    yield PassageBlock(kind, [placed(line) for line in held])


def illustrated(blocks: Iterable[Block], pictures: Sequence[tuple[int, Iterable[Block]]]) -> Iterator[Block]:
    """The blocks with those of pictures, each before the first block that begins where it stands or behind."""
    left = list(pictures)
    for block in blocks:
        lines = lines_of_block(block)
        start = lines[0].place.start if lines and isinstance(lines[0].place, TextRange) else -1
        while left and left[0][0] <= start:
            yield from left.pop(0)[1]
        yield block
    yield from (block for _, found in left for block in found)


def placed(line: FlowLine) -> PlacedLine:
    return PlacedLine(line.text, TextRange(start=line.start, end=line.start + len(line.text)))


def _heading(lines: Sequence[PlacedLine], depth: int) -> Iterator[Block]:
    """The title, without the mark behind it by which pages link to it."""
    *above, last = lines
    if not last.text.endswith(_LINK_MARKS):
        yield HeadingBlock(lines, depth)
        return
    title = last.text[:-1].rstrip()
    yield HeadingBlock([*above, _part(last, 0, len(title))], depth)
    yield LeftOutBlock("boilerplate", [_part(last, len(last.text) - 1, len(last.text))])


def _wholes(lines: Iterable[FlowLine]) -> Iterator[FlowLine]:
    """A table of which something is main text is main text wholly, a list by most of its characters, a title with main
    text before and directly behind it."""
    blocks = [(block, list(found)) for block, found in groupby(lines, key=lambda line: line.block)]
    followed = _followed(blocks)
    begun = False
    for at, (block, held) in enumerate(blocks):
        if block.kind == "heading" and begun and followed[at] and leads_nowhere(block.element):
            for line in held:
                line.main = True
        main = sum(len(line.text) for line in held if line.main)
        if block.kind == "table" or (block.kind == "list" and main * 2 >= sum(len(line.text) for line in held)):
            for line in held:
                line.main = main > 0
        begun = begun or any(line.main for line in held)
        yield from held


def _followed(blocks: Sequence[tuple[BlockOf, list[FlowLine]]]) -> list[bool]:
    """Of each block whether what stands directly behind it, or behind titles below it, is main text."""
    found: list[bool] = []
    main = False
    for block, held in reversed(blocks):
        found.append(main)
        main = main if block.kind == "heading" else held[0].main
    return found[::-1]


def _part(line: PlacedLine, start: int, end: int) -> PlacedLine:
    offset = line.place.start if isinstance(line.place, TextRange) else 0
    return PlacedLine(line.text[start:end], TextRange(start=offset + start, end=offset + end))


def _list(lines: Sequence[FlowLine]) -> Iterator[PassageBlock]:
    """Passages of whole items."""
    passage: list[PlacedLine] = []
    length = 0
    for _, found in groupby(lines, key=lambda line: line.item):
        item = [placed(line)._replace(marker=line.marker) for line in found]
        more = sum(len(line.text) for line in item)
        if passage and length + more > LIST_CHARACTERS:
            yield PassageBlock("list", passage)
            passage, length = [], 0
        passage += item
        length += more
    yield PassageBlock("list", passage)


def _grid(table: Any, lines: Sequence[FlowLine]) -> Iterator[Block]:
    """The rows that are shown; lines in no cell are the caption."""
    by_cell: dict[Any, list[PlacedLine]] = {}
    for line in lines:
        by_cell.setdefault(line.cell, []).append(placed(line))
    caption = by_cell.pop(None, [])
    shown = [(row, heads) for row, heads in rows_of(table) if any(cell in by_cell for cell in row)]
    rows = [
        [
            CellBlock(
                by_cell.get(cell, []),
                min(_span(cell, "rowspan"), len(shown) - number),
                _span(cell, "colspan"),
                cell.tag == "th",
            )
            for cell in row.iterchildren("td", "th")
        ]
        for number, (row, _) in enumerate(shown)
    ]
    heads = next((number for number, (_, head) in enumerate(shown) if not head), len(shown))
    # A table of nothing but heads has no header.
    yield GridBlock(rows, heads if heads < len(shown) else 0, caption)


def _span(cell: Any, name: str) -> int:
    """A span as written; 0, which means all that is left, and what is no number count as one."""
    said = cell.get(name, "1").strip()
    return min(max(int(said), 1), MAX_SPAN) if said.isdecimal() and len(said) < 6 else 1
