"""A table becomes a dataset, is typed, grouped, kept, undone and followed to the page it was printed on."""

import re

import httpx
import pytest
from playwright.sync_api import Route, expect

from shared.domain.ids import new_id
from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations, violations_in_both_themes
from tests.browser.sample import Json, ingest

pytestmark = pytest.mark.browser

RUNS = "Model,Mass (kg),Seeds\n" + "".join(f"K-{at},{at}.5,{at % 3}\n" for at in range(1, 251))


@pytest.fixture
def shelf(api: httpx.Client) -> Json:
    made: Json = api.post("/v1/knowledge-bases", json={"name": f"runs {new_id().hex}", "description": "x"}).json()
    ingest(api, made["id"], "runs.csv", RUNS.encode())
    return made


def test_a_table_is_made_a_dataset_transformed_kept_and_followed_to_its_page(open_page: Opener, shelf: Json) -> None:
    page = open_page(f"/kb/{shelf['slug']}/datasets")
    expect(page.locator("#table-list")).to_contain_text("Model · Mass (kg) · Seeds")
    settle(page)
    assert violations_in_both_themes(page) == []
    page.get_by_role("button", name="Make a dataset of runs.csv").click()
    expect(page).to_have_url(re.compile("/datasets/[0-9a-f]"))
    expect(page.locator(".pager")).to_contain_text("Rows 1–100 of 250")
    expect(page.locator("th .profile .range").nth(1)).to_have_text("1.5 – 250.5")
    settle(page)
    assert violations_in_both_themes(page) == []

    page.locator("#row-wanted").fill("201")
    page.get_by_role("button", name="Go").click()
    expect(page.locator(".pager")).to_contain_text("Rows 201–250 of 250")
    expect(page.locator('td[data-row="0"][data-column="0"]')).to_have_text("K-201")

    page.locator("#step-kind").select_option("group")
    page.locator("#step-add").click()
    dialog = page.get_by_role("dialog")
    dialog.locator("[name=by]").select_option(["Seeds"])
    dialog.locator("[name=column]").select_option("Mass (kg)")
    assert violations_in_both_themes(page) == []
    dialog.get_by_role("button", name="Add the step").click()
    expect(page.locator(".pager")).to_contain_text("Rows 1–3 of 3")
    expect(page.locator("#steps")).to_contain_text("nothing is kept yet")
    expect(page.locator("thead .profile")).to_have_count(0)
    page.locator("#steps-keep").click()
    expect(page.locator("#dataset-facts")).to_contain_text("revision 2")
    page.reload()
    expect(page.locator(".step-list")).to_contain_text("mean of Mass (kg) for each Seeds")

    page.locator('td[data-row="0"][data-column="1"]').click()
    expect(page.get_by_role("dialog")).to_contain_text("Made of 84 printed cells")
    assert violations_in_both_themes(page) == []
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Take away step 1").click()
    expect(page.locator(".pager")).to_contain_text("of 250")

    page.locator('td[data-row="0"][data-column="0"]').focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator('td[data-row="0"][data-column="1"]')).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/documents/.*chunk="))


def test_the_address_keeps_the_table_that_is_looked_for_and_the_rows_that_are_shown(
    open_page: Opener, api: httpx.Client, shelf: Json
) -> None:
    ingest(api, shelf["id"], "other.csv", b"Colour,Seats\nred,4\n")
    page = open_page(f"/kb/{shelf['slug']}/datasets")
    page.get_by_label("Find a table").fill("Seeds")
    expect(page.locator("#table-list li")).to_have_count(1)
    page.reload()
    expect(page.get_by_label("Find a table")).to_have_value("Seeds")
    expect(page.locator("#table-list li")).to_have_count(1)
    page.get_by_role("button", name="Make a dataset of runs.csv").click()
    expect(page.locator(".pager")).to_contain_text("Rows 1–100 of 250")
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".pager")).to_contain_text("Rows 101–200 of 250")
    page.reload()
    expect(page.locator(".pager")).to_contain_text("Rows 101–200 of 250")
    page.get_by_role("button", name="First").click()
    expect(page).to_have_url(re.compile("/datasets/[0-9a-f-]+$"))


