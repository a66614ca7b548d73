"""Shapes of running lines and names of styles, computed identically for sketches and by the layout engine."""

import re
from collections.abc import Sequence
from statistics import median

from shared.domain.geometry import Rect
from shared.domain.page import Fragment, Rule

EDGE_ROWS = 4
MAX_NUMBERS = 6
# Furniture is in the outer parts of the page (share of its height).
EDGE_SHARE = 0.16
# A line wider than this share of the page is of the text's one column; at least so many say where that is.
WIDE_SHARE = 0.5
MIN_WIDE = 5
# What is a running line's page number stands at least this share of the page's width from its words.
FAR = 0.1
# ... and is set much like them; a title is so many times as large.
TITLE = 1.3
_NUMBER = re.compile(r"\d+")
_LONE = re.compile(r"^[-\u2013\u2014\s]*[0-9]{1,4}[-\u2013\u2014\s]*$")
_ROMAN = re.compile(r"^[ivxlc]{1,7}$", re.I)


def shape_of(text: str) -> str:
    """`Page 3 of 12` → `page # of #`: the part that is the same on every page; a roman numeral alone counts as a
    number."""
    stripped = " ".join(text.split()).lower()
    return "#" if _ROMAN.match(stripped) else _NUMBER.sub("#", stripped)[:120]


def numbers_in(text: str) -> list[int]:
    """The first numbers of a row, which `shape_of` leaves out; of long ones the last nine digits."""
    return [int(number[-9:]) for number in _NUMBER.findall(text)[:MAX_NUMBERS]]


def style_of(fragment: Fragment) -> str:
    """Font family without subset tag and size to half a point: `Sans-Bold|11.5`."""
    return f"{fragment.font.split('+')[-1]}|{round(fragment.size * 2) / 2:g}"


def edge_rows(fragments: Sequence[Fragment], top: bool) -> list[tuple[float, list[Fragment]]]:
    """The outermost rows of the page in its edge zone, each with its distance from the top, outermost first."""
    near = [f for f in fragments if (_middle(f) < EDGE_SHARE if top else _middle(f) > 1 - EDGE_SHARE)]
    near.sort(key=lambda f: _middle(f), reverse=not top)
    rows: list[tuple[float, list[Fragment]]] = []
    for fragment in near:
        middle = _middle(fragment)
        if rows and abs(rows[-1][0] - middle) < 0.5 * fragment.box.h:
            rows[-1][1].append(fragment)
        else:
            rows.append((middle, [fragment]))
    return [(y, sorted(row, key=lambda f: f.box.x)) for y, row in rows[:EDGE_ROWS]]


def margin_fragments(fragments: Sequence[Fragment]) -> list[Fragment]:
    """What stands wholly left or right of the page's one column of text, beside it; [] where there is no such
    column."""
    wide = [f.box for f in fragments if f.box.w > WIDE_SHARE]
    if len(wide) < MIN_WIDE:
        return []
    left, right = median(box.x for box in wide), median(box.right for box in wide)
    text = [f for f in fragments if f.box.right > left and f.box.x < right]
    top, bottom = min(f.box.y for f in text), max(f.box.bottom for f in text)
    return [f for f in fragments if (f.box.right <= left or f.box.x >= right) and top <= _middle(f) <= bottom]


def lowest_row(fragments: Sequence[Fragment]) -> list[Fragment]:
    """The lowest row of the page from the left, wherever it stands; [] where there is none."""
    low = max(fragments, key=_middle, default=None)
    if low is None:
        return []
    return sorted((f for f in fragments if abs(_middle(f) - _middle(low)) < 0.5 * low.box.h), key=lambda f: f.box.x)


def _middle(fragment: Fragment) -> float:
    return fragment.box.y + fragment.box.h / 2


def place_of(box: Rect) -> str:
    """The position of a picture, to a hundredth of the page: pictures at one position on many pages are furniture."""
    return f"{box.x:.2f} {box.y:.2f} {box.w:.2f} {box.h:.2f}"


def place_of_rule(rule: Rule) -> str | None:
    """The position of a wide horizontal rule near the top or bottom, to 1/200 of the height; None for other rules."""
    near_edge = rule.y0 < EDGE_SHARE or rule.y1 > 1 - EDGE_SHARE
    if rule.fill or not near_edge or rule.x1 - rule.x0 < 0.3 or rule.y1 - rule.y0 > 0.01:
        return None
    return f"{round(rule.y0 * 200)} {rule.x0:.2f} {rule.x1:.2f}"


def numbers_apart(row: Sequence[Fragment]) -> list[int]:
    """Whole numbers that are the first or the last piece of a row from the left, far from the piece beside them, which
    is not much larger: that of a slide is its title."""
    ends = [(row[0], row[1]), (row[-1], row[-2])] if len(row) > 1 else []
    apart = [
        end
        for end, beside in ends
        if max(beside.box.x - end.box.right, end.box.x - beside.box.right) >= FAR and beside.size < TITLE * end.size
    ]
    return [int("".join(filter(str.isdigit, end.text))) for end in apart if _LONE.match(end.text)]


def lone_numbers(fragments: Sequence[Fragment]) -> dict[str, int]:
    """Whole numbers that are alone in the topmost or the lowest row of the page, by fragment id."""
    if not fragments:
        return {}
    top = min(fragments, key=_middle)
    low = max(fragments, key=_middle)
    found: dict[str, int] = {}
    for edge in (top, low):
        alone = not any(f is not edge and abs(_middle(f) - _middle(edge)) < 0.5 * edge.box.h for f in fragments)
        if alone and _LONE.match(edge.text):
            found[edge.id] = int("".join(c for c in edge.text if c.isdigit()))
    return found
