"""Chromium over the running system, and the sample documents as the API describes them."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from functions.cli.checks import BROWSERS
from tests.browser.sample import Sample, find_sample

CHROMIUM = next((found for name in BROWSERS if (found := shutil.which(name))), BROWSERS[0])
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# A shared machine may be busy; what must never happen is told by counts, not by time.
PATIENCE_MS = 20_000
expect.set_options(timeout=PATIENCE_MS)

Opener = Callable[..., Page]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """No longer than its tests: while it is open an event loop runs in this thread, and no other test could run one."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def api(live_server: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=live_server, timeout=120) as client:
        yield client


@pytest.fixture(scope="session")
def sample(api: httpx.Client) -> Sample:
    return find_sample(api)


@pytest.fixture
def open_page(browser: Browser, live_server: str) -> Iterator[Opener]:
    """Opens a path in a context of its own; any error in the page's console fails the test."""
    contexts: list[BrowserContext] = []
    troubles: list[str] = []

    def open_path(path: str, width: int = 1440, height: int = 900, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        page.goto(live_server + path)
        return page

    yield open_path
    for context in contexts:
        context.close()
    expected = "Failed to load resource: the server responded with a status of 4"
    assert [trouble for trouble in troubles if not trouble.startswith(expected)] == []
