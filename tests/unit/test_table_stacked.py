"""Headers whose cells have different numbers of lines, columns that only a header's rules tell, labels of two lines."""

from dataclasses import replace
from pathlib import Path

import pytest

from shared.domain.operations import RegisterTable
from shared.extraction.page_view import PageView
from shared.extraction.tables.columns import find_columns
from shared.extraction.tables.doubt import are_pieces, is_doubtful
from shared.extraction.tables.grid import Grid, GridCell, dividers_of
from shared.extraction.tables.regions import Region
from shared.extraction.tables.stacked import are_stacked
from tests.unit.test_table_doubt import FLAG, flags
from tests.unit.test_table_places import Page
from tests.unit.test_table_unruled_rows import Drawn

AT = (60, 200, 300)
BODY = [("Oak", "1,200", "31"), ("Elm", "450", "70"), ("Ash", "900", "12"), ("Fir", "100", "95")]


def stacked(*upper: tuple[float, float, str], rules: tuple[tuple[float, float], ...] = ()) -> Drawn:
    """A table with `upper` lines (x, y, text) above the names of its columns, and rules (x0, x1) below these."""
    drawn = Drawn("hebo").rows(130, [("Tree", "Seeds", "Cones")], AT)
    for x, y, text in upper:
        drawn.text(x, y, text)
    drawn.font = "helv"
    return drawn.rows(146, BODY, AT).rules(*[(x0, 133, x1, 133) for x0, x1 in rules])


def header(drawn: Drawn, path: Path) -> list[list[str]]:
    (found,) = [one for one in drawn.read(path)[1].operations if isinstance(one, RegisterTable)]
    return drawn.tables(path)[0][: found.header_rows]


def test_the_lines_of_a_header_are_joined_cell_by_cell(tmp_path: Path) -> None:
    drawn = stacked((200, 119.5, "of"), (200, 109, "Number"), rules=((60, 110), (195, 250), (295, 350)))
    assert header(drawn, tmp_path) == [["Tree", "Number of Seeds", "Cones"]]


def test_the_lines_of_a_header_are_joined_though_one_is_of_another_font(tmp_path: Path) -> None:
    drawn = stacked(rules=((60, 110), (195, 250), (295, 350)))
    drawn.page.insert_text((200, 119.5), "Number of", fontsize=9, fontname="tibo")
    assert header(drawn, tmp_path)[0][1] == "Number of Seeds"


@pytest.mark.parametrize(
    ("more", "one"), [({"font": "Symbol"}, True), ({"bold": True}, False), ({"size": 9.0}, False), ({}, True)]
)
def test_words_on_each_other_are_one_cell_where_they_are_of_one_size_and_weight(
    more: dict[str, object], one: bool
) -> None:
    upper, lower = Page().text(200, 100, "Number of").text(200, 111, "Seeds", **more).view.lines
    region = Region("rules", x0=200, y0=100, x1=300, y1=121)
    assert are_stacked(GridCell(1, [upper]), GridCell(1, [lower]), region) is one


def test_what_a_rule_is_between_stays_a_level(tmp_path: Path) -> None:
    drawn = stacked((200, 119.5, "Here"), rules=((195, 250), (295, 350))).rules((195, 122, 240, 122))
    assert [row[1] for row in header(drawn, tmp_path)] == ["Here", "Seeds"]


def test_years_below_words_over_some_of_them_stay_a_level(tmp_path: Path) -> None:
    drawn = Drawn("hebo").rows(130, [("Tree", "2023", "2024")], AT).text(300, 119.5, "Plan")
    drawn.font = "helv"
    drawn.rows(146, BODY, AT).rules((55, 105, 350, 105), (55, 134, 350, 134), (55, 196, 350, 196))
    assert [row[2] for row in header(drawn, tmp_path)] == ["Plan", "2024"]


def test_a_column_ends_where_the_rule_below_its_name_does(tmp_path: Path) -> None:
    drawn = Drawn("hebo").rows(130, [("Tree", "Seeds", "Remarks")], (60, 200, 262))
    drawn.font = "helv"
    drawn.rows(146, [(a, b, "") for a, b, _ in BODY], AT).text(318, 160, "x").rules(
        *[(x0, 133, x1, 133) for x0, x1 in ((60, 190), (195, 250), (256, 330))]
    )
    assert drawn.tables(tmp_path)[0][0] == ["Tree", "Seeds", "Remarks"]


