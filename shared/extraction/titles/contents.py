"""Printed tables of contents: skipped, since every entry refers to a heading that is in the document itself."""

import re
from collections.abc import Sequence
from itertools import pairwise

from shared.domain.operations import Skip
from shared.domain.sketch import ContentsRun, Profile
from shared.extraction.lists import CONTENTS_TITLE, DOTTED
from shared.extraction.page_view import Line, PageView, ids_of, rows_of
from shared.extraction.profile import title_key

MIN_ENTRIES = 3
SAME_EDGE_PT = 4.0
ENTRY_SHARE = 0.6
MAX_FALLING = 0.2
_PAGE = re.compile(r"\d{1,4}|[ivxlc]{1,7}|[A-Z]{1,2}-\d{1,3}")
_PAGE_AFTER_DOTS = re.compile(
    r"(?<![.\u2026\u00b7_\s])[.\u2026\u00b7_\s]{3,}+(\d{1,4}|[ivxlc]{1,7}|[A-Z]{1,2}-\d{1,3})\s*$"
)
_ENDS_IN_PAGE = re.compile(r"\S\s+\d{1,4}$")


def skip_contents(view: PageView, profile: Profile) -> list[Skip]:
    """Returns skips for entries with dot leaders, or with page numbers in one column below a title `Contents`, or that
    list what stands elsewhere above text; takes their lines."""
    skips = _skip(view, _entries(view, profile))
    runs = [run for run in profile.contents_runs if run.page == view.page.page]
    return skips + [skip for run in runs for skip in _skip(view, [_lines_of_run(view, run)])]


def _entries(view: PageView, profile: Profile) -> list[list[Line]]:
    rows = rows_of(view.free)
    if view.page.page in profile.contents_pages:
        return _rows_of_page(rows)
    dotted = [row for row in rows if any(DOTTED.search(line.text) for line in row)]
    entries = dotted if len(dotted) >= MIN_ENTRIES and _lead_to_pages(dotted) else _without_leaders(rows, profile)
    return _with_neighbours(rows, entries) if len(entries) >= MIN_ENTRIES else []


def _lead_to_pages(rows: Sequence[list[Line]]) -> bool:
    """Whether dot leaders lead to one page number each, and these ascend; in a table of values they lead to any, often
    several."""
    ends = [_PAGE_AFTER_DOTS.search(" ".join(line.text for line in row)) for row in rows]
    pages = [found[1] for found in ends if found]
    numbers = [int(page) for page in pages if page.isdigit()]
    falling = sum(a > b for a, b in pairwise(numbers))
    return len(pages) >= ENTRY_SHARE * len(rows) and falling <= MAX_FALLING * len(numbers)


def _skip(view: PageView, found: Sequence[Sequence[Line]]) -> list[Skip]:
    lines = sorted((line for row in found for line in row), key=lambda line: line.order)
    view.take(lines)
    return [Skip(fragment_ids=ids_of(lines), reason="contents")] if lines else []


def _lines_of_run(view: PageView, run: ContentsRun) -> list[Line]:
    """The free lines of the run, and page numbers in a column beside it."""
    inside = view.lines[run.first : run.last + 1]
    top, bottom = min(line.y0 for line in inside), max(line.y1 for line in inside)
    return [
        line
        for line in view.free
        if run.first <= line.order <= run.last or (top < line.middle < bottom and _PAGE.fullmatch(line.text))
    ]


def _rows_of_page(rows: Sequence[list[Line]]) -> list[list[Line]]:
    """On a page of contents: all rows from below its title (or from the first entry) to the last entry."""
    entries = [n for n, row in enumerate(rows) if _is_entry(row)]
    if not entries:
        return []
    titles = [n + 1 for n, row in enumerate(rows) if CONTENTS_TITLE.match(row[0].text.strip()) and n < entries[0]]
    return list(rows[max(titles, default=entries[0]) : entries[-1] + 1])


def _is_entry(row: Sequence[Line]) -> bool:
    return bool((len(row) > 1 and _PAGE.fullmatch(row[-1].text)) or _ENDS_IN_PAGE.search(row[-1].text))


def _without_leaders(rows: Sequence[list[Line]], profile: Profile) -> list[list[Line]]:
    """Rows of words that end in a page number, if they are below a title `Contents` or nearly all match bookmarks."""
    paged = [row for row in rows if _is_entry(row)]
    keys = {hint.key for hint in profile.outline}
    known = sum(_entry_key(row) in keys for row in paged)
    titled = any(CONTENTS_TITLE.match(row[0].text.strip()) for row in rows if len(row) == 1)
    many = len(paged) >= 0.5 * len(rows)
    return paged if many and (known >= 0.7 * len(paged) or (titled and not keys)) else []


def _entry_key(row: Sequence[Line]) -> str:
    text = " ".join(line.text for line in row)
    return title_key(re.sub(r"\s\d{1,4}$", "", text))


def _with_neighbours(rows: Sequence[list[Line]], entries: Sequence[list[Line]]) -> list[list[Line]]:
    """The entries, with entries without leader whose page number is in the same column, and first lines of long
    entries."""
    right = max(row[-1].x1 for row in entries)
    chosen = {id(row) for row in entries}
    first = min(row[0].y0 for row in entries)
    last = max(row[0].y1 for row in entries)
    found: list[list[Line]] = []
    for row in rows:
        aligned = len(row) > 1 and _PAGE.fullmatch(row[-1].text) and abs(row[-1].x1 - right) <= SAME_EDGE_PT
        between = first < row[0].middle < last and row[-1].x1 < right - 20
        if id(row) in chosen or aligned or between:
            found.append(row)
    return found
