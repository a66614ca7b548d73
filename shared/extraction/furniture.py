"""Furniture: text on a page that is not content, such as running headers and footers, page numbers and watermarks."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from shared.domain.operations import Skip, SkipReason
from shared.domain.page import Fragment
from shared.domain.shapes import edge_rows, lone_numbers, lowest_row, margin_fragments, numbers_in, shape_of
from shared.domain.sketch import Furniture, Profile
from shared.extraction.page_view import Line, PageView
from shared.extraction.tables.rows import is_figure

_PAGE_NUMBER = re.compile(r"^\W{0,40}(?:page|p\.|pg\.?|seite|página)?\W{0,40}#(?:\s*(?:of|/|de|von|sur|-|\|)\s*#)?\W*$")
_PAGE_WORD = re.compile(r"^\W{0,40}(?:page|seite|página)\W{0,40}#(?:\s*(?:of|/|de|von)\s*#)?\W*$")
# The position of a running line may differ by this share of the page, as between left and right pages.
SAME_HEIGHT = 0.015
WATERMARK_SIZE = 2.5
INNER_SHARE = 0.4
LARGER = 1.08
BODY_SIZE = 0.95
# In a document too short for lines to repeat: a row this near the edge (share of the page), at least this many of its
# heights away from the next one, with a page number at either end.
FEW_PAGES = 2
OUTER_SHARE = 0.08
# Most pieces of a running line, and rows below one among which a table's cells are looked for.
MAX_PIECES = 3
ROWS_BELOW = 2
APART = 2.0
# Pieces of a row, all but one of them numbers, from which it is a row of a table.
MIN_VALUES = 4


def skip_furniture(view: PageView, profile: Profile) -> list[Skip]:
    """Returns the skips of this page and takes their lines."""
    skips = [*_edges(view, profile, top=True), *_edges(view, profile, top=False), *_watermarks(view, profile)]
    if profile.pages <= FEW_PAGES:
        skips += [*_lone_row(view, top=True), *_lone_row(view, top=False)]
    return [
        *skips,
        *_counting(view, profile),
        *_page_numbers(view, profile),
        *_margins(view, profile),
        *_invisible(view),
    ]


def _lone_row(view: PageView, top: bool) -> Iterator[Skip]:
    """A row with a page number at the page's edge, well away from everything else."""
    lines = {line.id: line for line in view.free}
    rows = edge_rows([line.fragment for line in lines.values()], top)
    if not rows or len(lines) == len(rows[0][1]):
        return
    row = [lines[fragment.id] for fragment in rows[0][1]]
    distance = rows[0][0] if top else 1 - rows[0][0]
    others = [line for line in lines.values() if line not in row]
    gap = (
        min(o.y0 for o in others) - max(x.y1 for x in row)
        if top
        else min(x.y0 for x in row) - max(o.y1 for o in others)
    )
    numbered = [_PAGE_NUMBER.match(shape_of(line.text)) is not None for line in row]
    if distance <= OUTER_SHARE and gap >= APART * row[0].height and (numbered[0] or numbered[-1]):
        yield _skip(view, row, "page_number" if all(numbered) else "header" if top else "footer")


def _counting(view: PageView, profile: Profile) -> Iterator[Skip]:
    """The lowest row, wherever it stands, if it counts the pages as on others and is not set like a heading."""
    lines = {line.id: line for line in view.free}
    row = lowest_row([line.fragment for line in lines.values()])
    text = " ".join(fragment.text for fragment in row)
    shape, numbers = shape_of(text), numbers_in(text)
    counts = (c for c in profile.counting if c.shape == shape and numbers[c.place] - view.page.page in c.offsets)
    if any(counts) and not _is_heading_like(row, profile):
        yield _skip(view, [lines[fragment.id] for fragment in row], "footer")


def _margins(view: PageView, profile: Profile) -> Iterator[Skip]:
    """Running heads and page numbers beside the text's column."""
    free = {line.id: line for line in view.free}
    for fragment in margin_fragments(view.page.fragments) if profile.margins else []:
        shape = shape_of(fragment.text)
        if fragment.id in free and any(_is(one, shape, fragment.box.y, top=True) for one in profile.margins):
            yield _skip(view, [free[fragment.id]], "page_number" if _PAGE_NUMBER.match(shape) else "header")


def _page_numbers(view: PageView, profile: Profile) -> Iterator[Skip]:
    """A single number in the last row, wherever that is, that counts up from page to page."""
    free = view.free
    for identifier, number in lone_numbers([line.fragment for line in free]).items():
        if number - view.page.page in profile.page_offsets:
            yield _skip(view, [line for line in free if line.id == identifier], "page_number")


def _edges(view: PageView, profile: Profile, top: bool) -> Iterator[Skip]:
    """Running lines from the page's edge inwards, up to the first row that is not one."""
    lines = {line.id: line for line in view.lines}
    rows = edge_rows(view.page.fragments, top)
    for rank, (y, row) in enumerate(rows):
        shape = shape_of(" ".join(fragment.text for fragment in row))
        heading = _is_heading_like(row, profile)
        reason = _reason(shape, y, profile, top, heading) or _partly_repeated(row, y, profile, top, heading)
        if reason is None or (
            rank and reason != "page_number" and not _is_inner_running_line(shape, y, row, profile, top)
        ):
            return
        if _are_values(row) or (top and _is_table_header(row, view.page.fragments, profile)):
            return
        yield _skip(view, [lines[fragment.id] for fragment in row], reason)


