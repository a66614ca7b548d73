"""Where tables are and how their cells lie: pages laid out in points, grids written out. Each limit from both sides."""

import pytest

from shared.domain.geometry import Rect
from shared.domain.operations import Cell, RegisterTable
from shared.domain.page import Fragment, PageFile, PageImage, Rule, TickBox
from shared.domain.sketch import HeadingStyle, Profile
from shared.extraction.page_view import PageView
from shared.extraction.tables.detect import find_tables
from shared.extraction.titles.headings import HeadingJudge

W, H = 600, 800
PROFILE = Profile(body_style="Serif|10", body_pitch=1.2, headings=[HeadingStyle(style="Sans|16", rank=1)])


class Page:
    """Texts by (left, top), 10 points high, 5 points a letter; rules by their ends."""

    def __init__(self) -> None:
        self._fragments: list[Fragment] = []
        self._rules: list[Rule] = []
        self._ticks: list[TickBox] = []
        self.images: list[PageImage] = []

    def text(self, x: float, y: float, text: str, **more: object) -> "Page":
        box = Rect(x=x / W, y=y / H, w=5 * len(text) / W, h=10 / H)
        name = f"p1.f{len(self._fragments) + 1}"
        made: dict[str, object] = {"id": name, "text": text, "box": box, "font": "Serif", "size": 10.0}
        self._fragments.append(Fragment.model_validate(made | more))
        return self

    def row(self, y: float, *cells: str, at: tuple[float, ...] = (60, 200, 300, 400), **more: object) -> "Page":
        for x, cell in zip(at, cells, strict=False):
            if cell:
                self.text(x, y, cell, **more)
        return self

    def rows(
        self, y: float, *rows: tuple[str, ...], step: float = 14, at: tuple[float, ...] = (60, 200, 300, 400)
    ) -> "Page":
        for number, cells in enumerate(rows):
            self.row(y + step * number, *cells, at=at)
        return self

    def rule(self, x0: float, y0: float, x1: float, y1: float, *, fill: bool = False) -> "Page":
        self._rules.append(Rule(x0=x0 / W, y0=y0 / H, x1=x1 / W, y1=y1 / H, fill=fill))
        return self

    def grid(self, ys: tuple[float, ...], xs: tuple[float, ...]) -> "Page":
        for y in ys:
            self.rule(xs[0], y, xs[-1], y)
        for x in xs:
            self.rule(x, ys[0], x, ys[-1])
        return self

    def tick(self, x: float, y: float) -> "Page":
        self._ticks.append(TickBox(box=Rect(x=x / W, y=y / H, w=10 / W, h=10 / H), ticked=False))
        return self

    @property
    def view(self) -> PageView:
        page = PageFile(
            page=1, width_pt=W, height_pt=H, route="text", fragments=self._fragments, rules=self._rules,
            images=self.images, tick_boxes=self._ticks, extractor_version="t",
        )  # fmt: skip
        return PageView(page)

    @property
    def tables(self) -> list[RegisterTable]:
        found = find_tables(self.view, PROFILE, HeadingJudge(PROFILE, 1))
        named = [name for table in found for row in table.rows for cell in row for name in cell.fragment_ids]
        assert len(named) == len(set(named))
        return found

    @property
    def shapes(self) -> list[list[list[str]]]:
        """The texts of each table's cells; spans as `text/down/across`."""
        texts = {fragment.id: fragment.text for fragment in self._fragments}

        def shown(cell: Cell) -> str:
            text = " ".join(texts[name] for name in cell.fragment_ids)
            return text if (cell.row_span, cell.col_span) == (1, 1) else f"{text}/{cell.row_span}/{cell.col_span}"

        return [[[shown(cell) for cell in row] for row in table.rows] for table in self.tables]

    @property
    def heads(self) -> list[int]:
        return [table.header_rows for table in self.tables]


BODY = (("Kestrel", "12", "31"), ("Heron", "14", "35"), ("Swift", "15", "36"))
ROWS = [list(row) for row in BODY]


