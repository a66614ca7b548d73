"""Opens e-mail: a message is a part (a long one several), its subject the heading. Places are offsets in the text that
is made of headers, bodies and the list of attachments, message after message."""

import codecs
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from datetime import date
from email.utils import parsedate_to_datetime
from itertools import groupby, takewhile
from pathlib import Path
from typing import Final

from shared.domain.geometry import TextRange
from shared.domain.operations import EngineChunkType
from shared.domain.page import PageFile
from shared.readers.blocks import (
    LINE,
    Block,
    CellBlock,
    GridBlock,
    HeadingBlock,
    LeftOutBlock,
    NewPart,
    PassageBlock,
    PlacedLine,
)
from shared.readers.formats import OLE
from shared.readers.mail.html_text import html_lines
from shared.readers.mail.messages import Attachment, Mail, Text, read_messages
from shared.readers.mail.quotes import BodyLine, kinds_of
from shared.readers.parted import PartedSource
from shared.readers.parts import parts_of
from shared.readers.typed.grid import grid_of
from shared.readers.typed.lines import TypedSpan, TypedTable
from shared.readers.typed.tables import typed_tables

EXTRACTOR_VERSION: Final = "mail-10"
TITLE_CHARACTERS: Final = 200
# A passage ends with the line that reaches this many characters.
PASSAGE_CHARACTERS: Final = 1_500


def open_mail(path: Path, _password: str | None) -> PartedSource:
    """Raises RefusedFile for a file that is no text, and for one with too many messages or parts."""
    return read_mail(path)[0]


def read_mail(path: Path) -> tuple[PartedSource, list[Mail], list[int]]:
    """The opened source, its messages, and the part in which each begins. Raises as `open_mail`."""
    mails = read_messages(_plain(path.read_bytes()))
    made = _Blocks()
    blocks = list(made.of(mails))
    first = mails[0] if len(mails) == 1 else None
    title = first.header("Subject")[:TITLE_CHARACTERS] if first else None
    parts = parts_of(blocks, EXTRACTOR_VERSION)
    source = PartedSource(parts, title or None, _day(first.header("Date")) if first else None)
    starts = [start for part in parts for start in (_start_of(part),) if start is not None]
    return source, mails, [max(1, bisect_right(starts, start)) for start in made.starts]


def _start_of(part: PageFile) -> int | None:
    place = part.fragments[0].place if part.fragments else None
    return place.start if isinstance(place, TextRange) else None


def _plain(data: bytes) -> bytes:
    """The file as it would be without a mark of its encoding; Outlook's as it was sent."""
    if data.startswith(OLE):
        from shared.readers.mail.outlook import as_mail

        return as_mail(data)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace").encode()
    return data.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")


def _day(said: str) -> date | None:
    try:
        return parsedate_to_datetime(said).date()
    except (ValueError, TypeError, OverflowError):
        return None


