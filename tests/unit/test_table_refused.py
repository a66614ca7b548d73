"""What stands in rows and columns and is no table: charts, numbered lines, covers of filings; and text struck out."""

import pytest

from shared.domain.geometry import Rect
from tests.unit.test_table_places import BODY, H, Page, W

LEFT, RIGHT = ("0.3", "0.2", "0.1", "0.0", "-0.1", "-0.2"), tuple("9876543210")


def matrix(left: str, right: str, x: float = 60, label: str = "") -> bool:
    page = Page()
    for n, row in enumerate(BODY):
        page.row(100 + 14 * n, label, at=(20,)).row(100 + 14 * n, left, *row, right, at=(x, 80, 200, 300, 330))
    return page.shapes != []


@pytest.mark.parametrize("signs", ["\uf8ec\uf8f7", "\u239c\u239f", "\u23a1\u23a4"])
def test_rows_between_large_brackets_are_a_matrix(signs: str) -> None:
    left, right = signs
    assert not matrix(left, right)
    assert matrix(right, left)
    assert matrix(left, right, x=150)  # in a cell of a table
    assert matrix(left, right, label="Rate")
    assert matrix(left, "*")


@pytest.mark.parametrize(("walls", "found"), [((), False), ((130,), True)])
def test_matrices_in_cells_between_walls_are_in_a_table(walls: tuple[float, ...], found: bool) -> None:
    page = Page().grid((95, 145), (30, *walls, 500))
    for n, row in enumerate((("Q", "12", "31"), ("", "14", "35"), ("", "15", "36"))):
        page.row(100 + 14 * n, row[0], "\u239c", *row[1:], "\u239f", at=(150, 140, 250, 350, 400))
        if n == 1:
            page.text(60, 114, "Rate")
    assert (page.shapes != []) is found


def test_brackets_around_a_ruled_table_make_no_matrix_of_it() -> None:
    page = Page().grid((95, 145), (60, 150, 300, 500))
    for n, row in enumerate(BODY):
        page.row(100 + 14 * n, "\u239c", *row, "\u239f", at=(40, 80, 200, 320, 510))
    assert page.shapes != []


def parted(y: float, *, right: bool = True, end: float = 350) -> bool:
    """Whether a table is found of rows between brackets in one piece each, from `y` on, which are read before them."""
    page = Page()
    for x, sign in ((40, "\uf8ef"), (end, "\uf8fa" if right else "|")):
        box = Rect(x=x / W, y=y / H, w=10 / W, h=60 / H)
        page.text(x, y, sign, box=box)
    page.text(60, 40, "where")
    for n, row in enumerate((*BODY, ("Q =", "", ""))):
        page.row(100 + 14 * n, *row, at=(80 if n < len(BODY) else 10, 200, 300))
    return page.shapes != []


def test_rows_beside_the_pieces_of_a_bracket_are_a_matrix() -> None:
    assert not parted(96)
    assert parted(96, right=False)
    assert parted(200)
    assert parted(150)  # the last row alone
    assert parted(96, end=250)  # the last column is beyond


def numbered(*texts: str, start: int = 1375, **more: object) -> Page:
    page = Page()
    for n, text in enumerate(texts):
        page.text(60, 100 + 14 * n, f"{start + n}").text(100, 100 + 14 * n, text, **more)
    return page


ITEMS = ("North gate", "South gate", "West gate")


def test_lines_of_a_listing_with_numbers_beside_are_no_table() -> None:
    assert numbered(*ITEMS).shapes != []
    assert numbered(*ITEMS, mono=True).shapes == []
    page = Page()
    for number, y, text in zip(("1375", "1377", "1378"), (100, 114, 128), ITEMS, strict=True):
        page.text(60, y, number).text(100, y, text, mono=True)
    assert page.shapes != []


def test_lines_of_a_text_with_numbers_beside_are_no_table() -> None:
    assert numbered("The gate is shut at", "night, and opened at", "dawn again").shapes == []


@pytest.mark.parametrize(
    ("number", "y", "found"), [("15", 142, False), ("11", 86, False), ("15", 146, True), ("16", 142, True)]
)
def test_numbers_that_go_on_beyond_the_rows_number_the_lines_of_a_page(number: str, y: float, found: bool) -> None:
    page, long = Page(), "A line of one piece, which is as long as the page is wide, or nearly"
    if y < 100:
        page.text(60, y, number).text(100, y, long)
    for n, text in enumerate(ITEMS):
        page.text(60, 100 + 14 * n, f"{12 + n}").text(100, 100 + 14 * n, text).text(400, 100 + 14 * n, "yes")
    if y > 100:
        page.text(60, y, number).text(100, y, long)
    assert (page.shapes != []) is found