def test_rows_of_cells_that_line_up_are_a_table() -> None:
    assert Page().rows(100, *BODY).shapes == [ROWS]
    assert Page().rows(100, *BODY[:2]).shapes == [ROWS[:2]]
    assert Page().rows(100, BODY[0]).shapes == []
    assert Page().rows(100, *(row[:2] for row in BODY)).shapes == [[row[:2] for row in ROWS]]
    assert Page().rows(100, *(row[:2] for row in BODY[:2])).shapes == []  # two rows of two cells


@pytest.mark.parametrize(("step", "rows"), [(35.9, 3), (36.1, 0)])
def test_rows_follow_each_other_within_three_pitches(step: float, rows: int) -> None:
    assert [len(shape) for shape in Page().rows(100, *BODY, step=step).shapes] == ([rows] if rows else [])


@pytest.mark.parametrize(("gap", "found"), [(11.1, True), (10.9, False)])
def test_other_cells_stand_further_apart(gap: float, found: bool) -> None:
    page = Page()
    for n in range(3):
        page.row(100 + 14 * n, "abcd", "efgh", at=(60 - 1.5 * n, 80 - 1.5 * n + gap))
    assert (page.shapes != []) is found


def test_cells_that_do_not_line_up_are_no_table() -> None:
    page = Page()
    for n, (left, right) in enumerate(((180, 300), (211, 347), (237, 391), (262, 328))):
        page.row(100 + 14 * n, "Kestrel", "12", "3155", at=(60, left, right))
    assert page.shapes == []


def test_signs_of_currencies_need_not_line_up() -> None:
    page = (
        Page()
        .row(86, "2022", "2021", at=(310, 460))
        .row(100, "Tax", "$", "3,624", "$", "2,625", at=(60, 250, 285, 400, 435))
    )
    page.row(114, "Rate", "15.7 %", "10.8 %", at=(60, 300, 450)).row(
        128, "Statutory", "21 %", "21 %", at=(60, 310, 460)
    )
    assert [[row[0] for row in shape][1:] for shape in page.shapes] == [["Tax", "Rate", "Statutory"]]


def test_marks_and_their_items_are_no_table() -> None:
    for mark in ("\u2022", "1.", "(a)", "7.2", "\u2610"):
        assert Page().rows(100, *((mark, "a long item of the list here") for _ in range(4)), at=(60, 90)).shapes == []
    assert Page().rows(100, *(("12", "a long item of the list here") for _ in range(4)), at=(60, 90)).shapes == []
    assert Page().rows(100, *(("$", "12", "14") for _ in range(4)), at=(60, 90, 200)).shapes != []


def test_code_in_columns_is_no_table() -> None:
    page = Page()
    for n in range(4):
        page.row(100 + 14 * n, "let", "x = 1", "y", mono=True)
    assert page.shapes == []


def test_a_single_line_goes_on_with_a_cell_or_is_a_label() -> None:
    long = Page().rows(100, BODY[0]).text(200, 112, "and").rows(126, *BODY[1:])
    assert long.shapes == [[["Kestrel", "12 and", "31"], *ROWS[1:]]]
    label = Page().rows(100, BODY[0]).text(60, 114, "Sloops:").rows(128, *BODY[1:])
    assert label.shapes == [[ROWS[0], ["Sloops:", "", ""], *ROWS[1:]]]
    prose = (
        Page()
        .rows(100, *BODY)
        .text(60, 142, "words of a paragraph that goes over all of the columns here")
        .rows(156, *BODY)
    )
    assert prose.shapes == [ROWS, ROWS]


@pytest.mark.parametrize(("step", "one"), [(24, True), (60, False)])
def test_a_label_stands_close_above_its_rows(step: float, one: bool) -> None:
    page = Page().rows(100, *BODY).text(60, 128 + step, "Sloops").rows(128 + step + 14, *BODY)
    assert len(page.shapes) == (1 if one else 2)


YS, XS = (90, 110, 130, 150), (50, 190, 290, 390)


def in_grid(**more: object) -> Page:
    return Page().rows(95, *BODY, step=20)


def test_a_drawn_grid_is_a_table_whatever_its_rows_hold() -> None:
    assert in_grid().grid(YS, XS).shapes == [ROWS]
    sparse = Page().text(60, 95, "Kestrel").text(200, 95, "12").text(60, 115, "a long row of words")
    assert sparse.grid(YS[:3], XS[:3]).shapes == [[["Kestrel", "12"], ["a long row of words", ""]]]
    empty = Page().text(60, 95, "Kestrel").text(60, 115, "Heron").grid(YS[:3], XS[:3])
    assert empty.shapes == []  # never two cells side by side


