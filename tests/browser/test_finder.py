"""The search field of every page: documents, sections and text, by keyboard alone."""

import re

import httpx
import pytest
from playwright.sync_api import expect

from tests.api.files import three_pages
from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations_in_both_themes
from tests.browser.sample import Sample, ingest

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("path", ["/", "/playground", "/settings/members"])
def test_the_finder_opens_on_every_page_and_closes_where_it_was(open_page: Opener, path: str) -> None:
    page = settle(open_page(path))
    page.keyboard.press("Control+k")
    expect(page.locator("#finder-input")).to_be_focused()
    page.locator("#finder-input").fill("quay")
    page.keyboard.press("Escape")
    expect(page.locator("#finder")).to_be_hidden()


def test_a_document_is_opened_by_its_name(open_page: Opener, sample: Sample) -> None:
    page = settle(open_page("/"))
    page.keyboard.press("Control+k")
    page.locator("#finder-input").fill(sample.document["name"])
    expect(page.get_by_role("group", name="Documents").get_by_role("option").first).to_contain_text(
        sample.document["name"]
    )
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/documents/"))


def test_a_section_is_opened_by_its_address(open_page: Opener, sample: Sample) -> None:
    page = settle(open_page("/"))
    page.keyboard.press("Control+k")
    address = sample.addressed["section_id"]
    page.locator("#finder-input").fill(address)
    section = page.get_by_role("group", name="Sections").get_by_role("option").first
    expect(section).to_contain_text(address)
    while section.get_attribute("aria-selected") != "true":
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"chunk="))


def test_axe_finds_nothing_in_the_finder(open_page: Opener, sample: Sample) -> None:
    page = settle(open_page("/"))
    page.keyboard.press("Control+k")
    page.locator("#finder-input").fill(sample.addressed["section_id"])
    expect(page.get_by_role("group", name="Text").get_by_role("option").first).to_be_visible()
    assert violations_in_both_themes(page) == []


def test_the_same_file_in_two_knowledge_bases_is_told_apart_by_their_names(
    open_page: Opener, api: httpx.Client
) -> None:
    made = [api.post("/v1/knowledge-bases", json={"name": name}).json() for name in ("Harbour shelf", "Airport shelf")]
    for base in made:
        ingest(api, base["id"], "twice.pdf", three_pages("quayside"))
    page = settle(open_page("/"))
    page.keyboard.press("Control+k")
    page.locator("#finder-input").fill("twice.pdf")
    notes = page.get_by_role("group", name="Documents").get_by_role("option").locator("small")
    expect(notes).to_have_text([re.compile("^Airport shelf · "), re.compile("^Harbour shelf · ")])
    page.locator("#finder-input").fill("quayside")
    found = page.get_by_role("group", name="Text").get_by_role("option").locator("small")
    expect(found.filter(has_text="Harbour shelf").first).to_be_visible()
    expect(found.filter(has_text="Airport shelf").first).to_be_visible()
    for base in made:
        api.delete(f"/v1/knowledge-bases/{base['id']}")
