"""Pages of errors have the header of every other page, for who is signed in."""

import pytest
from playwright.sync_api import expect

from shared.store.provision import Organization, create_organization
from tests.browser.conftest import Opener
from tests.browser.gestures import violations
from tests.browser.people import People

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module", autouse=True)
def two(people: People, owner_dsn: str) -> None:
    create_organization(owner_dsn, Organization("quay", "Quay", "q@local.example"))
    people.add("tess", "viewer")
    people.request("tess", "GET", "/v1/me").raise_for_status()
    people.add("tess", "editor", "quay")


@pytest.mark.parametrize(
    ("path", "status", "theme", "width"),
    [("/nothing-here", "404", "light", 390), ("/settings/audit", "403", "dark", 1440)],
)
def test_who_is_signed_in_goes_on_from_an_error_as_from_any_page(
    open_as: Opener, path: str, status: str, theme: str, width: int
) -> None:
    page = open_as("tess", path, width=width, color_scheme=theme)
    expect(page.locator(".notice-panel .eyebrow")).to_have_text(status)
    expect(page.locator(".notice-panel")).not_to_contain_text("API")
    expect(page.get_by_role("link", name="Settings")).to_be_visible()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Organization: Local").focus()
    page.keyboard.press("Enter")
    assert violations(page) == []
    page.get_by_role("button", name="Quay").click()
    expect(page.locator("html")).to_have_attribute("data-organization-name", "Quay")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
