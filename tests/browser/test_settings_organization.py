"""The organization's own page: its name, domains proved by their record, groups and their roles."""

import pytest
from playwright.sync_api import expect

from shared.runtime import Runtime
from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations, violations_in_both_themes
from tests.browser.people import People

pytestmark = pytest.mark.browser
ORGANIZATION = "/settings/organization"


@pytest.fixture(scope="module", autouse=True)
def everybody(people: People) -> None:
    for name, role in (("olga", "owner"), ("adam", "admin"), ("vera", "viewer")):
        people.add(name, role)
        people.request(name, "GET", "/v1/me").raise_for_status()


def test_a_domain_is_claimed_proved_and_removed(
    open_as: Opener, people: People, runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: dict[str, list[str]] = {}
    monkeypatch.setattr(runtime, "look_up_txt", lambda name: known.get(name, []))
    page = settle(open_as("olga", ORGANIZATION, permissions=["clipboard-read", "clipboard-write"]))
    expect(page.get_by_text("No domain yet")).to_be_visible()
    page.get_by_role("button", name="Add a domain").click()
    page.locator("input[name=domain]").fill("gmail.com")
    page.get_by_role("button", name="Add it").click()
    expect(page.get_by_role("alert").filter(has_text="invite them one by one")).to_be_visible()
    page.locator("input[name=domain]").fill("acme.example")
    page.locator("select[name=role]").select_option("editor")
    assert violations(page) == []
    page.keyboard.press("Enter")
    row = page.get_by_role("list", name="Domains").get_by_role("listitem")
    expect(row).to_contain_text("waits for its record")
    [claimed] = people.request("olga", "GET", "/v1/domains").json()["items"]
    assert claimed["role"] == "editor"
    page.get_by_role("button", name="Copy the value of acme.example").click()
    expect(page.locator("#announcer")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == claimed["txt_value"]
    expect(row).to_contain_text("_autri.acme.example")
    page.get_by_role("button", name="Check acme.example now").click()
    expect(row.get_by_role("alert")).to_contain_text("There is no TXT record _autri.acme.example")
    expect(page.get_by_role("button", name="Check acme.example now")).to_be_focused()
    assert violations(page) == []
    known["_autri.acme.example"] = [claimed["txt_value"]]
    page.keyboard.press("Enter")
    expect(row).to_contain_text("its people join as editor")
    expect(page.locator(".dns-record")).to_have_count(0)
    page.get_by_role("button", name="Remove acme.example").click()
    expect(page.get_by_role("dialog")).to_contain_text("Whoever has joined stays")
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("No domain yet")).to_be_visible()
    assert people.request("olga", "GET", "/v1/domains").json()["items"] == []


def test_a_group_is_given_a_role_by_keyboard_and_loses_it(open_as: Opener, people: People) -> None:
    group = "7f0c1d5e-30c1-4a52-9f57-0d7a6d1f7f11"
    page = settle(open_as("olga", ORGANIZATION))
    page.get_by_role("button", name="Give a group a role").focus()
    page.keyboard.press("Enter")
    page.keyboard.type(group)
    page.keyboard.press("Tab")
    page.keyboard.type("editor")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Give it").click()
    expect(page.get_by_role("list", name="Groups")).to_contain_text("at least editor")
    [given] = people.request("olga", "GET", "/v1/group-roles").json()["items"]
    assert (given["group"], given["role"]) == (group, "editor")
    page.get_by_role("button", name=f"Remove the role of {group}").click()
    expect(page.get_by_role("dialog")).to_contain_text("They stay members")
    assert violations(page) == []
    page.get_by_role("button", name="Take it away").click()
    expect(page.get_by_text("No group has a role")).to_be_visible()
    expect(page.get_by_role("button", name="Give a group a role")).to_be_focused()
    assert people.request("olga", "GET", "/v1/group-roles").json()["items"] == []


def test_an_admin_renames_it_and_everybody_reads_the_new_name(open_as: Opener, people: People) -> None:
    before = people.request("adam", "GET", "/v1/me").json()["organization"]
    page = settle(open_as("adam", ORGANIZATION))
    page.get_by_role("button", name="Rename").click()
    expect(page.locator("input[name=name]")).to_have_value(before["name"])
    page.locator("input[name=name]").fill("Harbour <i>Works</i>")
    page.get_by_role("button", name="Rename").last.click()
    expect(page.locator(".eyebrow")).to_have_text("Harbour <i>Works</i>")
    after = people.request("vera", "GET", "/v1/me").json()["organization"]
    assert (after["name"], after["slug"]) == ("Harbour <i>Works</i>", before["slug"])
    people.request("adam", "PATCH", "/v1/organization", {"name": before["name"]}).raise_for_status()
    assert people.request("vera", "PATCH", "/v1/organization", {"name": "Vera's"}).status_code == 403


@pytest.mark.parametrize(("who", "offered"), [("adam", ["Rename"]), ("vera", [])])
def test_others_than_owners_are_told_who_decides(open_as: Opener, people: People, who: str, offered: list[str]) -> None:
    page = settle(open_as(who, ORGANIZATION))
    role = people.request(who, "GET", "/v1/me").json()["user"]["role"]
    expect(page.get_by_text(f"Your role is {role}: ask one of them")).to_have_count(2)
    assert [button.inner_text() for button in page.locator("main button").all()] == offered
    assert people.request(who, "GET", "/v1/domains").status_code == 403
    assert violations(page) == []


def test_groups_that_were_not_told_are_said(open_as: Opener, people: People) -> None:
    people.add("gus", "editor")
    people.claims["gus"]["groups_untold"] = "true"
    page = settle(open_as("gus", ORGANIZATION))
    expect(page.get_by_role("heading", name="Your groups were not told")).to_be_visible()
    assert violations(page) == []


def test_on_one_machine_there_is_nobody_to_join(open_page: Opener) -> None:
    page = settle(open_page(ORGANIZATION))
    expect(page.get_by_text("On this machine nobody signs in")).to_be_visible()
    assert page.get_by_role("button", name="Add a domain").count() == 0


@pytest.mark.parametrize("width", [360, 1440])
def test_axe_finds_nothing_and_nothing_overflows(open_as: Opener, people: People, width: int) -> None:
    people.request(
        "olga", "POST", "/v1/domains", {"domain": "a-rather-long-name-of-a-works.example"}
    ).raise_for_status()
    group = {"group": "7f0c1d5e-30c1-4a52-9f57-0d7a6d1f7f11", "role": "admin"}
    people.request("olga", "POST", "/v1/group-roles", group).raise_for_status()
    page = settle(open_as("olga", ORGANIZATION, width=width))
    expect(page.locator(".dns-record")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations_in_both_themes(page) == []
