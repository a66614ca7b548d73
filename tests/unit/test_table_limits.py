"""The limits of finding and reading tables, each from both sides: lines and rules in points, answers worked out by hand
from what each limit says. One file, though long: every case shares the few makers of lines and regions on top."""

import itertools
from collections.abc import Sequence
from typing import Any, Literal

import pytest

from shared.domain.geometry import Rect
from shared.domain.page import Fragment, PageFile, Rule
from shared.domain.sketch import HeadingStyle, Profile
from shared.extraction.page_view import Line, PageView
from shared.extraction.tables.aligned import aligned_regions
from shared.extraction.tables.columns import find_columns
from shared.extraction.tables.grid import Grid, build_grid, dividers_of
from shared.extraction.tables.growth import grow, joined
from shared.extraction.tables.headers import figures_edge, grow_header, head_rows, header_rows
from shared.extraction.tables.lattice import build_lattice
from shared.extraction.tables.regions import (
    PageRules,
    Region,
    Segment,
    is_mark,
    is_tabular,
    order_rows,
    page_rules,
    shade,
)
from shared.extraction.tables.ruled import ruled_regions
from shared.extraction.titles.headings import HeadingJudge

Kind = Literal["grid", "rules", "aligned"]
SIDE = 1024  # a power of two, so that points come back exactly and a case can stand at its limit
PROFILE = Profile(body_style="Serif|10", body_pitch=1.2, headings=[HeadingStyle(style="Sans|16", rank=1)])
JUDGE = HeadingJudge(PROFILE, 1)
NO_RULES = PageRules([], [], [])
Piece = tuple[float, float, float, str]  # x0, x1, top, text; 10 points high


def view(pieces: Sequence[Piece], rules: Sequence[Rule] = (), **more: object) -> PageView:
    made: list[Fragment] = []
    for number, (x0, x1, top, text) in enumerate(pieces, 1):
        box = Rect(x=x0 / SIDE, y=top / SIDE, w=(x1 - x0) / SIDE, h=10 / SIDE)
        known: dict[str, object] = {"id": f"p1.f{number}", "text": text, "box": box, "font": "Serif", "size": 10.0}
        made.append(Fragment.model_validate(known | more))
    return PageView(
        PageFile(
            page=1, width_pt=SIDE, height_pt=SIDE, route="text", fragments=made, rules=[*rules], extractor_version="t"
        )
    )


def lines(*pieces: Piece, bold: bool = False, mono: bool = False) -> list[Line]:
    return view(pieces, bold=bold, mono=mono).lines


def rule(x0: float, y0: float, x1: float, y1: float, *, fill: bool = False) -> Rule:
    return Rule(x0=x0 / SIDE, y0=y0 / SIDE, x1=x1 / SIDE, y1=y1 / SIDE, fill=fill)


def region(
    found: Sequence[Line], x0: float, y0: float, x1: float, y1: float, *, kind: Kind = "aligned",
    across: Sequence[Segment] = (), down: Sequence[Segment] = (), bands: Sequence[float] = (),
) -> Region:  # fmt: skip
    return Region(kind, x0, y0, x1, y1, [*found], [*across], [*down], [*bands])


def around(found: Sequence[Line], **more: Any) -> Region:
    """A region as tight as its lines."""
    return region(
        found, min(x.x0 for x in found), min(x.y0 for x in found), max(x.x1 for x in found), max(x.y1 for x in found),
        **more,
    )  # fmt: skip


def texts(found: Sequence[Line]) -> list[str]:
    return [line.text for line in found]


def shape(grid: Grid) -> list[list[tuple[str, int, int]]]:
    return [[(" ".join(texts(c.lines)), c.row_span, c.col_span) for c in row] for row in grid.rows]


def words(grid: Grid) -> list[list[str]]:
    return [[text for text, _, _ in row] for row in shape(grid)]


@pytest.mark.parametrize(
    ("fills", "edges"),
    [
        ([(0, 10, 50, 20)], [10, 20]),
        ([(0, 10, 49.9, 20)], []),
        ([(0, 10, 25, 20), (50, 10, 75, 20)], [10, 20]),
        ([(0, 10, 25, 20), (50, 12, 75, 22)], []),
        ([(-50, 10, 49, 20)], []),
        ([(51, 10, 150, 20)], []),
        ([(-30, 10, -10, 20), (0, 10, 50, 20)], [10, 20]),
        ([(0, 10, 100, 70.9)], [10, 71]),
        ([(0, 10, 100, 71)], []),
        ([(0, -13, 100, 7)], [-13, 7]),
        ([(0, -13.2, 100, 7)], []),
        ([(0, 93, 100, 113)], [93, 113]),
        ([(0, 93, 100, 113.2)], []),
        ([(0, 40, 100, 50), (0, 10, 100, 20), (0, 20, 100, 30)], [10, 20, 30, 40, 50]),
    ],
)
def test_shaded_rows(fills: list[tuple[float, float, float, float]], edges: list[float]) -> None:
    shaded = region([], 0, 0, 100, 100)
    shade(shaded, fills)
    assert shaded.bands == edges


@pytest.mark.parametrize(
    ("pieces", "tabular"),
    [
        ([(0, 20, "boat"), (31.1, 60, "12")], True),
        ([(0, 20, "boat"), (30.9, 60, "12")], False),
        ([(31.1, 60, "sail"), (0, 20, "boat")], True),
        ([(0, 20, "boat")], False),
        ([(0, 20, "\u2022"), (60, 90, "boat")], False),
        ([(0, 20, "\u2022"), (60, 90, "boat"), (91, 95, "s")], True),
        ([(0, 20, "\u2022"), (60, 90, "boat"), (120, 140, "s")], True),
        ([(0, 20, "a"), (25, 40, "b"), (45, 60, "c")], False),
    ],
)
def test_cells_side_by_side(pieces: list[tuple[float, float, str]], tabular: bool) -> None:
    assert is_tabular(lines(*[(x0, x1, 100, text) for x0, x1, text in pieces])) is tabular


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("[12]", True), ("[Smi09]", True), ("[12", False),
        ("\u2022", True), ("----", True), ("-----", False), ("$", False), ("\u20ac", False), ("\u00a3", False),
        ("\u00a5", False), ("%", False), ("1.", True), ("(a)", True), ("7.2", True), ("7.2 ", True),
         ("7.2 Boats", False),
        ("Kestrel", False), ("boat", False), ("", True),
    ],
)  # fmt: skip
def test_marks(text: str, mark: bool) -> None:
    assert is_mark(text) is mark


@pytest.mark.parametrize(("second", "rows"), [(104.9, 1), (105.1, 2), (95.1, 1), (94.9, 2)])
def test_pieces_of_a_row_overlap_by_more_than_half(second: float, rows: int) -> None:
    assert len(order_rows(lines((0, 20, 100, "a"), (60, 90, second, "b")))) == rows