def test_a_step_that_does_not_fit_is_said_in_its_form_and_a_type_is_corrected(
    open_page: Opener, api: httpx.Client, shelf: Json
) -> None:
    (table,) = api.get(f"/v1/knowledge-bases/{shelf['id']}/tables").json()["items"]
    wanted = {"knowledge_base_id": shelf["id"], "table_ids": [table["table_id"]]}
    made = api.post("/v1/datasets", json=wanted).json()
    page = open_page(f"/datasets/{made['id']}")
    expect(page.locator("th .profile .range").first).to_be_visible()
    page.locator("#step-kind").select_option("derive")
    page.locator("#step-add").click()
    dialog = page.get_by_role("dialog")
    dialog.locator("[name=name]").fill("double")
    dialog.locator("[name=expression]").fill("[Mass] * 2")
    dialog.get_by_role("button", name="Add the step").click()
    expect(dialog.get_by_role("alert")).to_contain_text("there is no column 'Mass'")
    dialog.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Seeds: integer").click()
    dialog.locator("[name=type]").select_option("text")
    dialog.get_by_role("button", name="Correct it").click()
    expect(page.get_by_role("button", name="Seeds: text")).to_be_visible()
    page.locator("#step-kind").select_option("derive")
    page.locator("#step-add").click()
    dialog.locator("[name=name]").fill("third")
    dialog.locator("[name=expression]").fill("[Mass (kg)] / 3")
    dialog.get_by_role("button", name="Add the step").click()
    computed = page.locator('td[data-row="1"][data-column="3"]')
    expect(computed).to_have_text("0.833333")
    expect(computed).to_have_attribute("title", "0.833333333333")


def test_a_kind_of_step_that_was_chosen_stays_when_the_profiles_are_there(
    open_page: Opener, api: httpx.Client, shelf: Json
) -> None:
    (table,) = api.get(f"/v1/knowledge-bases/{shelf['id']}/tables").json()["items"]
    wanted = {"knowledge_base_id": shelf["id"], "table_ids": [table["table_id"]]}
    page = open_page("/")
    held = list[Route]()
    page.route("**/v1/datasets/*/profile", lambda route: held.append(route))
    made = api.post("/v1/datasets", json=wanted).json()
    with page.expect_request("**/v1/datasets/*/profile"):
        page.goto(f"{page.url}datasets/{made['id']}")
    page.locator("#step-kind").select_option("derive")
    for route in held:
        route.continue_()
    expect(page.locator("th .profile .range").first).to_be_visible()
    expect(page.locator("#step-kind")).to_have_value("derive")


def test_a_dataset_that_is_not_there_says_so(open_page: Opener) -> None:
    page = open_page("/datasets/01900000-0000-7000-8000-000000000000")
    expect(page.get_by_role("alert")).to_contain_text("There is no dataset")


def test_numbers_are_written_as_where_the_browsers_language_is_spoken(
    open_page: Opener, shelf: Json, api: httpx.Client
) -> None:
    tables = api.get(f"/v1/knowledge-bases/{shelf['id']}/tables").json()["items"]
    wanted = {"knowledge_base_id": shelf["id"], "table_ids": [tables[0]["table_id"]], "name": "Masses in German"}
    made = api.post("/v1/datasets", json=wanted).json()
    page = open_page(f"/datasets/{made['id']}", locale="de-DE")
    expect(page.locator('td[data-row="0"][data-column="1"]')).to_have_text("1,5")
    expect(page.locator("th .profile .range").nth(1)).to_have_text("1,5 – 250,5")


def test_numbers_have_the_decimals_that_are_printed(open_page: Opener, api: httpx.Client, shelf: Json) -> None:
    ingest(api, shelf["id"], "scores.csv", b"System,F1,Loss\nKite,68.0,1\nHeron,57.2,2.50\n")
    tables = api.get(f"/v1/knowledge-bases/{shelf['id']}/tables").json()["items"]
    scores = next(one["table_id"] for one in tables if one["document"] == "scores.csv")
    wanted = {"knowledge_base_id": shelf["id"], "table_ids": [scores]}
    made = api.post("/v1/datasets", json=wanted).json()
    page = open_page(f"/datasets/{made['id']}", locale="de-DE")
    expect(page.locator('td[data-row="0"]')).to_have_text(["Kite", "68,0", "1"])
    expect(page.locator("th .profile .range").nth(1)).to_have_text("57,2 – 68,0")
    expect(page.locator("th .profile .range").nth(2)).to_have_text("1 – 2,50")


EDITIONS = ("Model,Mass (kg)\nKite,1250.5\n", "Model,Mass (kg)\nKite,1300\nHeron,2\n", "Model,Weight (kg)\nKite,1400\n")


