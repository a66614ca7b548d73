"""A knowledge base is renamed and deleted on its own page."""

import re

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations
from tests.browser.sample import Sample, read

pytestmark = pytest.mark.browser
DELETE = "Delete knowledge base"


@pytest.mark.parametrize("width", [390, 720, 800, 1280])
def test_the_menu_of_a_full_shelf_fits_the_page(open_page: Opener, sample: Sample, width: int) -> None:
    page = open_page(f"/kb/{sample.knowledge_base['slug']}", width=width)
    settle(page)
    page.get_by_role("button", name="More", exact=True).click()
    panel = page.locator("#kb-menu .menu-panel").bounding_box()
    assert panel is not None
    assert 0 <= panel["x"] <= panel["x"] + panel["width"] <= width


@pytest.mark.parametrize(("width", "theme"), [(390, "dark"), (830, "light")])
def test_a_knowledge_base_is_renamed_and_after_a_question_deleted(
    open_page: Opener, api: httpx.Client, width: int, theme: str
) -> None:
    made = api.post("/v1/knowledge-bases", json={"name": f"Passing shelf {width}"}).json()
    page = open_page(f"/kb/{made['slug']}", width=width, color_scheme=theme)
    settle(page)
    more = page.get_by_role("button", name="More", exact=True)
    more.click()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("button", name="Rename or describe").click()
    page.get_by_label("Name", exact=True).fill(" ")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#rename-error")).to_have_text("Give it a name.")
    page.get_by_label("Name", exact=True).fill("Lasting shelf")
    page.get_by_label("What is in it?").fill("Rules of the class")
    assert violations(page) == []
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Lasting shelf")
    changed = read(api, f"/v1/knowledge-bases/{made['id']}")
    assert (changed["name"], changed["description"]) == ("Lasting shelf", "Rules of the class")

    more.click()
    page.get_by_role("button", name=DELETE).click()
    expect(page.get_by_role("heading", name="Delete Lasting shelf?")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Keep it").click()
    assert api.get(f"/v1/knowledge-bases/{made['id']}").status_code == 200
    more.click()
    page.get_by_role("button", name=DELETE).click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page).to_have_url(re.compile(r"/$"))
    assert api.get(f"/v1/knowledge-bases/{made['id']}").status_code == 404