def test_cells_without_a_wall_between_them_are_one() -> None:
    page = Page().text(60, 95, "Boats").row(115, "Kestrel", "12", "31").row(135, "Heron", "14", "35")
    for y in YS:
        page.rule(50, y, 390, y)
    for x in (50, 390):
        page.rule(x, 90, x, 150)
    for x in (190, 290):
        page.rule(x, 110, x, 150)
    assert page.shapes == [[["Boats/1/3"], *ROWS[:2]]]  # a single text where the other rows have walls: a group's name
    wide = Page().text(60, 95, "Boats of all the harbours of the island and of the sea")
    wide.row(115, "Kestrel", "12", "31").row(135, "Heron", "14", "35")
    for y in YS:
        wide.rule(50, y, 390, y)
    for x in (50, 390):
        wide.rule(x, 90, x, 150)
    for x in (190, 290):
        wide.rule(x, 110, x, 150)
    assert wide.shapes == [[["Boats of all the harbours of the island and of the sea/1/3"], *ROWS[:2]]]
    tall = Page().row(95, "Kestrel", "12", "31").row(115, "", "14", "35").row(135, "Heron", "15", "36")
    for y in (90, 130, 150):
        tall.rule(50, y, 390, y)
    tall.rule(190, 110, 390, 110)
    for x in XS:
        tall.rule(x, 90, x, 150)
    assert tall.shapes == [[["Kestrel/2/1", "12", "31"], ["14", "35"], ["Heron", "15", "36"]]]


@pytest.mark.parametrize(("length", "wall"), [(51, True), (49, False)])
def test_a_wall_covers_half_of_a_cells_side(length: float, wall: bool) -> None:
    page = Page().row(95, "Kestrel", "12", "31").row(115, "", "14", "35").row(135, "Heron", "15", "36")
    for y in (90, 130, 150):
        page.rule(50, y, 390, y)
    page.rule(190 - 1.4 * length, 110, 390, 110)
    for x in XS:
        page.rule(x, 90, x, 150)
    first = page.shapes[0]
    assert first[0][0] == ("Kestrel" if wall else "Kestrel/2/1")


def test_rules_of_one_width_with_rows_between_them_are_a_table() -> None:
    page = Page().row(95, "Boat", "Crew", "Mass").rows(115, *BODY)
    for y in (90, 110, 160):
        page.rule(50, y, 390, y)
    assert page.shapes == [[["Boat", "Crew", "Mass"], *ROWS]]
    assert page.heads == [1]
    prose = Page().rule(50, 90, 390, 90).rule(50, 160, 390, 160)
    for n in range(4):
        prose.text(60, 95 + 14 * n, "words of a paragraph that goes over all of the width here")
    assert prose.shapes == []


@pytest.mark.parametrize(("distance", "found"), [(5, True), (30, True), (30.5, False)])
def test_a_caption_stands_within_three_heights(distance: float, found: bool) -> None:
    above = Page().text(60, 200 - distance - 10, "Table 3: Boats").rows(200, *BODY)
    assert [table.caption_fragment_ids for table in above.tables] == [["p1.f1"] if found else []]


def test_a_caption_of_several_lines_is_as_far_as_its_last_line() -> None:
    page = Page().text(60, 100, "Table 3: Boats of the").text(60, 112, "last season and").text(60, 124, "their masses")
    assert [table.caption_fragment_ids for table in page.rows(150, *BODY).tables] == [["p1.f1", "p1.f2", "p1.f3"]]


def test_the_nearer_of_two_captions_is_taken() -> None:
    page = Page().text(60, 70, "Table 2: Crews").text(60, 85, "Table 3: Boats").rows(100, *BODY)
    assert [table.caption_fragment_ids for table in page.tables] == [["p1.f2"]]


def two(*captions: tuple[float, str]) -> list[list[str]]:
    """The captions of two tables, the upper from 100 to 138 points, the lower from 180 to 218."""
    page = Page().rows(100, *BODY).rows(180, *BODY)
    for y, text in captions:
        page.text(60, y, text)
    said = {fragment.id: fragment.text for fragment in page.view.page.fragments}
    return [[said[one] for one in table.caption_fragment_ids] for table in page.tables]


