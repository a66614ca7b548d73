"""Candidates for titles on a page: rows without neighbours, and rows that end in a page number."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from shared.domain.page import Fragment, PageFile
from shared.domain.sketch import MAX_KEY, ContentsLine, NumberedLine, StandingLine
from shared.domain.standing import Row, reads_like_title
from shared.values.addresses import normalise, printed_address

MAX_LINES = 80
MIN_LEADER = 3
LEADERS = ".\u2026\u00b7_"
MAX_NUMBERED = 120
# White space or a leader, and a page number: 12, xii, B-12, 3-4.
_PAGE = re.compile(r"\d{1,4}|[ivxlc]{1,7}|[A-Z\d]{1,3}[-\u2013]\d{1,3}")
_PAGE_AT_END = re.compile(rf"(?<![\s{LEADERS}])[\s{LEADERS}]++(?P<page>{_PAGE.pattern})$")
_LEADER = re.compile(rf"(?:[{LEADERS}]\s?|(?!)){{4,}}+")
# Share of the rows with leaders that must lead to a page number: in a table of values they lead to any, often several.
TO_PAGES_SHARE = 0.6
_NUMBER_AT_END = re.compile(rf"(?<![^\s{LEADERS}])\d{{1,4}}$")


class _Entry(NamedTuple):
    title: str
    number: int
    leader: bool


def standing_lines(page: PageFile, rows: Sequence[Row]) -> list[StandingLine]:
    """Rows of the page that nothing stands beside and that read like a title, in reading order."""
    return [_line(page, row) for row in rows if row.alone and reads_like_title(row.text, row.style)][:MAX_LINES]


def _line(page: PageFile, row: Row) -> StandingLine:
    parts = page.fragments[row.first : row.last + 1]
    return StandingLine(
        text=row.text, style=row.style, bold=all(p.bold for p in parts), italic=all(p.italic for p in parts),
        x=round(100 * row.left / page.width_pt), above=round(row.above, 2), below=round(row.below, 2),
        following=row.following, aligned=row.aligned,
    )  # fmt: skip


def contents_lines(page: PageFile) -> list[ContentsLine]:
    """Visual rows whose last word is a number, with words in front of it, from the top; none where leaders lead to
    values."""
    found: list[ContentsLine] = []
    led = to_pages = 0
    for row in _visual_rows(page):
        text = " ".join([f.text for f in row])
        leader = _LEADER.search(text)
        led += leader is not None
        to_pages += leader is not None and _PAGE.fullmatch(text[leader.end() :].strip()) is not None
        entry = _entry(text)
        if entry:
            found.append(
                ContentsLine(
                    text=entry.title[:160], number=entry.number, x=row[0].box.x * page.width_pt, leader=entry.leader
                )
            )
    return found[:MAX_LINES] if len(found) >= 3 and to_pages >= TO_PAGES_SHARE * led else []


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


def numbered_lines(page: PageFile, rows: Sequence[Row]) -> list[NumberedLine]:
    """Rows of the page that begin with an address and have a title behind it, perhaps as a piece of its own."""
    found: list[NumberedLine] = []
    at = 0
    for number, row in enumerate(rows):
        printed = printed_address(row.text)
        if printed:
            pieces = _pieces_behind(page, rows[number : number + 3])
            length = sum(len(piece.text) for piece in pieces)
            title, label = _title_and_label(" ".join(piece.text for piece in pieces)[printed[1] :])
            if any(map(str.isalpha, title)):
                found.append(
                    NumberedLine(
                        first=row.first, last=pieces[-1].last, address=normalise(printed[0]), title=title[:MAX_KEY],
                        at=at, length=length, label=label,
                    )
                )  # fmt: skip
        at += len(row.text)
    return found[:MAX_NUMBERED]


def _pieces_behind(page: PageFile, rows: Sequence[Row]) -> list[Row]:
    """The first of `rows` with those that stand behind it on its line: its title, its page number."""
    pieces = list(rows[:1])
    for row in rows[1:]:
        a, b = page.fragments[pieces[-1].last].box, page.fragments[row.first].box
        if a.right > b.x or not a.y < b.y + b.h / 2 < a.bottom:
            break
        pieces.append(row)
    return pieces


def _title_and_label(rest: str) -> tuple[str, int | None]:
    """Letters and digits of a title, and the page number behind it."""
    matched = _PAGE_AT_END.search(rest)
    title = "".join(filter(str.isalnum, (rest[: matched.start()] if matched else rest).lower()))
    return title, int(matched["page"]) if matched and matched["page"].isdecimal() else None
