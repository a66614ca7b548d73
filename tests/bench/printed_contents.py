"""Gold from printed tables of contents, read with PyMuPDF's words alone, independent of the engine that is measured."""

import re
from collections import Counter
from typing import Any, NamedTuple

from shared.extraction.profile import title_key
from shared.readers.pdf.document import PdfSource

FIRST_PAGES = 15
_TITLE = re.compile(r"(?im)^\W*(?:table of )?contents\W*$")
_ENTRY = re.compile(r"^(?P<title>.*[^\W\d_]{3}.*?)[\s.\u2026_]+(?P<page>\d{1,3})$")
_LEADERS = re.compile(r"(?:[.\u2026]\s?){4,}\d{1,3}$")


class Entry(NamedTuple):
    """A title and the page of the file that it stands on."""

    title: str
    page: int


def contents_of(source: PdfSource) -> list[Entry]:
    """Entries whose title stands, word for word, on the page they name (printed numbers shifted by what most need).
    Titles that wrapped in the contents, and whatever else is no entry, fall out that way."""
    printed = [entry for n in range(1, min(FIRST_PAGES, source.page_count) + 1) for entry in _printed(source, n)]
    texts = {n: title_key(str(source.document[n - 1].get_text())) for n in range(1, source.page_count + 1)}
    shifts = Counter(n - entry.page for entry in printed for n, text in texts.items() if title_key(entry.title) in text)
    shift = shifts.most_common(1)[0][0] if shifts else 0
    moved = [Entry(entry.title, entry.page + shift) for entry in printed]
    return list(dict.fromkeys(e for e in moved if title_key(e.title) in texts.get(e.page, "")))


def _printed(source: PdfSource, number: int) -> list[Entry]:
    page = source.document[number - 1]
    words: Any = page.get_text("words")
    rows = _rows(words)
    leaders = sum(_LEADERS.search(row) is not None for row in rows)
    if leaders < 5 and not _TITLE.search(str(page.get_text())):
        return []
    matched = [m for row in rows if (m := _ENTRY.match(row))]
    if len(matched) < 3:
        return []
    return [Entry(" ".join(m["title"].split()), int(m["page"])) for m in matched]


def _rows(words: list[tuple[float, float, float, float, str]]) -> list[str]:
    rows: dict[int, list[tuple[float, str]]] = {}
    for x0, _, _, y1, text, *_ in words:
        key = next((k for k in rows if abs(k - y1) <= 3), round(y1))
        rows.setdefault(key, []).append((x0, text))
    return [" ".join(text for _, text in sorted(row)) for _, row in sorted(rows.items())]
