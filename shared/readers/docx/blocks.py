"""The blocks of a Word document in the order of its text; notes and text boxes stand behind what refers to them."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Final

from shared.domain.operations import EngineChunkType, SkipReason
from shared.readers.blocks import Block, HeadingBlock, LeftOutBlock, PassageBlock, PlacedLine, lines_of_block
from shared.readers.docx.drawn import Drawn
from shared.readers.docx.elements import child, decimal, local, value
from shared.readers.docx.numbering import is_clause, numbered
from shared.readers.docx.parts import ParagraphStyle, WordParts, main_part, targets
from shared.readers.docx.tables import grid_of, is_layout
from shared.readers.docx.text import GONE, Paragraph, Placer, ShownPicture, read_paragraph
from shared.readers.drawings import PAGE_PT2, Drawings
from shared.readers.zipped import ZippedParts
from shared.values.addresses import printed_address
from shared.values.clauses import read_clause

# Behind this many characters, the next item of a list begins a passage of its own.
LIST_CHARACTERS: Final = 900
# Of a point.
TWIPS: Final = 20
# Elements around paragraphs that display nothing of their own.
_AROUND: Final = frozenset({
    "sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "body", "AlternateContent", "Choice",
})  # fmt: skip
_KINDS: Final[dict[str, EngineChunkType]] = {
    "caption": "caption", "footnote text": "footnote", "endnote text": "footnote", "html preformatted": "code",
    "macro": "code", "macro text": "code", "code": "code", "source code": "code", "preformatted text": "code",
}  # fmt: skip


class WordBlocks:
    def __init__(self, parts: WordParts, zipped: ZippedParts) -> None:
        self._parts, self._zipped, self._placer = parts, zipped, Placer()
        self._drawn = Drawn.of(zipped, main_part(zipped))
        self._pictures = targets(zipped, main_part(zipped), "image")
        self._drawings = Drawings(zipped.read, _page_area(parts.body))
        self._noted: set[tuple[str, str]] = set()

    def blocks(self) -> Iterator[Block]:
        """Headers first; footers, notes that nothing refers to and comments last."""
        for name, root in self._parts.headers.items():
            yield from self._left_out(name, root, "header")
        yield from lists_joined(self._inside(self._parts.body))
        for key in self._parts.notes:
            yield from self._note(key)
        for name, root in self._parts.footers.items():
            yield from self._left_out(name, root, "footer")
        for name, root in self._parts.comments.items():
            yield from self._left_out(name, root, "invisible")

    def _inside(self, element: Any) -> Iterator[Block]:
        for one in element:
            match local(one):
                case "p":
                    yield from self._paragraph(one)
                case "tbl":
                    yield from self._table(one)
                case name if name in _AROUND:
                    yield from self._inside(one)
                case _:
                    continue

    def _paragraph(self, element: Any) -> Iterator[Block]:
        paragraph = read_paragraph(element)
        named = value(child(child(element, "pPr"), "pStyle")) or self._parts.default
        style = self._parts.styles.get(named, ParagraphStyle("", None, False))
        number = self._parts.numbering.count(numbered(child(element, "pPr")).over(style.number), named)
        if lines := self._placer.place(paragraph.lines):
            lines[0] = lines[0]._replace(marker=number.shown)
            address = None if printed_address(lines[0].text) else number.address
            yield self._block(element, style, address, lines)
        yield from self._behind(paragraph)

    def _block(self, element: Any, style: ParagraphStyle, address: str | None, lines: list[PlacedLine]) -> Block:
        settings = child(element, "pPr")
        said = value(child(settings, "outlineLvl"))
        level = decimal(said, 9) if said.isdecimal() else style.level
        number = value(child(child(settings, "numPr"), "numId"))
        if style.name.startswith(("toc ", "table of ")):
            return LeftOutBlock("contents", [line._replace(marker="") for line in lines])
        if style.name == "title":
            return HeadingBlock(lines, 1)
        if level is not None and level < 9:
            return HeadingBlock(lines, level + 1, address)
        if is_clause(address):
            return PassageBlock("text", lines, address)
        if number not in ("", "0") or (style.in_list and number != "0"):
            return PassageBlock("list", lines)
        return PassageBlock(_KINDS.get(style.name, "text"), lines)

    def _behind(self, paragraph: Paragraph) -> Iterator[Block]:
        if hidden := self._placer.place(paragraph.hidden):
            yield LeftOutBlock("invisible", hidden)
        for shown in paragraph.shown:
            yield from self._shown(shown)
        for box in paragraph.boxes:
            yield from self._inside(box)
        for one in paragraph.drawn:
            yield from self._drawn.blocks(one, self._placer)
        for key in paragraph.notes:
            yield from self._note(key)

    def _shown(self, shown: str | ShownPicture) -> Iterator[Block]:
        """A picture, or the description of something that is read as text, or not at all."""
        at = self._placer.at
        lines = self._placer.place([shown if isinstance(shown, str) else shown.described])
        if isinstance(shown, ShownPicture):
            name = self._pictures.get(shown.reference)
            yield from self._drawings.blocks(name, shown.drawn, at, lines)
        elif lines:
            yield PassageBlock("caption", lines)

    def _note(self, key: tuple[str, str]) -> Iterator[Block]:
        note = self._parts.notes.get(key)
        if note is None or key in self._noted:
            return
        self._noted.add(key)
        read = [read_paragraph(one) for one in note.iter() if isinstance(one.tag, str) and local(one) == "p"]
        if lines := self._placer.place([line for one in read for line in one.lines]):
            yield PassageBlock("footnote", lines)
        if hidden := self._placer.place([line for one in read for line in one.hidden]):
            yield LeftOutBlock("invisible", hidden)

    def _table(self, table: Any) -> Iterator[Block]:
        if is_layout(table):
            for cell in (one for one in table.iter() if isinstance(one.tag, str) and local(one) == "tc"):
                if _table_of(cell) is table:
                    yield from self._inside(cell)
            return
        grid, behind = grid_of(table, self._cell_lines)
        yield grid
        for paragraph in behind:
            yield from self._behind(paragraph)

    def _cell_lines(self, element: Any, paragraph: Paragraph) -> list[PlacedLine]:
        """The lines of a paragraph in a cell, which counts as any other does."""
        settings = child(element, "pPr")
        named = value(child(settings, "pStyle")) or self._parts.default
        style = self._parts.styles.get(named, ParagraphStyle("", None, False))
        number = self._parts.numbering.count(numbered(settings).over(style.number), named)
        lines = self._placer.place(paragraph.lines)
        return [lines[0]._replace(marker=number.shown), *lines[1:]] if lines else lines

    def _left_out(self, name: str, root: Any, reason: SkipReason) -> Iterator[Block]:
        """All that a part displays, in one: its own lines, then what is drawn in it."""
        drawings = list[Any]()
        lines = self._placer.place(list(_all_lines(root, drawings)))
        drawn = Drawn.of(self._zipped, name) if drawings else self._drawn
        for one in drawings:
            lines += [line for block in drawn.blocks(one, self._placer) for line in lines_of_block(block)]
        if lines:
            yield LeftOutBlock(reason, lines)


def _page_area(body: Any) -> float:
    """In square points, by the document's last section, whose properties end the body; that of A4 where it has none."""
    size = child(child(body, "sectPr"), "pgSz")
    sides = [decimal(value(size, side), 0) / TWIPS for side in ("w", "h")]
    return sides[0] * sides[1] or PAGE_PT2


