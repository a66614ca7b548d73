"""Cells merged over two rows, levels of headers, rules that are tiny pictures, shadings of lines: drawn, read and laid
out."""

from pathlib import Path

import pymupdf
import pytest

from shared.domain.operations import RegisterTable
from shared.extraction.assemble import assemble
from tests.unit.test_table_unruled_rows import FIGURES, Drawn, frame

Spans = list[list[tuple[int, int]]]


def spans(drawn: Drawn, path: Path) -> Spans:
    """(row span, column span) of the cells of the only table."""
    found = [op for op in drawn.read(path)[1].operations if isinstance(op, RegisterTable)]
    return [[(cell.row_span, cell.col_span) for cell in row] for row in found[0].rows]


def merged() -> Drawn:
    """Two lines of numbers for each tree, whose name is in the middle beside them."""
    drawn = Drawn().rows(112, [("Tree", "Kind", "Seeds")])
    for n, tree in enumerate(("Oak", "Elm", "Ash")):
        y = 128 + 24 * n
        drawn.text(60, y + 5, tree)
        drawn.text(200, y, "red").text(300, y, f"{n}12").text(200, y + 10, "white").text(300, y + 10, f"{n}7")
    return drawn


def test_a_label_in_the_middle_beside_two_lines_of_numbers_spans_two_rows(tmp_path: Path) -> None:
    drawn = merged()
    drawn.rules(*frame(100, 117, 141, 165, 189, columns=(50, 190, 290, 390)))
    assert drawn.tables(tmp_path)[0][1:3] == [["Oak", "red", "012"], ["white", "07"]]
    assert spans(drawn, tmp_path)[1:3] == [[(2, 1), (1, 1), (1, 1)], [(1, 1), (1, 1)]]


def test_it_does_so_without_any_rule(tmp_path: Path) -> None:
    assert merged().tables(tmp_path)[0][1:3] == [["Oak", "red", "012"], ["white", "07"]]


def test_numbers_in_the_middle_beside_two_lines_of_a_label_are_one_row(tmp_path: Path) -> None:
    drawn = Drawn().rows(112, [("Tree", "Seeds", "Cones"), *FIGURES])
    drawn.text(60, 182, "Trees of the").text(60, 192, "River bank").text(200, 187, "77").text(300, 187, "8")
    assert drawn.tables(tmp_path)[0][-1] == ["Trees of the River bank", "77", "8"]


def test_words_over_a_part_of_a_rule_head_its_columns(tmp_path: Path) -> None:
    drawn = Drawn().rows(126, [("Tree", "Seeds", "Cones", "Leaves"), *[(*row, "5") for row in FIGURES]],
                         at=(60, 200, 280, 360))  # fmt: skip
    drawn.text(205, 112, "Counted").rules((50, 100, 400, 100), (195, 116, 320, 116), (50, 130, 400, 130),
                                          (50, 190, 400, 190))  # fmt: skip
    assert drawn.tables(tmp_path)[0][0] == ["", "Counted", ""]
    assert spans(drawn, tmp_path)[0] == [(1, 1), (1, 2), (1, 1)]


@pytest.mark.parametrize(("x", "across"), [(261, 3), (200, 1)])
def test_a_unit_in_the_middle_of_the_columns_heads_all_of_them(tmp_path: Path, x: float, across: int) -> None:
    rows = [("Tree", "Seeds", "Cones", "Leaves"), ("", "", "", ""), *[(*row, "15") for row in FIGURES]]
    drawn = Drawn().rows(112, rows, at=(60, 200, 280, 360)).text(x, 127, "(thousands)")
    drawn.rules((50, 100, 400, 100), (50, 115, 400, 115), (50, 190, 400, 190))
    assert [span for row in spans(drawn, tmp_path)[:2] for _, span in row if span > 1] == [across] * (across > 1)


