"""Tables as reports, registers and statements set them: cells with a frame each, rules in pieces, colours of a column,
labels over several columns, bookings of several lines."""

from typing import Any

import pytest

from shared.domain.geometry import Rect
from shared.domain.page import PageImage
from tests.unit.test_table_places import Page

LARGE: dict[str, Any] = {"font": "Sans", "size": 16.0}
AT = (60.0, 200.0, 300.0, 400.0)


def cells(gap: float = 3.0, tall: bool = True) -> Page:
    """Cells with a frame each and white between; the last of the second row, if `tall`, reaches over two rows."""
    page, ys = Page(), (100.0, 130.0, 160.0)
    for n, y in enumerate(ys):
        for c, (x0, x1) in enumerate(((50, 150), (150, 250), (250, 450))):
            if tall and c == 2 and n == 2:
                continue
            left, low = x0 + (gap if c else 0), y + 30 - gap + (30 if tall and c == 2 and n == 1 else 0)
            page.rule(left, y, x1, y).rule(left, low, x1, low).rule(left, y, left, low).rule(x1, y, x1, low)
    page.row(108, "Field", "Type", "What it says", at=(60, 160, 260))
    page.row(138, "Name", "Text", "A name is what", at=(60, 160, 260)).row(168, "Code", "Number", at=(60, 160))
    return page.text(260, 152, "all others call it")


@pytest.mark.parametrize("gap", [2.0, 3.4, 3.9])
def test_cells_with_a_frame_each_are_one_table(gap: float) -> None:
    assert cells(gap).shapes == [
        [
            ["Field", "Type", "What it says"],
            ["Name", "Text", "A name is what all others call it/2/1"],
            ["Code", "Number"],
        ]
    ]


def test_frames_above_each_other_with_other_columns_are_two() -> None:
    page = Page().grid((100, 120, 140), (50, 150, 250)).rows(104, ("Elm", "12"), ("Ash", "45"), step=20, at=(60, 160))
    page.grid((145, 165, 185), (50, 100, 250)).rows(149, ("Oak", "31"), ("Yew", "9"), step=20, at=(60, 110))
    assert len(page.shapes) == 2


def test_a_bar_beside_a_table_is_no_side_of_a_cell() -> None:
    page = Page().grid((100, 130, 160), (50, 150, 250, 450)).rule(46.5, 100, 46.5, 160)
    page.rows(110, ("new", "Field", "Type", "What"), ("old", "Name", "Text", "A name"), step=30, at=(10, 60, 160, 260))
    assert page.shapes == [[["new", "Field", "Type", "What"], ["old", "Name", "Text", "A name"]]]


def in_pieces(width: float = 98.0) -> Page:
    """Rules in pieces, two points apart, above and below the rows of a statement, the label of one of two lines."""
    page = Page()
    for y in (100, 118, 154, 172):
        x = 50.0
        while x < 450:
            page.rule(x, y, min(x + width, 450), y)
            x += width + 2
    page.row(104, "At first", "120", "31", "7", at=(60, 170, 270, 370))
    page.row(126, "Paid to owners", "", "(12)", "", at=(60, 170, 270, 370)).text(60, 138, "and to others")
    return page.row(158, "At last", "120", "19", "7", at=(60, 170, 270, 370))


def test_dashes_are_no_pieces_of_a_rule() -> None:
    assert not any(table.confidence > 0.93 for table in in_pieces(8.0).tables)


def test_the_last_row_in_colour_is_of_the_table_above() -> None:
    page = in_pieces()
    for n in range(4):
        page.rule(50 + 100 * n, 154.3, 148 + 100 * n, 171.7, fill=True)
    for x in (149, 249, 349):
        page.rule(x, 154.3, x, 171.7)
    assert [row[0] for row in page.shapes[0]] == ["At first", "Paid to owners and to others", "At last"]
    assert len(page.shapes) == 1


def coloured(labels: tuple[str, ...], values: tuple[str, ...]) -> Page:
    """Rows between two rules, of which only the cells of the last column have a colour each."""
    page = Page().rule(50, 100, 450, 100).rule(50, 120, 450, 120).rule(50, 180, 450, 180).rule(50, 200, 450, 200)
    page.row(105, "Profit", "12", "14", at=AT).row(185, "In all", "19", "17", at=AT)
    for n, (label, value) in enumerate(zip(labels, values, strict=True)):
        page.row(125 + 20 * n, label, value, value, at=AT)
    for y in (100, 120, 140, 160, 180):
        page.rule(280, y + 0.2, 290, y + 19.8, fill=True).rule(290, y + 0.2, 450, y + 19.8, fill=True)
    return page


def test_a_label_beside_rows_that_rules_part_stays_one() -> None:
    page = coloured(("Other income", "That will stay", "Of pensions"), ("", "", "7")).rule(280, 140, 450, 140)
    assert any("Other income That will stay" in row[0] for row in page.shapes[0])


def test_a_label_beside_a_text_in_each_colour_stays_one() -> None:
    page = coloured(("Income of the", "Group and of its", "Parts"), ("few", "more", "most"))
    assert any("Income of the" in row[0] and "Parts" in row[0] for row in page.shapes[0])


