"""Tables side by side that were one, and headers over rules: titles, units, words that are underlined."""

import pytest

from tests.unit.test_table_places import Page

NAMES = ("Test", "Now", "Limit", "Test", "Now", "Limit")
AT = (60.0, 150.0, 220.0, 320.0, 410.0, 480.0)
TESTS = (("Rain", "12", "20", "Wind", "31", "40"), ("Snow", "14", "20", "Hail", "33", "40"))


HALVES = ((55.0, 305.0), (312.0, 560.0))


def twice(names: tuple[str, ...], *rules: tuple[float, float]) -> Page:
    """Rows of colour, with a little white in the middle, and rules below the names."""
    page = Page().rows(100, names, *TESTS, at=AT)
    for x0, x1 in rules:
        page.rule(x0, 112.6, x1, 112.6)
    for y in (98, 112, 126):
        for x0, x1 in HALVES:
            page.rule(x0, y, x1, y + 14, fill=True)
    return page


@pytest.mark.parametrize(
    ("names", "rules"),
    [
        (NAMES, ((55, 560),)),  # a rule over both: one table, folded
        (("Test", "Now", "Limit", "Test", "Now", "Most"), HALVES),
        (("", "Now", "Limit", "", "Now", "Limit"), HALVES),
    ],
)
def test_other_names_or_a_rule_over_both_are_no_two_tables(
    names: tuple[str, ...], rules: tuple[tuple[float, float], ...]
) -> None:
    assert len(twice(names, *rules).shapes) == 1


RATES = (("Interest rate", "1.77-2.66%", "2.79-3.01%"), ("Volatility", "49.5-106%", "45.6-46.2%"))
PAIR = (60.0, 300.0, 400.0)
CODES = (("A1", "Agate", "B1", "Basalt"), ("A2", "Amber", "B2", "Beryl"), ("A3", "Apatite", "B3", "Borax"))
ENDS = (55.0, 290.0, 312.0, 560.0)


def titled(
    *rules: tuple[float, float],
    rows: tuple[tuple[str, ...], ...] = CODES,
    y: float = 112,
    at: tuple[float, ...] = (75, 150, 320, 410),
) -> Page:
    """Names and their meanings twice beside each other, below two titles over rules."""
    page = Page().row(100, "Stones", "Salts", at=(ENDS[0], ENDS[2]), bold=True)
    for x0, x1 in rules:
        page.rule(x0, y, x1, y)
    return page.rows(116, *rows, at=at)


BOTH = ((ENDS[0], ENDS[1]), (ENDS[2], ENDS[3]))


def test_titles_over_rules_of_their_own_are_above_two_tables() -> None:
    page = titled(*BOTH, rows=(*CODES, ("", "", "B4", "Boron")))
    assert page.shapes == [
        [list(row[:2]) for row in CODES],
        [list(row[2:]) for row in (*CODES, ("", "", "B4", "Boron"))],
    ]
    assert [table.caption_fragment_ids for table in page.tables] == [["p1.f1"], ["p1.f2"]]


@pytest.mark.parametrize(
    ("rules", "rows"),
    [
        (((ENDS[0], ENDS[3]),), CODES),  # one rule over all
        (((ENDS[0], ENDS[1]),), CODES),
        (((ENDS[0], ENDS[1]), (ENDS[2] - 4, ENDS[3])), CODES),  # does not begin with its title
        (((ENDS[0], 140), BOTH[1]), CODES),  # ends within the table
        (BOTH, tuple(("", *row[1:]) for row in CODES)),  # one column alone below the first
    ],
)
def test_other_rules_below_words_are_within_one_table(
    rules: tuple[tuple[float, float], ...], rows: tuple[tuple[str, ...], ...]
) -> None:
    (shape,) = titled(*rules, rows=rows).shapes
    assert any("Salts" in cell for cell in shape[0])


def test_a_text_beyond_the_rules_of_titles_is_of_one_table_with_all() -> None:
    rows = tuple((*row[:2], "rare", *row[2:]) for row in CODES)
    (shape,) = titled((ENDS[0], 200), BOTH[1], rows=rows, at=(75, 150, 240, 320, 410)).shapes
    assert any("Salts" in cell for cell in shape[0])


def test_a_rule_further_below_is_none_of_a_title() -> None:
    assert len(titled(*BOTH, y=114.9).shapes) == 2
    assert len(titled(*BOTH, y=115.1).shapes) == 1


def test_a_dash_set_further_right_is_no_column() -> None:
    rows = (*[("Swift", "12", "31.5"), ("Heron", "14", "35.1"), ("Tern", "11", "30.2")] * 2, ("Kestrel", "15", ""))
    dash, figure = (Page().rows(100, *rows, at=PAIR).text(424, 184, text) for text in ("--", "9"))
    assert {len(row) for row in dash.shapes[0]} == {3}
    assert {len(row) for row in figure.shapes[0]} == {4}


