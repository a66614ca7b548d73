"""Turns what a source without pages says of itself, block by block, into page files with their operations.

A reader yields blocks (headings, paragraphs, code, tables) in reading order. Here they become fragments with ids and
places, and parts of a readable size, which count as the document's pages.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from shared.domain.geometry import Rect, TextRange
from shared.domain.operations import (
    MAX_COLUMNS,
    Cell,
    Operation,
    RegisterChunk,
    RegisterFigure,
    RegisterSection,
    RegisterTable,
    Skip,
    Standing,
)
from shared.domain.page import Fragment, LeftOut, PageFile, PartPicture, Route
from shared.readers.blocks import (
    Block,
    Defined,
    FigureBlock,
    GridBlock,
    HeadingBlock,
    LeftOutBlock,
    LeftOutPicture,
    NewPart,
    PassageBlock,
    PlacedLine,
    lines_of_block,
)
from shared.readers.pictures import PLACED_SHARE
from shared.values.fields import begins_with_field
from shared.values.levels import SpannedCell, levels_of_header

# A part ends behind the block that reaches this many characters: about a printed page.
PART_CHARACTERS = 3_000
# About the 256 tokens that the bundled embedder reads at once: a longer passage is divided, where a sentence ends if
# possible.
PASSAGE_CHARACTERS = 1_200
DIVIDED = frozenset({"text", "list", "footnote"})
MAX_DEPTH = 12
_SENTENCE_END = re.compile(r"[.!?\u2026]['\"\u2019\u201d\u00bb)\]]*\s+|[\u3002\uff01\uff1f]['\"\u300d\u300f\uff09]*\s*")
_SPACE = re.compile(r"\s+")
# By whether a part has text, and a picture that may have some.
_ROUTES: dict[tuple[bool, bool], Route] = {
    (True, True): "mixed", (True, False): "text", (False, True): "ocr", (False, False): "empty",
}  # fmt: skip


def parts_of(blocks: Iterable[Block], version: str) -> list[PageFile]:
    """The parts, at least one. Blocks without text are left out."""
    writer = _Writer(version)
    for block in _captioned(blocks):
        writer.add(block)
    return writer.finish()


def part_of(blocks: Iterable[Block], number: int, label: str, version: str) -> PageFile:
    """One part of this number, however long it is, for a reader that divides its source itself."""
    writer = _Writer(version, number, label, sys.maxsize)
    for block in blocks:
        writer.add(block)
    return writer.finish()[0]


class _Writer:
    def __init__(self, version: str, first: int = 1, label: str = "", most: int = PART_CHARACTERS) -> None:
        self._version = version
        self._first, self._most = first, most
        self._done: list[PageFile] = []
        self._left_out = Counter[LeftOut]()
        self._label, self._hidden = label, False
        self._begin()

    def _begin(self) -> None:
        self._fragments: list[Fragment] = []
        self._operations: list[Operation] = []
        self._pictures: list[PartPicture] = []
        self._characters = 0

    def add(self, block: Block) -> None:
        match block:
            case NewPart():
                self._end()
                self._label, self._hidden = block.label, block.hidden
            case HeadingBlock():
                if self._characters >= self._most:
                    self._end()
                if ids := self._claim(block.lines):
                    depth = min(max(block.depth, 1), MAX_DEPTH)
                    self._operations.append(RegisterSection(title_fragment_ids=ids, depth=depth, address=block.address))
            case PassageBlock():
                for passage in _divided(block):
                    self._add_passage(passage)
            case GridBlock() if any(sum(cell.col_span for cell in row) > MAX_COLUMNS for row in block.rows):
                for passage in _rows_as_text(block):
                    self.add(passage)
            case GridBlock():
                self._make_room()
                self._add_grid(block)
            case FigureBlock():
                self._make_room()
                self._add_figure(block)
            case LeftOutPicture():
                self._left_out[block.reason] += 1
                self._add_passage(PassageBlock("caption", block.described))
            case LeftOutBlock():
                if ids := self._claim(block.lines):
                    self._operations.append(Skip(fragment_ids=ids, reason=block.reason))

    def finish(self) -> list[PageFile]:
        if self._fragments or self._pictures or not self._done:
            self._end(always=True)
        if self._left_out:  # behind the last part
            counts = Counter(self._done[-1].left_out) + self._left_out
            self._done[-1] = self._done[-1].model_copy(update={"left_out": dict(counts)})
        return self._done

    def _make_room(self) -> None:
        """Ends a part that is full, except directly behind a heading: that stays with what follows it."""
        if self._characters >= self._most and not isinstance(self._operations[-1], RegisterSection):
            self._end()

    def _add_passage(self, passage: PassageBlock) -> None:
        self._make_room()
        if ids := self._claim(passage.lines):
            self._operations.append(
                RegisterChunk(
                    fragment_ids=ids,
                    chunk_type=passage.kind,
                    section=passage.address,
                    head=passage.head,
                    stands=self._stands(passage.defines, ids) if passage.defines else None,
                )
            )

    def _stands(self, defines: Defined, ids: Sequence[str]) -> Standing:
        """`ids` are the fragments of the passage, the last that were made."""
        name = defines.name
        if name is None or not isinstance(name.place, TextRange):
            return Standing(depth=defines.depth)
        for fragment in self._fragments[-len(ids) :]:
            place = fragment.place
            if isinstance(place, TextRange) and place.start <= name.place.start and name.place.end <= place.end:
                start, end = name.place.start - place.start, name.place.end - place.start
                title = fragment.id if end - start == len(fragment.text) else f"{fragment.id}[{start}:{end}]"
                return Standing(depth=defines.depth, title=title, key=defines.key)
        raise ValueError(f"{name.text} is in no line of its passage")

    def _add_figure(self, figure: FigureBlock) -> None:
        """A picture takes the room of text that it would on a page."""
        self._pictures.append(figure.picture)
        self._characters += int(figure.picture.share * PART_CHARACTERS)
        self._operations.append(
            RegisterFigure(
                box=Rect(x=0, y=0, w=1, h=1),
                picture=figure.picture.id,
                caption_fragment_ids=self._claim(figure.caption or figure.described),
                label_fragment_ids=self._claim(figure.described if figure.caption else ()),
                figure_type="bitmap" if figure.picture.unread is None else "other",
            )
        )

    def _add_grid(self, grid: GridBlock) -> None:
        caption = self._claim(grid.caption)
        rows = [
            [
                Cell(
                    fragment_ids=self._claim(c.lines, c.heads),
                    row_span=min(c.row_span, len(grid.rows) - at),
                    col_span=c.col_span,
                    place=c.place,
                )
                for c in row
            ]
            for at, row in enumerate(grid.rows)
        ]
        if any(cell.fragment_ids for row in rows for cell in row):
            self._operations.append(
                RegisterTable(header_rows=_header_rows(grid), rows=rows, caption_fragment_ids=caption)
            )
        elif caption:
            self._operations.append(RegisterChunk(fragment_ids=caption, chunk_type="caption"))

    def _claim(self, lines: Iterable[PlacedLine], bold: bool = False) -> list[str]:
        """Makes fragments of lines that have text; returns their ids. `bold` are a table's labels."""
        ids: list[str] = []
        for line in lines:
            if not line.text.strip():
                continue
            identifier = f"p{self._number}.f{len(self._fragments) + 1}"
            self._fragments.append(
                Fragment(
                    id=identifier, text=line.text, place=line.place, bold=bold, marker=line.marker,
                    hidden=line.hidden or self._hidden,
                )
            )  # fmt: skip
            self._characters += len(line.text)
            ids.append(identifier)
        return ids

    @property
    def _number(self) -> int:
        return self._first + len(self._done)

    def _end(self, always: bool = False) -> None:
        if not self._fragments and not self._pictures and not always:
            return
        to_read = any(one.share >= PLACED_SHARE for one in self._pictures)
        self._done.append(
            PageFile(
                page=self._number,
                label=self._label,
                route=_ROUTES[bool(self._fragments), to_read],
                fragments=self._fragments,
                structure=self._operations,
                pictures=self._pictures,
                left_out=dict(self._left_out),
                extractor_version=self._version,
            )
        )
        self._left_out.clear()
        self._begin()