def test_pieces_of_a_row_follow_each_other_in_reading_order() -> None:
    a, _, c, d = lines((0, 20, 100, "a"), (30, 40, 300, "b"), (60, 90, 100, "c"), (100, 110, 100, "d"))
    assert list(map(texts, order_rows([a, c, d]))) == [["a"], ["c", "d"]]


def test_the_rules_of_a_page() -> None:
    rules = [
        rule(10, 100, 90, 101),
        rule(10, 50, 90, 52),
        rule(30, 10, 32, 90),
        rule(5, 5, 8, 8),
        rule(0, 0, 50, 9, fill=True),
    ]
    across, down, fills = page_rules(view([], rules), PROFILE)
    assert [tuple(round(v, 2) for v in one) for one in across] == [(6.5, 5, 8), (51, 10, 90), (100.5, 10, 90)]
    assert [tuple(round(v, 2) for v in one) for one in down] == [(31, 10, 90)]
    assert [tuple(round(v, 2) for v in one) for one in fills] == [(0, 0, 50, 9)]


def ruled(pieces: Sequence[Piece], *rules: tuple[float, float, float, float]) -> list[tuple[str, list[float], int]]:
    page = view(pieces, [rule(*one) for one in rules])
    found = ruled_regions(page, page_rules(page, PROFILE), PROFILE, JUDGE)
    return [(r.kind, [round(v, 2) for v in (r.x0, r.y0, r.x1, r.y1)], len(r.lines)) for r in found]


PAIRS: list[Piece] = [piece for y in (110, 130) for piece in ((110.0, 150.0, y, "boat"), (250.0, 290.0, y, "12"))]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([(100, 100, 300, 100), (100, 150, 300, 150), (303, 100, 303, 150)], ("grid", [100, 100, 303, 150])),
        ([(100, 100, 300, 100), (100, 150, 300, 150), (303.2, 100, 303.2, 150)], ("rules", [100, 100, 300, 150])),
        ([(100, 100, 300, 100), (100, 150, 300, 150), (97, 100, 97, 150)], ("grid", [97, 100, 300, 150])),
        ([(100, 100, 300, 100), (100, 150, 300, 150), (96.8, 100, 96.8, 150)], ("rules", [100, 100, 300, 150])),
        ([(100, 100, 300, 100), (100, 153, 300, 153), (200, 103, 200, 150)], ("grid", [100, 100, 300, 153])),
        ([(100, 100, 300, 100), (100, 153, 300, 153), (200, 103.2, 200, 149.8)], ("rules", [100, 100, 300, 153])),
        ([(100, 120, 300, 120), (100, 95, 100, 150), (300, 100, 300, 155)], ("grid", [100, 95, 300, 155])),
        ([(100, 120, 300, 120), (100, 95, 100, 150)], None),
        ([(100, 100, 300, 100), (106, 150, 306, 150)], ("rules", [100, 100, 300, 150])),
        ([(100, 100, 300, 100), (106.2, 150, 300, 150)], None),
        ([(100, 100, 300, 100), (100, 150, 306.2, 150)], None),
        ([(100, 88.2, 300, 88.2), (100, 100, 300, 100), (100, 150, 300, 150)], ("rules", [100, 88.2, 300, 150])),
        ([(100, 88, 300, 88), (100, 100, 300, 100), (100, 150, 300, 150)], ("rules", [100, 100, 300, 150])),
    ],
)
def test_what_rules_enclose(rules: list[tuple[float, float, float, float]], expected: tuple[str, list[float]]) -> None:
    assert ruled(PAIRS, *rules) == ([(*expected, 4)] if expected else [])


@pytest.mark.parametrize(("width", "found"), [(60, 1), (59.8, 0)])
def test_rules_of_a_table_are_no_underlines(width: float, found: int) -> None:
    pieces: list[Piece] = [(102, 108, 110, "a"), (140, 146, 110, "b"), (102, 108, 130, "a"), (140, 146, 130, "b")]
    assert len(ruled(pieces, (100, 100, 100 + width, 100), (100, 150, 100 + width, 150))) == found


@pytest.mark.parametrize(
    ("tabular", "single", "found"),
    [(1, 3, 1), (1, 4, 0), (2, 4, 1)],
)
def test_rows_between_rules(tabular: int, single: int, found: int) -> None:
    pieces: list[Piece] = []
    for n in range(tabular + single):
        y = 105 + 14 * n
        if n < tabular:
            pieces += [(110, 150, y, "boat"), (250, 290, y, "12")]
        else:
            pieces.append((110, 160, y, "some words"))
    bottom = 110 + 14 * (tabular + single)
    assert len(ruled(pieces, (100, 100, 300, 100), (100, bottom, 300, bottom))) == found


@pytest.mark.parametrize(
    ("piece", "inside"),
    [
        ((200, 210, 94, "x"), True), ((200, 210, 93.8, "x"), False), ((200, 210, 146, "x"), True),
        ((200, 210, 146.2, "x"), False), ((93, 103, 110, "x"), True), ((92.8, 102.8, 110, "x"), False),
        ((297, 307, 110, "x"), True), ((297.2, 307.2, 110, "x"), False),
    ],
)  # fmt: skip
def test_the_lines_of_a_grid_stand_inside_it(piece: Piece, inside: bool) -> None:
    box = ((100, 100, 300, 100), (100, 150, 300, 150), (100, 100, 100, 150), (300, 100, 300, 150))
    assert ruled([*PAIRS, piece], *box)[0][2] == (5 if inside else 4)


def aligned(pieces: Sequence[Piece], pitch: float = 1.2) -> list[list[str]]:
    profile = PROFILE.model_copy(update={"body_pitch": pitch})
    page = view(pieces)
    return [texts(r.lines) for r in aligned_regions(page, NO_RULES, profile, HeadingJudge(profile, 1))]


def three(y: float) -> list[Piece]:
    return [(100, 150, y, "boat"), (250, 270, y, "12"), (350, 370, y, "14")]


@pytest.mark.parametrize(
    ("pitch", "step", "one"), [(1.2, 35.9, True), (1.2, 36.1, False), (1.0, 32.9, True), (1.0, 33.1, False)]
)
def test_how_far_rows_stand_apart(pitch: float, step: float, one: bool) -> None:
    found = aligned([*three(100), *three(114), *three(114 + step), *three(128 + step)], pitch)
    assert list(map(len, found)) == ([12] if one else [6, 6])


