"""Versions on the shelf and the page on which two of them are read."""

import re

import httpx
import pytest
from playwright.sync_api import expect

from tests.api.files import three_pages
from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations, violations_in_both_themes
from tests.browser.sample import Json, ingest, read

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def shelf(api: httpx.Client) -> Json:
    """A knowledge base with two editions of some rules."""
    base = api.post("/v1/knowledge-bases", json={"name": "editions in the browser"}).json()
    old = ingest(api, base["id"], "rules 2025.pdf", three_pages("wing"))
    new = ingest(api, base["id"], "rules 2026.pdf", three_pages("fin"))
    return base | {"old": old, "new": new}


@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing_on_the_page_of_differences_and_it_fits(open_page: Opener, shelf: Json, width: int) -> None:
    page = settle(open_page(f"/documents/{shelf['old']}/diff/{shelf['new']}", width=width))
    expect(page.locator(".diff-item").first).to_be_visible()
    assert violations_in_both_themes(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_changes_are_counted_filtered_and_lead_to_the_inspector(open_page: Opener, shelf: Json) -> None:
    page = settle(open_page(f"/documents/{shelf['old']}/diff/{shelf['new']}"))
    changes = page.get_by_role("button", name="All changes 3")
    expect(changes).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".diff-item")).to_have_count(3)
    first = page.locator(".diff-item").first
    expect(first.locator("del")).to_contain_text("wing")
    expect(first.locator("ins")).to_contain_text("fin")
    page.get_by_role("button", name="Unchanged").click()
    expect(page.locator(".diff-item.unchanged").first).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Unchanged")).to_have_attribute("aria-pressed", "true")
    changes.click()
    page.keyboard.press("j")
    expect(page.locator(".diff-item").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"/documents/{shelf['new']}\?page=1&chunk="))


def test_a_comparison_stays_where_the_name_of_its_knowledge_base_cannot_be_read(open_page: Opener, shelf: Json) -> None:
    page = settle(open_page(f"/documents/{shelf['old']}/diff/{shelf['new']}"))
    page.route("**/v1/knowledge-bases*", lambda route: route.fulfill(status=429, json={"title": "Too many requests"}))
    settle(page).reload()
    expect(page.locator(".diff-item")).to_have_count(3)
    expect(page.get_by_role("heading", name="Too many requests")).to_have_count(0)
    expect(page.locator("#items")).to_have_attribute("aria-busy", "false")
    expect(page.locator(".diff-item")).to_have_count(3)


def test_a_suggested_version_is_linked_compared_and_unlinked_on_the_shelf(
    open_page: Opener, shelf: Json, api: httpx.Client
) -> None:
    page = settle(open_page(f"/kb/{shelf['slug']}"))
    banner = page.locator(".suggestion")
    expect(banner).to_contain_text("rules 2026.pdf looks like a version of rules 2025.pdf")
    assert violations(page) == []
    label = banner.get_by_label("Version 2, called")
    label.fill("second")
    # The list is loaded again when a run has ended.
    with page.expect_response("**/version-suggestions*") as answered:
        page.evaluate("document.dispatchEvent(new Event('note-saved'))")
    answered.value.finished()
    settle(page)
    expect(label).to_have_value("second")
    expect(label).to_be_focused()
    banner.get_by_role("button", name="Link").click()
    expect(banner).to_have_count(0)
    chip = page.get_by_role("button", name="Version second of rules 2026.pdf")
    chip.click()
    assert violations(page) == []
    page.get_by_role("link", name="Compare with v1").click()
    expect(page.locator("#diff-versions")).to_contain_text("v1 (rules 2025.pdf) → second (rules 2026.pdf)")
    page.go_back()
    page.get_by_role("button", name="Version v1 of rules 2025.pdf").click()
    page.get_by_role("button", name="Make it the current version").click()
    expect(page.locator(".doc-row", has_text="rules 2025.pdf").locator(".tag")).to_have_text("current")
    expect(page.get_by_role("button", name="Version v1 of rules 2025.pdf")).to_be_focused()
    page.get_by_role("button", name="Version second of rules 2026.pdf").click()
    page.get_by_role("button", name="Unlink").click()
    expect(page.get_by_role("button", name="Version second of rules 2026.pdf")).to_have_count(0)
    expect(page.get_by_role("list", name="Documents")).to_be_focused()
    assert read(api, f"/v1/documents/{shelf['new']}/versions")["items"][0]["version"]["index"] == 1
