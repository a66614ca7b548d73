"""Cells of frames that are drawn in pieces, by colours, or only in some columns: drawn, read and laid out."""

from pathlib import Path

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


def test_frames_that_stand_on_each_other_with_the_same_columns_are_one_table(tmp_path: Path) -> None:
    drawn = across(sides(across(sides(Drawn(), 100, 142), 100, 114, 128, 142), 146, 188), 146, 160, 174, 188)
    drawn.rows(110, TREES, XS).rows(156, TREES, XS)
    assert drawn.tables(tmp_path) == [[*ROWS, *ROWS]]


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
    drawn = across(sides(across(sides(Drawn(), 100, 142), 100, 114, 128, 142), 184, 226), 184, 198, 212, 226)
    drawn.rules(*[(x, y, x, y + 12) for x in (50, 390) for y in (143, 157, 171)])  # in pieces, row by row
    drawn.rows(110, TREES, XS).rows(152, TREES, XS).rows(194, TREES, XS)
    assert drawn.tables(tmp_path) == [[*ROWS, *ROWS, *ROWS]]


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


def test_numbers_in_every_row_part_cells_that_only_other_columns_rule(tmp_path: Path) -> None:
    drawn = sides(across(Drawn(), 100, 184), 100, 184)
    drawn.rules(*[(290, y, 390, y) for y in (114, 128, 142, 156, 170)])  # dark cells of the last column
    drawn.rows(110, [(name, number) for name, number, _ in TREES * 2], XS[:2]).text(300, 110, "x")
    assert [row[:2] for row in drawn.tables(tmp_path)[0]] == [[n, v] for n, v, _ in TREES * 2]


def test_words_in_a_cell_over_several_rows_stay_one_cell(tmp_path: Path) -> None:
    drawn = sides(across(Drawn(), 100, 142), 100, 142)
    drawn.rules(*[(290, y, 390, y) for y in (114, 128)])
    drawn.rows(110, [("Oak,", "of", "31"), ("Elm", "the", "7"), ("and ash", "wood", "12")], XS)
    assert drawn.tables(tmp_path) == [[["Oak, Elm and ash", "of the wood", "31"], ["7"], ["12"]]]
