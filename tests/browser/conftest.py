"""Chromium over the running system, and the sample documents as the API describes them."""

import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from functions.cli.checks import BROWSERS
from shared.runtime import Runtime
from tests.browser.people import WHO, People, served_people
from tests.browser.sample import Sample, find_sample
from tests.patience import PATIENCE_MS, PATIENCE_S

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
expect.set_options(timeout=PATIENCE_MS)
# What a browser notes when the database is away.
AWAY = "Failed to load resource: the server responded with a status of 503"

OPENERS = ("open_page", "open_as")

Opener = Callable[..., Page]
Theme = Literal["dark", "light"]


class Contexts:
    """Contexts of one browser, without options of their own. One that a test is done with waits for the next, with the
    scripts that pages have loaded and nothing else: without these, a page takes half as long again to open."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self._waiting: list[BrowserContext] = []

    def take(self) -> BrowserContext:
        return self._waiting.pop() if self._waiting else self.browser.new_context()

    def give_back(self, context: BrowserContext) -> None:
        """Ends its pages, and what they and the test have left in it."""
        for address in {page.url for page in context.pages if page.url.startswith("http")}:
            _forget_stored(context, address)
        for page in context.pages:
            page.close()
        context.unroute_all()
        context.clear_cookies()
        context.clear_permissions()
        self._waiting.append(context)


def _forget_stored(context: BrowserContext, address: str) -> None:
    """What pages of the address's origin keep, except for the cache."""
    session = context.new_cdp_session(context.pages[0])
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(address))
    session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "local_storage,indexeddb,websql"})
    session.detach()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Pages are opened after, and so ended before, whatever a test's other fixtures make and delete: a page that is
    still asking would be told that it is gone."""
    if isinstance(item, pytest.Function):
        item.fixturenames.sort(key=OPENERS.__contains__)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """No longer than its tests: while it is open an event loop runs in this thread, and no other test could run one."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="package")
def contexts(browser: Browser) -> Contexts:
    return Contexts(browser)


@pytest.fixture(scope="session")
def api(live_server: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=live_server, timeout=PATIENCE_S) as client:
        yield client


@pytest.fixture(scope="session")
def sample(api: httpx.Client) -> Sample:
    return find_sample(api)


@contextmanager
def opener(contexts: Contexts, *tolerated: str) -> Generator[Opener]:
    """Opens an address in a context that the test has no other page in, as `who` where somebody signs in; any error in
    the page's console fails the test."""
    borrowed: list[BrowserContext] = []
    own: list[BrowserContext] = []
    troubles: list[str] = []

    def open_address(
        address: str, width: int = 1440, height: int = 900, who: str = "", color_scheme: Theme = "light", **options: Any
    ) -> Page:
        context = contexts.browser.new_context(**options) if options else contexts.take()
        (own if options else borrowed).append(context)
        context.set_default_timeout(PATIENCE_MS)
        if who:
            context.add_cookies([{"name": WHO, "value": who, "domain": "127.0.0.1", "path": "/"}])
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=color_scheme)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        page.goto(address)
        return page

    yield open_address
    for context in borrowed:
        contexts.give_back(context)
    for context in own:
        context.close()
    expected = ("Failed to load resource: the server responded with a status of 4", *tolerated)
    assert [trouble for trouble in troubles if not trouble.startswith(expected)] == []


@pytest.fixture
def open_page(contexts: Contexts, live_server: str) -> Iterator[Opener]:
    """Opens a path of the server with the samples."""
    with opener(contexts) as open_address:
        yield lambda path, *more, **options: open_address(live_server + path, *more, **options)


@pytest.fixture(scope="module")
def people(runtime: Runtime, owner_dsn: str) -> Iterator[People]:
    """A deployment of the module's own, where people sign in."""
    with served_people(runtime, owner_dsn) as found:
        yield found


@pytest.fixture
def open_as(contexts: Contexts, people: People) -> Iterator[Opener]:
    """Opens a path of that deployment as somebody: `open_as("ann", "/")`."""
    with opener(contexts) as open_address:
        yield lambda who, path, *more, **options: open_address(people.url + path, *more, who=who, **options)
