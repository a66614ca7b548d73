"""Typed values of a pinned chunk, and where on the page they stand."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.gestures import card_of, open_inspector
from tests.browser.sample import Json, Sample

pytestmark = pytest.mark.browser


def attributed(sample: Sample) -> tuple[Json, Json]:
    view = sample.page(lambda view: sum(bool(item["attrs"]) for item in view["items"]))
    return view, next(item for item in view["items"] if item["attrs"])


def test_a_pinned_chunk_shows_each_value_as_printed_and_as_normalised(open_page: Opener, sample: Sample) -> None:
    view, chunk = attributed(sample)
    page = open_inspector(open_page(f"{sample.path(view)}&chunk={chunk['id']}"))
    rows = card_of(page, chunk["id"]).locator(".attr-row")
    values = [value for first in chunk["attrs"].values() for value in [first, *first.get("also", [])]]
    expect(rows).to_have_count(len(values))
    for value in values:
        expect(rows.filter(has_text=value["raw"]).first).to_be_visible()


def test_pointing_at_a_value_marks_on_the_page_what_it_was_read_from(open_page: Opener, sample: Sample) -> None:
    view, chunk = attributed(sample)
    page = open_inspector(open_page(f"{sample.path(view)}&chunk={chunk['id']}"))
    row = card_of(page, chunk["id"]).locator(".attr-row").first
    row.hover()
    expect(page.locator(".marks .mark").first).to_be_visible()
    page.locator("#tab-chunks").hover()
    expect(page.locator(".marks .mark")).to_have_count(0)
