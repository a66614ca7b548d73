"""PDFs with tables whose truth is known exactly, because they are made here: from random grids, with a fixed seed.

Ruled, ruled off and unruled tables; merged cells, cells of several lines, header rows of two levels, tables over page
breaks with and without a repeated header, rows that a page break divides, sums of money with the sign in a place of its
own, labelled parts and indented labels; between paragraphs, and on pages of prose, lists, contents and references
that hold no table at all.
"""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph, Spacer
from reportlab.platypus import Table as DrawnTable

from tests.bench.tables_score import Cell, Table

SEED = 20261122
WORDS = (  # noqa: SIM905 a list of this length reads better so
    "annual balance capacity delivery engine factor gauge harbour index journal kestrel ledger margin "
    "network output pressure quarter reserve station turbine unit valve winter yield zone amber bracket "
    "coupling deposit estimate "
).split()
STYLES = ("ruled", "rules", "plain", "banded", "head-shaded")


class Made(NamedTuple):
    """A PDF, the tables of its pages, its whole tables (rows of all pages, the header once) and their header rows."""

    path: Path
    pages: int
    parts: list[Table]
    whole: list[Table]
    heads: list[int]


class _Recorded(DrawnTable):
    """Notes on drawing where it stands and what its cells hold; parts after a page break do so for themselves."""

    parts: list[Table]
    logical: list[list[int]]

    def split(self, availWidth: float, availHeight: float) -> Any:  # noqa: N803 reportlab's names
        found: Any = super().split(availWidth, availHeight)
        for part in found:
            part.parts, part.logical = self.parts, self.logical
        return found

    def draw(self) -> None:
        canvas: Any = self.canv
        x, y = canvas.absolutePosition(0, 0)
        own: Any = self
        box = (x, A4[1] - y - own._height, x + own._width, A4[1] - y)  # noqa: SLF001
        self.parts.append(Table(canvas.getPageNumber(), box, _cells(own._cellvalues, own._spanCmds, self.logical)))  # noqa: SLF001
        super().draw()


