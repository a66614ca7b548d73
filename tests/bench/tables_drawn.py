"""The kinds of tables that `tables_kinds` draws, and pages that look like tables and are none."""

from collections.abc import Callable

from reportlab.pdfbase.pdfmetrics import stringWidth

from tests.bench.tables_kinds import Grid, Pen, draw, look, numbers
from tests.bench.tables_score import Cell, Table


def boxed(pen: Pen) -> None:
    """Rules around the header and the frame, and between columns; none between rows."""
    grid = numbers(pen, words=pen.random.random() < 0.4)
    style, columns = look(pen, grid, "frame", "head", "columns", leaders=pen.random.random() < 0.3), len(grid.rows[0])
    if pen.random.random() < 0.5:  # a total is ruled off
        grid = grid._replace(groups=[len(grid.rows) - 1])
        style = style._replace(lines=style.lines | {"groups"})
    if pen.random.random() < 0.5:
        style = style._replace(ruled=frozenset({0, columns, pen.random.randint(1, columns - 1)}))
    draw(pen, grid, style)


def grouped(pen: Pen) -> None:
    """Rules between groups of rows only."""
    grid = numbers(pen, rows=pen.random.randint(6, 16), words=pen.random.random() < 0.4)
    at = 1
    while (at := at + pen.random.randint(2, 5)) < len(grid.rows):
        grid.groups.append(at)
    draw(pen, grid, look(pen, grid, *pen.random.choice((("frame", "columns"), ("rules",))), "head", "groups"))


def typed(pen: Pen) -> None:
    """Monospaced lines: no rule or dashes as rules, dot leaders, up to two tables of one page one below the other."""
    for _ in range(pen.random.choice((1, 1, 2))):
        _typed(pen, numbers(pen), pen.random.choice(("bare", "dashes", "leaders")))
        pen.y += 3 * pen.leading


def _typed(pen: Pen, grid: Grid, style: str) -> None:
    size, gap = pen.random.choice((8.0, 9.0, 10.0)), pen.random.randint(2, 5)
    widths = [max(len(row[c]) for row in grid.rows) for c in range(len(grid.rows[0]))]
    widths[0] += 6 if style == "leaders" else 0
    total = sum(widths) + gap * (len(widths) - 1)
    # What runs over the edge of the page is not there to be read.
    size = min(size, (pen.width - 140) / stringWidth("x" * total, "Courier", 1))
    em, top, cells = stringWidth("x", "Courier", size), pen.y, list[Cell]()

    def put(text: str) -> None:
        pen.canvas.setFont("Courier", size)
        pen.canvas.drawString(70, pen.height - pen.y - 0.8 * size, text)
        pen.y += 1.15 * size

    if style == "dashes":
        put("-" * total)
    for r, row in enumerate(grid.rows):
        leads = style == "leaders" and r > 0
        first = row[0] + " " + "." * (widths[0] - len(row[0]) - 1) if leads else row[0].ljust(widths[0])
        put((" " * gap).join([first, *(t.rjust(w) for t, w in zip(row[1:], widths[1:], strict=True))]).rstrip())
        cells += [Cell(r, c, first.strip() if c == 0 else t) for c, t in enumerate(row) if t]
        if style == "dashes" and r in (0, len(grid.rows) - 1):
            put("-" * total)
    pen.tables.append(Table(pen.page, (70, top, 70 + em * total, pen.y), cells))


def filled(pen: Pen) -> None:
    """Filled cells with white between them, no line."""
    grid = numbers(pen)
    draw(pen, grid, look(pen, grid, "filled"))


def stub_left(pen: Pen) -> None:
    """The label column stands left of the frame."""
    grid = numbers(pen)
    draw(pen, grid, look(pen, grid, "frame", "columns", "stub", *pen.random.choice((("rows",), ("head",)))))


def side_by_side(pen: Pen) -> None:
    lines = pen.random.choice((("rules", "head"), ("frame", "columns", "rows"), ("frame", "columns", "head")))
    top, style = pen.y, pen.random.uniform(3, 6)
    rows, low = pen.random.randint(3, 8), 0.0
    pen.size = min(pen.size, 8.0)
    for left in (60.0, pen.width / 2 + 20):
        pen.y = top
        grid = numbers(pen, rows, 2)
        draw(pen, grid, look(pen, grid, *lines)._replace(gap=style, pad=2.0), left)
        low = max(low, pen.y)
    pen.y = low


def header_above(pen: Pen) -> None:
    grid = numbers(pen)
    draw(pen, grid, look(pen, grid, "frame", "columns", "rows", "bare head"))


def notes_under(pen: Pen) -> None:
    """Notes and a source below the frame, which are no part of the table."""
    grid = numbers(pen)
    draw(pen, grid, look(pen, grid, *pen.random.choice((("frame", "columns", "head"), ("rules", "head"), ("rules",)))))
    pen.y += 2
    for start in ("1 ", "Source: ", "Note: ")[: pen.random.randint(1, 3)]:
        pen.text(70, pen.y, start + pen.word(5, 12) + ".", size=pen.size - 1)
        pen.y += pen.size * 1.2


