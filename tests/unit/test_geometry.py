"""Boxes: expectations are written by hand or counted on a grid, never taken from `union`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from shared.domain.geometry import Box, PageBox, Rect, SheetBox, TextBox, union

GRID = 64  # sums of its parts are exact


def cell_rect(left: int, top: int, right: int, bottom: int) -> Rect:
    return Rect(x=left / GRID, y=top / GRID, w=(right - left) / GRID, h=(bottom - top) / GRID)


def edges(rect: Rect) -> tuple[float, float, float, float]:
    return rect.x, rect.y, rect.x + rect.w, rect.y + rect.h


spans = st.tuples(st.integers(0, GRID), st.integers(0, GRID)).map(sorted)
corners = st.tuples(spans, spans).map(lambda s: (s[0][0], s[1][0], s[0][1], s[1][1]))


@pytest.mark.parametrize(
    ("rects", "expected"),
    [
        ([(0, 0, 64, 64)], (0, 0, 64, 64)),
        ([(8, 16, 24, 20)], (8, 16, 24, 20)),
        ([(32, 10, 40, 12), (8, 16, 24, 20)], (8, 10, 40, 20)),  # each edge from another one, the left from the second
        ([(8, 16, 24, 20), (32, 10, 40, 12)], (8, 10, 40, 20)),
        ([(0, 0, 64, 64), (10, 10, 11, 11)], (0, 0, 64, 64)),  # one inside the other
        ([(10, 10, 11, 11), (0, 0, 64, 64)], (0, 0, 64, 64)),
        ([(5, 5, 9, 9), (5, 5, 9, 9), (5, 5, 9, 9)], (5, 5, 9, 9)),
        ([(7, 7, 7, 7), (20, 3, 20, 3)], (7, 3, 20, 7)),  # without extent
        ([(30, 30, 31, 31), (2, 40, 3, 60), (50, 1, 60, 2), (4, 4, 5, 5)], (2, 1, 60, 60)),
    ],
)
def test_the_union_is_the_smallest_rectangle_around_all(
    rects: list[tuple[int, int, int, int]], expected: tuple[int, int, int, int]
) -> None:
    around = union(cell_rect(*one) for one in rects)
    assert edges(around) == tuple(edge / GRID for edge in expected)


@given(st.lists(corners, min_size=1, max_size=6))
def test_the_union_holds_every_rectangle_and_each_of_its_edges_is_one_of_theirs(
    found: list[tuple[int, int, int, int]],
) -> None:
    left, top, right, bottom = edges(union([cell_rect(*one) for one in found]))
    columns = sorted(edge for one in found for edge in (one[0] / GRID, one[2] / GRID))
    rows = sorted(edge for one in found for edge in (one[1] / GRID, one[3] / GRID))
    assert (left, right) == (columns[0], columns[-1])
    assert (top, bottom) == (rows[0], rows[-1])


@given(st.permutations([(30, 30, 31, 31), (2, 40, 3, 60), (50, 1, 60, 2)]))
def test_the_order_of_rectangles_is_nothing_to_their_union(found: list[tuple[int, int, int, int]]) -> None:
    assert edges(union([cell_rect(*one) for one in found])) == (2 / GRID, 1 / GRID, 60 / GRID, 60 / GRID)


def test_the_union_of_one_is_that_one_to_the_bit_and_a_plain_rectangle() -> None:
    one = PageBox(page=3, x=0.1, y=0.7, w=0.2, h=0.1, fragment_ids=("p3.f1",))
    found = union([one])
    assert (type(found), found.x, found.y, found.w, found.h) == (Rect, 0.1, 0.7, 0.2, 0.1)


def test_there_is_no_union_of_nothing() -> None:
    with pytest.raises(ValueError, match="no rectangles"):
        union([])


def test_rounding_never_carries_a_union_over_the_edge_of_the_page() -> None:
    over = Rect(x=0.9, y=0.95, w=0.2, h=0.3)  # each side is a fraction, their sum is not
    found = union([Rect(x=0.5, y=0.25, w=0.1, h=0.1), over])
    assert (found.x, found.y, found.x + found.w, found.y + found.h) == (0.5, 0.25, 1.0, 1.0)
    assert union([over]) == over


def test_edges_are_those_of_the_rectangle() -> None:
    rect = Rect(x=0.25, y=0.5, w=0.125, h=0.0625)
    assert (rect.right, rect.bottom) == (0.375, 0.5625)


@pytest.mark.parametrize("side", ["x", "y", "w", "h"])
def test_every_side_is_a_fraction_of_the_page(side: str) -> None:
    sides = {"x": 0.5, "y": 0.5, "w": 0.5, "h": 0.5}
    for good in (0.0, 1.0):
        Rect.model_validate(sides | {side: good})
    for bad in (-0.001, 1.001, float("nan")):
        with pytest.raises(ValidationError):
            Rect.model_validate(sides | {side: bad})


def test_boxes_cannot_be_changed() -> None:
    boxes = (Rect(x=0, y=0, w=1, h=1), SheetBox(sheet="s", range="A1:B2"), TextBox(start=0, end=1))
    for box, name in zip(boxes, ("x", "range", "end"), strict=True):
        with pytest.raises(ValidationError):
            setattr(box, name, getattr(box, name))


@pytest.mark.parametrize(
    ("kind", "data", "made"),
    [
        ("page", {"x": 0, "y": 0, "w": 0, "h": 0, "page": 1}, PageBox(x=0, y=0, w=0, h=0, page=1, fragment_ids=())),
        ("sheet", {"sheet": "Prices", "range": "A3:F3"}, SheetBox(sheet="Prices", range="A3:F3")),
        ("text", {"start": 0, "end": 0}, TextBox(start=0, end=0)),
    ],
)
def test_a_stored_box_is_read_back_by_its_kind(kind: str, data: dict[str, object], made: Box) -> None:
    read = TypeAdapter[object](Box).validate_python({"kind": kind} | data)
    assert (type(read), read) == (type(made), made)
    assert made.kind == kind


@pytest.mark.parametrize(
    "data",
    [
        {"kind": "page", "x": 0, "y": 0, "w": 0, "h": 0, "page": 0},
        {"kind": "text", "start": -1, "end": 0},
        {"kind": "text", "start": 0, "end": -1},
        {"kind": "picture", "x": 0},
    ],
)
def test_a_box_of_no_place_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter[object](Box).validate_python(data)
