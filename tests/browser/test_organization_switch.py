"""One person in two organizations: chosen in the header, one at a time, and nothing of one in the other."""

import pytest
from playwright.sync_api import Page, expect

from shared.store.provision import Organization, create_organization
from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations, violations_in_both_themes
from tests.browser.people import People

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module", autouse=True)
def both(people: People, owner_dsn: str) -> None:
    create_organization(owner_dsn, Organization("harbour", "Harbour <b>Works</b>", "hana@local.example"))
    people.add("bea", "owner")
    people.request("bea", "GET", "/v1/me").raise_for_status()
    people.request("bea", "POST", "/v1/knowledge-bases", {"name": "Of Local"}).raise_for_status()
    people.add("bea", "viewer", "harbour")
    people.add("solo", "viewer")


def choose(page: Page, name: str) -> None:
    page.get_by_role("button", name="Organization:").click()
    page.locator("#organization-panel").get_by_role("button", name=name).click()


def test_another_is_joined_and_chosen_and_shows_nothing_of_the_first(open_as: Opener, people: People) -> None:
    page = settle(open_as("bea", "/"))
    expect(page.get_by_role("link", name="Of Local")).to_be_visible()
    page.get_by_role("button", name="Organization: Local").click()
    expect(page.locator("#organization-panel")).to_contain_text("invited: join")
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Organization: Local")).to_be_focused()
    choose(page, "Harbour <b>Works</b>")
    expect(page.get_by_role("button", name="Organization: Harbour <b>Works</b>")).to_be_visible()
    settle(page)
    expect(page.get_by_role("link", name="Of Local")).to_have_count(0)
    expect(page.get_by_role("button", name="New knowledge base")).to_have_count(0)
    page.goto(f"{people.url}/kb/of-local")
    expect(page.get_by_role("heading", level=1)).to_have_text("Not Found")
    page.goto(f"{people.url}/settings/audit")
    expect(page.get_by_text("this needs the role admin")).to_be_visible()
    page.goto(people.url)
    choose(page, "Local")
    expect(page.get_by_role("link", name="Of Local")).to_be_visible()


def test_a_page_opened_before_keeps_its_organization_and_says_that_another_was_chosen(
    open_as: Opener, people: People
) -> None:
    before = settle(open_as("bea", "/"))
    if before.locator("html").get_attribute("data-organization-name") != "Local":
        choose(before, "Local")
        settle(before)
    other = before.context.new_page()
    other.goto(people.url)
    choose(other, "Harbour")
    expect(other.get_by_role("button", name="Organization: Harbour")).to_be_visible()
    dialog = before.get_by_role("dialog", name="Another organization was chosen")
    expect(dialog).to_contain_text("This page shows Local")
    assert violations(before) == []
    made = before.evaluate(
        """async () => {
            const { post } = await import(document.documentElement.dataset.static + "/js/lib/api.js");
            return (await post("/v1/knowledge-bases", { name: "Made before the choice" })).slug;
        }"""
    )
    organization = before.locator("html").get_attribute("data-organization")
    headers = {"X-Autri-Organization": organization or ""}
    listed = before.request.get(f"{people.url}/v1/knowledge-bases", headers=headers).json()["items"]
    assert made in {one["slug"] for one in listed}
    there = before.request.get(f"{people.url}/v1/knowledge-bases").json()["items"]
    assert there == []
    dialog.get_by_role("button", name="Back to this one").click()
    expect(dialog).to_have_count(0)
    expect(other.get_by_role("dialog")).to_contain_text("This page shows Harbour <b>Works</b>")
    other.get_by_role("button", name="Go on to the other").click()
    expect(other.get_by_role("button", name="Organization: Local")).to_be_visible()


def test_who_belongs_to_one_has_nothing_to_choose(open_as: Opener) -> None:
    page = settle(open_as("solo", "/"))
    expect(page.get_by_role("button", name="Organization:")).to_have_count(0)
    expect(page.get_by_role("link", name="Settings")).to_be_visible()


def test_somebody_removed_from_the_chosen_one_goes_on_in_the_other(open_as: Opener, people: People) -> None:
    page = settle(open_as("bea", "/"))
    choose(page, "Harbour")
    expect(page.get_by_role("button", name="Organization: Harbour")).to_be_visible()
    me = page.request.get(f"{people.url}/v1/me").json()["user"]["id"]
    headers = {"Origin": people.url, "X-CSRF-Token": "a-token", "X-Autri-Organization": "harbour"}
    page.request.delete(f"{people.url}/v1/members/{me}", headers=headers)
    page.get_by_role("link", name="Ask & search").click()
    settle(page)
    expect(page.locator("html")).to_have_attribute("data-organization-name", "Local")


def test_the_choice_fits_a_narrow_screen(open_as: Opener, people: People) -> None:
    people.add("nora", "viewer")
    people.request("nora", "GET", "/v1/me").raise_for_status()
    people.add("nora", "viewer", "harbour")
    page = settle(open_as("nora", "/", width=360, height=640))
    page.get_by_role("button", name="Organization:").click()
    panel = page.locator("#organization-panel").bounding_box()
    assert panel is not None
    assert 0 <= panel["x"] <= panel["x"] + panel["width"] <= 360
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert violations_in_both_themes(page) == []


def test_who_is_invited_by_several_and_belongs_to_none_begins_with_one(open_as: Opener, people: People) -> None:
    for organization in ("local", "harbour"):
        people.add("ines", "editor", organization)
    page = open_as("ines", "/settings/keys")
    expect(page.get_by_role("heading", level=1)).to_have_text("Several organizations have invited you")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Join harbour").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Keys")
    expect(page.locator("html")).to_have_attribute("data-organization-name", "Harbour <b>Works</b>")
