"""Where one table ends and another begins, what is above a table's header, and drawings and listings in frames."""

from pathlib import Path

import pytest

from tests.unit.test_table_places import BODY, ROWS, Page
from tests.unit.test_table_unruled_rows import Drawn, frame

AT = (60.0, 260.0, 360.0)


def statement(*other: float) -> Page:
    """A statement with a header over its figures, and below it one whose header is over rules from each of `other` on,
    none over the labels."""
    page = Page()
    for y, at, names, rows in (
        (100, AT[1:], ("Crew", "Mass"), BODY[:2]),
        (160, other, ("North", "South"), BODY[2:] * 2),
    ):
        for x, name in zip(at, names, strict=True):
            page.text(x, y, name, bold=True).rule(x, y + 11, x + 60, y + 11)
        page.rows(y + 14, *rows, at=(60, *at))
    return page


@pytest.mark.parametrize(("other", "tables"), [((260, 360), 1), ((330, 400), 2)])
def test_names_over_rules_begin_another_table_where_a_figure_above_is_over_none(
    other: tuple[float, float], tables: int
) -> None:
    shapes = statement(*other).shapes
    assert len(shapes) == tables
    assert shapes[-1][-3:] == [["", "North", "South"], ROWS[2], ROWS[2]]


def between_rules(words: str) -> Page:
    page = Page().row(95, "Boat", "Crew", "Mass").rows(115, *BODY).text(60, 165, words)
    page.row(195, "Boat", "Sail", "Mass").rows(215, *BODY)
    for y in (90, 110, 190, 210, 257):
        page.rule(50, y, 390, y)
    return page


def test_a_caption_below_rows_ends_a_table_between_rules() -> None:
    first, second = between_rules("Table 7: Boats of the north").shapes
    assert (first, second) == ([["Boat", "Crew", "Mass"], *ROWS], [["Boat", "Sail", "Mass"], *ROWS])
    assert len(between_rules("Others:").shapes) == 1


def test_a_label_between_header_and_rows_may_be_as_long_as_it_has_room(tmp_path: Path) -> None:
    label = "Reconciliation of amounts recognized in the statement of position"
    page = Drawn().rows(128, [("Net obligation", "(93)", "(58)"), ("Service cost", "(10)", "(7)"),
                              ("Net loss", "(20)", "(344)")], (60, 420, 500))  # fmt: skip
    page.rows(84, [("", "2009", "2008")], (60, 420, 500)).rules((415, 87, 445, 87), (495, 87, 525, 87))
    found = page.text(60, 114, label).tables(tmp_path)[0]
    assert [row[0] for row in found] == ["", label, "Net obligation", "Service cost", "Net loss"]


HELP = ("clean [options] [selection]", "This is the same as opt, but", "is said of less")


def test_numbers_beside_a_framed_listing_are_no_column(tmp_path: Path) -> None:
    def listing(font: str, *numbers: str) -> list[list[list[str]]]:
        page = Drawn(font).rules(*frame(88, 134, columns=(80, 400)))
        for n, (number, text) in enumerate(zip(numbers, HELP, strict=True)):
            page.text(62, 100 + 14 * n, number).text(85, 100 + 14 * n, text)
        return page.tables(tmp_path)

    assert listing("cour", "1", "2", "3") == []
    assert listing("cour", "1", "3", "4") != []
    assert listing("helv", "1", "2", "3") != []


CODE = (("const char", "*name;"), ("const char", "answer[80];"), ("const int", "length;"))


@pytest.mark.parametrize(("font", "behind", "found"), [
    ("Serif", "", True), ("NimbusMonL-Regu", "", False), ("NimbusMonL-Regu", "\u21a9", False),
    ("NimbusMonL-Regu", "name", True), ("MonotypeGaramond", "", True),
])  # fmt: skip
def test_a_listing_is_known_by_its_font_where_that_says_nothing_else(font: str, behind: str, found: bool) -> None:
    page = Page()
    for n, row in enumerate(CODE):
        page.row(100 + 14 * n, *row, font=font).row(100 + 14 * n, behind, at=(400,))
    assert (page.shapes != []) is found


def plot(*below: str, above: str = "") -> Page:
    """A frame with walls that a few labels stand in."""
    page = Page().grid((100, 160, 220), (50, 150, 250, 350)).text(60, 80, above or "A line")
    page.text(60, 110, "Wait time").text(160, 110, "Run time").text(260, 170, "Blocked")
    for n, text in enumerate(below):
        page.text(60, 225 + 14 * n, text)
    return page


