"""The review queue by keyboard, what was decided, and how documents and cards show it."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.api.files import doubtful
from tests.browser.conftest import Opener
from tests.browser.gestures import card_of, open_inspector, settle, violations, violations_in_both_themes
from tests.browser.sample import Json, ingest, read

pytestmark = pytest.mark.browser


@pytest.fixture
def shelf(api: httpx.Client, request: pytest.FixtureRequest) -> Iterator[Json]:
    made = api.post("/v1/knowledge-bases", json={"name": request.node.name[:60]}).json()
    yield made | {"document": ingest(api, made["id"], "doubt.pdf", doubtful())}
    api.delete(f"/v1/knowledge-bases/{made['id']}")


def queue(shelf: Json) -> str:
    return f"/kb/{shelf['slug']}/review"


def left(api: httpx.Client, shelf: Json) -> tuple[int, int]:
    found = read(api, f"/v1/knowledge-bases/{shelf['id']}/review/left")
    return found["chunks"], found["pages"]


def hits(api: httpx.Client, shelf: Json) -> set[str]:
    body = {"query": "inspected before each race", "k": 50, "knowledge_base_ids": [shelf["id"]]}
    return {hit["chunk"]["id"] for hit in api.post("/v1/search", json=body).json()["hits"]}


def shown(page: Page, text: str) -> None:
    expect(page.locator("#review-name")).to_have_text(text)


def test_a_queue_is_worked_through_by_keys_alone(open_page: Opener, api: httpx.Client, shelf: Json) -> None:
    page = settle(open_page(queue(shelf)))
    expect(page.locator("#left")).to_have_text("8 passages and 2 pages left to look at, the worst first.")
    shown(page, "Page 1")
    expect(page.locator(".review-text")).to_contain_text("flywheel of class 2")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".review-text")).to_contain_text("flywheel of class 1")
    expect(page.locator(".review-box")).to_have_count(1)
    page.keyboard.press("k")
    shown(page, "heading")
    page.keyboard.press("j")
    found = read(api, f"/v1/knowledge-bases/{shelf['id']}/review")["items"]
    rejected = next(item["chunk_id"] for item in found if "flywheel of class 1" in item["content"])
    assert rejected in hits(api, shelf)
    page.keyboard.press("r")
    expect(page.locator("#said")).to_contain_text("Rejected: left out of answers · 1 passage")
    expect(page.locator("#left")).to_contain_text("7 passages and 2 pages")
    assert rejected not in hits(api, shelf)
    expect(page.locator(".review-text")).to_contain_text("flywheel of class 2")
    page.keyboard.press("a")
    expect(page.locator("#said")).to_contain_text("Accepted · 1 passage")
    page.keyboard.press("u")
    expect(page.locator("#left")).to_contain_text("7 passages and 2 pages")
    shown(page, "Page 1")
    page.keyboard.press("a")
    expect(page.locator("#said")).to_contain_text("Accepted · 3 passages, 1 page")
    shown(page, "Page 2")
    page.keyboard.press("a")
    expect(page.get_by_role("heading", name="Nothing is left to review")).to_be_visible()
    expect(page.locator("#left")).to_have_text("Nothing is left to look at.")
    assert left(api, shelf) == (0, 0)
    assert rejected not in hits(api, shelf)


def test_typing_a_note_decides_nothing_and_is_kept_with_the_decision(
    open_page: Opener, api: httpx.Client, shelf: Json
) -> None:
    page = settle(open_page(queue(shelf)))
    page.get_by_label("Note, if you like").fill("")
    page.keyboard.type("a rare jar")
    assert left(api, shelf) == (8, 2)
    page.get_by_role("button", name="Reject").click()
    expect(page.locator("#said")).to_contain_text("4 passages, 1 page")
    page.get_by_role("button", name="Decided").click()
    decided = page.get_by_role("list", name="Decisions").get_by_role("listitem")
    expect(decided).to_contain_text("a rare jar")
    decided.get_by_role("button", name=re.compile("^Take back")).click()
    expect(page.get_by_role("heading", name="Nobody has decided anything yet")).to_be_visible()
    assert left(api, shelf) == (8, 2)


def test_all_with_one_flag_are_accepted_after_a_question(open_page: Opener, api: httpx.Client, shelf: Json) -> None:
    page = settle(open_page(queue(shelf)))
    page.get_by_label("Flag").select_option("invisible_text")
    page.get_by_role("button", name="Accept all with this flag alone").click()
    page.get_by_role("button", name="Go on one by one").click()
    assert left(api, shelf) == (8, 2)
    page.get_by_role("button", name="Accept all with this flag alone").click()
    assert violations(page) == []
    page.locator("#confirm-yes").click()
    expect(page.get_by_role("heading", name="Nothing is left to review")).to_be_visible()
    assert left(api, shelf) == (0, 0)


def test_edit_opens_the_passage_in_the_inspector_where_a_rejected_one_is_struck_through(
    open_page: Opener, api: httpx.Client, shelf: Json
) -> None:
    page = settle(open_page(queue(shelf)))
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".review-text")).to_contain_text("flywheel of class 1")
    page.keyboard.press("e")
    page.wait_for_url(re.compile("/documents/.*chunk="))
    open_inspector(page)
    chunk = re.search("chunk=([0-9a-f-]+)", page.url)
    assert chunk is not None
    card = card_of(page, chunk[1])
    card.get_by_role("button", name="Reject").click()
    expect(card.locator(".tag.review-rejected")).to_be_visible()
    expect(card).to_have_class(re.compile("rejected"))
    assert "line-through" in card.locator(".card-text").evaluate("node => getComputedStyle(node).textDecorationLine")
    assert chunk[1] not in hits(api, shelf)
    assert violations(page) == []
    card.get_by_role("button", name="Take the review back").click()
    expect(card.locator(".tag.review-rejected")).to_have_count(0)
    assert chunk[1] in hits(api, shelf)


def test_a_document_is_rejected_approved_and_asked_for_approval_on_its_shelf(
    open_page: Opener, api: httpx.Client, shelf: Json
) -> None:
    page = settle(open_page(f"/kb/{shelf['slug']}"))
    expect(page.locator("[data-tab=review]")).to_have_text("Review 10 left to look at")
    menu = page.get_by_role("button", name="More for doubt.pdf")
    menu.click()
    page.get_by_role("button", name="Reject…").click()
    page.get_by_label("Note, if you like").fill("a draft")
    assert violations(page) == []
    page.get_by_role("button", name="Reject", exact=True).click()
    row = page.get_by_role("list", name="Documents").get_by_role("listitem")
    expect(row).to_contain_text(re.compile("rejected by .*: a draft. It answers nothing."))
    assert hits(api, shelf) == set()
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="Only approved documents answer").click()
    page.locator("#confirm-yes").click()
    expect(page.locator("#kb-description .pill")).to_have_text("Only approved documents answer")
    menu.click()
    page.get_by_role("button", name="Take the review back").click()
    expect(row).to_contain_text("Not approved: it answers nothing.")
    assert hits(api, shelf) == set()
    assert violations(page) == []
    menu.click()
    page.get_by_role("button", name="Approve…").click()
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(row).to_contain_text("✓ approved by")
    assert len(hits(api, shelf)) >= 9
    assert violations(page) == []


@pytest.mark.parametrize("width", [360, 1440])
def test_the_queue_fits_and_axe_finds_nothing_in_it(
    open_page: Opener, api: httpx.Client, shelf: Json, width: int
) -> None:
    page = settle(open_page(queue(shelf), width=width))
    for key in ("j", "j"):
        page.keyboard.press(key)
    expect(page.locator(".review-text")).to_contain_text("flywheel of class 1")
    assert violations_in_both_themes(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.keyboard.press("r")
    expect(page.locator("#said")).to_contain_text("1 passage")
    page.get_by_role("button", name="Decided").click()
    expect(page.get_by_role("list", name="Decisions")).to_be_visible()
    assert violations_in_both_themes(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
