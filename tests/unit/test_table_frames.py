"""Cells of frames that are drawn in pieces, by colours, or only in some columns: drawn, read and laid out."""

from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest

from shared.domain.operations import RegisterTable
from tests.unit.test_table_unruled_rows import Drawn

XS = (60, 200, 300)
TREES = [("Oak", "12", "31"), ("Elm", "45", "7"), ("Ash", "9", "12")]
ROWS = [list(row) for row in TREES]


def sides(drawn: Drawn, y0: float, y1: float) -> Drawn:
    """The upright rules of one part of a frame."""
    return drawn.rules(*[(x, y0, x, y1) for x in (50, 190, 290, 390)])


def filled(drawn: Drawn, *boxes: tuple[float, float, float, float], grey: float = 0.8) -> Drawn:
    for box in boxes:
        drawn.page.draw_rect(box, color=None, fill=(grey, grey, grey), width=0)
    return drawn


def across(drawn: Drawn, *levels: float, x0: float = 50) -> Drawn:
    return drawn.rules(*[(x0, y, 390, y) for y in levels])


def merged() -> Drawn:
    """A frame from 100 to 128 of two rows, whose first cell is both rows'."""
    drawn = across(across(sides(Drawn(), 100, 128), 100, 128), 114, x0=190)
    return drawn.text(60, 110, "Oak").rows(110, [("12", "31"), ("45", "7")], XS[1:])


def spans(drawn: Drawn, path: Path) -> list[list[int]]:
    """The rows that the first cell of each row reaches over, by table."""
    tables = [one for one in drawn.read(path)[1].operations if isinstance(one, RegisterTable)]
    return [[row[0].row_span for row in table.rows] for table in tables]


def test_frames_that_stand_on_each_other_with_the_same_columns_are_one_table(tmp_path: Path) -> None:
    drawn = across(sides(merged(), 132, 174), 132, 146, 160, 174).rows(142, TREES, XS)
    assert spans(drawn, tmp_path) == [[2, 1, 1, 1, 1]]


def test_frames_of_other_columns_stay_apart(tmp_path: Path) -> None:
    drawn = across(sides(Drawn(), 100, 142), 100, 114, 128, 142)
    across(drawn, 146, 160, 174, 188).rules(*[(x, 146, x, 188) for x in (50, 150, 250, 390)])
    drawn.rows(110, TREES, XS).rows(156, TREES, (60, 160, 260))
    assert drawn.tables(tmp_path) == [ROWS, ROWS]


def test_frames_with_white_between_stay_apart(tmp_path: Path) -> None:
    drawn = across(sides(across(sides(Drawn(), 100, 142), 100, 114, 128, 142), 182, 224), 182, 196, 210, 224)
    drawn.rows(110, TREES, XS).rows(192, TREES, XS)
    assert drawn.tables(tmp_path) == [ROWS, ROWS]


def test_a_frame_goes_on_where_only_its_sides_are_drawn(tmp_path: Path) -> None:
    drawn = across(sides(merged(), 170, 212), 170, 184, 198, 212)
    drawn.rules(*[(x, y, x, y + 12) for x in (50, 390) for y in (129, 143, 157)])  # in pieces, row by row
    drawn.rows(138, TREES, XS).rows(180, TREES, XS)
    assert spans(drawn, tmp_path) == [[2, 1, 1, 1, 1, 1, 1, 1]]


def totals(tmp_path: Path, *levels: float) -> list[list[str]]:
    """Rows of a frame whose labels are left of it, and of another below white that is ruled at the levels."""
    drawn = across(sides(across(sides(Drawn(), 100, 142), 100, 114, 128, 142), levels[0], levels[-1]), *levels)
    drawn.rows(110, [("Oak", "12", "3", "31"), ("Elm", "45", "9", "7"), ("Ash", "9", "4", "12")], (10, 100, 200, 300))
    for n, row in enumerate([("Sum", "66", "16", "50"), ("Mean", "22", "5", "17")][: len(levels) - 1]):
        drawn.rows(levels[0] + 10 + 14 * n, [row], (20, 100, 200, 300))
    return [[row[0] for row in table] for table in drawn.tables(tmp_path)]


def test_a_single_row_below_the_same_columns_is_the_row_of_totals(tmp_path: Path) -> None:
    assert totals(tmp_path, 156, 170) == [["Oak", "Elm", "Ash", "Sum"]]


def test_a_row_far_below_and_two_rows_are_no_row_of_totals(tmp_path: Path) -> None:
    assert totals(tmp_path, 176, 190) == [["Oak", "Elm", "Ash"]]
    assert totals(tmp_path, 156, 170, 184) == [["Oak", "Elm", "Ash"], ["Sum", "Mean"]]


def test_a_title_in_larger_type_above_a_frame_is_none_of_its_rows(tmp_path: Path) -> None:
    drawn = across(sides(Drawn(), 100, 142), 100, 114, 128, 142).rows(110, TREES, XS)
    drawn.page.insert_text((60, 96), "Trees", fontsize=14, fontname="helv")
    drawn.page.insert_text((300, 96), "2026", fontsize=14, fontname="helv")
    assert drawn.tables(tmp_path) == [ROWS]


