"""The lines of an HTML body, with the depth of the quotation in which each stands."""

import html
import re
from typing import Final, NamedTuple

_PARAGRAPHS: Final = frozenset((
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "pre", "blockquote", "hr",
))  # fmt: skip
_BLOCKS: Final = _PARAGRAPHS | frozenset((
    "address", "article", "aside", "body", "center", "dd", "div", "dl", "dt", "fieldset", "figure", "footer",
    "form", "header", "html", "li", "main", "nav", "section", "tbody", "tfoot", "thead", "tr", "br",
))  # fmt: skip
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_SPACED: Final = frozenset({"td", "th"})
_QUOTES: Final = re.compile(r"gmail_quote|yahoo_quoted|moz-cite|protonmail_quote|zmail_extra", re.I)
# No pattern begins anew inside what it has passed, so that time stays proportional to length.
_LEFT_OUT = re.compile(
    r"<!--(?:>|.*?(?:-->|\Z))|<(?P<unseen>script|style|title|template)\b[^<>]*>.*?(?:</(?P=unseen)\s*>|\Z)"
    r"|<head\b[^<>]*>.*?(?:</head\s*>|(?=<body\b)|\Z)",
    re.I | re.S,
)
_TAG = re.compile(
    r"""<(?P<close>/?)(?P<name>[a-zA-Z][^\s<>/"']*)(?P<rest>(?:"[^"]{0,20000}"|'[^']{0,20000}'|[^"'<>]|(?!))*+)>"""
    r"|<[!?][^<>]*>"
)
_SPAN = re.compile(r"""\b(rowspan|colspan)\s*=\s*["']?(\d{1,4})""", re.I)
_PRESENTATION = re.compile(r"""\brole\s*=\s*["']?(?:presentation|none)\b""", re.I)
MAX_SPAN: Final = 1_000
# Characters up to which a cell is one of data; longer ones arrange a message.
MAX_CELL: Final = 300
_CLASS = re.compile(r"""\bclass\s*=\s*("[^"]*"|'[^']*'|\S+)""", re.I)


class HtmlCell(NamedTuple):
    """The place of a cell in its table; `head` says that it is a label."""

    table: int
    row: int
    column: int
    row_span: int
    col_span: int
    head: bool


class HtmlLine(NamedTuple):
    """A line of text; empty between paragraphs. `quoted` says that it stands in a quotation, `cell` that it is (a line
    of) one in a table of data: those that only arrange what a message shows are lines."""

    text: str
    quoted: bool
    cell: HtmlCell | None = None


def html_lines(source: str) -> list[HtmlLine]:
    """The text as it would be read, without scripts, styles and the head. Tags need not be closed, nor in order."""
    lines = _Lines()
    seen = _LEFT_OUT.sub(" ", source)
    at = 0
    for tag in _TAG.finditer(seen):
        lines.say(html.unescape(seen[at : tag.start()]))
        if tag["name"]:
            lines.close(tag["name"].lower()) if tag["close"] else lines.open(tag["name"].lower(), tag["rest"])
        at = tag.end()
    lines.say(html.unescape(seen[at:]))
    return lines.finish()


