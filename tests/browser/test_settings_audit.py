"""The audit log on its page: filtered, turned over, taken along as CSV, and kept from who may not see it."""

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations, violations_in_both_themes
from tests.browser.people import People

pytestmark = pytest.mark.browser
AUDIT = "/settings/audit"
MADE = 60


@pytest.fixture(scope="module", autouse=True)
def acts(people: People) -> None:
    """More than a page of one person, a few of another."""
    for name, role in (("olga", "owner"), ("adam", "admin"), ("edna", "editor")):
        people.add(name, role)
        people.request(name, "GET", "/v1/me").raise_for_status()
    for number in range(MADE):
        people.request("edna", "POST", "/v1/keys", {"name": f"key {number}"}).raise_for_status()
    people.request("olga", "POST", "/v1/knowledge-bases", {"name": "=cmd()"}).raise_for_status()


def test_the_log_is_filtered_by_act_person_and_day_and_the_address_keeps_it(open_as: Opener) -> None:
    page = settle(open_as("adam", AUDIT))
    rows = page.locator(".audit-row")
    expect(rows.first).to_contain_text("made a knowledge base")
    expect(rows.first).to_contain_text("olga@local.example")
    page.get_by_label("Person").select_option(label="edna@local.example")
    expect(rows.first).to_contain_text("made a key")
    expect(rows.filter(has_text="olga")).to_have_count(0)
    page.get_by_label("Act").select_option("key")
    page.get_by_role("button", name="Older").click()
    expect(rows).to_have_count(MADE)
    expect(page.get_by_role("button", name="Older")).to_have_count(0)
    expect(rows.nth(50).locator("summary")).to_be_focused()
    page.reload()
    settle(page)
    expect(page.get_by_label("Act")).to_have_value("key")
    expect(rows.filter(has_text="made a knowledge base")).to_have_count(0)
    rows.first.locator("summary").click()
    expect(rows.first).to_contain_text(f"key {MADE - 1}")
    assert violations(page) == []
    tomorrow = (datetime.now(UTC) + timedelta(days=2)).date().isoformat()
    page.locator("input[name=from]").fill(tomorrow)
    expect(page.get_by_text("No entry matches")).to_be_visible()
    page.get_by_role("button", name="Show all").click()
    expect(rows.first).to_contain_text("made a knowledge base")
    assert "?" not in page.url


def test_the_day_named_as_last_is_in(open_as: Opener) -> None:
    """Days are the person's own."""
    page = settle(open_as("adam", AUDIT, timezone_id="Pacific/Kiritimati"))
    today = page.evaluate("new Date().toLocaleDateString('sv')")
    page.locator("input[name=to]").fill(today)
    page.locator("input[name=from]").fill(today)
    expect(page.locator(".audit-row").first).to_contain_text("made a knowledge base")


def test_the_file_holds_what_the_filter_shows(open_as: Opener) -> None:
    page = settle(open_as("adam", f"{AUDIT}?act=knowledge_base.create"))
    expect(page.locator(".audit-row")).to_have_count(1)
    with page.expect_download() as started:
        page.get_by_role("link", name="Download CSV").click()
    (row,) = csv.DictReader(io.StringIO(started.value.path().read_text()))
    assert (started.value.suggested_filename, row["person"]) == ("audit.csv", "olga@local.example")


def test_below_admin_there_is_neither_tab_nor_page_nor_data(open_as: Opener, people: People) -> None:
    page = settle(open_as("edna", "/settings/keys"))
    expect(page.get_by_role("link", name="Audit log")).to_have_count(0)
    page.goto(people.url + AUDIT)
    expect(page.get_by_text("this needs the role admin")).to_be_visible()
    expect(page.get_by_text("made a key")).to_have_count(0)
    assert people.request("edna", "GET", "/v1/audit").status_code == 403
    assert people.request("edna", "GET", AUDIT, accept="text/html").status_code == 403


@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing_and_nothing_overflows(open_as: Opener, width: int) -> None:
    page = settle(open_as("olga", AUDIT, width=width))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations_in_both_themes(page) == []


def test_on_one_machine_the_acts_are_ones_own(open_page: Opener) -> None:
    page = settle(open_page(AUDIT))
    expect(page.get_by_text("On one machine all acts are yours")).to_be_visible()
    expect(page.locator(".audit-row").first).to_be_visible()