def test_a_caption_between_two_tables_stands_on_the_side_where_the_others_do() -> None:
    assert two((155, "Table 1: Boats"), (235, "Table 2: Crews")) == [["Table 1: Boats"], ["Table 2: Crews"]]
    assert two((80, "Table 1: Boats"), (160, "Table 2: Crews")) == [["Table 1: Boats"], ["Table 2: Crews"]]
    assert two((80, "Table 1: Boats"), (146, "Table 2: Crews")) == [["Table 1: Boats"], ["Table 2: Crews"]]


def test_a_ruled_table_shows_the_side_for_those_without_rules_too() -> None:
    page = Page().rows(100, *BODY).rows(180, *BODY).text(60, 156, "Table 1: Boats").text(60, 400, "Table 2: Crews")
    page.grid((340, 354, 368, 382), (55, 195, 295, 395, 460)).rows(342, *BODY)
    assert [len(table.caption_fragment_ids) for table in page.tables] == [1, 0, 1]


def test_a_caption_alone_between_two_tables_is_that_of_the_nearer() -> None:
    assert two((146, "Table 1: Boats")) == [["Table 1: Boats"], []]
    assert two((164, "Table 1: Boats")) == [[], ["Table 1: Boats"]]


def test_a_long_caption_is_whole() -> None:
    page = Page().rows(100, *BODY).text(60, 150, "Table 3: Boats of the")
    for n in range(12):
        page.text(60, 162 + 12 * n, "last season, which were weighed")
    assert [len(table.caption_fragment_ids) for table in page.tables] == [13]


def test_a_caption_below_counts_where_none_is_above_and_others_never() -> None:
    below = Page().rows(100, *BODY).text(60, 145, "Table 3: Boats")
    assert [table.caption_fragment_ids for table in below.tables] == [["p1.f10"]]
    assert [t.caption_fragment_ids for t in Page().text(60, 80, "Figure 3: Boats").rows(100, *BODY).tables] == [[]]
    assert [t.caption_fragment_ids for t in Page().text(450, 80, "Table 3: Boats").rows(100, *BODY).tables] == [[]]


def test_how_sure_a_table_is() -> None:
    def sure(page: Page) -> list[float]:
        return [table.confidence for table in page.tables]

    assert sure(in_grid().grid(YS, XS)) == [1.0]
    ruled = Page().row(95, "Boat", "Crew", "Mass").rows(115, *BODY)
    for y in (90, 110, 160):
        ruled.rule(50, y, 390, y)
    assert sure(ruled) == [0.97]
    assert sure(Page().rows(100, *BODY)) == [0.92]
    half = Page().rows(100, *BODY[:2]).text(60, 128, "Sloops:").rows(142, BODY[2])
    assert sure(half) == [0.874]  # .92 of eight tenths and of two tenths for three rows of four


@pytest.mark.parametrize(
    ("first", "heads"),
    [
        (("Boat", "Crew", "Mass"), 1), (("Boat", "2025", "2024"), 1), (("", "Crew", "Mass"), 1),
        (("Boat", "13", "Mass"), 0),
        (("", "", "Mass"), 0),
    ],
)  # fmt: skip
def test_words_or_years_above_figures_are_a_header(first: tuple[str, ...], heads: int) -> None:
    assert Page().rows(100, first, *BODY).heads == [heads]


def test_rows_in_bold_are_a_header_unless_all_are() -> None:
    def page(*bold: bool) -> Page:
        made = Page()
        for n, heavy in enumerate(bold):
            made.row(95 + 20 * n, "Boat", "crew", "mass", bold=heavy)
        return made.grid(tuple(90 + 20 * n for n in range(len(bold) + 1)), XS)

    assert page(True, False, False, False).heads == [1]
    assert page(True, True, False, False).heads == [2]
    assert page(False, True, False, False).heads == [1]  # a full first row of short words
    assert page(*[True] * 6, False).heads == [6]
    assert page(*[True] * 7, False).heads == [1]