class _Table:
    """A table that is being read."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._row, self._column = -1, 0
        self._below: dict[int, int] = {}  # how many further rows a cell of the column reaches into
        self.cell: HtmlCell | None = None

    def open_row(self) -> None:
        self._row, self._column, self.cell = self._row + 1, 0, None
        self._below = {column: rows - 1 for column, rows in self._below.items() if rows > 1}

    def open_cell(self, attributes: str, *, head: bool) -> None:
        if self._row < 0:
            self.open_row()
        spans = {name.lower(): min(max(int(count), 1), MAX_SPAN) for name, count in _SPAN.findall(attributes)}
        while self._column in self._below:
            self._column += 1
        down, across = spans.get("rowspan", 1), spans.get("colspan", 1)
        self.cell = HtmlCell(self.number, self._row, self._column, down, across, head)
        if down > 1:
            self._below |= dict.fromkeys(range(self._column, self._column + across), down)
        self._column += across


class _Lines:
    def __init__(self) -> None:
        self._lines: list[HtmlLine] = []
        self._glued: set[int] = set()  # lines that nothing but a cell's end parts from the line before
        self._glue = self._broken = False
        self._said: list[str] = []
        self._quotes: list[tuple[str, int]] = []
        self._depths: dict[str, int] = {}
        self._tables: list[_Table] = []
        self._count = 0
        self._outer: set[int] = set()  # tables that others stand in, or headings: they only arrange what is shown

    def say(self, text: str) -> None:
        self._said.append(text)

    def open(self, tag: str, attributes: str) -> None:
        self._break(tag)
        if tag == "table":
            self._open_table(attributes)
        elif tag == "tr" and self._tables:
            self._tables[-1].open_row()
        elif tag in _SPACED and self._tables:
            self._tables[-1].open_cell(attributes, head=tag == "th")
        elif tag in _HEADINGS and self._tables:
            self._outer.add(self._tables[-1].number)
        if tag not in ("blockquote", "div"):
            return
        depth = self._depths[tag] = self._depths.get(tag, 0) + 1
        named = _CLASS.search(attributes) if tag == "div" else None
        if tag == "blockquote" or (named and _QUOTES.search(named[1])):
            self._quotes.append((tag, depth))

    def close(self, tag: str) -> None:
        self._break(tag)
        if tag == "table" and self._tables:
            self._tables.pop()
        elif tag in _SPACED and self._tables:
            self._tables[-1].cell = None
        depth = self._depths.get(tag, 0)
        if (tag, depth) in self._quotes:
            del self._quotes[self._quotes.index((tag, depth)) :]
        self._depths[tag] = max(0, depth - 1)

    def _open_table(self, attributes: str) -> None:
        if self._tables:
            self._outer.add(self._tables[-1].number)
        if _PRESENTATION.search(attributes):
            self._outer.add(self._count)
        self._tables.append(_Table(self._count))
        self._count += 1

    def _break(self, tag: str) -> None:
        if tag in _SPACED:
            self._end()
            self._glue = True
        elif tag in _BLOCKS:
            ended = self._end()
            self._broken = True
            if (not ended and tag == "br") or tag in _PARAGRAPHS:
                self._lines.append(HtmlLine("", bool(self._quotes)))

    def _end(self) -> bool:
        """Ends the line; whether there was one."""
        said = " ".join("".join(self._said).split())
        self._said = []
        if said:
            if self._glue and not self._broken:
                self._glued.add(len(self._lines))
            self._glue = self._broken = False
            cell = self._tables[-1].cell if self._tables else None
            self._lines.append(HtmlLine(said, bool(self._quotes), cell))
        return bool(said)

    def finish(self) -> list[HtmlLine]:
        self._end()
        data = _tables_of_data(self._lines) - self._outer
        lines: list[HtmlLine] = []
        last: int | None = None  # the table of data that the last line with text is in
        for at, line in enumerate(self._lines):
            if line.cell and line.cell.table in data:
                while last == line.cell.table and not lines[-1].text:
                    lines.pop()
                lines.append(line)
                last = line.cell.table
                continue
            last = None if line.text else last
            if at in self._glued and lines and lines[-1].text and not lines[-1].cell:
                lines[-1] = lines[-1]._replace(text=f"{lines[-1].text} {line.text}")
            else:
                lines.append(line._replace(cell=None))
        return lines


def _tables_of_data(lines: list[HtmlLine]) -> set[int]:
    """The tables with at least two rows, most of which have two short cells or more, not counting those of marks only,
    and whose first cells are no labels with a colon each."""
    tables: dict[int, dict[int, dict[int, str]]] = {}
    for line in lines:
        if line.cell:
            row = tables.setdefault(line.cell.table, {}).setdefault(line.cell.row, {})
            row[line.cell.column] = f"{row.get(line.cell.column, '')} {line.text}"
    return {number for number, rows in tables.items() if _is_data([*rows.values()])}


def _is_data(rows: list[dict[int, str]]) -> bool:
    several = [row for row in rows if sum(any(map(str.isalnum, text)) for text in row.values()) > 1]
    labels = sum(row[min(row)].endswith(":") for row in several)
    short = all(len(text) <= MAX_CELL for row in rows for text in row.values())
    return len(several) > 1 and 2 * len(several) > len(rows) and short and 2 * labels < len(several)
