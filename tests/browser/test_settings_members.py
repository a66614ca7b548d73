"""Members of an organization on their page: invited, given roles, removed, leaving; and what others are not offered."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations, violations_in_both_themes
from tests.browser.people import People

pytestmark = pytest.mark.browser
MEMBERS = "/settings/members"


@pytest.fixture(scope="module", autouse=True)
def everybody(people: People) -> None:
    for name, role in (("olga", "owner"), ("otto", "owner"), ("adam", "admin"), ("edna", "editor"), ("vera", "viewer")):
        people.add(name, role)
        people.request(name, "GET", "/v1/me").raise_for_status()


def members(people: People) -> dict[str, dict[str, str]]:
    return {one["email"].partition("@")[0]: one for one in people.request("olga", "GET", "/v1/members").json()["items"]}


def test_an_owner_invites_sends_again_and_takes_back(open_as: Opener, people: People) -> None:
    page = settle(open_as("olga", MEMBERS))
    page.get_by_role("button", name="Invite").click()
    page.get_by_label("E-mail").fill("nobody")
    page.get_by_role("button", name="Send the invitation").click()
    expect(page.get_by_role("alert").filter(has_text="Write an e-mail address.")).to_be_visible()
    page.get_by_label("E-mail").fill("nina@local.example")
    page.locator("select[name=role]").select_option("editor")
    assert violations(page) == []
    page.get_by_role("button", name="Send the invitation").click()
    invited = page.get_by_role("list", name="Invited")
    expect(invited).to_contain_text("nina@local.example")
    page.get_by_role("button", name="Invite", exact=True).click()
    page.get_by_label("E-mail").fill("NINA@local.example")
    page.get_by_role("button", name="Send the invitation").click()
    expect(page.get_by_role("dialog")).to_contain_text("member already, or invited")
    expect(page.get_by_label("E-mail")).to_have_value("NINA@local.example")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Send again: nina@local.example").click()
    expect(page.locator("#announcer")).to_have_text("Invitation sent to nina@local.example again")
    assert members(people)["nina"]["role"] == "editor"
    page.get_by_role("button", name="Take back: nina@local.example").click()
    page.get_by_role("button", name="Take it back").click()
    expect(invited).to_have_count(0)
    assert "nina" not in members(people)


def test_an_invitation_that_is_used_up_is_not_sent_again(open_as: Opener, people: People) -> None:
    people.add("late", "viewer")
    page = settle(open_as("adam", MEMBERS))
    people.request("late", "GET", "/v1/me").raise_for_status()
    page.get_by_role("button", name="Send again: late@local.example").click()
    expect(page.get_by_role("list", name="Invited")).to_contain_text("has joined already; the invitation is used up")


def test_a_sign_in_that_nobody_vouches_for_waits_until_somebody_has_asked(open_as: Opener, people: People) -> None:
    people.add("ida", "editor")
    people.stranger("ida", "ida@local.example")
    assert people.request("ida", "GET", "/v1/me").status_code == 403
    page = settle(open_as("adam", MEMBERS))
    expect(page.locator(".waiting-sign-in")).to_contain_text("does not confirm that the address is theirs")
    expect(page.locator(".waiting-sign-in")).to_contain_text(people.claims["ida"]["sub"])
    assert violations(page) == []
    page.get_by_role("button", name="Let the sign-in of ida@local.example join").click()
    page.get_by_role("button", name="I have asked: let it join").click()
    expect(page.get_by_role("list", name="Members")).to_contain_text("ida@local.example")
    assert people.request("ida", "GET", "/v1/me").json()["user"]["role"] == "editor"


def test_a_role_is_changed_and_holds_and_a_removed_member_is_refused(open_as: Opener, people: People) -> None:
    people.add("rosa", "viewer")
    people.request("rosa", "GET", "/v1/me").raise_for_status()
    page = settle(open_as("adam", MEMBERS))
    role = page.get_by_label("Role of rosa@local.example")
    assert "owner" not in role.inner_text()
    role.select_option("editor")
    expect(page.locator("#announcer")).to_have_text("rosa@local.example is editor now")
    assert people.request("rosa", "POST", "/v1/knowledge-bases", {"name": "Rosa's"}).status_code == 201
    page.get_by_role("button", name="Remove rosa@local.example").click()
    assert violations(page) == []
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.locator("#announcer")).to_have_text("rosa@local.example removed")
    assert people.request("rosa", "GET", "/v1/me").status_code == 403


def test_the_last_owner_stays_and_is_told_why(open_as: Opener, people: People) -> None:
    """The page still offered it: the others have gone since it was drawn."""
    page = settle(open_as("otto", MEMBERS))
    owners = [one for one in members(people).values() if one["role"] == "owner" and not one["email"].startswith("otto")]
    page.get_by_role("button", name="Leave").click()
    for one in owners:
        demoted = people.request("otto", "PATCH", f"/v1/members/{one['id']}", {"role": "admin"})
        assert demoted.status_code == 200
    page.get_by_role("button", name="Leave").last.click()
    expect(page.get_by_role("dialog")).to_contain_text("keeps an owner")
    page.reload()
    settle(page)
    expect(page.locator(".member-row", has_text="otto@local.example")).to_contain_text("the only owner")
    expect(page.get_by_role("button", name="Leave")).to_have_count(0)
    for one in owners:
        people.request("otto", "PATCH", f"/v1/members/{one['id']}", {"role": "owner"}).raise_for_status()


def test_somebody_leaves_and_is_outside_at_once(open_as: Opener, people: People) -> None:
    people.add("lea", "viewer")
    page = settle(open_as("lea", MEMBERS))
    page.get_by_role("button", name="Leave").click()
    page.get_by_role("button", name="Leave").last.click()
    expect(page.get_by_text("no organization has invited you")).to_be_visible()
    assert "lea" not in members(people)


@pytest.mark.parametrize("who", ["vera", "edna"])
def test_below_admin_nothing_is_offered_that_would_be_refused(open_as: Opener, people: People, who: str) -> None:
    people.add("hidden", "viewer")
    page = settle(open_as(who, MEMBERS))
    expect(page.get_by_role("list", name="Members")).to_contain_text("adam@local.example")
    buttons = page.locator("main button, main select")
    assert [button.inner_text() for button in buttons.all()] == ["Leave"]
    expect(page.get_by_role("navigation", name="Settings").get_by_role("link")).to_have_text(
        ["Members", "Keys", "Assistants", "Links", "Usage", "Organization", "Data"]
    )
    expect(page.get_by_role("list", name="Invited")).to_contain_text("hidden@local.example")
    target = members(people)["adam"]["id"]
    for method, path, body in (
        ("POST", "/v1/invitations", {"email": "x@y.example"}),
        ("PATCH", f"/v1/members/{target}", {"role": "viewer"}),
        ("DELETE", f"/v1/members/{target}", None),
    ):
        assert people.request(who, method, path, body).status_code == 403
    people.request("olga", "DELETE", f"/v1/members/{members(people)['hidden']['id']}").raise_for_status()


def test_an_admin_decides_nothing_about_owners(open_as: Opener) -> None:
    page = settle(open_as("adam", MEMBERS))
    owner = page.locator(".member-row", has_text="otto@local.example")
    expect(owner).to_be_visible()
    expect(owner.locator("button, select")).to_have_count(0)


@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing_and_nothing_overflows(open_as: Opener, width: int) -> None:
    page = settle(open_as("olga", MEMBERS, width=width))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations_in_both_themes(page) == []


def test_a_name_that_looks_like_markup_is_text(open_as: Opener, people: People) -> None:
    people.request("olga", "POST", "/v1/invitations", {"email": "<img/src=x>@local.example"}).raise_for_status()
    page = settle(open_as("olga", MEMBERS))
    expect(page.get_by_role("list", name="Invited")).to_contain_text("<img/src=x>@local.example")
    assert page.locator("main img").count() == 0


def test_on_one_machine_nobody_is_invited_and_the_page_says_why(open_page: Opener) -> None:
    page = settle(open_page(MEMBERS))
    expect(page.get_by_text("nobody signs in")).to_be_visible()
    expect(page.get_by_role("list", name="Members")).to_contain_text("the only owner")
    assert page.get_by_role("button", name=re.compile("Invite|Leave|Remove")).count() == 0
    assert violations(page) == []
