"""The document's date in the inspector: what it was read from, and the form that changes it."""

import httpx
import pymupdf
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener
from tests.browser.gestures import open_inspector, violations_in_both_themes
from tests.browser.sample import ingest, read

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def base(api: httpx.Client) -> str:
    return api.post("/v1/knowledge-bases", json={"name": "dated in the browser"}).json()["id"]


def add(api: httpx.Client, base: str, line: str) -> str:
    with pymupdf.open() as made:
        made.new_page().insert_text((72, 90), line)
        return ingest(api, base, "notice.pdf", made.tobytes())


@pytest.fixture(scope="module")
def document(api: httpx.Client, base: str) -> str:
    return add(api, base, "Issued 12 March 2024")


def open_date(page: Page) -> Page:
    open_inspector(page).locator("#date-menu > button").click()
    expect(page.locator("#date-menu .menu-panel")).to_be_visible()
    return page


@pytest.mark.parametrize("width", [360, 1280])
def test_the_date_says_where_it_was_read_and_fits(open_page: Opener, document: str, width: int) -> None:
    page = open_date(open_page(f"/documents/{document}", width=width))
    expect(page.locator("#date-menu > button")).to_have_text("12 Mar 2024")
    expect(page.locator("#date-menu p").first).to_have_text(
        "Read on its first page: “Issued 12 March 2024”, confidence 0.95."
    )
    assert violations_in_both_themes(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    panel = page.locator("#date-menu .menu-panel").bounding_box()
    assert panel
    assert panel["x"] >= 0
    assert panel["x"] + panel["width"] <= width


def test_no_day_is_shown_where_none_was_printed(open_page: Opener, api: httpx.Client, base: str) -> None:
    page = open_page(f"/documents/{add(api, base, 'Issued March 2024')}")
    expect(page.locator("#date-menu > button")).to_have_text("March 2024")


def test_an_editor_changes_and_removes_the_date(open_page: Opener, api: httpx.Client, document: str) -> None:
    page = open_date(open_page(f"/documents/{document}"))
    page.get_by_label("Date of the document").fill("2023-01-31")
    page.get_by_role("button", name="Save").click()
    button = page.locator("#date-menu > button")
    expect(button).to_have_text("31 Jan 2023")
    expect(button).to_be_focused()
    assert read(api, f"/v1/documents/{document}")["document_date"] == "2023-01-31"
    button.click()
    expect(page.locator("#date-menu p").first).to_have_text("Set by a person.")
    page.get_by_role("button", name="No date").click()
    expect(button).to_have_text("no date")
    assert read(api, f"/v1/documents/{document}")["document_date"] is None


def test_who_may_only_read_reads_where_the_date_is_from_and_changes_nothing(
    open_page: Opener, api: httpx.Client, document: str
) -> None:
    page = open_page("/")
    found = read(api, "/v1/knowledge-bases")
    found["items"] = [base | {"may_write": False} for base in found["items"]]
    page.route("**/v1/knowledge-bases", lambda route: route.fulfill(json=found))
    page.goto(page.url.rstrip("/") + f"/documents/{document}")
    open_date(page)
    expect(page.locator("#date-menu p").first).to_be_visible()
    expect(page.locator("#date-menu form")).to_have_count(0)
