"""Candidates for titles on a page: rows without neighbours, and rows that end in a page number."""

import re
from typing import NamedTuple

from shared.domain.page import Fragment, PageFile
from shared.domain.sketch import ContentsLine, StandingLine
from shared.domain.standing import Row, reads_like_title, standing_rows

MAX_LINES = 80
MIN_LEADER = 3
LEADERS = ".\u2026\u00b7_"
_NUMBER_AT_END = re.compile(rf"(?<![^\s{LEADERS}])\d{{1,4}}$")


class _Entry(NamedTuple):
    title: str
    number: int
    leader: bool


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
        entry = _entry(" ".join([f.text for f in row]))
        if entry:
            found.append(
                ContentsLine(
                    text=entry.title[:160], number=entry.number, x=row[0].box.x * page.width_pt, leader=entry.leader
                )
            )
    return found[:MAX_LINES] if len(found) >= 3 else []


def _entry(text: str) -> _Entry | None:
    """Words, white space or a leader of dots, and a number of up to four digits; in one look from the end."""
    matched = _NUMBER_AT_END.search(text, max(0, len(text) - 5)) if text[-1:].isdecimal() else None
    if matched is None:
        return None
    before = text[: matched.start()]
    title = before.rstrip(LEADERS + " \t\u00a0")
    leader = sum(not c.isspace() for c in before[len(title) :]) >= MIN_LEADER
    title = title if leader else before.rstrip()
    if not (leader or before[-1:].isspace()) or not any(c.isalpha() for c in title):
        return None
    return _Entry(title.strip(), int(matched[0]), leader)


def _visual_rows(page: PageFile) -> list[list[Fragment]]:
    rows: list[list[Fragment]] = []
    for fragment in sorted(page.fragments, key=lambda f: (f.box.y + f.box.h / 2, f.box.x)):
        last = rows[-1][-1] if rows else None
        if last and last.box.y <= fragment.box.y + fragment.box.h / 2 <= last.box.bottom:
            rows[-1].append(fragment)
        else:
            rows.append([fragment])
    return [sorted(row, key=lambda f: f.box.x) for row in rows]
