"""A grid that is drawn within a cell of another table."""

import pytest

from tests.unit.test_table_places import Page

XS = (50.0, 150.0, 250.0, 500.0)
INNER = [("Gate", "12"), ("Yard", "14")]


def outer(xs: tuple[float, ...] = XS, top: float = 140, right: float = 480, words: bool = True) -> Page:
    """A table whose last cell has a grid of two rows in it, from `top` to 30 points below, up to x = `right`."""
    page = Page().grid((95, 110, 220, 235), xs).row(98, "Place", "Swifts", "What was seen", at=(60, 160, 260))
    page.row(150, "Town", "26", at=(60, 160)).row(222, "Mill", "9", "None", at=(60, 160, 260))
    page.grid((top, top + 15, top + 30), (270, 350, right))
    page.rows(top + 3, *INNER, step=15, at=(280, 360))
    return page.text(260, 120, "They nest at").text(260, 195, "and come in May") if words else page


def test_a_grid_in_a_cell_is_of_its_text() -> None:
    text = "They nest at Gate 12 Yard 14 and come in May"
    assert outer().shapes == [[["Place", "Swifts", "What was seen"], ["Town", "26", text], ["Mill", "9", "None"]]]


def inner_is_own(page: Page) -> bool:
    return [list(row) for row in INNER] in page.shapes


@pytest.mark.parametrize(
    "page",
    [
        outer(xs=(50.0, 250.0, 500.0)),  # a frame around two parts of a page
        outer(words=False),  # nothing else is in the cell
    ],
)
def test_other_grids_within_a_frame_are_tables(page: Page) -> None:
    assert inner_is_own(page)


def test_a_grid_beside_empty_cells_is_a_table() -> None:
    page = Page().grid((95, 110, 220), XS).row(98, "Place", "Swifts", "What was seen", at=(60, 160, 260))
    page.text(260, 120, "They nest at").grid((140, 155, 170), (270, 350, 480)).rows(143, *INNER, step=15, at=(280, 360))
    assert inner_is_own(page)
