"""Verifies boxes to tick: they are drawn in the source where they are stored, in that state.

The rule: an outlined square of 5 to 18 points, sides equal but for 15 %, that lies in no other and touches none (.75
points); also one of four thin sides (2 points) whose corners meet (1 point). It is ticked where a shape of a quarter of
it or more has its middle in it (a tenth away from its sides), but no pale area and no second outline, or where only a
tick is written there; with other writing, or filled with a colour, it is none. Rectangles lie wholly inside, other
shapes are at most twice as large. A field of the form stands for the square around it, and its state for what is shown.
More than 200 are a pattern.

Round outlines are boxes too: circles of 6 points (every piece a curve that begins and ends on it), where at least half
of the page's have a line within one and a half sides beside, above or below; and squares whose four straight sides are
joined by curves. What lies in them is judged the same way, but a round shape of less than four fifths is a dot. An area
with such corners that is not pale and has lines in it is a ticked one.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from shared.domain.page import TickBox
from shared.domain.raw_page import Extent, RawForm, RawPath, RawShape
from shared.verify.ground import Edges, Frame, is_box
from shared.verify.pieces import Lines, SourceLine

SIDE_PT = (5.0, 18.0)
FIELD_PT = 40.0
CIRCLE_PT = 6.0
NEIGHBOURS_PT = 0.75
SIDE_THICKNESS_PT = 2.0
CORNER_PT = 1.0
MOST = 200
# Letters and signs that tick a box when they are written in it, and signs of an empty box.
ON = "xX\u00d7\u2611\u2612\u25cf\u2022\u25a0\u25fc" + "".join(
    map(chr, [*range(0x2713, 0x2719), *range(0xF0FB, 0xF0FF)])
)
OFF = "\u2610\u25a1\u25cb\u274f\u2751\uf06f\uf0a8"
# What is stored where a box is missing.
NO_BOX = "none"


class GroundTick(NamedTuple):
    box: Extent
    ticked: bool


def tick_differences(boxes: Sequence[TickBox], form: RawForm, lines: Lines, frame: Frame) -> Iterator[tuple[str, str]]:
    """(what the source draws, what is stored) for boxes that differ."""
    left = list(_ticks(form, [*lines.by_id.values()], frame))
    for stored in boxes:
        found = next((one for one in left if is_box(stored.box, frame.exact(one.box))), None)
        at = f"at {stored.box.x:.5f} {stored.box.y:.5f}"
        if found is None:
            yield f"no box to tick {at}", _said(stored.ticked)
            continue
        left.remove(found)
        if found.ticked != stored.ticked:
            yield f"{_said(found.ticked)} {at}", _said(stored.ticked)
    for one in left:
        edges = frame.exact(one.box)
        yield f"{_said(one.ticked)} at {edges.left:.5f} {edges.top:.5f}", NO_BOX


def _said(ticked: bool) -> str:
    return "a ticked box" if ticked else "an empty box"


def _ticks(form: RawForm, lines: Sequence[SourceLine], frame: Frame) -> list[GroundTick]:
    fields = [GroundTick(box, on) for box, on in form.fields if max(_sides(box)) <= FIELD_PT]
    shapes = [shape for shape in form.shapes if max(_sides(shape.box)) <= 2 * SIDE_PT[1]]
    found = list(fields)
    forms = _round_forms(form, shapes)
    circles = [shape.box for shape, name in forms.items() if name == "circle" and shape.stroked]
    near = sum(any(_is_next_to(frame.exact(box), line, frame) for line in lines) for box in circles)
    if near < len(circles) / 2:
        forms = {shape: name for shape, name in forms.items() if name != "circle"}
    hooked = {one.box for one, name in forms.items() if name == "corners" and _is_hooked(one, shapes, forms)}
    rounds = {shape.box for shape in forms}
    for square in _lone_squares(shapes, hooked | {shape.box for shape in forms if shape.stroked}):
        framed = any(_covers_middle(field.box, square) or _covers_middle(square, field.box) for field in fields)
        written = _written(square, lines, frame)
        ticked = None if framed else _state(square, shapes, written, rounds, square in hooked)
        if ticked is not None:
            found.append(GroundTick(square, ticked))
    return found if len(found) <= MOST else []


def _round_forms(form: RawForm, shapes: Sequence[RawShape]) -> dict[RawShape, str]:
    """The round shapes that may be boxes; none on a page with too many that could be."""
    small = [shape for shape in shapes if not shape.square_cut and max(_sides(shape.box)) <= SIDE_PT[1]]
    small = [shape for shape in small if _is_square(shape.box)]
    if len(small) > 2 * MOST:
        return {}
    found = {shape: {_form_of(path) for path in form.paths if _draws(path, shape)} for shape in small}
    forms = {shape: "corners" if "corners" in names else max(names, default="") for shape, names in found.items()}
    least = {"corners": SIDE_PT[0], "circle": CIRCLE_PT}
    return {shape: name for shape, name in forms.items() if name and shape.box[2] - shape.box[0] >= least[name]}


def _draws(path: RawPath, shape: RawShape) -> bool:
    if shape.stroked and not path.pen:
        return False
    outwards = path.pen / 2 if shape.stroked else 0.0
    edges = zip(path.extent, shape.box, (-1, -1, 1, 1), strict=True)
    return max(abs(one + way * outwards - other) for one, other, way in edges) <= 0.25


def _form_of(path: RawPath) -> str:
    left, top, right, bottom = path.extent
    side = max(_sides(path.extent))
    curves = [piece for piece in path.pieces if len(piece) == 4]
    sides = [piece for piece in path.pieces if len(piece) == 2 and math.dist(*piece) > 0.1]
    if len(path.pieces) < 4 or len(curves) < 4:
        return ""
    if len(curves) == len(path.pieces):
        far = [2 * math.hypot(x - (left + right) / 2, y - (top + bottom) / 2) for p in curves for x, y in (p[0], p[3])]
        return "circle" if all(0.94 * side <= one <= 1.06 * side for one in far) else ""
    near = side / 20
    along = [
        all(len(piece) == 2 and abs(point[axis] - at) <= near for point in piece)
        for axis, at in ((0, left), (1, top), (0, right), (1, bottom))
        for piece in [next((p for p in sides if all(abs(q[axis] - at) <= near for q in p)), [])]
        if piece and math.dist(*piece) >= 0.4 * side
    ]
    return "corners" if len(sides) == 4 and len(along) == 4 and all(along) else ""


def _is_next_to(box: Edges, line: SourceLine, frame: Frame) -> bool:
    width, height = frame.width, frame.height
    reach = 1.5 * max((box.right - box.left) * width, (box.bottom - box.top) * height)
    across = max(line.left - box.right, box.left - line.right) * width
    down = max(line.top - box.bottom, box.top - line.bottom) * height
    level = line.top <= (box.top + box.bottom) / 2 <= line.bottom
    upright = line.left <= (box.left + box.right) / 2 <= line.right
    return not line.ocr and ((level and across <= reach) or (upright and down <= reach))


def _is_hooked(area: RawShape, shapes: Sequence[RawShape], forms: dict[RawShape, str]) -> bool:
    if area.stroked or min(area.colour.to_bytes(3, "big")) >= 0xC0:
        return False
    rounds, side = {shape.box for shape in forms}, max(_sides(area.box))
    lines = [one for one in shapes if one.stroked and not one.square_cut and one.box not in rounds]
    return any(0.25 <= max(_sides(one.box)) / side <= 2 and _lies_on(one, area.box) for one in lines)


def _lone_squares(shapes: Sequence[RawShape], rounds: set[Extent]) -> list[Extent]:
    cut = [shape for shape in shapes if shape.square_cut and max(_sides(shape.box)) <= SIDE_PT[1]]
    outlines = {shape.box for shape in cut if shape.stroked and _is_square(shape.box)}
    outlines |= _closed_by_sides({shape.box for shape in cut}) | rounds
    outer: list[Extent] = []
    for box in sorted(outlines, key=lambda box: (-max(_sides(box)), box)):
        if all(not _lies_in(box, other, 0.5) for other in outer):
            outer.append(box)
    if len(outer) > MOST:
        return []
    return [box for box in outer if not any(other != box and _meet(box, other) for other in outer)]


def _closed_by_sides(boxes: set[Extent]) -> set[Extent]:
    """Squares between two level sides, one above the other, with an upright one at either end; the level sides say
    where it is. Four times as many sides as there may be boxes are a pattern."""
    sides = [(box, _sides(box)) for box in boxes]
    level = [box for box, (w, h) in sides if h <= SIDE_THICKNESS_PT and w >= SIDE_PT[0]]
    upright = [box for box, (w, h) in sides if w <= SIDE_THICKNESS_PT and h >= SIDE_PT[0]]
    if len(level) > 4 * MOST or len(upright) > 4 * MOST:
        return set()
    pairs = [(top, bottom) for top in level for bottom in level if top[1] < bottom[1] and _agree(top, bottom, (0, 2))]
    squares = {(min(a[0], b[0]), a[1], max(a[2], b[2]), b[3]) for a, b in pairs}
    return {
        square
        for square in squares
        if _is_square(square)
        and max(_sides(square)) <= SIDE_PT[1]
        and any(_agree(side, square, (0, 1, 3)) for side in upright)
        and any(_agree(side, square, (1, 2, 3)) for side in upright)
    }


def _agree(one: Extent, other: Extent, edges: Sequence[int]) -> bool:
    return all(abs(one[edge] - other[edge]) <= CORNER_PT for edge in edges)


def _state(
    square: Extent, shapes: Sequence[RawShape], written: Sequence[str], rounds: set[Extent], ticked: bool
) -> bool | None:
    side = max(_sides(square))
    shapes = [] if ticked else shapes
    for shape in shapes:
        extent = max(_sides(shape.box)) / side
        if not 0.25 <= extent <= 2 or not _lies_on(shape, square):
            continue
        channels = shape.colour.to_bytes(3, "big")
        frames = extent >= 0.8 if {square, shape.box} <= rounds else shape.square_cut and extent >= 0.6
        if shape.stroked:
            ticked |= not frames
        elif max(channels) <= 0x60:
            ticked = True
        elif min(channels) < 0xC0:
            if frames:
                return None
            ticked = True
    if any(letter not in ON + OFF for text in written for letter in text):
        return None
    return ticked or any(letter in ON for text in written for letter in text)


def _written(square: Extent, lines: Sequence[SourceLine], frame: Frame) -> list[str]:
    edges, side = frame.exact(square), 1.6 * max(_sides(square))
    return [
        line.text
        for line in lines
        if not line.ocr
        and edges.left <= (line.left + line.right) / 2 <= edges.right
        and edges.top <= (line.top + line.bottom) / 2 <= edges.bottom
        and (line.right - line.left) * frame.width <= side
        and (line.bottom - line.top) * frame.height <= side
    ]


def _sides(box: Extent) -> tuple[float, float]:
    return box[2] - box[0], box[3] - box[1]


def _is_square(box: Extent) -> bool:
    short, long = sorted(_sides(box))
    return short >= SIDE_PT[0] and long - short <= 0.15 * long


def _lies_in(box: Extent, other: Extent, slack: float) -> bool:
    low = box[0] >= other[0] - slack and box[1] >= other[1] - slack
    return low and box[2] <= other[2] + slack and box[3] <= other[3] + slack


def _lies_on(shape: RawShape, square: Extent) -> bool:
    margin = max(_sides(square)) / 10
    inner = square[0] + margin, square[1] + margin, square[2] - margin, square[3] - margin
    return _covers_middle(inner, shape.box) and (not shape.square_cut or _lies_in(shape.box, square, 1.0))


def _meet(box: Extent, other: Extent) -> bool:
    across = max(box[0], other[0]) - min(box[2], other[2])
    down = max(box[1], other[1]) - min(box[3], other[3])
    return across < NEIGHBOURS_PT and down < NEIGHBOURS_PT


def _covers_middle(box: Extent, other: Extent) -> bool:
    x, y = (other[0] + other[2]) / 2, (other[1] + other[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]
