"""Knowledge bases and documents: create, upload with live progress, refuse, delete."""

import csv
import hashlib
import io
import json
import re
from http import HTTPStatus
from pathlib import Path

import httpx
import pymupdf
import pytest
from playwright.sync_api import FilePayload, Page, Route, expect

from tests.browser.conftest import Opener
from tests.browser.gestures import settle
from tests.browser.sample import Sample, read

pytestmark = pytest.mark.browser


def manual(pages: int) -> FilePayload:
    document = pymupdf.open()
    for number in range(1, pages + 1):
        page = document.new_page()
        top = 90 + 23 * (number % 7)  # what stands at the same height on every page is taken for a running header
        page.insert_text((72, top), f"K{number} Kestrel manual, part {number}", fontsize=18)
        page.insert_text(
            (72, top + 40), f"K{number}.1 Tighten the bolt of part {number} to {number + 20} Nm.", fontsize=11
        )
    return {"name": "kestrel-manual.pdf", "mimeType": "application/pdf", "buffer": document.tobytes()}


def create(page: Page, name: str) -> None:
    page.get_by_role("button", name="New knowledge base").click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("What is in it?").fill("Manuals of the kestrel line")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def load_again(page: Page) -> None:
    """Has the list loaded as it is when a run ends, and waits until it is drawn."""
    settle(page)
    with page.expect_response("**/version-suggestions*"):
        page.evaluate("document.dispatchEvent(new Event('note-saved'))")


def test_the_list_is_loaded_once_at_a_time_and_whoever_asks_meanwhile_shares_the_next(open_page: Opener) -> None:
    page = settle(open_page("/"))
    create(page, "Kestrel queue")
    settle(page)
    asked: list[Route] = []
    page.route("**/v1/documents?*", lambda route: asked.append(route))
    page.evaluate("for (const _ of [1, 2, 3]) document.dispatchEvent(new Event('note-saved'))")
    for number in (1, 2):
        for _ in range(400):
            if len(asked) < number:
                page.wait_for_timeout(50)
        page.wait_for_timeout(200)  # for one too many
        assert len(asked) == number
        asked[-1].continue_()
    settle(page)
    assert len(asked) == 2


def test_every_knowledge_base_is_listed_with_its_counts(open_page: Opener, sample: Sample) -> None:
    page = open_page("/")
    card = page.locator(".kb-card").filter(has_text=sample.knowledge_base["name"])
    expect(card).to_contain_text(f"{sample.knowledge_base['documents']} document")
    expect(card).to_contain_text(f"{sample.knowledge_base['chunks']:,} chunks")
    card.get_by_role("link").first.click()
    expect(page.locator(".doc-row a.doc-name").first).to_be_visible()


def test_a_knowledge_base_without_a_name_is_not_created(open_page: Opener) -> None:
    page = open_page("/")
    page.get_by_role("button", name="New knowledge base").click()
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.locator("#create-error")).to_have_text("Give it a name.")


# How many lists of stages were seen since.
COUNTS_STAGES = """staged = 0;
new MutationObserver(() => { staged += document.querySelectorAll(".ingestion .stages").length; })
  .observe(document.body, { childList: true, subtree: true });"""


def test_an_upload_shows_its_stages_live_and_ends_as_a_row_that_opens(open_page: Opener) -> None:
    page = open_page("/")
    create(page, "Kestrel manuals")
    expect(page.locator(".drop-zone")).to_contain_text("Nothing here yet")
    expect(page.get_by_text("Word (.docx)")).to_be_hidden()
    page.get_by_text("Which files can be read?").click()
    expect(page.get_by_text("Word (.docx)")).to_be_visible()
    file = manual(60)
    page.set_input_files("#file-input", file)
    run = page.locator(".ingestion").first
    expect(run.locator(".stages li")).to_have_count(7)
    expect(page.get_by_role("link", name="Ask it")).to_be_hidden()
    expect(run.locator(".state")).to_have_text("ready")
    expect(page.get_by_role("link", name="Ask it")).to_be_visible()
    expect(page.get_by_role("link", name="Evaluation")).to_be_visible()
    expect(run.locator(".stages")).to_have_count(0)
    expect(run).to_have_count(0)
    page.evaluate(COUNTS_STAGES)
    page.set_input_files("#file-input", file)
    expect(run.locator(".state")).to_have_text("already here")
    assert page.evaluate("staged") == 0
    row = page.locator(".doc-row").filter(has_text="kestrel-manual.pdf")
    expect(row.locator(".number").first).to_have_text("60")
    row.get_by_role("link", name="kestrel-manual.pdf").click()
    expect(page.locator("#page-total")).to_have_text("60")


