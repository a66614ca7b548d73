"""Numbered rule books whose sections are known exactly, because they are made here: from random words, with a seed.

Contents of several kinds (leaders, spaces, columns, no page numbers; over several pages, within the parts, in
appendices), lists of tables, alphabetical indexes, lists of changes, tables that name rules; headings of several kinds;
rules with their numbers in front of the text or in a margin of their own.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

WORDS = (  # noqa: SIM905 a list of this length reads better so
    "axle brake cable damper engine flange gearbox harness inlet joint keel lamp mirror nozzle oil piston "
    "quota rotor sensor tank upright valve wheel yoke approval bodywork clearance deflection electronic "
    "fairing geometry homologation inspection loading material nominal officer penalty qualifying recovery scrutiny "
    "tolerance usage ventilation weight"
).split()
LEFT, RIGHT, TOP, BOTTOM = 60.0, A4[0] - 60.0, A4[1] - 80.0, 80.0


class Truth(NamedTuple):
    """A numbered section: its address and title as printed, and the page of the file where it begins."""

    address: str
    title: str
    page: int


class Book(NamedTuple):
    path: Path
    sections: list[Truth]


@dataclass(frozen=True)
class Layout:
    """How a rule book is set. `numbers`: `plain` 1.2.3, `letter` B1.2.3, `dotted` B.1.2.3, `label` Article 1 / 1.2."""

    name: str
    numbers: str = "plain"
    contents: str = "leaders"
    title: str = "Contents"
    levels: int = 3
    heads: str = "large"
    margin: bool = False
    inner: bool = False
    index: bool = False
    lists: bool = False
    changes: bool = False
    columns: int = 1
    font: str = "Helvetica"
    repeat_title: bool = False
    table: bool = False
    shift: int = 0


LAYOUTS = (
    Layout("leaders"),
    Layout("leaders-long", "letter", levels=3, heads="bold", lists=True),
    Layout("spaced", "plain", "spaced", levels=2, font="Times-Roman"),
    Layout("spaced-deep", "letter", "spaced", levels=3, heads="bold", title="TABLE OF CONTENTS"),
    Layout("columns", "letter", "columns", levels=2, margin=True, index=True),
    Layout("bare", "letter", "bare", levels=2, heads="bold"),
    Layout("bare-deep", "plain", "bare", levels=3, font="Times-Roman"),
    Layout("two-columns", "plain", "leaders", levels=2, columns=2, index=True),
    Layout("other-title", "letter", "leaders", title="Summary of provisions", margin=True),
    Layout("no-title", "plain", "spaced", title="", levels=2),
    Layout("inner", "letter", "leaders", levels=2, inner=True, heads="bold"),
    Layout("inner-spaced", "dotted", "spaced", levels=2, inner=True, margin=True),
    Layout("labelled", "label", "leaders", levels=2, lists=True, index=True, shift=4),
    Layout("paged-by-part", "letter", "by-part", levels=2, heads="bold"),
    Layout("changes", "letter", "leaders", levels=2, changes=True, margin=True, repeat_title=True),
    Layout("table", "letter", "leaders", levels=2, margin=True, table=True),
    Layout("table-plain", "plain", "spaced", levels=2, heads="bold", table=True, font="Times-Roman"),
    Layout("dotted", "dotted", "columns", levels=3, heads="bold", font="Times-Roman", index=True),
)


@dataclass
class _Block:
    """A paragraph of the book; `level` 0 is plain text, 1 to 3 are numbered."""

    level: int
    address: str
    title: str
    text: str = ""
    part: int = 0
    caption: str = ""


@dataclass
class _Placed:
    pages: dict[int, int] = field(default_factory=dict[int, int])
    parts: dict[int, int] = field(default_factory=dict[int, int])


def make_book(layout: Layout, seed: int, folder: Path) -> Book:
    """Writes `folder/NAME-SEED.pdf` in as many passes as its page numbers need to settle."""
    path = folder / f"{layout.name}-{seed}.pdf"
    blocks = list(_blocks(layout, random.Random(f"{layout.name} {seed}")))
    placed = _Placed()
    for _ in range(5):
        before = dict(placed.pages)
        placed = _Writer(path, layout, blocks, placed, seed).write()
        if placed.pages == before:
            break
    found = [Truth(b.address, b.title, placed.pages[i]) for i, b in enumerate(blocks) if b.level]
    return Book(path, found)


def _blocks(layout: Layout, rng: random.Random) -> Iterator[_Block]:
    parts = rng.randint(5, 9)
    for part in range(1, parts + 1):
        last = part == parts
        head = f"Appendix {rng.choice('A1')}" if last else _address(layout, part)
        yield _Block(1, head, _title(rng, 2), part=part)
        yield _Block(0, "", "", _text(rng, 20, 50), part)
        for section in range(1, rng.randint(4, 8)):
            own = f"A{section}" if last and layout.numbers == "label" else _address(layout, part, section)
            yield _Block(2, own, _title(rng, rng.choice((2, 3, 4, 12))), part=part)
            if rng.random() < 0.3:
                caption = f"Table {part}-{section} {_title(rng, 3)}"
                yield _Block(0, "", "", part=part, caption=caption)
            for rule in range(1, rng.randint(2, 6)):
                deep = layout.levels == 3 and rng.random() < 0.5
                text = _text(rng, 15, 70, layout)
                address = f"{own}.{rule}"
                yield _Block(3, address, _title(rng, 3) if deep else "", text, part)


def _address(layout: Layout, *steps: int) -> str:
    plain = ".".join(map(str, steps))
    if layout.numbers == "label":
        return f"Article {plain}" if len(steps) == 1 else plain
    return {"plain": plain, "letter": f"B{plain}", "dotted": f"B.{plain}"}[layout.numbers]


def _title(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(words)).capitalize()


def _text(rng: random.Random, least: int, most: int, layout: Layout | None = None) -> str:
    words: list[str] = [rng.choice(WORDS) for _ in range(rng.randint(least, most))]
    for at in range(9, len(words), 11):
        words[at] += "."
    if layout and rng.random() < 0.4:  # a reference, which may come to stand at a line's beginning
        named = _address(layout, rng.randint(1, 5), rng.randint(1, 4))
        words.insert(
            len(words) // 2, rng.choice((f"in {named} and the", f"as in Article {named}. The", f"to {named} Part"))
        )
    return " ".join(words).capitalize() + "."


class _Writer:
    def __init__(self, path: Path, layout: Layout, blocks: Sequence[_Block], known: _Placed, seed: int) -> None:
        self.layout, self.blocks, self.known = layout, blocks, known
        self.rng = random.Random(seed)
        self.canvas: Any = Canvas(str(path), pagesize=A4, invariant=1)
        self.placed = _Placed()
        self.y = TOP
        self.bold = "Times-Bold" if layout.font == "Times-Roman" else "Helvetica-Bold"

    def write(self) -> _Placed:
        self._cover()
        if self.layout.changes:
            self._changes()
        self._contents(self.layout.title, [i for i, b in enumerate(self.blocks) if self._listed(b)])
        if self.layout.lists:
            self._list_of_tables()
        for number, block in enumerate(self.blocks):
            if block.level == 1:
                self._break()
                self.placed.parts[block.part] = self._page
            self._block(number, block)
        if self.layout.table:
            self._table()
        if self.layout.index:
            self._index()
        self._footer()
        self.canvas.save()
        return self.placed

    def _listed(self, block: _Block) -> bool:
        return 0 < block.level <= self.layout.levels and bool(block.title)

    @property
    def _page(self) -> int:
        return int(self.canvas.getPageNumber())

    def _footer(self) -> None:
        self.canvas.setFont(self.layout.font, 8)
        self.canvas.drawString(LEFT, 40, "2026 Rules of the Trials")
        self.canvas.drawRightString(RIGHT, 40, str(self._page + self.layout.shift))

    def _break(self) -> None:
        self._footer()
        self.canvas.showPage()
        self.y = TOP

    def _room(self, height: float) -> None:
        if self.y - height < BOTTOM:
            self._break()

    def _cover(self) -> None:
        self.canvas.setFont(self.bold, 26)
        self.canvas.drawString(LEFT, 600, "Rules of the Trials")
        self._break()

    def _lines(self, text: str, font: str, size: float, x: float, gap: float = 4.0) -> None:
        for line in simpleSplit(text, font, size, RIGHT - x):
            self._room(size * 1.3)
            self.canvas.setFont(font, size)
            self.canvas.drawString(x, self.y - size, line)
            self.y -= size * 1.3
        self.y -= gap

    def _block(self, number: int, block: _Block) -> None:
        size, font = {1: (16.0, self.bold), 2: (12.0, self.bold)}.get(block.level, (10.0, self.layout.font))
        if self.layout.heads == "bold" and block.level:
            size, font = (12.0 if block.level == 1 else 10.0), self.bold
        if block.caption:
            self._lines(block.caption, self.layout.font, 9, LEFT)
        elif not block.level:
            self._lines(block.text, self.layout.font, 10, LEFT, 8)
        else:
            self._room(size * 1.3 + (40 if block.level < 3 else 10))
            self.placed.pages[number] = self._page
            if block.title:
                self._titled(block, font, size)
            else:
                self._rule(block)
        if block.level == 1 and self.layout.inner:
            inner = [i for i, b in enumerate(self.blocks) if b.part == block.part and b.level == 2]
            self._entries(inner)

    def _titled(self, block: _Block, font: str, size: float) -> None:
        self.y -= 6
        if self.layout.margin:
            self.canvas.setFont(font, size)
            self.canvas.drawString(LEFT, self.y - size, block.address)
            x = LEFT + max(60.0, stringWidth(block.address, font, size) + 10)
            self._lines(block.title, font, size, x)
        else:
            self._lines(f"{block.address} {block.title}", font, size, LEFT)
        if block.text:
            self._lines(block.text, self.layout.font, 10, LEFT + 60 * self.layout.margin, 8)

    def _rule(self, block: _Block) -> None:
        if self.layout.margin:
            self.canvas.setFont(self.layout.font, 10)
            self.canvas.drawString(LEFT, self.y - 10, block.address)
            self._lines(block.text, self.layout.font, 10, LEFT + 60, 8)
        else:
            self._lines(f"{block.address} {block.text}", self.layout.font, 10, LEFT, 8)

    def _contents(self, title: str, entries: Sequence[int]) -> None:
        if title:
            self._lines(title, self.bold, 16, LEFT, 10)
        self._entries(entries, title if self.layout.repeat_title else "")
        self._break()

    def _entries(self, entries: Sequence[int], repeated: str = "") -> None:
        width = (RIGHT - LEFT - 20 * (self.layout.columns - 1)) / self.layout.columns
        column, start, page = 0, self.y, self._page
        for number in entries:
            block = self.blocks[number]
            lines = self._entry_lines(block, width)
            if self.y - 13 * len(lines) < BOTTOM:
                if column + 1 < self.layout.columns:
                    column, self.y = column + 1, start if self._page == page else TOP
                else:
                    self._break()
                    column = 0
                    if repeated:
                        self._lines(repeated, self.bold, 16, LEFT, 10)
            self._entry(block, lines, LEFT + column * (width + 20), width, self._printed(number, block))
        if column:
            self.y = BOTTOM

    def _printed(self, number: int, block: _Block) -> str:
        page = self.known.pages.get(number, 1)
        if self.layout.contents == "by-part":
            return f"{block.part}-{page - self.known.parts.get(block.part, 1) + 1}"
        return "" if self.layout.contents == "bare" else str(page + self.layout.shift)

    def _entry_lines(self, block: _Block, width: float) -> list[str]:
        together = self.layout.contents != "columns"
        text = f"{block.address} {block.title}" if together else block.title
        indent = 12 * (block.level - 1) if together else 60
        return simpleSplit(text, self.layout.font, 10, width - indent - 50)

    def _entry(self, block: _Block, lines: Sequence[str], left: float, width: float, page: str) -> None:
        font = self.bold if block.level == 1 else self.layout.font
        together = self.layout.contents != "columns"
        x = left + (12 * (block.level - 1) if together else 60)
        self.canvas.setFont(font, 10)
        if not together:
            self.canvas.drawString(left, self.y - 10, block.address)
        for line in lines:
            self.canvas.drawString(x, self.y - 10, line)
            self.y -= 13
        end = x + stringWidth(lines[-1], font, 10)
        if self.layout.contents in ("leaders", "by-part"):
            dots = int((left + width - end - 24) / stringWidth(".", font, 10))
            self.canvas.drawString(end + 3, self.y + 3, "." * dots)
        self.canvas.drawRightString(left + width, self.y + 3, page)

    def _list_of_tables(self) -> None:
        self._lines("List of Tables", self.bold, 16, LEFT, 10)
        for number, block in enumerate(self.blocks):
            if block.caption:
                page = self.known.pages.get(number - 1, 1) + self.layout.shift
                self._room(14)
                self.canvas.setFont(self.layout.font, 10)
                self.canvas.drawString(LEFT, self.y - 10, block.caption)
                self.canvas.drawRightString(RIGHT, self.y - 10, str(page))
                self.y -= 13
        self._break()

    def _changes(self) -> None:
        self._lines("Summary of changes", self.bold, 16, LEFT, 10)
        numbered = [b for b in self.blocks if b.level == 3]
        for block in self.rng.sample(numbered, 8):
            self._lines(f"{block.address} {_title(self.rng, 9)} amended.", self.layout.font, 10, LEFT)
        self._break()

    def _table(self) -> None:
        """Penalties by rule, ruled off, behind the last part."""
        rng = self.rng
        self._lines("The penalties for breaches are in this table.", self.layout.font, 10, LEFT, 8)
        for block in [None, *rng.sample([b for b in self.blocks if b.level == 3], 9)]:
            self._room(16)
            cells = (block.address, _title(rng, 3), f"{rng.randint(1, 9)}0 s") if block else ("Rule", "Breach", "Time")
            self.canvas.setFont(self.layout.font if block else self.bold, 9)
            for x, cell in zip((LEFT, LEFT + 90, LEFT + 330), cells, strict=True):
                self.canvas.drawString(x + 3, self.y - 11, cell)
            self.canvas.line(LEFT, self.y - 15, RIGHT, self.y - 15)
            self.y -= 15

    def _index(self) -> None:
        self._break()
        self._lines("Index", self.bold, 16, LEFT, 10)
        titled = [(i, b) for i, b in enumerate(self.blocks) if b.level == 2]
        for word in WORDS:
            hits = [(b.address, self.placed.pages[i]) for i, b in titled if word in b.title.lower()][:4]
            if hits:
                pages = ", ".join(f"{page + self.layout.shift}" for _, page in hits)
                self._lines(f"{word}, {hits[0][0]}, {pages}", self.layout.font, 9, LEFT, 0)