def test_a_rule_that_leaves_out_a_column_leaves_its_cell_whole_in_coloured_rows_too(tmp_path: Path) -> None:
    drawn = sides(filled(Drawn(), (190, 100, 390, 114), (190, 114, 390, 128), (190, 128, 390, 142)), 100, 142)
    across(across(drawn, 100, 142), 114, 128, x0=190)
    drawn.text(60, 124, "Oak").rows(110, [row[1:] for row in TREES], XS[1:])
    _, operations = drawn.read(tmp_path)
    (table,) = [one for one in operations.operations if isinstance(one, RegisterTable)]
    assert table.rows[0][0].row_span == 3


def test_rules_over_each_other_leave_out_no_more_than_one(tmp_path: Path) -> None:
    """Narrow coloured cells on both sides of a white one, below a coloured header; their edges are drawn again."""
    levels = (72, 100, 128, 156, 184)
    sides_of = [(x0, y0 + 1, x1, y1 - 1) for y0, y1 in pairwise(levels) for x0, x1 in ((50, 80), (360, 390))]
    drawn = filled(Drawn(), *sides_of, (81, 73, 359, 99))
    for y in levels[1:-1]:
        drawn.rules(*[(x0, y + by, x1, y + by) for by in (-1.5, 1.5) for x0, x1 in ((50, 110), (330, 390))])
    drawn.rules(*[(x, 72, x, 184) for x in (50, 80, 360, 390)], (50, 72, 390, 72), (50, 184, 390, 184))
    rows = [["No.", "Trees", "In"], ["1.1", "Oaks of hills", "V"], ["1.2", "Elms", "V"], ["1.3", "Ashes", "V"]]
    for n, row in enumerate(rows):
        drawn.rows(90 + 28 * n, [row], (55, 90, 370))
    assert drawn.tables(tmp_path) == [rows]


def test_numbers_in_every_row_part_cells_that_only_other_columns_rule(tmp_path: Path) -> None:
    drawn = across(sides(Drawn(), 100, 212), 100, 156, 212)
    drawn.rules(*[(290, y, 390, y) for y in (114, 128, 142, 170, 184, 198)])  # two groups of four dark cells
    trees = [*[row[:2] for row in TREES], ("Fir", "8")]
    drawn.rows(110, trees, XS[:2]).rows(166, trees, XS[:2]).text(300, 110, "x")
    (table,) = drawn.tables(tmp_path)
    assert [row[:2] for row in table] == [list(row) for row in trees * 2]
    assert set(spans(drawn, tmp_path)[0]) == {1}


def test_words_in_a_cell_over_several_rows_stay_one_cell(tmp_path: Path) -> None:
    drawn = sides(across(Drawn(), 100, 142), 100, 142)
    drawn.rules(*[(290, y, 390, y) for y in (114, 128)])
    drawn.rows(110, [("Oak,", "of", "31"), ("Elm", "the", "7"), ("and ash", "wood", "12")], XS)
    assert drawn.tables(tmp_path) == [[["Oak, Elm and ash", "of the wood", "31"], ["7"], ["12"]]]


def test_amounts_before_their_labels_are_cells_of_their_own(tmp_path: Path) -> None:
    drawn = Drawn()
    for n, (amount, label) in enumerate((("4,756", "Oak"), ("398", "Elm trees"), ("(584)", "Ash"), ("10,627", "Fir"))):
        width = pymupdf.get_text_length(amount, fontname="helv", fontsize=9)
        for x, text in ((94 - width, amount), (95, " "), (101, " "), (107, label)):  # the blanks make one line of it
            drawn.text(x, 110 + 14 * n, text)
    assert drawn.tables(tmp_path) == [[["4,756", "Oak"], ["398", "Elm trees"], ["(584)", "Ash"], ["10,627", "Fir"]]]


def test_numbers_of_a_list_stay_with_their_words(tmp_path: Path) -> None:
    drawn = Drawn()
    for n, number in enumerate(("8", "9", "10", "11")):
        width = pymupdf.get_text_length(f"{number}  ", fontname="helv", fontsize=9)
        drawn.text(100 - width, 110 + 14 * n, f"{number}  Trees of the north")
    page, operations = drawn.read(tmp_path)
    assert [line.text for line in page.fragments] == [f"{n}  Trees of the north" for n in (8, 9, 10, 11)]
    assert not [one for one in operations.operations if isinstance(one, RegisterTable)]


def grouped(labels: tuple[str, ...]) -> Drawn:
    """Three groups between rules, with a line of words in each of the other columns for every label or blank."""
    drawn = Drawn()
    for group in range(3):
        top = 100 + 70 * group
        across(drawn, top)
        drawn.rows(top + 12, [(label, f"what is said of it {n}", "seen") for n, label in enumerate(labels)], XS)
    return sides(across(drawn, 310), 100, 310)