def _all_lines(root: Any, drawings: list[Any]) -> Iterator[str]:
    """The lines of the paragraphs below an element and in text boxes, each once; drawings are added to those given."""
    for one in root:
        if local(one) == "p":
            paragraph = read_paragraph(one)
            yield from (*paragraph.lines, *paragraph.hidden, *paragraph.described)
            for box in paragraph.boxes:
                yield from _all_lines(box, drawings)
            drawings += paragraph.drawn
        elif local(one) not in GONE:
            yield from _all_lines(one, drawings)


def _table_of(element: Any) -> Any:
    return next(one for one in element.iterancestors() if local(one) == "tbl")


def lists_joined(blocks: Iterable[Block]) -> Iterator[Block]:
    """Items of a list that follow each other make passages of at most LIST_CHARACTERS, longer items alone. One that
    begins with a title in its text, as clauses do, begins a passage."""
    for listed, run in groupby(blocks, key=lambda one: isinstance(one, PassageBlock) and one.kind in ("list", "code")):
        if not listed:
            yield from run
            continue
        for kind, items in groupby((one for one in run if isinstance(one, PassageBlock)), key=lambda one: one.kind):
            passage: list[PlacedLine] = []
            for item in items:
                length = sum(len(line.text) for line in [*passage, *item.lines])
                if passage and (length > LIST_CHARACTERS or _has_title(item)):
                    yield PassageBlock(kind, passage)
                    passage = []
                passage = [*passage, *item.lines]
            yield PassageBlock(kind, passage)


def _has_title(item: PassageBlock) -> bool:
    clause = read_clause(f"{item.lines[0].marker} {item.lines[0].text}") if item.lines else None
    return clause is not None and clause.title != "" and not clause.alone