@pytest.mark.parametrize(
    ("x0", "x1", "step", "one"),
    [
        (250, 270, 17, True), (250, 270, 17.1, False),  # a further line of the second cell
        (235, 280, 12, True), (234.9, 280, 12, False), (250, 350, 12, True), (250, 351, 12, False),
        (100, 160, 24, True), (100, 160, 24.1, False),  # a label in the first column
        (100, 250, 14, True), (20, 160, 14, True), (100, 251, 14, False),
        (185, 285, 12, True), (201, 297, 12, False), (245, 251, 12, True),  # a title in the middle (235)
        (235, 335, 12, True), (128, 342, 16.9, True), (128, 342, 17.1, False),
        (127, 343, 12, False), (141.4, 355, 12, True), (142.6, 355.4, 12, False),
    ],
)  # fmt: skip
def test_a_line_of_its_own_between_rows(x0: float, x1: float, step: float, one: bool) -> None:
    alone: Piece = (x0, x1, 114 + step, "some words")
    found = aligned([*three(100), *three(114), alone, *three(128 + step), *three(142 + step)])
    assert list(map(len, found)) == ([13] if one else [6, 6])


@pytest.mark.parametrize(("count", "one"), [(119, True), (120, False)])
def test_a_label_of_its_own_row_is_short(count: int, one: bool) -> None:
    found = aligned([*three(100), *three(114), (100, 240, 128, "w" * count), *three(142), *three(156)])
    assert list(map(len, found)) == ([13] if one else [6, 6])


@pytest.mark.parametrize(
    ("last", "kept"),
    [
        ((100, 150, 142, "w" * 40), True), ((100, 150, 142, "w" * 41), False), ((250, 270, 140, "w" * 41), True),
        ((251.9, 270, 140, "w" * 41), True), ((252, 270, 140, "w" * 41), False),
    ],
)  # fmt: skip
def test_a_label_at_the_end_of_the_page_stays(last: Piece, kept: bool) -> None:
    found = aligned([*three(100), *three(114), *three(128), last])
    assert list(map(len, found)) == [10 if kept else 9]


@pytest.mark.parametrize(("apart", "found"), [(3, True), (4, False)])
def test_seven_tenths_of_the_cells_line_up(apart: int, found: bool) -> None:
    pieces: list[Piece] = []
    for n in range(10):  # ten later cells, of which `apart` share no edge or middle
        x = 250.0 if n >= apart else 400 + 50 * n
        pieces += [(100, 150, 100 + 14 * n, "boat"), (x, x + 20, 100 + 14 * n, "12")]
    assert bool(aligned(pieces)) is found


def columns(found: Sequence[Line], **more: object) -> list[tuple[float, float]]:
    made = around(found, **more)
    return [(round(a, 2), round(b, 2)) for a, b in find_columns(found, made)]


@pytest.mark.parametrize(
    ("gap", "edges"), [(3, [(99, 151.5), (151.5, 201)]), (2.9, [(99, 201)]), (20, [(99, 160), (160, 201)])]
)
def test_gutters_are_three_points_wide(gap: float, edges: list[tuple[float, float]]) -> None:
    rows = lines(*[piece for y in (100, 114) for piece in ((100, 150, y, "a"), (150 + gap, 200, y, "b"))])
    assert columns(rows) == edges


@pytest.mark.parametrize(
    ("rows", "crossed", "count"),
    [
        (5, [4], 2), (5, [3, 4], 1), (4, [3], 1), (10, [8, 9], 2), (10, [7, 8, 9], 1),
        (3, [0], 2), (2, [0], 1), (5, [0, 1], 2), (4, [0, 1], 1),
    ],
)  # fmt: skip
def test_how_many_rows_may_cross_a_gutter(rows: int, crossed: list[int], count: int) -> None:
    pieces: list[Piece] = []
    for n in range(rows):
        y = 100 + 14 * n
        pieces += [(100, 200, y, "title")] if n in crossed else [(100, 140, y, "a"), (160, 200, y, "b")]
    assert len(columns(lines(*pieces))) == count


@pytest.mark.parametrize(
    ("x", "y1", "kind", "count"),
    [
        (150, 120, "grid", 2), (150, 111.9, "rules", 1), (150, 112.1, "rules", 2), (103, 124, "grid", 1),
        (120, 124, "grid", 2), (196.9, 124, "grid", 1),
    ],
)  # fmt: skip
def test_rules_between_columns(x: float, y1: float, kind: str, count: int) -> None:
    rows = lines((100, 120, 100, "a"), (120, 200, 100, "b"), (100, 120, 114, "a"), (120, 200, 114, "b"))
    assert len(columns(rows, kind=kind, down=[(x, 100, y1)])) == count


@pytest.mark.parametrize(("ys", "count"), [((100, 112, 128, 140), 2), ((100, 128), 3), ((100, 112, 128), 3)])
def test_a_gap_in_cells_of_several_lines_that_rules_part_divides_nothing(ys: Sequence[float], count: int) -> None:
    rows = lines(*[p for y in ys for p in ((100, 140, y, "a"), (160, 190, y, "b"), (200, 250, y, "c"))])
    assert len(columns(rows, kind="grid", down=[(195, 100, 150)], across=[(124, 100, 250)])) == count


def test_a_rule_in_a_gutter_is_the_edge() -> None:
    rows = lines(*[piece for y in (100, 114) for piece in ((100, 140, y, "a"), (160, 200, y, "b"))])
    assert columns(rows, kind="rules", down=[(152.9, 100, 124)]) == [(99, 152.9), (152.9, 201)]
    assert columns(rows, kind="grid", down=[(145, 100, 124), (149, 100, 124)]) == [(99, 147), (147, 201)]


def test_signs_join_the_numbers_beside_them_below_their_headers() -> None:
    rows = [
        [(100, 140, "a"), (180, 185, "$"), (200, 220, "5"), (230, 236, "%")],
        [(100, 140, "b"), (180, 185, "$"), (200, 220, "6"), (230, 236, "%")],
    ]
    signs = lines(*[(x0, x1, 100 + 14 * n, t) for n, row in enumerate(rows) for x0, x1, t in row])
    assert columns(signs) == [(99, 160), (160, 237)]
    named = lines(
        *[(180, 186, 86, "x")], *[(x0, x1, 100 + 14 * n, t) for n, row in enumerate(rows) for x0, x1, t in row]
    )
    assert columns(named) == [(99, 160), (160, 237)]  # a word above the signs, none below
    below = lines(*[(x0, x1, 100 + 14 * n, t) for n, row in enumerate(rows) for x0, x1, t in row], (180, 186, 128, "x"))
    assert columns(below) == [(99, 160), (160, 193), (193, 237)]


