"""Experiment summaries in the browser: made, each statement at its place, edited; results side by side."""

import re
from collections.abc import Iterator

import httpx
import pymupdf
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.gestures import active_chunk, card_of, open_inspector, settle, violations
from tests.browser.sample import Json, ingest

pytestmark = pytest.mark.browser

AIM = "In this paper we propose a lighter rear wing for club racers."
RESULT = "The lighter wing improved the lap time by 2.5 % over the baseline (p < 0.01, paired t-test)."


def paper() -> bytes:
    """A page with an abstract and results, as a paper sets them."""
    with pymupdf.open() as file:
        page = file.new_page()
        for top, text, size in ((80, "Abstract", 16), (110, AIM, 11), (180, "Results", 16), (210, RESULT, 11)):
            page.insert_text((72, top), text, fontsize=size, fontname="hebo" if size > 11 else "helv")
        return file.tobytes()


@pytest.fixture
def shelf(api: httpx.Client, request: pytest.FixtureRequest) -> Iterator[Json]:
    made = api.post("/v1/knowledge-bases", json={"name": request.node.name[:60]}).json()
    yield made | {"document": ingest(api, made["id"], "wing.pdf", paper())}
    api.delete(f"/v1/knowledge-bases/{made['id']}")


def test_a_document_is_summarized_and_each_statement_leads_to_its_box(open_page: Opener, shelf: Json) -> None:
    page = settle(open_page(f"/documents/{shelf['document']}/summary"))
    page.get_by_role("button", name="Summarize", exact=True).click()
    results = page.locator("section", has=page.get_by_role("heading", name="Results", exact=True))
    expect(results.locator("li p")).to_have_text(RESULT)
    expect(results.locator(".summary-value")).to_have_text(["2.5 %", "p < 0.01"])
    expect(page.locator("section", has=page.get_by_role("heading", name="Dataset"))).to_contain_text("Missing.")
    results.get_by_role("button", name="Show where it stands: page 1").click()
    expect(results.locator(".summary-box")).to_have_count(1)
    assert violations(page) == []
    results.get_by_role("link", name="Open in the inspector").click()
    expect(page).to_have_url(re.compile("page=1&chunk="))
    card = card_of(page, str(active_chunk(open_inspector(page))))
    expect(card).to_contain_text("The lighter wing improved")


def test_a_persons_statement_stays_when_the_document_is_summarized_again(
    open_page: Opener, api: httpx.Client, shelf: Json
) -> None:
    address = f"/v1/documents/{shelf['document']}/summary"
    api.post(address, json={}).raise_for_status()
    page = settle(open_page(f"/documents/{shelf['document']}/summary"))
    page.get_by_role("button", name="Edit: The lighter wing").first.click()
    dialog = page.get_by_role("dialog")
    assert violations(page) == []
    dialog.get_by_label("Statement").fill("The lighter wing improved the lap time by 7 %.")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("do not bear this statement out")
    dialog.get_by_label("Statement").fill("The lighter wing improved the lap time by 2.5 %.")
    dialog.get_by_role("button", name="Save").click()
    expect(page.locator("#lead")).to_contain_text("Version 2")
    page.get_by_role("button", name="Summarize again").click()
    expect(page.locator("#announcer")).to_have_text("The document is summarized.")
    own = page.locator('[data-origin="person"]')
    expect(own.locator("p")).to_have_text("The lighter wing improved the lap time by 2.5 %.")
    expect(own).to_contain_text("by dev@localhost")
    own.get_by_role("button", name="Take back").click()
    expect(own).to_have_count(0)


def test_experiments_are_filtered_and_stand_side_by_side(open_page: Opener, api: httpx.Client, shelf: Json) -> None:
    page = settle(open_page(f"/kb/{shelf['slug']}/summaries"))
    page.get_by_role("button", name="Summarize all documents").click()
    row = page.locator(".summary-row")
    expect(row).to_contain_text("wing.pdf")
    page.get_by_label("Words").fill("lap time")
    page.get_by_role("button", name="Filter").click()
    expect(row.locator(".summary-hits")).to_contain_text(RESULT)
    row.get_by_role("checkbox", name="Compare wing.pdf").check()
    table = page.get_by_role("region", name="Fields side by side")
    expect(table.get_by_role("link", name=AIM)).to_be_visible()
    assert violations(page) == []
    page.get_by_label("Words").fill("albatross")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("#summaries")).to_contain_text("None passes the filter.")
