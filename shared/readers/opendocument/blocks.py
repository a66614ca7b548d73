"""The blocks of an OpenDocument text in its order; notes and frames stand behind what refers to them."""

import posixpath
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from shared.domain.operations import SkipReason
from shared.errors import RefusedFile
from shared.readers.blocks import Block, CellBlock, GridBlock, HeadingBlock, LeftOutBlock, PassageBlock, PlacedLine
from shared.readers.docx.elements import child, local, value
from shared.readers.docx.numbering import NUMBER_MAX, Counted, is_clause
from shared.readers.docx.text import POINTS_OF, Placer
from shared.readers.drawings import Drawings, DrawnSize
from shared.readers.opendocument.styles import OUTLINE, OpenStyles
from shared.readers.opendocument.text import OpenParagraph, read_paragraph
from shared.readers.zipped import ZippedParts, embedded_part
from shared.values.addresses import printed_address

MAX_SPAN: Final = 1_000
# Of all tables of a file.
MAX_CELLS: Final = 1_000_000
_INDEXES: Final = frozenset({
    "table-of-content", "illustration-index", "table-index", "object-index", "user-index", "alphabetical-index",
})  # fmt: skip
_SILENT: Final = frozenset({"tracked-changes", "title", "desc", "forms", "sequence-decls", "variable-decls"})
_SIDE: Final = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)(pt|in|cm|mm|px)")
_CODE: Final = frozenset({"Preformatted Text", "Source Code", "Code"})
# Of a chart (OpenDocument 1.3 part 3, 11).
_TITLES: Final = frozenset({"title", "subtitle", "footer"})
_ROWS: Final = frozenset({"table-header-rows", "table-rows", "table-row-group"})