def bookings(gap: float = 12.0, second: str = "(29.11.14)", amount: str = "") -> Page:
    """Four bookings of a statement, each with a date of value below that of booking and further lines."""
    page = Page().rule(50, 80, 450, 80).row(84, "Date", "Purpose", "Amount", at=AT).rule(50, 98, 450, 98)
    y = 102.0
    for n in range(4):
        page.row(y, f"0{n + 1}.12.14", f"TRANSFER {n}", f"-{n},50", at=AT).row(
            y + 12, second, f"6284/{n}", amount, at=AT
        )
        page.text(200, y + 24, "See the letter")
        y += 34 + gap
    return page.rule(50, y, 450, y)


def test_a_booking_of_several_lines_is_a_row() -> None:
    (shape,) = bookings().shapes
    assert [row[0] for row in shape[1:]] == [f"0{n}.12.14 (29.11.14)" for n in (1, 2, 3, 4)]
    assert shape[1][1:3] == ["TRANSFER 0 6284/0 See the letter", "-0,50"]


def test_numbers_below_numbers_in_a_booking_are_rows() -> None:
    (shape,) = bookings(amount="1,250").shapes
    assert len(shape) > 5


def test_a_row_whose_cell_stands_in_the_middle_of_its_label_is_no_line_of_the_row_above() -> None:
    page = Page().rule(50, 80, 450, 80).row(84, "Net profit", "12", "31", at=AT)
    page.rule(50, 98, 450, 98).row(102, "Profit", "193", "193", at=AT)
    page.text(60, 118, "Other income").text(60, 128.5, "net of tax").row(123, "", "208", "214", at=AT)
    page.rule(50, 142, 450, 142).row(146, "In all", "401", "415", at=AT).rule(50, 160, 450, 160)
    assert page.shapes[0][1:3] == [["Profit", "193", "193"], ["Other income net of tax", "208", "214"]]


def in_drawing(caption: str) -> Page:
    page = Page().text(60, 80, caption)
    page.rule(50, 95, 350, 95).row(98, "Column", "Values", at=(60, 200)).rule(50, 110, 350, 110)
    page.rows(113, ("image", "3241"), ("title", "3311"), ("label", "1101"), at=(60, 200)).rule(50, 156, 350, 156)
    box = Rect(x=20 / 600, y=40 / 800, w=400 / 600, h=150 / 800)
    page.images = [PageImage(id="p1.i1", box=box, kind="vector")]
    return page


def test_a_table_with_its_caption_is_one_within_a_drawing() -> None:
    assert len(in_drawing("Table 1: Unique elements").shapes) == 1
    assert in_drawing("Elements of the parts").shapes == []


def test_a_text_in_the_colour_of_its_cell_divides_no_row() -> None:
    page = Page().grid((100, 140, 160, 180), (50, 150, 250, 450))
    for x0, x1 in ((50, 150), (150, 250), (250, 450)):
        page.rule(x0 + 1, 101, x1 - 1, 139, fill=True).rule(x0 + 4, 111, x1 - 4, 129, fill=True)
    page.row(115, "Name", "", "Description", at=(60, 160, 260)).text(160, 105, "Length/").text(160, 123, "Decimals")
    page.rows(145, ("Elm", "12", "A tree"), ("Ash", "45", "Another"), step=20, at=(60, 160, 260))
    assert page.shapes[0][0] == ["Name", "Length/ Decimals", "Description"]


def test_a_further_line_of_a_cell_in_large_type_is_no_title() -> None:
    page = Page().rule(50, 80, 450, 80).row(84, "name", "of the authors or the", **LARGE)
    page.text(200, 98, "document.", **LARGE).row(116, "place", "of the print", **LARGE).rule(50, 134, 450, 134)
    assert page.shapes == [[["name", "of the authors or the document."], ["place", "of the print"]]]


def test_a_line_in_large_type_below_first_cells_is_a_title() -> None:
    page = Page().rule(50, 80, 450, 80).row(84, "logo", "a picture", **LARGE).text(60, 114, "Of the print", **LARGE)
    assert page.row(144, "place", "a town", **LARGE).rule(50, 170, 450, 170).shapes == []


ADDRESSES = (("Seller", "Buyer"), ("Oak Ltd", "Elm and Sons"), ("Kacza 11/2", "ul. Wigury 16"),
             ("91-504 Lodz", "02-092 Warszawa"), ("Tel. none", "Tel. one"))  # fmt: skip


def test_a_list_of_addresses_is_one() -> None:
    listed = (("Oak Ltd", "91-504 Lodz"), ("Elm and Sons", "02-092 Warszawa"), ("Ash", "10-001 Olsztyn"))
    assert Page().rows(100, *listed, at=(60, 300)).shapes != []
    only = [(a, b if not b.startswith("02") else "no town") for a, b in ADDRESSES]
    assert Page().rows(100, *only, at=(60, 300)).shapes != []
    zones = (("Zone 1", "Zone 2"), ("10115 Berlin", "80331 Munich"), ("20095 Hamburg", "50667 Cologne"))
    assert Page().rows(100, *zones, at=(60, 300)).shapes != []


TOWNS = [
    ("91-504 Lodz", "02-092 Warszawa"),
    ("10115 Berlin", "D-80331 Munich"),
    ("Reno, NV 89501", "Austin, TX 78701"),
    ("London N1 9GU", "Leeds LS1 4AP"),
]


@pytest.mark.parametrize("towns", TOWNS)
def test_two_addresses_beside_each_other_are_no_table(towns: tuple[str, str]) -> None:
    rows = [towns if row[0].startswith("91") else row for row in ADDRESSES]
    assert Page().rows(100, *rows, at=(60, 300)).shapes == []