@pytest.mark.parametrize(
    ("across", "bands", "expected"),
    [
        ([(10, 0, 40)], [], [10]),
        ([(10, 0, 39.9)], [], []),
        ([(10, 0, 20), (12, 50, 70)], [], [10]),
        ([(10, 0, 20), (12.1, 50, 70)], [], []),
        ([(10, -50, 39.9)], [], []),
        ([(10, 60.1, 200)], [], []),
        ([(30, 0, 100), (10, 0, 100)], [20], [10, 20, 30]),
        ([(10, 0, 100)], [13], [10]),
        ([(10, 0, 100)], [13.1, 6.9], [6.9, 10, 13.1]),
    ],
)
def test_what_divides_rows(across: list[Segment], bands: list[float], expected: list[float]) -> None:
    assert dividers_of(region([], 0, 0, 100, 100, across=across, bands=bands)) == expected


TWO = [(99.0, 200.0), (200.0, 301.0)]
THREE = [(99.0, 200.0), (200.0, 300.0), (300.0, 401.0)]


@pytest.mark.parametrize(
    ("below", "expected"),
    [
        ((210, 250, 116, "words"), [["boat", "12 words"]]),
        ((210, 250, 116.1, "words"), [["boat", "12"], ["", "words"]]),
        ((100, 150, 113.5, "of oak"), [["boat of oak", "12"]]),
        ((100, 150, 113.6, "of oak"), [["boat", "12"], ["of oak", ""]]),
        ((100, 150, 112, "Of oak"), [["boat", "12"], ["Of oak", ""]]),
    ],
)
def test_a_line_goes_on_with_the_row_above(below: Piece, expected: list[list[str]]) -> None:
    found = lines((100, 150, 100, "boat"), (210, 250, 100, "12"), below)
    assert words(build_grid(found, TWO, around(found))) == expected


def test_a_line_below_an_empty_cell_is_a_row_of_its_own() -> None:
    found = lines((100, 150, 100, "boat"), (210, 250, 100, "12"), (310, 350, 112, "x"))
    assert words(build_grid(found, THREE, around(found))) == [["boat", "12", ""], ["", "", "x"]]


@pytest.mark.parametrize(
    ("x0", "x1", "expected"),
    [
        (167, 217, [("head", 1, 2), ("", 1, 1)]), (165.9, 199, [("head", 1, 1), ("", 1, 1), ("", 1, 1)]),
        (184, 234, [("", 1, 1), ("head", 1, 1), ("", 1, 1)]), (182, 234, [("head", 1, 2), ("", 1, 1)]),
        (150, 202, [("head", 1, 1), ("", 1, 1), ("", 1, 1)]), (150, 202.1, [("head", 1, 2), ("", 1, 1)]),
        (110, 390, [("", 1, 1), ("head", 1, 2)]), (100, 350, [("head", 1, 3)]),
    ],
)  # fmt: skip
def test_the_columns_that_words_span(x0: float, x1: float, expected: list[tuple[str, int, int]]) -> None:
    found = lines((x0, x1, 100, "head"), (100, 150, 130, "a"), (210, 250, 130, "b"), (310, 350, 130, "c"))
    assert shape(build_grid(found, THREE, around(found)))[0] == expected