class _Blocks:
    """Makes the blocks and counts the characters that they have so far."""

    def __init__(self) -> None:
        self._at = 0
        self.starts: list[int] = []

    def of(self, mails: list[Mail]) -> Iterator[Block]:
        for mail in mails:
            self.starts.append(self._at)
            yield NewPart(mail.header("Subject")[:TITLE_CHARACTERS] or "(no subject)")
            yield from self._mail(mail, 1)

    def _mail(self, mail: Mail, depth: int) -> Iterator[Block]:
        if subject := mail.header("Subject"):
            yield HeadingBlock([self._line(subject)], depth)
        if mail.headers:
            lines = [self._line(f"{name}: {value}") for name, value in mail.headers]
            yield PassageBlock("list", lines, head="begins")
        files: list[Attachment] = []
        for piece in mail.content:
            match piece:
                case Text():
                    yield from self._body(piece, mail)
                case Attachment():
                    files.append(piece)
                case Mail():
                    yield from self._mail(piece, depth + 1)
        yield from self._passages([attachment_line(one) for one in files], "list")

    def _body(self, piece: Text, mail: Mail) -> Iterator[Block]:
        if piece.html:
            lines = [BodyLine(line.text, line.quoted, cell=line.cell) for line in html_lines(piece.text)]
        else:
            raw = [line[0].rstrip() for line in LINE.finditer(piece.text)]
            lines = [BodyLine(one.lstrip(), indent=len(one) - len(one.lstrip())) for one in raw]
        kinds = kinds_of(lines, mail.header("Subject"), mail.header("From"))
        for kind, run in groupby(zip(kinds, lines, strict=True), key=lambda one: one[0]):
            said = [line for _, line in run]
            if kind == "content":
                yield from self._content(said)
            else:
                yield LeftOutBlock(kind, [self._line(one.text) for one in said if one.text.strip()])

    def _content(self, lines: list[BodyLine]) -> Iterator[Block]:
        """Paragraphs, and the tables between them: those of HTML, and those whose columns are set with blanks, tabs or
        drawn lines."""
        for number, run in groupby(lines, key=lambda line: line.cell.table if line.cell else None):
            said = list(run)
            if number is not None:
                yield self._html_grid(said)
                continue
            at = 0
            for table in typed_tables([" " * line.indent + line.text for line in said]):
                yield from self._passages([line.text for line in said[at : table.first]])
                yield from self._grid(table, said)
                at = table.end
            yield from self._passages([line.text for line in said[at:]])

    def _html_grid(self, lines: list[BodyLine]) -> GridBlock:
        rows: dict[int, dict[int, CellBlock]] = {}
        starts = sorted({line.cell.column for line in lines if line.cell})
        for cell, run in groupby(lines, key=lambda line: line.cell):
            if cell:
                said = [self._line(line.text) for line in run]
                column = bisect_left(starts, cell.column)
                across = bisect_left(starts, cell.column + cell.col_span) - column
                rows.setdefault(cell.row, {})[column] = CellBlock(said, cell.row_span, across, cell.head)
        first, last, width = min(rows), max(rows), len(starts)
        grid = list(_filled(rows, range(first, last + 1), width))
        heads = sum(1 for _ in takewhile(lambda row: all(cell.heads for cell in row if cell.lines), grid))
        return GridBlock(grid, heads if 0 < heads < len(grid) else 1, guessed=heads == 0)

    def _grid(self, table: TypedTable, lines: list[BodyLine]) -> Iterator[Block]:
        """The table, and what it is drawn with."""
        drawn: list[PlacedLine] = []
        cells: dict[TypedSpan, PlacedLine] = {}
        spans = sorted(span for row in table.rows for cell in row for span in cell.spans)
        for number in range(table.first, table.end):
            if text := lines[number].text:
                start, self._at = self._at, self._at + len(text) + 1
                own = [(span, span.start - lines[number].indent) for span in spans if span.line == number]
                cells |= {span: _part(text, start, at, at + span.end - span.start) for span, at in own}
                edges = [0, *(x for span, at in own for x in (at, at + span.end - span.start)), len(text)]
                drawn += [_part(text, start, a, b) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        yield grid_of(table, cells.__getitem__)
        yield LeftOutBlock("decoration", [one for one in drawn if one.text])

    def _passages(self, lines: list[str], kind: EngineChunkType = "text") -> Iterator[PassageBlock]:
        """Paragraphs, parted by blank lines."""
        passage: list[PlacedLine] = []
        length = 0
        for text in [*lines, ""]:
            if passage and (not text.strip() or length >= PASSAGE_CHARACTERS):
                yield PassageBlock(kind, passage)
                passage, length = [], 0
            if text.strip():
                passage.append(self._line(text))
                length += len(text)

    def _line(self, text: str) -> PlacedLine:
        start = self._at
        self._at += len(text) + 1
        return PlacedLine(text, TextRange(start=start, end=start + len(text)))


def _filled(rows: Mapping[int, Mapping[int, CellBlock]], numbers: range, width: int) -> Iterator[list[CellBlock]]:
    """The cells of the rows with empty ones where they have none, but for places that cells reach into."""
    below: dict[int, int] = {}  # by column the row up to which a cell reaches
    for number in numbers:
        own = rows.get(number, {})
        taken = {column for column, end in below.items() if end > number}
        for column, cell in own.items():
            covered = range(column, column + cell.col_span)
            taken |= {*covered[1:]}
            below |= dict.fromkeys(covered, number + cell.row_span)
        yield [own.get(column, CellBlock()) for column in range(width) if column not in taken]


def _part(text: str, begin: int, start: int, end: int) -> PlacedLine:
    """What is printed between two places of a line that begins at `begin`."""
    printed = text[start:end].strip()
    at = begin + start + len(text[start:end]) - len(text[start:end].lstrip())
    return PlacedLine(printed, TextRange(start=at, end=at + len(printed)))


def attachment_line(file: Attachment) -> str:
    size = "" if file.size is None else f", {file.size:,} bytes"
    return f"Attachment: {file.name} ({file.media_type}{size})"