COVER = (("Delaware", "94-3177549"), ("(State of", "(Tax"), ("incorporation)", "number)"))


def test_captions_in_parentheses_below_each_row_are_no_table() -> None:
    second = (("2788 San Tomas", "95051"), ("(Address)", "(Zip code)"))
    assert Page().rows(100, *COVER, *second, at=(60, 300)).shapes == []
    assert Page().rows(100, *COVER, second[0], at=(60, 300)).shapes != []
    losses = (
        ("Delaware", "94-31", "88"),
        ("(12)", "(14)", "(15)"),
        ("Nevada", "88-12", "66"),
        ("(15)", "(16)", "(17)"),
    )
    assert Page().rows(100, *losses, at=(60, 200, 300)).shapes != []


ANSWERS = (("North gate", "Yard"), ("South gate", "Tower"), ("West gate", "Well"))


def ticked(*left_out: tuple[int, int], wrapped: float = 0) -> Page:
    """Answers in two columns, each behind a box to tick but those left out; one may have a second line, at x."""
    page = Page()
    for n, row in enumerate(ANSWERS):
        for m, (x, text) in enumerate(zip((60, 300), row, strict=True)):
            page.text(x, 100 + 14 * n, text)
            if (n, m) not in left_out:
                page.tick(x - 20, 100 + 14 * n)
    return page.text(wrapped, 142, "at night") if wrapped else page


def test_answers_to_tick_in_columns_are_no_table() -> None:
    assert ticked().shapes == []
    assert ticked(wrapped=300).shapes == []


def test_rows_of_which_not_all_is_the_label_of_a_box_are_a_table() -> None:
    assert ticked((1, 0)).shapes == []  # below the label of a box, as a further line of it
    assert ticked((0, 0)).shapes != []
    assert ticked(*[(n, m) for n in range(3) for m in range(2)]).shapes != []


def test_answers_to_tick_within_a_drawn_grid_are_cells() -> None:
    assert ticked().grid((95, 110, 124, 140), (30, 250, 500)).shapes != []


LISTING = ("if (a == b) {", "call(a, b);", "}")


def test_numbers_before_several_typed_columns_are_those_of_rows() -> None:
    page = Page()
    for n, text in enumerate(("apache", "bind", "cron")):
        page.text(60, 100 + 14 * n, f"{n + 1}").text(100, 100 + 14 * n, text, mono=True)
        page.text(200, 100 + 14 * n, "2.4.57", mono=True)
    assert page.shapes != []


@pytest.mark.parametrize("text", ["/* of rows", "of rows */", "of rows \\"])
def test_comments_and_lines_that_go_on_are_code(text: str) -> None:
    assert typed("of rows").shapes != []
    assert typed(text).shapes == []


@pytest.mark.parametrize(
    ("text", "found"), [("-----", True), ("--all", False), ("-- all", False), ("##", True), ("# all", False)]
)
def test_rules_of_dashes_and_marks_of_output_alone_are_no_code(text: str, found: bool) -> None:
    assert (typed(text).shapes != []) is found


def typed(text: str) -> Page:
    page = Page()
    for n, name in enumerate(("nodes", "edges", "faces")):
        page.text(60, 100 + 14 * n, name, mono=True).text(200, 100 + 14 * n, text if n == 1 else "number", mono=True)
    return page


@pytest.mark.parametrize(
    ("numbers", "x", "relation", "found"),
    [
        (("(2.9)", "(2.10)", "(2.11)"), 400, "= B", False),
        (("(A-1)", "(A-2)", "(A-3)"), 400, "= B", False),
        (("(2.9)", "(2.11)", "(2.12)"), 400, "= B", True),
        (("(2.9)", "", ""), 400, "= B", True),
        (("(2.9)", "(2.10)", "(2.11)"), 200, "= B", True),  # not at the end
        (("(2.9)", "(2.10)", "(2.11)"), 400, "and B", True),
        (("(9)", "(10)", "12"), 400, "= B", True),  # a column of numbers, negative ones in parentheses
    ],
)
def test_numbers_of_equations_end_their_rows(numbers: tuple[str, ...], x: float, relation: str, found: bool) -> None:
    assert (equations(numbers, x, relation).shapes != []) is found


