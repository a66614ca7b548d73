"""Boxes that lines join, and frames whose title is on their edge, are no tables; frames with a title each are two."""

from itertools import pairwise
from typing import Any

import pytest

from tests.unit.test_table_places import Page

BOXES = ((50, 130), (170, 250), (290, 370))


def chart(
    gaps: int = 2, *, end: float = 0, rail: bool = False, words: str = "", at: float = 15, apart: float = 40
) -> Page:
    """Two rows of three boxes, those of a row joined by lines between the middles of their sides."""
    page, boxes = Page(), [(x0, x1 + 40 - apart) for x0, x1 in BOXES]
    for y in (95, 145):
        for x0, x1 in boxes:
            page.grid((y, y + 30), (x0, x1))
        page.rows(y + 4, ("Prior", "Model", "Rates"), ("flat", "mixed", "gamma"), step=13, at=(60, 180, 300))
        for (_, x0), (x1, _) in [*pairwise(boxes)][:gaps]:
            page.rule(x0, y + at, x1 - end, y + at)
            if words:
                page.text(x0 + 10, y + 18, words)
            if rail:
                page.rule(x0, y, x1, y).rule(x0, y + 30, x1, y + 30)
    return page


def test_boxes_that_lines_join_are_a_diagram() -> None:
    assert chart(0).shapes != []
    assert chart(1).shapes != []
    assert chart().shapes == []


@pytest.mark.parametrize("more", [{"end": 10}, {"rail": True}, {"words": "12"}, {"at": 0}, {"apart": 2}])
def test_lines_that_end_before_a_box_or_divide_cells_join_nothing(more: dict[str, Any]) -> None:
    assert chart(**more).shapes != []


def framed(tab: tuple[float, float] = (92, 108), title: str = "R code", wall: float = 0, text: float = 88) -> Page:
    """A frame from 100 to 150 over two lines of cells, with a box for its title on the upper edge, and text above."""
    page = Page().grid((100, 150), (50, 450))
    page.rule(200, tab[0], 260, tab[0]).rule(200, tab[1], 260, tab[1])
    page.rule(200, tab[0], 200, tab[1]).rule(260, tab[0], 260, tab[1])
    if wall:
        page.rule(wall, 100, wall, 150)
    page.text(60, text, "the next ones are wide", size=10.0).text(205, 95, title or "-").text(330, text, "in the last")
    return page.text(60, 115, "one <- read(columns)", mono=True).text(60, 130, "two <- read(rows)", mono=True)


def test_a_frame_with_its_title_on_the_upper_edge_is_no_table() -> None:
    assert framed().shapes == []


@pytest.mark.parametrize("more", [{"wall": 300}, {"tab": (92, 140)}])
def test_a_frame_that_walls_divide_is_one(more: dict[str, Any]) -> None:
    assert framed(**more).shapes != []


def test_cells_whose_upper_edge_is_drawn_in_part_are_one() -> None:
    page = Page().rule(50, 95, 200, 95).rule(50, 112, 450, 112).rule(50, 129, 450, 129)
    for x in (50, 150, 450):
        page.rule(x, 95, x, 129)
    assert page.rows(98, ("Elm", "12"), ("Ash", "45"), step=17, at=(60, 200)).shapes != []


def test_a_frame_around_cells_without_walls_is_one() -> None:
    page = Page().grid((95, 130), (50, 450)).rows(100, ("Elm", "12"), ("Ash", "45"))
    assert page.shapes != []


def stacked(gap: float, *titled: bool, side: float = 0, heads: tuple[str, str] = ("Elm", "Elm")) -> int:
    """How many tables two frames of three columns are, one below the other; a titled one begins with a row over all,
    above its header."""
    page, y = Page(), 100.0
    for one, head in zip(titled, heads, strict=True):
        for n in range(4):
            page.rule(50, y + 14 * n, 390, y + 14 * n)
        for x in (50, 190, 290, 390):
            page.rule(x, y + 14 * (one and x not in (50, 390)), x, y + 42)
        page.row(
            y + 2, "Trees of the park" if one else "Oak", "" if one else "9", "" if one else "3", at=(60, 200, 300)
        )
        page.row(y + 16, head, "12", "31", at=(60, 200, 300)).row(y + 30, "Ash", "45", "7", at=(60, 200, 300))
        if side:
            page.rule(side, y, side, y + 42)
        y += 42 + gap
    return len(page.shapes)


def test_frames_with_white_between_are_two_where_each_begins_with_a_title_and_the_same_header() -> None:
    assert stacked(5, True, True) == 2
    assert stacked(5, True, True, side=53) == 2  # a second line at the side
    assert stacked(5, True, True, heads=("Elm", "Lime")) == 1  # parts of one
    assert stacked(5, True, False) == 1
    assert stacked(5, False, True) == 1
    assert stacked(5, False, False) == 1
    assert stacked(2, True, True) == 1


def headed(*, framed: bool) -> Page:
    """A frame that begins with a row over all of its columns, right below a row of words, which may be in a frame."""
    page = Page().row(82, "Tree", "Seeds", "Years", at=(60, 200, 300))
    if framed:
        page.rule(50, 70, 390, 70).rule(50, 95, 390, 95)
        for x in (50, 190, 390):
            page.rule(x, 70, x, 95)
    for n in range(4):
        page.rule(50, 102 + 14 * n, 390, 102 + 14 * n)
    for x in (50, 190, 290, 390):
        page.rule(x, 102 + 14 * (x not in (50, 390)), x, 144)
    return page.row(104, "Park", at=(60,)).rows(118, ("Elm", "12", "31"), ("Ash", "45", "7"), at=(60, 200, 300))


def test_the_header_above_a_frame_that_begins_with_a_title_is_its_first_row() -> None:
    (shape,) = headed(framed=False).shapes
    assert shape[0] == ["Tree", "Seeds", "Years"]
    assert ["Tree", "Seeds", "Years"] not in headed(framed=True).shapes[-1]