@pytest.fixture
def editions(api: httpx.Client) -> Json:
    """Three versions of one table, the newest with another header."""
    made: Json = api.post("/v1/knowledge-bases", json={"name": f"editions {new_id().hex}", "description": "x"}).json()
    documents = list[str]()
    for year, text in enumerate(EDITIONS, 2023):
        older = {"version_of": documents[-1]} if documents else {}
        documents.append(ingest(api, made["id"], "runs.csv", text.encode(), label=str(year), **older))
    tables = api.get(f"/v1/knowledge-bases/{made['id']}/tables", params={"superseded": True}).json()["items"]
    return made | {"documents": documents, "tables": {one["document_id"]: one["table_id"] for one in tables}}


def test_rows_of_several_versions_say_which_and_a_newer_table_leaves_the_older_one_readable(
    open_page: Opener, editions: Json, api: httpx.Client
) -> None:
    first, second, _ = editions["documents"]
    wanted = {"knowledge_base_id": editions["id"], "table_ids": [editions["tables"][one] for one in (first, second)]}
    made = api.post("/v1/datasets", json=wanted | {"name": "Masses"}).json()
    page = open_page(f"/datasets/{made['id']}")
    expect(page.locator('td[data-row="0"][data-column="3"]')).to_have_text("2023")
    expect(page.locator('td[data-row="2"][data-column="3"]')).to_have_text("2024")
    expect(page.locator(".step-list")).to_contain_text("Document and Version of each row")

    only = {"knowledge_base_id": editions["id"], "table_ids": [editions["tables"][second]], "name": "Newest masses"}
    made = api.post("/v1/datasets", json=only).json()
    page.goto(page.url.replace(page.url.rpartition("/")[2], made["id"]))
    page.get_by_role("button", name="Take its table").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("[name=table]")).to_contain_text("Model · Weight (kg)")
    assert violations(page) == []
    dialog.get_by_role("button", name="Take it").click()
    expect(page.locator("#dataset-facts")).to_contain_text("revision 2")
    expect(page.locator('td[data-row="0"][data-column="1"]')).to_have_text("1400")

    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="History").click()
    expect(page.locator(".revision-changes")).to_contain_text("Mass (kg) is called Weight (kg)")
    assert violations(page) == []
    page.get_by_role("button", name="See revision 1").click()
    expect(page.locator("#steps")).to_contain_text("it can be read, and not changed")
    expect(page.locator('td[data-row="1"][data-column="0"]')).to_have_text("Heron")
    settle(page)
    assert violations(page) == []
    page.locator("#to-newest").click()
    expect(page.locator("#step-add")).to_be_visible()
    expect(page.locator('td[data-row="0"][data-column="1"]')).to_have_text("1400")


# As on the axes of plots: tests/unit/test_plots.py has the same for those that the server draws.
PRINTED = {
    "Cel": "°C", "[degF]": "°F", "um": "µm", "mm2": "mm²", "m.s-1": "m·s⁻¹", "[HP]": "HP", "[in_i]": "in", "kg": "kg",
    "{rows}/s": "rows/s", "USD": "USD", "1": "",
}  # fmt: skip


def test_units_are_shown_as_people_print_them(open_page: Opener, api: httpx.Client, shelf: Json) -> None:
    ingest(api, shelf["id"], "weather.csv", b"Day,Temperature (\xc2\xb0C),Warmest\n1,20.5,31\n2,21.5,33\n")
    tables = api.get(f"/v1/knowledge-bases/{shelf['id']}/tables").json()["items"]
    table = next(one["table_id"] for one in tables if one["document"] == "weather.csv")
    made = api.post("/v1/datasets", json={"knowledge_base_id": shelf["id"], "table_ids": [table]}).json()
    page = open_page(f"/datasets/{made['id']}")
    head = page.get_by_role("columnheader", name="Temperature (°C)")
    expect(head.locator(".kind")).to_have_text("°C")
    expect(head.locator(".kind")).to_have_attribute("title", re.compile("quantity in Cel"))
    page.get_by_role("button", name=re.compile("^Warmest: ")).click(timeout=20_000)
    form = page.get_by_role("dialog")
    form.locator("[name=type]").select_option("quantity")
    form.locator("[name=unit]").fill("°C")
    form.locator("[type=submit]").click()
    expect(page.get_by_role("columnheader", name="Warmest").locator(".kind")).to_have_text("°C")
    written = page.evaluate(
        "async (codes) => { const main = document.querySelector('script[type=module][src]').src;"
        " const { printedUnit } = await import(new URL('../lib/units.js', main));"
        " return codes.map(printedUnit); }",
        [*PRINTED],
    )
    assert dict(zip(PRINTED, written, strict=True)) == PRINTED