def test_ranges_of_numbers_are_below_a_header() -> None:
    page = Page().text(320, 100, "Years ended").rule(300, 113, 480, 113).row(116, "", "2019", "2018", at=(60, 320, 420))
    assert page.rows(132, *RATES, at=PAIR).shapes == [
        [["", "Years ended/1/2"], ["", "2019", "2018"], *[list(row) for row in RATES]]
    ]


SHARES = (("Balance", "46", "114.19"), ("Granted", "23", "185.07"), ("Vested", "18", "94.82"))


def test_a_title_over_two_columns_is_of_their_header_though_it_begins_before_the_figures() -> None:
    page = Page().text(244, 100, "Units and shares of all plans there are").rule(240, 112, 470, 112)
    page.text(250, 115, "Shares").text(380, 115, "Value of a share")
    page.rule(240, 127, 340, 127).rule(370, 127, 470, 127).rows(130, *SHARES, at=(60, 310, 430))
    assert page.shapes[0][0] == ["", "Units and shares of all plans there are/1/2"]


@pytest.mark.parametrize(("right", "span"), [(425.0, 4), (432.0, 2)])
def test_words_that_are_only_underlined_head_the_columns_that_they_are_in_the_middle_of(
    right: float, span: int
) -> None:
    page = Page().text(345, 100, "Due by period ab").rule(345, 112, right, 112)
    names = ("Total", "First", "Second", "Third", "Fourth")
    xs = (200.0, 270.0, 340.0, 410.0, 480.0)
    page.row(118, *names, at=xs)
    for x in xs:
        page.rule(x, 130, x + 40, 130)
    body = (("Leases", "80.1", "24.7", "27.9", "9.8", "18.2"), ("Debts", "37.5", "14.7", "17.9", "3.7", "12.2"))
    page.rows(134, *body, at=(60, *xs))
    assert [cell for cell in page.shapes[0][0] if cell] == [f"Due by period ab/1/{span}"]


def test_the_name_of_a_group_set_like_others_is_not_of_the_header() -> None:
    def heads(*second: str) -> list[int]:
        page = Page().grid(tuple(96.0 + 14 * n for n in range(7)), (50, 190, 290, 390))
        page.row(98, "Indicator", "Total", "Rural", bold=True).text(60, 112, "Birth weight", bold=True)
        page.rows(126, ("Weighed", "12", "31"), ("Below", "14", "35")).row(154, *second, bold=True)
        return page.row(168, "Diarrhoea", "15", "36").heads

    assert heads("Awareness") == [1]
    assert heads("Awareness", "12", "14") == [2]


@pytest.mark.parametrize(("top", "found"), [(137.0, True), (131.0, False)])
def test_a_large_label_in_the_middle_beside_lines_of_its_cell_is_no_title(top: float, found: bool) -> None:
    page = Page().row(100, "Method", "Bill").row(176, "Type", "Variable")
    for y in (96, 112, 172, 188):
        page.rule(50, y, 400, y)
    page.text(200, 118, "Standard 1023").text(60, top, "Annual cost", size=16.0, font="Sans")
    page.text(200, 144, "Economy 1251").row(158, "in kWh", "Gas 1115")
    assert any("Annual cost" in row[0] for shape in page.shapes for row in shape) is found


def test_a_label_alone_that_is_wider_than_its_column_spans_none() -> None:
    page = Page().rows(100, ("Swift", "12", "31"), ("Heron", "14", "35"))
    page.text(60, 128, "Change in gains of all derivatives:").rows(142, ("Tern", "15", "36"), ("Kestrel", "11", "30"))
    assert page.shapes[0][2] == ["Change in gains of all derivatives:", "", ""]


NOTES = ("2 All of the gardens that were counted in June", "2 All gardens")


@pytest.mark.parametrize(
    ("text", "x", "kept"),
    [
        (NOTES[0], 60, False),
        (NOTES[1], 60, True),
        ("All of the gardens counted", 60, True),
    ],
)
def test_a_note_within_the_frame_below_the_last_row_is_none(text: str, x: float, kept: bool) -> None:
    page = Page().grid((96, 110, 124, 138), (50, 400)).rule(190, 96, 190, 138).rule(290, 96, 290, 138)
    page.rows(98, ("Tree", "Seeds", "Cones"), ("Oak", "12", "31"), ("Elm", "14", "35"))
    page.rule(50, 96, 50, 152).rule(400, 96, 400, 152).rule(50, 152, 400, 152).text(x, 140, text)
    assert [len(shape) for shape in page.shapes] == [3 + kept]


