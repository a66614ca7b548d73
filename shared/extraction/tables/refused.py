"""What stands in rows and columns and is no table: formulas, listings, numbered lines, indexes, diagrams."""

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from itertools import islice, pairwise, takewhile
from operator import itemgetter

from shared.extraction.page_view import Line, is_mono, rows_of
from shared.extraction.tables.margin import is_beside_text
from shared.extraction.tables.regions import FRAME_PT, TOUCH_PT, Region, Segment
from shared.extraction.tables.rows import counts_up, is_figure
from shared.extraction.text_signs import unmapped

FORMULA_SHARE = 0.6
UNREADABLE_SHARE = 0.5
CODE_SHARE = 0.2
# Lines of a matrix between its brackets; others name it.
MATRIX_SHARE = 0.8
# Lines that lead from box to box, at least.
MIN_LEADING = 2
# Numbered lines, at least, and how far numbers of lines are from equal steps, in points.
MIN_NUMBERED = 3
OFF_STEP_PT = 1.0
SAME_EDGE_PT = 2.0
# Lists of pages in an index, at least.
MIN_LISTS = 2
_RELATION = re.compile(
    r"^[=\u2261\u2264\u2265\u2248\u221d\u2208]|^\u21d2$|^::(?!=)|\s=(?:\s|$)|[\u2208\u2264\u2265\u2261\u2248\u221d]\s*\S"
)
_DEFINES = re.compile(r"^::?=")
_SIDES = re.compile(r"^(?:[=\u2261\u2264\u2265]|::)")
_CODE = re.compile(r"[{};=]|\w\(|//|/\*|\*/|^\s*(?:#(?!#*$)|--(?!-*$)|\$ )|->|::|\\(?:[A-Za-z@]|$)")
_EQUATION = re.compile(r"^\((?:[A-Z\d]+[.\-])*(\d{1,3})\)$")
_LEADS = re.compile(r"(?:\.\s?){4,}")
_PAGE = re.compile(r"\d+")
_PAGES = re.compile(r"^(?:[.\s]*)\d{1,4}(?:[-\u2013]\d{1,4})?(?:, \d{1,4}(?:[-\u2013]\d{1,4})?)*,?$")
_CAPTION = re.compile(r"^\([^\W\d_]")
_NO_WORD = re.compile(r"^(?:\d{1,6}|\W+)$")
# Pieces that large parentheses and brackets are built of, in Unicode and as the fonts of TeX and Symbol have them.
_OPENING = re.compile(r"^[\s\u239b-\u239d\u23a1-\u23a3\uf8eb-\uf8f0]+$")
_CLOSING = re.compile(r"^[\s\u239e-\u23a0\u23a4-\u23a6\uf8f6-\uf8fb]+$")
# A line with a postal code and a town, as they are set in Poland, on the continent, in the USA and in Britain.
_TOWN = re.compile(
    r"^\d{2}-\d{3} [^\W\d]|^(?:[A-Z]{1,3}-)?\d{4,5} [^\W\d_]{2}|[^\W\d], [A-Z]{2} \d{5}(?:-\d{4})?$"
    r"|(?:^|\s)[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}$"
)


def is_something_else(region: Region, free: Sequence[Line]) -> bool:
    """Whether the region is no table, whatever stands side by side in it. `free`: the lines of the page."""
    rows = rows_of(region.lines)
    if _is_unreadable(region) or _is_matrix(region, free) or _is_grammar(rows):
        return True
    if region.kind == "grid" and _is_titled_frame(region):
        return True
    if region.kind == "grid" and _is_undivided(region):
        return _is_code(rows) or _is_framed_formula(region, rows)
    return region.kind == "aligned" and (
        _is_formula(rows)
        or _are_equations(region)
        or _is_code(rows_of(region.body))
        or _is_captioned(rows)
        or _are_numbered(rows, free)
        or _is_index(rows)
        or _are_repeated_labels(rows, free)
        or _are_addresses(rows)
        or is_beside_text(region)
    )


def _is_undivided(region: Region) -> bool:
    """Whether the drawn grid is a frame alone: no upright rule is within it."""
    return not any(region.x0 + FRAME_PT < x < region.x1 - FRAME_PT for x, _, _ in region.vertical)


def _is_titled_frame(region: Region) -> bool:
    """Whether the drawn grid is a frame alone whose title stands in a small box on its upper edge."""
    left, right = region.x0 + FRAME_PT, region.x1 - FRAME_PT
    across = [y for y, x0, x1 in region.horizontal if x0 <= left and x1 >= right]
    inner = [wall for wall in region.vertical if left < wall[0] < right]
    sides = [wall for wall in region.vertical if not left < wall[0] < right]
    return bool(across and inner and sides) and all(
        (y0 + y1) / 2 <= min(across) and y0 + TOUCH_PT < min(side[1] for side in sides) for _, y0, y1 in inner
    )


