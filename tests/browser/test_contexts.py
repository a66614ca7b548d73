"""What tests share of the browser: files that were loaded, and nothing that a test leaves behind."""

from collections.abc import Generator

import pytest
from fastapi import FastAPI
from fastapi.responses import HTMLResponse, Response
from playwright.sync_api import Page

from tests.browser.conftest import Contexts, Opener, opener
from tests.live import serving

pytestmark = pytest.mark.browser

PAGE = "<!doctype html><title>Kept</title><link rel=icon href=data:,><script src=/kept.js></script>"
LEAVE = """async () => {
    document.cookie = "of=one";
    localStorage.setItem("of", "one");
    await new Promise((done) => { indexedDB.open("one").onsuccess = done; });
}"""
FIND = """async () => [
    document.cookie, localStorage.length, (await indexedDB.databases()).length,
    (await navigator.permissions.query({name: "geolocation"})).state, globalThis.script,
]"""


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def site(asked: list[str]) -> Generator[str]:
    app = FastAPI()

    @app.get("/{path:path}")
    def answer(path: str) -> Response:
        asked.append(path)
        if not path:
            return HTMLResponse(PAGE, headers={"Cache-Control": "no-store"})
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response("globalThis.script = 'served';", media_type="text/javascript", headers=headers)

    with serving(app) as url:
        yield url


def test_what_a_test_leaves_in_a_context_is_gone_for_the_next_and_what_was_loaded_is_there(
    contexts: Contexts, site: str, asked: list[str]
) -> None:
    with opener(contexts) as open_address:
        page = open_address(site)
        left = page.context
        left.grant_permissions(["geolocation"])
        page.evaluate(LEAVE)
        assert page.evaluate(FIND) == ["of=one", 1, 1, "granted", "served"]
        left.route("**/kept.js", lambda route: route.fulfill(body="globalThis.script = 'of one';"))
        with page.expect_popup():
            page.evaluate("() => { open('/more'); }")
    with opener(contexts) as open_address:
        page = open_address(site)
        assert page.context is left
        assert page.context.pages == [page]
        assert page.evaluate(FIND) == ["", 0, 0, "prompt", "served"]
    assert asked.count("kept.js") == 1


def test_two_pages_of_a_test_share_no_context_and_wishes_are_of_one_alone(contexts: Contexts, site: str) -> None:
    with opener(contexts) as open_address:
        first, second = open_address(site), open_address(site, color_scheme="dark", width=400)
        wished = open_address(site, locale="de-DE")
        assert len({id(page.context) for page in (first, second, wished)}) == 3
        assert (first.evaluate("innerWidth"), second.evaluate("innerWidth")) == (1440, 400)
        assert second.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    with opener(contexts) as open_address:
        for _ in range(3):
            page = open_address(site)
            assert page.evaluate("navigator.language") != "de-DE"
            assert not page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")


@pytest.fixture
def shown() -> Generator[list[Page]]:
    pages: list[Page] = []
    yield pages
    assert pages[0].is_closed()


def test_pages_end_before_what_other_fixtures_made_is_deleted(open_page: Opener, shown: list[Page]) -> None:
    shown.append(open_page("/"))
    assert not shown[0].is_closed()  # when `shown` ends, it is