def band(*rows: Sequence[str], bands: int = 3) -> list[list[str]]:
    """The rows of the first of `bands` bands, which rules divide."""
    height = 14 * len(rows) + 6
    pieces: list[Piece] = []
    for at, cells in itertools.product(range(bands), rows):
        y = 103 + height * at + 14 * rows.index(cells)
        own = [cells[0] and cells[0] + "*" * at, *cells[1:]]
        pieces += [(100 * (c + 1) + 2, 100 * (c + 1) + 60, y, cell) for c, cell in enumerate(own) if cell]
    found = lines(*pieces)
    across = [(100 + height * n, 99.0, 401.0) for n in range(bands + 1)]
    grid = build_grid(found, THREE, region(found, 99, 100, 401, 100 + height * bands, across=across))
    return words(grid)[: len(grid.rows) // bands]


def test_lines_that_say_the_same_in_one_column_are_rows() -> None:
    models = [["cl", "lm", "vcov"], ["pl", "lm", "gee"], ["pc", "lm", "sand"]]
    assert band(*models) == models
    assert band(*models[:2]) == [["cl pl", "lm lm", "vcov gee"]]
    assert len(band(*models[:2], ["pc", "", "sand"])) == 1


def test_rows_of_one_band_are_rows_of_the_others() -> None:
    def rows_of(*second: Sequence[str]) -> int:
        rows = [["cl", "lm", "vcov"], ["pl", "lm", "gee"], ["pc", "lm", "sand"], *second, ["Last", "1", "2"]]
        tops = [103 + 14 * n + 6 * ((n > 2) + (n > 4)) for n in range(len(rows))]
        found = lines(
            *[
                (100 * (c + 1) + 2, 100 * (c + 1) + 60, y, cell)
                for y, row in zip(tops, rows, strict=True)
                for c, cell in enumerate(row)
                if cell
            ]
        )
        across = [(y, 99.0, 401.0) for y in (100, 146, 180, 200)]
        return len(build_grid(found, THREE, region(found, 99, 100, 401, 200, across=across)).rows)

    assert rows_of(["random", "glmer", "vcov"], ["gee", "geeglm", "beta"]) == 6
    assert rows_of(["random", "glmer", "vcov"], ["gee", "", "beta"]) == 5


def test_the_lines_between_two_rules() -> None:
    said = [["Oak", "Of the", "x"], ["Elm", "sea", "y"], ["Ash", "And air", "z"]]
    joined_up = [["Oak Elm Ash", "Of the sea And air", "x y z"]]
    assert band(*said) == joined_up
    assert band(*said, bands=2) == said
    even = [["Oak", "Of the", "X"], ["Elm", "Sea", "Y"], ["Ash", "And air", "Z"]]
    assert band(*even) == even  # cells that wrap are seldom of equal height
    assert band(["Oak", "Of the", ""], ["Elm", "Sea", "Y"]) == [["Oak Elm", "Of the Sea", "Y"]]
    assert band(["Oak", "1", "x"], ["Elm", "2", "y"], ["Ash", "3", "z"]) == [
        ["Oak", "1", "x"],
        ["Elm", "2", "y"],
        ["Ash", "3", "z"],
    ]
    assert len(band(["Oak", "1", "x"], ["Elm", "2", "y"], ["Ash", "b", "z"])) == 3
    assert len(band(["Oak", "1", "x"], ["Elm", "b", "2"], ["Ash", "b", "z"])) == 1  # no column with two
    assert len(band(["Oak", "1 x 1", "y2"], ["Elm", "2 x 1", "y3"], ["Ash", "3 x 1", ""])) == 1  # no figures
    assert len(band(["Oak", "1", "2"], ["Elm", "2", "3"])) == 2
    assert len(band(["Oak", "1", "x"], ["", "2", ""])) == 1  # a second cell with nothing beside it
    assert len(band(*[[f"A{n}", f"B{n}", f"c{n}"] for n in range(7)])) == 1
    assert len(band(*[[f"A{n}", f"B{n}", "c"] for n in range(8)])) == 8
    assert len(band(["Oak", "1", "2"], ["Elm", "3", "4"], ["Ash", "5", "6"], ["Fir", "", ""], ["Yew", "", ""])) == 5
    assert len(band(["Oak", "1", "2"], ["Elm", "3", "4"], ["Ash", "", ""], ["Fir", "", ""])) == 4


def test_lines_of_one_cell_are_as_far_apart_as_those_of_the_text() -> None:
    rows = [
        piece
        for y in (100, 150, 200)
        for piece in ((100, 150, y, "Oak"), (200, 400, y + 2, "Along"), (200, 400, y + 20, "Roads"))
    ]
    loose = PROFILE.model_copy(update={"body_pitch": 1.75})
    assert [len(found.lines) for found in aligned_regions(view(rows), NO_RULES, loose, JUDGE)] == [9]
    assert aligned_regions(view(rows), NO_RULES, PROFILE, JUDGE) == []


def lattice(
    found: Sequence[Line], columns: Sequence[tuple[float, float]], across: Sequence[Segment], down: Sequence[Segment],
    bands: Sequence[float] = (),
) -> list[list[tuple[str, int, int]]]:  # fmt: skip
    levels, edges = [y for y, _, _ in across], [x for x, _, _ in down]
    made = region(
        found, min(edges), min(levels), max(edges), max(levels), kind="grid", across=across, down=down, bands=bands
    )
    return shape(build_lattice(found, columns, made))


FOUR = lines((110, 150, 105, "a"), (210, 250, 105, "b"), (110, 150, 125, "c"), (210, 250, 125, "d"))
OUTER: list[Segment] = [(100, 100, 140), (300, 100, 140)]
HALVES = [(99.0, 200.0), (200.0, 301.0)]
APART = [[("a", 1, 1), ("b", 1, 1)], [("c", 1, 1), ("d", 1, 1)]]


def three_rules(x0: float = 100, x1: float = 300, y: float = 120) -> list[Segment]:
    return [(100, 100, 300), (y, x0, x1), (140, 100, 300)]


@pytest.mark.parametrize(
    ("across", "down", "bands", "texts_there", "expected"),
    [
        (three_rules(), [*OUTER, (200, 100, 140)], [], "abcd", APART),
        (three_rules(x1=249.9), [*OUTER, (200, 100, 140)], [], "abc", [[("a", 1, 1), ("b", 2, 1)], [("c", 1, 1)]]),
        (three_rules(x1=250), [*OUTER, (200, 100, 140)], [], "abc", [[("a", 1, 1), ("b", 1, 1)], [("c", 1, 1),
         ("", 1, 1)]]),
        (three_rules(x0=150.1), [*OUTER, (200, 100, 140)], [], "abd", [[("a", 2, 1), ("b", 1, 1)], [("d", 1, 1)]]),
        (three_rules(x0=150), [*OUTER, (200, 100, 140)], [], "abd", [[("a", 1, 1), ("b", 1, 1)], [("", 1, 1),
         ("d", 1, 1)]]),
        # shaded rows wall off their whole width, within three points of the rule; not what a rule leaves out
        (three_rules(x1=199.9), [*OUTER, (200, 100, 140)], [123], "abc", [[("a", 1, 1), ("b", 1, 1)],
         [("c", 1, 1), ("", 1, 1)]]),
        (three_rules(x1=249.9), [*OUTER, (200, 100, 140)], [123], "abc", [[("a", 1, 1), ("b", 2, 1)], [("c", 1, 1)]]),
        ([(100, 100, 300), (140, 100, 300)], [*OUTER, (200, 100, 140)], [120], "abcd", APART),
        # an upright rule on part of a row, where nothing stands beside
        (three_rules(), [*OUTER, (200, 100, 129.9)], [], "abc", [[("a", 1, 1), ("b", 1, 1)], [("c", 1, 2)]]),
        (three_rules(), [*OUTER, (203, 100, 140)], [], "abcd", APART),
    ],
)  # fmt: skip
def test_walls(
    across: list[Segment], down: list[Segment], bands: list[float], texts_there: str,
    expected: list[list[tuple[str, int, int]]],
) -> None:  # fmt: skip
    found = [line for line in FOUR if line.text in texts_there]
    assert lattice(found, HALVES, across, down, bands) == expected


@pytest.mark.parametrize(("bottom", "span"), [(110, 1), (109.9, 2)])
def test_an_upright_wall_covers_half_of_the_row(bottom: float, span: int) -> None:
    found = lines(
        (110, 150, 105, "a"), (110, 150, 125, "c"), (210, 250, 125, "d"), (310, 350, 105, "e"), (310, 350, 125, "f")
    )
    down = [(100, 100, 140), (200, 100, bottom), (200, 120, 140), (300, 100, 140), (400, 100, 140)]
    rows = lattice(
        found, THREE, [(y, 100.0, 400.0) for y in (100, 120, 140)], [(float(x), float(a), float(b)) for x, a, b in down]
    )
    assert rows[0] == ([("a", 1, 2), ("e", 1, 1)] if span == 2 else [("a", 1, 1), ("", 1, 1), ("e", 1, 1)])


@pytest.mark.parametrize(("second", "rows"), [(122.9, 2), (123.1, 2), (123.9, 2)])
def test_double_rules_are_one(second: float, rows: int) -> None:
    across = [(100.0, 100.0, 300.0), (120.0, 100.0, 300.0), (second, 100.0, 300.0), (144.0, 100.0, 300.0)]
    found = lines((110, 150, 105, "a"), (210, 250, 105, "b"), (110, 150, 129, "c"), (210, 250, 129, "d"))
    grid = lattice(found, HALVES, across, [(100, 100, 144), (200, 100, 144), (300, 100, 144)])
    assert grid == APART
    assert len(grid) == rows


def test_rows_without_rules_between_them_are_parted_by_their_text() -> None:
    found = lines(
        (110, 150, 105, "Oak"), (210, 250, 105, "1"), (110, 150, 125, "Elm"), (210, 250, 125, "2"),
        (110, 150, 145, "Ash"), (210, 250, 145, "3"),
    )  # fmt: skip
    across = [(100.0, 100.0, 300.0), (160.0, 100.0, 300.0)]
    down = [(100.0, 100.0, 160.0), (200.0, 100.0, 160.0), (300.0, 100.0, 160.0)]
    rows = [[("Oak", 1, 1), ("1", 1, 1)], [("Elm", 1, 1), ("2", 1, 1)], [("Ash", 1, 1), ("3", 1, 1)]]
    assert lattice(found, HALVES, across, down) == rows


def body(x0: float = 100, x1: float = 350, top: float = 100) -> list[Piece]:
    return [
        (x, y, top + 14 * n, text)
        for n, cells in enumerate((("Oak", "1", "5"), ("Elm", "2", "6"), ("Ash", "3", "7")))
        for (x, y), text in zip(((x0, x0 + 40), (200, 230), (320, x1)), cells, strict=True)
    ]


def grown(*more: Piece, bold: bool = False) -> tuple[float, float, int]:
    found = lines(*body(), *more, bold=bold)
    made = region(found[:9], 100, 98, 350, 140, kind="rules")
    grow(made, found)
    assert len({line.order for line in made.lines}) == len(made.lines)
    return round(made.y0, 2), round(made.y1, 2), len(made.lines) - 9


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ([(100, 150, 77, "A"), (200, 240, 77, "B")], (77, 140, 2)),
        ([(100, 150, 76.9, "A"), (200, 240, 76.9, "B")], (98, 140, 0)),
        ([(100, 150, 151, "A"), (200, 240, 151, "B")], (98, 161, 2)),
        ([(100, 150, 151.1, "A"), (200, 240, 151.1, "B")], (98, 140, 0)),
        ([(200, 260, 145, "words")], (98, 155, 1)),
        ([(200, 260, 145.1, "words")], (98, 140, 0)),
        ([(202.9, 260, 144, "words")], (98, 154, 1)),
        ([(203, 260, 144, "words")], (98, 140, 0)),
        ([(100, 160, 144, "words")], (98, 140, 0)),  # below the first column a line begins something else
        ([(98, 150, 80, "A"), (200, 240, 80, "B")], (80, 140, 2)),
        ([(97.8, 150, 80, "A"), (200, 240, 80, "B")], (98, 140, 0)),
        ([(100, 150, 80, "A"), (320, 352, 80, "B")], (80, 140, 2)),
        ([(100, 150, 80, "A"), (320, 352.2, 80, "B")], (98, 140, 0)),
        ([(102.9, 150, 80, "A"), (202.9, 250, 80, "B")], (80, 140, 2)),
        ([(103, 150, 80, "A"), (203, 250, 80, "B")], (98, 140, 0)),
        ([(110, 142.9, 80, "A"), (180, 232.9, 80, "B")], (80, 140, 2)),
        ([(110, 143, 80, "A"), (180, 233, 80, "B")], (98, 140, 0)),
        ([(113, 132.8, 80, "A"), (210, 225.8, 80, "B")], (80, 140, 2)),  # by their middles
        ([(113, 133.2, 80, "A"), (210, 226.2, 80, "B")], (98, 140, 0)),
        ([(100, 150, 80, "A"), (210, 226.2, 80, "B")], (98, 140, 0)),  # one of two is not most
        ([(100, 150, 80, "A"), (210, 226.2, 80, "B"), (320, 350, 80, "C")], (80, 140, 3)),
        ([(100, 150, 80, "A"), (155, 190, 80, "B")], (98, 140, 0)),  # no cells side by side
        ([(100, 150, 80, "Table 3"), (200, 240, 80, "B")], (98, 140, 0)),
    ],
)  # fmt: skip
def test_rows_beyond_the_outer_rules(more: list[Piece], expected: tuple[float, float, int]) -> None:
    assert grown(*more) == expected