def test_what_stands_above_the_caption_of_a_figure_is_a_drawing() -> None:
    caption, long = "Figure 4: Times of a job", "A sentence of a text that goes on for a while."
    assert plot().shapes != []
    assert plot(caption).shapes == []
    assert plot("Start", "End", caption).shapes == []
    assert plot(long, caption).shapes != []
    assert plot(caption, above="Table 2: Times").shapes != []
    full = [Page().grid((95, 110, 124, 140), (50, 190, 290, 390)).rows(98, *rows) for rows in (BODY, 3 * [3 * ("o",)])]
    assert [page.text(60, 150, caption).shapes for page in full] == [[ROWS], []]


@pytest.mark.parametrize(
    ("turned", "y", "found"), [((190, 290), 126, False), ((190,), 126, True), ((190, 290), 98, True)]
)
def test_names_turned_beside_axes_above_the_caption_of_a_figure_make_a_drawing(
    turned: tuple[float, ...], y: float, found: bool
) -> None:
    page = Page().grid((95, 110, 124, 140), (50, 190, 290, 390)).rows(98, *BODY)
    for x in turned:
        page.text(x + 5, y, "share", direction="rotated")
    assert (page.text(60, 150, "Figure 4: Shares").shapes != []) is found


def named(*items: str, rules: tuple[tuple[float, float], ...] = ((60, 85), (250, 305)), across: str = "") -> Page:
    """Items of a list below two underlined names, and a line below them."""
    page = Page().text(60, 100, "No.").text(250, 100, "Description")
    for x0, x1 in rules:
        page.rule(x0, 111, x1, 111)
    for n, item in enumerate(items):
        page.text(62, 118 + 14 * n, item).text(100, 118 + 14 * n, f"Agreement {n} between one company and another")
    return page.text(60, 118 + 14 * len(items), across) if across else page


def test_items_of_a_list_below_names_that_are_underlined_are_rows() -> None:
    rows = named("1.1", "4.2", "*10.1").shapes[0]
    assert [row[0] for row in rows] == ["No.", "1.1", "4.2", "*10.1"]
    assert all(len(row) == 2 for row in rows)
    assert named("1.1", "4.2", "10.1", rules=()).shapes == []
    assert named("1.1", "4.2", "10.1", rules=((60, 305),)).shapes == []
    assert named("1.1").shapes == []
    assert len(named("1.1", "4.2").text(100, 186, "Far below").shapes[0]) == 3
    assert named("1.1", "4.2").text(100, 150, "Annexes", font="Sans", size=16.0).shapes == named("1.1", "4.2").shapes
    across = "A line of a text that goes on below both of the names and is no row"
    assert len(named("1.1", "4.2", across=across).shapes[0]) == 3


SPREAD = (60.0, 140.0, 240.0, 330.0, 420.0)


def test_items_with_cells_behind_them_keep_what_stands_over_their_names() -> None:
    page = Page().text(60, 88, "Annex").text(332, 88, "Filed").rule(240, 99, 460, 99)
    page.row(104, "No.", "Title", "Form", "Date", "With", at=SPREAD)
    for x in SPREAD:
        page.rule(x, 115, x + 40, 115)
    page.rows(122, ("2.1", "Sale", "8-K", "May", "A"), ("3.1", "Bonds", "10-K", "June", "B"), at=SPREAD)
    assert page.shapes[0][0][-1] == "Filed/1/3"


def columns_of_text(*ages: str, left: float = 60) -> Page:
    """Names over rules, each with all that is below it before the next one, as columns of text are read."""
    page = Page().text(60, 100, "Name").rule(60, 111, 150, 111).text(left, 118, "Stata").text(left, 160, "Fishman")
    page.text(200, 100, "Age").rule(200, 111, 240, 111)
    for n, age in enumerate(ages):
        page.text(200, 118 + 42 * n, age)
    page.text(300, 100, "Experience").rule(300, 111, 500, 111)
    for n, text in enumerate(("Chairman of the board since", "nineteen seventy", "and before", "Chief of all since",
                              "the year after")):  # fmt: skip
        page.text(300, 118 + 14 * n, text)
    return page


def test_columns_below_names_over_rules_are_those_of_a_table_in_whatever_order_they_are_read() -> None:
    found = columns_of_text("75", "63").shapes
    assert [row[0] for row in found[0]] == ["Name", "Stata", "Fishman"]
    assert found[0][2][1:] == ["63", "Chief of all since the year after"]
    assert columns_of_text("75", "63", left=40).shapes == []