def test_the_browser_hashes_a_file_of_any_size_without_help(open_page: Opener) -> None:
    # Around the ends of a block, of the padding, and of a piece that is read at once.
    sizes = [0, 1, 55, 56, 63, 64, 65, 119, 120, 2 * 1024**2, 2 * 1024**2 + 57, 5_000_001]
    found = open_page("/").evaluate(
        """async (sizes) => {
          const { sha256 } = await import(`${document.documentElement.dataset.static}/js/lib/sha256.js`);
          const bytes = (size) => Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8)) & 255);
          return Promise.all(sizes.map((size) => sha256(new Blob([bytes(size)]))));
        }""",
        sizes,
    )
    wanted = [bytes((i * 31 + (i >> 8)) & 255 for i in range(size)) for size in sizes]
    assert found == [hashlib.sha256(data).hexdigest() for data in wanted]


def test_a_document_can_be_looked_into_while_it_is_read(open_page: Opener) -> None:
    page = open_page("/")
    create(page, "Kestrel drafts")
    page.set_input_files("#file-input", manual(24))
    page.locator(".ingestion").get_by_role("link", name="Open").click()
    expect(page.locator(".strip-item")).to_have_count(24)
    expect(page.locator(".card").first).to_be_visible()
    expect(page.locator("#proof")).to_contain_text("verbatim")


def test_the_way_into_a_document_keeps_the_focus_while_it_is_read(open_page: Opener) -> None:
    page = open_page("/")
    create(page, "Kestrel sketches")

    def go_on(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "status": "running"})

    page.route("**/v1/ingestions/*", go_on)
    page.set_input_files("#file-input", manual(1))
    link = page.locator(".ingestion").get_by_role("link", name="Open while it runs")
    expect(link).to_be_visible()
    link.focus()
    # The second is asked for when the first is drawn.
    for _ in range(2):
        with page.expect_response("**/v1/ingestions/*"):
            pass
    expect(link).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/documents/*")


def test_what_is_deleted_while_it_is_followed_takes_its_card_along(open_page: Opener) -> None:
    """Also between a run and its files; an error that nobody catches fails the test."""
    page = open_page("/")
    create(page, "Kestrel parcels")

    def unpacked(route: Route) -> None:
        answer = route.fetch()
        parcel = {"files": 1, "open": 0, "refused": 1, "failed": 0}
        route.fulfill(response=answer, json={**answer.json(), "status": "ready", "parcel": parcel})

    page.route("**/v1/ingestions/*", unpacked)
    page.route("**/v1/ingestions/*/files*", lambda route: route.fulfill(status=404, json={"detail": "There is none."}))
    with page.expect_response("**/v1/ingestions/*/files*"):
        page.set_input_files("#file-input", manual(1))
    expect(page.locator(".ingestion")).to_have_count(0)


def test_files_that_cannot_be_read_are_refused_with_a_reason_and_leave_the_others(open_page: Opener) -> None:
    page = open_page("/")
    create(page, "Kestrel scraps")
    page.set_input_files(
        "#file-input", [{"name": "empty.pdf", "mimeType": "application/pdf", "buffer": b""}, manual(1)]
    )
    refused = page.locator(".ingestion.failed")
    expect(refused).to_contain_text("empty.pdf")
    expect(refused.locator(".why")).not_to_be_empty()
    expect(page.locator(".ingestion.ready")).to_contain_text("kestrel-manual.pdf")


def test_deleting_asks_first_and_keeps_the_document_when_told_so(open_page: Opener) -> None:
    page = open_page("/")
    create(page, "Kestrel leaflets")
    page.set_input_files("#file-input", manual(1))
    expect(page.locator(".ingestion.ready")).to_have_count(1)
    row = page.locator("li.doc-row")
    row.get_by_role("button", name=re.compile("Delete")).click()
    page.get_by_role("button", name="Keep it").click()
    expect(row).to_have_count(1)
    row.get_by_role("button", name=re.compile("Delete")).click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(row).to_have_count(0)
    expect(page.locator("#documents")).to_be_focused()


def test_an_open_menu_and_the_focus_stay_while_the_list_is_loaded_again(open_page: Opener, api: httpx.Client) -> None:
    page = open_page("/")
    create(page, "Kestrel pamphlets")
    page.set_input_files("#file-input", manual(1))
    expect(page.locator(".ingestion.ready")).to_have_count(1)
    row = page.locator("li.doc-row")
    page.get_by_role("button", name="More for kestrel-manual.pdf").click()
    entry = row.get_by_role("button", name="Rename…")
    entry.focus()
    drawn = entry.element_handle()
    slug = page.url.split("/kb/")[1]
    [base] = [one for one in read(api, "/v1/knowledge-bases")["items"] if one["slug"] == slug]
    [document] = read(api, f"/v1/documents?knowledge_base_id={base['id']}")["items"]
    api.put(f"/v1/documents/{document['id']}/review", json={"state": "approved", "note": "by somebody else"})
    with page.expect_response("**/version-suggestions*"):
        page.evaluate("document.dispatchEvent(new Event('note-saved'))")
    assert drawn.evaluate("(node) => node.isConnected && node === document.activeElement")
    page.keyboard.press("Escape")
    expect(row).to_contain_text("by somebody else")
    expect(page.get_by_role("button", name="More for kestrel-manual.pdf")).to_be_focused()


