"""Everything around the page: jumping, versions, the other tabs, the proof, help, and failures."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.gestures import box_of, open_inspector, rect
from tests.browser.sample import Sample, read

pytestmark = pytest.mark.browser


def test_jumping_to_an_address_pins_a_chunk_of_that_section(open_page: Opener, sample: Sample) -> None:
    page = open_inspector(open_page(sample.path(sample.views[0])))
    address = sample.addressed["section_id"]
    page.keyboard.press("/")
    page.keyboard.type(address)
    expect(page.locator("#jump-list [role=option]").filter(has_text=address).first).to_be_visible()
    page.locator("#jump-list [role=option]").filter(has_text=address).first.click()
    page.wait_for_url(re.compile("chunk="))
    expect(page.locator(".card.pinned .card-details")).to_contain_text(address)


def test_jumping_to_a_page_number_turns_there(open_page: Opener, sample: Sample) -> None:
    page = open_inspector(open_page(sample.path(sample.views[0])))
    page.keyboard.press("/")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    expect(page.locator("#page-number")).to_have_text("3")


def test_the_version_picker_lists_every_version_and_says_which_is_current(open_page: Opener, sample: Sample) -> None:
    versions = read(sample.api, f"/v1/documents/{sample.document['id']}/versions")["items"]
    page = open_inspector(open_page(sample.path(sample.views[0])))
    page.locator("#version-menu button").click()
    expect(page.locator("#version-menu .menu-item")).to_have_count(len(versions))
    expect(page.locator("#version-menu .menu-item").filter(has_text="current")).to_have_count(1)


def test_the_proof_line_says_what_verify_says(open_page: Opener, sample: Sample) -> None:
    report = read(sample.api, f"/v1/documents/{sample.document['id']}/verify")
    page = open_inspector(open_page(sample.path(sample.views[0])))
    expect(page.locator("#proof")).to_contain_text(f"{report['verbatim']:,} of {report['chunks']:,} chunks")
    expect(page.locator("#proof")).to_contain_text(f"{report['unclaimed_fragments']} unclaimed")
    page.keyboard.press("4")
    expect(page.locator("#panel-verify .verdict")).to_be_visible()


def test_operations_name_fragments_and_mark_them_on_the_page(open_page: Opener, sample: Sample) -> None:
    page = open_inspector(open_page(sample.path(sample.richest)))
    page.keyboard.press("2")
    first = page.locator(".op").first
    expect(first.locator(".op-ids")).to_contain_text(re.compile(r"p\d+\.f\d+"))
    first.hover()
    expect(page.locator(".mark").first).to_be_visible()


def test_page_text_shows_fragments_in_reading_order(open_page: Opener, sample: Sample) -> None:
    view = sample.richest
    whole = read(sample.api, f"/v1/documents/{sample.document['id']}/pages/{view['page']}?include=fragments")
    page = open_inspector(open_page(sample.path(view)))
    page.keyboard.press("3")
    expect(page.locator(".fragment")).to_have_count(len(whole["fragments"]))
    assert page.locator(".fragment-text").first.text_content() == whole["fragments"][0]["text"]


def test_cost_shows_the_time_of_every_stage(open_page: Opener, sample: Sample) -> None:
    page = open_inspector(open_page(sample.path(sample.views[0])))
    page.keyboard.press("5")
    expect(page.locator(".stage-table tbody tr")).to_have_count(7)


def test_help_lists_the_keys_and_escape_closes_it(open_page: Opener, sample: Sample) -> None:
    page = open_inspector(open_page(sample.path(sample.views[0])))
    page.keyboard.press("?")
    expect(page.locator("#help-dialog")).to_contain_text("next chunk")
    page.keyboard.press("Escape")
    expect(page.locator("#help-dialog")).to_be_hidden()


def test_tabs_move_with_the_arrow_keys(open_page: Opener, sample: Sample) -> None:
    page = open_inspector(open_page(sample.path(sample.views[0])))
    page.locator("#tab-chunks").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-operations")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#panel-operations")).to_be_visible()


def test_an_unknown_document_is_named_as_such_with_a_request_id(open_page: Opener) -> None:
    page = open_page("/documents/00000000-0000-4000-8000-000000000000")
    notice = page.get_by_role("alert")
    expect(notice).to_contain_text("Request")
    expect(notice.get_by_role("link", name="All knowledge bases")).to_be_visible()


def test_going_back_returns_to_the_page_before_a_jump(open_page: Opener, sample: Sample) -> None:
    page = open_inspector(open_page(sample.path(sample.views[0])))
    page.keyboard.press("/")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"page=3\b"))
    page.go_back()
    expect(page.locator("#page-number")).to_have_text("1")


def test_a_chunk_over_two_pages_links_to_the_other_one(open_page: Opener, sample: Sample) -> None:
    chunk, view = next(
        (chunk, view)
        for view in sample.views
        for chunk in view["items"]
        if {box["page"] for box in chunk["boxes"]} - {view["page"]}
    )
    other = next(box["page"] for box in chunk["boxes"] if box["page"] != view["page"])
    page = open_inspector(open_page(sample.path(view, chunk["id"])))
    page.locator(".card.pinned").get_by_role("link", name=f"page {other}").click()
    expect(page.locator("#page-number")).to_have_text(str(other))
    expect(box_of(page, chunk["id"])).to_have_class(re.compile(r"\bpinned\b"))


@pytest.mark.parametrize("width", [1024, 1280, 1920])
def test_no_tab_of_the_pane_is_cut_off(open_page: Opener, sample: Sample, width: int) -> None:
    page = open_inspector(open_page(sample.path(sample.richest), width=width))
    tabs = page.locator("#pane-tabs")
    edge, last = rect(tabs), rect(tabs.locator("[role=tab]").last)
    assert last["x"] + last["width"] <= min(edge["x"] + edge["width"], width)
