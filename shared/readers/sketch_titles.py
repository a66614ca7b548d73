"""What a page adds to the document's knowledge of titles: rows that stand alone, rows that end in a page number."""

import re

from shared.domain.page import Fragment, PageFile
from shared.domain.sketch import ContentsLine, StandingLine
from shared.domain.standing import Row, reads_like_title, standing_rows

MAX_LINES = 80
_PAGE_AT_END = re.compile(
    r"^(?P<title>.*?[^\W\d_].*?)(?P<leader>(?:\s*[.\u2026\u00b7_]){3,}|\s)\s*(?P<number>\d{1,4})$"
)


def standing_lines(page: PageFile) -> list[StandingLine]:
    """Rows that nothing stands beside and that read like a title, in reading order."""
    rows = standing_rows(page.fragments, page.width_pt, page.height_pt)
    return [_line(page, row) for row in rows if row.alone and reads_like_title(row.text, row.style)][:MAX_LINES]


def _line(page: PageFile, row: Row) -> StandingLine:
    parts = page.fragments[row.first : row.last + 1]
    return StandingLine(
        text=row.text, style=row.style, bold=all(p.bold for p in parts), italic=all(p.italic for p in parts),
        x=round(100 * row.left / page.width_pt), above=round(row.above, 2), below=round(row.below, 2),
        following=row.following, aligned=row.aligned,
    )  # fmt: skip


def contents_lines(page: PageFile) -> list[ContentsLine]:
    """Visual rows whose last word is a number, with words in front of it, from the top."""
    found: list[ContentsLine] = []
    for row in _visual_rows(page):
        matched = _PAGE_AT_END.match(" ".join(f.text for f in row))
        if matched:
            found.append(
                ContentsLine(
                    text=matched["title"].strip()[:160], number=int(matched["number"]), x=row[0].box.x * page.width_pt,
                    leader=len(matched["leader"].strip()) > 0,
                )
            )  # fmt: skip
    return found[:MAX_LINES] if len(found) >= 3 else []


def _visual_rows(page: PageFile) -> list[list[Fragment]]:
    rows: list[list[Fragment]] = []
    for fragment in sorted(page.fragments, key=lambda f: (f.box.y + f.box.h / 2, f.box.x)):
        last = rows[-1][-1] if rows else None
        if last and last.box.y <= fragment.box.y + fragment.box.h / 2 <= last.box.bottom:
            rows[-1].append(fragment)
        else:
            rows.append([fragment])
    return [sorted(row, key=lambda f: f.box.x) for row in rows]
