"""A knowledge base's notebook in the browser: written, pinned to, ordered, undone, restored, shared, taken back."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Contexts, Opener, opener
from tests.browser.gestures import box_of, open_inspector, settle, violations, violations_in_both_themes
from tests.browser.people import People
from tests.browser.sample import Json, Sample, read

pytestmark = pytest.mark.browser

CELLS = ".notebook-cell"
TORQUE = "Torque (N m)"


@pytest.fixture
def notebook(api: httpx.Client, sample: Sample) -> Iterator[Json]:
    """Three cells: one, two, three; the only notebook of the samples."""
    base = sample.knowledge_base["id"]
    made = api.post("/v1/notebooks", json={"knowledge_base_id": base, "title": "Findings"}).json()
    for text in ("one", "two", "three"):
        pin(api, made, {"kind": "markdown", "text": text})
    yield read(api, f"/v1/notebooks/{made['id']}")
    api.delete(f"/v1/notebooks/{made['id']}")


def pin(api: httpx.Client, notebook: Json, content: Json) -> Json:
    made = api.post(f"/v1/notebooks/{notebook['id']}/cells", json={"content": content})
    made.raise_for_status()
    return made.json()


def open_notebook(open_page: Opener, sample: Sample, **options: object) -> Page:
    return settle(open_page(f"/kb/{sample.knowledge_base['slug']}/notebook", **options))


def said(page: Page) -> list[str]:
    """What the cells say, in their order."""
    return [text.strip() for text in page.locator(f"{CELLS} .notebook-body").all_text_contents()]


def stored(api: httpx.Client, notebook: Json) -> list[str]:
    return [cell["body"].get("text", cell["kind"]) for cell in read(api, f"/v1/notebooks/{notebook['id']}")["cells"]]


def test_a_cell_is_dragged_to_its_place(open_page: Opener, api: httpx.Client, sample: Sample, notebook: Json) -> None:
    page = open_notebook(open_page, sample)
    first = page.locator(CELLS).nth(0)
    page.locator(".notebook-grip").nth(2).drag_to(first, target_position={"x": 200, "y": 6})
    expect(page.locator("#announcer")).to_have_text("Moved to place 1 of 3")
    assert said(page) == stored(api, notebook) == ["three", "one", "two"]
    page.locator(".notebook-grip").nth(0).drag_to(page.locator(CELLS).nth(1), target_position={"x": 200, "y": 60})
    expect(page.locator("#announcer")).to_have_text("Moved to place 2 of 3")
    assert said(page) == stored(api, notebook) == ["one", "three", "two"]


def test_cells_are_ordered_by_the_keyboard_and_it_is_said(
    open_page: Opener, api: httpx.Client, sample: Sample, notebook: Json
) -> None:
    page = open_notebook(open_page, sample)
    down = page.get_by_role("button", name="Move down: Cell 1, Text")
    down.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#announcer")).to_have_text("Moved to place 2 of 3")
    expect(page.get_by_role("button", name="Move down: Cell 2, Text")).to_be_focused()
    page.keyboard.press("Alt+ArrowDown")
    expect(page.locator("#announcer")).to_have_text("Moved to place 3 of 3")
    assert said(page) == stored(api, notebook) == ["two", "three", "one"]
    page.keyboard.press("Alt+ArrowDown")
    expect(page.locator("#announcer")).to_have_text("It is the last cell")
    page.keyboard.press("Alt+ArrowUp")
    expect(page.locator("#announcer")).to_have_text("Moved to place 2 of 3")
    assert stored(api, notebook) == ["two", "one", "three"]


def test_words_are_written_in_place_and_nothing_in_them_runs(
    open_page: Opener, api: httpx.Client, sample: Sample, notebook: Json
) -> None:
    page = open_notebook(open_page, sample)
    page.get_by_role("button", name="Add: Text").click()
    text = "# Found\n\n<img src=x onerror=\"document.title='run'\"> **bold** [x](javascript:f())\n\n|a|b|\n|-|-|\n|1|2|"
    page.get_by_label("Text of the new cell, in Markdown").fill(text)
    page.keyboard.press("Control+Enter")
    cell = page.locator(CELLS).nth(3)
    expect(cell.get_by_role("heading", name="Found")).to_be_visible()
    expect(cell.locator("strong")).to_have_text("bold")
    expect(cell).to_contain_text("<img src=x onerror=")
    expect(cell.locator("img, script, a[href^=javascript]")).to_have_count(0)
    page.get_by_role("button", name="Edit: Cell 1, Text").click()
    area = page.get_by_label("Text of the cell, in Markdown")
    expect(area).to_have_value("one")
    area.fill("1")
    assert violations(page) == []
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(CELLS).nth(0)).to_contain_text("1")
    assert stored(api, notebook)[0] == "1"
    find = page.get_by_role("searchbox", name="Find in this notebook")
    find.fill("bold")
    expect(page.locator(f"{CELLS}:visible")).to_have_count(1)


def test_of_html_that_is_not_the_servers_own_nothing_runs_and_nothing_is_loaded(
    contexts: Contexts, live_server: str, sample: Sample, notebook: Json
) -> None:
    hostile = (
        "<p onclick=f()>said</p><script>document.title = 'run'</script><iframe src='/'></iframe>"
        "<img src='https://elsewhere.example/x.png' onerror=\"document.title = 'run'\"><a href='javascript:f()'>go</a>"
    )
    shown = notebook | {"cells": [notebook["cells"][0] | {"html": hostile}]}
    # The browser notes handlers where the text is taken apart, in a document that nothing runs in.
    with opener(contexts, "Executing inline event handler") as open_address:
        page = open_address(live_server)
        page.route(f"**/v1/notebooks/{notebook['id']}", lambda route: route.fulfill(json=shown))
        page.goto(f"{live_server}/kb/{sample.knowledge_base['slug']}/notebook")
        settle(page)
        body = page.locator(".notebook-body")
        expect(body).to_contain_text("said")
        expect(body.locator("script, iframe, img[src], [onclick], [onerror], [href]")).to_have_count(0)
        assert "run" not in page.title()


def test_what_two_people_change_at_once_is_said_and_nothing_of_it_is_lost(
    open_page: Opener, api: httpx.Client, sample: Sample, notebook: Json
) -> None:
    page = open_notebook(open_page, sample)
    page.get_by_role("button", name="Edit: Cell 1, Text").click()
    area = page.get_by_label("Text of the cell, in Markdown")
    area.fill("mine")
    cell = notebook["cells"][0]
    theirs = {"content": {"kind": "markdown", "text": "theirs"}}
    path = f"/v1/notebooks/{notebook['id']}/cells/{cell['id']}"
    api.put(path, json=theirs, headers={"If-Match": f'"{cell["state"]}"'}).raise_for_status()
    page.get_by_role("button", name="Save", exact=True).click()
    alert = page.get_by_role("alert").filter(has_text="Somebody else has changed this cell meanwhile")
    expect(alert).to_contain_text("theirs")
    expect(area).to_have_value("mine")
    assert stored(api, notebook)[0] == "theirs"
    assert violations(page) == []
    page.get_by_role("button", name="Add mine as a further cell").click()
    expect(page.locator(CELLS)).to_have_count(4)
    assert stored(api, notebook) == ["theirs", "two", "three", "mine"]


def test_what_is_deleted_comes_back_by_undo_and_an_earlier_version_from_the_history(
    open_page: Opener, api: httpx.Client, sample: Sample, notebook: Json
) -> None:
    page = open_notebook(open_page, sample)
    page.get_by_role("button", name="Delete: Cell 2, Text").click()
    expect(page.locator(CELLS)).to_have_count(2)
    assert stored(api, notebook) == ["one", "three"]
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(CELLS)).to_have_count(3)
    assert stored(api, notebook) == ["one", "two", "three"]
    page.get_by_role("button", name="History").click()
    versions = page.get_by_role("list", name="Versions").get_by_role("listitem")
    expect(versions).to_have_count(6)
    assert violations(page) == []
    page.get_by_role("button", name="Show version 3").click()
    expect(page.locator("#notebook-tools")).to_contain_text("This is version 3; the latest is 6.")
    assert said(page) == ["one", "two"]
    expect(page.get_by_role("button", name=re.compile("^Delete: "))).to_have_count(0)
    page.get_by_role("button", name="Restore this one").click()
    expect(page.locator("#announcer")).to_have_text("Restored: 2 cells")
    assert stored(api, notebook) == ["one", "two"]


def test_a_hit_and_a_chunk_are_pinned_and_the_citation_leads_back_to_the_box(
    open_page: Opener, api: httpx.Client, sample: Sample, notebook: Json
) -> None:
    chunk = sample.addressed
    page = settle(open_page(sample.playground(chunk["section_id"], "lookup")))
    page.get_by_role("button", name="Pin hit 1 to a notebook").click()
    expect(page.get_by_role("status").filter(has_text="Pinned to “Findings”")).to_be_visible()
    page.get_by_role("link", name="Open it").click()
    settle(page)
    citation = page.locator(f"{CELLS}.chunk .citation")
    citation.click()
    preview = page.get_by_role("dialog", name=re.compile("^Source 1: "))
    expect(preview.locator("img")).to_be_visible()
    preview.get_by_role("link").click()
    open_inspector(page)
    pinned = read(api, f"/v1/notebooks/{notebook['id']}")["cells"][-1]["body"]["chunk_id"]
    expect(box_of(page, pinned)).to_have_class(re.compile(r"\bpinned\b"))
    page.locator(".card.pinned").get_by_role("button", name="Pin to notebook").click()
    expect(page.get_by_role("status").filter(has_text="Pinned to “Findings”")).to_be_visible()
    assert [one["kind"] for one in read(api, f"/v1/notebooks/{notebook['id']}")["cells"][-2:]] == ["chunk", "chunk"]


def test_an_answer_a_dataset_a_plot_and_a_summary_are_pinned_from_their_pages(
    open_page: Opener, api: httpx.Client, sample: Sample, notebook: Json
) -> None:
    base, document = sample.knowledge_base["id"], sample.document["id"]
    tables = read(api, f"/v1/knowledge-bases/{base}/tables?limit=500&document_id={document}")["items"]
    table = next(one for one in tables if TORQUE in one["header"])
    dataset = api.post("/v1/datasets", json={"knowledge_base_id": base, "table_ids": [table["table_id"]]}).json()["id"]
    form = {"mark": "bar", "x": {"field": "Class"}, "y": {"field": TORQUE, "aggregate": "mean"}}
    plot = api.post("/v1/plots", json={"dataset_id": dataset, "spec": {"form": form}}).json()["id"]
    api.post(f"/v1/documents/{document}/summary", json={}).raise_for_status()
    try:
        for path in (f"/datasets/{dataset}", f"/plots/{plot}", f"/documents/{document}/summary"):
            page = settle(open_page(path))
            page.get_by_role("button", name="Pin to notebook").click()
            expect(page.get_by_role("status").filter(has_text="Pinned to “Findings”")).to_be_visible()
        page = settle(open_page(sample.playground(sample.addressed["content"][:80], "ask")))
        page.get_by_role("button", name="Pin the answer to a notebook").click()
        expect(page.get_by_role("status").filter(has_text="Pinned to “Findings”")).to_be_visible()
        kinds = [one["kind"] for one in read(api, f"/v1/notebooks/{notebook['id']}")["cells"]]
        assert kinds[3:] == ["dataset", "plot", "summary", "answer"]
        page.get_by_role("link", name="Open it").click()
        settle(page)
        expect(page.locator(f"{CELLS}.plot img")).to_be_visible()
        expect(page.locator(f"{CELLS}.dataset th").filter(has_text=TORQUE)).to_be_visible()
        expect(page.locator(f"{CELLS}.summary")).to_contain_text("Experiment summary, version")
        for width in (1440, 390):
            shown = open_notebook(open_page, sample, width=width)
            assert shown.evaluate("document.documentElement.scrollWidth") <= width
            assert violations_in_both_themes(shown) == []
    finally:
        api.delete(f"/v1/datasets/{dataset}")


def test_cells_are_added_from_the_page_and_a_question_is_asked_there(
    open_page: Opener, api: httpx.Client, sample: Sample, notebook: Json
) -> None:
    page = open_notebook(open_page, sample)
    page.get_by_role("button", name="Add: Question").click()
    page.get_by_role("textbox", name=re.compile("^Question")).fill(sample.addressed["content"][:80])
    assert violations(page) == []
    page.get_by_role("button", name="Ask and add").click()
    expect(page.locator(f"{CELLS}.answer")).to_be_visible()
    page.get_by_role("button", name="Add: Passage").click()
    page.get_by_label("Search for").fill(sample.addressed["content"][:60])
    page.keyboard.press("Enter")
    expect(page.locator(".notebook-found label").first).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Search or add").click()
    expect(page.locator(f"{CELLS}.chunk")).to_be_visible()
    page.get_by_role("button", name="Add: Plot").click()
    expect(page.get_by_role("dialog")).to_contain_text("No plot yet")
    page.get_by_role("button", name="Close").click()
    assert [one["kind"] for one in read(api, f"/v1/notebooks/{notebook['id']}")["cells"][3:]] == ["answer", "chunk"]


def test_a_note_is_written_in_the_notebook_and_found_as_every_other(
    open_page: Opener, api: httpx.Client, sample: Sample, notebook: Json
) -> None:
    page = open_notebook(open_page, sample)
    page.get_by_role("button", name="Add: Note").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Note").fill("Quokka torque\n\nAsk Ida before the fit.")
    expect(dialog.get_by_label("Knowledge base")).to_have_count(0)
    assert violations(page) == []
    dialog.get_by_role("button", name="Save note").click()
    cell = page.locator(f"{CELLS}.note")
    expect(cell).to_contain_text("Ask Ida before the fit.")
    held = read(api, f"/v1/notebooks/{notebook['id']}")["cells"][-1]
    try:
        assert held["kind"] == "note"
        assert held["sources"]
        search = {"query": "quokka torque", "k": 1, "knowledge_base_ids": [sample.knowledge_base["id"]]}
        (hit,) = api.post("/v1/search", json=search).json()["hits"]
        assert hit["document"]["id"] == held["body"]["document_id"]
        cell.get_by_role("link", name="Open").click()
        page.wait_for_url(re.compile(f"/documents/{held['body']['document_id']}"))
        settle(page)
    finally:
        api.delete(f"/v1/documents/{held['body']['document_id']}")


@pytest.mark.parametrize(("item", "ending"), [("HTML", ".html"), ("PDF", ".pdf"), ("JSON", ".zip")])
def test_it_is_saved_as_a_file(open_page: Opener, sample: Sample, notebook: Json, item: str, ending: str) -> None:
    assert notebook["cells"]
    page = open_notebook(open_page, sample)
    page.get_by_role("button", name="Download").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=re.compile(f"^{item}")).click()
    assert download.value.suggested_filename.endswith(ending)
    assert download.value.path().stat().st_size > 500


@pytest.fixture(scope="module")
def shelf(people: People) -> Json:
    """A knowledge base of people who sign in, with a notebook that ann shared."""
    for name, role in (("ann", "editor"), ("adam", "admin"), ("vic", "viewer")):
        people.add(name, role)
        people.request(name, "GET", "/v1/me").raise_for_status()
    base = people.request("adam", "POST", "/v1/knowledge-bases", {"name": "Wings"}).json()
    made = people.request("ann", "POST", "/v1/notebooks", {"knowledge_base_id": base["id"], "title": "Shared"}).json()
    content = {"content": {"kind": "markdown", "text": "what was found"}}
    people.request("ann", "POST", f"/v1/notebooks/{made['id']}/cells", content).raise_for_status()
    return {"slug": base["slug"], "id": made["id"]}


def test_a_link_opens_in_a_private_window_until_a_colleague_takes_it_back(
    open_as: Opener, browser: Browser, people: People, shelf: Json
) -> None:
    address = f"/kb/{shelf['slug']}/notebook"
    page = settle(open_as("ann", address))
    page.get_by_role("button", name="Share…").click()
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_label("The link", exact=True).input_value()
    assert link.startswith(f"{people.url}/shared/")
    assert violations(page) == []
    later = {"content": {"kind": "markdown", "text": "written later"}}
    people.request("ann", "POST", f"/v1/notebooks/{shelf['id']}/cells", later).raise_for_status()
    private = browser.new_context().new_page()
    answer = private.goto(link)
    assert answer is not None
    assert answer.headers["x-robots-tag"] == "noindex, nofollow"
    settle(private)
    expect(private.get_by_role("heading", level=1)).to_have_text("Shared")
    expect(private.locator(CELLS)).to_have_text(["what was found"])
    expect(private.locator("main button")).to_have_count(0)
    assert violations(private) == []
    with private.expect_download() as download:
        private.get_by_role("link", name="HTML").click()
    assert "what was found" in download.value.path().read_text(encoding="utf-8")

    viewer = settle(open_as("vic", address))
    expect(viewer.get_by_role("button", name="Share…")).to_have_count(0)
    expect(viewer.get_by_role("button", name=re.compile("^(Add|Delete|Edit)"))).to_have_count(0)

    other = settle(open_as("adam", address))
    other.get_by_role("button", name="Share…").click()
    row = other.get_by_role("list", name="Links").get_by_role("listitem")
    expect(row).to_contain_text("by ann")
    row.get_by_role("button", name="Take back").click()
    expect(row).to_contain_text("taken back")
    private.reload()
    expect(private.get_by_role("heading", level=1)).to_have_text("This link shows nothing")
    private.context.close()
