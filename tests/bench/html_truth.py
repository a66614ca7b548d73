"""What the web pages beside a PDF say of a piece of its text: whether it stands in a table of theirs.

No page of HTML is matched to a page of the PDF: texts of cells are looked up in all pages of the package. Tables that
arrange something (menus, indexes, heads of pages) are text, as a reader takes them.
"""

import re
from collections import Counter
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal, NamedTuple

from tests.bench.tex_truth import words_of

Verdict = Literal["right", "wrong", "terms", "typed", "unclear"]

MAX_FILES = 1500
MAX_BYTES = 4_000_000
# Letters and digits of a cell that is looked up in running text, and such cells of a table, at least.
LONG = 8
MIN_CELLS = 3
MIN_SHORT = 4
WRONG_SHARE = 0.8
_ARRANGES = re.compile(r"index|menu|nav|header|footer|toc|layout|presentation|cartouche|direntry|nopad", re.IGNORECASE)
_SKIPPED = {"script", "style", "head"}
_VOID = {"br", "img", "hr", "input", "link", "meta", "col", "area", "base", "wbr"}


class Web(NamedTuple):
    """Tables as rows of texts of filled cells, and all other text run together: running, in lists of terms, typed, and
    in tables that are none or of which nobody knows. Only letters and digits."""

    tables: list[list[list[str]]]
    running: str
    terms: str
    typed: str
    unclear: str
    in_tables: frozenset[str]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.texts: dict[str, list[str]] = {"running": [], "terms": [], "typed": [], "unclear": []}
        self._open: list[str] = []
        self._table: list[tuple[str, list[list[list[str]]]]] = []
        self._outer: set[int] = set()

    def begin_anew(self) -> None:
        """For the next page: what is open is closed."""
        self.close()
        self.reset()
        self._open.clear()
        self._table.clear()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID and tag not in ("p", "li", "dt", "dd"):
            self._open.append(tag)
        if tag == "table":
            said = " ".join(f"{value}" for name, value in attrs if name in ("class", "role", "summary", "id"))
            self._outer.add(len(self._table) - 1)
            self._outer.discard(len(self._table))
            self._table.append(("text" if _ARRANGES.search(said) else "table", []))
        elif self._table and tag == "tr":
            self._table[-1][1].append([])
        elif self._table and tag in ("td", "th"):
            rows = self._table[-1][1]
            if not rows:
                rows.append([])
            rows[-1].append([])

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass
        if tag == "table" and self._table:
            kind, rows = self._table.pop()
            cells = [[words_of(" ".join(cell)) for cell in row] for row in rows]
            filled = [[cell for cell in row if cell] for row in cells]
            filled = [row for row in filled if row]
            outer = len(self._table) in self._outer
            if kind == "text" or outer:
                self.texts["running" if kind == "text" else "unclear"] += [text for row in filled for text in row]
            elif sum(len(row) > 1 for row in filled) > 1 and not any(len(t) > 1500 for row in filled for t in row):
                self.tables.append(filled)
            else:
                self.texts["unclear"] += [text for row in filled for text in row]

    def handle_data(self, data: str) -> None:
        if not data.strip() or not _SKIPPED.isdisjoint(self._open):
            return
        rows = self._table[-1][1] if self._table else None
        if rows and rows[-1]:
            rows[-1][-1].append(data)
        elif self._table:
            self.texts["unclear"].append(words_of(data))
        else:
            kind = "typed" if "pre" in self._open else "terms" if "dl" in self._open else "running"
            self.texts[kind].append(words_of(data))


def read_web(folder: Path) -> Web | None:
    """All web pages of a package; None where there are none."""
    reader = _Reader()
    paths = sorted(path for end in ("*.html", "*.htm") for path in folder.rglob(end) if path.is_file())
    seen: set[bytes] = set()
    for path in paths[:MAX_FILES]:
        data = path.read_bytes()
        if len(data) <= MAX_BYTES and data not in seen:
            seen.add(data)
            reader.feed(data.decode("utf-8", errors="replace"))
            reader.begin_anew()
    texts = {kind: "".join(parts) for kind, parts in reader.texts.items()}
    in_tables = frozenset(cell for table in reader.tables for row in table for cell in row)
    return Web(reader.tables, **texts, in_tables=in_tables) if paths else None


def verdict(rows: Sequence[Sequence[str]], web: Web) -> Verdict:
    """Whether the rows are part of a table of the web pages, or what else they are there; unclear where most are
    nowhere, or in several kinds of text."""
    cells = [cell for row in rows for cell in row]
    if 2 * sum(cell in web.in_tables for cell in cells) >= len(cells):
        near = [table for table in web.tables if 2 * sum(map(_all_cells(table).__contains__, cells)) >= len(cells)]
        if near:
            return "right" if any(_share_rows(rows, table) for table in near) else "unclear"
    longer = [cell for cell in cells if len(cell) >= LONG]
    if len(longer) < MIN_CELLS:
        longer = ["".join(row) for row in rows if len("".join(row)) >= LONG]
    if len(longer) < MIN_CELLS:
        return "unclear"
    in_tables = sum(cell in web.in_tables or cell in web.unclear for cell in longer)
    if in_tables > (1 - WRONG_SHARE) * len(longer):
        return "unclear"
    for kind, text in (("wrong", web.running), ("terms", web.terms), ("typed", web.typed)):
        if sum(cell in text for cell in longer) >= WRONG_SHARE * len(longer):
            return kind
    return "unclear"


def _all_cells(table: Sequence[Sequence[str]]) -> set[str]:
    return {cell for row in table for cell in row}


def _share_rows(rows: Sequence[Sequence[str]], table: Sequence[Sequence[str]]) -> bool:
    """Whether a third of the rows have two of their cells in one row of the table: what has words in common alone, as
    an index does, is none."""
    theirs = [Counter(row) for row in table]
    shared = sum(any((Counter(row) & other).total() > 1 for other in theirs) for row in rows)
    return 3 * shared >= len(rows)


def in_text(web: Web, text: str) -> list[list[list[str]]]:
    """The tables of the web pages whose cells stand in a text of letters and digits, as that of a PDF."""
    found: list[list[list[str]]] = []
    for table in web.tables:
        cells = [cell for row in table for cell in row]
        known = [cell for cell in cells if len(cell) >= MIN_SHORT]
        if len(known) >= 4 and sum(cell in text for cell in known) >= 0.95 * len(known) and table not in found:
            found.append(table)
    return found
