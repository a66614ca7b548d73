"""A table's grid: drawn over the page, shown in its card, row and cell in step both ways."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener
from tests.browser.gestures import open_inspector, rect, violations
from tests.browser.sample import Json, Sample

pytestmark = pytest.mark.browser


def table_of(sample: Sample) -> tuple[Json, Json]:
    """The page with most rows, and the table on it that has a header and most rows."""
    view = sample.with_rows
    tables = [c for c in view["items"] if c["table"] and c["table"]["header_rows"]]
    return view, max(tables, key=lambda chunk: len(chunk["table"]["rows"]))


def open_table(open_page: Opener, sample: Sample, width: int = 1440) -> tuple[Page, Json]:
    view, chunk = table_of(sample)
    page = open_inspector(open_page(sample.path(view, chunk["id"]), width=width))
    return page, chunk["table"]


def test_a_pinned_table_shows_every_cell_in_its_card_and_lines_over_the_page(open_page: Opener, sample: Sample) -> None:
    page, table = open_table(open_page, sample)
    texts = [cell["text"] for row in table["rows"] for cell in row]
    assert page.locator(".grid [data-cell]").all_inner_texts() == texts
    expect(page.locator(".cell-line")).not_to_have_count(0)
    expect(page.locator(".grid thead tr")).to_have_count(table["header_rows"])
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.locator(".cell-line")).to_have_count(0)


def test_pointing_at_a_cell_marks_cell_and_row_on_the_other_side(open_page: Opener, sample: Sample) -> None:
    page, table = open_table(open_page, sample)
    key = f"{table['header_rows']}:1"
    page.locator(f'.grid [data-cell="{key}"]').hover()
    line = page.locator(f'.cell-line[data-cell="{key}"]')
    expect(line).to_have_class(re.compile(r"\bhere\b"))
    assert page.locator(".cell-line.in-row").count() >= 2
    page.mouse.move(5, 5)
    expect(page.locator(".cell-line.here")).to_have_count(0)
    box = rect(line)
    page.mouse.move(box["x"] + box["width"] / 2 + 2, box["y"] + box["height"] / 2)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(f'.grid [data-cell="{key}"]')).to_have_class(re.compile(r"\bhere\b"))


def test_arrows_walk_the_cells_and_leave_the_chunk_pinned(open_page: Opener, sample: Sample) -> None:
    page, table = open_table(open_page, sample)
    address = page.url
    first = table["header_rows"]
    page.locator(f'.grid [data-cell="{first}:0"]').focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(f'.grid [data-cell="{first}:1"]')).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(f'.grid [data-cell="{first + 1}:1"]')).to_be_focused()
    expect(page.locator(f'.cell-line[data-cell="{first + 1}:1"]')).to_have_class(re.compile(r"\bhere\b"))
    assert page.url == address


def test_a_pinned_row_shows_itself_below_its_header_and_the_whole_grid_on_the_page(
    open_page: Opener, sample: Sample
) -> None:
    view, chunk = table_of(sample)
    table = chunk["table"]
    row = next(c for c in view["items"] if c["table_id"] == table["id"] and c["row"] == table["header_rows"] + 1)
    page = open_inspector(open_page(sample.path(view, row["id"])))
    expect(page.locator(".grid tbody tr")).to_have_count(1)
    expect(page.locator(".grid thead tr")).to_have_count(table["header_rows"])
    drawn = {line.get_attribute("data-cell") for line in page.locator(".cell-line").all()}
    assert f"{table['header_rows']}:0" in drawn


def test_a_wide_table_scrolls_inside_its_card(open_page: Opener, sample: Sample) -> None:
    page, _ = open_table(open_page, sample, width=390)
    page.locator("#side-pane").click()
    expect(page.locator(".grid")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    inside = "document.querySelector('.grid-scroll').clientWidth <= document.querySelector('.card.pinned').clientWidth"
    assert page.evaluate(inside)