def test_a_form_has_no_header() -> None:
    page = Page()
    for n, label in enumerate(("Boat:", "Crew:", "Mass:", "Sail:")):
        page.row(95 + 20 * n, label, "x", "y")
    assert page.grid((90, 110, 130, 150, 170), XS).heads == [0]


def test_signs_of_money_and_per_cent_join_their_numbers() -> None:
    page = Page()
    for n, row in enumerate(BODY):
        page.text(60, 100 + 14 * n, row[0]).text(185, 100 + 14 * n, "$").text(200, 100 + 14 * n, row[1])
        page.text(300, 100 + 14 * n, row[2]).text(316, 100 + 14 * n, "%")
    assert page.shapes == [[[name, f"$ {one}", f"{two} %"] for name, one, two in BODY]]


def test_a_word_over_several_columns_spans_those_that_are_empty() -> None:
    page = Page().text(200, 86, "Crews and masses of boats").rows(100, *BODY)
    assert page.shapes[0][-3:] == ROWS


def test_equations_and_symbols_are_no_table() -> None:
    page = Page()
    for n, (left, right) in enumerate((("h", "= a + b"), ("c", "= d"), ("s", "= e"), ("q", "= f"))):
        page.row(100 + 14 * n, left, right, "(1)")
    assert page.shapes == []
    two = Page()
    for n, right in enumerate(("= a + b", "= d", "14", "15")):
        two.row(100 + 14 * n, "boat", right, "12")
    assert len(two.shapes) == 1  # half of the rows are no equations


def test_labels_between_two_parts_of_one_width_join_them() -> None:
    def page(label: str, *, second: float = 60, gap: float = 14) -> Page:
        made = Page()
        for n, row in enumerate(BODY):
            made.row(100 + 14 * n, *row)
        for y in (96, 140):
            made.rule(55, y, 345, y)
        made.text(second, 144, label)
        for n, row in enumerate(BODY):
            made.row(158 + 14 * n, *row)
        for y in (156, 198):
            made.rule(55, y, 345, y)
        return made

    assert [len(shape) for shape in page("Sloops:").shapes] == [7]
    assert [len(shape) for shape in page("Table 4: Sloops").shapes] == [3, 3]


def test_shaded_rows_divide_like_rules() -> None:
    page = (
        Page()
        .row(100, "Kestrel", "a b", "31")
        .row(112, "", "c d", "")
        .row(128, "Heron", "e", "35")
        .row(142, "Swift", "f", "36")
    )
    page.rule(50, 98, 390, 124, fill=True).rule(50, 139, 390, 154, fill=True)
    assert page.shapes == [[["Kestrel", "a b c d", "31"], ["Heron", "e", "35"], ["Swift", "f", "36"]]]


def test_a_large_heading_divides_rows_between_rules() -> None:
    page = Page().row(95, "Boat", "Crew", "Mass").rows(115, *BODY).text(60, 170, "Sloops", font="Sans", size=16.0)
    page.rows(190, *BODY)
    for y in (90, 110, 160, 240):
        page.rule(50, y, 390, y)
    assert [len(shape) for shape in page.shapes] == [4, 3]


def ruled(page: Page, *ys: float) -> Page:
    for y in ys:
        page.rule(50, y, 390, y)
    return page


def test_rows_above_the_first_inner_rule_are_a_header() -> None:
    words = (
        ("sloop", "of oak", "red"),
        ("ketch", "of elm", "blue"),
        ("yawl", "of ash", "white"),
        ("brig", "of fir", "x"),
    )
    page = Page().rows(95, ("boat", "wood", "colour")).rows(115, *words)
    assert ruled(page, 90, 110, 175).heads == [1]
    two = Page().rows(95, ("boat", "wood", "colour"), ("name", "kind", "kind")).rows(129, *words)
    assert ruled(two, 90, 124, 190).heads == [2]
    figures = Page().rows(95, ("1", "2", "3")).rows(115, *words)
    assert ruled(figures, 90, 110, 175).heads == [0]


def test_two_words_above_a_label_and_its_figure_are_a_header() -> None:
    rows = [row[:2] for row in BODY]
    assert Page().rows(100, ("Boat", "Crew"), *rows).heads == [1]
    mixed = [("Kestrel", "12"), ("Heron", "14"), ("Swift", "15"), ("Gull", "n/a"), ("Tern", "none")]
    assert Page().rows(100, ("Boat", "Crew"), *mixed).heads == [1]  # three of five
    assert Page().rows(100, ("Boat", "Crew"), *mixed[1:]).heads == [0]  # two of four