def are_joined(region: Region) -> bool:
    """Whether lines lead from one drawn box to the next, with nothing else between the two: a diagram."""
    texts = [(line.middle, line.x0, line.x1) for line in region.lines]
    others = sorted([*region.horizontal, *texts])
    places: dict[int, list[Segment]] = {}
    for side in region.vertical:
        places.setdefault(round(side[0]), []).append(side)
    return sum(_leads(rule, places, others) for rule in region.horizontal) >= MIN_LEADING


def _leads(rule: Segment, places: Mapping[int, Sequence[Segment]], others: Sequence[Segment]) -> bool:
    """Whether the rule goes from the middle of a side to that of another, with none of the others (from the top)
    between the two."""
    at, start, end = rule
    met = [
        [
            side
            for place in range(round(x) - 2, round(x) + 3)
            for side in places.get(place, ())
            if side[1] + TOUCH_PT < at < side[2] - TOUCH_PT
        ]
        for x in (start, end)
    ]
    if not all(met) or end - start <= TOUCH_PT:
        return False
    first, last = max(found[0][1] for found in met), min(found[0][2] for found in met)
    begin = bisect_left(others, first - TOUCH_PT, key=itemgetter(0))
    near = takewhile(lambda one: one[0] <= last + TOUCH_PT, islice(others, begin, None))
    return not any(one != rule and one[1] < end - TOUCH_PT and one[2] > start + TOUCH_PT for one in near)


def are_options(region: Region, labels: Collection[str]) -> bool:
    """Whether everything in the region is the label of a box to tick, or a further line of one: a question's answers in
    columns. `labels`: the ids of the lines that a box stands before."""
    ticked = [line for line in region.lines if line.id in labels]
    return region.kind == "aligned" and all(
        line in ticked or any(abs(line.x0 - one.x0) <= SAME_EDGE_PT and one.y0 < line.y0 for one in ticked)
        for line in region.lines
    )


def _is_captioned(rows: Sequence[Sequence[Line]]) -> bool:
    """Whether each row has a row of captions in parentheses below it, as on the cover of a filing."""
    values, captions, closed = 0, 0, True
    for row in rows:
        begins = len(row) > 1 and all(_CAPTION.match(line.text) for line in row)
        captions += begins
        values += closed and not begins
        closed = all(line.text.rstrip().endswith(")") for line in row) if begins or not closed else closed
    return 0 < values <= captions


def _is_matrix(region: Region, free: Sequence[Line]) -> bool:
    """Whether most of the region stands between the pieces of a large bracket and those of another right of it, in a
    grid with walls all of it: cells may hold matrices."""
    divided = region.kind == "grid" and not _is_undivided(region)
    level = region.lines if divided else [x for x in free if x.y0 < region.y1 and x.y1 > region.y0]
    opening = [line for line in level if _OPENING.match(line.text)]
    closing = [line for line in level if _CLOSING.match(line.text)]
    if not opening or not closing:
        return False
    left, right = min(line.x0 for line in opening), max(line.x1 for line in closing)
    top, bottom = min(line.y0 for line in opening), max(line.y1 for line in opening)
    inner = [line for line in region.lines if any(map(str.isalnum, line.text))]
    between = sum(left < line.x0 and line.x1 < right and line.y1 > top and line.y0 < bottom for line in inner)
    return between >= (1.0 if divided else MATRIX_SHARE) * len(inner)


def _is_formula(rows: Sequence[Sequence[Line]]) -> bool:
    """Whether most rows have an equals or similar sign between two sides, as equations do."""
    return sum(_is_related(row) for row in rows) >= FORMULA_SHARE * len(rows)


def _is_related(row: Sequence[Line]) -> bool:
    """Whether the row has a sign of relation; less or more than a number is a result."""
    if any(_RELATION.search(line.text) for line in row):
        return True
    return any(sign.text in ("<", ">") and not is_figure(side.text) for sign, side in pairwise(row))


def _is_framed_formula(region: Region, rows: Sequence[Sequence[Line]]) -> bool:
    """Whether nothing divides a frame and most rows have a second side that begins with a sign of relation."""
    across = [y for y, _, _ in region.horizontal if region.y0 + TOUCH_PT < y < region.y1 - TOUCH_PT]
    return not across and sum(any(_SIDES.match(x.text) for x in row[1:]) for row in rows) >= FORMULA_SHARE * len(rows)


def _is_grammar(rows: Sequence[Sequence[Line]]) -> bool:
    """Whether each row defines a symbol or is a further alternative: rules of a grammar."""
    defined = sum(any(_DEFINES.match(line.text) for line in row[1:]) for row in rows)
    return defined > 0 and defined + sum(row[0].text == "|" for row in rows) == len(rows)


