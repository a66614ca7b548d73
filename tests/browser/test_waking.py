"""The database sleeps: a page says so and goes on by itself, and what somebody has typed is not lost."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from functions.api import pages_account
from functions.api.routes import system
from shared.errors import DatabaseAway
from shared.runtime import Runtime
from shared.store.connect import NO_ANSWER, Connection
from tests.browser.conftest import AWAY, Contexts, Opener, opener
from tests.browser.gestures import settle, violations
from tests.browser.people import People

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module", autouse=True)
def everybody(people: People) -> None:
    people.add("olga", "owner")
    people.request("olga", "GET", "/v1/me").raise_for_status()


class Sleep:
    """Until `end` nobody gets a connection, and everybody is told so soon."""

    def __init__(self, runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
        self._asleep = False
        awake = runtime.database.unscoped

        @contextmanager
        def unscoped(within_s: float | None = None) -> Generator[Connection]:
            if self._asleep:
                raise DatabaseAway(NO_ANSWER)
            with awake(within_s) as connection:
                yield connection

        monkeypatch.setattr(runtime.database, "unscoped", unscoped)

    def begin(self) -> None:
        self._asleep = True

    def end(self) -> None:
        self._asleep = False


@pytest.fixture
def sleep(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Sleep:
    return Sleep(runtime, monkeypatch)


@pytest.fixture
def open_as(contexts: Contexts, people: People) -> Generator[Opener]:
    """As everywhere, but that a browser may note the refusals."""
    with opener(contexts, AWAY) as open_address:
        yield lambda who, path, *more, **options: open_address(people.url + path, *more, who=who, **options)


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (360, "dark")])
def test_a_page_says_that_the_database_wakes_up_and_goes_on_to_where_one_wanted(
    open_as: Opener, sleep: Sleep, width: int, theme: str
) -> None:
    sleep.begin()
    page = open_as("olga", "/settings/audit?act=member", width=width, color_scheme=theme)
    expect(page.get_by_role("heading", level=1)).to_have_text("The database is waking up")
    expect(page.locator("#waking-said")).to_contain_text("s so far")
    expect(page.get_by_role("progressbar")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
    sleep.end()
    expect(page.get_by_role("heading", level=1)).to_have_text("Audit log")
    assert page.url.endswith("/settings/audit?act=member")


def test_what_was_typed_stays_and_is_sent_once_when_the_database_is_there(
    open_as: Opener, people: People, sleep: Sleep
) -> None:
    page = settle(open_as("olga", "/"))
    page.get_by_role("button", name="New knowledge base").click()
    page.get_by_label("Name").fill("Typed while it slept")
    sleep.begin()
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_text("The database is waking up.")).to_be_visible()
    expect(page.get_by_label("Name")).to_have_value("Typed while it slept")
    assert violations(page) == []
    sleep.end()
    expect(page.get_by_role("heading", level=1)).to_have_text("Typed while it slept")
    found = people.request("olga", "GET", "/v1/knowledge-bases").json()["items"]
    assert [one["name"] for one in found].count("Typed while it slept") == 1


def test_a_database_that_does_not_wake_is_given_up_and_can_be_tried_again(
    open_as: Opener, people: People, sleep: Sleep
) -> None:
    sleep.begin()
    page = open_as("olga", "/settings/keys")
    expect(page.locator("#waking-said")).to_contain_text("s so far")
    # Three minutes later, as far as the page can tell.
    page.evaluate("() => { const now = Date.now; Date.now = () => now() + 200_000; }")
    expect(page.get_by_role("heading", level=1)).to_have_text("The database does not wake up")
    sleep.end()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Keys")


def test_one_is_told_before_anybody_would_have_given_up() -> None:
    """The page comes, and each question of it ends, within the time that a person waits unsettled."""
    assert pages_account.PATIENCE_S <= 3
    assert system.READY_WITHIN_S <= 3