def doubled(pen: Pen) -> None:
    """Rules drawn twice, or in a piece per cell."""
    grid = numbers(pen)
    draw(pen, grid, look(pen, grid, *pen.random.choice((("frame", "columns", "rows"), ("rules", "head"))),
                         pen.random.choice(("double", "pieces"))))  # fmt: skip


def wrapped(pen: Pen) -> None:
    """One column has cells of two lines, the others of one."""
    grid = numbers(pen)
    at = pen.random.choice((0, 0, 1))
    for row in grid.rows[1:]:
        if at == 1:
            row[1] = pen.word(2, 3)
        if pen.random.random() < 0.5:
            row[at] = f"{pen.word(2, 3).capitalize()}\n{pen.word(1, 2).lower()}"
    made = look(pen, grid, *pen.random.choice(((), ("rules", "head"), ("frame", "columns", "head"))))
    draw(pen, grid, made._replace(aligns="l" * (at + 1) + made.aligns[at + 1 :], pad=max(2.0, made.pad)))


def stubless(pen: Pen) -> None:
    """Rows whose first cell is empty."""
    grid = numbers(pen, rows=pen.random.randint(5, 12))
    for row in grid.rows[2:]:
        if pen.random.random() < 0.4:
            row[0] = ""
    draw(pen, grid, look(pen, grid, *pen.random.choice(((), ("rules", "head"), ("frame", "columns", "head")))))


def labelled(pen: Pen) -> None:
    """Group headers within the body."""
    grid = numbers(pen, rows=pen.random.randint(6, 12))
    columns = len(grid.rows[0])
    for at in range(len(grid.rows) - 3, 0, -pen.random.randint(3, 5)):
        grid.rows.insert(at, [pen.word(1, 2).upper(), *[""] * (columns - 1)])
    draw(pen, grid, look(pen, grid, *pen.random.choice(((), ("rules", "head"), ("frame", "columns", "head")))))


def levels(pen: Pen) -> None:
    """Two or three header rows, the upper ones over several columns."""
    deep, pairs = pen.random.choice((2, 2, 3)), pen.random.choice((2, 4))
    grid = numbers(pen, columns=2 * pairs)
    grid.rows[0] = [pen.word().capitalize(), *[str(pen.random.randint(1990, 2026)) for _ in range(2 * pairs)]]
    tops: list[list[str]] = []
    for level in range(1, deep):
        step = 2 if level == 1 else pairs
        tops.insert(0, ["", *(pen.word().title() if c % step == 0 else "" for c in range(2 * pairs))])
        grid.spans.update({(deep - 1 - level, 1 + c): step for c in range(0, 2 * pairs, step)})
    lines = pen.random.choice((("rules", "head"), ("frame", "columns", "rows"), ()))
    made = Grid([*tops, *grid.rows], deep, grid.spans, [])
    pen.size = min(pen.size, 8.0)
    draw(pen, made, look(pen, made, *lines)._replace(gap=5.0))


def signs(pen: Pen) -> None:
    """Currency signs left of the numbers' column, per cent signs right of it, as filings set them."""
    grid = numbers(pen, columns=pen.random.randint(2, 4))
    made = look(pen, grid, *pen.random.choice(((), ("rules", "head"))))._replace(gap=pen.random.uniform(14, 20))
    before = pen.random.random() < 0.6
    sign = pen.random.choice(("$", "€", "£")) if before else "%"
    table = draw(pen, grid, made._replace(aligns="l" + "r" * (len(grid.rows[0]) - 1)))
    cells: list[Cell] = []
    rows = {1, len(grid.rows) - 1} if before else set(range(1, len(grid.rows)))
    assert table.box
    pen_widths = [max(pen.wide(row[c]) for row in grid.rows) + 2 * made.gap for c in range(len(grid.rows[0]))]
    for cell in table.cells:
        if cell.row in rows and cell.column:
            left = table.box[0] + sum(pen_widths[: cell.column])
            row_top = table.box[1] + cell.row * (pen.leading + 2 * made.pad) + made.pad
            pen.text(left + 4 if before else left + pen_widths[cell.column] - made.gap + 1, row_top, sign)
            cells.append(cell._replace(text=f"{sign} {cell.text}" if before else f"{cell.text} {sign}"))
        else:
            cells.append(cell)
    pen.tables[-1] = table._replace(cells=cells)


