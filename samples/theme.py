"""Measures, colours and paragraph styles that the rule book and the price list share. Lengths are points."""

from typing import Any

from reportlab.lib.colors import Color, HexColor
from reportlab.lib.enums import TA_LEFT, TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle

PAGE_WIDTH, PAGE_HEIGHT = A4
MARGIN = 70.0
TEXT_WIDTH = 455.0
TOP, BOTTOM = 84.0, 72.0
INDENT = 42.0
INK = HexColor("#1C2024")
GREY = HexColor("#6B7480")
HAIR = HexColor("#B9C0C7")


def tint(colour: Color, share: float) -> Color:
    """The colour mixed with white; `share` 1 is the colour itself."""
    red, green, blue = (1 - share * (1 - part) for part in colour.rgb())
    return Color(red, green, blue)


def _style(name: str, font: str, size: float, leading: float, **more: Any) -> ParagraphStyle:
    defaults: dict[str, Any] = {"textColor": INK, "allowWidows": 0, "allowOrphans": 0, "splitLongWords": 0}
    return ParagraphStyle(name, fontName=font, fontSize=size, leading=leading, **(defaults | more))


BODY = _style("body", "Serif", 10, 14, spaceAfter=6.4)
RULE = _style(
    "rule", "Serif", 10, 14, spaceAfter=6.8, leftIndent=INDENT, bulletFontName="Sans-Bold", bulletFontSize=9.4
)
ITEM1 = _style(
    "item1",
    "Serif",
    10,
    14,
    spaceAfter=3.6,
    leftIndent=INDENT + 20,
    bulletIndent=INDENT,
    bulletFontName="Serif",
    bulletFontSize=10,
)
ITEM2 = _style(
    "item2",
    "Serif",
    10,
    14,
    spaceAfter=3.6,
    leftIndent=INDENT + 42,
    bulletIndent=INDENT + 22,
    bulletFontName="Serif",
    bulletFontSize=10,
)
STEP = _style("step", "Serif", 10, 14, spaceAfter=5, leftIndent=20, bulletFontName="Serif", bulletFontSize=10)
TERM = _style("term", "Serif", 9.4, 12.9, spaceAfter=6.2)
PART = _style("part", "Sans-Bold", 23, 28, spaceAfter=20)
CHAPTER = _style("chapter", "Sans-Bold", 15.5, 20, spaceBefore=17, spaceAfter=7)
SECTION = _style("section", "Sans-Bold", 11.4, 15, spaceBefore=9, spaceAfter=5.5)
CAPTION = _style("caption", "Sans-Italic", 9, 12, textColor=GREY, spaceAfter=10)
TABLE_CAPTION = _style("tablecaption", "Sans-Bold", 9, 12, spaceBefore=5, spaceAfter=5)
CELL = _style("cell", "Sans", 8.9, 11.4)
CELL_RIGHT = _style("cellright", "Sans", 8.9, 11.4, alignment=TA_RIGHT)
HEAD = _style("head", "Sans-Bold", 8.7, 11.2, alignment=TA_LEFT)
HEAD_RIGHT = _style("headright", "Sans-Bold", 8.7, 11.2, alignment=TA_RIGHT)
NOTE = _style("note", "Sans", 9.4, 13.2)
FOOTNOTE = _style(
    "footnote", "Serif", 8.2, 10.6, leftIndent=9, bulletFontName="Serif", bulletFontSize=6.5, bulletOffsetY=-2.6
)
SUMMARY = _style(
    "summary", "Serif", 10, 14, spaceAfter=3.4, leftIndent=INDENT, bulletFontName="Sans-Bold", bulletFontSize=9.4
)
LABELLED = _style("labelled", "Sans", 9.6, 14)
SMALL = _style("small", "Sans", 8.6, 10.6)
SMALL_HEAD = _style("smallhead", "Sans-Bold", 8.3, 10.2)
SMALL_HEAD_RIGHT = _style("smallheadright", "Sans-Bold", 8.3, 10.2, alignment=TA_RIGHT)
SMALL_NOTE = _style("smallnote", "Sans", 8.6, 11.6, spaceAfter=4, textColor=GREY)
CONTENTS = [
    _style("toc0", "Sans-Bold", 10.6, 13, spaceBefore=8),
    _style("toc1", "Sans-Bold", 9.2, 12, spaceBefore=3, leftIndent=12),
    _style("toc2", "Serif", 9.2, 11.8, leftIndent=38),
]
