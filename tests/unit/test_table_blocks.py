"""Rows of several lines: pages of signatures, whose names are over rules, and labels that go on."""

import pytest

from tests.unit.test_table_places import Page

AT = (60.0, 260.0, 420.0)
SIGNED = (("ADA KING", "Ada King", ("Chair",)), ("MAX ROY", "Max Roy", ("Chief of Finance", "(Accounts)")),
          ("EVA LUND", "Eva Lund", ("Director",)))  # fmt: skip
ROWS = [
    ["Name", "Title", "Date"],
    ["/s/ ADA KING Ada King", "Chair", "May 1"],
    ["/s/ MAX ROY Max Roy", "Chief of Finance (Accounts)", "May 1"],
    ["/s/ EVA LUND Eva Lund", "Director", "May 1"],
]


def signed(step: float = 40, end: float = 200, mark: str = "/s/") -> Page:
    """Signatures over rules that end at x = `end`, the names below them, titles of one line or two beside."""
    page = Page().row(70, "Name", "Title", "Date", at=AT, bold=True)
    for n, (name, plain, title) in enumerate(SIGNED):
        y = 100 + step * n
        page.text(60, y, mark).text(110, y, name).rule(60, y + 11, end, y + 11)
        page.text(260, y, title[0]).text(420, y, "May 1").text(110, y + 14, plain)
        for line in title[1:]:
            page.text(260, y + 11, line)
    return page


def test_rows_of_a_page_of_signatures_are_whole() -> None:
    assert signed().shapes == [ROWS]


def test_a_mark_before_a_name_raises_no_doubt() -> None:
    assert all(table.confidence > 0.9 for table in signed().tables)


def test_the_only_name_below_a_header_is_no_sign_of_blocks() -> None:
    page = Page().row(70, "Name", "Title", "Date", at=AT).row(100, "ADA KING", "Chair", "May 1", at=AT)
    page.text(60, 114, "Ada King").row(134, "All of them", "", "May 2", at=AT)
    assert page.shapes[0][1:3] == [["ADA KING", "Chair", "May 1"], ["Ada King", "", ""]]


def blocks(*lines: tuple[float, str, str, str]) -> list[list[str]]:
    """The rows of lines given by the white above each and their cells."""
    page, y = Page(), 100.0
    for white, *cells in lines:
        y += white
        page.row(y, *cells, at=AT)
        y += 10
    (shape,) = page.shapes
    return shape


FIRST = (0.0, "Oak", "old", "tall")


def test_white_that_is_hardly_more_than_within_parts_no_blocks() -> None:
    def rows(white: float) -> int:
        lines = (
            FIRST,
            (3, "Holm", "", ""),
            (white, "Elm", "new", "low"),
            (3, "Wych", "", ""),
            (white, "Ash", "new", "low"),
        )
        return len(blocks(*lines))

    assert (rows(7.9), rows(8.1)) == (5, 3)


def test_rows_below_names_of_columns_without_one_of_the_labels_are_divided_as_ever() -> None:
    lines = (FIRST, (3, "Holm", "", ""), (12, "Elm", "new", "low"), (3, "Wych", "", ""), (12, "Ash", "new", "low"))
    assert len(blocks((0, "", "Age", "Size"), (12, *lines[0][1:]), *lines[1:])) == 6


def test_figures_below_figures_in_a_block_are_rows() -> None:
    rows = (
        (0, "Oak", "12", "31"),
        (3, "Holm", "", ""),
        (3, "", "14", "35"),
        (12, "Elm", "9", "8"),
        (12, "Ash", "7", "6"),
    )
    assert ["", "14", "35"] in blocks(*rows)


def test_figures_without_labels_are_rows_though_white_parts_those_that_have_some() -> None:
    assert len(blocks((0, "Oak", "12", "31"), (3, "", "14", ""), (12, "Elm", "9", "8"), (12, "Ash", "7", "6"))) == 4


@pytest.mark.parametrize(
    ("label", "further", "step", "rows"),
    [
        ("Retail, food,", "tourism", 16, 2),
        ("Retail and", "tourism", 16, 3),
        ("Retail, food,", "Tourism", 16, 3),
        ("Retail, food,", "tourism", 16.2, 3),
    ],
)
def test_a_label_that_ends_in_a_comma_goes_on_in_the_next_line(
    label: str, further: str, step: float, rows: int
) -> None:
    page = Page().row(100, label, "Many shops", "All nets", at=AT)
    page.row(100 + step, further, "have few gates", "", at=AT)
    page.row(150, "Health", "Two gates", "None", at=AT)
    (shape,) = page.shapes
    assert len(shape) == rows
