"""Tables whose header changes midway: what is below another header is a table of its own."""

import pytest

from tests.unit.test_table_places import Page

AT = (60.0, 300.0, 400.0)
FIRST, REST = (("Boats", "184", "158"), ("Sails", "158", "274")), (("Tax", "92", "17"), ("Duty", "47", "21"))
YEARS = ("Revenue", "2023", "2022")
LINES = (95, 110, 124, 138, 152, 166, 180)


def account(*second: str, walls: bool = False, bold: str = "", first: tuple[str, ...] = YEARS) -> Page:
    """Rows below a header, and further ones below another, `second`. `bold`: which of the two is, "1", "2" or "12"."""
    page = Page().row(98, *first, at=AT, bold="1" in bold).rows(112, *FIRST, at=AT)
    page.row(140, *second, at=AT, bold="2" in bold).rows(154, *REST, at=AT)
    return page.grid(LINES, (50, 290, 390, 490)) if walls else page


def table(*names: str, rows: tuple[tuple[str, ...], ...]) -> list[list[str]]:
    return [list(row) for row in (names, *rows)]


@pytest.mark.parametrize("walls", [True, False])
@pytest.mark.parametrize("label", ["Costs", "Revenue"])
def test_the_same_names_over_the_same_columns_begin_another_table(walls: bool, label: str) -> None:
    page = account(label, "2023", "2022", walls=walls)
    assert page.shapes == [table(*YEARS, rows=FIRST), table(label, "2023", "2022", rows=REST)]
    assert page.heads == [1, 1]


@pytest.mark.parametrize("second", [("Costs", "2023", "2021"), ("Costs", "2022", "2023"), ("Costs", "", "2022")])
def test_other_numbers_are_a_row(second: tuple[str, ...]) -> None:
    for walls in (True, False):
        assert [len(shape) for shape in account(*second, walls=walls).shapes] == [6]


def test_words_that_recur_without_figures_are_rows() -> None:
    rows = (("Port", "red", "green"), ("Boat", "blue", "green"), ("Yard", "red", "green"), ("Mast", "white", "blue"))
    assert [len(shape) for shape in Page().rows(98, *rows, at=AT).grid(LINES[:5], (50, 290, 390, 490)).shapes] == [4]


def test_units_below_each_other_are_no_names() -> None:
    assert len(account("Costs", "EUR", "EUR", first=("Revenue", "EUR", "EUR")).shapes) == 1


def test_bold_names_between_figures_in_a_drawn_grid_begin_another_table() -> None:
    names = ("Region", "Orders", "Returns")
    first, second = account(*names, walls=True, bold="12").shapes
    assert (first, second) == (table(*YEARS, rows=FIRST), table(*names, rows=REST))
    for bold in ("", "1", "2"):
        assert len(account(*names, walls=True, bold=bold).shapes) == 1
    assert len(account(*names, bold="12").shapes) == 1
    assert len(account("Region", "Orders", "", walls=True, bold="12").shapes) == 1
    assert len(account("Total", "342", "432", walls=True, bold="12").shapes) == 1


def test_a_label_alone_above_the_names_is_the_title_of_their_table() -> None:
    page = Page().row(98, *YEARS, at=AT).rows(112, *FIRST, at=AT).text(60, 140, "What was paid")
    page.row(154, "Costs", "2023", "2022", at=AT).rows(168, *REST, at=AT)
    assert page.shapes == [table(*YEARS, rows=FIRST), table("Costs", "2023", "2022", rows=REST)]
    assert [table.caption_fragment_ids for table in page.tables] == [[], ["p1.f10"]]


@pytest.mark.parametrize(("names", "bold"), [(YEARS[1:], False), (("Orders", "Returns"), True)])
@pytest.mark.parametrize(("wall", "tables"), [(290, 1), (50, 2)])
def test_a_cell_that_reaches_into_the_names_keeps_them_in_its_table(
    wall: float, tables: int, names: tuple[str, ...], bold: bool
) -> None:
    page = Page().row(98, *YEARS, at=AT, bold=bold).row(112, *FIRST[0], at=AT).row(126, "", *FIRST[1][1:], at=AT)
    page.text(60, 133 if wall > 50 else 126, "Sails")
    page.row(140, "Costs" if wall == 50 else "", *names, at=AT, bold=bold)
    page.rows(154, *REST, at=AT)
    for y in LINES:
        page.rule(wall if y == 138 else 50, y, 490, y)
    for x in (50, 290, 390, 490):
        page.rule(x, 95, x, 180)
    assert len(page.shapes) == tables