@pytest.mark.parametrize(("step", "rows"), [(10.0, 5), (14.0, 6)])
def test_a_label_nearer_to_the_row_below_than_rows_are_is_its_first_line(
    step: float, rows: int, tmp_path: Path
) -> None:
    drawn = Drawn().rows(100, [("Tree", "Seeds", "Cones"), *BODY[:3]], AT).text(60, 156, "Of the Norway")
    drawn.text(66, 156 + step, "Spruce").text(200, 156 + step, "700").text(300, 156 + step, "20")
    assert len(drawn.tables(tmp_path)[0]) == rows


def test_white_around_a_number_is_not_of_its_place(tmp_path: Path) -> None:
    drawn = Drawn().text(60, 100, "450" + 9 * "\u00a0" + " ").text(60, 120, "450")
    wide, plain = (one.box for one in drawn.read(tmp_path)[0].fragments)
    assert wide.w == pytest.approx(plain.w, abs=0.001)


def test_rules_of_a_page_shown_turned_are_read_to_its_edge(tmp_path: Path) -> None:
    drawn = Drawn().text(60, 100, "Oak").rules((60, 800, 300, 800))
    drawn.page.set_rotation(90)
    assert len(drawn.read(tmp_path)[0].rules) == 1


def test_a_rule_below_a_caption_beside_its_table_ends_with_the_table(tmp_path: Path) -> None:
    drawn = Drawn().rows(110, [("Tree", "Seeds", "Cones")], (200, 320, 420)).rows(130, BODY, (200, 320, 420))
    for n, text in enumerate(("Table II.", "Trees and", "what they", "bear")):
        drawn.text(60, 135 + 10 * n, text)
    drawn.rules((195, 98, 480, 98), (195, 114, 480, 114), (55, 180, 480, 180))
    (table,) = drawn.tables(tmp_path)
    assert [row[0] for row in table] == ["Tree", "Oak", "Elm", "Ash", "Fir"]


def test_a_bold_header_over_rules_begins_another_table(tmp_path: Path) -> None:
    drawn = Drawn().rows(100, [("Oak", "of the sea", "1,200"), ("Elm", "of the hill", "45"), ("Ash", "of it", "9")], AT)
    drawn.font = "hebo"
    drawn.rows(148, [("Boat", "Wood", "Mass")], AT).rules(*[(x, 151, x + 60, 151) for x in AT])
    drawn.font = "helv"
    drawn.rows(166, [("Kestrel", "of oak", "12"), ("Heron", "of elm", "1,400"), ("Gull", "of fir", "7")], AT)
    assert [len(table) for table in drawn.tables(tmp_path)] == [3, 4]


def test_columns_of_names_are_in_doubt(tmp_path: Path) -> None:
    names = [("Ray Oak", "John Elm", "Ann Ash"), ("Eve Fir", "Tom Yew", "Sue Box"), ("Jo Bay", "Al Rowan", "Di Holly")]
    assert FLAG in flags(Drawn().rows(100, names, AT), tmp_path)
    assert FLAG not in flags(Drawn().rows(100, [("Tree", "Seeds", "Cones"), *BODY], AT), tmp_path)


def test_a_doubtful_table_lowers_its_page_below_green(tmp_path: Path) -> None:
    names = [("Ray Oak", "John Elm", "Ann Ash"), ("Eve Fir", "Tom Yew", "Sue Box"), ("Jo Bay", "Al Rowan", "Di Holly")]
    assert Drawn().rows(100, names, AT).read(tmp_path)[1].confidence < 0.85


def test_names_that_recur_between_rules_are_rows_of_their_own(tmp_path: Path) -> None:
    drawn, names = Drawn(), ("Source", "Base", "Plain", "Best")
    for group in range(3):
        top = 100 + 64 * group
        drawn.rows(top + 14, [(name, f"a line of {name.lower()} {'abc'[group]}") for name in names], (60, 200))
        drawn.rules((55, top, 400, top))
    drawn.rules((55, 292, 400, 292), (150, 100, 150, 292))
    assert [len(table) for table in drawn.tables(tmp_path)] == [12]


