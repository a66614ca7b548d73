"""Versions on the shelf and the page on which two of them are read."""

import hashlib
import re
import time

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.api.files import three_pages
from tests.browser.conftest import Opener
from tests.browser.sample import Json, read

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
PATIENCE_S = 120


def send(api: httpx.Client, base: str, name: str, data: bytes) -> str:
    announced = {
        "filename": name,
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "knowledge_base_id": base,
    }
    ticket = api.post("/v1/uploads", json=announced).json()
    api.put(ticket["url"], content=data, headers=ticket["headers"]).raise_for_status()
    deadline = time.monotonic() + PATIENCE_S
    while (run := read(api, f"/v1/ingestions/{ticket['upload_id']}"))["status"] != "ready":
        assert time.monotonic() < deadline, run
        time.sleep(0.2)
    return run["document_id"]


@pytest.fixture(scope="module")
def shelf(api: httpx.Client) -> Json:
    """A knowledge base with two editions of some rules."""
    base = api.post("/v1/knowledge-bases", json={"name": "editions in the browser"}).json()
    old = send(api, base["id"], "rules 2025.pdf", three_pages("wing"))
    new = send(api, base["id"], "rules 2026.pdf", three_pages("fin"))
    return base | {"old": old, "new": new}


def settled(page: Page) -> Page:
    page.wait_for_load_state("networkidle", timeout=60_000)
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    return page


def violations(page: Page) -> list[str]:
    return [f"{v['id']}: {n['target']}" for v in Axe().run(page).response["violations"] for n in v["nodes"]]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing_on_the_page_of_differences_and_it_fits(
    open_page: Opener, shelf: Json, theme: str, width: int
) -> None:
    page = settled(open_page(f"/documents/{shelf['old']}/diff/{shelf['new']}", width=width, color_scheme=theme))
    expect(page.locator(".diff-item").first).to_be_visible()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_changes_are_counted_filtered_and_lead_to_the_inspector(open_page: Opener, shelf: Json) -> None:
    page = settled(open_page(f"/documents/{shelf['old']}/diff/{shelf['new']}"))
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


def test_a_suggested_version_is_linked_compared_and_unlinked_on_the_shelf(
    open_page: Opener, shelf: Json, api: httpx.Client
) -> None:
    page = settled(open_page(f"/kb/{shelf['slug']}"))
    banner = page.locator(".suggestion")
    expect(banner).to_contain_text("rules 2026.pdf looks like a version of rules 2025.pdf")
    assert violations(page) == []
    banner.get_by_label("Version 2, called").fill("second")
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
    page.get_by_role("button", name="Version second of rules 2026.pdf").click()
    page.get_by_role("button", name="Unlink").click()
    expect(page.get_by_role("button", name="Version second of rules 2026.pdf")).to_have_count(0)
    assert read(api, f"/v1/documents/{shelf['new']}/versions")["items"][0]["version"]["index"] == 1
