"""The box for notes on every page, and corrections beside what they correct."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import expect

from tests.api.files import doubtful
from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations
from tests.browser.sample import Json, ingest

pytestmark = pytest.mark.browser


@pytest.fixture
def shelf(api: httpx.Client, request: pytest.FixtureRequest) -> Iterator[Json]:
    made = api.post("/v1/knowledge-bases", json={"name": request.node.name[:60]}).json()
    yield made | {"document": ingest(api, made["id"], "doubt.pdf", doubtful())}
    api.delete(f"/v1/knowledge-bases/{made['id']}")


def test_a_note_is_written_with_the_keyboard_and_listed_at_once(open_page: Opener, shelf: Json) -> None:
    page = settle(open_page(f"/kb/{shelf['slug']}"))
    page.keyboard.press("Alt+n")
    box = page.get_by_role("dialog", name="New note")
    box.locator("textarea").fill(
        "# Oil of the winch\n\nThe winch of pier 4 takes 3 litres, says Brunel. So Brunel knows."
    )
    expect(box.get_by_label("Type").locator("option").first).to_have_text("As it seems: text")
    expect(box.get_by_label("Title")).to_have_attribute("placeholder", "Oil of the winch")
    assert violations(page) == []
    box.get_by_role("button", name="Add the tag brunel").click()
    page.keyboard.press("Shift+Tab")
    box.locator("textarea").press("Control+Enter")
    said = page.get_by_role("status").filter(has_text="The note is saved")
    expect(said.get_by_role("link")).to_have_text("Oil of the winch")
    expect(page.locator("#documents").get_by_role("link", name="Oil of the winch").first).to_be_visible()


def test_an_empty_note_is_not_sent(open_page: Opener) -> None:
    page = settle(open_page("/"))
    page.get_by_role("button", name="New note").click()
    box = page.get_by_role("dialog", name="New note")
    box.get_by_role("button", name="Save note").click()
    expect(box.get_by_role("alert")).to_have_text("Write or paste something.")


def test_a_correction_stands_below_its_chunk_and_a_note_is_revised(open_page: Opener, shelf: Json) -> None:
    page = open_page(f"/documents/{shelf['document']}?page=1")
    card = page.locator(".card").nth(1)
    card.click()
    card.get_by_role("button", name="Correct by a note").click()
    box = page.get_by_role("dialog", name="Correct this")
    box.locator("textarea").fill("It is 31 kg since May.")
    box.get_by_role("button", name="Save note").click()
    quote = page.locator(".card .correction")
    expect(quote.locator("p")).to_have_text("It is 31 kg since May.")
    quote.get_by_role("link", name="Correction").click()
    page.get_by_role("button", name="Revise").click()
    box = page.get_by_role("dialog", name="Revise the note")
    expect(box.locator("textarea")).to_have_value("It is 31 kg since May.")
    box.locator("textarea").fill("It is 32 kg since May.")
    box.get_by_role("button", name="Save note").click()
    expect(page.locator(".pill.changes")).to_have_text(re.compile("1 changed"))


def test_what_is_found_and_what_is_quoted_carries_its_correction(
    open_page: Opener, api: httpx.Client, shelf: Json
) -> None:
    base = f"/v1/knowledge-bases/{shelf['id']}/notes"
    text = "The anchor winch of the Marigold pulls 12 kN.\n\nIts rope is of hemp."
    made = api.post(base, json={"text": text, "title": "Winch"}).json()
    chunk = api.get(f"/v1/documents/{made['id']}/chunks").json()["items"][0]
    corrects = {"document_id": made["id"], "chunk_id": chunk["id"]}
    api.post(base, json={"text": "It pulls 15 kN since May.", "corrects": corrects}).raise_for_status()
    page = open_page(
        f"/playground?scores=yes&mode=ask&kb={shelf['slug']}&q=What does the anchor winch of the Marigold pull?"
    )
    quoted = page.locator(".quotation").filter(has_text="12 kN")
    expect(quoted.locator(".correction p")).to_have_text("It pulls 15 kN since May.")
    hit = page.locator(".hit").filter(has_text="12 kN")
    expect(hit.locator(".correction p")).to_have_text("It pulls 15 kN since May.")
    expect(page.locator(".hit").filter(has_text="hemp").locator(".correction")).to_have_count(0)
    assert violations(page) == []
    hit.get_by_role("link", name="Correction").click()
    expect(page).to_have_url(re.compile("/documents/"))
