"""Webhooks on their page: made, their secret shown once, tried, rotated, removed; and nothing of them below admin."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations
from tests.browser.people import People

pytestmark = pytest.mark.browser
WEBHOOKS = "/settings/webhooks"


@pytest.fixture(scope="module", autouse=True)
def everybody(people: People) -> None:
    for name, role in (("olga", "owner"), ("edda", "editor")):
        people.add(name, role)
        people.request(name, "GET", "/v1/me").raise_for_status()
    people.request("olga", "POST", "/v1/knowledge-bases", {"name": "Manuals"}).raise_for_status()


def test_a_webhook_is_made_shown_its_secret_once_tried_rotated_and_removed(open_as: Opener, people: People) -> None:
    page = settle(open_as("olga", WEBHOOKS))
    page.get_by_role("button", name="Make a webhook").click()
    page.get_by_role("textbox", name="Address").fill("http://receiver.example/hook")
    page.get_by_role("button", name="Make the webhook").click()
    expect(page.get_by_role("dialog")).to_contain_text("begins with https://")
    page.get_by_role("textbox", name="Address").fill("https://receiver.example/<b>hook")
    page.get_by_label("an evaluation falls below a floor").uncheck()
    assert violations(page) == []
    page.get_by_role("button", name="Make the webhook").click()
    secret = page.get_by_role("textbox", name="Secret").input_value()
    assert secret.startswith("whsec_")
    assert violations(page) == []
    page.get_by_role("button", name="I have stored it").click()
    expect(page.locator("[aria-label=Secret]")).to_have_count(0)
    assert secret not in page.content()
    row = page.locator(".webhook-row")
    expect(row).to_contain_text("Manuals")
    expect(row).to_contain_text("told when a document is ready, or a document failed or was refused")
    row.get_by_role("button", name="Test").click()
    expect(row).to_contain_text("1 delivery still to arrive")
    row.get_by_text("What it was told").click()
    expect(row.get_by_role("table")).to_contain_text("webhook.test")
    assert violations(page) == []
    row.get_by_role("button", name="Rotate secret").click()
    page.get_by_role("button", name="Make another secret").click()
    assert page.get_by_role("textbox", name="Secret").input_value() != secret
    page.get_by_role("button", name="I have stored it").click()
    expect(row).to_contain_text("both secrets sign until")
    (made,) = people.request("olga", "GET", "/v1/webhooks").json()["items"]
    assert made["events"] == ["document.ready", "document.failed"]
    row.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("No webhook yet")).to_be_visible()


def test_an_editor_is_shown_no_webhooks(open_as: Opener) -> None:
    page = settle(open_as("edda", "/settings/keys"))
    expect(page.get_by_role("link", name="Keys", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Webhooks", exact=True)).to_have_count(0)
