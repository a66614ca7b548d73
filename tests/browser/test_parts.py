"""Sources without pages: how the shelf, the home page and the inspector show them."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pymupdf
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.gestures import rect, settle, violations
from tests.browser.sample import Json, ingest
from tests.readers.illustrated import EMF, drawing, png, write_docx
from tests.readers.test_docx import p
from tests.readers.test_docx import write_docx as write_headed
from tests.readers.workbooks import Made, workbook

pytestmark = pytest.mark.browser

CELLS = ["Region", "Department", "Certificate", "Approved", "Rejected", "Withdrawn", "Pending"]
PAGE = f"""<html><head><title>Register</title></head><body><h1>Register of certificates</h1>
<p>{"The register lists what was asked for in the year. " * 8}</p>
<table><tr>{"".join(f"<th>{cell}</th>" for cell in CELLS)}</tr><tr>{"<td>Northern</td>" * len(CELLS)}</tr></table>
</body></html>"""

HEBREW = """<html><body><h1>כללי המעגן</h1><p>כל כלי שיט חייב לשלם 120 ש״ח ליום, לפי סעיף 4.2.</p><p>In English</p>
<p>אל harbour.master@example.org</p>
<table><tr><th>כלי</th><th>מחיר</th></tr><tr><td>סירה</td><td>120</td></tr></table></body></html>"""


@pytest.fixture
def shelf(api: httpx.Client, request: pytest.FixtureRequest) -> Iterator[Json]:
    made = api.post("/v1/knowledge-bases", json={"name": request.node.name[:60]}).json()
    yield made | {"document": ingest(api, made["id"], "register.html", PAGE.encode())}
    api.delete(f"/v1/knowledge-bases/{made['id']}")


def test_a_source_without_pages_is_named_where_others_show_their_first_page(open_page: Opener, shelf: Json) -> None:
    page = open_page("/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(page.url)
    card = page.locator(".kb-card", has_text=shelf["name"])
    expect(card.locator(".kb-face")).to_have_text("register.html")
    page.goto(f"{page.url}kb/{shelf['slug']}")
    row = page.get_by_role("list", name="Documents").get_by_role("listitem")
    expect(row.locator(".doc-kind")).to_have_text("html")
    assert not [url for url in asked if shelf["document"] in url and "image" in url]
    assert violations(settle(page)) == []


def test_an_image_is_shown_as_its_page_with_boxes_over_what_was_read(
    open_page: Opener, shelf: Json, api: httpx.Client
) -> None:
    sheet = pymupdf.open().new_page(width=300, height=120)
    sheet.insert_text((20, 60), "Berth 4 is closed.", fontsize=24)
    document = ingest(api, shelf["id"], "notice.png", sheet.get_pixmap(dpi=150).tobytes("png"))
    page = open_page(f"/documents/{document}?page=1")
    expect(page.locator(f'img[src*="/{document}/pages/1/image"]:not([src*=thumb])').first).to_be_visible()
    expect(page.locator(".part")).to_be_hidden()
    page.goto(page.url.split("/documents/")[0])
    card = page.locator(".kb-card", has_text=shelf["name"])
    expect(card.locator(f'img[src*="{document}"]')).to_be_visible()
    page.goto(f"{page.url}kb/{shelf['slug']}")
    row = page.get_by_role("list", name="Documents").get_by_role("listitem").filter(has_text="notice.png")
    expect(row.locator(".doc-thumb img")).to_be_visible()


def test_a_passage_far_down_a_text_is_opened_where_it_stands(open_page: Opener, shelf: Json, api: httpx.Client) -> None:
    chapters = "".join(f"# Berth {n}\n\n{'The quay is long. ' * 260}\n\n" for n in range(12))
    document = ingest(api, shelf["id"], "berths.md", f"{chapters}# Fuel\n\nBunkering wants a permit.\n".encode())
    last = max(part["page"] for part in api.get(f"/v1/documents/{document}/pages").json()["items"])
    assert last > 1
    page = settle(open_page(f"/playground?mode=search&kb={shelf['slug']}&q=bunkering permit"))
    page.locator(".hit", has_text="Bunkering").get_by_role("link").first.click()
    expect(page.locator(".part", has_text="Bunkering wants a permit.")).to_be_visible()
    page.goto(page.url.split("/documents/")[0])
    page.keyboard.press("Control+k")
    page.locator("#finder-input").fill("bunkering permit")
    found = page.get_by_role("group", name="Text").get_by_role("option", name="Bunkering").first
    expect(found.locator("small")).to_contain_text("berths.md")
    expect(found.locator("small")).not_to_contain_text("p. 1")
    found.click()
    page.wait_for_url(f"**/documents/{document}?page={last}&chunk=*")


def test_words_of_a_wide_table_stay_whole_on_a_narrow_screen(open_page: Opener, shelf: Json) -> None:
    page = open_page(f"/documents/{shelf['document']}?page=1", width=390)
    cells = page.locator(".part-table th .piece")
    expect(cells).to_have_count(len(CELLS))
    assert {node.evaluate("(cell) => cell.getClientRects().length") for node in cells.all()} == {1}
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_writing_from_the_right_stands_on_the_right_and_its_first_column_is_the_rightmost(
    open_page: Opener, shelf: Json, api: httpx.Client
) -> None:
    document = ingest(api, shelf["id"], "harbour.html", HEBREW.encode())
    page = open_page(f"/documents/{document}?page=1")
    edges = {
        text: rect(page.locator(".part .piece", has_text=text).first)
        for text in ("כללי המעגן", "כל כלי שיט", "In English", "harbour.master", "סירה", "120")
    }
    right = {text: edge["x"] + edge["width"] for text, edge in edges.items()}
    assert right["כללי המעגן"] == pytest.approx(right["כל כלי שיט"], abs=2)
    assert edges["In English"]["x"] < edges["כל כלי שיט"]["x"]
    assert right["In English"] < right["כל כלי שיט"]
    assert right["harbour.master"] == pytest.approx(right["כל כלי שיט"], abs=2)
    assert edges["120"]["x"] < edges["סירה"]["x"]
    assert right["סירה"] == pytest.approx(right["כל כלי שיט"], abs=30)


def test_a_picture_stands_in_the_text_with_its_box_over_it_and_one_that_is_not_read_says_why(
    open_page: Opener, shelf: Json, api: httpx.Client, tmp_path: Path
) -> None:
    body = p("Before", more=drawing("media/a.png", described="A pump")) + p("Figure 1: The pump", "C")
    body += p("Behind", more=drawing("media/b.emf"))
    data = write_docx(tmp_path / "x.docx", body, {"a.png": png(900, 600), "b.emf": EMF}).read_bytes()
    document = ingest(api, shelf["id"], "pump.docx", data)
    page = open_page(f"/documents/{document}?page=1", width=390)
    image = page.locator(".part-figure img")
    expect(image).to_have_attribute("alt", "A pump Figure 1: The pump")
    expect(image).to_have_js_property("naturalWidth", 900)
    settle(page)
    shown, before = rect(image), rect(page.locator(".part .piece", has_text="Before"))
    assert before["y"] + before["height"] <= shown["y"]
    assert shown["height"] == pytest.approx(shown["width"] * 2 / 3, abs=2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.locator(".part-unseen")).to_contain_text("drawn by commands")
    assert violations(settle(page)) == []


def test_what_a_file_hides_looks_so_and_its_passages_say_it_while_what_is_left_out_is_shown_on_demand(
    open_page: Opener, shelf: Json, api: httpx.Client, tmp_path: Path
) -> None:
    cells = {"A1": "Part", "B1": "Margin", "A2": "Bolt", "B2": "4 %", "A3": "Nut", "B3": "9 %"}
    data = workbook({"Prices": Made(cells, hidden_rows=[3])})
    page = open_page(f"/documents/{ingest(api, shelf['id'], 'prices.xlsx', data)}?page=1")
    seen = page.locator(".part-table .piece", has_text="Bolt")
    unseen = page.locator(".part-table .piece", has_text="Nut")
    expect(seen).to_have_css("font-style", "normal")
    expect(unseen).to_have_css("font-style", "italic")
    expect(page.locator(".card", has_text="Nut").locator(".tag.flag").last).to_have_text("⚑ hidden in the file")
    assert violations(settle(page)) == []
    headed = write_headed(tmp_path / "headed.docx", p("Shown to all."), header=p("Letterhead"))
    page = open_page(f"/documents/{ingest(api, shelf['id'], 'headed.docx', headed.read_bytes())}?page=1")
    expect(page.locator(".part")).to_contain_text("Shown to all.")
    expect(page.locator(".part-skipped")).to_be_hidden()
    page.locator("#show-skipped").check()
    expect(page.locator(".part-skipped")).to_be_visible()
