"""The usage page: bars with numbers and where the pace leads; what it cost is for owners and admins."""

import dataclasses
import re
from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from shared.domain.plans import PlanSettings
from shared.domain.scope import Identity
from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations, violations_in_both_themes
from tests.browser.people import People
from tests.pipeline import PRICES, make_knowledge_base, run_all, upload

pytestmark = pytest.mark.browser
USAGE = "/settings/usage"


@pytest.fixture(scope="module", autouse=True)
def used(people: People) -> None:
    """A free organization that has read a document and nearly used up its answers, in a region with prices."""
    runtime = people.runtime
    for name, role in (("olga", "owner"), ("vera", "viewer")):
        people.add(name, role)
        people.request(name, "GET", "/v1/me").raise_for_status()
    me = people.request("olga", "GET", "/v1/me").json()
    olga = Identity(organization_id=me["organization"]["id"], user_id=me["user"]["id"], role="owner")
    base = make_knowledge_base(runtime, olga, "Prices")
    run_all(runtime, upload(runtime, olga, base, PRICES.read_bytes(), "price-list.pdf"))
    with runtime.database.transaction(olga.scope(base)) as connection:
        connection.execute(
            "insert into counted_questions values (%s, (now() at time zone 'utc')::date, 45)", (olga.organization_id,)
        )
        connection.execute(
            "insert into spending values (%s, (now() at time zone 'utc')::date, 'extract', 'acme.model', 12, 0, 1.25)",
            (olga.organization_id,),
        )
    runtime.limits = dataclasses.replace(PlanSettings("free"), model_usd_per_day=2.0, region="eu-central-1")


def test_each_limit_is_a_bar_with_its_numbers_and_where_the_pace_leads(open_as: Opener) -> None:
    page = settle(open_as("vera", USAGE))
    answers = page.locator(".usage-row").filter(has_text="Answers")
    expect(answers).to_contain_text("45 of 50")
    expect(answers).to_contain_text("by the month's end")
    meter = page.get_by_role("meter", name="Answers")
    expect(meter).to_have_attribute("aria-valuetext", "45 of 50")
    box, fill = meter.bounding_box(), meter.evaluate("e => new DOMMatrix(getComputedStyle(e, '::after').transform).a")
    assert box is not None
    assert (box["height"], fill) == (8, pytest.approx(0.9))
    expect(page.locator(".usage-row").filter(has_text="Knowledge bases")).to_contain_text("1 of 1")
    expect(page.get_by_text("Full: delete what is not needed, or ask for a larger plan.")).to_be_visible()
    expect(page.locator("#usage .usage-facts")).to_contain_text("$1.25 of $2.00 a day")
    expect(page.locator("#costs")).to_have_count(0)
    assert violations(page) == []


def test_costs_are_shown_by_stage_and_document_with_the_prices_date(open_as: Opener) -> None:
    page = settle(open_as("olga", USAGE))
    stages = page.get_by_role("region", name="By stage").locator("tbody tr")
    expect(stages.filter(has_text="acme.model")).to_contain_text("$1.25")
    expect(stages.filter(has_text="finalize")).to_contain_text("run time")
    expect(page.locator("#costs .usage-facts")).to_contain_text("Lambda in eu-central-1, 2026-11-23")
    document = page.get_by_role("region", name="By document").get_by_role("link", name="price-list.pdf")
    expect(document).to_have_attribute("href", re.compile("^/documents/[0-9a-f-]{36}$"))
    assert violations_in_both_themes(page) == []
    page.locator("#month").fill("2025-02")
    expect(page.get_by_text("Nothing was read in this month.")).to_be_visible()
    month = f"{datetime.now(UTC):%Y-%m}"
    page.locator("#month").fill(month)
    expect(document).to_be_visible()
