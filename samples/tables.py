"""Ruled tables: hairlines around every cell, a tinted header that repeats after a page break."""

from html import escape
from typing import cast

from reportlab.lib.colors import Color
from reportlab.platypus import Paragraph, Table, TableStyle

from samples import fasteners
from samples.flowables import Pages, record
from samples.source import Book, pick_edition, read_toml
from samples.theme import CELL, CELL_RIGHT, HAIR, HEAD, HEAD_RIGHT, tint


class TableData:
    """A table of one edition: caption, heads, widths (points), alignment per column and the rows' texts."""

    def __init__(self, name: str, book: Book) -> None:
        self.name = name
        self.has_addresses = False
        if name == "fasteners":
            self.caption, self.heads, self.widths = fasteners.CAPTION, fasteners.HEADS, fasteners.WIDTHS
            self.align, self.rows = "llrrrrr", fasteners.fastener_rows(book.edition)
            return
        raw = cast("dict[str, object]", read_toml("tables.toml")[name])
        self.caption, self.heads = str(raw["caption"]), cast("list[str]", raw["heads"])
        self.widths, self.align = cast("list[int]", raw["widths"]), str(raw["align"])
        self.has_addresses = bool(raw.get("address"))
        self.rows = [row for cells in cast("list[list[str]]", raw["rows"]) if (row := _row(cells, book))]


def _row(cells: list[str], book: Book) -> list[str] | None:
    first = pick_edition(cells[0], book.edition)
    if first is None:
        return None
    return [first] + [book.cite(pick_edition(cell, book.edition) or "") for cell in cells[1:]]


def ruled_table(data: TableData, colour: Color, pages: Pages) -> Table:
    """The table as a flowable; rows whose first cell is an address record the page they land on."""
    body = [[_cell(data, row, column, pages) for column in range(len(row))] for row in data.rows]
    heads = [
        Paragraph(escape(head), HEAD if side == "l" else HEAD_RIGHT)
        for head, side in zip(data.heads, data.align, strict=True)
    ]
    table = Table([heads, *body], colWidths=data.widths, repeatRows=1, hAlign="LEFT", spaceAfter=12)
    table.setStyle(TableStyle([
        ("GRID", (0, 0), (-1, -1), 0.5, HAIR),
        ("BACKGROUND", (0, 0), (-1, 0), tint(colour, 0.13)),
        ("LINEBELOW", (0, 0), (-1, 0), 1.0, colour),
        ("VALIGN", (0, 0), (-1, 0), "BOTTOM"),
        ("VALIGN", (0, 1), (-1, -1), "MIDDLE"),
        ("TOPPADDING", (0, 0), (-1, -1), 2.3),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 3.6),
        ("LEFTPADDING", (0, 0), (-1, -1), 6),
        ("RIGHTPADDING", (0, 0), (-1, -1), 6),
    ]))  # fmt: skip
    return table


def _cell(data: TableData, row: list[str], column: int, pages: Pages) -> Paragraph:
    style = CELL if data.align[column] == "l" else CELL_RIGHT
    if column == 0 and data.has_addresses:
        return record(f"<b>{escape(row[0])}</b>", style, row[0], pages)
    return Paragraph(escape(row[column]), style)
