"""The tabs of a knowledge base: the same on each of its pages, in a row that scrolls to the current one on a phone."""

from urllib.parse import urljoin

import httpx
import pytest
from playwright.sync_api import Page, expect

from functions.api.pages import SHELF_PAGES
from tests.browser.conftest import Opener
from tests.browser.gestures import rect, settle
from tests.browser.lab import Lab, made_lab

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def lab(api: httpx.Client) -> Lab:
    return made_lab(api)


def current(page: Page) -> str:
    """What the row of tabs marks, which has to be in view, and the page no wider than the screen."""
    tab = page.get_by_role("navigation", name="Knowledge base").locator("[aria-current]")
    expect(tab).to_have_count(1)
    place, width = rect(tab), page.evaluate("document.documentElement.clientWidth")
    assert 0 <= place["x"] <= place["x"] + place["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    return tab.inner_text()


@pytest.mark.parametrize("width", [360, 390, 1440])
def test_the_current_tab_is_in_view_in_a_row_of_one_line(open_page: Opener, lab: Lab, width: int) -> None:
    page = open_page("/", width=width)
    for shown in SHELF_PAGES:
        page.goto(urljoin(page.url, shown.path.format(slug=lab.slug)))
        settle(page)
        assert current(page) == shown.title
        links = page.get_by_role("navigation", name="Knowledge base").get_by_role("link")
        expect(links).to_have_count(len(SHELF_PAGES))
        assert len({rect(link)["y"] for link in links.all()}) == 1


def test_a_count_of_what_is_left_to_review_makes_no_page_wider_than_a_phone(open_page: Opener, lab: Lab) -> None:
    page = open_page("/", width=390)
    page.route("**/review/left", lambda route: route.fulfill(json={"chunks": 3, "pages": 1}))
    page.goto(urljoin(page.url, f"/kb/{lab.slug}"))
    expect(page.locator("[data-tab=review] .count")).to_have_text("4")
    settle(page)
    assert current(page) == "Documents"


def test_tabs_that_are_out_of_view_are_reached_by_the_keyboard(open_page: Opener, lab: Lab) -> None:
    page = settle(open_page(f"/kb/{lab.slug}", width=390))
    links = page.get_by_role("navigation", name="Knowledge base").get_by_role("link")
    links.first.focus()
    for _ in range(len(SHELF_PAGES) - 1):
        page.keyboard.press("Tab")
    expect(links.last).to_be_focused()
    place = rect(links.last)
    assert place["x"] + place["width"] <= 390
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/kb/{lab.slug}/attributes")


@pytest.mark.parametrize("width", [390, 1440])
def test_a_single_things_page_leads_to_the_pages_of_its_knowledge_base(open_page: Opener, lab: Lab, width: int) -> None:
    below = {
        f"/datasets/{lab.dataset}": ("Datasets", "datasets"),
        f"/plots/{lab.plot}": ("Plots", "plots"),
        f"/datasets/{lab.dataset}/plot": ("Plots", "plots"),
        f"/documents/{lab.paper}/summary": ("Experiments", "summaries"),
        f"/kb/{lab.slug}/evaluation/candidates": ("Evaluation", "evaluation"),
    }
    page = open_page("/", width=width)
    for path, (title, name) in below.items():
        page.goto(urljoin(page.url, path))
        settle(page)
        assert current(page) == title
        page.get_by_role("navigation", name="Knowledge base").get_by_role("link", name=title).click()
        page.wait_for_url(f"**/kb/{lab.slug}/{name}")