def test_four_header_rows_above_the_first_rule() -> None:
    above: list[Piece] = [
        piece for n in range(5) for piece in ((100, 150, 80 - 14 * n, "A"), (200, 240, 80 - 14 * n, "B"))
    ]
    assert grown(*above) == (38, 140, 8)
    below: list[Piece] = [
        piece for n in range(6) for piece in ((100, 150, 144 + 14 * n, "A"), (200, 240, 144 + 14 * n, "B"))
    ]
    assert grown(*below) == (98, 224, 12)


def test_bold_words_above_a_bold_row_head_it_wherever_they_stand() -> None:
    words_above: list[Piece] = [(115, 131, 80, "A"), (245, 290, 80, "B")]
    assert grown(*words_above, bold=True) == (80, 140, 2)
    assert grown(*words_above) == (98, 140, 0)
    assert grown((115, 131, 76.9, "A"), (245, 290, 76.9, "B"), bold=True) == (98, 140, 0)
    assert grown((115, 131, 80, "A"), bold=True) == (98, 140, 0)


def union(
    *between: Piece, x0: float = 100, x1: float = 350, top: float = 170, above: Kind = "rules", below: Kind = "rules"
) -> int:
    """How many lines the joined region holds; 0 where the two stay apart."""
    found = view([*body(), *between, *body(x0, x1, top)])
    first, second = around(found.lines[:9], kind=above), around(found.lines[-9:], kind=below)
    whole = joined(first, second, found, JUDGE)
    if whole is None:
        return 0
    assert (whole.x0, whole.y0) == (first.x0, first.y0)
    assert (whole.x1, whole.y1) == (max(first.x1, second.x1), second.y1)
    assert whole.kind == ("rules" if above == below == "rules" else "aligned")
    return len(whole.lines)


LABEL: Piece = (100, 150, 150, "Sloops:")


@pytest.mark.parametrize(
    ("between", "more", "count"),
    [
        ([LABEL], {}, 19), ([], {"top": 162}, 18), ([], {"top": 162.1}, 0),
        ([LABEL], {"top": 186}, 19), ([LABEL], {"top": 186.1}, 0),
        ([LABEL], {"x0": 120}, 19), ([LABEL], {"x0": 120.1}, 0),
        ([LABEL], {"x1": 362}, 19), ([LABEL], {"x1": 362.1}, 0), ([LABEL], {"x1": 338}, 19), ([LABEL],
         {"x1": 337.9}, 0),
        ([LABEL], {"below": "aligned"}, 19), ([LABEL], {"below": "grid"}, 0), ([LABEL], {"above": "grid"}, 0),
        ([(100, 150, 142 + 10 * n, "Sloops") for n in range(3)], {"top": 175}, 21),
        ([(100, 150, 140 + 10 * n, "Sloops") for n in range(4)], {"top": 185}, 0),
        ([(100, 150, 150, "w" * 80)], {}, 19), ([(100, 150, 150, "w" * 81)], {}, 0),
        ([(100, 200, 150, "Sloops")], {}, 19), ([(100, 200.1, 150, "Sloops")], {}, 0),
        ([(100, 190, 150, "Sloops:")], {}, 19), ([(210, 300, 150, "(in tons)")], {}, 19),
        ([(210, 300, 150, "in tons)")], {}, 0),
        ([(210, 300, 150, "(in tons")], {}, 0), ([(100, 150, 150, "Table 3: a")], {}, 0),
    ],
)  # fmt: skip
def test_parts_of_one_table(between: list[Piece], more: dict[str, Any], count: int) -> None:
    assert union(*between, **more) == count


