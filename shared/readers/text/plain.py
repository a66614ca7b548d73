"""The blocks of plain text and of program text."""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from shared.domain.geometry import TextRange
from shared.readers.blocks import LINE, Block, HeadingBlock, PassageBlock, PlacedLine, lines_of
from shared.readers.text.numbered import titled
from shared.readers.typed.grid import grid_of
from shared.readers.typed.lines import TypedSpan
from shared.readers.typed.tables import typed_tables

# Below a title, as reStructuredText and old README files have it: at least three of one mark.
_UNDERLINE = re.compile(r"([=\-~^\"'+*#_])\1{2,}")
_ITEM = re.compile(r"(?:[-*+\u2022\u2013]|\(?[0-9]{1,3}[.)]|\(?[a-z][.)])\s+\S")
# A passage of program text ends before the top-level line behind which it would be longer than this.
CODE_CHARACTERS = 1_200


def plain_blocks(text: str) -> Iterator[Block]:
    """Paragraphs parted by blank lines, and tables whose columns are set with blanks, tabs or drawn lines. A line that
    is underlined, or between two such lines, is a heading, whose depth is that of its mark, and so is the title of a
    clause in a line of its own."""
    return titled([*_blocks(text)])


def _blocks(text: str) -> Iterator[Block]:
    lines = [(line[0].rstrip("\r\n"), line.start()) for line in LINE.finditer(text)]
    depths: dict[str, int] = {}
    at = 0
    for table in typed_tables([said for said, _ in lines]):
        blocks = list(_passages(lines[at : table.first], depths))
        caption = _caption(blocks, lines[table.first - 1][0] if table.first else "")
        yield from blocks[: len(blocks) - len(caption)]
        yield grid_of(table, partial(_at, lines), caption)
        at = table.end
    yield from _passages(lines[at:], depths)


def _passages(lines: Sequence[tuple[str, int]], depths: dict[str, int]) -> Iterator[HeadingBlock | PassageBlock]:
    for paragraph in _paragraphs(lines):
        heading = _heading(paragraph, depths)
        if heading is not None:
            yield heading
            paragraph = paragraph[paragraph.index(heading.lines[0]) + 2 :]
        if paragraph:
            yield PassageBlock("list" if all(_ITEM.match(line.text) for line in paragraph) else "text", paragraph)


def _caption(blocks: Sequence[Block], above: str) -> Sequence[PlacedLine]:
    """The paragraph of one line that stands right above a table."""
    last = blocks[-1] if blocks and above.strip() else None
    return last.lines if isinstance(last, PassageBlock) and len(last.lines) == 1 else ()


def _at(lines: Sequence[tuple[str, int]], span: TypedSpan) -> PlacedLine:
    said, start = lines[span.line]
    return PlacedLine(said[span.start : span.end], TextRange(start=start + span.start, end=start + span.end))


def code_blocks(text: str) -> Iterator[Block]:
    """Passages of whole top-level statements, as long as that is possible."""
    passage: list[PlacedLine] = []
    length = 0
    for line in indented_lines(text):
        if length + len(line.text) > CODE_CHARACTERS and not line.text[0].isspace() and passage:
            yield PassageBlock("code", passage)
            passage, length = [], 0
        passage.append(line)
        length += len(line.text)
    if passage:
        yield PassageBlock("code", passage)


def _paragraphs(lines: Sequence[tuple[str, int]]) -> Iterator[list[PlacedLine]]:
    paragraph: list[PlacedLine] = []
    for line, start in lines:
        if said := line.strip():
            at = start + line.index(said)
            paragraph.append(PlacedLine(said, TextRange(start=at, end=at + len(said))))
        elif paragraph:
            yield paragraph
            paragraph = []
    if paragraph:
        yield paragraph


def _heading(paragraph: list[PlacedLine], depths: dict[str, int]) -> HeadingBlock | None:
    """A title above a line of marks, or between two: that is another style."""
    if len(paragraph) < 2:
        return None
    over = _UNDERLINE.fullmatch(paragraph[0].text)
    if over and len(paragraph) > 2 and paragraph[2].text == over[0] and len(paragraph[1].text) <= len(over[0]):
        return HeadingBlock(paragraph[1:2], depths.setdefault(f"over {over[1]}", len(depths) + 1))
    if over or not (mark := _UNDERLINE.fullmatch(paragraph[1].text)):
        return None
    return HeadingBlock(paragraph[:1], depths.setdefault(mark[1], len(depths) + 1))


def indented_lines(text: str) -> Iterator[PlacedLine]:
    """The lines that are not blank, with their indentation."""
    end = 0
    for said, at in lines_of(text):
        begin = max(text.rfind("\n", end, at), text.rfind("\r", end, at)) + 1 or end
        end = at + len(said)
        if said:
            yield PlacedLine(text[begin:at] + said, TextRange(start=begin, end=end))
