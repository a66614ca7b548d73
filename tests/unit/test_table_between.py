"""Lines that stand in the middle between rows where no row is above them, or where a cell reaches in from above."""

from tests.unit.test_table_places import Page

AT = (100.0, 200.0, 300.0, 400.0)
BODY = ["Oak", "Elm", "Ash", "Fir"]


def test_a_line_level_with_a_raised_row_s_own_line_is_of_the_first_row() -> None:
    page = Page().text(100, 103, "oo").text(200, 103, "uu").text(300, 100, "ii").text(400, 100, "ee")
    page.text(40, 108, "Label")
    for y in (115, 140, 160):
        page.row(y, *BODY, at=AT)
    assert page.shapes == [[["oo", "uu", "ii", "ee"], ["Label", "", "", ""], BODY, BODY, BODY]]


def test_a_line_beside_a_cell_that_already_spans_two_rows_is_of_that_cell() -> None:
    page = Page().text(400, 122, "oak").text(200, 128.5, "New").text(300, 133, "Elm").text(400, 133, "12")
    page.text(200, 139.5, "7").text(60, 144, "ash").text(300, 144, "12").text(300, 175, "Fir").text(400, 175, "Yew")
    assert page.shapes == [
        [["", "New 7/2/1", "", "oak"], ["", "Elm", "12"], ["ash", "", "12", ""], ["", "", "Fir", "Yew"]]
    ]
