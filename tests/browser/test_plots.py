"""Plots in the browser: declared, drawn, kept; a mark leads to the printed cells, and these to their boxes."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener
from tests.browser.gestures import THEMES, box_of, open_inspector, settle, violations, violations_in_both_themes
from tests.browser.sample import Json, Sample, ingest, read

pytestmark = pytest.mark.browser

TORQUE, CLASS = "Torque (N m)", "Class"
HOSTILE = 'Name,"<img src=x onerror=f()>"\n"<img src=x onerror=""document.title=\'run\'"">",3\n"""]);f()//",4\n'
BARS = "#plot-drawing svg path[aria-roledescription=bar]"


@pytest.fixture
def dataset(api: httpx.Client, sample: Sample) -> Iterator[Json]:
    """The sample's table of torques."""
    base = sample.knowledge_base["id"]
    tables = read(api, f"/v1/knowledge-bases/{base}/tables?limit=500&document_id={sample.document['id']}")["items"]
    table = next(one for one in tables if TORQUE in one["header"])
    made = api.post("/v1/datasets", json={"knowledge_base_id": base, "table_ids": [table["table_id"]]}).json()
    yield made
    api.delete(f"/v1/datasets/{made['id']}")


def drawn(page: Page) -> Page:
    expect(page.locator("#plot[aria-busy=false] #plot-drawing svg")).to_be_visible()
    return page


def plot_means(api: httpx.Client, dataset: Json) -> Json:
    form = {"mark": "bar", "x": {"field": CLASS}, "y": {"field": TORQUE, "aggregate": "mean"}, "error_bars": "stderr"}
    return api.post("/v1/plots", json={"dataset_id": dataset["id"], "spec": {"form": form}}).json()


