"""Terms with what they mean beside them, in the measure of the text around, are no table; numbers and headers are."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.unit.test_table_places import Page

# Texts of the right width at 5 points a letter: from 150 to 450.
FULL = "The resulting length is one less than that of the dimension."
SHORT = "It is left out."
AROUND = ("A text that is as wide as all of the page, and that is set above and below it.", "It ends here.")


@dataclass(frozen=True)
class Item:
    """A term and the lines of its text."""

    term: str
    texts: tuple[str, ...]


ITEMS = (Item("cum", (FULL, SHORT)), Item("psum", (FULL, SHORT)), Item("dif", (SHORT,)))


def listed(page: Page, items: tuple[Item, ...] = ITEMS, y: float = 200, x: float = 60, inner: float = 150) -> Page:
    for item in items:
        page.text(x, y, item.term)
        for n, text in enumerate(item.texts):
            page.text(150 if n else inner, y, text)
            y += 14
        y += 0 if item.texts else 14
        y += 8
    return page


def around(lines: int = 2, width: int = 78, x: float = 60, **more: object) -> Page:
    page = Page()
    for n in range(lines):
        page.text(x, 100 + 12 * n, AROUND[0][:width], **more)
    return page.text(x, 100 + 12 * lines, AROUND[1], **more)


def test_terms_with_texts_to_where_the_text_ends_are_no_table() -> None:
    assert len(FULL) == 60
    assert len(AROUND[0]) == 78  # both end at 450
    assert listed(around()).shapes == []


@pytest.mark.parametrize(
    "page",
    [around(lines=0), around(lines=1), around(width=70), around(x=90), around(size=12.0), around(width=20, x=350)],
)
def test_without_text_around_that_ends_there_they_are_one(page: Page) -> None:
    assert listed(page).shapes != []


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ((ITEMS[0], *(Item(term, (SHORT,)) for term in ("psum", "dif", "zcen", "pcen"))), False),
        ((*ITEMS, Item("zcen", ("centre",)), Item("pcen", (SHORT,))), False),  # four of five
        ((*ITEMS, Item("zcen", ("centre",))), True),
        ((Item("Term", ("What it means",)), *ITEMS, *ITEMS), True),  # a header
        (tuple(Item(term, (". 1 . . " * 7 + ". 1.",)) for term in ("cum", "psum", "dif")), True),  # a matrix
        ((Item("sum", ()), *ITEMS, Item("rms", ())), False),  # two terms of one text; one whose text is on another page
        ((ITEMS[0], Item("psum", (FULL, "and so on")), ITEMS[2]), True),  # no sentence
        ((ITEMS[0], Item("1,024", (FULL, SHORT)), ITEMS[2]), True),  # a number
    ],
)
def test_most_texts_are_sentences(items: tuple[Item, ...], found: bool) -> None:
    assert (listed(around(), items).shapes != []) is found


@pytest.mark.parametrize(("font", "found"), [("Typed", False), ("Serif", True)])
def test_a_sign_in_a_type_of_its_own_is_a_term(font: str, found: bool) -> None:
    page = around()
    for n, term in enumerate(("n", "x", "*", "m", "k")):
        page.text(60, 200 + 36 * n, term, font=font)
        page.text(150, 200 + 36 * n, FULL).text(150, 214 + 36 * n, SHORT)
    assert (page.shapes != []) is found


def test_terms_or_texts_at_several_edges_are_cells() -> None:
    assert listed(listed(around(), ITEMS[:1]), ITEMS[1:], y=236, x=65).shapes != []
    assert listed(listed(around(), y=140), ITEMS[1:], y=248, inner=150).shapes == []
    assert listed(listed(around(), y=140), ITEMS[2:], y=248, inner=155).shapes != []


def test_a_column_too_narrow_for_running_text_is_one_of_a_table() -> None:
    narrow = tuple(Item(item.term, tuple(text[-25:] for text in item.texts)) for item in ITEMS)
    page = around()
    for n, item in enumerate(narrow):
        page.text(260, 200 + 36 * n, item.term)
        for m, text in enumerate(item.texts):
            page.text(325, 200 + 36 * n + 14 * m, text)
    assert page.shapes != []


def test_columns_below_rules_or_of_three_are_a_table() -> None:
    assert listed(around()).rule(60, 231, 450, 231).shapes != []
    page = around()
    for n in range(3):
        page.text(60, 200 + 22 * n, "cum").text(150, 200 + 22 * n, FULL[:30]).text(320, 200 + 22 * n, FULL[-26:])
    assert page.shapes != []


SENTENCES = (Item("cum", (SHORT,)), Item("psum", (SHORT,)), Item("dif", (SHORT,)))


@pytest.mark.parametrize(("x", "font", "found"), [(150, "Serif", False), (155, "Serif", True), (150, "Typed", True)])
def test_texts_may_go_on_to_the_edge_elsewhere_on_the_page(x: int, font: str, found: bool) -> None:
    page = listed(around(), SENTENCES).text(x, 500, FULL[: (450 - x) // 5], font=font)  # ends at 450
    assert (page.shapes != []) is found


MEANT = (Item("Input", ("the tag of its corners",)), Item("Output", ("none",)), Item("Return", ("how many there are",)))
LONG = "Language-specific definition"  # up to 200


def below(page: Page, term: str = LONG, x: float = 60, inner: float = 150, y: float = 266, step: float = 14) -> Page:
    return page.text(x, y, term).text(inner, y + step, "C, Python")


def above(page: Page, x: float = 60) -> Page:
    return page.text(x, 158, LONG).text(150, 172, "C, Python").text(150, 184, "and others")


@pytest.mark.parametrize("more", [{"term": "Language", "y": 290}, {"x": 70}, {"inner": 170}, {"step": 40}])
def test_a_line_that_is_no_such_term_leaves_the_table(more: dict[str, Any]) -> None:
    assert below(listed(Page(), MEANT), **more).shapes != []
    assert listed(above(Page(), x=70), MEANT).shapes != []


@pytest.mark.parametrize(
    "items",
    [
        tuple(Item(f"{item.term}:", item.texts) for item in MEANT),
        (Item("Input", ("Anna Berger",)), Item("Output", ("none",)), Item("Return", ("Berlin, 2 May 2010",))),
        (Item("Input", ("120.00 200.00 1 2 3",)), Item("Output", ("1,900",)), Item("Return", ("5 or 6 of 70 to 80",))),
    ],
)
def test_labels_with_a_colon_and_values_are_a_table_though_one_label_is_long(items: tuple[Item, ...]) -> None:
    assert below(listed(Page(), items)).shapes != []
    page = Page().text(60, 500, LONG, font="Typed").text(150, 514, "C, Python")
    for n, item in enumerate(items):
        page.text(60, 200 + 22 * n, item.term, font="Typed").text(150, 200 + 22 * n, item.texts[0])
    assert page.shapes != []


def test_a_text_in_another_type_or_a_term_alone_above_is_no_header() -> None:
    first = around().text(60, 186, "mean", font="Bold").text(150, 186, SHORT, font="Slanted")
    assert listed(first.text(150, 286, SHORT, font="Slanted"), ITEMS).shapes == []
    assert listed(around().text(60, 186, "mean", font="Bold")).shapes == []
