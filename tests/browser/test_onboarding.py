"""From an empty organization to a first answer: the steps complete themselves by what exists."""

from collections.abc import Generator, Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from functions.api.app import create_app
from functions.api.identity import development_identity
from functions.local import local_system
from tests.browser.conftest import Contexts, Opener, opener
from tests.browser.gestures import settle, violations
from tests.browser.test_documents import manual
from tests.live import serving

pytestmark = pytest.mark.browser
# As in lib/onboarding.js: with more documents nobody needs to be shown the way.
FEW = 3


@pytest.fixture(scope="module")
def empty_server(test_home: Path) -> Iterator[str]:
    """One machine without the samples."""
    home = test_home / "empty"
    home.mkdir()
    (test_home / "models").mkdir(exist_ok=True)
    (home / "models").symlink_to(test_home / "models")
    with (
        local_system(home, workers=1) as system,
        serving(create_app(system.runtime, development_identity(system.runtime), local=True)) as url,
    ):
        yield url


@pytest.fixture
def open_empty(contexts: Contexts, empty_server: str) -> Generator[Opener]:
    with opener(contexts) as open_address:
        yield lambda path, *more, **options: open_address(empty_server + path, *more, **options)


def steps(page: Page) -> list[str]:
    """done, next or open, in their order."""
    return [(one.get_attribute("class") or "open") for one in page.locator(".steps li").all()]


def test_the_way_from_nothing_to_an_answer(open_empty: Opener, empty_server: str) -> None:
    page = settle(open_empty("/"))
    expect(page.get_by_role("heading", name="Upload your first document")).to_be_visible()
    assert steps(page) == ["next", "open", "open", "open"]
    assert violations(page) == []
    page.locator(".steps").get_by_role("button", name="Make one").click()
    page.get_by_label("Name").fill("Manuals")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Manuals")
    settle(page)
    assert steps(page) == ["done", "next", "open", "open"]
    page.goto(empty_server)
    settle(page)
    page.locator(".steps").get_by_role("link", name="Upload").click()
    settle(page)
    with page.expect_file_chooser() as chosen:
        page.locator(".steps").get_by_role("button", name="Upload").click()
    chosen.value.set_files(manual(2))
    look = page.locator(".steps").get_by_role("link", name="Look inside")
    expect(look).to_be_visible()
    assert steps(page) == ["done", "done", "done", "next"]
    assert violations(page) == []
    address = look.get_attribute("href") or ""
    assert address.startswith("/documents/")
    page.locator(".steps").get_by_role("link", name="Ask").click()
    page.wait_for_url("**/playground**")
    settle(page)
    page.locator("#query").fill("bolt")
    page.get_by_role("button", name="Run").click()
    # It comes in events: who leaves before its end has asked nothing.
    expect(page.locator(".answer h3")).to_be_visible()
    page.goto(empty_server)
    settle(page)
    expect(page.locator(".kb-card")).to_have_count(1)
    expect(page.locator(".steps")).to_have_count(0)


def test_with_the_samples_there_is_nothing_left_but_to_ask(open_page: Opener, api: httpx.Client) -> None:
    page = settle(open_page("/"))
    expect(page.locator(".kb-card").first).to_be_visible()
    documents = sum(base["documents"] for base in api.get("/v1/knowledge-bases").json()["items"])
    asked = api.get("/v1/traces", params={"mine": True}).json()["items"]
    shown = [] if asked or documents > FEW else ["done", "done", "done", "next"]
    assert steps(page) == shown