def test_a_plot_is_declared_drawn_as_it_changes_and_kept(open_page: Opener, dataset: Json) -> None:
    page = settle(open_page(f"/datasets/{dataset['id']}"))
    page.get_by_role("link", name="Plot it").click()
    drawn(page)
    form = page.locator("#plot-form")
    x, y = (form.get_by_role("group", name=name) for name in ("X axis", "Y axis"))
    x.get_by_label("Column").select_option(CLASS)
    y.get_by_label("Column").select_option(TORQUE)
    y.get_by_label("Summed up").select_option("mean")
    expect(page.locator(BARS)).to_have_count(3)
    with page.expect_request("**/v1/plots/preview") as asked:
        x.get_by_label("Intervals").select_option("as groups")
    assert (asked.value.post_data_json or {})["spec"]["form"]["x"] == {"field": CLASS, "category": True}
    form.get_by_label("Error bars").select_option("95 % confidence interval")
    expect(page.locator("#plot-alt")).to_contain_text("Error bars: 95 % confidence interval.")
    form.get_by_label("Drawn as").select_option("Box plot")
    y.get_by_label("Summed up").select_option("as it is")
    expect(page.locator("#plot-alt")).to_contain_text("Box plot: ")
    y.get_by_label("Scale").select_option("logarithmic")
    page.get_by_role("button", name="Save plot").click()
    page.wait_for_url(re.compile(r"/plots/[0-9a-f-]{36}$"))
    drawn(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^Box plot: "))
    expect(form.get_by_role("group", name="Y axis").get_by_label("Scale")).to_have_value("log")
    form.get_by_label("Title").fill("Torques")
    form.get_by_label("Title").press("Tab")
    page.get_by_role("button", name="Save changes").click()
    expect(page.get_by_role("button", name="Save changes")).to_have_count(0)
    page.reload()
    expect(page.locator("#plot-alt")).to_contain_text("Torques. Box plot")
    with page.expect_download() as download:
        page.get_by_role("link", name="SVG").click()
    assert "<svg" in download.value.path().read_text(encoding="utf-8")


def test_points_take_a_straight_line_and_nothing_else_does(open_page: Opener, dataset: Json) -> None:
    page = drawn(settle(open_page(f"/datasets/{dataset['id']}/plot")))
    form = page.locator("#plot-form")
    form.get_by_label("Drawn as").select_option("Points")
    for axis in ("X axis", "Y axis"):
        form.get_by_role("group", name=axis).get_by_label("Column").select_option(TORQUE)
        form.get_by_role("group", name=axis).get_by_label("Summed up").select_option("as it is")
    form.locator("[name=trend]").select_option("straight, of least squares")
    expect(page.locator("#plot-alt")).to_contain_text("Straight line of least squares: ")
    page.get_by_role("button", name="Write Vega-Lite by hand").click()
    expect(form).to_contain_text("The form alone draws the straight line")
    page.get_by_role("button", name="Back to the form").click()
    form.get_by_role("group", name="Y axis").get_by_label("Summed up").select_option("mean")
    expect(form.locator("[name=trend]")).to_have_count(0)
    expect(page.locator("#plot-alt")).to_contain_text(re.compile("mean", re.I))
    expect(page.locator("#plot-alt")).not_to_contain_text("Straight line")


def test_a_click_on_a_mark_leads_to_its_cells_and_these_to_their_box(
    open_page: Opener, api: httpx.Client, dataset: Json
) -> None:
    page = drawn(open_page(f"/plots/{plot_means(api, dataset)['id']}"))
    page.locator(BARS).nth(1).click()
    panel = page.locator("#plot-cells")
    expect(panel.get_by_role("heading")).to_have_text("Class: 10.9")
    expect(panel).to_contain_text("12 rows of the dataset")
    expect(panel.get_by_role("listitem")).to_have_count(12)
    assert violations(page) == []
    link = panel.get_by_role("link").nth(3)
    printed = (link.locator("b").text_content() or "").split(" · ")
    chunk = re.search(r"chunk=([0-9a-f-]{36})", link.get_attribute("href") or "")
    assert chunk
    link.click()
    open_inspector(page)
    expect(box_of(page, chunk[1])).to_have_class(re.compile(r"\bpinned\b"))
    content = next(
        one["content"]
        for one in read(api, f"/v1/documents/{page.url.split('/documents/')[1][:36]}/pages/{page_of(page)}")["items"]
        if one["id"] == chunk[1]
    )
    assert printed[0] == "10.9"
    assert all(one in content for one in printed)


def page_of(page: Page) -> str:
    found = re.search(r"page=(\d+)", page.url)
    assert found
    return found[1]


def test_the_table_leads_there_by_the_keyboard_alone(open_page: Opener, api: httpx.Client, dataset: Json) -> None:
    page = drawn(open_page(f"/plots/{plot_means(api, dataset)['id']}"))
    row = page.get_by_role("row", name=re.compile("^12.9"))
    expect(row.get_by_role("cell").nth(1)).to_have_text("122.4")
    row.get_by_role("button").focus()
    page.keyboard.press("Enter")
    panel = page.locator("#plot-cells")
    expect(panel.get_by_role("heading")).to_have_text("Class: 12.9")
    expect(panel).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/documents/.*chunk="))


@pytest.mark.parametrize("width", [1440, 390])
def test_a_drawn_plot_fits_and_axe_finds_nothing(
    open_page: Opener, api: httpx.Client, dataset: Json, width: int
) -> None:
    page = settle(drawn(open_page(f"/plots/{plot_means(api, dataset)['id']}", width=width)))
    assert violations_in_both_themes(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for theme, colour in zip(THEMES, ("#5bb4ea", "#0072b2"), strict=True):
        page.emulate_media(color_scheme=theme)
        expect(page.locator(BARS).first).to_have_attribute("fill", colour)


def test_names_below_an_axis_stand_apart_on_a_phone_too(open_page: Opener, api: httpx.Client, sample: Sample) -> None:
    base = sample.knowledge_base["id"]
    rows = "".join(f"Vectors ({size}),{size}\n" for size in (50, 100, 200, 300))
    document = ingest(api, base, "vectors.csv", f"Embedding,Score\n{rows}".encode())
    table = read(api, f"/v1/knowledge-bases/{base}/tables?document_id={document}")["items"][0]["table_id"]
    made = api.post("/v1/datasets", json={"knowledge_base_id": base, "table_ids": [table]}).json()
    try:
        for width, turned in ((1440, False), (390, True)):
            page = drawn(open_page(f"/datasets/{made['id']}/plot", width=width))
            names = page.locator("#plot-drawing svg text").filter(has_text="Vectors (")
            expect(names).to_have_count(4)
            assert ["rotate(" in (one.get_attribute("transform") or "") for one in names.all()] == [turned] * 4
    finally:
        api.delete(f"/v1/datasets/{made['id']}")
        api.delete(f"/v1/documents/{document}")


def test_what_looks_like_code_in_a_dataset_is_text_in_its_plot(
    open_page: Opener, api: httpx.Client, sample: Sample
) -> None:
    base = sample.knowledge_base["id"]
    document = ingest(api, base, "hostile.csv", HOSTILE.encode())
    table = read(api, f"/v1/knowledge-bases/{base}/tables?document_id={document}")["items"][0]["table_id"]
    made = api.post("/v1/datasets", json={"knowledge_base_id": base, "table_ids": [table]}).json()
    try:
        page = drawn(open_page(f"/datasets/{made['id']}/plot"))
        page.locator(BARS).first.hover()
        tooltip = page.locator("#vg-tooltip-element.visible")
        expect(tooltip).to_contain_text("<img src=x onerror=")
        expect(tooltip.locator("img")).to_have_count(0)
        expect(page.locator("#plot img, #plot script")).to_have_count(0)
        assert "run" not in page.title()
    finally:
        api.delete(f"/v1/datasets/{made['id']}")
        api.delete(f"/v1/documents/{document}")


def test_error_bars_come_of_a_column_and_go_with_what_they_stand_around(
    open_page: Opener, api: httpx.Client, sample: Sample
) -> None:
    base = sample.knowledge_base["id"]
    document = ingest(api, base, "growth.csv", b"Medium,Day,Mass (g),SD (g)\nBBM,0,1.5,0.25\nBBM,1,2.5,0.5\n")
    table = read(api, f"/v1/knowledge-bases/{base}/tables?document_id={document}")["items"][0]["table_id"]
    made = api.post("/v1/datasets", json={"knowledge_base_id": base, "table_ids": [table]}).json()
    try:
        page = drawn(open_page(f"/datasets/{made['id']}/plot"))
        form, alt = page.locator("#plot-form"), page.locator("#plot-alt")
        x, y = (form.get_by_role("group", name=name) for name in ("X axis", "Y axis"))
        form.get_by_label("Drawn as").select_option("Points")
        x.get_by_label("Column").select_option("Day")
        y.get_by_label("Summed up").select_option("as it is")
        form.get_by_label("Error bars").select_option("± SD (g)")
        expect(alt).to_contain_text("Error bars: ± SD (g).")
        page.get_by_role("button", name="Write Vega-Lite by hand").click()
        expect(alt).to_contain_text("Error bars: ± SD (g).")
        expect(page.locator("#plot table")).to_have_count(1)
        page.get_by_role("button", name="Back to the form").click()
        y.get_by_label("Summed up").select_option("sum")
        expect(alt).to_contain_text("Sum of Mass (g)")
        expect(alt).not_to_contain_text("Error bars")
        expect(form.get_by_label("Error bars")).to_have_count(0)
    finally:
        api.delete(f"/v1/datasets/{made['id']}")
        api.delete(f"/v1/documents/{document}")


def test_a_pie_is_chosen_leads_to_its_cells_and_is_written_by_hand_in_its_order(
    open_page: Opener, api: httpx.Client, dataset: Json
) -> None:
    page = drawn(open_page(f"/plots/{plot_means(api, dataset)['id']}"))
    form, alt = page.locator("#plot-form"), page.locator("#plot-alt")
    form.get_by_label("Drawn as").select_option("Pie")
    expect(alt).to_contain_text("Pie chart: Sum of ")
    expect(form.get_by_role("group")).to_have_count(2)
    form.get_by_label("Order").select_option("largest first")
    expect(alt).to_contain_text("Shares: 12.9 40.8 %, 10.9 34.9 %")
    expect(page.locator("#plot-drawing svg text").filter(has_text=" %")).to_have_count(3)
    page.locator("#plot-drawing svg path[aria-roledescription]").first.click()
    expect(page.locator("#plot-cells")).to_be_visible()
    said = alt.text_content()
    page.get_by_role("button", name="Write Vega-Lite by hand").click()
    expect(page.get_by_label("Vega-Lite, without data")).to_have_value(re.compile('"sort": "-theta"'))
    expect(alt).to_have_text(str(said))
    assert violations(page) == []


def test_what_cannot_be_drawn_is_said_beside_the_form(open_page: Opener, api: httpx.Client, dataset: Json) -> None:
    page = drawn(open_page(f"/plots/{plot_means(api, dataset)['id']}"))
    page.get_by_role("button", name="Write Vega-Lite by hand").click()
    text = page.get_by_label("Vega-Lite, without data")
    text.fill('{"mark": "bar", "data": {"url": "https://elsewhere.example"}, "encoding": {"x": {"field": "Class"}}}')
    page.get_by_role("button", name="Draw it").click()
    expect(page.get_by_role("alert").filter(has_text="A plot draws its dataset. Leave data out.")).to_be_visible()
    text.fill('{"mark": "tick", "encoding": {"x": {"field": "Torque (N m)"}}}')
    page.get_by_role("button", name="Draw it").click()
    expect(page.locator("#plot-alt")).to_contain_text("Strip plot")
    page.get_by_role("button", name="Back to the form").click()
    expect(page.locator("#plot-form").get_by_label("Error bars")).to_have_value("stderr")
    expect(page.locator(BARS)).to_have_count(3)


def test_where_what_draws_cannot_be_loaded_the_server_draws(
    open_page: Opener, api: httpx.Client, dataset: Json
) -> None:
    made = plot_means(api, dataset)
    page = open_page("/")
    page.context.route(
        "**/vendor/vega.js*", lambda route: route.fulfill(content_type="text/javascript", body="throw 0")
    )
    page.goto(page.url.rstrip("/") + f"/plots/{made['id']}")
    image = page.locator("#plot-drawing img")
    expect(image).to_be_visible()
    assert image.evaluate("one => one.complete && one.naturalWidth > 100")
    expect(image).to_have_attribute("alt", re.compile("Bar chart: "))
    page.get_by_role("button", name=re.compile("^Cells behind")).first.click()
    expect(page.locator("#plot-cells .cell-links a").first).to_be_visible()
    page.locator("#plot-form").get_by_label("Drawn as").select_option("Points")
    expect(image).to_have_attribute("src", re.compile("preview.svg.*point"))
    assert image.evaluate("one => one.decode().then(() => one.naturalWidth > 100)")
    api.delete(f"/v1/plots/{made['id']}")
