"""What a person corrects in the inspector: one document of this module's own, so that the samples stay as they are."""

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.api.files import three_pages
from tests.browser.conftest import Opener
from tests.browser.gestures import box_of, card_of, open_inspector, violations_in_both_themes
from tests.browser.sample import Json, ingest, read

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def document(api: httpx.Client) -> str:
    """The id of a document that these tests may change; each takes back what it did."""
    base = api.post("/v1/knowledge-bases", json={"name": "edited in the browser"}).json()["id"]
    return ingest(api, base, "edited.pdf", three_pages("bronze"))


@pytest.fixture
def chunks(api: httpx.Client, document: str) -> Callable[[], list[Json]]:
    """The chunks of the first page as they are now."""
    return lambda: read(api, f"/v1/documents/{document}/pages/1")["items"]


@pytest.fixture
def edited(open_page: Opener, document: str, chunks: Callable[[], list[Json]]) -> Page:
    """The inspector with the first rule pinned."""
    rule = chunks()[1]["id"]
    page = open_inspector(open_page(f"/documents/{document}?page=1&chunk={rule}"))
    expect(card_of(page, rule)).to_be_visible()
    expect(page.get_by_role("toolbar", name="Edit the pinned chunk")).to_be_visible()
    return page


def saved(page: Page) -> None:
    expect(page.locator(".edit-said.ok")).to_contain_text("saved")


def undo(page: Page) -> None:
    page.locator(".edit-said").get_by_role("button", name="Undo").click()
    expect(page.locator(".edit-said")).to_contain_text("Undone")


def test_the_keys_merge_two_chunks_and_undo_brings_both_back(edited: Page, chunks: Callable[[], list[Json]]) -> None:
    before = chunks()
    edited.keyboard.press("m")
    saved(edited)
    merged = chunks()
    assert [c["content"] for c in merged][1] == f"{before[1]['content']} {before[2]['content']}"
    expect(edited.locator(".card.pinned .card-text")).to_have_text(merged[1]["content"])
    expect(box_of(edited, merged[1]["id"])).to_have_class("box active pinned")
    expect(edited.locator("#chunk-count")).to_have_text(str(len(merged)))
    edited.keyboard.press("u")
    expect(edited.locator(".edit-said")).to_contain_text("Undone")
    assert chunks() == before
    expect(box_of(edited, before[2]["id"])).to_be_attached()


def test_a_type_is_chosen_from_its_menu_with_the_keyboard(edited: Page, chunks: Callable[[], list[Json]]) -> None:
    edited.keyboard.press("t")
    current = edited.locator('.edit-panel .menu-item[aria-current="true"]')
    expect(current).to_be_focused()
    edited.keyboard.press("ArrowDown")
    expect(edited.get_by_role("button", name="list", exact=True)).to_be_focused()
    edited.keyboard.press("Enter")
    saved(edited)
    expect(edited.locator(".card.pinned .card-type")).to_have_text("list")
    assert chunks()[1]["chunk_type"] == "list"
    undo(edited)


def test_a_chunk_moves_to_a_section_that_is_looked_for(
    api: httpx.Client, document: str, edited: Page, chunks: Callable[[], list[Json]]
) -> None:
    edited.locator('[data-edit="type"]').click()
    edited.get_by_role("button", name="heading level by its number").click()
    saved(edited)
    edited.keyboard.press("j")
    edited.keyboard.press("e")
    edited.get_by_label("Find a section").fill("C2 Wheels")
    found = edited.locator(".edit-section")
    expect(found).to_have_count(1)
    found.click()
    expect(edited.locator(".edit-said")).to_contain_text("This chunk opens a section of its own")
    edited.get_by_role("button", name="Close this message").click()
    expect(edited.locator(".edit-said")).to_be_empty()
    edited.keyboard.press("u")
    expect(edited.locator(".edit-said")).to_contain_text("Undone")
    assert [c["chunk_type"] for c in chunks()] == ["heading", "text", "text", "text"]


def test_what_is_left_out_is_listed_and_brought_back(edited: Page, chunks: Callable[[], list[Json]]) -> None:
    before = chunks()
    edited.keyboard.press("d")
    edited.get_by_role("button", name="watermark").click()
    saved(edited)
    expect(edited.locator("#chunk-count")).to_have_text(str(len(before) - 1))
    edited.keyboard.press("6")
    edited.get_by_text("1 piece left out of this page").click()
    edited.get_by_role("button", name="Bring back").click()
    expect(edited.locator("#chunk-count")).to_have_text(str(len(before)))
    assert [c["content"] for c in chunks()] == [c["content"] for c in before]
    entries = edited.locator(".edit-entry")
    expect(entries.first).to_contain_text("Brought back")
    undone = edited.locator(".edit-entry.undone")
    former = undone.count()
    for more in (1, 2):
        edited.locator(".edit-entry:not(.undone)").first.get_by_role("button", name="Undo").click()
        expect(undone).to_have_count(former + more)
    assert chunks() == before


def test_an_edit_made_elsewhere_is_told_and_loaded(
    api: httpx.Client, document: str, edited: Page, chunks: Callable[[], list[Json]]
) -> None:
    last = chunks()[-1]
    revision = read(api, f"/v1/documents/{document}")["revision"]
    other = {"kind": "retype", "chunk_id": last["id"], "chunk_type": "code"}
    made = api.post(f"/v1/documents/{document}/edits", json={"revision": revision, "edit": other}).json()
    edited.keyboard.press("m")
    expect(edited.locator(".edit-said.bad")).to_contain_text("has changed since you loaded it")
    edited.get_by_role("button", name="Load again").click()
    expect(box_of(edited, made["chunks"][0]["id"])).to_have_attribute("data-type", "code")
    edited.keyboard.press("u")
    expect(edited.locator(".edit-said")).to_contain_text("Undone")
    assert chunks()[-1] == last


def test_a_line_is_shown_on_the_page_before_a_chunk_is_split_there(
    edited: Page, chunks: Callable[[], list[Json]]
) -> None:
    edited.keyboard.press("m")
    saved(edited)
    merged = chunks()[1]
    edited.keyboard.press("x")
    lines = edited.locator(".edit-line")
    expect(lines.first).to_be_disabled()
    expect(lines.nth(1)).to_be_focused()
    expect(edited.locator(".marks .mark")).to_have_count(1)
    edited.keyboard.press("Enter")
    saved(edited)
    parts = chunks()[1:3]
    assert " ".join(part["content"] for part in parts) == merged["content"]
    undo(edited)
    edited.keyboard.press("u")
    expect(edited.locator(".edit-said")).to_contain_text("Undone: merge")


@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_no_violation_while_something_is_edited(
    open_page: Opener, document: str, chunks: Callable[[], list[Json]], width: int
) -> None:
    path = f"/documents/{document}?page=1&chunk={chunks()[1]['id']}"
    page = open_inspector(open_page(path, width=width))
    if width < 820:
        page.get_by_role("tab", name="Chunks").first.click()
    for name in ("type", "section"):
        page.locator(f'[data-edit="{name}"]').click()
        expect(page.locator(".edit-panel:not([hidden]) .menu-item").first).to_be_visible()
        assert violations_in_both_themes(page) == []
        page.keyboard.press("Escape")
    page.keyboard.press("6")
    expect(page.locator(".edit-entry").first).to_be_visible()
    assert violations_in_both_themes(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
