"""Typesets one edition of the Kestrel Cup rule book and reports where each rule was set."""

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any, cast

from reportlab.platypus import (
    CondPageBreak,
    Flowable,
    FrameBreak,
    KeepTogether,
    NextPageTemplate,
    PageBreak,
    Paragraph,
    Spacer,
    TableStyle,
)
from reportlab.platypus.tableofcontents import TableOfContents

from samples import theme
from samples.figures import make_figure
from samples.flowables import Footnote, Heading, NoteBox, Pages, record
from samples.layout import Edition, RuleBookTemplate
from samples.source import Block, Book, plain, read_book, read_toml
from samples.tables import TableData, ruled_table

Gold = dict[str, object]


_UNITS = "mm|kg|kW|kN|km|km/h|cm²|cm³|g/cm³|bar|m|m/s|rpm|Hz|V|s|MJ|N|g|ms|%|°C|×|litres|inches"
_UNIT_GAP = re.compile(rf"(?<=\d) (?=(?:{_UNITS})(?:\W|$))|(?<=×) (?=\d)|(?<=EUR) (?=\d)")


class RuleBook:
    """One edition: `build` writes the PDF, `gold` then states address, text and pages of every rule."""

    def __init__(self, year: str) -> None:
        self.book: Book = read_book(year)
        self.edition = Edition(year, cast("dict[str, Any]", read_toml("editions.toml")))
        self.pages: Pages = Pages(set)
        self.tables: list[TableData] = []
        self.notes = 0
        self.in_columns = False

    def build(self, folder: Path) -> Path:
        """Write the PDF into `folder`; the same source and libraries give the same bytes."""
        path = folder / self.edition.file
        story = [*self._front(), *(flowable for block in self.book.blocks for flowable in self._set(block))]
        RuleBookTemplate(str(path), self.edition, self.pages).multiBuild(story)
        return path

    def gold(self) -> list[Gold]:
        """One entry per part, chapter, section and rule, and per table row that begins with an address."""
        entries = [self._entry(block) for block in self.book.blocks if block.address]
        for table in self.tables:
            if table.has_addresses:
                entries += [self._line("row", row[0], None, " ".join(row), row[0]) for row in table.rows]
        return entries

    def _entry(self, block: Block) -> Gold:
        address = block.address or ""
        if block.kind == "rule":
            return self._line("rule", address, None, plain(block), address)
        title = block.text.split(" ", 1)[1] if block.kind == "part" else block.text
        return self._line(block.kind, address, title, title, address)

    def _line(self, kind: str, address: str, title: str | None, text: str, key: str) -> Gold:
        return {
            "file": self.edition.file,
            "kind": kind,
            "address": address,
            "title": title,
            "text": text,
            "pages": sorted(self.pages[key]),
        }

    def _front(self) -> Iterator[Flowable]:
        yield NextPageTemplate("text")
        yield PageBreak()
        yield Paragraph("Contents", theme.PART)
        contents = TableOfContents(levelStyles=[*theme.CONTENTS], dotsMinLevel=1)
        contents.tableStyle = TableStyle(
            [
                ("TOPPADDING", (0, 0), (-1, -1), 0),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 0.6),
                ("LEFTPADDING", (0, 0), (-1, -1), 0),
                ("RIGHTPADDING", (0, 0), (-1, -1), 0),
            ]
        )
        yield contents
        if self.edition.changes:
            yield from self._summary()

    def _summary(self) -> Iterator[Flowable]:
        yield PageBreak()
        yield Paragraph("Summary of changes", theme.PART)
        yield Paragraph(
            "This page lists the principal changes from the 2025 edition. It is provided for convenience; where it "
            "differs from an article, the article prevails. Numbers are those of the 2026 edition unless stated "
            "otherwise.",
            theme.BODY,
        )
        for kind, heading in (("new", "New"), ("changed", "Changed"), ("removed", "Removed")):
            yield Paragraph(heading, theme.SECTION)
            for change in self.edition.changes:
                if change["kind"] == kind:
                    name = self.book.names.get(change["rule"], change["rule"])
                    yield Paragraph(escape(change["text"]), theme.SUMMARY, bulletText=name)

    def _set(self, block: Block) -> Iterator[Flowable]:
        match block.kind:
            case "part":
                yield from self._part(block)
            case "chapter" | "section":
                yield from self._heading(block)
            case "rule":
                yield from self._rule(block)
            case "note":
                title, text = block.text.split(". ", 1)
                inner = Paragraph(f"<b>{escape(title)}.</b> {escape(text)}", theme.NOTE)
                yield NoteBox(inner, theme.tint(self.edition.colour, 0.09), self.edition.colour)
            case "directive":
                yield from self._directive(block)
            case _:
                yield self._prose(block)

    def _part(self, block: Block) -> Iterator[Flowable]:
        yield NextPageTemplate("text")
        yield PageBreak() if block.address or block.text.startswith("Appendix 1") else Spacer(0, 24)
        name = block.text if block.address is None else f"Part {block.text[0]} — {block.text[2:]}"
        yield self._title(name, theme.PART, 0, block.address or name)

    def _heading(self, block: Block) -> Iterator[Flowable]:
        level = 1 if block.kind == "chapter" else 2
        name = f"{block.address} {block.text}"
        if block.text == "Definitions":
            yield NextPageTemplate("columns")
            yield PageBreak()
        else:
            yield CondPageBreak(112 if level == 1 else 76)
        yield self._title(name, theme.CHAPTER if level == 1 else theme.SECTION, level, block.address or name)

    def _title(self, name: str, style: Any, level: int, key: str) -> Heading:
        heading = Heading(escape(name), style, level, name, key)
        heading.pages = self.pages
        return heading

    def _rule(self, block: Block) -> Iterator[Flowable]:
        address = block.address or ""
        text = _bind_units(escape(re.sub(r"\^\[.*?\]", "\x01", block.text)))
        if block.footnotes:
            self.notes += 1
            text = text.replace("\x01", f'<super rise="3.4" size="6.5">{self.notes}</super>')
        paragraph = record(text, theme.RULE, address, self.pages, bullet=address)
        for note in block.footnotes:
            yield Footnote(Paragraph(escape(note), theme.FOOTNOTE, bulletText=str(self.notes)), paragraph)
        yield paragraph
        for item in block.items:
            style = theme.ITEM1 if item.level == 1 else theme.ITEM2
            yield record(_bind_units(escape(item.text)), style, address, self.pages, bullet=item.label)

    def _directive(self, block: Block) -> Iterator[Flowable]:
        verb, _, rest = block.text.partition(" ")
        if verb == "table":
            yield from self._table(rest)
        elif verb == "figure":
            name, caption = rest.split(" | ")
            drawing = make_figure(name, self.edition.year, self.edition.colour)
            under = Paragraph(f"{self.book.names[f'fig:{name}']} — {escape(caption)}", theme.CAPTION)
            yield KeepTogether([Spacer(0, 8), drawing, Spacer(0, 6), under])
        elif verb == "columns":
            self.in_columns = True
            yield FrameBreak()
        else:
            self.in_columns = False
            yield NextPageTemplate("text")
            yield PageBreak()

    def _table(self, name: str) -> Iterator[Flowable]:
        data = TableData(name, self.book)
        self.tables.append(data)
        caption = Paragraph(f"{self.book.names[f'tab:{name}']} — {escape(data.caption)}", theme.TABLE_CAPTION)
        table = ruled_table(data, self.edition.colour, self.pages)
        if len(data.rows) > 20:
            yield CondPageBreak(170)
            yield from (caption, table)
        else:
            yield KeepTogether([caption, table])

    def _prose(self, block: Block) -> Flowable:
        step = re.match(r"(\d+\.) (.*)", block.text)
        if step:
            return Paragraph(escape(step[2]), theme.STEP, bulletText=step[1])
        marked = re.sub(r"\*\*(.*?)\*\*", r"<b>\1</b>", escape(block.text))
        return Paragraph(marked, theme.TERM if self.in_columns else theme.BODY)


def _bind_units(text: str) -> str:
    """A number and its unit never part at the end of a line (no-break space, as in any typeset book)."""
    return _UNIT_GAP.sub("\u00a0", text)
