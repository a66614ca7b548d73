"""API keys on their page: made, shown once, used, revoked; and what a viewer may make of them."""

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations, violations_in_both_themes
from tests.browser.people import People
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.browser
KEYS = "/settings/keys"


@pytest.fixture(scope="module", autouse=True)
def everybody(people: People) -> None:
    for name, role in (("olga", "owner"), ("vera", "viewer")):
        people.add(name, role)
        people.request(name, "GET", "/v1/me").raise_for_status()
    for shelf in ("Manuals", "Contracts"):
        people.request("olga", "POST", "/v1/knowledge-bases", {"name": shelf}).raise_for_status()


def with_key(people: People, secret: str, method: str, path: str, body: object = None) -> httpx.Response:
    headers = {"Authorization": f"Bearer {secret}"}
    return httpx.request(method, people.url + path, headers=headers, json=body, timeout=PATIENCE_S)


def make(page: Page, name: str) -> str:
    """Fills the rest of the form as it is, and returns the secret that is shown."""
    page.get_by_role("button", name="New key").or_(page.get_by_role("button", name="Make a key")).first.click()
    page.get_by_role("textbox", name="Name").fill(name)
    page.get_by_role("button", name="Make the key").click()
    return page.get_by_role("textbox", name="Secret").input_value()


def test_a_key_is_made_shown_once_used_and_revoked(open_as: Opener, people: People) -> None:
    page = settle(open_as("olga", KEYS, permissions=["clipboard-read", "clipboard-write"]))
    page.get_by_role("button", name="Make a key").click()
    page.get_by_role("button", name="Make the key").click()
    expect(page.get_by_role("dialog")).to_contain_text("Give it a name.")
    page.get_by_role("textbox", name="Name").fill("Nightly <b>sync</b>")
    page.get_by_label("only these").check()
    page.get_by_role("button", name="Make the key").click()
    expect(page.get_by_role("dialog")).to_contain_text("Tick a knowledge base")
    page.get_by_label("Manuals").check()
    assert violations(page) == []
    page.get_by_role("button", name="Make the key").click()
    secret = page.get_by_role("textbox", name="Secret").input_value()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == secret
    assert violations(page) == []
    page.get_by_role("button", name="I have stored it").click()
    row = page.locator(".key-row", has_text="Nightly <b>sync</b>")
    expect(row).to_contain_text("never used")
    expect(row).to_contain_text("Manuals")
    assert secret not in page.content()
    found = with_key(people, secret, "GET", "/v1/knowledge-bases").json()["items"]
    assert [one["name"] for one in found] == ["Manuals"]
    assert with_key(people, secret, "POST", "/v1/knowledge-bases", {"name": "No"}).status_code == 403
    page.reload()
    settle(page)
    expect(row).to_contain_text("used within the hour")
    page.get_by_role("button", name="Revoke Nightly").click()
    page.get_by_role("button", name="Keep it").click()
    assert with_key(people, secret, "GET", "/v1/me").status_code == 200
    page.get_by_role("button", name="Revoke Nightly").click()
    page.get_by_role("button", name="Revoke", exact=True).click()
    expect(row).to_contain_text("revoked just now")
    expect(row.get_by_role("button")).to_have_count(0)
    assert with_key(people, secret, "GET", "/v1/me").status_code == 401


def test_a_viewer_makes_keys_that_read_and_no_others(open_as: Opener, people: People) -> None:
    page = settle(open_as("vera", KEYS))
    page.get_by_role("button", name="Make a key").click()
    scopes = page.get_by_role("dialog").locator("select[name=scope] option")
    assert scopes.evaluate_all("options => options.map(option => option.value)") == ["read"]
    expect(page.get_by_role("dialog").locator("[name=machine]")).to_have_count(0)
    page.get_by_role("button", name="Cancel").click()
    secret = make(page, "Mine")
    assert with_key(people, secret, "GET", "/v1/me").json()["user"]["role"] == "viewer"
    for body in ({"name": "x", "scope": "write"}, {"name": "x", "machine": True}):
        assert people.request("vera", "POST", "/v1/keys", body).status_code == 403
    assert [one["name"] for one in people.request("vera", "GET", "/v1/keys").json()["items"]] == ["Mine"]


def test_a_key_that_cannot_be_revoked_says_why_and_stays(open_as: Opener, people: People) -> None:
    """Its maker has been removed meanwhile, and the key with them."""
    people.add("kim", "editor")
    people.request("kim", "POST", "/v1/keys", {"name": "Of Kim"}).raise_for_status()
    page = settle(open_as("olga", KEYS))
    page.get_by_role("button", name="Revoke Of Kim").click()
    kim = people.request("kim", "GET", "/v1/me").json()["user"]["id"]
    people.request("olga", "DELETE", f"/v1/members/{kim}").raise_for_status()
    page.get_by_role("button", name="Revoke", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("There is no key")


@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing_and_nothing_overflows(open_as: Opener, people: People, width: int) -> None:
    people.request("olga", "POST", "/v1/keys", {"name": f"wide {width}", "machine": True}).raise_for_status()
    page = settle(open_as("olga", KEYS, width=width))
    expect(page.locator(".key-row", has_text=f"wide {width}")).to_contain_text("a machine's")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations_in_both_themes(page) == []


def test_on_one_machine_the_page_says_what_a_key_is_good_for(open_page: Opener) -> None:
    page = settle(open_page(KEYS))
    expect(page.get_by_text("On this machine programs need no key.")).to_be_visible()
    secret = make(page, "Local")
    origin = page.evaluate("location.origin")
    me = httpx.get(f"{origin}/v1/me", headers={"Authorization": f"Bearer {secret}"}).json()
    assert me["user"]["role"] == "viewer"
    page.get_by_role("button", name="I have stored it").click()
    page.get_by_role("button", name="Revoke Local").click()
    page.get_by_role("button", name="Revoke", exact=True).click()
    expect(page.locator(".key-row", has_text="Local")).to_contain_text("revoked")