def _rows_as_text(grid: GridBlock) -> Iterator[PassageBlock]:
    """What is too wide for a table."""
    yield PassageBlock("caption", grid.caption)
    for row in grid.rows:
        yield PassageBlock("text", [line for cell in row for line in cell.lines])


def _header_rows(grid: GridBlock) -> int:
    """None where the first row is only guessed to be a header and is a field, like the rows below it. With the levels
    below a header's last row."""
    count = grid.header_rows
    if not 0 < count < len(grid.rows):
        return count
    rows = [
        [SpannedCell(" ".join(line.text for line in c.lines), c.row_span, c.col_span) for c in row] for row in grid.rows
    ]
    plain = all(cell.row_span == cell.col_span == 1 for row in rows for cell in row)
    if plain:
        return (
            0 if grid.guessed and count == 1 and begins_with_field([[c.text for c in row] for row in rows]) else count
        )
    return levels_of_header(rows, count)


def _captioned(blocks: Iterable[Block]) -> Iterator[Block]:
    """Gives a figure the captions that follow it, but for a last one that a table follows: that may be the table's."""
    figure: FigureBlock | None = None
    captions: list[Block] = []
    for block in chain(blocks, (None,)):
        if isinstance(block, LeftOutPicture) and not block.described:
            yield block
            continue
        if figure is not None and block is not None and _is_caption(block):
            captions.append(block)
            continue
        if figure is not None:
            rest = [captions.pop()] if captions and isinstance(block, GridBlock) else []
            yield figure._replace(caption=[line for one in captions for line in lines_of_block(one)])
            yield from rest
        figure, captions = (block, []) if isinstance(block, FigureBlock) else (None, [])
        if block is not None and figure is None:
            yield block