def test_dragging_files_over_the_page_shows_where_they_will_go(open_page: Opener, sample: Sample) -> None:
    page = open_page(f"/kb/{sample.knowledge_base['slug']}")
    expect(page.locator(".doc-row a").first).to_be_visible()
    transfer = page.evaluate_handle(
        "() => { const t = new DataTransfer(); t.items.add(new File(['x'], 'a.pdf')); return t; }"
    )
    page.dispatch_event("body", "dragenter", {"dataTransfer": transfer})
    expect(page.locator("#drop-veil")).to_contain_text(sample.knowledge_base["name"])
    page.dispatch_event("body", "dragleave", {"dataTransfer": transfer})
    expect(page.locator("#drop-veil")).to_be_hidden()


@pytest.mark.parametrize("path", ["/kb/no-such-shelf", "/kb/no-such-shelf/evaluation"])
def test_an_unknown_knowledge_base_is_a_page_of_status_404(open_page: Opener, path: str) -> None:
    page = open_page(path)
    assert page.request.get(page.url, headers={"accept": "text/html"}).status == HTTPStatus.NOT_FOUND
    expect(page.locator(".notice-panel")).to_contain_text("no-such-shelf")


def test_bytes_that_are_here_already_are_not_shown_as_waiting_for_stages(open_page: Opener) -> None:
    page = open_page("/")
    create(page, "Kestrel twins")
    twice = manual(1)
    page.set_input_files("#file-input", twice)
    expect(page.locator(".ingestion.ready")).to_have_count(1)
    page.set_input_files("#file-input", twice)
    known = page.locator(".ingestion").filter(has_text="already here")
    expect(known).to_be_visible()
    expect(known.locator(".stages")).to_have_count(0)
    expect(page.locator("li.doc-row")).to_have_count(1)


def test_a_refused_file_leaves_no_row_and_says_why_below_the_list(open_page: Opener) -> None:
    page = open_page("/")
    create(page, "Kestrel ruins")
    broken: FilePayload = {"name": "ruin.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7 nothing behind it"}
    page.set_input_files("#file-input", broken)
    expect(page.locator(".ingestion.failed")).to_contain_text("ruin.pdf")
    expect(page.locator(".ingestion.failed .stages")).to_have_count(0)
    page.get_by_text("1 file could not be read").click()
    refused = page.get_by_role("list", name="Refused files")
    expect(refused).to_contain_text("ruin.pdf")
    load_again(page)
    expect(refused).to_contain_text("ruin.pdf")
    page.set_input_files("#file-input", {**broken, "name": "wreck.pdf", "buffer": b"%PDF-1.7 nothing either"})
    # Opened, it is still open when there is more to say.
    expect(refused).to_contain_text("wreck.pdf")
    expect(page.locator("li.doc-row")).to_have_count(0)
    page.goto(page.url.partition("/kb/")[0])
    expect(page.locator(".kb-card").filter(has_text="Kestrel ruins")).to_contain_text("0 documents")


def test_what_failed_shows_the_stages_that_it_came_to(open_page: Opener) -> None:
    page = open_page("/")
    create(page, "Kestrel failures")

    def broken(route: Route) -> None:
        run = route.fetch().json()
        if not run["document_id"]:
            return route.fulfill(json=run)
        for at, stage in enumerate(run["stages"]):
            stage["status"] = ("done", "failed", "queued")[min(at, 2)]
        return route.fulfill(json=run | {"status": "failed", "error": "no page could be read"})

    page.route("**/v1/ingestions/*", broken)
    page.set_input_files("#file-input", manual(1))
    expect(page.locator(".ingestion.failed .stages li")).to_have_text(["register done", "render failed"])