class OpenBlocks:
    """Makes blocks of elements, and gives their lines places in the text that is made of the document."""

    def __init__(self, styles: OpenStyles, placer: Placer, zipped: ZippedParts, drawings: Drawings) -> None:
        self._styles, self._placer, self._zipped, self._drawings = styles, placer, zipped, drawings
        self._comments: list[Any] = []
        self._cells = 0
        self._entered: set[str] = set()

    def inside(self, element: Any) -> Iterator[Block]:
        for one in element:
            match local(one):
                case "h":
                    yield from self._heading(one)
                case "p":
                    yield from self._paragraph(one)
                case "list":
                    yield from self._list(one, 1, "")
                case "table":
                    yield from self.table(one)
                case "section" if value(one, "display") == "none":
                    yield from self.left_out(one, "invisible")
                case name if name in _INDEXES:
                    yield from self.left_out(child(one, "index-body"), "contents")
                case "desc":
                    if lines := self._placer.place([" ".join((one.text or "").split())]):
                        yield PassageBlock("caption", lines)
                case name if name in _SILENT:
                    continue
                case "annotation":
                    self._comments.append(one)
                case "object":
                    yield from self._object(one)
                case "frame" if _shows_picture(one):
                    yield from self._picture(one)
                case _:
                    yield from self.inside(one)

    def _picture(self, frame: Any) -> Iterator[Block]:
        """Of several pictures of one thing the first."""
        at = self._placer.at
        described = self._placer.place([" ".join((getattr(child(frame, "desc"), "text", "") or "").split())])
        href = value(child(frame, "image"), "href")
        name = None if "://" in href else posixpath.normpath(href)
        yield from self._drawings.blocks(name, frame_size(frame), at, described)

    def _object(self, element: Any) -> Iterator[Block]:
        """What is embedded: a chart, a formula, a sheet or another text, in the element or in a part of its own;
        nothing where the reference leads nowhere, or to where it has led."""
        name = embedded_part(value(element, "href"))
        root = element[0] if len(element) else None
        if root is None and name not in self._entered:
            # The text around a damaged object is no worse for it.
            with suppress(RefusedFile):
                root = self._zipped.root(name)
        self._entered.add(name)
        if root is not None and local(root) == "math":
            said = [one.text or "" for one in root.iter() if local(one) == "annotation"]
            if lines := self._placer.place([" ".join(one.split()) for one in said]):
                yield PassageBlock("formula", lines)
        for one in child(root, "body") if child(root, "body") is not None else ():
            chart = child(one, "chart")
            yield from self.inside(one) if chart is None else self._chart(chart)

    def _chart(self, chart: Any) -> Iterator[Block]:
        """A chart is the table that it draws, where it has one of its own; the titles of its axes stand behind it."""
        titles = [one for one in chart.iter() if local(one) in _TITLES]
        own = [one for one in titles if one.getparent() is chart]
        caption = self._placer.place([line for one in own for line in self._said(one)])
        table = child(chart, "table")
        blocks = list(self.table(table)) if table is not None else []
        if caption and not any(isinstance(one, GridBlock) for one in blocks):
            yield PassageBlock("caption", caption)
        yield from (one._replace(caption=caption) if isinstance(one, GridBlock) else one for one in blocks)
        if lines := self._placer.place([line for one in titles if one not in own for line in self._said(one)]):
            yield PassageBlock("caption", lines)

    def comments(self) -> Iterator[Block]:
        """What readers noted at the margin of all that was made into blocks so far."""
        for one in self._comments:
            yield from self.left_out(one, "invisible")

    def left_out(self, root: Any, reason: SkipReason) -> Iterator[Block]:
        if lines := self._placer.place(self._said(root)):
            yield LeftOutBlock(reason, lines)

    def _heading(self, element: Any) -> Iterator[Block]:
        said = value(element, "outline-level")
        depth = int(said) if said.isdecimal() and len(said) < 3 else 1
        paragraph = read_paragraph(element, self._styles)
        silent = value(element, "is-list-header") == "true" or not "".join(paragraph.lines).strip()
        number = None if silent else self._styles.count(OUTLINE, depth)
        if lines := self._placer.place(paragraph.lines):
            typed = number is None or printed_address(lines[0].text)
            yield HeadingBlock(_marked(lines, number), depth, None if typed or number is None else number.address)
        yield from self._behind(paragraph)

    def _paragraph(self, element: Any, item: bool = False, number: Counted | None = None) -> Iterator[Block]:
        paragraph = read_paragraph(element, self._styles)
        names = set(self._styles.names(value(element, "style-name")))
        if "Caption" in names:  # its picture may stand in it
            yield from self._frames(paragraph)
            paragraph.frames.clear()
        if lines := self._placer.place(paragraph.lines):
            address = None if number is None or printed_address(lines[0].text) else number.address
            lines = _marked(lines, number)
            if "Title" in names and not item:
                yield HeadingBlock(lines, 1)
            elif is_clause(address):
                yield PassageBlock("text", lines, address)
            elif item:
                yield PassageBlock("list", lines)
            else:
                yield PassageBlock("caption" if "Caption" in names else "code" if names & _CODE else "text", lines)
        yield from self._behind(paragraph)

    def _behind(self, paragraph: OpenParagraph) -> Iterator[Block]:
        if hidden := self._placer.place(paragraph.hidden):
            yield LeftOutBlock("invisible", hidden)
        yield from self._frames(paragraph)
        for note in paragraph.notes:
            if lines := self._placer.place(self._said(child(note, "note-body"))):
                yield PassageBlock("footnote", lines)
        self._comments += paragraph.comments

    def _frames(self, paragraph: OpenParagraph) -> Iterator[Block]:
        yield from (block for frame in paragraph.frames for block in self.inside([frame]))

    def _list(self, element: Any, depth: int, name: str) -> Iterator[Block]:
        style = value(element, "style-name") or self._style_inside(element)
        if style or not name:
            name = self._styles.begin_list(style, value(element, "continue-numbering") == "true" or depth > 1)
        for item in element:
            number = self._styles.count(name, depth, _start(item)) if local(item) == "list-item" else None
            for one in item:
                match local(one):
                    case "list":
                        yield from self._list(one, depth + 1, name)
                    case "p":
                        unmarked = self._styles.is_unmarked(value(one, "style-name"))
                        yield from self._paragraph(one, True, None if unmarked else number)
                        number = None
                    case "h":
                        yield from self._heading(one)
                    case _:
                        continue

    def _style_inside(self, element: Any) -> str:
        """A list without a style has that of its first paragraph."""
        first = next((one for one in element.iter() if local(one) == "p"), None)
        return self._styles.list_of(value(first, "style-name"))

    def table(self, table: Any) -> Iterator[Block]:
        """A table of one column or row places text and relates nothing."""
        rows = list(_rows(table, False))
        if len(rows) < 2 or max(sum(1 for _ in _cells(row)) for row, _ in rows) < 2:
            for row, _ in rows:
                for cell in row:
                    yield from self.inside(cell)
            return
        grid: list[list[CellBlock]] = []
        read: list[OpenParagraph] = []
        for number, (row, _) in enumerate(rows):
            cells: list[CellBlock] = []
            for cell in _cells(row):
                paragraphs = [read_paragraph(one, self._styles) for one in _paragraphs(cell)]
                read += paragraphs
                lines = self._placer.place([line for one in paragraphs for line in one.lines])
                down = min(_span(cell, "number-rows-spanned"), len(rows) - number)
                cells += [CellBlock(lines, down, _span(cell, "number-columns-spanned"))]
                cells += [CellBlock()] * (_span(cell, "number-columns-repeated") - 1)
            grid.append(_without_rest(cells))
            self._count(len(grid[-1]))
        heads = sum(heading for _, heading in rows) or int(self._is_head(rows[0][0]))
        yield GridBlock(grid, heads if heads < len(rows) else 0)
        for paragraph in read:
            yield from self._behind(paragraph)

    def _count(self, cells: int) -> None:
        """Refuses tables of more cells than anybody writes: a file of a few KB can say that it has milliards."""
        self._cells += cells
        if self._cells > MAX_CELLS:
            raise RefusedFile(
                f"The tables of the file have more than {MAX_CELLS:,} cells; divide it into smaller files."
            )

    def _is_head(self, row: Any) -> bool:
        styles = [value(one, "style-name") for cell in _cells(row) for one in _paragraphs(cell)]
        return bool(styles) and all("Table Heading" in self._styles.names(one) for one in styles)

    def _said(self, root: Any) -> list[str]:
        """The lines of all paragraphs below an element, hidden ones too."""
        found: list[str] = []
        for one in _paragraphs(root) if root is not None else ():
            paragraph = read_paragraph(one, self._styles)
            found += [*paragraph.lines, *paragraph.hidden]
            for inner in (*paragraph.frames, *paragraph.notes, *paragraph.comments):
                found += self._said(inner)
        return found


