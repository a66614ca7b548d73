"""A digest in the browser: brought up to date, a file with citations that open boxes, edited, compared, restored,
exported and taken back."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations
from tests.browser.sample import Json

pytestmark = pytest.mark.browser

WIDE = "The boom of a dinghy must not be wider than 240 mm."
OWN = "Booms are measured at the gooseneck."


@pytest.fixture
def shelf(api: httpx.Client, request: pytest.FixtureRequest) -> Iterator[Json]:
    made = api.post("/v1/knowledge-bases", json={"name": request.node.name[:60]}).json()
    yield made
    api.delete(f"/v1/knowledge-bases/{made['id']}")


def note(api: httpx.Client, shelf: Json, title: str, text: str) -> None:
    address = f"/v1/knowledge-bases/{shelf['id']}/notes"
    api.post(address, json={"text": f"# {title}\n\n{text}"}).raise_for_status()


def open_digest(open_page: Opener, shelf: Json, file: str = "") -> Page:
    return settle(open_page(f"/kb/{shelf['slug']}/digest{f'?file={file}' if file else ''}"))


def test_an_empty_knowledge_base_says_what_a_digest_takes(open_page: Opener, shelf: Json) -> None:
    page = open_digest(open_page, shelf)
    expect(page.locator("#digest-lead")).to_have_text("What this knowledge base says, topic by topic.")
    page.get_by_role("button", name="Build it").click()
    expect(page.locator("#said")).to_have_text("There is nothing to read yet: add documents or notes.")


def test_a_digest_is_built_and_a_citation_opens_its_box(open_page: Opener, api: httpx.Client, shelf: Json) -> None:
    note(api, shelf, "Booms", WIDE)
    page = open_digest(open_page, shelf)
    build = page.locator("#digest-update")
    build.click()
    expect(page.locator("#digest-lead")).to_contain_text("1 topic")
    expect(page.locator("#digest-update")).to_be_focused()
    page.get_by_role("navigation", name="Topics").get_by_role("link", name="Booms", exact=True).click()
    line = page.locator(".digest-line", has_text=WIDE)
    expect(page.locator("#digest-pane")).to_be_focused()
    expect(page.locator("#said")).to_have_text("")
    line.get_by_role("link", name="Citation 1").click()
    page.wait_for_url(re.compile(r"/documents/.*chunk="))


def test_an_edit_is_kept_compared_and_taken_back_by_restoring(
    open_page: Opener, api: httpx.Client, shelf: Json
) -> None:
    note(api, shelf, "Booms", WIDE)
    api.post(f"/v1/knowledge-bases/{shelf['id']}/digest:update", json={}).raise_for_status()
    page = open_digest(open_page, shelf, "summaries/booms.md")
    page.get_by_role("button", name="Add a statement").click()
    page.get_by_label("The new statement").fill(OWN)
    page.get_by_role("button", name="Add it").click()
    expect(page.get_by_role("alert")).to_have_text("Cite a passage, or say that it has no source here.")
    page.get_by_label("It has no source here").check()
    page.get_by_role("button", name="Add it").click()
    expect(page.locator(".digest-line", has_text=OWN)).to_contain_text("Without a source")
    expect(page.locator("#digest-pane")).to_be_focused()
    expect(page.locator("#announcer")).to_have_text("Saved as a new version.")

    page.get_by_role("link", name="Health").click()
    expect(page.locator("#digest-pane")).to_contain_text("1 of 2 statements")
    page.locator("#digest-pane").get_by_role("link", name="Booms").click()
    page.get_by_role("link", name="History").click()
    page.get_by_role("button", name="What changed").click()
    expect(page.locator(".diff-line.added", has_text=OWN)).to_be_visible()
    page.get_by_role("button", name="Restore").click()
    page.get_by_role("dialog").get_by_role("button", name="Restore").click()
    expect(page.locator(".digest-version").first).to_contain_text("version 1 restored")
    assert violations(page) == []
    page.get_by_role("link", name="Summary").click()
    expect(page.locator(".digest-line", has_text=WIDE)).to_be_visible()
    expect(page.locator(".digest-line", has_text=OWN)).to_have_count(0)


def test_an_exported_folder_is_taken_back_with_what_was_changed_in_it(
    open_page: Opener, api: httpx.Client, shelf: Json, tmp_path: Path
) -> None:
    note(api, shelf, "Booms", WIDE)
    address = f"/v1/knowledge-bases/{shelf['id']}"
    api.post(f"{address}/digest:update", json={}).raise_for_status()
    page = open_digest(open_page, shelf, "summaries/booms.md")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export", exact=True).click()
    folder = tmp_path / "digest"
    with zipfile.ZipFile(download.value.path()) as file:
        file.extractall(folder)
    written = folder / "summaries" / "booms.md"
    written.write_text(written.read_text(encoding="utf-8").replace("240 mm", "250 mm"), encoding="utf-8")
    page.get_by_role("button", name="Import…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Folder", exact=True).set_input_files(folder)
    dialog.get_by_role("button", name="Look at it").click()
    expect(dialog).to_contain_text("summaries/booms.md · 1 changed")
    assert "240 mm" in page.locator(".digest-line").first.inner_text()
    dialog.get_by_role("button", name="Take them").click()
    expect(page.locator(".digest-line", has_text="250 mm")).to_contain_text("Written by")


def test_cited_tables_stand_below_a_file_and_events_lead_to_the_files_that_state_them(
    open_page: Opener, api: httpx.Client, shelf: Json
) -> None:
    table = "| Class | Boom in mm |\n|---|---|\n| Dinghy | 240 |\n| Yacht of the open class | 1900 |"
    note(api, shelf, "Booms", f"{WIDE}\n\n{table}")
    for kind in ("deployment", "payment"):
        event = {"knowledge_base_id": shelf["id"], "kind": kind, "subject": "shop", "at": "2026-03-01T10:00:00Z"}
        api.post("/v1/events", json=event).raise_for_status()
    api.post(f"/v1/knowledge-bases/{shelf['id']}/digest:update", json={}).raise_for_status()
    page = open_digest(open_page, shelf, "descriptions/booms.md")
    expect(page.locator(".digest-asset td", has_text="1900")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("link", name=re.compile("^Events ?2$")).click()
    items = page.locator(".digest-event")
    expect(items).to_have_count(2)
    page.get_by_label("Kind", exact=True).fill("payment")
    page.get_by_label("To", exact=True).fill("2026-03-01")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(items).to_have_count(1)
    assert violations(page) == []
    page.get_by_label("To", exact=True).fill("2026-02-28")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("#digest-pane")).to_contain_text("None is of that kind and time.")
    page.get_by_label("To", exact=True).fill("")
    page.get_by_role("button", name="Show", exact=True).click()
    items.get_by_role("link", name="Events, summary").click()
    expect(page.locator(".digest-line", has_text="payment shop")).to_be_visible()


def test_topics_of_one_name_are_told_apart_by_the_numbers_of_their_paths(open_page: Opener) -> None:
    page = open_page("/")
    named = page.evaluate(
        """async () => {
            const { nameOf } = await import(`${document.documentElement.dataset.static}/js/digest/address.js`);
            const file = (id, title, path, tier = "summary") => ({ id, title, path, tier });
            const files = [
                file(1, "Cars", "summaries/cars.md"), file(2, "Cars", "summaries/cars-2.md"),
                file(3, "Rule 7", "summaries/rule-7.md"), file(4, "Rule 7", "descriptions/rule-7.md", "description"),
            ];
            return files.map((one) => nameOf(one, files));
        }"""
    )
    assert named == ["Cars", "Cars (2)", "Rule 7", "Rule 7"]
