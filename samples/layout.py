"""The rule book's pages: cover, running headers and footers, one- and two-column frames."""

# The names of the methods and their arguments are reportlab’s.
# ruff: noqa: N802

from collections.abc import Sequence
from typing import Any

from reportlab.lib.colors import HexColor, white
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate

from samples.flowables import Heading, Pages
from samples.theme import BOTTOM, GREY, HAIR, MARGIN, PAGE_HEIGHT, PAGE_WIDTH, TEXT_WIDTH, TOP, tint

_GUTTER = 21.0


class Edition:
    """What the furniture of an edition prints: year, dates, titles, accent colour."""

    def __init__(self, year: str, facts: dict[str, Any]) -> None:
        self.year, self.title, self.subtitle = year, str(facts["title"]), str(facts["subtitle"])
        self.publisher = str(facts["publisher"])
        own = facts[year]
        self.file, self.issued, self.force = str(own["file"]), str(own["issued"]), str(own["force"])
        self.changes: list[dict[str, str]] = own.get("changes", [])
        self.colour = HexColor(own["colour"])


class RuleBookTemplate(BaseDocTemplate):
    """Lays the story out several times until contents and page total agree."""

    def __init__(self, path: str, edition: Edition, pages: Pages) -> None:
        super().__init__(
            path, pagesize=(PAGE_WIDTH, PAGE_HEIGHT), invariant=1, author=edition.publisher, creator="samples/build.py",
            title=f"{edition.title} – {edition.subtitle} {edition.year}",
            subject=f"{edition.year} edition", lang="en-GB",
        )  # fmt: skip
        self.edition, self.pages, self.running = edition, pages, ""
        self.total = self.counted = 0
        self.addPageTemplates([
            PageTemplate("cover", [_frame()], onPage=self._draw_cover),
            PageTemplate("text", [_frame()], onPage=_reset_frames, onPageEnd=self._draw_furniture),
            PageTemplate("columns", _columns(), onPage=_reset_frames, onPageEnd=self._draw_furniture),
        ])  # fmt: skip

    def beforeDocument(self) -> None:
        self.total, self.counted, self.running = self.counted, 0, ""
        self.pages.clear()

    def afterPage(self) -> None:
        self.counted = self.page

    def afterFlowable(self, flowable: Any) -> None:
        if isinstance(flowable, Heading):
            self.notify("TOCEntry", (flowable.level, flowable.name, self.page, flowable.key))
            if flowable.level == 0:
                self.running = flowable.name

    def _draw_furniture(self, canvas: Canvas, _: object) -> None:
        canvas.saveState()
        canvas.setFillColor(GREY)
        canvas.setFont("Sans", 8.4)
        canvas.drawString(MARGIN, PAGE_HEIGHT - 50, f"{self.edition.title} — {self.edition.subtitle}")
        canvas.drawRightString(MARGIN + TEXT_WIDTH, PAGE_HEIGHT - 50, self.running)
        canvas.drawString(MARGIN, 42, f"{self.edition.year} edition · issued {self.edition.issued}")
        canvas.drawRightString(MARGIN + TEXT_WIDTH, 42, f"Page {canvas.getPageNumber()} of {self.total}")
        canvas.setStrokeColor(HAIR)
        canvas.setLineWidth(0.6)
        canvas.line(MARGIN, PAGE_HEIGHT - 58, MARGIN + TEXT_WIDTH, PAGE_HEIGHT - 58)
        canvas.line(MARGIN, 56, MARGIN + TEXT_WIDTH, 56)
        canvas.restoreState()

    def _draw_cover(self, canvas: Canvas, _: object) -> None:
        colour = self.edition.colour
        canvas.setFillColor(colour)
        canvas.rect(0, 0, PAGE_WIDTH, PAGE_HEIGHT, stroke=0, fill=1)
        _draw_wing(canvas, [tint(colour, share) for share in (0.86, 0.74, 0.62, 0.5, 0.38)])
        canvas.setFillColor(white)
        canvas.setFont("Sans-Bold", 46)
        canvas.drawString(MARGIN, 640, self.edition.title)
        canvas.setFont("Sans-Light", 21)
        canvas.drawString(MARGIN, 606, self.edition.subtitle)
        canvas.setFont("Sans-Bold", 74)
        canvas.drawString(MARGIN - 4, 160, self.edition.year)
        canvas.setFont("Sans", 11)
        canvas.drawString(MARGIN, 128, f"{self.edition.publisher} · issued {self.edition.issued}")
        canvas.drawString(MARGIN, 111, self.edition.force)


def _draw_wing(canvas: Canvas, shades: Sequence[Any]) -> None:
    """Five feathers of a stooping kestrel, or five racing lines through one bend."""
    for index, shade in enumerate(shades):
        drop = index * 46
        path = canvas.beginPath()
        path.moveTo(0, 500 - drop)
        path.curveTo(190, 545 - drop, 350, 470 - drop * 0.8, PAGE_WIDTH, 560 - drop * 1.25)
        path.lineTo(PAGE_WIDTH, 528 - drop * 1.25)
        path.curveTo(350, 432 - drop * 0.8, 190, 505 - drop, 0, 462 - drop)
        path.close()
        canvas.setFillColor(shade)
        canvas.drawPath(path, stroke=0, fill=1)


def _frame() -> Frame:
    return Frame(MARGIN, BOTTOM, TEXT_WIDTH, PAGE_HEIGHT - TOP - BOTTOM, 0, 0, 0, 0, id="text")


def _columns() -> list[Frame]:
    height, head = PAGE_HEIGHT - TOP - BOTTOM, 34.0
    width = (TEXT_WIDTH - _GUTTER) / 2
    title = Frame(MARGIN, BOTTOM + height - head, TEXT_WIDTH, head, 0, 0, 0, 0, id="title")
    sides = [
        Frame(MARGIN + side * (width + _GUTTER), BOTTOM, width, height - head, 0, 0, 0, 0, id=f"column{side}")
        for side in (0, 1)
    ]
    return [title, *sides]


def _reset_frames(_: Canvas, document: Any) -> None:
    """Undo what footnotes of an earlier page took from the bottom of the frame."""
    for frame in document.pageTemplate.frames:
        frame._geom()  # noqa: SLF001 reportlab’s
