"""Pages and the JSON beside them."""

import re
from typing import Any
from urllib.parse import urljoin

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match

from functions.api import pages
from tests.api.conftest import Client

BROWSER = {"Accept": "text/html"}
TWIN = re.compile(r'<link rel="alternate" type="application/json" href="([^"]+)">')
DOCUMENT = "/documents/01900000-0000-7000-8000-000000000000"
DATASET = "/datasets/01900000-0000-7000-8000-000000000000"
PLOT = "/plots/01900000-0000-7000-8000-000000000000"
PRELOADED = re.compile(r'<link rel="modulepreload" href="([^"]+)">')
ENTRY = re.compile(r'<script type="module" src="([^"]+)">')
TABS = re.compile(r'<nav class="tabs" aria-label="Knowledge base">(.*?)</nav>', re.DOTALL)
# The pages of a knowledge base that are tabs, in their order.
SHELF = (
    "/kb/acme", "/kb/acme/notebook", "/kb/acme/datasets", "/kb/acme/plots", "/kb/acme/summaries", "/kb/acme/digest",
    "/kb/acme/evaluation", "/kb/acme/review", "/kb/acme/attributes",
)  # fmt: skip
# Those that stand under one of these.
UNDER = {
    "/kb/acme/evaluation/candidates": "/kb/acme/evaluation",
    DATASET: "/kb/acme/datasets",
    f"{DATASET}/plot": "/kb/acme/plots",
    PLOT: "/kb/acme/plots",
    f"{DOCUMENT}/summary": "/kb/acme/summaries",
}
PAGES = (
    "/", *SHELF, *UNDER, DOCUMENT, f"{DOCUMENT}/diff/01900000-0000-7000-8000-000000000001",
    "/playground", "/settings/members", "/settings/keys", "/settings/connect", "/settings/links", "/settings/model",
    "/settings/usage", "/settings/webhooks", "/settings/organization", "/settings/data", "/settings/audit",
    "/docs", "/docs/retrieval", "/shared/a-secret", "/nothing-here",
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _base(client: Client) -> None:
    """What the pages above are of; a page of nothing is an error page."""
    made = client.post("/v1/knowledge-bases", json={"name": "acme", "description": "Rules"})
    assert made.status_code in {201, 409}
    assert client.get("/kb/acme", headers=BROWSER).status_code == 200


@pytest.mark.parametrize("path", PAGES)
def test_the_twin_of_every_page_is_an_address_that_answers_with_json(client: Client, app: FastAPI, path: str) -> None:
    page = client.get(path, headers=BROWSER)
    assert page.headers["content-type"].startswith("text/html")
    twin = TWIN.search(page.text)
    assert twin is not None
    assert any(re.fullmatch(pattern, twin[1]) for pattern in readable(app))


@pytest.mark.parametrize("path", PAGES)
def test_a_page_names_every_module_that_its_own_imports(client: Client, path: str) -> None:
    page = client.get(path, headers=BROWSER)
    waiting = [entry for entry in ENTRY.findall(page.text) if entry.endswith("/main.js")]
    assert waiting
    reached: set[str] = set()
    while waiting:
        one = waiting.pop()
        imported = re.findall(r'(?:from|import) "(\.{1,2}/[^"]+)"', client.get(one).text)
        found = {urljoin(one, path) for path in imported} - reached
        reached |= found
        waiting += found
    assert set(PRELOADED.findall(page.text)) == reached


@pytest.mark.parametrize("path", [*SHELF, *UNDER])
def test_each_page_of_a_knowledge_base_leads_to_every_tab_and_says_which_it_is(client: Client, path: str) -> None:
    tabs = TABS.findall(client.get(path, headers=BROWSER).text)
    assert len(tabs) == 1
    # Of which knowledge base a single thing is, its page's module finds out.
    led = [f"/kb/acme{below}" for below in re.findall(r'data-below="([^"]*)"', tabs[0])]
    assert led + re.findall(r'href="([^"]+)"', tabs[0]) == list(SHELF)
    current = re.findall(r'<a [a-z-]+="([^"]*)"[^>]* aria-current="(\w+)"', tabs[0])
    wanted = ("true", UNDER[path]) if path in UNDER else ("page", path)
    assert [(mark, link if link.startswith("/kb/") else f"/kb/acme{link}") for link, mark in current] == [wanted]


@pytest.mark.parametrize("path", sorted({*PAGES} - {*SHELF, *UNDER}))
def test_a_page_of_no_knowledge_base_has_no_tabs_of_one(client: Client, path: str) -> None:
    assert TABS.findall(client.get(path, headers=BROWSER).text) == []


def test_the_pages_above_are_all_there_are() -> None:
    app = FastAPI(openapi_url=None)
    pages.mount_pages(app, local=True)
    routes = [route for route in app.routes if isinstance(route, APIRoute) and route.path != "/favicon.ico"]
    matched = [[path for path in PAGES if leads_to(route, path)] for route in routes]
    assert sorted(matched) == sorted([path] for path in PAGES[:-1])


def test_the_document_that_errors_point_to_is_there(client: Client) -> None:
    detail = client.get("/v1/nothing-here").json()["detail"]
    address = re.search(r"/\S+\.json", detail)
    assert address is not None
    assert client.get(address[0]).json()["openapi"].startswith("3.1")


def readable(app: FastAPI) -> list[str]:
    """Patterns of the addresses that the described API answers GET at, and its description's own."""
    paths: dict[str, Any] = {**app.openapi()["paths"], "/v1/openapi.json": {"get": {}}}
    return [re.sub(r"\{[^}]+\}", "[^/]+", path) for path, operations in paths.items() if "get" in operations]


def leads_to(route: BaseRoute, path: str) -> bool:
    return route.matches({"type": "http", "method": "GET", "path": path})[0] is Match.FULL
