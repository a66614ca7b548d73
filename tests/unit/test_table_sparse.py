"""Rows without a label, columns with few cells, labels of two lines, what stands below a table: drawn and laid out."""

from pathlib import Path

import pytest

from tests.unit.test_table_unruled_rows import FIGURES, Drawn

LEGEND = [("3111", "Agrisure Viptera", "C2, C5, C1", "Cruiser at some rate"), ("CB", "Conventional", "D", "Dynasty"),
          ("GT", "Agrisure GT", "Es", "Escalate"), ("", "", "T", "Trilex"), ("", "", "Th", "Thia"),
          ("", "", "Z", "zinc")]  # fmt: skip


def test_cells_side_by_side_below_texts_with_room_behind_them_begin_a_row(tmp_path: Path) -> None:
    found = Drawn().rows(100, LEGEND, (60, 120, 300, 380)).tables(tmp_path)
    assert found == [[list(row) for row in LEGEND]]


def test_cells_below_texts_that_fill_their_columns_go_on(tmp_path: Path) -> None:
    """The first word of the second line had no room behind the first one; of a single cell it may break anywhere."""
    rows = [("Name", "Use", "Where"), ("Oak", "beams of old", "wet low land"), ("", "houses", "hills"),
            ("Elm", "boats", "dry land"), ("", "again", "")]  # fmt: skip
    found = Drawn().rows(100, rows, (60, 200, 300)).tables(tmp_path)
    assert [row[1:] for row in found[0]] == [
        ["Use", "Where"], ["beams of old houses", "wet low land hills"], ["boats again", "dry land"],
    ]  # fmt: skip


def test_words_of_a_header_below_each_other_are_one_row_though_there_was_room(tmp_path: Path) -> None:
    rows = [("", "CE", "Non-CE"), ("", "Top words", "Top words"), ("1", "worst", "not"), ("2", "was", "no"),
            ("3", "the very worst", "she asked them")]  # fmt: skip
    found = Drawn().rows(100, rows, (60, 120, 240)).tables(tmp_path)
    assert found[0][0] == ["", "CE Top words", "Non-CE Top words"]


def test_lines_nearer_than_rows_are_those_of_a_cell_though_there_was_room(tmp_path: Path) -> None:
    drawn = Drawn().rows(100, [("Name", "Use", "Where")], (60, 200, 300))
    for n, (name, use, where) in enumerate([("Oak", "long beams", "wet low land"), ("Elm", "boats", "hills")]):
        drawn.rows(114 + 30 * n, [(name, use, where)], (60, 200, 300))
        drawn.rows(125 + 30 * n, [("", "rye", "fen")], (60, 200, 300))
    found = drawn.tables(tmp_path)
    assert [row[1] for row in found[0]] == ["Use", "long beams rye", "boats rye"]


def test_columns_with_few_cells_behind_all_others_are_columns(tmp_path: Path) -> None:
    rows = [["No.", "Description", "Form", "Filed"], ["3.1", "Bylaws of the company", "8-K", "3/8/2023"],
            *([f"{n}.2", "Certification of an officer", "", ""] for n in range(10, 18))]  # fmt: skip
    found = Drawn().rows(100, rows, (60, 120, 300, 380)).tables(tmp_path)
    assert found == [rows]


WRAPPED = ["Verify that every word of it", "is read where it stands", "and nowhere else, ever"]


@pytest.mark.parametrize(("marks", "columns"), [(("1.1", "1.2", "1.3"), 3), (("\u00b7",) * 3, 2)])
def test_a_column_with_few_cells_before_all_others_is_one_and_bullets_are_none(
    marks: tuple[str, ...], columns: int, tmp_path: Path
) -> None:
    drawn = Drawn()
    for n, mark in enumerate(marks):
        for m, line in enumerate([*WRAPPED, *WRAPPED[1:], *WRAPPED[1:]]):
            drawn.rows(100 + 84 * n + 11 * m, [(mark if m == 0 else "", line, "12" if m == 0 else "")], (60, 82, 300))
    (found,) = drawn.tables(tmp_path)
    assert [len(row) for row in found] == [columns] * 3
    assert found[0][0] == (
        marks[0] if columns == 3 else f"{marks[0]} {' '.join([*WRAPPED, *WRAPPED[1:], *WRAPPED[1:]])}"
    )


def test_a_heading_of_another_type_below_a_table_is_none_of_its_rows(tmp_path: Path) -> None:
    """A number alone beside words of the table's type is a row."""
    drawn = Drawn().rows(100, FIGURES).text(60, 160, "p.").text(80, 160, "Yews")
    assert [row[0] for row in drawn.tables(tmp_path)[0]][-1] == "p."
    headed = Drawn().rows(100, FIGURES)
    for x, text in ((60, "p."), (80, "Yews")):
        headed.page.insert_text((x, 160), text, fontsize=9, fontname="hebo")
    assert [row[0] for row in headed.tables(tmp_path)[0]] == ["Oak", "Elm", "Ash", "Fir"]


def test_words_below_white_between_rules_over_a_part_of_the_page_stay(tmp_path: Path) -> None:
    drawn = Drawn().rows(110, [row[:2] for row in FIGURES], (60, 140)).text(105, 190, "F-3 of ten")
    (found,) = drawn.rules((50, 98, 250, 98), (50, 205, 250, 205)).tables(tmp_path)
    assert "F-3 of ten" in " ".join(found[-1])
