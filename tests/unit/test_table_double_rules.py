"""Rules that are drawn twice, with pieces of a frame's sides between, and headers that are said again."""

import pytest

from tests.unit.test_table_places import Page

NUMBERED = (("1", "the step size last used"), ("2", "the step size next"), ("3", "its value at the last switch"))


def doubled(*rows: tuple[str, str], low: float = 4, header: tuple[str, ...] = ("Nr", "Description")) -> Page:
    """Rows between rules, each drawn twice, `low` apart, with sides between the two."""
    page = Page()
    for n, row in enumerate((header, *rows, ("", ""))):
        y = 100 + (20 + low) * n
        page.grid((y, y + low), (60, 500)).row(y + low + 5, *row, at=(70, 120))
    return page


def test_rules_drawn_twice_are_rules_and_no_frames() -> None:
    rows = [["Nr", "Description"], *([*row] for row in NUMBERED)]
    assert doubled(*NUMBERED).shapes == [rows]


def test_frames_as_high_as_a_line_are_frames() -> None:
    assert doubled(*NUMBERED, low=16).shapes == []


def test_numbers_below_a_header_between_rules_are_cells_and_without_it_the_marks_of_a_list() -> None:
    def between(*rows: tuple[str, ...], at: tuple[float, ...] = (70, 120)) -> list[list[list[str]]]:
        page = Page().rule(60, 95, 500, 95)
        for n, row in enumerate(rows):
            page.row(100 + 16 * n, *row, at=at).rule(60, 112 + 16 * n, 500, 112 + 16 * n)
        return page.shapes

    assert between(("Nr", "Description"), *NUMBERED) == [[["Nr", "Description"], *([*row] for row in NUMBERED)]]
    assert between(*NUMBERED) == []
    assert between(("Nr", "Description"), ("", "It is set out below."), ("", "It is as it was.")) == []
    header = ("Nr", "A description of both of them", "")
    assert between(header, ("", "1.", "step one"), ("", "2.", "step two"), at=(70, 120, 150)) == []


def test_a_row_of_notes_below_a_table_does_not_join_it_with_the_next_one() -> None:
    page = Page()
    for n in range(2):
        y = 100 + 120 * n
        page.rule(60, y, 500, y).row(y + 4, "Nr", "Description", at=(70, 200)).rule(60, y + 16, 500, y + 16)
        page.row(y + 20, "Oak", "as it was", at=(70, 200)).row(y + 34, "Elm", "as it is", at=(70, 200))
        page.rule(60, y + 50, 500, y + 50)
        if n == 0:
            page.row(y + 54, "Source: own", "Amounts in EUR", at=(70, 200)).text(60, y + 76, "3 Discussion", size=16.0)
            page.text(60, y + 98, "The birds have found their way home for two of the years, and so have we.")
    table = [["Nr", "Description"], ["Oak", "as it was"], ["Elm", "as it is"]]
    assert page.shapes == [table, table]


KEYS = (("M-C-a", "Go to the beginning"), ("M-C-e", "Go to the end"), ("M-C-f", "Go to the end"))


def parts(title: str, second: tuple[str, str] = ("Key", "Description")) -> list[list[list[str]]]:
    """Two headers between rules of the same width, each above rows without rules, the second below a title."""
    page = Page()
    for n, header in enumerate((("Key", "Description"), second)):
        y = 100 + 80 * n
        page.rule(60, y, 500, y).row(y + 4, *header, at=(70, 200)).rule(60, y + 16, 500, y + 16)
        for m, row in enumerate(KEYS):
            page.row(y + 20 + 14 * m, *row, at=(70, 200))
        if n == 0 and title:
            page.text(60, y + 64, title)
    return page.shapes


ROWS = [[*row] for row in KEYS]


def test_the_same_header_below_a_title_begins_another_table() -> None:
    one = [["Key", "Description"], *ROWS]
    assert parts("Process") == [one, one]


@pytest.mark.parametrize(("title", "second"), [("", ("Key", "Description")), ("Process", ("Name", "Meaning"))])
def test_without_a_title_or_with_another_header_it_goes_on(title: str, second: tuple[str, str]) -> None:
    assert len(parts(title, second)) == 1