def noted(*notes: str, kind: str = "rules") -> Page:
    """Notes below the rows between two rules, or at the end of a grid."""
    page = Page().rule(50, 96, 400, 96).rule(50, 111, 400, 111)
    page.rows(98, ("Tree", "Seeds", "Cones"), ("Oak", "12", "31"), ("Elm", "14", "35"))
    for n, text in enumerate(notes):
        page.text(60, 140 + 14 * n, text)
    end = 140 + 14 * len(notes)
    if kind == "grid":
        page.rule(50, 96, 50, end).rule(400, 96, 400, end)
    return page.rule(50, end, 400, end)


TALL = [["Tree", "Seeds", "Cones"], ["Oak", "12", "31"], ["Elm", "14", "35"]]


def test_a_note_between_the_rules_of_a_table_is_no_row() -> None:
    assert noted("Notes: counted by hand").shapes == [TALL]
    assert noted("Source: a walk", "Counted again later").shapes == [TALL]


def test_other_last_rows_between_rules_and_notes_in_a_grid_are_rows() -> None:
    assert len(noted("Larches").shapes[0]) == 4
    assert len(noted("Notes: counted by hand", kind="grid").shapes[0]) == 4
    page = noted("Notes: counted by hand").text(300, 140, "9")
    assert len(page.shapes[0]) == 4


@pytest.mark.parametrize(("size", "found"), [(10.9, True), (11.1, False)])
def test_a_unit_set_larger_than_the_table_is_of_the_title_above_it(size: float, found: bool) -> None:
    page = Page().text(330, 88, "(Unaudited)", size=size).row(100, "2019", "2018", at=(315, 435), bold=True)
    for x in (300, 420):
        page.rule(x, 112, x + 50, 112)
    page.rows(116, *SHARES, at=(60, 310, 430))
    assert ("(Unaudited)" in "".join(page.shapes[0][0])) is found


@pytest.mark.parametrize(("unit", "found"), [("(in millions)", True), ("in millions", False)])
def test_a_unit_beside_the_names_of_columns_is_of_their_header(unit: str, found: bool) -> None:
    page = Page().row(100, unit, "2019", "2018", at=(60, 315, 435), size=8.0)
    for x in (300, 420):
        page.rule(x, 112, x + 50, 112)
    page.text(60, 116, "Revenue", bold=True).rows(130, *SHARES, at=(60, 310, 430))
    assert (page.shapes[0][0] == [unit, "2019", "2018"]) is found


def unit_beside(*names: str, at: tuple[float, ...]) -> list[list[str]]:
    """The header of a table whose unit is beside names over a rule, of columns or of years below."""
    page = Page().text(352, 88, "Years ended").row(100, "(in millions)", *names, at=(60, *at))
    page.rule(310, 112, 470, 112).row(116, "2019", "2018", at=(325, 432))
    for x in (310, 420):
        page.rule(x, 128, x + 50, 128)
    return page.rows(132, *SHARES, at=(60, 335, 440)).shapes[0][:2]


def test_a_unit_beside_the_one_name_over_the_years_is_of_their_header() -> None:
    assert unit_beside("May 1,", at=(365,)) == [["(in millions)", "Years ended May 1,/1/2"], ["", "2019", "2018"]]


def test_names_over_figures_alone_that_are_the_same_twice_are_of_one_table() -> None:
    xs = (200.0, 270.0, 340.0, 410.0)
    page = Page().row(100, "Now", "Limit", "Now", "Limit", at=xs)
    for x in xs:
        page.rule(x, 112, x + 40, 112)
    page.rows(116, ("Rain", "12", "20", "31", "40"), ("Snow", "14", "20", "33", "40"), at=(60, *xs))
    assert [len(shape[0]) for shape in page.shapes] == [5]


def bar(**more: object) -> Page:
    """Rows between rules, between two of which a label stands among others."""
    page = Page()
    for y in (96, 112, 156, 172):
        page.rule(50, y, 400, y)
    page.row(100, "Cooling", "Water").row(114, "Pressure", "4.8 psi").text(60, 128, "ELECTRICAL", **more)
    return page.row(142, "Voltage", "12 Volts").row(158, "Battery", "100 Ah")


def test_a_label_set_larger_or_bolder_than_all_between_two_rules_is_a_row() -> None:
    rows = [["Pressure", "4.8 psi"], ["ELECTRICAL", ""], ["Voltage", "12 Volts"]]
    for more in ({"size": 10.6}, {"bold": True}):
        assert bar(**more).shapes == [[["Cooling", "Water"], *rows, ["Battery", "100 Ah"]]]
    assert len(bar(size=10.4).shapes[0]) == 3
