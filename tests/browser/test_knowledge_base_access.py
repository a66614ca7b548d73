"""Who sees a knowledge base: said on its page, decided by owners and admins; and what readers are not offered."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations, violations_in_both_themes
from tests.browser.people import People

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module", autouse=True)
def everybody(people: People) -> None:
    for name, role in (("olga", "owner"), ("edna", "editor"), ("emil", "editor"), ("vera", "viewer")):
        people.add(name, role)
        people.request(name, "GET", "/v1/me").raise_for_status()
    for shelf in ("Salaries", "Handbook"):
        people.request("olga", "POST", "/v1/knowledge-bases", {"name": shelf}).raise_for_status()


def open_dialog(page: Page) -> None:
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="Who sees it").click()


def upload(people: People, who: str, slug: str) -> int:
    """How an attempt to announce a file ends."""
    bases = people.request("olga", "GET", "/v1/knowledge-bases").json()["items"]
    base = next(one["id"] for one in bases if one["slug"] == slug)
    file = {"filename": "a.pdf", "size": 1000, "sha256": "0" * 64, "knowledge_base_id": base}
    return people.request(who, "POST", "/v1/uploads", file).status_code


def test_a_shelf_is_kept_to_named_members_and_says_so(open_as: Opener, people: People) -> None:
    page = settle(open_as("olga", "/kb/salaries"))
    expect(page.locator(".lock-sign")).to_have_count(0)
    open_dialog(page)
    page.get_by_label("Named members alone see it").check()
    page.get_by_label("What edna@local.example may").select_option("write")
    page.get_by_label("What emil@local.example may").select_option("read")
    writes = page.get_by_label("What vera@local.example may").locator("option[value=write]")
    expect(writes).to_have_count(0)
    assert violations(page) == []
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Salaries (restricted)")

    home = settle(open_as("edna", "/"))
    expect(home.locator(".kb-card", has_text="Salaries").locator(".lock-sign")).to_be_visible()
    expect(home.locator(".kb-card", has_text="Handbook").locator(".lock-sign")).to_have_count(0)
    assert violations(home) == []
    others = settle(open_as("vera", "/"))
    expect(others.locator(".kb-card")).to_have_count(1)
    others.goto(f"{people.url}/kb/salaries")
    expect(others.get_by_role("heading", level=1)).to_have_text("Not Found")
    assert upload(people, "vera", "salaries") == 403

    reader = settle(open_as("emil", "/kb/salaries"))
    expect(reader.get_by_text("You may read this knowledge base")).to_be_visible()
    expect(reader.get_by_text("Upload files")).to_be_hidden()
    open_dialog(reader)
    expect(reader.get_by_role("dialog")).to_contain_text("edna@local.examplereads and writes")
    assert reader.get_by_role("dialog").locator("select, input").count() == 0
    assert (upload(people, "emil", "salaries"), upload(people, "edna", "salaries")) == (403, 201)

    open_dialog(page)
    expect(page.get_by_label("What edna@local.example may")).to_have_value("write")
    page.get_by_label("Everybody of the organization sees it").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Salaries")
    assert upload(people, "emil", "salaries") == 201


def test_a_member_who_has_gone_meanwhile_is_refused_and_nothing_is_changed(open_as: Opener, people: People) -> None:
    people.add("gone", "viewer")
    gone = people.request("gone", "GET", "/v1/me").json()["user"]["id"]
    page = settle(open_as("olga", "/kb/handbook"))
    open_dialog(page)
    page.get_by_label("Named members alone see it").check()
    page.get_by_label("What gone@local.example may").select_option("read")
    people.request("olga", "DELETE", f"/v1/members/{gone}").raise_for_status()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog")).to_contain_text("There is no member")
    found = people.request("vera", "GET", "/v1/knowledge-bases").json()["items"]
    assert {one["slug"]: one["restricted"] for one in found} == {"salaries": False, "handbook": False}


def test_a_viewer_is_offered_nothing_that_changes_anything(open_as: Opener, people: People) -> None:
    home = settle(open_as("vera", "/"))
    expect(home.get_by_role("button", name="New knowledge base")).to_have_count(0)
    expect(home.locator("#steps > *")).to_have_count(0)
    shelf = settle(open_as("vera", "/kb/handbook"))
    expect(shelf.get_by_text("whoever may write to it uploads")).to_be_visible()
    visible = shelf.locator("main button:visible, main label:visible, main input:visible")
    assert visible.count() == 0
    assert upload(people, "vera", "handbook") == 403
    assert people.request("vera", "POST", "/v1/knowledge-bases", {"name": "No"}).status_code == 403


def test_an_editor_does_not_decide_who_sees_it(open_as: Opener, people: People) -> None:
    page = settle(open_as("edna", "/kb/handbook"))
    page.get_by_role("button", name="More", exact=True).click()
    expect(page.get_by_role("button", name="Rename or describe")).to_be_visible()
    expect(page.get_by_role("button", name="Who sees it")).to_have_count(0)
    base = people.request("edna", "GET", "/v1/knowledge-bases").json()["items"][-1]["id"]
    body = {"restricted": True, "members": []}
    assert people.request("edna", "PUT", f"/v1/knowledge-bases/{base}/access", body).status_code == 403


def test_the_panel_fits_a_narrow_screen(open_as: Opener) -> None:
    page = settle(open_as("olga", "/kb/handbook", width=360, height=640))
    open_dialog(page)
    page.get_by_label("Named members alone see it").check()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert violations_in_both_themes(page) == []