def _marked(lines: list[PlacedLine], number: Counted | None) -> list[PlacedLine]:
    return [lines[0]._replace(marker=number.shown), *lines[1:]] if number else lines


def _start(item: Any) -> int | None:
    said = value(item, "start-value")
    return min(int(said), NUMBER_MAX) if said.isdecimal() and len(said) < 6 else None


def _rows(table: Any, heading: bool) -> Iterator[tuple[Any, bool]]:
    for one in table:
        if local(one) == "table-row":
            yield one, heading
        elif local(one) in _ROWS:
            yield from _rows(one, heading or local(one) == "table-header-rows")


def _cells(row: Any) -> Iterator[Any]:
    """The cells of a row, without those that a merged one covers."""
    return (one for one in row if local(one) == "table-cell")


def _without_rest(cells: list[CellBlock]) -> list[CellBlock]:
    """A row of a sheet is said to go on to the sheet's last column: one empty cell stands for that."""
    last = next((at for at in reversed(range(len(cells))) if cells[at].lines), -1)
    return cells[: last + 2]


def _paragraphs(element: Any) -> Iterator[Any]:
    """The paragraphs below an element, of tables in it too; what stands in frames is not theirs."""
    for one in element:
        if local(one) in ("p", "h"):
            yield one
        elif local(one) not in _SILENT:
            yield from _paragraphs(one)


def _span(cell: Any, name: str) -> int:
    said = value(cell, name)
    return min(max(int(said), 1), MAX_SPAN) if said.isdecimal() and len(said) < 6 else 1


def _shows_picture(frame: Any) -> bool:
    """Not one that stands for an object, or for a text, that is read itself."""
    others = ("object", "text-box")
    return bool(value(child(frame, "image"), "href")) and all(child(frame, one) is None for one in others)


def frame_size(frame: Any, *names: str) -> DrawnSize:
    """As its attributes say (`svg:width="5cm"`), those of a page by other `names`."""
    sides = [_SIDE.fullmatch(value(frame, side)) for side in names or ("width", "height")]
    width, height = (float(one[1]) * POINTS_OF[one[2]] if one else 0.0 for one in sides)
    return DrawnSize(width, height)