def test_a_lower_part_with_a_header_is_a_table_of_its_own() -> None:
    second = [(100.0, 140.0, 170.0, "Tree"), (200.0, 230.0, 170.0, "Age"), (320.0, 350.0, 170.0, "Size")]
    found = view([*body(), LABEL, *second, *body(top=184)])
    assert joined(around(found.lines[:9]), around(found.lines[-12:]), found, JUDGE) is None


@pytest.mark.parametrize(("x1", "joins"), [(300, True), (299.8, False), (362, True), (362.1, False)])
def test_words_over_a_body_are_its_header_where_they_reach_over_most_of_it(x1: float, joins: bool) -> None:
    found = view([(200, 230, 150, "Age"), (270, x1, 150, "2025"), *body(top=164)])
    whole = joined(around(found.lines[:2]), around(found.lines[2:]), found, JUDGE)
    assert (whole is not None) is joins


@pytest.mark.parametrize(("rows", "joins"), [(4, True), (5, False)])
def test_a_header_apart_has_four_rows_at_most(rows: int, joins: bool) -> None:
    above = [
        piece for n in range(rows) for piece in ((200, 230, 150 - 14 * n, "Age"), (270, 350, 150 - 14 * n, "2025"))
    ]
    found = view([*reversed(above), *body(top=164)])
    whole = joined(around(found.lines[: 2 * rows]), around(found.lines[2 * rows :]), found, JUDGE)
    assert (whole is not None) is joins


def test_a_joined_table_keeps_the_rules_of_both_parts() -> None:
    found = view([*body(), LABEL, *body(top=170)])
    above = around(found.lines[:9], across=[(112, 100, 350)], down=[(170, 100, 138), (280, 100, 138)], bands=[100])
    below = around(found.lines[-9:], across=[(182, 100, 350)], down=[(170, 170, 208), (280, 170, 208)], bands=[200])
    whole = joined(above, below, found, JUDGE)
    assert whole
    assert whole.horizontal == [(112, 100, 350), (182, 100, 350)]
    assert whole.vertical == [(170, 100, 138), (170, 170, 208), (280, 100, 138), (280, 170, 208)]
    assert whole.bands == [100, 200]


PLACE = f"6 {100 / 1024:.2f} {500 / 1024:.2f}"  # 30 of 1024 points, in two-hundredths of the height


def test_rules_that_run_through_the_document_belong_to_no_table() -> None:
    one, other = rule(100, 30, 500, 30), rule(100, 150, 500, 150)
    profile = PROFILE.model_copy(update={"repeated_rules": [PLACE]})
    assert [round(y) for y, _, _ in page_rules(view([], [one, other]), profile)[0]] == [150]


@pytest.mark.parametrize(
    ("rows", "edge"),
    [
        ((("Oak", "1"), ("Elm", "2")), 200),
        ((("Oak", "1"),), None),
        ((("Oak", "x"), ("Elm", "2")), None),
        ((("Oak", "x"), ("Elm", "2"), ("Ash", "3")), 200),
        ((("Oak", "2025"), ("Elm", "2")), None),
        ((("1", "1"), ("2", "2")), None),
        ((("Oak", "1"), ("Elm", "2"), ("Ash", "3"), ("x", "y"), ("x", "y")), 200),  # three of five
        ((("Oak", "1"), ("Elm", "2"), ("x", "y"), ("x", "y")), None),  # two of four
    ],
)
def test_where_figures_begin(rows: tuple[tuple[str, str], ...], edge: float | None) -> None:
    found = lines(
        *[
            p
            for n, (a, b) in enumerate(rows)
            for p in ((100.0, 140.0, 100.0 + 14 * n, a), (200.0, 230.0, 100.0 + 14 * n, b))
        ]
    )
    assert figures_edge(found) == edge


def headed(*above: Piece, rules: Sequence[Segment] = ()) -> list[list[tuple[str, int, int]]]:
    """The header that grows over a body of figures in columns from 200 and 320."""
    found = lines(*above, *body(top=200))
    made = around(found[-9:])
    grow_header(made, found, rules)
    assert {line.text for line in made.lines} >= {"Oak", "Ash"}
    return [[(" ".join(texts(c.lines)), c.row_span, c.col_span) for c in row]
            for row in head_rows(made, [(99, 170), (170, 275), (275, 351)])]  # fmt: skip


PLAIN = [[("", 1, 1), ("Age", 1, 1), ("Size", 1, 1)]]


@pytest.mark.parametrize(
    ("above", "rules", "expected"),
    [
        ([(200, 230, 185, "Age"), (320, 350, 185, "Size")], [], PLAIN),
        ([(200, 230, 174, "Age"), (320, 350, 174, "Size")], [], PLAIN),
        ([(200, 230, 173.9, "Age"), (320, 350, 173.9, "Size")], [], []),
        ([(188, 230, 185, "Age"), (320, 350, 185, "Size")], [], PLAIN),
        ([(150, 230, 185, "Age"), (320, 350, 185, "Size")], [], PLAIN),  # words wider than figures, right of labels
        ([(139.9, 230, 185, "Age"), (320, 350, 185, "Size")], [], []),
        ([(200, 230, 185, "Age"), (320, 362, 185, "Size")], [], PLAIN),
        ([(200, 230, 185, "Age"), (320, 362.1, 185, "Size")], [], []),
        ([(200, 230, 185, "Age"), (320, 350, 185, "12")], [], []),
        ([(200, 230, 185, "Age"), (320, 350, 185, "x" * 61)], [], []),
        ([(200, 230, 185, "(tons)")], [], []),  # a unit alone heads nothing
        ([(200, 230, 185, "Age")], [], []),
        ([(200, 350, 185, "Age")], [(195, 200, 350)], [[("", 1, 1), ("Age", 1, 2)]]),
        ([(250, 290, 185, "Age")], [(201, 200, 350)], [[("", 1, 1), ("Age", 1, 2)]]),
        ([(250, 290, 185, "Age")], [(201.1, 200, 350)], []),
        ([(250, 290, 185, "Age")], [(193, 200, 350)], [[("", 1, 1), ("Age", 1, 2)]]),
        ([(250, 290, 185, "Age")], [(192.9, 200, 350)], []),
        ([(250, 290, 185, "Age")], [(196, 188, 350)], [[("", 1, 1), ("Age", 1, 2)]]),
        ([(250, 290, 185, "Age")], [(196, 187.9, 350)], []),
        ([(250, 290, 185, "Age")], [(196, 252, 350)], [[("", 1, 1), ("", 1, 1), ("Age", 1, 1)]]),
        ([(250, 290, 185, "Age")], [(196, 252.1, 350)], []),
        ([(250, 290, 185, "Age")], [(196, 200, 288)], [[("", 1, 1), ("Age", 1, 1), ("", 1, 1)]]),
        ([(250, 290, 185, "Age")], [(196, 200, 287.9)], []),
        ([(200, 230, 170, "Age"), (320, 350, 170, "Size"), (100, 150, 185, "Boats")], [], PLAIN),
        ([(200, 230, 170, "Age"), (320, 350, 170, "Size"), (100, 171, 185, "Boats"), ], [], PLAIN),
        ([(200, 230, 170, "Age"), (320, 350, 170, "Size"), (100, 201, 185, "Boats"), ], [], []),
        ([(200, 230, 171, "Old"), (320, 350, 171, "Big"), (200, 230, 185, "Age"), (320, 350, 185, "Size")], [],
         [[("", 1, 1), ("Old Age", 1, 1), ("Big Size", 1, 1)]]),
        ([(200, 230, 171, "Old"), (320, 350, 171, "Big"), (200, 230, 185, "Age"), (320, 350, 185, "Size")],
         [(183, 200, 230), (183, 320, 350)], [[("", 1, 1), ("Old", 1, 1), ("Big", 1, 1)], *PLAIN]),
        ([(200, 230, 170, "Old"), (200, 230, 185, "Age"), (320, 350, 185, "Size")], [],
         [[("", 1, 1), ("Old Age", 1, 1), ("Size", 1, 1)]]),
        ([(200, 230, 169.9, "Old"), (200, 230, 185, "Age"), (320, 350, 185, "Size")], [], PLAIN),
    ],
)  # fmt: skip
def test_the_header_over_figures(
    above: list[Piece], rules: list[Segment], expected: list[list[tuple[str, int, int]]]
) -> None:
    assert headed(*above, rules=rules) == expected


