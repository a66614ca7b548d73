"""Chromium over the running system, and the sample documents as the API describes them."""

import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from functions.cli.checks import BROWSERS
from shared.runtime import Runtime
from tests.browser.people import WHO, People, served_people
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
# What a browser notes when the database is away.
AWAY = "Failed to load resource: the server responded with a status of 503"

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


@contextmanager
def opener(browser: Browser, *tolerated: str) -> Generator[Opener]:
    """Opens an address in a context of its own, as `who` where somebody signs in; any error in the page's console fails
    the test."""
    contexts: list[BrowserContext] = []
    troubles: list[str] = []

    def open_address(address: str, width: int = 1440, height: int = 900, who: str = "", **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        if who:
            context.add_cookies([{"name": WHO, "value": who, "domain": "127.0.0.1", "path": "/"}])
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        page.goto(address)
        return page

    yield open_address
    for context in contexts:
        context.close()
    expected = ("Failed to load resource: the server responded with a status of 4", *tolerated)
    assert [trouble for trouble in troubles if not trouble.startswith(expected)] == []


@pytest.fixture
def open_page(browser: Browser, live_server: str) -> Iterator[Opener]:
    """Opens a path of the server with the samples."""
    with opener(browser) as open_address:
        yield lambda path, *more, **options: open_address(live_server + path, *more, **options)


@pytest.fixture(scope="module")
def people(runtime: Runtime, owner_dsn: str) -> Iterator[People]:
    """A deployment of the module's own, where people sign in."""
    with served_people(runtime, owner_dsn) as found:
        yield found


@pytest.fixture
def open_as(browser: Browser, people: People) -> Iterator[Opener]:
    """Opens a path of that deployment as somebody: `open_as("ann", "/")`."""
    with opener(browser) as open_address:
        yield lambda who, path, *more, **options: open_address(people.url + path, *more, who=who, **options)