def _are_equations(region: Region) -> bool:
    """Whether nothing but several numbers of equations, one more each, ends at the right edge, and each of them is the
    nearest to a sign of relation."""
    numbers = [(line, found) for line in region.lines if (found := _EQUATION.match(line.text))]
    at_edge = [line for line in region.lines if abs(line.x1 - region.x1) <= SAME_EDGE_PT]
    counted = counts_up([found[1] for _, found in numbers])
    if len(numbers) < 2 or at_edge != [line for line, _ in numbers] or not counted:
        return False
    places = [line.middle for line, _ in numbers]
    signs = [line.middle for line in region.lines if _RELATION.search(line.text)]
    nearest = [(sign, min(abs(sign - place) for place in places)) for sign in signs]
    return all(any(abs(sign - place) <= least + OFF_STEP_PT for sign, least in nearest) for place in places)


def _is_code(rows: Sequence[Sequence[Line]]) -> bool:
    """Whether the lines, their numbers and signs and the text between listings apart, are monospaced and a good part
    of them have the punctuation of a programming language."""
    edge = min((line.x0 for row in rows for line in row if is_mono(line)), default=0.0)
    found = [row for row in rows if len(row) > 1 or is_mono(row[0]) or row[0].x0 >= edge - SAME_EDGE_PT]
    listed = [[line for line in row if is_mono(line)] for row in found]
    others = [line for row in found for line in row if not is_mono(line)]
    if not all(listed) or not all(_NO_WORD.match(line.text) for line in others):
        return False
    code = [row for row in listed if any(_CODE.search(line.text) for line in row) and not _is_labelled(row)]
    return len(code) >= CODE_SHARE * len(listed)


def _is_labelled(row: Sequence[Line]) -> bool:
    """Whether the row is a label, such as the term of a model, beside several numbers, perhaps with marks of theirs."""
    figures = sum(is_figure(line.text) for line in row[1:])
    return figures > 1 and 2 * figures > len(row) - 1


def _is_index(rows: Sequence[Sequence[Line]]) -> bool:
    """Whether every row ends in numbers of pages, several of them ascending lists, or has none: names in an index, with
    leaders to where they occur."""
    ends = [row[-1].text for row in rows if len(row) > 1]
    pages = [[int(page) for page in _PAGE.findall(text)] for text in ends if _PAGES.search(text)]
    lists = [one for one in pages if len(one) > 1 and all(a < b for a, b in pairwise(one))]
    if len(pages) < len(ends) or len(lists) < MIN_LISTS:
        return False
    return any(_LEADS.search(line.text) for row in rows for line in row)


def _are_repeated_labels(rows: Sequence[Sequence[Line]], free: Sequence[Line]) -> bool:
    """Whether each row is a label with a colon and what it says, and each label stands at this edge of the page once
    more: what is said of one thing after another."""
    labels = [row[0] for row in rows if row[0].text.rstrip().endswith(":")]
    own = {line.order for row in rows for line in row}
    others = {(line.text, round(line.x0)) for line in free if line.order not in own}
    return len(labels) == len(rows) and all((line.text, round(line.x0)) in others for line in labels)


def _are_numbered(rows: Sequence[Sequence[Line]], free: Sequence[Line]) -> bool:
    """Whether each row begins with a number, one more than the one above, and these number the lines of a page (they go
    on above or below at the same distance), of a listing, or of a text that breaks in mid-sentence."""
    numbers, texts = [row[0] for row in rows], [row[1] for row in rows if len(row) == 2]
    if len(rows) < MIN_NUMBERED or not counts_up([line.text for line in numbers]):
        return False
    if len(texts) == len(rows) and (all(map(is_mono, texts)) or any(x.text[:1].islower() for x in texts[1:])):
        return True
    return _goes_on(numbers[0], numbers[1], free) or _goes_on(numbers[-1], numbers[-2], free)


def _goes_on(last: Line, before: Line, free: Sequence[Line]) -> bool:
    """Whether the next number stands beyond the last one, as far away as the one before."""
    wanted = str(2 * int(last.text) - int(before.text))
    return any(
        line.text == wanted
        and abs(line.x1 - last.x1) <= SAME_EDGE_PT
        and abs(line.y0 - 2 * last.y0 + before.y0) <= OFF_STEP_PT
        for line in free
    )


def _is_unreadable(region: Region) -> bool:
    """Whether the region consists of meaningless characters side by side: pieces of a drawing in a font of its own."""
    text = "".join([line.text for line in region.lines])
    return unmapped(text) > UNREADABLE_SHARE * len(text)


def _are_addresses(rows: Sequence[Sequence[Line]]) -> bool:
    """Whether two columns are an address each: a line with a house's number, and below it one with a postal code."""
    return all(len(row) <= 2 for row in rows) and all(_holds_address([row[side] for row in rows]) for side in (0, -1))


def _holds_address(lines: Sequence[Line]) -> bool:
    towns = [at for at, line in enumerate(lines) if _TOWN.search(line.text)]
    return len(towns) == 1 and towns[0] > 0 and any(map(str.isdecimal, lines[towns[0] - 1].text))