def test_numbers_of_equations_may_stand_at_their_last_line() -> None:
    assert equations(("(2.9)", "(2.10)", "(2.11)"), 400, "= B", last=True).shapes == []


def equations(numbers: tuple[str, ...], x: float, relation: str, *, last: bool = False) -> Page:
    """Equations of two lines each, their numbers at the first or the last."""
    page, other = Page(), 300 if x == 400 else 400
    for n, (number, text) in enumerate(zip(numbers, (relation, "= C", "= D"), strict=True)):
        for m, part in enumerate((text, "plus E")):
            cells = sorted(((60, "A"), (other, part), (x + 25 - 5 * len(number), number if m == last else "")))
            page.row(100 + 28 * n + 14 * m, *(text for _, text in cells), at=tuple(x for x, _ in cells))
    return page


def test_a_column_of_negative_numbers_beside_limits_is_one_of_a_table() -> None:
    rows = (("< 18 years", "12", "(1)"), ("Unknown = other", "48", "(2)"), ("Total", "60", "(3)"))
    assert Page().rows(100, *rows).shapes != []


def test_kinds_in_brackets_before_the_right_edge_are_cells() -> None:
    rows = (("Pump", "[bar]"), ("Fan", "[rpm]"), ("A longer name", "[volts]"))
    assert Page().rows(100, *rows).shapes != []


def listed(x: float = 100, **more: object) -> Page:
    """A listing in two columns of lines, each with its comment, and a number that is set in another type."""
    page = Page()
    for n, text in enumerate(LISTING):
        y = 100 + 14 * n
        page.text(60, y, f"{7 * n + 3}").text(x, y, text, mono=True).text(300, y, "# the same", **more)
    return page


def test_numbers_of_another_type_beside_a_listing_make_no_table_of_it() -> None:
    assert listed(mono=True).shapes == []
    assert listed().shapes != []  # with comments in the type of the text


@pytest.mark.parametrize(("sides", "found"), [((90, 500), False), ((90, 280, 500), True)])
def test_a_listing_in_a_frame_is_no_table_but_cells_of_code_are(sides: tuple[float, ...], found: bool) -> None:
    page = Page().grid((95, 145), sides)
    for n, text in enumerate(LISTING):
        page.text(100, 100 + 14 * n, text, mono=True).text(300, 100 + 14 * n, "# the same", mono=True)
    assert (page.shapes != []) is found


@pytest.mark.parametrize(("side", "found"), [(94, False), (98, True)])
def test_the_sides_of_a_frame_may_stand_within_its_upper_edge(side: float, found: bool) -> None:
    page = Page().rule(90, 95, 500, 95).rule(90, 145, 500, 145).rule(side, 95, side, 145).rule(500, 95, 500, 145)
    for n, text in enumerate(LISTING):
        page.text(100, 100 + 14 * n, text, mono=True).text(300, 100 + 14 * n, "# the same", mono=True)
    assert (page.shapes != []) is found


@pytest.mark.parametrize(
    ("pages", "found"),
    [
        (("12, 47, 130", "8", "81, 96"), False),
        (("12", "8", "96"), True),  # values
        (("12, 7", "8", "96, 81"), True),  # not ascending
        (("12, 47", "8.5", "81, 96"), True),
    ],
)
def test_names_with_leaders_to_lists_of_pages_are_an_index(pages: tuple[str, ...], found: bool) -> None:
    page = Page()
    for n, (name, text) in enumerate(zip(("frame", "header", "margin"), pages, strict=True)):
        page.text(60, 100 + 14 * n, f"{name} . . . . . . . .").text(400, 100 + 14 * n, text)
    assert (page.shapes != []) is found


def grammar(*rows: tuple[str, str], last: str = "|") -> bool:
    page = Page().rule(60, 95, 500, 95).rule(60, 200, 500, 200)
    for n, (symbol, text) in enumerate((*rows, ("", f"{last} signed"))):
        sign, _, rest = text.partition(" ")
        page.row(100 + 14 * n, symbol, *((f"{sign} {rest}",) if symbol else (sign, rest)), at=(60, 150, 170))
    return page.shapes != []


RULES = (("wire", "::= attr wire"), ("option", "::= width"), ("", "| offset"), ("id", "::= name"))


def test_rules_of_a_grammar_are_no_table() -> None:
    assert not grammar(*RULES)
    assert not grammar(*[(symbol, text.replace("::=", ":=")) for symbol, text in RULES])
    assert grammar(*RULES, last="*")
    assert grammar(*[(symbol, text.replace("::=", "is")) for symbol, text in RULES])


