"""PDFs with tables of the kinds that are hard to see, drawn cell by cell: their truth is exact, because it is what drew
them.

Each kind is drawn with random fonts, sizes, paddings, alignments, words and decimal styles. `SEED` is for development;
`HELD_SEED` for reporting only: nobody looks at what goes wrong there.
"""

import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from reportlab.lib.pagesizes import A4, LETTER
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from tests.bench.tables_gold import Gold
from tests.bench.tables_score import Cell, Table
from tests.bench.tables_words import LANGUAGES

SEED, HELD_SEED = 20261123, 731
FONTS = (("Helvetica", "Helvetica-Bold"), ("Times-Roman", "Times-Bold"))
Row = list[str]


class Grid(NamedTuple):
    """Texts by row and column (a line feed wraps a cell); the first `head` rows are the header. `spans` maps the place
    of a merged cell to its width in columns; `groups` are the rows that begin a group."""

    rows: list[Row]
    head: int
    spans: dict[tuple[int, int], int]
    groups: list[int]


class Look(NamedTuple):
    """How a table is drawn: `lines` names the rules, `aligns` is one of l, r, c per column; `gap` pads a cell.

    `ruled` are the columns with a rule on their left, where not all of them have one.
    """

    lines: frozenset[str]
    aligns: str
    gap: float
    pad: float
    leaders: bool = False
    ruled: frozenset[int] | None = None


class Pen:
    """One PDF that is being drawn, and the tables that are on its pages so far."""

    def __init__(self, path: Path, source: random.Random) -> None:
        self.path, self.random = path, source
        self.width, self.height = source.choice((A4, LETTER))
        self.canvas: Any = Canvas(str(path), pagesize=(self.width, self.height), invariant=1)
        self.font, self.bold = source.choice(FONTS)
        self.size = source.choice((7.0, 8.0, 9.0, 10.0))
        self.leading = self.size * source.uniform(1.12, 1.35)
        self.words, self.decimal = LANGUAGES[source.choice(sorted(LANGUAGES))], source.choice((",.", ".,", " ,", ",."))
        self.page, self.y = 1, 60.0
        self.tables: list[Table] = []

    def word(self, low: int = 1, high: int = 1) -> str:
        return " ".join(self.random.choice(self.words) for _ in range(self.random.randint(low, high)))

    def number(self) -> str:
        thousand, point = self.decimal
        value = self.random.choice((self.random.randint(1, 999), self.random.randint(1000, 9_999_999)))
        text = f"{value:,}".replace(",", thousand)
        return f"{text}{point}{self.random.randint(0, 9)}" if self.random.random() < 0.2 else text

    def text(self, x: float, top: float, text: str, bold: bool = False, size: float = 0) -> None:
        size = size or self.size
        self.canvas.setFont(self.bold if bold else self.font, size)
        self.canvas.drawString(x, self.height - top - 0.8 * size, text)

    def line(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.6) -> None:
        self.canvas.setLineWidth(width)
        self.canvas.line(x0, self.height - y0, x1, self.height - y1)

    def box(self, x0: float, y0: float, x1: float, y1: float, grey: float) -> None:
        self.canvas.setFillGray(grey)
        self.canvas.rect(x0, self.height - y1, x1 - x0, y1 - y0, stroke=0, fill=1)
        self.canvas.setFillGray(0)

    def prose(self, lines: int = 4) -> None:
        for _ in range(lines):
            text = self.word(4, 6).capitalize()
            while stringWidth(text, self.font, 10) < self.width - 190:
                text += " " + self.word()
            self.text(70, self.y, text, size=10)
            self.y += 12.5
        self.text(70, self.y, self.word(3, 5) + ".", size=10)
        self.y += 26

    def turn(self) -> None:
        self.canvas.showPage()
        self.page, self.y = self.page + 1, 60.0

    def wide(self, text: str, bold: bool = True) -> float:
        return max(stringWidth(part, self.bold if bold else self.font, self.size) for part in text.split("\n"))


def draw(pen: Pen, grid: Grid, look: Look, x: float = 70.0) -> Table:
    """Draws the grid with its upper left corner at (x, pen.y) and moves the pen below it."""
    columns = len(grid.rows[0])
    widths = [
        max(pen.wide(row[c]) for r, row in enumerate(grid.rows) if (r, c) not in grid.spans) + 2 * look.gap
        for c in range(columns)
    ]
    widths[0] += 40 if look.leaders else 0
    if sum(widths) > pen.width - x - 40:
        pen.size, pen.leading = 0.85 * pen.size, 0.85 * pen.leading
        return draw(pen, grid, look._replace(gap=max(3.0, 0.85 * look.gap)), x)
    for (r, c), span in grid.spans.items():  # a merged cell widens the columns that it covers
        short = pen.wide(grid.rows[r][c]) + 2 * look.gap - sum(widths[c : c + span])
        widths[c : c + span] = [w + max(0.0, short) / span for w in widths[c : c + span]]
    xs = [x]
    for width in widths:
        xs.append(xs[-1] + width)
    ys = [pen.y]
    for row in grid.rows:
        ys.append(ys[-1] + pen.leading * max(text.count("\n") + 1 for text in row) + 2 * look.pad)
    if "filled" in look.lines:
        _fill(pen, grid, xs, ys)
    cells: list[Cell] = []
    for r, row in enumerate(grid.rows):
        for c, text in enumerate(row):
            span = grid.spans.get((r, c), 1)
            if text:
                align, body = look.aligns[c] if span == 1 else "c", r >= grid.head
                sides = (xs[c], xs[c + span])
                shown = _cell(pen, look, text, sides, ys[r] + look.pad, align, not body, leads=c == 0 and body)
                cells.append(Cell(r, c, shown, 1, span))
    _rule(pen, grid, look, xs, ys)
    table = Table(pen.page, (xs[0], ys[0], xs[-1], ys[-1]), cells)
    pen.y = ys[-1]
    pen.tables.append(table)
    return table