def test_labels_with_lines_of_other_cells_between_them_begin_rows(tmp_path: Path) -> None:
    (table,) = grouped(("Oak", "", "Elm", "Ash")).tables(tmp_path)
    assert [row[0] for row in table] == ["Oak", "Elm", "Ash"] * 3
    assert table[0][1] == "what is said of it 0 what is said of it 1"


def test_labels_line_by_line_may_be_one_cell(tmp_path: Path) -> None:
    (table,) = grouped(("Oak", "Elm", "Ash", "")).tables(tmp_path)
    assert [row[0] for row in table] == ["Oak Elm Ash"] * 3


def test_header_words_over_the_same_columns_are_one_cell(tmp_path: Path) -> None:
    drawn = Drawn().rows(140, [("Oak", "12", "31"), ("Elm", "45", "7"), ("Ash", "9", "12")], XS)
    drawn.rows(122, [("", "2025", "2026")], XS).text(215, 98, "Three months").text(222, 108, "ended June")
    drawn.rules((195, 112, 320, 112))
    assert drawn.tables(tmp_path)[0][:2] == [["", "Three months ended June"], ["", "2025", "2026"]]


def test_a_year_over_a_rule_heads_its_column(tmp_path: Path) -> None:
    drawn = across(Drawn().text(280, 100, "2026"), 103).text(60, 116, "Trees").rows(130, TREES, (60, 180, 290))
    assert drawn.tables(tmp_path)[0][:2] == [["", "", "2026"], ["Trees", "", ""]]


def test_the_upper_line_of_a_header_cell_is_part_of_it(tmp_path: Path) -> None:
    drawn = Drawn().text(300, 100, "First").rows(110, [("Tree", "Seeds", "seen"), *TREES], XS)
    assert drawn.tables(tmp_path)[0][0][-1] == "First"


def test_a_source_below_a_frame_is_none_of_its_rows(tmp_path: Path) -> None:
    drawn = across(sides(Drawn(), 100, 142), 100, 114, 128, 142).rows(110, TREES, XS)
    drawn.rows(152, [("Source: Forests", "12", "2026")], XS)
    assert drawn.tables(tmp_path) == [ROWS]


def test_a_footer_that_no_side_of_a_frame_divides_is_none_of_its_rows(tmp_path: Path) -> None:
    drawn = across(sides(Drawn(), 100, 142), 100, 114, 128, 142).rows(110, TREES, XS)
    assert drawn.text(60, 152, "27 May").text(270, 152, "Report").text(300, 152, "1").tables(tmp_path) == [ROWS]


def test_a_row_below_a_frame_that_its_sides_divide_is_one_of_its_rows(tmp_path: Path) -> None:
    drawn = across(sides(Drawn(), 100, 142), 100, 114, 128, 142).rows(110, TREES, XS)
    assert drawn.rows(152, [("All", "66", "50")], XS).tables(tmp_path) == [[*ROWS, ["All", "66", "50"]]]


def test_fills_that_are_nearly_white_are_read_and_white_ones_are_not(tmp_path: Path) -> None:
    drawn = filled(Drawn().text(60, 113, "Oak"), (50, 100, 190, 120), (190, 100, 390, 120), grey=0.98)
    page, _ = filled(drawn, (50, 120, 390, 140), grey=1).read(tmp_path)
    assert sum(rule.fill for rule in page.rules) == 2


def test_a_title_between_filled_tables_joins_nothing(tmp_path: Path) -> None:
    drawn = Drawn()
    for top in (100, 175):
        for n in range(3):
            y = top + 18 * n
            filled(drawn, (50, y, 190, y + 18), (190, y, 390, y + 18), grey=0.8 if n % 2 else 0.9)
            drawn.text(60, y + 12, f"Tree {n}").text(200, y + 12, "Oaks along the road")
    drawn.page.insert_text((60, 168), "Trees of the town", fontsize=12, fontname="hebo")
    for n in range(20):
        drawn.text(60, 400 + 12 * n, "The trees of the town are counted every other year, in the autumn.")
    rows = [[f"Tree {n}", "Oaks along the road"] for n in range(3)]
    assert drawn.tables(tmp_path) == [rows, rows]


def test_blanks_behind_a_number_in_parentheses_are_not_in_its_box(tmp_path: Path) -> None:
    page, _ = Drawn().text(200, 100, "(919)   ").text(200, 120, "--      ").read(tmp_path)
    assert [round(f.box.right * 595) for f in page.fragments] == [221, 206]


@pytest.mark.parametrize(("x", "text"), [(300, "57 ex 2"), (200, "ex 2 57")])
def test_what_stands_apart_in_one_of_many_drawn_cells_makes_no_column(x: float, text: str, tmp_path: Path) -> None:
    drawn = across(Drawn(), *range(100, 199, 14)).rules(*[(at, 100, at, 198) for at in (50, 190, 390)])
    drawn.rows(110, [(name, "57") for name in ("Oak", "Elm", "Ash", "Yew", "Fir", "Box", "Bay")], (60, 250))
    found = drawn.text(x, 138, "ex 2").tables(tmp_path)
    assert [len(row) for row in found[0]] == [2] * 7
    assert found[0][2] == ["Ash", text]