def _is_caption(block: Block) -> bool:
    return isinstance(block, PassageBlock) and block.kind == "caption"


def _divided(block: PassageBlock) -> Iterator[PassageBlock]:
    """The passage, or pieces of at most PASSAGE_CHARACTERS; the first one has its address."""
    if block.kind not in DIVIDED or sum(len(line.text) for line in block.lines) <= PASSAGE_CHARACTERS:
        yield block
        return
    lines: list[PlacedLine] = []
    length, address, head = 0, block.address, block.head
    for line in (piece for whole in block.lines for piece in _cut(whole)):
        if lines and length + len(line.text) > PASSAGE_CHARACTERS:
            yield PassageBlock(block.kind, lines, address, head)
            lines, length, address, head = [], 0, None, head and "goes_on"
        lines.append(line)
        length += len(line.text)
    yield PassageBlock(block.kind, lines, address, head)


def _cut(line: PlacedLine) -> Iterator[PlacedLine]:
    """A line, or pieces of about the same length where it is too long and each of its characters has a place."""
    text, place = line.text, line.place
    if not isinstance(place, TextRange) or place.end - place.start != len(text):
        yield line
        return
    at = 0
    while len(text) - at > PASSAGE_CHARACTERS:
        end = _end_of_piece(text, at)
        piece = text[at:end].rstrip()
        yield line._replace(text=piece, place=TextRange(start=place.start + at, end=place.start + at + len(piece)))
        at, line = end, line._replace(marker="")
    yield line._replace(text=text[at:], place=TextRange(start=place.start + at, end=place.end))


def _end_of_piece(text: str, at: int) -> int:
    """Where the piece from `at` on ends: at the first end of a sentence behind its share of what is left, else at the
    last one before it, else between words."""
    left = len(text) - at
    share = at + left // -(-left // PASSAGE_CHARACTERS)
    for mark in (_SENTENCE_END, _SPACE):
        ends = [found.end() for found in mark.finditer(text, at, at + PASSAGE_CHARACTERS) if found.start() > at]
        if ends:
            return next((end for end in ends if end >= share), ends[-1])
    return at + PASSAGE_CHARACTERS
