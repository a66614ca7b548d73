"""Rows that no rule divides, labels left of a frame, typed tables: drawn, read from the PDF and laid out."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

from shared.domain.operations import PageOperations, RegisterTable, Skip
from shared.domain.page import PageFile
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.extraction.references import Resolver
from shared.readers.pdf.document import open_pdf
from shared.readers.sketch import sketch_page

Line = tuple[float, float, float, float]
FIGURES = [("Oak", "1,200", "31"), ("Elm", "450", "7"), ("Ash", "9", "12"), ("Fir", "88", "5")]


class Drawn:
    """A page that texts and rules are drawn on."""

    def __init__(self, font: str = "helv") -> None:
        self.document = pymupdf.open()
        self.page = self.document.new_page(width=595, height=842)
        self.font = font

    def text(self, x: float, y: float, text: str) -> "Drawn":
        self.page.insert_text((x, y), text, fontsize=9, fontname=self.font)
        return self

    def rows(self, y: float, rows: Sequence[Sequence[str]], at: Sequence[float] = (60, 200, 300)) -> "Drawn":
        for n, row in enumerate(rows):
            for x, text in zip(at, row, strict=True):
                if text:
                    self.text(x, y + 14 * n, text)
        return self

    def rules(self, *lines: Line) -> "Drawn":
        for x0, y0, x1, y1 in lines:
            self.page.draw_line((x0, y0), (x1, y1), width=0.5)
        return self

    def read(self, path: Path) -> tuple[PageFile, PageOperations]:
        self.document.save(path / "a.pdf")
        with open_pdf(path / "a.pdf") as source:
            page = source.read_page(1)
        return page, extract_page(page, build_profile([sketch_page(page)]))

    def tables(self, path: Path) -> list[list[list[str]]]:
        page, operations = self.read(path)
        resolver = Resolver(page)
        return [
            [[" ".join(p.text for p in resolver.resolve_all(cell.fragment_ids)) for cell in row] for row in found.rows]
            for found in operations.operations
            if isinstance(found, RegisterTable)
        ]


def frame(*levels: float, columns: Sequence[float]) -> list[Line]:
    return [
        *[(columns[0], y, columns[-1], y) for y in levels],
        *[(x, levels[0], x, levels[-1]) for x in columns],
    ]


def test_rules_between_groups_do_not_join_the_rows_of_a_group(tmp_path: Path) -> None:
    drawn = Drawn().rows(112, [("Tree", "Seeds", "Cones"), *FIGURES])
    drawn.rules(*frame(100, 117, 145, 173, columns=(50, 190, 290, 390)))
    assert drawn.tables(tmp_path) == [[["Tree", "Seeds", "Cones"], *map(list, FIGURES)]]


def test_words_on_two_lines_of_a_ruled_row_stay_one_row(tmp_path: Path) -> None:
    drawn = Drawn().rows(112, [("Tree", "Place"), ("Oak", "by the"), ("of old", "river"), ("Elm", "on the"),
                               ("of late", "hill")], at=(60, 200))  # fmt: skip
    drawn.rules(*frame(100, 117, 145, 173, columns=(50, 190, 390)))
    assert drawn.tables(tmp_path)[0][1:] == [["Oak of old", "by the river"], ["Elm of late", "on the hill"]]


def test_figures_side_by_side_are_columns_though_only_the_first_is_ruled(tmp_path: Path) -> None:
    drawn = Drawn().rows(112, [("Tree", "Seeds", "Cones"), *FIGURES, ("All", "1,747", "55")])
    drawn.rules(*frame(100, 117, 173, 187, columns=(50, 190, 390)))
    assert drawn.tables(tmp_path) == [[["Tree", "Seeds", "Cones"], *map(list, FIGURES), ["All", "1,747", "55"]]]


def test_a_figure_below_a_figure_begins_a_row_though_its_label_is_empty(tmp_path: Path) -> None:
    rows = [("Tree", "Seeds", "Cones"), FIGURES[0], ("", "450", "7"), FIGURES[2]]
    assert Drawn().rows(112, rows).tables(tmp_path)[0][2] == ["", "450", "7"]


def labels_left(after: str = "") -> Drawn:
    drawn = Drawn().rows(112, [(a, b, c) for a, b, c in FIGURES], at=(150, 200, 300))
    drawn.rules(*frame(100, 116, 130, 144, 158, columns=(190, 290, 390)))
    return drawn.text(150, 168, after) if after else drawn


def test_labels_left_of_a_frame_are_the_first_column(tmp_path: Path) -> None:
    assert labels_left().tables(tmp_path) == [list(map(list, FIGURES))]


def test_prose_that_goes_on_beside_a_frame_is_no_column_of_labels(tmp_path: Path) -> None:
    assert labels_left("and more").tables(tmp_path) == [[[b, c] for _, b, c in FIGURES]]


TYPED = ["Tree            Seeds   Cones", "Oak             1,200      31", "Elm of the hill   450       7",
         "Ash                 9      12"]  # fmt: skip
CELLS = [["Tree", "Seeds", "Cones"], ["Oak", "1,200", "31"], ["Elm of the hill", "450", "7"], ["Ash", "9", "12"]]


def typed(*lines: str) -> Drawn:
    drawn = Drawn("cour")
    for n, line in enumerate(lines):
        drawn.text(60, 100 + 11 * n, line)
    return drawn


def test_typed_lines_whose_cells_end_below_each_other_are_a_table(tmp_path: Path) -> None:
    assert typed(*TYPED).tables(tmp_path) == [CELLS]


def test_rules_of_dashes_are_no_rows_and_are_skipped(tmp_path: Path) -> None:
    drawn = typed("-" * 29, TYPED[0], "-" * 29, *TYPED[1:], "-" * 29)
    assert drawn.tables(tmp_path) == [CELLS]
    found = [o for o in drawn.read(tmp_path)[1].operations if isinstance(o, Skip)]
    assert [skip.reason for skip in found] == ["decoration"] * 3


@pytest.mark.parametrize(("dashes", "skipped"), [(("----", "----"), 2), (("---", "----"), 0), (("----", "none"), 0)])
def test_a_row_of_short_rules_is_no_row_and_is_skipped(dashes: tuple[str, str], skipped: int, tmp_path: Path) -> None:
    rows = [("Tree", "Kind"), dashes, ("oak", "a hard wood"), ("ash", "a hard wood"), ("elm", "a soft wood")]
    drawn = Drawn("cour").rows(100, rows, at=(60, 160))
    found = [o for o in drawn.read(tmp_path)[1].operations if isinstance(o, Skip)]
    assert [skip.reason for skip in found] == ["decoration"] * skipped
    assert ([*map(list, rows[:1] + rows[2:])] in drawn.tables(tmp_path)) is bool(skipped)


def test_short_dashes_beside_a_word_are_cells(tmp_path: Path) -> None:
    rows = [("Tree", "Seeds", "Cones"), ("Oak", "1,200", "31"), ("Elm", "----", "----"), ("Ash", "9", "12")]
    assert Drawn("cour").rows(100, rows).tables(tmp_path) == [[*map(list, rows)]]


def test_dashes_without_a_table_stay_text(tmp_path: Path) -> None:
    operations = typed("A letter", "-" * 29, "Dear reader").read(tmp_path)[1].operations
    assert not any(isinstance(o, Skip) for o in operations)


def test_dots_lead_from_a_typed_label_to_its_figures(tmp_path: Path) -> None:
    lines = [f"{name + ' ':.<20} {one:>6} {two:>5}" for name, one, two in FIGURES]
    found = typed(*lines).tables(tmp_path)[0]
    assert [row[1:] for row in found] == [[one, two] for _, one, two in FIGURES]
    assert all(row[0].rstrip(".") == f"{name} " for row, (name, _, _) in zip(found, FIGURES, strict=True))


@pytest.mark.parametrize(
    "lines",
    [
        ["let x   = 10;", "let yy  = 2;", "let zzz = 300;", "let a   = 1;"],
        ["call(one,    1)", "call(three,  3)", "call(seven,  7)"],
        ["Dear  reader,", "this is what  we saw", "on the  way home", "in  the rain"],
    ],
)
def test_code_and_typed_prose_are_no_table(lines: list[str], tmp_path: Path) -> None:
    assert typed(*lines).tables(tmp_path) == []


def test_marks_of_references_are_no_cells(tmp_path: Path) -> None:
    drawn = Drawn()
    for n in range(5):
        drawn.text(60, 100 + 24 * n, f"[{n + 1}]").text(100, 100 + 24 * n, f"Author of the book number {n}.")
        drawn.text(100, 112 + 24 * n, f"Press and year {n}.")
    assert drawn.tables(tmp_path) == []


def test_dots_that_end_close_before_a_figure_lead_to_a_cell(tmp_path: Path) -> None:
    drawn = Drawn()
    for n, (name, figure, _) in enumerate(FIGURES):
        x = 300 - pymupdf.get_text_length(figure, "helv", 9)
        dots = "." * int(
            (x - 66 - pymupdf.get_text_length(f"{name} ", "helv", 9)) / pymupdf.get_text_length(".", "helv", 9)
        )
        drawn.text(60, 100 + 14 * n, f"{name} {dots}").text(x, 100 + 14 * n, figure)
    assert [row[-1] for row in drawn.tables(tmp_path)[0]] == [figure for _, figure, _ in FIGURES]


def test_points_in_two_columns_are_no_table(tmp_path: Path) -> None:
    rows = [("\u00b7 oak of the hill", "\u00b7 elm"), ("\u00b7 ash", "\u00b7 fir"), ("\u00b7 yew", "\u00b7 lime")]
    assert Drawn().rows(100, rows, at=(60, 300)).tables(tmp_path) == []
    assert Drawn().rows(100, [(a[2:], b[2:]) for a, b in rows], at=(60, 300)).tables(tmp_path) != []


def parts(gap: float) -> Drawn:
    """Two grids of two rows with a line of its own between them, `gap` points apart."""
    drawn = Drawn().rows(112, FIGURES[:2]).text(180, 128 + gap / 2 + 3, "in the spring").rows(140 + gap, FIGURES[2:])
    columns = (50, 190, 290, 390)
    drawn.rules(*frame(100, 114, 128, columns=columns))
    return drawn.rules(*frame(128 + gap, 142 + gap, 156 + gap, columns=columns))


@pytest.mark.parametrize(("gap", "tables"), [(16, 1), (40, 2)])
def test_a_label_across_the_columns_does_not_end_a_grid(gap: float, tables: int, tmp_path: Path) -> None:
    found = parts(gap).tables(tmp_path)
    assert len(found) == tables
    assert [cell for table in found for row in table for cell in row if cell.isdigit()] == [
        "31",
        "450",
        "7",
        "9",
        "12",
        "88",
        "5",
    ]


def test_rules_that_underline_figures_leave_the_labels_in_the_table(tmp_path: Path) -> None:
    drawn = Drawn().rows(100, [("", "2025", "2024"), *FIGURES])
    drawn.rules(*[(195, 103 + 14 * n, 345, 103 + 14 * n) for n in (0, 3, 4)])
    assert drawn.tables(tmp_path)[0][1:] == [list(row) for row in FIGURES]


def test_a_header_that_reaches_a_little_over_its_column_stays_in_it(tmp_path: Path) -> None:
    rows = [("Tree", "Seeds", "Weight of cones"), *[(a, f"{b} 000", c) for a, b, c in FIGURES]]
    drawn = Drawn().rows(112, rows[:1], at=(60, 200, 262)).rows(126, rows[1:], at=(60, 200, 300))
    drawn.rules(*frame(100, 117, 173, columns=(50, 190, 390)))
    assert drawn.tables(tmp_path)[0][0] == ["Tree", "Seeds", "Weight of cones"]


def test_a_line_that_ends_in_an_equals_sign_is_an_equation(tmp_path: Path) -> None:
    rows = [("k(a) =", "one of", "b = 1"), ("h(x) =", "1", "otherwise"), ("g(x) =", "2", "always")]
    assert Drawn().rows(100, rows).tables(tmp_path) == []


def filled(*cells: Line) -> Drawn:
    drawn = Drawn()
    for x0, y0, x1, y1 in cells:
        drawn.page.draw_rect(pymupdf.Rect(x0, y0, x1, y1), color=None, fill=(0.8, 0.85, 0.9))
    return drawn


def test_fills_below_each_other_divide_the_rows_of_white_cells_too(tmp_path: Path) -> None:
    tops = [121, 162, 203]
    drawn = filled((50, 100, 300, 120), *[(50, y, 90, y + 40) for y in tops], (240, 121, 300, 161))
    drawn.page.draw_rect(pymupdf.Rect(95, 103, 150, 117), color=None, fill=(0.7, 0.7, 0.9))  # marks a word
    drawn.rows(114, [("No", "Rule", "Since")], at=(55, 100, 245))
    for n, y in enumerate(tops):
        drawn.text(55, y + 23, f"4.{n}").text(245, y + 23, "1.0")
        for line, words in enumerate(("Doors are", "shut at", "night")):
            drawn.text(100, y + 12 + 11 * line, words)
    assert drawn.tables(tmp_path) == [
        [["No", "Rule", "Since"], *[[f"4.{n}", "Doors are shut at night", "1.0"] for n in range(3)]]
    ]


def test_titles_with_climbing_page_numbers_are_contents_and_no_table(tmp_path: Path) -> None:
    rows = [(f"Part {'abcdefgh'[n]} of the book", str(1 + n // 4)) for n in range(8)]
    drawn = Drawn().rows(100, rows, at=(60, 400))
    drawn.document.new_page()
    page, _ = drawn.read(tmp_path)
    profile = build_profile([sketch_page(page)]).model_copy(update={"pages": 2})
    operations = extract_page(page, profile).operations
    assert not any(isinstance(o, RegisterTable) for o in operations)
    assert [o.reason for o in operations if isinstance(o, Skip)] == ["contents"]
    few = extract_page(page, profile.model_copy(update={"pages": 1})).operations
    assert any(isinstance(o, RegisterTable) for o in few)


def test_the_sign_of_the_next_sum_is_not_part_of_this_one(tmp_path: Path) -> None:
    drawn = Drawn()
    for n, (name, one, two) in enumerate(FIGURES):
        drawn.text(60, 100 + 14 * n, name).text(200, 100 + 14 * n, f"{one.rjust(5, chr(160))}\u00a0 $").text(
            300, 100 + 14 * n, two
        )
    assert [row[1] for row in drawn.tables(tmp_path)[0]] == [one for _, one, _ in FIGURES]


def test_words_centred_over_ruled_columns_head_all_of_them(tmp_path: Path) -> None:
    at = (60, 200, 250, 300, 400, 450, 500)
    drawn = Drawn().text(242, 100, "This spring").text(442, 100, "Last spring")
    drawn.rows(114, [("", "Seeds", "Cones", "Leaves", "Seeds", "Cones", "Leaves")], at=at)
    drawn.rows(132, [(name, *(f"{n},000" for n in range(1, 7))) for name, _, _ in FIGURES], at=at)
    drawn.rules(*[(x - 2, 103, x + 30, 103) for x in at[1:]])
    page, operations = drawn.read(tmp_path)
    table = next(o for o in operations.operations if isinstance(o, RegisterTable))
    texts = {fragment.id: fragment.text for fragment in page.fragments}
    spans = {texts[cell.fragment_ids[0]]: cell.col_span for cell in table.rows[0] if cell.fragment_ids}
    assert spans == {"This spring": 3, "Last spring": 3}


def test_a_currency_sign_close_behind_a_per_cent_sign_is_that_of_the_next_number(tmp_path: Path) -> None:
    drawn = Drawn().rows(112, [("", "Sum", "Change", "Year")], at=(60, 200, 260, 320))
    for n, row in enumerate((("Oak", "$ 349", "18 % $", "6,210"), ("Elm", "$ 58", "3 % $", "1,942"))):
        drawn = drawn.rows(126 + 14 * n, [row], at=(60, 200, 260, 320))
    drawn = drawn.rows(154, [("Ash", "7", "4 %", "812")], at=(60, 200, 260, 320))
    assert drawn.tables(tmp_path)[0][1:] == [
        ["Oak", "$ 349", "18 %", "$ 6,210"],
        ["Elm", "$ 58", "3 %", "$ 1,942"],
        ["Ash", "7", "4 %", "812"],
    ]


def test_words_side_by_side_are_columns_where_the_numbers_beside_them_are_rows(tmp_path: Path) -> None:
    rows = [("Tree", "Wood", "Price"), ("Oak", "hard", "1,200"), ("Elm", "soft", "450"), ("Ash", "white", "9")]
    rows += [("Fir", "green", "88"), ("Total", "all", "1,747")]
    drawn = Drawn().rows(112, rows, at=(60, 120, 200))
    drawn.rules(*[(50, y, 250, y) for y in (100, 117, 173, 187)], *[(x, 100, x, 187) for x in (50, 190, 250)])
    assert drawn.tables(tmp_path) == [[list(row) for row in rows]]


def test_words_with_a_gap_stay_one_cell_where_each_has_one_number_beside_it(tmp_path: Path) -> None:
    rows = [("Oak,", "hard", "1,200"), ("brown", "wood", ""), ("Elm,", "soft", "450"), ("white", "wood", "")]
    drawn = Drawn().rows(112, [*rows, ("Fir,", "fine", "88"), ("green", "wood", "")], at=(60, 120, 200))
    drawn.rules(*frame(100, 129, 157, 186, columns=(50, 190, 250)))
    assert [row[0] for row in drawn.tables(tmp_path)[0]] == [
        "Oak, hard brown wood", "Elm, soft white wood", "Fir, fine green wood",
    ]  # fmt: skip


def test_digits_that_a_blank_groups_are_one_number_in_one_column(tmp_path: Path) -> None:
    lines = ["Tree          Seeds     Cones", "Oak       1 104 812       231", "Elm         411 415        77"]
    lines += ["Ash       3 946 611         9", "Fir             274        12"]
    (table,) = typed(*lines).tables(tmp_path)
    assert table == [
        ["Tree", "Seeds", "Cones"],
        ["Oak", "1 104 812", "231"],
        ["Elm", "411 415", "77"],
        ["Ash", "3 946 611", "9"],
        ["Fir", "274", "12"],
    ]


def test_digits_two_blanks_before_a_number_are_another_column(tmp_path: Path) -> None:
    lines = ["Tree         Seeds", "Oak    1   104 812", "Elm    2   411 415", "Ash    3   946 611"]
    (table,) = typed(*lines).tables(tmp_path)
    assert [row[1:] for row in table] == [["", "Seeds"], ["1", "104 812"], ["2", "411 415"], ["3", "946 611"]]


def test_a_word_that_runs_over_a_wall_is_of_the_cell_in_which_it_begins(tmp_path: Path) -> None:
    rows = [("/var/lib/dpkg/info/package_name.list", "list of files"), ("/var/lib/dpkg/status", "all packages")]
    drawn = Drawn("cour").rows(110, rows, (60, 250)).rules(*((x, 98, x, 130) for x in (50, 245, 390)))
    drawn.rules(*((50, y, 390, y) for y in (98, 116, 130)))
    assert drawn.tables(tmp_path) == [[list(row) for row in rows]]


def test_cells_without_a_blank_between_are_divided_at_the_wall(tmp_path: Path) -> None:
    drawn = Drawn("cour").rows(110, [("Oak", "12"), ("Elm", "13")], (60, 77.5))
    drawn.rules(*((x, 98, x, 130) for x in (50, 76.9, 100))).rules(*((50, y, 100, y) for y in (98, 116, 130)))
    assert drawn.tables(tmp_path) == [[["Oak", "12"], ["Elm", "13"]]]