def test_rules_that_are_tiny_pictures_in_the_content_divide_rows(tmp_path: Path) -> None:
    drawn = Drawn().rows(112, [("Tree", "Place"), ("Oak", "by the"), ("of old", "river"), ("Elm", "on the"),
                               ("of late", "hill")], at=(60, 200))  # fmt: skip
    dots = [f"q {x1 - x0 or 0.5} 0 0 {y1 - y0 or 0.5} {x0} {842 - y1} cm BI /IM true /W 1 /H 1 /BPC 1 ID \0 EI Q"
            for x0, y0, x1, y1 in frame(100, 117, 145, 173, columns=(50, 190, 390))]  # fmt: skip
    last = drawn.page.get_contents()[-1]
    drawn.document.update_stream(last, (drawn.document.xref_stream(last) or b"") + "\n".join(dots).encode())
    assert drawn.tables(tmp_path)[0][1:] == [["Oak of old", "by the river"], ["Elm of late", "on the hill"]]


def shaded(lines: bool) -> Drawn:
    """A header cell of two lines, shaded as a whole, and line by line if asked."""
    drawn = Drawn()
    grey = (0.8, 0.8, 0.8)
    drawn.page.draw_rect(pymupdf.Rect(50, 100, 390, 128), color=None, fill=grey)
    for y in (100, 114) if lines else ():
        drawn.page.draw_rect(pymupdf.Rect(52, y, 388, y + 14), color=None, fill=(0.7, 0.7, 0.7))
    drawn.rows(111, [("Name of", "Number of", "Number of"), ("Tree", "Seeds", "Cones")])
    drawn.rows(140, FIGURES)
    return drawn.rules(*frame(100, 128, 143, 157, 171, 185, columns=(50, 190, 290, 390)))


@pytest.mark.parametrize("lines", [True, False])
def test_shadings_of_lines_inside_a_shaded_cell_divide_nothing(tmp_path: Path, lines: bool) -> None:
    assert shaded(lines).tables(tmp_path)[0][0] == ["Name of Tree", "Number of Seeds", "Number of Cones"]


def test_a_note_behind_an_asterisk_is_no_last_row(tmp_path: Path) -> None:
    drawn = Drawn().rows(112, [("Tree", "Seeds", "Cones"), *FIGURES]).text(60, 184, "*").text(80, 184, "Counted.")
    assert drawn.tables(tmp_path)[0][-1] == list(FIGURES[-1])


def test_numbers_with_the_mark_of_a_note_are_numbers(tmp_path: Path) -> None:
    rows = [("Tree", "Seeds(1)", "Cones"), ("Oak", "1,200(2)", "31"), ("", "450(3)", "7"), ("Ash", "9", "12")]
    assert Drawn().rows(112, rows).tables(tmp_path)[0][2] == ["", "450(3)", "7"]


def test_much_white_below_a_rule_ends_a_table(tmp_path: Path) -> None:
    drawn = Drawn().rows(112, [("Kind", "Fixed"), ("Term", "None")], at=(60, 200)).rows(186, [("", "Seeds", "Cones")])
    drawn.rows(204, FIGURES).rules(*[(50, y, 390, y) for y in (101, 116, 130, 190, 208, 222, 236, 250)])
    assert [len(table[0]) for table in drawn.tables(tmp_path)] == [2, 3]


def test_rows_that_only_numbers_part_are_flagged_where_others_are_ruled_off(tmp_path: Path) -> None:
    drawn = merged()
    drawn.rules(*frame(100, 117, 141, 165, 189, columns=(50, 190, 290, 390)))
    assert drawn.read(tmp_path)[1].flags == ["uncertain_tables"]


def test_rows_with_labels_of_their_own_are_not_flagged(tmp_path: Path) -> None:
    drawn = Drawn().rows(112, [("Tree", "Seeds", "Cones"), *FIGURES]).rows(184, FIGURES)
    drawn.rules(*frame(100, 117, 145, 173, 201, 229, columns=(50, 190, 290, 390)))
    assert drawn.read(tmp_path)[1].flags == []


def test_a_row_is_told_the_label_that_spans_into_it(tmp_path: Path) -> None:
    drawn = merged()
    drawn.rules(*frame(100, 117, 141, 165, 189, columns=(50, 190, 290, 390)))
    rows = [chunk.labelled for chunk in assemble([drawn.read(tmp_path)]).chunks if chunk.chunk_type == "table_row"]
    assert rows[:2] == ["Tree: Oak | Kind: red | Seeds: 012", "Tree: Oak | Kind: white | Seeds: 07"]