def test_a_header_over_figures_has_as_many_rows_as_are_stacked() -> None:
    stacked = [p for n in range(6) for p in ((200, 230, 185 - 12 * n, f"A{n}"), (320, 350, 185 - 12 * n, f"B{n}"))]
    names = [" ".join(f"{letter}{n}" for n in reversed(range(6))) for letter in "AB"]
    assert headed(*sorted(stacked, key=lambda piece: piece[2])) == [[("", 1, 1), *[(name, 1, 1) for name in names]]]


def head_count(
    rows: Sequence[Sequence[str]], *, kind: Kind = "aligned", across: Sequence[float] = (), bold: int = 0
) -> int:
    found: list[Line] = []
    for n, row in enumerate(rows):
        pieces = [(100.0 * (c + 1), 100.0 * (c + 1) + 60, 100.0 + 20 * n, text) for c, text in enumerate(row) if text]
        found += lines(*pieces, bold=n < bold)
    made = region(found, 99, 95, 401, 100 + 20 * len(rows), kind=kind, across=[(y, 99.0, 401.0) for y in across])
    return header_rows(build_grid(found, THREE, made), made, JUDGE)


OAKS = [["Oak", "1", "5"], ["Elm", "2", "6"], ["Ash", "3", "7"], ["Fir", "4", "8"], ["Yew", "5", "9"]]
SAID = [
    ["Oak", "tall", "old"],
    ["Elm", "x", "y"],
    ["Ash", "z", "u"],
    ["Fir", "v", "w"],
    ["Yew", "r", "s"],
    ["Box", "p", "q"],
]
TREE = ["Tree", "Age", "Size"]


@pytest.mark.parametrize(
    ("rows", "more", "count"),
    [
        ([TREE, *OAKS], {}, 1), ([["Tree", "", ""], *OAKS], {}, 0), ([["Tree", "1999", "2025"], *OAKS], {}, 1),
        ([["Tree", "1899", "2025"], *OAKS], {}, 0), ([["Tree", "2125", "x"], *OAKS], {}, 0), ([TREE], {}, 0),
        ([TREE, *OAKS[:3], *SAID[:2]], {}, 1), ([TREE, *OAKS[:2], *SAID[:2]], {}, 0),
        ([["Tree:", "x", "y"], ["Age:", "1", "2"], ["Size", "2", "3"], ["Use", "3", "4"]], {}, 0),
        ([["Tree:", "x", "y"], ["Age", "1", "2"], ["Size", "2", "3"], ["Use", "3", "4"]], {}, 1),
        ([["No", "Tree", "Use"], ["1", "Oak", "old"], ["2", "Elm", "new"]], {}, 0),
        (SAID, {}, 0), (SAID, {"kind": "rules"}, 1), (SAID[:3], {"kind": "rules"}, 1), (SAID[:2], {"kind": "rules"}, 0),
        ([["Oak", "t4ll", "old"], *SAID], {"kind": "rules"}, 0), ([["Oak", "", "old"], *SAID], {"kind": "rules"}, 0),
        ([["x" * 40, "a", "b"], *SAID], {"kind": "rules"}, 1), ([["x" * 41, "a", "b"], *SAID], {"kind": "rules"}, 0),
        (SAID, {"across": [117]}, 1), (SAID, {"across": [137]}, 2), (SAID, {"across": [117, 157]}, 1),
        (SAID, {"across": [117, 157, 177]}, 0), (SAID, {"across": [96]}, 0),
        ([["x" * 60, "a", "b"], *SAID], {"across": [117]}, 1), ([["x" * 61, "a", "b"], *SAID], {"across": [117]}, 0),
        ([["1", "2", "a"], *SAID], {"across": [117]}, 0), ([["1", "b", "a"], *SAID], {"across": [117]}, 1),
        ([["1", "b"], *SAID], {"across": [117]}, 1),
        ([*SAID, *SAID], {"across": [217]}, 6), ([*SAID, *SAID], {"across": [237]}, 0),
        (SAID, {"bold": 1}, 1), (SAID, {"bold": 5}, 5), (SAID, {"bold": 6}, 0),
        ([*SAID, *SAID], {"bold": 6}, 6), ([*SAID, *SAID], {"bold": 7}, 0),
        ([SAID[0], ["", "(tons)", ""], *SAID[1:]], {"bold": 1}, 2), ([SAID[0], ["", "tons", ""], *SAID[1:]],
         {"bold": 1}, 1),
        ([SAID[0], ["", "(tons)", "x"], *SAID[1:]], {"bold": 1}, 1),
    ],
)  # fmt: skip
def test_how_many_rows_are_the_header(rows: list[list[str]], more: dict[str, Any], count: int) -> None:
    assert head_count(rows, **more) == count