def statement(pen: Pen) -> None:
    """Rows set close, white and labels between groups of them; a label of two lines has its figures beside the last."""
    size, shaded = pen.random.choice((7.0, 8.0)), pen.random.random() < 0.5
    edges, top, cells = (pen.random.uniform(440, 450), pen.random.uniform(510, 522)), pen.y, list[Cell]()
    rows: list[tuple[list[str], list[str]]] = [([], ["2024", "2023"])]
    gaps = set[int]()
    for n in range(pen.random.randint(2, 3)):
        gaps |= {len(rows)} if n else set()
        rows += [([pen.word(2, 3).capitalize()], [])] if n else []
        rows += [([pen.word(2, 3).capitalize() + ":"], [])]
        first = pen.word(4, 5).capitalize()
        while n and stringWidth(first, pen.font, size) < 300:
            first += " " + pen.word()
        rows += [([first, "and " + pen.word(2, 5)] if n else [first], [pen.number(), pen.number()])]
        rows += [([pen.word(1, 3).capitalize()], [pen.number(), pen.number()]) for _ in range(pen.random.randint(3, 6))]
    for at, (label, figures) in enumerate(rows):
        high = 1.35 * size + size * max(0, len(label) - 1)
        pen.y += 1.5 * size if at in gaps else 0
        if shaded and at % 2:
            pen.box(66, pen.y, 524, pen.y + high, 0.92)
        for line, text in enumerate(label):
            pen.text(70 + size * line, pen.y + 0.15 * size + size * line, text, size=size)
        for column, (text, edge) in enumerate(zip(figures, edges, strict=False), 1):
            x, font = edge - stringWidth(text, pen.font, size), at == 0
            pen.text(x, pen.y + high - 1.2 * size, text, bold=font, size=size)
            cells.append(Cell(at, column, text))
        if label:
            cells.append(Cell(at, 0, " ".join(label)))
        pen.y += high
    pen.tables.append(Table(pen.page, (70, top, edges[1], pen.y), cells))


def split(pen: Pen) -> None:
    """The table goes on over the page, with the same or another header."""
    lines = pen.random.choice((("frame", "columns", "head"), ("rules", "head"), ("frame", "columns", "rows")))
    grid = numbers(pen, rows=8, columns=3)
    style = look(pen, grid, *lines)
    draw(pen, grid, style)
    pen.turn()
    more = numbers(pen, rows=5, columns=3)
    if pen.random.random() < 0.6:
        more.rows[0] = grid.rows[0]
    draw(pen, more, style)


def captioned(pen: Pen) -> None:
    """A caption above and a source below."""
    pen.text(70, pen.y, f"Table {pen.random.randint(1, 9)}. {pen.word(3, 6).capitalize()}", bold=True)
    pen.y += 1.6 * pen.size
    notes_under(pen)


def listing(pen: Pen) -> None:
    """No table: code."""
    pen.canvas.setFont("Courier", 8)
    depth = 0
    for n in range(26):
        text = pen.random.choice((
            f"{pen.word()} = {pen.word()}({pen.word()}, {n})", f"if {pen.word()} > {n}:", f"return {pen.word()}",
            f"for {pen.word()} in {pen.word()}:", f"{pen.word()}.{pen.word()}()    # {pen.word(2, 4)}",
        ))  # fmt: skip
        pen.canvas.drawString(70, pen.height - pen.y, "    " * depth + text)
        depth = min(3, depth + 1) if text.endswith(":") else max(0, depth - pen.random.randint(0, 1))
        pen.y += 9.5


def contents(pen: Pen) -> None:
    """No table: a contents page, typed or set."""
    mono, page = pen.random.random() < 0.5, 3
    pen.text(70, pen.y, "Contents", bold=True, size=14)
    pen.y += 26
    for n in range(1, 19):
        title = f"{n}. {pen.word(1, 4).capitalize()}"
        font = "Courier" if mono else pen.font
        room = 430 - stringWidth(title + "  999", font, 10)
        dots = "." * int(room / stringWidth(".", font, 10))
        pen.canvas.setFont(font, 10)
        pen.canvas.drawString(70, pen.height - pen.y, f"{title} {dots}")
        pen.canvas.drawRightString(510, pen.height - pen.y, str(page))
        page += pen.random.randint(1, 4)
        pen.y += 14


def questions(pen: Pen) -> None:
    """No table: numbered points, references and a letter's lines."""
    for n in range(1, 10):
        pen.text(70, pen.y, f"({n})" if n < 5 else f"[{n}]", size=10)
        for _ in range(2):
            pen.text(100, pen.y, pen.word(7, 9), size=10)
            pen.y += 12.5
        pen.y += 4


def two_columns(pen: Pen) -> None:
    """No table: prose in two columns, whose lines stand at one height."""
    for _ in range(30):
        for x in (70.0, 320.0):
            text = pen.word(2, 3)
            while stringWidth(text, pen.font, 9) < 190:
                text += " " + pen.word()
            pen.text(x, pen.y, text, size=9)
        pen.y += 11


KINDS: dict[str, Callable[[Pen], None]] = {
    "boxed": boxed, "grouped": grouped, "typed": typed, "filled": filled, "stub left": stub_left,
    "side by side": side_by_side, "header above": header_above, "notes under": notes_under, "doubled": doubled,
    "wrapped": wrapped, "stubless": stubless, "labelled": labelled, "levels": levels, "signs": signs,
    "statement": statement, "split": split, "captioned": captioned, "listing": listing, "contents": contents,
    "questions": questions, "two columns": two_columns,
}  # fmt: skip
