"""Experiment summaries in the browser: made, each statement at its place, edited; results side by side."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Opener
from tests.browser.gestures import active_chunk, card_of, open_inspector, settle, violations
from tests.browser.lab import AIM, RESULT, paper
from tests.browser.lab_story import paper as story_paper
from tests.browser.sample import Json, ingest

pytestmark = pytest.mark.browser


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


def test_what_is_taken_out_can_be_put_back_and_a_passage_is_cited_by_its_link(
    open_page: Opener, api: httpx.Client, shelf: Json
) -> None:
    address = f"/v1/documents/{shelf['document']}/summary"
    made = api.post(address, json={}).json()
    stated = next(one for one in made["fields"] if one["field"] == "results")["statements"][0]
    page = settle(open_page(f"/documents/{shelf['document']}/summary"))
    results = page.locator("section", has=page.get_by_role("heading", name="Results", exact=True))
    results.get_by_role("button", name="Take out").click()
    expect(results).to_contain_text("Missing.")
    expect(results.get_by_role("heading")).to_be_focused()
    page.get_by_role("button", name="Put back the statement of Results").click()
    expect(results.locator("li p")).to_have_text(RESULT)
    expect(page.get_by_role("heading", name="Taken out")).to_have_count(0)

    results.get_by_role("button", name="Edit:").click()
    dialog = page.get_by_role("dialog")
    passage = dialog.locator("[name=chunk]")
    passage.fill("page 1")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("This is no link of a passage")
    passage.fill(f"https://autri.example/documents/{shelf['document']}?page=1&chunk={stated['chunk_ids'][0]}")
    dialog.get_by_label("Statement").fill("The lap time improved by 2.5 %.")
    dialog.get_by_role("button", name="Save").click()
    expect(results.locator('[data-origin="person"] p')).to_have_text("The lap time improved by 2.5 %.")
    expect(results.get_by_role("heading")).to_be_focused()

    page.route(
        f"**{address}/edits/*", lambda route: route.fulfill(status=409, json={"title": "Conflict", "detail": "Later"})
    )
    results.get_by_role("button", name="Take back").click()
    expect(page.get_by_role("alert")).to_contain_text("The summary is as it was.")


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
    expect(page.locator("#summaries")).to_contain_text("None passes the filter")


def test_the_address_keeps_what_is_filtered_and_what_is_ticked(
    open_page: Opener, api: httpx.Client, shelf: Json
) -> None:
    api.post(f"/v1/documents/{shelf['document']}/summary", json={}).raise_for_status()
    page = settle(open_page(f"/kb/{shelf['slug']}/summaries"))
    page.locator("#filter select").select_option("results")
    page.get_by_label("Words").fill("lap time")
    page.get_by_role("button", name="Filter").click()
    page.get_by_role("checkbox", name="Compare wing.pdf").check()
    expect(page).to_have_url(re.compile("document_id="))

    def as_it_was() -> None:
        expect(page.get_by_label("Words")).to_have_value("lap time")
        expect(page.locator("#filter select")).to_have_value("results")
        expect(page.locator(".summary-row .summary-hits")).to_contain_text(RESULT)
        expect(page.get_by_role("checkbox", name="Compare wing.pdf")).to_be_checked()
        expect(page.get_by_role("region", name="Fields side by side")).to_be_visible()

    page.reload()
    as_it_was()
    sent = page.url
    page.locator(".summary-row").get_by_role("link", name="wing.pdf").click()
    page.wait_for_url(re.compile("/documents/"))
    page.go_back()
    as_it_was()
    page.goto("about:blank")
    page.goto(sent)
    as_it_was()
    page.get_by_label("Words").fill("")
    page.locator("#filter select").select_option("")
    page.get_by_role("button", name="Filter").click()
    expect(page).to_have_url(re.compile(r"summaries\?document_id=[^&]*$"))
    page.get_by_role("checkbox", name="Compare wing.pdf").uncheck()
    expect(page).to_have_url(re.compile("summaries$"))


def test_what_a_filter_finds_is_listed_once_with_what_tells_it_apart(
    open_page: Opener, api: httpx.Client, shelf: Json
) -> None:
    grouped = ingest(api, shelf["id"], "kestrel.pdf", story_paper("kestrel"))
    made = api.post(f"/v1/documents/{grouped}/summary", json={}).raise_for_status().json()
    stated = [[one["shown"] for one in field["statements"]] for field in made["fields"] if "stat" in field["field"]]
    results = [[one["shown"] for one in field["statements"]] for field in made["fields"] if field["field"] == "results"]
    assert stated == results
    page = settle(open_page(f"/kb/{shelf['slug']}/summaries"))
    hits = page.locator(".summary-hits li")
    page.get_by_label("Words").fill("paired")
    page.get_by_role("button", name="Filter").click()
    expect(hits).to_have_count(1)
    page.get_by_label("Words").fill("")
    page.get_by_role("searchbox", name="System").fill("Words and characters")
    page.get_by_role("searchbox", name="Metric").fill("F1")
    page.get_by_role("button", name="Filter").click()
    expect(hits).to_have_text([re.compile(f"F1.*, Words and characters, {name}$") for name in ("Dev", "Test")])
    page.get_by_label("Value from").fill("90")
    page.get_by_label("Value to").fill("10")
    page.get_by_role("button", name="Filter").click()
    assert page.get_by_label("Value to").evaluate("one => one.validationMessage") == (
        "No value is from more to less: swap the two."
    )
    expect(hits).to_have_count(2)
    page.get_by_label("Value to").fill("95")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("#summaries")).to_contain_text("None passes the filter")


def test_a_comparison_that_is_answered_late_does_not_replace_the_one_asked_for_last(
    open_page: Opener, api: httpx.Client, shelf: Json
) -> None:
    other = ingest(api, shelf["id"], "spoiler.pdf", paper(table=True))
    for document in (shelf["document"], other):
        api.post(f"/v1/documents/{document}/summary", json={}).raise_for_status()
    page = settle(open_page(f"/kb/{shelf['slug']}/summaries"))
    held: list[Route] = []
    page.route("**/v1/summaries/compare?*", lambda route: route.continue_() if held else held.append(route))
    page.get_by_role("checkbox", name="Compare wing.pdf").check()
    page.get_by_role("checkbox", name="Compare spoiler.pdf").check()
    heads = page.get_by_role("region", name="Fields side by side").get_by_role("columnheader")
    expect(heads).to_have_count(3)
    with page.expect_response("**/v1/summaries/compare?*"):
        held[0].continue_()
    page.evaluate("() => new Promise((done) => setTimeout(done, 300))")
    expect(heads).to_have_count(3)
    values = page.get_by_role("region", name="Metric by system").get_by_role("link")
    assert values.all_inner_texts() == ["71.2", "74.8", "69.9", "73.1"]
    values.nth(1).click()
    page.wait_for_url(re.compile(f"/documents/{other}.*chunk="))
    expect(card_of(page, str(active_chunk(open_inspector(page))))).to_contain_text("74.8")


def test_a_group_stands_as_one_summary_and_its_address_keeps_it(
    open_page: Opener, api: httpx.Client, shelf: Json
) -> None:
    other = ingest(api, shelf["id"], "spoiler.pdf", paper(table=True))
    for document in (shelf["document"], other):
        api.post(f"/v1/documents/{document}/summary", json={}).raise_for_status()
    page = settle(open_page(f"/kb/{shelf['slug']}/summaries"))
    page.get_by_role("checkbox", name="Compare wing.pdf").check()
    page.get_by_role("checkbox", name="Compare spoiler.pdf").check()
    page.get_by_role("link", name="2 documents side by side").click()
    expect(page.get_by_role("heading", name="Summary of 2 documents")).to_be_in_viewport()
    # Values of shares say per cent themselves.
    metrics = page.get_by_role("region", name="Metric by system").get_by_role("rowheader").all_text_contents()
    assert metrics
    assert not any("(1)" in text for text in metrics)
    group = page.locator(".summary-group")
    results = group.locator("section", has=page.get_by_role("heading", name="Results", exact=True))
    expect(results.locator("li p")).to_have_text(RESULT)
    expect(results.get_by_role("link")).to_have_count(2)
    expect(results).to_contain_text("stated by 2 of 2")
    expect(group.locator("section", has=page.get_by_role("heading", name="Limits"))).to_contain_text("Missing in")
    assert violations(page) == []
    group.get_by_role("button", name="Pin the summary of the group").click()
    page.get_by_role("status").filter(has_text="Pinned to").get_by_role("link", name="Open it").click()
    cell = settle(page).locator(".notebook-cell.group")
    expect(cell).to_contain_text("Summary of 2 documents")
    expect(cell.get_by_role("link", name=re.compile("^Source"))).not_to_have_count(0)
    assert violations(page) == []
    cell.get_by_role("link", name="Open", exact=True).click()
    expect(results.get_by_role("link")).to_have_count(2)
    page.reload()
    expect(results.get_by_role("link")).to_have_count(2)
    results.get_by_role("link", name="spoiler.pdf").click()
    page.wait_for_url(re.compile(f"/documents/{other}.*chunk="))


def test_the_history_of_a_summary_tells_what_changed_and_leads_back(
    open_page: Opener, api: httpx.Client, shelf: Json
) -> None:
    address = f"/v1/documents/{shelf['document']}/summary"
    made = api.post(address, json={}).raise_for_status().json()
    stated = next(one for one in made["fields"] if one["field"] == "results")["statements"][0]
    api.post(f"{address}/edits", json={"target": stated["id"]}).raise_for_status()
    page = settle(open_page(f"/documents/{shelf['document']}/summary"))
    page.get_by_role("button", name="History").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("listitem").first).to_contain_text("dev@localhost edited it")
    dialog.get_by_role("button", name="What changed in version 2").click()
    expect(dialog.locator(".summary-line.removed")).to_contain_text(RESULT)
    assert violations(page) == []
    dialog.get_by_role("button", name="Show version 1").click()
    note = page.locator(".summary-older")
    expect(note).to_contain_text("This is version 1; the newest is 2.")
    results = page.locator("section", has=page.get_by_role("heading", name="Results", exact=True))
    expect(results.locator("li p")).to_have_text(RESULT)
    expect(results.get_by_role("button", name="Take out")).to_have_count(0)
    assert violations(page) == []
    note.get_by_role("button", name="Restore this one").click()
    expect(page.locator("#lead")).to_contain_text("Version 3")
    expect(note).to_have_count(0)
    expect(results.locator("li p")).to_have_text(RESULT)
    expect(page.get_by_role("heading", name="Taken out")).to_have_count(0)


def test_where_nothing_is_summarized_the_page_offers_it_alone(open_page: Opener, api: httpx.Client) -> None:
    made = api.post("/v1/knowledge-bases", json={"name": "Nothing summarized"}).json()
    page = settle(open_page(f"/kb/{made['slug']}/summaries"))
    expect(page.locator("#filter")).to_be_hidden()
    page.get_by_role("button", name="Summarize all documents").click()
    expect(page.locator("#summaries")).to_contain_text("There is no document yet")
    api.delete(f"/v1/knowledge-bases/{made['id']}")
