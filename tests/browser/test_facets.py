"""A salesperson narrows a price list down: choices set the filter, which stays to be edited; a table, a file."""

import csv
import re
from collections import Counter
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Opener
from tests.browser.gestures import settle
from tests.browser.sample import ingest
from tests.price_list import made_products, price_workbook

pytestmark = pytest.mark.browser
PRODUCTS = made_products(90)
SLUG = "price-list-for-sale"


@pytest.fixture(scope="module", autouse=True)
def _filled(api: httpx.Client) -> None:
    made = api.post("/v1/knowledge-bases", json={"name": "Price list for sale", "description": "x"})
    assert made.json()["slug"] == SLUG
    ingest(api, made.json()["id"], "prices.xlsx", price_workbook(PRODUCTS))


def address(**parameters: str) -> str:
    return f"/playground?mode=search&kb={SLUG}" + "".join(f"&{k}={quote(v)}" for k, v in parameters.items())


def facet(page: Page, name: str) -> Locator:
    return page.locator(f'.facet[data-facet="{name}"]')


def test_choosing_values_and_ranges_composes_the_filter(open_page: Opener) -> None:
    page = open_page(address())
    page.get_by_role("button", name="Attributes", exact=True).click()
    oilless = sum(product.lubrication == "oilless" for product in PRODUCTS)
    choice = facet(page, "lubrication").locator("label", has_text="oilless")
    expect(choice.locator(".facet-count")).to_have_text(str(oilless))
    choice.click()
    where = page.get_by_label("Filter by attributes")
    expect(where).to_have_value("lubrication = oilless")
    expect(page.locator(".facets summary")).to_contain_text(f"{oilless} matches")
    power = facet(page, "motor_power").get_by_role("button", name=re.compile("^10 to"))
    power.click()
    expect(where).to_have_value(
        re.compile(r"^lubrication = oilless and motor_power >= 10 hp and motor_power < \d+ hp$")
    )
    page.wait_for_url(re.compile("facets=yes.*where=|where=.*facets=yes"))
    facet(page, "motor_power").get_by_role("button", name="any").click()
    expect(where).to_have_value("lubrication = oilless")


def test_a_wide_table_scrolls_by_itself_on_a_telephone(open_page: Opener) -> None:
    where = "lubrication = oilless and motor_power between 10 hp and 20 hp"
    page = settle(open_page(address(facets="yes", table="yes", sort="newest", where=where), width=390, height=800))
    wanted = sum(product.lubrication == "oilless" and 10 <= product.power <= 20 for product in PRODUCTS)
    expect(page.locator(".facets summary")).to_contain_text(f"{wanted} matches")
    expect(page.locator(".result-table tbody tr")).to_have_count(min(wanted, 10))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_bounds_are_typed_and_the_filter_stays_editable(open_page: Opener) -> None:
    page = open_page(address(facets="yes", where="lubrication = oilless"))
    facet(page, "flow").get_by_label("flow from").fill("40")
    page.keyboard.press("Enter")
    where = page.get_by_label("Filter by attributes")
    expect(where).to_have_value("(lubrication = oilless) and flow >= 40 cfm")
    count = sum(p.lubrication == "oilless" and p.flow >= 40 for p in PRODUCTS)
    expect(page.locator(".facets summary")).to_contain_text(f"{count} matches")
    where.fill("flow > 100000 cfm")
    page.keyboard.press("Enter")
    expect(page.locator("#hits")).to_contain_text("Nothing passes the filters")
    expect(page.locator(".facets summary")).to_contain_text("0 matches")


def test_the_table_is_sorted_by_its_heads_has_chosen_columns_and_is_saved(open_page: Opener, tmp_path: Path) -> None:
    page = open_page(address(table="yes", where="lubrication = oilless"))
    page.get_by_role("button", name="price (USD)").click()
    page.get_by_role("button", name="price (USD)").click()
    expect(page.get_by_role("columnheader", name="price (USD)")).to_have_attribute("aria-sort", "descending")
    dearest = max((p for p in PRODUCTS if p.lubrication == "oilless"), key=lambda p: p.price)
    expect(page.locator(".result-table tbody tr").first).to_contain_text(dearest.model)
    page.get_by_role("button", name="Columns").click()
    # Its list is drawn anew by that: what asks the clicked box for its state may wait for ever.
    page.get_by_role("checkbox", name="flow").click()
    expect(page.get_by_role("columnheader", name="flow (cfm)")).to_have_count(0)
    page.wait_for_url(re.compile("columns="))
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as CSV").click()
    saved.value.save_as(tmp_path / "results.csv")
    rows = list(csv.DictReader((tmp_path / "results.csv").read_text(encoding="utf-8").splitlines()))
    assert Counter(row["model"] for row in rows) == Counter(p.model for p in PRODUCTS if p.lubrication == "oilless")
    assert "flow (cfm)" not in rows[0]


def test_a_question_or_a_look_up_has_no_facets(open_page: Opener) -> None:
    page = open_page(address(facets="yes"))
    expect(page.locator(".facet").first).to_be_visible()
    page.get_by_role("radio", name="Ask").check()
    expect(page.get_by_role("button", name="Attributes", exact=True)).to_be_hidden()
    page.locator("#query").fill("price")
    page.keyboard.press("Enter")
    expect(page.locator(".facet")).to_have_count(0)


def test_a_number_in_another_unit_than_the_printed_one_has_six_digits_and_says_what_is_printed(
    open_page: Opener, api: httpx.Client
) -> None:
    made = api.post("/v1/knowledge-bases", json={"name": "Engines in kilowatts"}).json()
    ingest(api, made["id"], "engines.csv", b"Model,Power [hp],Weight [kg]\nV8,130,12345.6789\n")
    attributes = [{"name": "power", "type": "number", "unit": "kW"}, {"name": "weight", "type": "number", "unit": "kg"}]
    schema = f"/v1/knowledge-bases/{made['id']}/schema"
    api.put(schema, json={"version": 0, "attributes": attributes}).raise_for_status()
    while api.post(f"{schema}/backfill/continue").raise_for_status().json()["status"] == "running":
        continue
    page = open_page(f"/playground?mode=search&kb={made['slug']}&table=yes&where=power%20>%201%20kW")
    cells = page.locator(".result-table td.number")
    expect(cells).to_have_text(["96.941", "12,345.6789"])
    expect(cells.first).to_have_attribute("title", "printed: 130")
    expect(cells.last).not_to_have_attribute("title", re.compile("."))