FLOWING = ("Multilevel Modeling of Data", "Symposium on Recent Advances", "versity York Methods Two")


TERMS = ("Monday Tuesday Wednesday Thursday", "Maths English Physics History", "Art Geography Maths French")


@pytest.mark.parametrize("pitch", [100, 110, 130])
@pytest.mark.parametrize("side", [0.0, 2.5, 5.0])  # points a letter: at the left, in the middle, at the right
def test_words_of_a_timetable_are_cells(pitch: int, side: float) -> None:
    page = Page()
    for n, text in enumerate(TERMS):
        for m, word in enumerate(text.split()):
            page.text(100 + pitch * m - side * len(word), 100 + 14 * n, word)
    assert page.shapes != []


@pytest.mark.parametrize("centred", [True, False])
def test_words_in_the_middle_of_columns_are_cells(centred: bool) -> None:
    page = Page()
    for n, text in enumerate(FLOWING):
        for at, word in zip((80, 180, 280, 380), text.split(), strict=True):
            page.text(at - (2.5 * len(word) if centred else 0), 100 + 14 * n, word)
    assert page.shapes != []


@pytest.mark.parametrize(
    ("sign", "right", "found"),
    [("\u21d2", "12", False), ("<", "a b", False), (">", "a b", False), ("&", "a b", True), ("<", "0.1", True)],
)
def test_a_sign_alone_between_two_sides_is_a_formula_and_before_a_number_a_result(
    sign: str, right: str, found: bool
) -> None:
    page = Page().rows(100, *[(left, sign, right) for left in ("Lead", "Zinc", "Iron")])
    assert (page.shapes != []) is found


def listing(*between: str, x: float = 50, cells: tuple[float, ...] = (80, 200)) -> bool:
    page = (
        Page()
        .row(100, "mouse|rat", "run();", at=cells, font="Courier")
        .row(114, "cat", "run();", at=cells, font="Courier")
    )
    page.row(128, *between, at=(x, 200))
    for n in range(2):
        page.row(142 + 14 * n, "mouse|cat", "run();", at=cells, font="Courier")
    return page.shapes != []


def test_text_between_listings_makes_no_table_of_them() -> None:
    assert not listing("or as")
    assert listing("or as", x=80)  # a cell of the first column
    assert listing("Name", "What it does")


def test_a_frame_around_formulas_is_no_table() -> None:
    def framed(sign: str) -> bool:
        page = Page().grid((95, 145), (50, 500))
        return page.rows(100, *[(left, sign, "a b c") for left in ("zip", "unzip", "part")]).shapes != []

    assert not framed("=")
    assert not framed("::")
    assert framed("&")
    assert framed(">")
    assert Page().grid((95, 145), (50, 500)).rule(50, 112, 500, 112).rows(
        100, *[("Age", "= 2.31", "0.02"), ("Sex", "= 1.2", "0.3"), ("Dose", "= 4", "0.01")]
    ).shapes  # fmt: skip


def labelled(*others: str, x: float = 60, sign: str = ":") -> bool:
    """Whether labels with values are a table where `others` stand further down the page."""
    page = Page()
    for n, label in enumerate(("Input", "Output", "Return")):
        page.row(100 + 14 * n, f"{label}{sign}", "a tag", at=(60, 150))
    for n, label in enumerate(others):
        page.text(x, 300 + 40 * n, f"{label}{sign}")
    return page.shapes != []


def test_labels_that_are_said_of_the_next_thing_too_are_no_table() -> None:
    assert not labelled("Input", "Output", "Return")
    assert labelled("Input", "Return")
    assert labelled("Input", "Output", "Return", x=90)
    assert labelled("Input", "Output", "Return", sign="")
    assert labelled()


@pytest.mark.parametrize(("y", "x1", "rows"), [(117, 180, 3), (117, 188, 4), (119, 180, 4)])
def test_a_line_through_the_middle_of_a_text_strikes_it_out(y: float, x1: float, rows: int) -> None:
    page = Page().grid((95, 110, 140, 155), (50, 190, 290))
    page.row(98, "Tree", "Seeds").text(60, 112, "Kestrels above the tower").text(60, 124, "fly low").text(
        200, 118, "12"
    )
    page.row(142, "Swift", "15").rule(60, y, x1, y)
    assert [len(shape) for shape in page.shapes] == [rows]