def test_reading_again_asks_first(open_page: Opener) -> None:
    page = open_page("/")
    create(page, "Kestrel revisions")
    page.set_input_files("#file-input", manual(1))
    expect(page.locator(".ingestion.ready")).to_have_count(1)
    page.get_by_role("button", name="Read again kestrel-manual.pdf").click()
    page.get_by_role("button", name="Leave it").click()
    expect(page.locator("#confirm-dialog")).to_be_hidden()
    expect(page.locator(".ingestion .stages")).to_have_count(0)
    page.get_by_role("button", name="Read again kestrel-manual.pdf").click()
    with page.expect_response("**/reingest") as answered:
        page.get_by_role("button", name="Read again", exact=True).click()
    assert answered.value.status == HTTPStatus.ACCEPTED


def protected() -> FilePayload:
    aes_256 = 5
    with pymupdf.open("pdf", manual(2)["buffer"]) as document:
        data = document.tobytes(encryption=aes_256, owner_pw="owner", user_pw="perch")
    return {"name": "protected.pdf", "mimeType": "application/pdf", "buffer": data}


def test_a_protected_file_asks_for_its_password_and_opens_with_it(open_page: Opener) -> None:
    page = open_page("/")
    create(page, "Protected manuals")
    page.set_input_files("#file-input", protected())
    expect(page.locator(".doc-row .sub .trouble")).to_have_text(
        "The PDF is protected by a password. Type the password beside the document."
    )
    field = page.get_by_label("Password of protected.pdf")
    field.fill("guess")
    field.press("Enter")
    row = page.locator(".doc-row").filter(has_text="protected.pdf")
    expect(row).to_contain_text("The password does not open this PDF")
    field.fill("perch")
    field.press("Enter")
    run = page.locator(".ingestion")
    expect(run.get_by_text("ready", exact=True)).to_be_visible()
    expect(run).to_have_count(1)
    expect(field).to_have_count(0)


def test_documents_are_filtered_ordered_and_chosen_together(open_page: Opener, sample: Sample) -> None:
    page = open_page(f"/kb/{sample.knowledge_base['slug']}")
    names = page.locator("a.doc-name")
    expect(names).not_to_have_count(0)
    before = names.all_text_contents()
    page.get_by_label("Order").select_option("name")
    assert names.all_text_contents() == sorted(before)
    page.get_by_label("Filter documents by name").fill(before[0])
    expect(names).to_have_text([before[0]])
    page.get_by_label(f"Choose {before[0]}").check()
    ask = page.get_by_role("group", name="Chosen documents").get_by_role("link", name="Ask these")
    expect(ask).to_have_attribute("href", re.compile(r"doc=[0-9a-f-]{36}$"))


def test_the_file_and_its_chunks_can_be_saved(open_page: Opener, sample: Sample) -> None:
    page = open_page(f"/kb/{sample.knowledge_base['slug']}")
    name = sample.document["name"]
    more = page.get_by_role("button", name=f"More for {name}", exact=True)
    more.click()
    with page.expect_download() as original:
        page.get_by_role("link", name="Download the file").click()
    data = Path(original.value.path()).read_bytes()
    assert (original.value.suggested_filename, hashlib.sha256(data).hexdigest()) == (
        name,
        sample.document["source_hash"],
    )
    saved: dict[str, str] = {}
    for form in ("JSON", "CSV", "Markdown"):
        more.click()
        with page.expect_download() as chunks:
            page.get_by_role("button", name=f"Chunks as {form}").click()
        saved[form] = Path(chunks.value.path()).read_text("utf-8")
    (part,) = json.loads(saved["JSON"])
    rows = list(csv.DictReader(io.StringIO(saved["CSV"], newline="")))
    assert [row["id"] for row in rows] == [chunk["id"] for chunk in part["chunks"]]
    assert len(rows) == sample.document["chunks"]
    assert all(chunk["content"] in saved["Markdown"] for chunk in part["chunks"])


def test_a_document_is_renamed_in_its_row(open_page: Opener) -> None:
    page = open_page("/")
    create(page, "Kestrel names")
    page.set_input_files("#file-input", manual(1))
    expect(page.locator(".ingestion.ready")).to_have_count(1)
    page.get_by_role("button", name="More for kestrel-manual.pdf").click()
    page.get_by_role("button", name="Rename").click()
    page.locator(".form-dialog [name=name]").fill("Bolts of 2026")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("a.doc-name")).to_have_text("Bolts of 2026")