def _are_values(row: Sequence[Fragment]) -> bool:
    """Whether the row is several numbers beside a label at most: one of a table, on however many pages it stands."""
    return len(row) >= MIN_VALUES and sum(not is_figure(fragment.text) for fragment in row) <= 1


def _is_inner_running_line(shape: str, y: float, row: list[Fragment], profile: Profile, top: bool) -> bool:
    """Whether a row below the outermost one is a running line: it must be frequent, and not a table's header cells."""
    pages = max((f.pages for f in profile.furniture if _is(f, shape, y, top)), default=0)
    return len(row) <= 2 and pages >= INNER_SHARE * profile.pages


def _is_heading_like(row: list[Fragment], profile: Profile) -> bool:
    """Whether the row is larger than the body, or bold where the body is not."""
    bold = "bold" not in profile.body_style.lower()
    size = profile.body_size
    return all(f.size >= LARGER * size or (bold and f.bold and f.size >= BODY_SIZE * size) for f in row)


def _reason(shape: str, y: float, profile: Profile, top: bool, heading: bool = False) -> SkipReason | None:
    """Why a row is a running line, or None. With `heading` (set like one) None where rows of its shape may be
    headings."""
    if _PAGE_WORD.match(shape):
        return "page_number"
    found = [f for f in profile.furniture if _is(f, shape, y, top)]
    if all(heading and f.heads and not _is_everywhere(f, profile) for f in found):
        return None
    if _PAGE_NUMBER.match(shape):
        return "page_number"
    return "header" if top else "footer"


def _is_everywhere(furniture: Furniture, profile: Profile) -> bool:
    """Whether the words, without a number, stand on so many pages at one height that they are the heading of none."""
    return "#" not in furniture.shape and furniture.pages >= INNER_SHARE * profile.pages


def _rows_below(row: list[Fragment], fragments: Sequence[Fragment]) -> list[list[Fragment]]:
    """The next rows, from left to right."""
    rows: list[list[Fragment]] = []
    for fragment in sorted((f for f in fragments if f.box.y >= row[0].box.bottom), key=lambda f: f.box.y):
        if rows and fragment.box.y < rows[-1][0].box.y + rows[-1][0].box.h / 2:
            rows[-1].append(fragment)
        elif len(rows) == ROWS_BELOW:
            break
        else:
            rows.append([fragment])
    return [sorted(below, key=lambda f: f.box.x) for below in rows]


def _is_table_header(row: list[Fragment], fragments: Sequence[Fragment], profile: Profile) -> bool:
    """Whether the row is the header of a table at the top of the page: its pieces are over the cells of the next row,
    which is no running line of few pieces; the name of a group of rows may be between."""
    above = row
    title = LARGER * max(row[0].size, profile.body_size)
    for cells in _rows_below(row, fragments) if len(row) > 1 else []:
        if cells[0].box.y - above[0].box.bottom > 2 * row[0].box.h or cells[0].size >= title:
            return False
        shape, y = shape_of(" ".join(fragment.text for fragment in cells)), _middle(cells[0])
        if len(cells) <= MAX_PIECES and _reason(shape, y, profile, top=True):
            return False
        if len(cells) > 1:
            return sum(_is_over(piece, cells) for piece in row) >= max(2, 0.5 * len(row))
        above = cells
    return False


def _middle(fragment: Fragment) -> float:
    return fragment.box.y + fragment.box.h / 2


def _is_over(piece: Fragment, cells: list[Fragment]) -> bool:
    """Whether the piece is above one of the cells, or in the middle above two beside each other."""
    box, middle = piece.box, piece.box.x + piece.box.right
    one = any(min(box.right, cell.box.right) > max(box.x, cell.box.x) for cell in cells)
    return one or any(abs(a.box.x + b.box.right - middle) <= 2 * SAME_HEIGHT for a, b in pairwise(cells))


def _partly_repeated(row: list[Fragment], y: float, profile: Profile, top: bool, heading: bool) -> SkipReason | None:
    """The reason of a running line of two or three pieces of which one changes from chapter to chapter."""
    if not 2 <= len(row) <= MAX_PIECES:
        return None
    first, last = shape_of(row[0].text), shape_of(row[-1].text)
    near = [f for f in profile.furniture if f.top == top and abs(f.y - y) <= SAME_HEIGHT]
    at_height = [f.shape for f in near if not (heading and f.heads)]
    known = any((len(first) > 3 and s.startswith(first)) or (len(last) > 3 and s.endswith(last)) for s in at_height)
    return ("header" if top else "footer") if known else None


def _is(furniture: Furniture, shape: str, y: float, top: bool) -> bool:
    return furniture.top == top and furniture.shape == shape and abs(furniture.y - y) <= SAME_HEIGHT


def _skip(view: PageView, lines: list[Line], reason: SkipReason) -> Skip:
    view.take(lines)
    return Skip(fragment_ids=[line.id for line in lines], reason=reason)


def _watermarks(view: PageView, profile: Profile) -> Iterator[Skip]:
    """Large rotated text."""
    found = [line for line in view.free if _is_watermark(line.fragment, profile)]
    if found:
        yield _skip(view, found, "watermark")


def _is_watermark(fragment: Fragment, profile: Profile) -> bool:
    return fragment.direction == "rotated" and fragment.size >= WATERMARK_SIZE * profile.body_size


def _invisible(view: PageView) -> Iterator[Skip]:
    """Invisible text on a page that has other text.

    Where all text is invisible (a scan with an OCR text layer) or a picture is behind it, it is kept, as the only text
    there is.
    """
    hidden = [line for line in view.free if line.fragment.invisible]
    if hidden and len(hidden) < len(view.free) and not view.page.images:
        yield _skip(view, hidden, "invisible")
