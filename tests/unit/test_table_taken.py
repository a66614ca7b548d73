"""What a table does not take from another, and what others do not take from a table: headers, labels, rows."""

import pytest

from shared.extraction.tables.captions import captions_of
from tests.unit.test_table_places import BODY, Page

AT = (60.0, 300.0, 400.0)
YEARS = ("", "2022", "2023")


@pytest.mark.parametrize(("left", "found"), [(60, True), (45, True), (20, False)])
def test_a_header_is_above_a_label_that_the_rows_labels_are_set_in_below(left: float, found: bool) -> None:
    page = Page().row(100, *YEARS, at=(60, 330, 430), bold=True, size=8.0).text(left, 116, "North Europe", bold=True)
    page.rule(300, 111, 490, 111)
    shapes = page.rows(134, *((f"{a} in all", b, c) for a, b, c in BODY), at=AT).shapes
    assert (["North Europe", "", ""] in shapes[0]) is found


def twice(*second: str, bold: bool = True, at: tuple[float, ...] = AT, ruled: bool = True) -> Page:
    """Figures below names over rules, none over the labels; and again."""
    page = Page().row(100, *YEARS, at=AT, bold=True).rows(114, *BODY, at=AT)
    page.row(174, *second, at=at, bold=bold).rows(188, *BODY, at=AT)
    for y in (111, 185)[: 1 + ruled]:
        for x in AT[1:]:
            page.rule(x, y, x + 60, y)
    return page


@pytest.mark.parametrize(
    "page",
    [
        twice("", "2022", "2024"),
        twice(*YEARS, bold=False),
        twice(*YEARS, at=(60, 300, 404)),
        twice(*YEARS, ruled=False),
    ],
)
def test_other_names_go_on_with_the_table(page: Page) -> None:
    assert len(page.shapes) == 1


TERMS = tuple((f"log({name})", a, b) for name, a, b in BODY)


@pytest.mark.parametrize(("rows", "found"), [
    (TERMS, True), (tuple((a, f"{b};", c) for a, b, c in TERMS), False), (tuple(row[:2] for row in TERMS), False),
])  # fmt: skip
def test_terms_of_a_model_beside_numbers_are_no_listing(rows: tuple[tuple[str, ...], ...], found: bool) -> None:
    page = Page()
    for n, row in enumerate(rows):
        page.row(100 + 14 * n, *row, mono=True)
    assert (page.shapes != []) is found


def test_a_caption_ends_before_rows_of_cells() -> None:
    page = Page().text(60, 100, "Table 3: Birds seen in").text(60, 112, "the two years").rows(124, *BODY, step=12)
    assert [[line.text for line in found] for found in captions_of(page.view.lines)] == [
        ["Table 3: Birds seen in", "the two years"]
    ]
    page = Page().row(100, "Table 3:", "Birds seen in", at=(60, 120)).text(60, 112, "the two years")
    assert [len(found) for found in captions_of(page.view.lines)] == [3]