def test_a_title_in_the_middle_of_the_whole_table_is_no_header(tmp_path: Path) -> None:
    drawn = Drawn("hebo").rows(130, [("Tree", "Seeds", "Cones")], AT).text(158, 114, "TREES OF IT")
    drawn.font = "helv"
    drawn.rows(146, BODY, AT).rules((60, 133, 110, 133), (195, 133, 250, 133), (295, 133, 326, 133))
    assert header(drawn, tmp_path) == [["Tree", "Seeds", "Cones"]]


@pytest.mark.parametrize(
    ("x", "y", "headed", "expected"),
    [
        (60, 208, False, True),
        (60, 230, False, False),
        (60, 208, True, False),
        (220, 100, False, True),
        (240, 100, False, False),
    ],
)
def test_tables_that_hardly_any_white_parts_may_be_one(
    x: float, y: float, headed: bool, expected: bool, tmp_path: Path
) -> None:
    page = Drawn().text(60, 110, "Oak").read(tmp_path)[0]
    lines = PageView(page).lines
    upper = Region("aligned", 60, 100, 200, 200, lines)
    assert are_pieces(upper, Region("aligned", x, y, x + 140, y + 100, lines, headed=headed)) == expected


@pytest.mark.parametrize(("gap", "doubtful"), [(20, True), (60, False)])
def test_frames_beside_each_other_that_may_be_one_table_are_in_doubt(
    gap: float, doubtful: bool, tmp_path: Path
) -> None:
    drawn = Drawn()
    for x in (60, 200 + gap):
        drawn.rows(104, BODY, (x + 5, x + 55, x + 105))
        drawn.rules(*[(x, y, x + 140, y) for y in (90, 108, 124, 140, 156)])
        drawn.rules(*[(at, 90, at, 156) for at in (x, x + 50, x + 100, x + 140)])
    assert len(drawn.tables(tmp_path)) == 2
    assert (FLAG in flags(drawn, tmp_path)) == doubtful


def test_columns_end_in_the_middle_between_the_rules_below_their_names(tmp_path: Path) -> None:
    lines = PageView(
        Drawn().rows(110, [("Tree", "Seeds"), ("Oak", "12"), ("Elm", "9")], (60, 240)).read(tmp_path)[0]
    ).lines
    region = Region("aligned", 60, 100, 270, 140, lines, horizontal=[(113, 60, 180), (113, 220, 270)])
    assert [end for _, end in find_columns(lines, region)][:-1] == [200]


@pytest.mark.parametrize(("beyond", "count"), [(0, 0), (9, 1)])
def test_words_that_are_underlined_whole_are_a_link_and_divide_no_rows(
    beyond: float, count: int, tmp_path: Path
) -> None:
    (line,) = PageView(Drawn().text(60, 110, "Of the boats in the harbour").read(tmp_path)[0]).lines
    rule = (line.y1 - 1, line.x0, line.x1 + beyond)
    region = Region("aligned", line.x0, 80, line.x1, 200, [line], horizontal=[rule])
    assert len(dividers_of(region)) == count


@pytest.mark.parametrize(("gap", "doubtful"), [(13, True), (6, False)])
def test_texts_far_apart_in_one_cell_are_in_doubt(gap: float, doubtful: bool, tmp_path: Path) -> None:
    drawn = Drawn().text(60, 110, "Oak").text(120, 110, "Elm").text(200, 110, "12")
    oak, elm, number = PageView(drawn.read(tmp_path)[0]).lines
    cells = [GridCell(0, [oak, replace(elm, x0=oak.x1 + gap)]), GridCell(1, [number])]
    region = Region("aligned", 60, 100, 220, 112, [oak, elm, number])
    assert is_doubtful(Grid([cells], []), 0, region) == doubtful


@pytest.mark.parametrize(("blank", "texts"), [(6, ["(301)", "$"]), (0, ["(301) $"])])
def test_a_sign_after_a_wide_blank_begins_the_next_sum(blank: int, texts: list[str], tmp_path: Path) -> None:
    drawn = Drawn().text(60, 100, "(301) $")
    (xref,) = drawn.page.get_contents()
    stream = drawn.document.xref_stream(xref) or b""
    drawn.document.update_stream(xref, stream.replace(b"BT", b"BT %d Tw" % blank))
    assert [one.text for one in drawn.read(tmp_path)[0].fragments] == texts