def test_lines_between_two_rules_are_one_row_where_every_row_is_ruled_off() -> None:
    page = Page()
    for n, (name, first, second) in enumerate(
        (("sloop", "made of", "old oak"), ("ketch", "made of", "elm"), ("yawl", "of", "ash"))
    ):
        page.row(95 + 30 * n, name, first, "red").text(200, 107 + 30 * n, second)
    assert ruled(page, 90, 120, 150, 180).shapes == [
        [["sloop", "made of old oak", "red"], ["ketch", "made of elm", "red"], ["yawl", "of ash", "red"]]
    ]
    separate = Page().rows(92, *BODY, step=13).rows(134, *BODY, step=13).rows(176, *BODY, step=13)
    assert [len(shape) for shape in ruled(separate, 90, 132, 174, 216).shapes] == [9]  # figures in every line


@pytest.mark.parametrize(("step", "rows"), [(16, 3), (16.5, 4)])
def test_a_line_without_a_first_cell_goes_on_close_below(step: float, rows: int) -> None:
    page = Page().rows(100, BODY[0]).text(200, 100 + step, "crew").rows(140, *BODY[1:])
    assert [len(shape) for shape in page.shapes] == [rows]


def test_a_label_in_lower_case_goes_on_with_the_one_above() -> None:
    page = Page().rows(100, BODY[0]).text(60, 112, "of the harbour").rows(126, *BODY[1:])
    assert page.shapes == [[["Kestrel of the harbour", "12", "31"], *ROWS[1:]]]
    apart = Page().rows(100, BODY[0]).text(60, 114, "of the harbour").rows(128, *BODY[1:])
    assert apart.shapes == [[ROWS[0], ["of the harbour", "", ""], *ROWS[1:]]]
    alone = Page().rows(100, BODY[0]).text(60, 114, "Sloops and boats").text(60, 126, "of oak").rows(140, *BODY[1:])
    assert alone.shapes == [[ROWS[0], ["Sloops and boats of oak", "", ""], *ROWS[1:]]]


def test_rows_that_line_up_beyond_the_outer_rules_belong_to_the_table() -> None:
    above = Page().rows(79, ("Boat", "Crew", "Mass")).rows(95, *BODY)
    assert ruled(above, 92, 142).shapes == [[["Boat", "Crew", "Mass"], *ROWS]]
    far = Page().rows(65, ("Boat", "Crew", "Mass")).rows(95, *BODY)
    assert ruled(far, 92, 142).shapes == [ROWS]
    below = Page().rows(95, *BODY).row(146, "Total", "41", "102")
    assert ruled(below, 92, 142).shapes == [[*ROWS, ["Total", "41", "102"]]]
    other = Page().rows(95, *BODY).row(146, "Total", "41", "102", at=(60, 231, 331))
    assert ruled(other, 92, 142).shapes == [ROWS]


@pytest.mark.parametrize(
    ("values", "at", "found"),
    [
        (("124.5", "133.6", "67.0"), (222, 322, 422), True),
        (("124.5", "133.6", "67.0"), (222, 385, 422), False),  # one below two names
        (("seldom", "at times", "often"), (222, 322, 422), False),
        (("124.5", "133.6"), (222, 322), False),
    ],
)
def test_a_single_row_of_numbers_may_stand_beside_the_names_above_them(
    values: tuple[str, ...], at: tuple[float, ...], found: bool
) -> None:
    page = Page().row(100, *("2023", "2024", "2025")[: len(values)], at=(200, 300, 400))
    assert (page.row(114, "Scheduled", *values, at=(60, *at)).shapes != []) is found


@pytest.mark.parametrize(("x", "found"), [(110, True), (100, False)])
def test_a_single_row_is_none_of_a_header_that_has_words_above_its_label(x: float, found: bool) -> None:
    page = Page().row(100, "2023", "2024", "2025", at=(x, 300, 400))
    assert (page.row(114, "Scheduled", "124.5", "133.6", "67.0", at=(60, 222, 322, 422)).shapes != []) is found