def _cell(
    pen: Pen, look: Look, text: str, sides: tuple[float, float], top: float, align: str, head: bool, leads: bool
) -> str:
    """Draws the text and returns it as drawn."""
    x0, x1 = sides[0] + look.gap, sides[1] - look.gap
    if look.leaders and leads and x1 - x0 > pen.wide(text, bold=False):
        dots = int((x1 - x0 - pen.wide(text, bold=False)) / stringWidth(".", pen.font, pen.size)) - 1
        text = f"{text} {'.' * max(0, dots)}"
    for n, part in enumerate(text.split("\n")):
        wide = stringWidth(part, pen.bold if head else pen.font, pen.size)
        x = {"l": x0, "r": x1 - wide, "c": (x0 + x1 - wide) / 2}[align]
        pen.text(x, top + n * pen.leading, part, bold=head)
    return text.replace("\n", " ")


def _fill(pen: Pen, grid: Grid, xs: Sequence[float], ys: Sequence[float]) -> None:
    tone = pen.random.uniform(0.8, 0.93)
    for r in range(len(grid.rows)):
        for c in range(len(xs) - 1):
            covered = any(row == r and at < c < at + span for (row, at), span in grid.spans.items())
            right = xs[c + grid.spans.get((r, c), 1)]
            if not covered:
                pen.box(xs[c] + 0.7, ys[r] + 0.7, right - 0.7, ys[r + 1] - 0.7, tone - 0.15 if r < grid.head else tone)


def _rule(pen: Pen, grid: Grid, look: Look, xs: Sequence[float], ys: Sequence[float]) -> None:
    lines, head, inner = look.lines, grid.head, 1 if "stub" in look.lines else 0
    top = ys[head] if "bare head" in lines else ys[0]
    across = {
        *([top, ys[-1]] if "frame" in lines or "rules" in lines else []),
        *([ys[head]] if "head" in lines else []),
        *([ys[r] for r in grid.groups] if "groups" in lines else []),
        *([y for y in ys if y >= top] if "rows" in lines else []),
    }
    for y in sorted(across):
        pieces = list(zip(xs[inner:], xs[inner + 1 :], strict=False)) if "pieces" in lines else [(xs[inner], xs[-1])]
        for x0, x1 in pieces:
            pen.line(x0, y, x1, y)
            if "double" in lines:
                pen.line(x0, y + 1.6, x1, y + 1.6)
    for c, x in enumerate(xs):
        if ("columns" in lines and inner <= c and (look.ruled is None or c in look.ruled)) or (
            "frame" in lines and c in (inner, len(xs) - 1)
        ):
            for y0, y1 in pairwise(ys):
                covered = any(ys[r] == y0 and at < c < at + span for (r, at), span in grid.spans.items())
                if y0 >= top and not covered:
                    pen.line(x, y0, x, y1)


def numbers(pen: Pen, rows: int = 0, columns: int = 0, words: bool = False) -> Grid:
    """A label column and columns of numbers; with `words` one of them holds words."""
    columns, rows = columns or pen.random.randint(2, 5), rows or pen.random.choice((3, 5, 8, 14))
    found: list[Row] = [[pen.word().capitalize(), *(pen.word(1, 2).capitalize() for _ in range(columns))]]
    for _ in range(rows):
        found.append([pen.word(1, 3).capitalize(), *(pen.number() for _ in range(columns))])
        if words:
            found[-1][1] = pen.word(1, 3)
    for row in found[2:]:
        if pen.random.random() < 0.1:
            row[pen.random.randint(1, columns)] = ""
    return Grid(found, 1, {}, [])


def look(pen: Pen, grid: Grid, *lines: str, leaders: bool = False) -> Look:
    align = pen.random.choice("rrrc")
    columns = len(grid.rows[0])
    return Look(frozenset(lines), "l" + align * (columns - 1), pen.random.uniform(4, 14), pen.random.uniform(0.5, 4),
                leaders)  # fmt: skip


def make_kinds(
    folder: Path, kinds: dict[str, Callable[[Pen], None]], seed: int = SEED, count: int = 8
) -> dict[str, list[Gold]]:
    """`count` documents of every kind; the same at every call."""
    found: dict[str, list[Gold]] = {}
    for kind, one in kinds.items():
        found[kind] = [
            _made(folder / f"{kind}-{n}.pdf", one, random.Random(f"{seed} {kind} {n}")) for n in range(count)
        ]
    return found


def _made(path: Path, kind: Callable[[Pen], None], source: random.Random) -> Gold:
    path.parent.mkdir(parents=True, exist_ok=True)
    pen = Pen(path, source)
    pen.prose(pen.random.randint(2, 5))
    kind(pen)
    pen.y += 24
    pen.prose(pen.random.randint(2, 5))
    pen.canvas.save()
    return Gold(path, pen.tables)
