"""Tables of filings and of units: strips of colour that are no borders, groups between rules, headers on each page."""

import pytest

from shared.domain.geometry import Rect
from shared.domain.page import Fragment, PageFile
from shared.domain.sketch import PageSketch
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.extraction.tables.regions import page_rules
from shared.extraction.tables.rows import is_quantity
from shared.readers.sketch import sketch_page
from tests.unit.test_table_places import PROFILE, Page


def upright(*rules: tuple[float, float, float, float], fills: tuple[float, ...] = (98, 138)) -> int:
    """How many upright rules a page has with these, and a row of colour, 18 points high and up to x = 239, at each
    height."""
    page = Page().text(10, 10, "Any")
    for x0, y0, x1, y1 in rules:
        page.rule(x0, y0, x1, y1)
    for y in fills:
        page.rule(60, y, 239, y + 18, fill=True)
    return len(page_rules(page.view, PROFILE)[1])


UNITS = (("Length", "", ""), ("nm", "1.0 nm", "x"), ("um", "2.5 mm", "y"))
MORE = (("Time", "", ""), ("ns", "1.0 ns", "x"), ("ps", "2.5 ms", "y"))


def grouped(*groups: tuple[tuple[str, ...], ...]) -> Page:
    """Groups of rows with a rule between each two."""
    page = Page().rule(50, 96, 400, 96).row(100, "Unit", "Normal", "Math").rule(50, 116, 400, 116)
    top = 120.0
    for rows in groups:
        page.rows(top, *rows)
        top += 14 * len(rows) + 6
        page.rule(50, top - 4, 400, top - 4)
    return page


def test_numbers_with_a_unit_below_each_other_are_rows_of_a_group() -> None:
    groups = (UNITS, MORE, UNITS)
    assert grouped(*groups).shapes == [[["Unit", "Normal", "Math"], *[list(row) for rows in groups for row in rows]]]


def test_the_name_of_a_group_does_not_make_its_even_rows_one() -> None:
    groups = tuple(
        ((name, "", ""), (f"{name} 1", "Red", "Up"), (f"{name} 2", "Blue", "Down")) for name in ("North", "South")
    )
    assert grouped(*groups).shapes == [[["Unit", "Normal", "Math"], *[list(row) for rows in groups for row in rows]]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("12", True), ("1.0 nm", True), ("3 pages", False), ("12 m 4", False), ("nm", False), ("5 m2", False)],
)
def test_a_quantity_is_a_number_with_a_short_unit(text: str, expected: bool) -> None:
    assert is_quantity(text) is expected


def headed(
    number: int, *rows: tuple[str, ...], pitch: float = 0.02, left: tuple[float, ...] = (0.1, 0.4, 0.6)
) -> PageFile:
    """A page whose first row is the same on each, the others as given."""
    found = [("Unit", 0.1, 0.06), ("Normal", left[1], 0.06), ("Math", left[2], 0.06)]
    found += [
        (text, x, 0.06 + pitch * at)
        for at, row in enumerate(rows, 1)
        for text, x in zip(row, (0.1, 0.4, 0.6, 0.8)[: len(row)], strict=True)
        if text
    ]
    return PageFile(
        page=number, width_pt=595, height_pt=842, route="text", extractor_version="t",
        fragments=[
            Fragment(id=f"p{number}.f{at}", text=text, box=Rect(x=x, y=y, w=0.012 * len(text), h=0.012), font="Sans",
                     size=10)
            for at, (text, x, y) in enumerate(found)
        ],
    )  # fmt: skip


def reasons(*pages: PageFile) -> set[str]:
    sketches: list[PageSketch] = [sketch_page(page) for page in pages]
    profile = build_profile(sketches)
    return {one.reason for page in pages for one in extract_page(page, profile).operations if one.op == "skip"}


def pages(*kinds: tuple[str, ...], pitch: float = 0.02, left: tuple[float, ...] = (0.1, 0.4, 0.6)) -> list[PageFile]:
    """Eight pages with one header and rows that differ, but for those of four cells."""
    numbered = [
        [tuple(f"{cell}{'ab'[n % 2] * n}" if cell and len(row) < 4 else cell for cell in row) for row in kinds]
        for n in range(1, 9)
    ]
    return [headed(n, *rows, pitch=pitch, left=left) for n, rows in enumerate(numbered, 1)]


GROUP, CELLS = ("Length", "", ""), ("nm", "1.0", "x")


def test_a_header_over_a_group_is_no_running_line() -> None:
    assert reasons(*pages(GROUP, CELLS, CELLS)) == set()
    assert reasons(*pages(("a", "b", "c", "d"), CELLS, CELLS)) == set()  # a second row that is on each page, too
    assert reasons(*pages(("a", "b", "c", "d"), CELLS, left=(0.1, 0.47, 0.9))) == set()  # in the middle above two
    assert "header" in reasons(*pages(("a", "b", "c", "d"), CELLS, left=(0.1, 0.5, 0.9)))
    assert "header" in reasons(*pages(GROUP, GROUP, CELLS))
    assert "header" in reasons(*pages(GROUP, CELLS, CELLS, pitch=0.05))
    assert "header" in reasons(*pages(CELLS, CELLS, left=(0.1, 0.8, 0.9)))
    assert reasons(*pages(CELLS, CELLS, left=(0.1, 0.5, 0.6))) == set()


def district(y: float, number: str, *rows: tuple[str, str], page: Page, x: float = 72) -> float:
    """A label above rows that are set in, and a total that is not; returns where the next one begins."""
    page.text(60, y + 2, f"District {number}")
    for at, (name, votes) in enumerate(rows, 1):
        page.text(x, y + 12 * at, name).row(y + 12 * at, "", votes, "31")
    page.row(y + 12 * len(rows) + 14, "Total", "90", "99")
    return y + 12 * len(rows) + 38


def shapes(*names: str, x: float = 72) -> list[list[list[str]]]:
    page, y = Page(), 100.0
    for number, name in enumerate(names, 1):
        y = district(y, str(number), (name, "12"), ("Alm", "15"), ("Bree", "16"), page=page, x=x)
    return page.shapes


def test_labels_reach_up_to_the_figures() -> None:
    page = Page().row(100, "Ab", "12", "31").row(112, "Cd", "14", "35").row(124, "Ef", "15", "36")
    page.text(60, 148, "A district with a name").row(160, "Ab", "12", "31").row(172, "Cd", "14", "35")
    assert [len(shape) for shape in page.row(184, "Ef", "15", "36").shapes] == [7]
