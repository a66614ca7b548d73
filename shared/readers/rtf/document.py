"""Opens RTF files. Places are offsets in the text that is made of one: its lines, joined by line feeds."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Final

from shared.domain.operations import SkipReason
from shared.errors import RefusedFile
from shared.readers.blocks import Block, CellBlock, GridBlock, HeadingBlock, LeftOutBlock, PassageBlock
from shared.readers.docx.blocks import lists_joined
from shared.readers.docx.text import Placer
from shared.readers.parted import PartedSource
from shared.readers.parts import parts_of
from shared.readers.rtf.flow import RtfFile, RtfParagraph, RtfReader, RtfRow, whole

EXTRACTOR_VERSION: Final = "rtf-5"
TITLE_CHARACTERS: Final = 200
MAX_BYTES: Final = 100_000_000
# Edges of cells that lie closer together than this, in twips, are one.
_NEAR: Final = 30
_RUNNING: Final[dict[str, SkipReason]] = {"header": "header", "footer": "footer", "comment": "invisible"}


def open_rtf(path: Path, _password: str | None) -> PartedSource:
    """Raises RefusedFile for a file beyond a bound."""
    if path.stat().st_size > MAX_BYTES:
        raise RefusedFile(f"The file is larger than {MAX_BYTES // 10**6} MB; save it without its pictures.")
    file = RtfReader().read(path.read_bytes())
    parts = parts_of(lists_joined(_Blocks(file).inside(file.paragraphs)), EXTRACTOR_VERSION)
    title = " ".join(whole(file.title).split())[:TITLE_CHARACTERS]
    return PartedSource(parts, title or None, _day(file.made))


def _day(made: dict[str, int]) -> date | None:
    try:
        return date(made["yr"], made["mo"], made["dy"])
    except (KeyError, ValueError, OverflowError):
        return None


class _Blocks:
    def __init__(self, file: RtfFile) -> None:
        self._file, self._placer = file, Placer()

    def inside(self, paragraphs: Sequence[RtfParagraph]) -> Iterator[Block]:
        for in_table, found in groupby(paragraphs, key=lambda one: one.in_table):
            if in_table:
                yield from self._table(list(found))
                continue
            for one in found:
                yield from self._paragraph(one)

    def _paragraph(self, paragraph: RtfParagraph) -> Iterator[Block]:
        number = paragraph.number if any(map(str.isalnum, paragraph.number)) else ""
        first, *rest = paragraph.lines
        name = self._file.styles.get(paragraph.style, "").strip().rstrip(";").lower()
        if lines := self._placer.place([whole(line) for line in (number + first, *rest)]):
            depth = self._depth(paragraph, name)
            if name.startswith(("toc ", "contents ")):
                yield LeftOutBlock("contents", lines)
            elif depth is not None:
                yield HeadingBlock(lines, depth)
            elif paragraph.number or paragraph.listed:
                yield PassageBlock("list", lines)
            else:
                yield PassageBlock("caption" if name == "caption" else "text", lines)
        yield from self._behind(paragraph)

    def _depth(self, paragraph: RtfParagraph, name: str) -> int | None:
        level = paragraph.outline if paragraph.outline is not None else self._file.outlines.get(paragraph.style)
        said = name.removeprefix("heading ")
        if name == "title":
            return 1
        if said != name and said.isdecimal() and 1 <= int(said) <= 9:
            return int(said)
        return level + 1 if level is not None and 0 <= level < 9 else None

    def _behind(self, paragraph: RtfParagraph) -> Iterator[Block]:
        if hidden := self._placer.place([whole(paragraph.hidden)]):
            yield LeftOutBlock("invisible", hidden)
        for kind, paragraphs in paragraph.behind:
            if kind == "box":
                yield from self.inside(paragraphs)
            elif lines := self._placer.place(list(_said(paragraphs))):
                yield LeftOutBlock(_RUNNING[kind], lines) if kind in _RUNNING else PassageBlock("footnote", lines)

    def _table(self, paragraphs: list[RtfParagraph]) -> Iterator[Block]:
        """A table of one column or row places text and relates nothing."""
        rows = list(_rows(paragraphs))
        if len(rows) < 2 or max(len(cells) for _, cells in rows) < 2:
            for one in paragraphs:
                yield from self._paragraph(one)
            return
        columns = _columns([row for row, _ in rows])
        grid: list[list[CellBlock]] = []
        held: dict[int, tuple[int, int]] = {}
        for row, cells in rows:
            made: list[CellBlock] = []
            column = 0
            for number, cell in enumerate(cells):
                span = _span(row, number, columns, column)
                lines = self._placer.place([whole(line) for one in cell for line in _lines(one)])
                if number < len(row.merged) and row.merged[number] and column in held and not lines:
                    at, index = held[column]
                    grid[at][index] = grid[at][index]._replace(row_span=grid[at][index].row_span + 1)
                else:
                    held[column] = len(grid), len(made)
                    made.append(CellBlock(lines, 1, span))
                column += span
            grid.append(made)
        heads = sum(1 for row, _ in rows if row.header)
        yield GridBlock(grid, heads if heads < len(grid) else 0)
        for one in paragraphs:
            yield from self._behind(one)


def _lines(paragraph: RtfParagraph) -> list[str]:
    number = paragraph.number if any(map(str.isalnum, paragraph.number)) else ""
    return [number + paragraph.lines[0], *paragraph.lines[1:]]


def _said(paragraphs: Sequence[RtfParagraph]) -> Iterator[str]:
    """The lines of all paragraphs, what is hidden and apart too."""
    for one in paragraphs:
        yield from (whole(line) for line in _lines(one))
        yield whole(one.hidden)
        for _, inner in one.behind:
            yield from _said(inner)


def _rows(paragraphs: list[RtfParagraph]) -> Iterator[tuple[RtfRow, list[list[RtfParagraph]]]]:
    cells: list[list[RtfParagraph]] = []
    cell: list[RtfParagraph] = []
    for one in paragraphs:
        if one.end != "row" or any(one.lines):
            cell.append(one)
        if one.end == "cell":
            cells.append(cell)
            cell = []
        elif one.end == "row":
            yield one.row, [*cells, *([cell] if cell else [])]
            cells, cell = [], []
    if cells or cell:
        yield RtfRow(), [*cells, *([cell] if cell else [])]


def _columns(rows: list[RtfRow]) -> list[int]:
    """The edges of all columns of a table, without those that lie next to another."""
    found: list[int] = []
    for edge in sorted({edge for row in rows for edge in row.edges}):
        if not found or edge - found[-1] > _NEAR:
            found.append(edge)
    return found


def _span(row: RtfRow, number: int, columns: list[int], column: int) -> int:
    """How many columns a cell reaches over, by its right edge."""
    if number >= len(row.edges):
        return 1
    return max(1, bisect_left(columns, row.edges[number] - _NEAR) + 1 - column)
