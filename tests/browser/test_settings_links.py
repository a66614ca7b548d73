"""Links on their page: what each shows, how often it was opened by others, and taken back by whoever may."""

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations
from tests.browser.people import People

pytestmark = pytest.mark.browser
LINKS = "/settings/links"


@pytest.fixture(scope="module")
def link(people: People) -> str:
    """The address of one to edda's notebook."""
    for name, role in (("edda", "editor"), ("erik", "editor"), ("vera", "viewer")):
        people.add(name, role)
        people.request(name, "GET", "/v1/me").raise_for_status()
    base = people.request("edda", "POST", "/v1/knowledge-bases", {"name": "Wings"}).raise_for_status().json()
    wanted = {"knowledge_base_id": base["id"], "title": "Widths & <b>heights"}
    notebook = people.request("edda", "POST", "/v1/notebooks", wanted).raise_for_status().json()
    cell = {"content": {"kind": "markdown", "text": "1050 mm"}}
    people.request("edda", "POST", f"/v1/notebooks/{notebook['id']}/cells", cell).raise_for_status()
    made = people.request("edda", "POST", f"/v1/notebooks/{notebook['id']}/shares", {}).raise_for_status().json()
    return f"{people.url}/v1{made['path']}"


def test_a_colleagues_link_says_how_often_it_was_opened_and_is_taken_back(open_as: Opener, link: str) -> None:
    assert "1050 mm" in httpx.get(link).raise_for_status().text
    httpx.get(link).raise_for_status()
    page = settle(open_as("erik", LINKS))
    row = page.get_by_role("list", name="Links").get_by_role("listitem")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("Widths & <b>heights")
    expect(row).to_contain_text("opened 2 times")
    assert violations(page) == []
    row.get_by_role("button", name="Take back").click()
    expect(page.get_by_role("dialog")).to_contain_text("From now on it shows nothing")
    page.get_by_role("dialog").get_by_role("button", name="Take back").click()
    expect(row).to_contain_text("taken back")
    expect(row.get_by_role("button")).to_have_count(0)
    assert httpx.get(link).status_code == 404
    row.get_by_role("link", name="Widths").click()
    expect(page.get_by_text("1050 mm")).to_be_visible()


def test_who_may_change_no_notebook_sees_no_link_of_others(open_as: Opener, link: str) -> None:
    page = settle(open_as("vera", LINKS))
    expect(page.get_by_text("What you share from a conversation or a notebook is listed here.")).to_be_visible()
    assert violations(page) == []
