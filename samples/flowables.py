"""Flowables that know where they were set: the gold file states the page each rule really landed on."""

# The names of the methods and their arguments are reportlab’s.
# ruff: noqa: N802, N803

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from reportlab.lib.colors import Color
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph

from samples.theme import HAIR

Pages = defaultdict[str, set[int]]


class Recorded(Paragraph):
    """A paragraph that notes in `pages[key]` each page it is drawn on, its continuation after a break included."""

    key: str
    pages: Pages

    def split(self, availWidth: float, availHeight: float) -> list[Any]:
        parts: list[Any] = super().split(availWidth, availHeight)
        for part in parts:
            part.key, part.pages = self.key, self.pages
        return parts

    def draw(self) -> None:
        self.pages[self.key].add(self.canv.getPageNumber())
        super().draw()


def record(text: str, style: ParagraphStyle, key: str, pages: Pages, bullet: str | None = None) -> Recorded:
    """A recorded paragraph; Paragraph splits itself by its own constructor, hence not an __init__."""
    paragraph = Recorded(text, style, bulletText=bullet)
    paragraph.key, paragraph.pages = key, pages
    return paragraph


class Heading(Paragraph):
    """A heading with its entry in the printed contents and in the PDF outline."""

    def __init__(self, text: str, style: ParagraphStyle, level: int, name: str, key: str) -> None:
        super().__init__(text, style)
        self.level, self.name, self.key = level, name, key
        self.pages: Pages | None = None

    def split(self, availWidth: float, availHeight: float) -> list[Any]:
        return []

    def draw(self) -> None:
        super().draw()
        if self.pages is not None:
            self.pages[self.key].add(self.canv.getPageNumber())
        self.canv.bookmarkHorizontal(self.key, 0, self.height + 6)
        self.canv.addOutlineEntry(self.name, self.key, self.level, closed=self.level > 0)


class Footnote(Flowable):
    """Sets a note at the foot of the page on which `companion`, the paragraph that follows, begins.

    It has no height of its own: it lifts the bottom of the frame instead, and asks for a new page
    where companion and note do not fit together, so that mark and note never part.
    """

    def __init__(self, note: Paragraph, companion: Paragraph) -> None:
        super().__init__()
        self.note, self.companion = note, companion
        self.frame: Any = None

    def wrap(self, aW: float, aH: float) -> tuple[float, float]:
        self.frame = self._frame  # pyrefly: ignore[missing-attribute] reportlab sets it
        self.note_height = self.note.wrap(aW, aH)[1]
        needed = self.companion.wrap(aW, aH)[1] + self.note_height + 14
        return 0, (0 if needed <= aH else aH + 1)

    def split(self, availWidth: float, availHeight: float) -> list[Any]:
        return []

    def drawOn(self, canvas: Canvas, x: float, y: float, _sW: float = 0) -> None:
        bottom = self.frame._y1p  # noqa: SLF001 reportlab’s
        self.note.drawOn(canvas, x, bottom)
        canvas.setStrokeColor(HAIR)
        canvas.setLineWidth(0.5)
        canvas.line(x, bottom + self.note_height + 4, x + 110, bottom + self.note_height + 4)
        self.frame._y1p = bottom + self.note_height + 12  # noqa: SLF001 reportlab’s


class Drawing(Flowable):
    """A figure: `draw_on(canvas)` draws in a box of `width` × `height` points, origin bottom left."""

    def __init__(self, width: float, height: float, draw_on: Callable[[Canvas], None]) -> None:
        super().__init__()
        self.width, self.height, self.draw_on = width, height, draw_on

    def wrap(self, aW: float, aH: float) -> tuple[float, float]:
        return self.width, self.height

    def draw(self) -> None:
        self.draw_on(self.canv)


class NoteBox(Flowable):
    """A highlighted box around one paragraph."""

    def __init__(self, paragraph: Paragraph, fill: Color, edge: Color) -> None:
        super().__init__()
        self.paragraph, self.fill, self.edge = paragraph, fill, edge
        self.spaceBefore, self.spaceAfter = 8, 12

    def wrap(self, aW: float, aH: float) -> tuple[float, float]:
        self.width = aW
        self.height = self.paragraph.wrap(aW - 30, aH)[1] + 20
        return aW, self.height

    def draw(self) -> None:
        self.canv.setFillColor(self.fill)
        self.canv.rect(0, 0, self.width, self.height, stroke=0, fill=1)
        self.canv.setFillColor(self.edge)
        self.canv.rect(0, 0, 3, self.height, stroke=0, fill=1)
        self.paragraph.drawOn(self.canv, 16, 11)
