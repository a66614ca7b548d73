"""A person says at a value in the inspector what is right; a run measures it, and the scorecard shows it."""

import re

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.sample import ingest, read
from tests.price_list import made_products, price_workbook

pytestmark = pytest.mark.browser


def test_a_value_is_kept_as_gold_in_the_inspector_and_scored(open_page: Opener, api: httpx.Client) -> None:
    base = api.post("/v1/knowledge-bases", json={"name": "Gold of values", "description": "x"}).json()
    document = ingest(api, base["id"], "prices.xlsx", price_workbook(made_products(9)))
    chunks = read(api, f"/v1/documents/{document}/chunks?limit=200")["items"]
    row = next(chunk for chunk in chunks if chunk["chunk_type"] == "table_row")
    page = open_page(f"/documents/{document}?page={row['boxes'][0]['page']}&chunk={row['id']}")
    page.get_by_role("button", name="Keep motor power as gold").click()
    value = page.locator("#gold-dialog textarea")
    expect(value).to_have_value(re.compile(r"^motor_power = [\d.]+ \[HP\]$"))
    value.fill("motor_power = 1000 hp")
    page.get_by_role("button", name="Keep it").click()
    expect(page.locator("#gold-dialog [role=status]")).to_contain_text("motor_power = 1000 hp")
    (kept,) = read(api, f"/v1/knowledge-bases/{base['id']}/gold")["items"]
    assert kept["attribute"] == "motor_power = 1000 hp"
    run = api.post(f"/v1/knowledge-bases/{base['id']}/evaluations", json={}).json()
    api.post(f"/v1/knowledge-bases/{base['id']}/evaluations/{run['id']}/continue").raise_for_status()
    page = open_page(f"/kb/{base['slug']}/evaluation")
    scores = page.get_by_role("region", name="Values read at the places of gold")
    expect(scores.get_by_role("row", name=re.compile("motor power"))).to_contain_text("0.000")
    expect(page.get_by_text("read at 0 of 1")).to_be_visible()
