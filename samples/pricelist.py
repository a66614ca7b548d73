"""Typesets the price list of an invented compressor dealer: labelled lines, a long ruled table, an unruled one."""

import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from reportlab.lib.colors import HexColor, white
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    KeepTogether,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

from samples import theme
from samples.figures_machine import draw_machine
from samples.flowables import Drawing, NoteBox, Pages, record
from samples.theme import GREY, HAIR, PAGE_HEIGHT, PAGE_WIDTH, tint

COLOUR = HexColor("#0F5C5A")
_LEFT, _WIDTH = 52.0, 491.0
_HORSEPOWER = {
    1.5: "2", 2.2: "3", 4.0: "5", 5.5: "7.5", 7.5: "10", 11.0: "15", 15.0: "20", 18.5: "25",
    22.0: "30", 30.0: "40", 37.0: "50", 45.0: "60", 55.0: "75", 75.0: "100", 90.0: "125",
}  # fmt: skip
_HEADS = ("Model", "Type", "Lubrication", "hp", "kW", "cfm", "psi", "bar", "dB(A)", "Price (EUR)", "Lead time")
_COLUMNS = (50, 84, 60, 30, 32, 38, 30, 32, 35, 52, 48)


class PriceList:
    """`build` writes the PDF; `gold` states text and page of every product row."""

    def __init__(self) -> None:
        self.data: dict[str, Any] = tomllib.loads((Path(__file__).parent / "pricelist.toml").read_text("utf-8"))
        self.pages: Pages = Pages(set)
        self.rows = [format_product(row) for row in self.data["products"]["rows"]]

    def build(self, folder: Path) -> Path:
        """Write the PDF into `folder`."""
        path = folder / self.data["file"]
        document = BaseDocTemplate(
            str(path), pagesize=(PAGE_WIDTH, PAGE_HEIGHT), invariant=1, author=self.data["dealer"],
            creator="samples/build.py", title=f"{self.data['dealer']} – {self.data['title']}", lang="en-GB",
        )  # fmt: skip
        first = Frame(_LEFT, 70, _WIDTH, PAGE_HEIGHT - 70 - 188, 0, 0, 0, 0)
        later = Frame(_LEFT, 70, _WIDTH, PAGE_HEIGHT - 70 - 84, 0, 0, 0, 0)
        document.addPageTemplates([
            PageTemplate("first", [first], onPage=self._draw_letterhead),
            PageTemplate("later", [later], onPage=self._draw_furniture),
        ])  # fmt: skip
        document.build([*self._first_page(), *self._product_pages(), *self._terms()])
        return path

    def gold(self) -> list[dict[str, object]]:
        """One entry per product; its model code stands in the place of the address."""
        return [
            {
                "file": self.data["file"],
                "kind": "product",
                "address": row[0],
                "title": None,
                "text": " ".join(row),
                "pages": sorted(self.pages[row[0]]),
            }
            for row in self.rows
        ]

    def _first_page(self) -> Iterator[Flowable]:
        yield NextPageTemplate("later")
        for text in self.data["intro"]:
            yield Paragraph(escape(text), theme.BODY)
        yield Spacer(0, 8)
        for index, machine in enumerate(self.data["featured"]):
            yield KeepTogether([self._featured(machine, index)])
            yield Spacer(0, 16)

    def _featured(self, machine: dict[str, Any], index: int) -> Flowable:
        texts = [Paragraph(escape(machine["name"]), theme.SECTION), Paragraph(escape(machine["blurb"]), theme.BODY)]
        texts += [Paragraph(escape(line), theme.LABELLED) for line in machine["lines"]]
        drawing = Drawing(150, 130, lambda canvas: draw_machine(canvas, COLOUR, index))
        box = Table([[texts, drawing]], colWidths=[_WIDTH - 176, 176])
        box.setStyle(
            TableStyle(
                [
                    ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
                    ("LEFTPADDING", (0, 0), (-1, -1), 0),
                    ("LINEABOVE", (0, 0), (-1, 0), 1.2, COLOUR),
                ]
            )
        )
        return box

    def _product_pages(self) -> Iterator[Flowable]:
        yield PageBreak()
        yield Paragraph("Compressors", theme.CHAPTER)
        heads = [
            Paragraph(escape(head), theme.SMALL_HEAD if column < 3 or column == 10 else theme.SMALL_HEAD_RIGHT)
            for column, head in enumerate(_HEADS)
        ]
        body = [[record(f"<b>{row[0]}</b>", theme.SMALL, row[0], self.pages), *row[1:]] for row in self.rows]
        table = Table([heads, *body], colWidths=_COLUMNS, repeatRows=1, spaceAfter=10)
        table.setStyle(_product_style())
        yield table
        for note in self.data["notes"]:
            yield Paragraph(escape(note), theme.SMALL_NOTE)

    def _terms(self) -> Iterator[Flowable]:
        rows = [["Code", "Accessory", "Price (EUR)"], *self.data["accessories"]["rows"]]
        table = Table(rows, colWidths=[80, 290, 80], hAlign="LEFT", spaceAfter=14)
        table.setStyle(TableStyle([
            ("FONT", (0, 0), (-1, -1), "Sans", 9), ("FONT", (0, 0), (-1, 0), "Sans-Bold", 9),
            ("ALIGN", (2, 0), (2, -1), "RIGHT"), ("LEFTPADDING", (0, 0), (-1, -1), 0),
            ("TOPPADDING", (0, 0), (-1, -1), 1.6), ("BOTTOMPADDING", (0, 0), (-1, -1), 2.4),
        ]))  # fmt: skip
        yield KeepTogether([Paragraph("Accessories", theme.CHAPTER), table])
        yield Paragraph("Terms of sale", theme.CHAPTER)
        for number, (title, text) in enumerate(self.data["terms"], start=1):
            yield Paragraph(f"<b>{escape(title)}.</b> {escape(text)}", theme.STEP, bulletText=f"{number}.")
        reminder = Paragraph(
            "<b>Ask for the energy audit.</b> We measure your consumption for ten days at no charge "
            "and size the machine to the profile.",
            theme.NOTE,
        )
        yield NoteBox(reminder, tint(COLOUR, 0.09), COLOUR)

    def _draw_letterhead(self, canvas: Canvas, _: object) -> None:
        canvas.setFillColor(COLOUR)
        canvas.rect(0, PAGE_HEIGHT - 118, PAGE_WIDTH, 118, stroke=0, fill=1)
        canvas.setFillColor(white)
        canvas.setFont("Sans-Bold", 30)
        canvas.drawString(_LEFT, PAGE_HEIGHT - 64, self.data["dealer"])
        canvas.setFont("Sans-Light", 13)
        canvas.drawString(_LEFT, PAGE_HEIGHT - 86, self.data["tagline"])
        canvas.setFillColor(theme.INK)
        canvas.setFont("Sans-Bold", 22)
        canvas.drawString(_LEFT, PAGE_HEIGHT - 154, self.data["title"])
        canvas.setFillColor(GREY)
        canvas.setFont("Sans", 9.4)
        canvas.drawString(_LEFT, PAGE_HEIGHT - 170, self.data["valid"])
        self._draw_foot(canvas)

    def _draw_furniture(self, canvas: Canvas, _: object) -> None:
        canvas.setFillColor(GREY)
        canvas.setFont("Sans", 8.4)
        canvas.drawString(_LEFT, PAGE_HEIGHT - 48, f"{self.data['dealer']} — {self.data['title']}")
        canvas.setStrokeColor(HAIR)
        canvas.setLineWidth(0.6)
        canvas.line(_LEFT, PAGE_HEIGHT - 56, _LEFT + _WIDTH, PAGE_HEIGHT - 56)
        self._draw_foot(canvas)

    def _draw_foot(self, canvas: Canvas) -> None:
        canvas.setFillColor(GREY)
        canvas.setFont("Sans", 8.4)
        canvas.drawString(_LEFT, 42, self.data["address"])
        canvas.drawRightString(_LEFT + _WIDTH, 42, str(canvas.getPageNumber()))


