"""Boxes to tick: small squares and circles that are drawn, empty or with something in them, and the form's own fields.

A square is taken for one where it stands alone: neighbours that touch are a comb for letters or a grid, a square with
other text than a tick is a frame, one filled with a colour is a swatch of a legend.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pymupdf

from shared.readers.pdf.drawings import Extent
from shared.readers.pdf.lines import PdfLine
from shared.readers.pdf.round_boxes import RoundBox, find_round_boxes

MIN_SIDE_PT, MAX_SIDE_PT = 5.0, 18.0
# Greatest difference of the sides, as a share of the longer one.
UNEQUAL = 0.15
# Squares nearer than this touch. More squares than the limit are a pattern.
TOUCHING_PT = 0.75
# A side that is drawn alone is at most so thick; sides whose ends are nearer than that meet in a corner.
SIDE_THICKNESS_PT, CORNER_PT = 2.0, 1.0
MAX_BOXES = 200
# Of the side: a smaller shape is dust, a larger rectangle that is outlined is a second frame.
DUST, FRAME = 0.25, 0.6
# A dot in a round box is larger than that of a square may be.
ROUND_FRAME = 0.8
# Of the side: how far within the square the middle of what ticks it lies, and how large a tick that leaves it may be.
INNER, LARGEST_TICK = 0.1, 2.0
# Text of at most this length in sides stands in a box.
TEXT = 1.6
# Each channel of a colour: at least this for a light ground, at most that for a tick's fill.
LIGHT, DARK = 0xC0, 0x60
TICKS = frozenset(
    "xX\u00d7\u2713\u2714\u2715\u2716\u2717\u2718\u2611\u2612\u25cf\u2022\u25a0\u25fc\uf0fb\uf0fc\uf0fd\uf0fe"
)
BLANKS = frozenset("\u2610\u25a1\u25cb\u274f\u2751\uf06f\uf0a8")
# Fields larger than this are no boxes to tick.
MAX_FIELD_PT = 40.0
_WIDGET = 21  # `pymupdf.PDF_ANNOT_WIDGET`, which its type information leaves out
_HIDDEN = 2 | 32
_RADIO, _PUSH_BUTTON = 1 << 15, 1 << 16
_GENERATIONS = 8  # a field inherits what it does not say itself
_REAL = r"([-+]?(?:\d{1,7}(?:\.\d{0,9})?|\.\d{1,9}))"
_NUMBERS = re.compile(rf"\[\s*{_REAL}\s+{_REAL}\s+{_REAL}\s+{_REAL}\s*\]")


class TickExtent(NamedTuple):
    """A box in points of the unrotated page."""

    box: Extent
    ticked: bool


def find_tick_boxes(
    page: pymupdf.Page, vectors: Sequence[dict[str, Any]], lines: Sequence[PdfLine]
) -> list[TickExtent]:
    """The boxes of a page, fields first; a field stands for the square that is drawn as its frame."""
    drawn = [vector for vector in vectors if vector["alpha"]]
    small = [vector for vector in drawn if _is_small(vector["bbox"])]
    marks = [vector for vector in drawn if _longer(vector["bbox"]) <= LARGEST_TICK * MAX_SIDE_PT]
    fields = [field for field in _fields(page) if _longer(field.box) <= MAX_FIELD_PT]
    found = [*fields]
    equal = [vector for vector in small if _is_square(vector["bbox"])]
    rounds = find_round_boxes(page, equal, len(vectors), lines)
    areas = _hooked_areas(equal, rounds, marks)
    round_outlines = {one.box for one in rounds}
    for square in _alone(small, [*areas, *(one.box for one in rounds if not one.filled)]):
        if any(_holds(field.box, square) or _holds(square, field.box) for field in fields):
            continue
        inside = [line.text for line in lines if _stands_in(line, square)]
        ticked = square in areas or _is_painted(square, marks, round_outlines)
        if ticked is not None and all(set(text) <= TICKS | BLANKS for text in inside):
            found.append(TickExtent(square, ticked or any(set(text) & TICKS for text in inside)))
    return found if len(found) <= MAX_BOXES else []


def without_tick_boxes(vectors: Sequence[dict[str, Any]], ticks: Sequence[TickExtent]) -> list[dict[str, Any]]:
    """The drawings that are neither a box to tick nor in one."""
    return [
        vector
        for vector in vectors
        if _longer(vector["bbox"]) > MAX_FIELD_PT
        or not any(_encloses(_grown(tick.box, 1.0), vector["bbox"]) or _is_drawn_in(vector, tick.box) for tick in ticks)
    ]


def _is_small(box: Extent) -> bool:
    return box[2] - box[0] <= MAX_SIDE_PT and box[3] - box[1] <= MAX_SIDE_PT


def _hooked_areas(
    equal: Sequence[dict[str, Any]], rounds: Sequence[RoundBox], marks: Sequence[dict[str, Any]]
) -> set[Extent]:
    """The areas with round corners, not pale, that lines are drawn in: browsers print a ticked box so."""
    areas = {one.box for one in rounds if one.filled and not one.circle}
    hooks = [vector for vector in marks if vector["stroked"] and not vector["isrect"]]
    hooks = [vector for vector in hooks if not any(vector["bbox"] == one.box for one in rounds)]
    return {
        tuple(vector["bbox"])
        for vector in equal
        if tuple(vector["bbox"]) in areas
        and not vector["stroked"]
        and _tone(vector["color"]) is not False
        and any(_is_drawn_in(hook, vector["bbox"]) for hook in hooks)
    }


def _alone(small: Sequence[dict[str, Any]], rounds: Sequence[Extent]) -> list[Extent]:
    """The outlined squares, and `rounds`, that lie in no other one and touch none."""
    squares: list[Extent] = []
    drawn = [v["bbox"] for v in small if v["stroked"] and v["isrect"] and _is_square(v["bbox"])]
    drawn += _of_four_sides([v["bbox"] for v in small if v["isrect"]])
    drawn += rounds
    for box in sorted(drawn, key=lambda box: -_longer(box)):
        if not any(_encloses(_grown(other, 0.5), box) for other in squares):
            squares.append(box)
    if len(squares) > MAX_BOXES:
        return []
    squares.sort(key=lambda box: (box[1], box[0]))
    return [one for one in squares if not any(one is not other and _touch(one, other) for other in squares)]


def _of_four_sides(rectangles: Sequence[Extent]) -> list[Extent]:
    """The squares whose sides are drawn one by one, as lines or thin areas."""
    level = sorted((box for box in rectangles if _is_side(box[3] - box[1], box[2] - box[0])), key=lambda box: box[1])
    upright = [box for box in rectangles if _is_side(box[2] - box[0], box[3] - box[1])]
    if max(len(level), len(upright)) > 4 * MAX_BOXES:
        return []
    found: list[Extent] = []
    for at, top in enumerate(level):
        for bottom in level[at + 1 :]:
            if bottom[3] - top[1] > MAX_SIDE_PT:
                break
            box = min(top[0], bottom[0]), top[1], max(top[2], bottom[2]), bottom[3]
            aligned = abs(top[0] - bottom[0]) <= CORNER_PT and abs(top[2] - bottom[2]) <= CORNER_PT
            if aligned and _is_square(box) and _is_closed(box, upright):
                found.append(box)
    return found


def _is_side(thickness: float, length: float) -> bool:
    return thickness <= SIDE_THICKNESS_PT and MIN_SIDE_PT <= length <= MAX_SIDE_PT


def _is_closed(box: Extent, upright: Sequence[Extent]) -> bool:
    """Whether sides from its top to its bottom stand at both ends."""
    sides = [s for s in upright if abs(s[1] - box[1]) <= CORNER_PT and abs(s[3] - box[3]) <= CORNER_PT]
    left = any(abs(side[0] - box[0]) <= CORNER_PT for side in sides)
    return left and any(abs(side[2] - box[2]) <= CORNER_PT for side in sides)


def _is_square(box: Extent) -> bool:
    w, h = box[2] - box[0], box[3] - box[1]
    return min(w, h) >= MIN_SIDE_PT and abs(w - h) <= UNEQUAL * max(w, h)


def _is_painted(square: Extent, marks: Sequence[dict[str, Any]], rounds: set[Extent]) -> bool | None:
    """Whether something is drawn in the square; None for a swatch, which is filled with a colour."""
    side, painted = _longer(square), False
    for vector in marks:
        round_one = square in rounds and vector["bbox"] in rounds
        large = _longer(vector["bbox"]) >= (ROUND_FRAME if round_one else FRAME) * side
        framing = large and (vector["isrect"] or round_one)
        if not _is_drawn_in(vector, square):
            continue
        if vector["stroked"]:
            painted = painted or not framing
        elif (tone := _tone(vector["color"])) is not None:
            painted = painted or tone
        elif framing:
            return None
        else:
            painted = True
    return painted


def _is_drawn_in(vector: dict[str, Any], square: Extent) -> bool:
    """Whether a shape that is no dust is drawn in the square: a rectangle wholly, a cross or hook by its middle."""
    box, side = vector["bbox"], _longer(square)
    if not DUST * side <= _longer(box) <= LARGEST_TICK * side or not _holds(_grown(square, -INNER * side), box):
        return False
    return not vector["isrect"] or _encloses(_grown(square, 1.0), box)


def _tone(color: int) -> bool | None:
    """True for dark, False for light, None for a colour between."""
    channels = [(color >> shift) & 0xFF for shift in (0, 8, 16)]
    return False if min(channels) >= LIGHT else True if max(channels) <= DARK else None


def _stands_in(line: PdfLine, square: Extent) -> bool:
    x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    short = max(line.x1 - line.x0, line.y1 - line.y0) <= TEXT * _longer(square)
    return short and square[0] <= x <= square[2] and square[1] <= y <= square[3]


def _fields(page: pymupdf.Page) -> Iterator[TickExtent]:
    """Check and radio fields that are shown."""
    document: Any = page.parent
    for xref, kind, _ in page.annot_xrefs():
        # An annotation that is written into the page's own list has no number, and cannot be asked.
        ticked = _is_on(document, xref) if xref and kind == _WIDGET else None
        if ticked is None:
            continue
        flags = document.xref_get_key(xref, "F")[1]
        numbers = _NUMBERS.fullmatch(document.xref_get_key(xref, "Rect")[1])
        if numbers and not (flags.isdigit() and int(flags) & _HIDDEN):
            rect = pymupdf.Rect(*map(float, numbers.groups())).normalize() * page.transformation_matrix
            yield TickExtent((float(rect.x0), float(rect.y0), float(rect.x1), float(rect.y1)), ticked)


def _is_on(document: Any, xref: int) -> bool | None:
    """By the appearance state, which names what is shown; without one by the field's value, as viewers do that draw
    the field themselves. None for what is no such field, and where nothing says which of a group is meant."""
    kind, state = document.xref_get_key(xref, "AS")
    if kind == "name":
        return str(state) != "/Off"
    flags = _inherited(document, xref, "Ff")
    flags = int(flags) if flags.isdigit() else 0
    if _inherited(document, xref, "FT") != "/Btn" or flags & _PUSH_BUTTON:
        return None
    value = _inherited(document, xref, "V")
    if not value.startswith("/") or value == "/Off":
        return False
    if document.xref_get_key(xref, "AP/N")[0] == "null":
        return None if flags & _RADIO else True
    return str(document.xref_get_key(xref, f"AP/N{value}")[0]) != "null"


def _inherited(document: Any, xref: int, key: str) -> str:
    for _ in range(_GENERATIONS):
        kind, value = document.xref_get_key(xref, key)
        if kind != "null":
            return str(value)
        kind, parent = document.xref_get_key(xref, "Parent")
        if kind != "xref":
            break
        xref = int(parent.split()[0])
    return ""


def _longer(box: Extent) -> float:
    return max(box[2] - box[0], box[3] - box[1])


def _grown(box: Extent, by: float) -> Extent:
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def _encloses(outer: Extent, inner: Extent) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def _touch(one: Extent, other: Extent) -> bool:
    a = _grown(one, TOUCHING_PT)
    return a[0] < other[2] and other[0] < a[2] and a[1] < other[3] and other[1] < a[3]


def _holds(outer: Extent, inner: Extent) -> bool:
    """Whether the middle of `inner` lies in `outer`."""
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]
