"""Exact words in a document, the whole page at once, wide tables: what a reader does besides walking the chunks."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.gestures import open_inspector, rect, violations
from tests.browser.sample import Sample

pytestmark = pytest.mark.browser


def occurrences(sample: Sample, word: str) -> int:
    """How often the word stands in the document; what a table and its rows both hold counts once."""
    chunks = {item["id"]: item for view in sample.views for item in view["items"]}
    rows = {item["table_id"] for item in chunks.values() if item["chunk_type"] == "table_row"}
    texts = [c["content"] for c in chunks.values() if c["chunk_type"] != "table" or c["table_id"] not in rows]
    return sum(text.lower().count(word.lower()) for text in texts)


def rarest_word(sample: Sample) -> str:
    words = re.findall(r"[a-z]{7,}", " ".join(c["content"] for v in sample.views for c in v["items"]).lower())
    return next(word for word in sorted(set(words)) if occurrences(sample, word) in {2, 3, 4})


def test_exact_words_are_counted_and_walked_through_the_document(open_page: Opener, sample: Sample) -> None:
    word = rarest_word(sample)
    total = occurrences(sample, word)
    page = open_inspector(open_page(f"/documents/{sample.document['id']}?page=1"))
    page.keyboard.press("Control+f")
    page.keyboard.type(word.upper())
    expect(page.locator("#find-said")).to_have_text(f"1 of {total}")
    expect(page.locator(".card.pinned mark").first).to_have_text(re.compile(word, re.IGNORECASE))
    page.keyboard.press("Enter")
    expect(page.locator("#find-said")).to_have_text(f"2 of {total}")
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    expect(page.locator("#find-said")).to_have_text(f"{total} of {total}")
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.locator("#find-bar")).to_be_hidden()
    expect(page.locator(".card mark")).to_have_count(0)


def test_words_that_stand_nowhere_are_said_to_be_nowhere(open_page: Opener, sample: Sample) -> None:
    page = open_inspector(open_page(sample.path(sample.richest)))
    page.get_by_role("button", name="find", exact=True).click()
    page.keyboard.type("no (such* words")
    expect(page.locator("#find-said")).to_have_text("nothing found")
    expect(page.get_by_role("button", name="Next place")).to_be_disabled()


def test_a_whole_page_is_fitted_and_stays_so_on_the_next(open_page: Opener, sample: Sample) -> None:
    page = open_inspector(open_page(f"/documents/{sample.document['id']}?page=1"))
    assert rect(page.locator("#sheet"))["height"] > rect(page.locator("#stage"))["height"]
    page.keyboard.press("9")
    for _ in range(2):
        assert rect(page.locator("#sheet"))["height"] < rect(page.locator("#stage"))["height"]
        page.keyboard.press("n")
        open_inspector(page)
    page.keyboard.press("0")
    expect(page.get_by_role("button", name="width")).to_have_attribute("aria-pressed", "true")
    assert rect(page.locator("#sheet"))["height"] > rect(page.locator("#stage"))["height"]


def test_the_example_of_the_jump_box_is_an_address_of_this_document(open_page: Opener, sample: Sample) -> None:
    page = open_inspector(open_page(sample.path(sample.richest)))
    field = page.locator("#jump-input")
    expect(field).to_have_attribute("placeholder", re.compile(r"^Jump to \S+, a page, or text$"))
    example = str(field.get_attribute("placeholder")).split()[2].rstrip(",")
    field.fill(example)
    field.press("Enter")
    expect(page.locator(".card.pinned")).to_contain_text(example)


def test_a_wide_table_opens_as_wide_as_the_window(open_page: Opener, sample: Sample) -> None:
    view = sample.page(
        lambda view: sum(len(c["table"]["rows"][0]) >= 5 for c in view["items"] if c["chunk_type"] == "table")
    )
    table = next(c for c in view["items"] if c["chunk_type"] == "table" and len(c["table"]["rows"][0]) >= 5)
    page = open_inspector(open_page(sample.path(view, table["id"])))
    page.get_by_role("button", name="Open the table large").click()
    large = page.locator(".grid-dialog")
    expect(large.locator("tr")).to_have_count(len(table["table"]["rows"]))
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(large).to_have_count(0)