def format_product(row: list[Any]) -> list[str]:
    """The eleven cells as printed: hp from the standard motor sizes, bar from psi, price with thousands separators."""
    model, build, lubrication, kilowatt, cfm, psi, sound, price, lead = row
    capacity = f"{cfm:.0f}" if cfm >= 100 else f"{cfm:.1f}"
    return [
        model,
        build,
        lubrication,
        _HORSEPOWER[kilowatt],
        f"{kilowatt:.1f}",
        capacity,
        str(psi),
        f"{psi / 14.504:.1f}",
        str(sound),
        f"{price:,}",
        lead,
    ]


def _product_style() -> TableStyle:
    return TableStyle([
        ("FONT", (0, 1), (-1, -1), "Sans", 8.6),
        ("GRID", (0, 0), (-1, -1), 0.5, HAIR),
        ("BACKGROUND", (0, 0), (-1, 0), tint(COLOUR, 0.13)),
        ("LINEBELOW", (0, 0), (-1, 0), 1.0, COLOUR),
        ("ALIGN", (3, 1), (9, -1), "RIGHT"),
        ("VALIGN", (0, 0), (-1, 0), "BOTTOM"),
        ("VALIGN", (0, 1), (-1, -1), "MIDDLE"),
        ("TOPPADDING", (0, 0), (-1, -1), 2.7),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 4.0),
        ("LEFTPADDING", (0, 0), (-1, -1), 4.5),
        ("RIGHTPADDING", (0, 0), (-1, -1), 4.5),
    ])  # fmt: skip