def _plain(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(_plain(one) for one in value)
    return value.getPlainText() if isinstance(value, Paragraph) else str(value or "")


def _cells(values: Sequence[Sequence[Any]], spans: Sequence[Any], logical: Sequence[Sequence[int]]) -> list[Cell]:
    """Cells of the drawn grid, the drawn columns that make one column of the table joined."""
    hidden: set[tuple[int, int]] = set()
    extent: dict[tuple[int, int], tuple[int, int]] = {}
    for _, (c0, r0), (c1, r1) in spans:
        hidden |= {(r, c) for r in range(r0, r1 + 1) for c in range(c0, c1 + 1)} - {(r0, c0)}
        extent[r0, c0] = (r1, c1)
    column_of = {drawn: index for index, group in enumerate(logical) for drawn in group}
    cells: dict[tuple[int, int], Cell] = {}
    for r, row in enumerate(values):
        for c, value in enumerate(row):
            if (r, c) in hidden:
                continue
            r1, c1 = extent.get((r, c), (r, c))
            key, text = (r, column_of[c]), _plain(value)
            if key in cells:
                cells[key] = cells[key]._replace(text=f"{cells[key].text} {text}".strip())
            else:
                cells[key] = Cell(r, column_of[c], text, r1 - r + 1, column_of[c1] - column_of[c] + 1)
    return list(cells.values())


class _Maker:
    """One document's story, drawn from one random source."""

    def __init__(self, source: random.Random, parts: list[Table]) -> None:
        self.random = source
        self.parts = parts
        self.whole: list[list[Cell]] = []
        self.heads: list[int] = []
        size = source.choice((7.5, 8.5, 9.5, 10.5))
        self.font = source.choice(("Helvetica", "Times-Roman"))
        self.bold = {"Helvetica": "Helvetica-Bold", "Times-Roman": "Times-Bold"}[self.font]
        self.cell = ParagraphStyle("cell", fontName=self.font, fontSize=size, leading=1.2 * size)
        self.head = ParagraphStyle("head", parent=self.cell, fontName=self.bold)
        self.body = ParagraphStyle("body", fontName=self.font, fontSize=10.5, leading=13.5, spaceAfter=7)
        self.title = ParagraphStyle("title", fontName=self.bold, fontSize=14, leading=18, spaceAfter=6, spaceBefore=8)

    def words(self, low: int, high: int) -> str:
        return " ".join(self.random.choice(WORDS) for _ in range(self.random.randint(low, high)))

    def prose(self, low: int = 25, high: int = 90) -> Paragraph:
        text = self.words(low, high)
        return Paragraph(f"{text.capitalize()}.", self.body)

    def heading(self) -> Paragraph:
        return Paragraph(self.words(2, 4).title(), self.title)

    def table(self, rows: int, style: str, kind: str, repeat: bool = True) -> Flowable:
        grid, spans, head, logical, bold = getattr(self, f"_{kind}")(rows)
        commands = _commands(style, head, len(grid), self.cell.fontSize, self.font, self.bold, bold)
        commands += [("SPAN", (c0, r0), (c1, r1)) for (c0, r0), (c1, r1) in spans]
        commands += [*self._alignment(kind, grid, head), ("NOSPLIT", (0, 0), (-1, head))]
        made = _Recorded(
            [[self._drawn(text, r < head or r in bold) for text in row] for r, row in enumerate(grid)],
            style=commands,
            repeatRows=head if repeat else 0,
            splitInRow=1 if kind == "wordy" and style == "ruled" else 0,
            colWidths=self._widths(grid, kind),
            spaceBefore=8,
            spaceAfter=10,
        )
        made.parts, made.logical = self.parts, logical
        drawn = [("SPAN", (c0, r0), (c1, r1)) for (c0, r0), (c1, r1) in spans]
        self.whole.append(_cells(grid, drawn, logical))
        self.heads.append(head)
        return made

    def _drawn(self, text: str, bold: bool) -> Any:
        long = len(text) > 24
        return Paragraph(text, self.head if bold else self.cell) if long else text

    def _widths(self, grid: Sequence[Sequence[str]], kind: str) -> list[float]:
        size = self.cell.fontSize
        widths: list[float] = []
        for column in zip(*grid, strict=True):
            longest = max(stringWidth(text, self.bold, size) for text in column if len(text) <= 24)
            wordy = kind == "wordy" and any(len(text) > 24 for text in column)
            widths.append(150.0 if wordy else longest + 13)
        if kind in ("money", "sections"):
            widths[0] = 170.0
        over = sum(widths) / 478
        return [w / over for w in widths] if over > 1 else widths

    def _alignment(self, kind: str, grid: Sequence[Sequence[str]], head: int) -> list[Any]:
        if kind == "money":
            signs = range(1, len(grid[0]), 2)
            return [
                *[("ALIGN", (c + 1, 0), (c + 1, -1), "RIGHT") for c in signs],
                *[("RIGHTPADDING", (c, 0), (c, -1), 1) for c in signs],
            ]
        if kind in ("numbers", "sections", "levels"):
            return [("ALIGN", (1, 0), (-1, -1), self.random.choice(("RIGHT", "CENTER", "RIGHT")))]
        return []

    def number(self) -> str:
        value = self.random.choice((self.random.randint(1, 99), self.random.randint(100, 999_999)))
        form = self.random.random()
        if form < 0.12:
            return f"({value:,})"
        if form < 0.24:
            return f"{value % 100}.{self.random.randint(0, 9)}%"
        return "\u2014" if form < 0.28 else f"{value:,}"

    def _numbers(self, rows: int) -> tuple[Any, ...]:
        count = self.random.randint(2, 6)
        grid = [[self.words(1, 1).title(), *(self.words(1, 2).title() for _ in range(count))]]
        for _ in range(rows):
            missing = self.random.random() < 0.15
            cells = [self.number() for _ in range(count)]
            if missing:
                cells[self.random.randrange(count)] = ""
            grid.append([self.words(1, 3).capitalize(), *cells])
        return grid, [], 1, [[c] for c in range(count + 1)], set[int]()

    def _sections(self, rows: int) -> tuple[Any, ...]:
        """Labels of parts on rows of their own, indented labels below them, a total in bold."""
        grid, spans, head, logical, _ = self._numbers(rows)
        body: list[list[str]] = []
        for index, row in enumerate(grid[1:]):
            if index % 4 == 0:
                body.append([f"{self.words(1, 2).capitalize()}:", *[""] * (len(row) - 1)])
            body.append(["\u00a0\u00a0\u00a0" + row[0], *row[1:]])
        total = ["Total", *(self.number() for _ in grid[0][1:])]
        return [grid[0], *body, total], spans, head, logical, {len(body) + 1}

    def _levels(self, rows: int) -> tuple[Any, ...]:
        """Two header rows, the upper one over pairs of columns."""
        pairs = self.random.randint(2, 3)
        upper = ["", *(text for _ in range(pairs) for text in (self.words(1, 1).title(), ""))]
        lower = [self.words(1, 1).title(), *(str(self.random.randint(2015, 2026)) for _ in range(2 * pairs))]
        grid = [upper, lower]
        grid += [[self.words(1, 3).capitalize(), *(self.number() for _ in range(2 * pairs))] for _ in range(rows)]
        spans = [((1 + 2 * p, 0), (2 + 2 * p, 0)) for p in range(pairs)]
        return grid, spans, 2, [[c] for c in range(2 * pairs + 1)], set[int]()

    def _money(self, rows: int) -> tuple[Any, ...]:
        """A currency sign in a place of its own before the first and last sums, as filings print them."""
        count = self.random.randint(2, 4)
        grid = [["", *(text for _ in range(count) for text in (f"{self.random.randint(2015, 2026)}", ""))]]
        for index in range(rows):
            sign = "$" if index in (0, rows - 1) else ""
            grid.append([self.words(1, 4).capitalize(), *(t for _ in range(count) for t in (sign, self.number()))])
        spans = [((1 + 2 * p, 0), (2 + 2 * p, 0)) for p in range(count)]
        logical = [[0], *([1 + 2 * p, 2 + 2 * p] for p in range(count))]
        return grid, spans, 1, logical, set[int]()

    def _wordy(self, rows: int) -> tuple[Any, ...]:
        """Cells of several lines in one or two columns."""
        count = self.random.randint(2, 4)
        grid = [[self.words(1, 1).title() for _ in range(count)]]
        for index in range(rows):
            cells = [self.words(5, 14).capitalize() if c % 2 else f"{self.words(1, 1)} {index}" for c in range(count)]
            grid.append(cells)
        return grid, [], 1, [[c] for c in range(count)], set[int]()

    def _merged(self, rows: int) -> tuple[Any, ...]:
        """A first column whose cells reach over several rows; only rules can show that."""
        count = self.random.randint(3, 5)
        grid = [[self.words(1, 1).title() for _ in range(count)]]
        spans: list[Any] = []
        at = 1
        while at <= rows:
            height = min(self.random.randint(1, 3), rows - at + 1)
            for offset in range(height):
                label = self.words(1, 2).title() if offset == 0 else ""
                grid.append([label, *(self.words(1, 2) if c == 1 else self.number() for c in range(1, count))])
            if height > 1:
                spans.append(((0, at), (0, at + height - 1)))
            at += height
        return grid, spans, 1, [[c] for c in range(count)], set[int]()


def _commands(style: str, head: int, rows: int, size: float, font: str, bold: str, heavy: set[int]) -> list[Any]:
    found: list[Any] = [
        ("FONTNAME", (0, 0), (-1, -1), font), ("FONTSIZE", (0, 0), (-1, -1), size),
        ("LEADING", (0, 0), (-1, -1), 1.2 * size), ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("FONTNAME", (0, 0), (-1, head - 1), bold), *[("FONTNAME", (0, r), (-1, r), bold) for r in heavy],
    ]  # fmt: skip
    if style == "ruled":
        found.append(("GRID", (0, 0), (-1, -1), 0.5, colors.black))
    if style == "rules":
        found += [
            ("LINEABOVE", (0, 0), (-1, 0), 1, colors.black), ("LINEBELOW", (0, head - 1), (-1, head - 1), 0.5,
            colors.black), ("LINEBELOW", (0, -1), (-1, -1), 1, colors.black),
        ]  # fmt: skip
    if style == "banded":
        found.append(("ROWBACKGROUNDS", (0, head), (-1, -1), [colors.whitesmoke, colors.white]))
    if style == "head-shaded":
        found += [
            ("BACKGROUND", (0, 0), (-1, head - 1), colors.lightgrey),
            ("LINEBELOW", (0, 0), (-1, -1), 0.25, colors.grey),
        ]
    return found


KINDS = {
    "ruled": ("numbers", "levels", "wordy", "merged", "sections"),
    "rules": ("numbers", "levels", "sections", "money"),
    "plain": ("numbers", "money", "sections"),
    "banded": ("numbers", "wordy", "money"),
    "head-shaded": ("numbers", "wordy", "levels"),
}


def make_documents(folder: Path, count: int = 24) -> list[Made]:
    """`count` documents with tables and a third as many without; the same at every call."""
    folder.mkdir(parents=True, exist_ok=True)
    source = random.Random(SEED)
    made = [
        _with_tables(folder / f"made-{index:02}.pdf", source, STYLES[index % len(STYLES)]) for index in range(count)
    ]
    return made + [_without(folder / f"none-{index:02}.pdf", source, index) for index in range(count // 3)]


def _with_tables(path: Path, source: random.Random, style: str) -> Made:
    parts: list[Table] = []
    maker = _Maker(source, parts)
    story: list[Flowable] = [maker.heading(), maker.prose()]
    for kind in source.sample(KINDS[style], k=2):
        rows = source.choice((3, 6, 12, 40)) if kind != "wordy" else source.choice((3, 6, 16))
        story += [maker.prose(), maker.table(rows, style, kind, repeat=source.random() < 0.7), maker.prose()]
        story += [maker.heading(), maker.prose()]
    pages = _build(path, story, 1)
    return Made(path, pages, parts, [Table(0, None, cells) for cells in maker.whole], maker.heads)


def _without(path: Path, source: random.Random, index: int) -> Made:
    maker = _Maker(source, [])
    story: list[Flowable] = [maker.heading()]
    if index % 4 == 0:
        story += [maker.prose(60, 120) for _ in range(14)]
    elif index % 4 == 1:
        story += [Paragraph(f"[{n}] {maker.words(3, 6).title()}. {maker.words(8, 20)}, 20{n:02}.", maker.body)
                  for n in range(1, 25)]  # fmt: skip
    elif index % 4 == 2:
        for n in range(1, 12):
            story += [Paragraph(f"{n}. {maker.words(10, 40).capitalize()}.", maker.body), maker.prose(15, 40)]
    else:
        for _ in range(5):
            story += [maker.heading(), maker.prose(), maker.prose(), Spacer(1, 8)]
            story += [Paragraph(f"\u2022 {maker.words(5, 25).capitalize()}", maker.body) for _ in range(5)]
    return Made(path, _build(path, story, 1 if index % 4 == 2 else 2), [], [], [])


def _build(path: Path, story: list[Flowable], columns: int) -> int:
    document = BaseDocTemplate(str(path), pagesize=A4, invariant=1)
    width = 490 / columns
    frames = [Frame(52 + i * (width + 6), 60, width - 6, 720) for i in range(columns)]
    document.addPageTemplates([PageTemplate(frames=frames)])
    document.build(story)
    return document.page
