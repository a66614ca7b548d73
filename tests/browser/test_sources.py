"""Web pages and watched sites on the page of a knowledge base: added by their address, listed, fetched again."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from functions.api.app import create_app
from functions.api.identity import development_identity
from functions.background import Maintenance
from functions.local import System, local_system
from shared.adapters.web import WebFetcher
from tests.browser.conftest import Contexts, opener
from tests.browser.gestures import settle, violations
from tests.live import serving
from tests.web_server import Site, running_site

pytestmark = pytest.mark.browser
SAID = "Every boat is weighed before the race begins, and again when it has ended."


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with running_site() as made:
        yield made


@pytest.fixture(scope="module")
def system(test_home: Path, site: Site) -> Iterator[System]:
    """One that may ask the site, which no server that is not told so may."""
    with local_system(test_home / "sources", 1) as made:
        made.runtime.fetch = WebFetcher([site.host])
        yield made


@pytest.fixture(scope="module")
def server(system: System) -> Iterator[str]:
    with serving(create_app(system.runtime, development_identity(system.runtime), local=True)) as url:
        yield url


@pytest.fixture
def shelf(contexts: Contexts, server: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The page of an empty knowledge base."""
    made = httpx.post(f"{server}/v1/knowledge-bases", json={"name": request.node.name[:60]}).json()
    with opener(contexts) as open_address:
        page = open_address(f"{server}/kb/{made['slug']}")
        expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()
        yield page


def add(page: Page, address: str, wish: str = "page") -> None:
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="A web page, or a site to watch").click()
    box = page.get_by_role("dialog", name="Add from the web")
    box.get_by_label("What to add").select_option(wish)
    box.get_by_label("Address").fill(address)
    box.get_by_role("button", name="Add", exact=True).click()
    # A card of what is read stays below the pointer.
    page.mouse.move(0, 0)


def open_while_loaded(page: Page, summary: Locator) -> None:
    """Opens what has `summary` after the sources have been asked for again, and before they are drawn."""
    held: list[Route] = []
    page.route("**/v1/sources?*", lambda route: held.append(route))
    with page.expect_request("**/v1/sources?*"):
        page.evaluate("document.dispatchEvent(new Event('note-saved'))")
    summary.click()
    with page.expect_response("**/v1/sources?*"):
        held[0].continue_()
    page.unroute("**/v1/sources?*")
    settle(page)


def test_a_page_is_added_by_its_address_and_its_next_version_fetched(shelf: Page, site: Site) -> None:
    site.put("/boats", f"<h1>Boats</h1><p>{SAID}</p>", ETag='"1"')
    add(shelf, f"{site.url}/boats")
    expect(shelf.locator("#documents").get_by_role("link", name=f"{site.host}/boats").first).to_be_visible()
    expect(shelf.locator("#ingestions article")).to_have_count(0)
    sources = shelf.get_by_role("region", name="Sources")
    open_while_loaded(settle(shelf), sources.get_by_text("Pages", exact=True))
    sources.get_by_role("button", name=f"Fetch {site.url}/boats again").click()
    expect(sources.get_by_role("status")).to_have_text("the same as before")
    assert violations(shelf) == []
    site.put("/boats", f"<h1>Boats</h1><p>{SAID} Twice.</p>", ETag='"2"')
    sources.get_by_role("button", name=f"Fetch {site.url}/boats again").click()
    expect(sources.get_by_role("status")).to_have_text("changed: it is read")
    expect(shelf.locator("#ingestions article")).to_have_count(0)
    settle(shelf)
    expect(sources.get_by_role("status")).to_have_text("changed: it is read")


def test_what_may_not_be_asked_is_said_in_the_form_which_stays(shelf: Page) -> None:
    add(shelf, "boats.example")
    box = shelf.get_by_role("dialog", name="Add from the web")
    expect(box.get_by_role("alert")).to_contain_text("begins with https://")
    box.get_by_label("Address").fill("http://169.254.169.254/latest/meta-data/")
    box.get_by_role("button", name="Add", exact=True).click()
    expect(box.get_by_role("alert")).to_contain_text("no host of the public internet")
    assert violations(shelf) == []


def test_a_site_is_watched_and_watched_no_more(shelf: Page, site: Site) -> None:
    add(shelf, f"{site.url}/sitemap.xml", "sitemap")
    sources = shelf.get_by_role("region", name="Sources")
    expect(sources).to_contain_text("every 24 hours · not looked at yet")
    sources.get_by_role("button", name=f"Stop watching {site.url}/sitemap.xml").click()
    shelf.get_by_role("button", name="Stop watching", exact=True).click()
    expect(sources).to_have_count(0)


def test_a_site_is_watched_within_bounds_and_looked_at_now(shelf: Page, site: Site, system: System) -> None:
    for path in ("/guide/a", "/guide/old"):
        site.put(path, f"<h1>Boats</h1><p>{SAID} {path}</p>")
    urls = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in ("/guide/a", "/guide/old"))
    site.put("/guide.xml", f"<urlset>{urls}</urlset>", "application/xml")
    shelf.get_by_role("button", name="Add", exact=True).click()
    shelf.get_by_role("button", name="A web page, or a site to watch").click()
    box = shelf.get_by_role("dialog", name="Add from the web")
    box.get_by_label("What to add").select_option("sitemap")
    box.get_by_label("Address").fill(f"{site.url}/guide.xml")
    box.get_by_label("Not paths like").fill("guide/old*")
    box.get_by_label("Seconds between two pages").fill("31")
    box.get_by_role("button", name="Add", exact=True).click()
    expect(box.get_by_role("alert")).to_contain_text("A path begins with /")
    box.get_by_label("Not paths like").fill("/guide/old*, *.pdf")
    box.get_by_role("button", name="Add", exact=True).click()
    expect(box.get_by_role("alert")).to_contain_text("from 1 to 30")
    assert violations(shelf) == []
    box.get_by_label("Seconds between two pages").fill("1")
    box.get_by_role("button", name="Add", exact=True).click()
    sources = shelf.get_by_role("region", name="Sources")
    expect(sources).to_contain_text("not /guide/old* *.pdf · 200 pages at most · 1 second between two")
    with Maintenance(system.runtime, system.owner_dsn, first_s=600):
        sources.get_by_role("button", name=f"Look at {site.url}/guide.xml now").click()
        expect(sources).to_contain_text("looked at just now: 1 new, 2 listed")
    assert violations(shelf) == []
    assert "/guide/old" not in [path for path, _ in site.asked]


@pytest.fixture
def watched(shelf: Page, site: Site) -> Page:
    """A watched site, whose row was drawn anew while its pages were open."""
    add(shelf, f"{site.url}/sitemap.xml", "sitemap")
    sources = shelf.get_by_role("region", name="Sources")
    sources.get_by_text("Pages", exact=True).click()
    answered = {"error": "It could not be reached."}

    def change(route: Route) -> None:
        answer = route.fetch()
        said = answer.json()
        route.fulfill(response=answer, json={**said, "items": [one | answered for one in said["items"]]})

    shelf.route("**/v1/sources?*", change)
    shelf.evaluate("document.dispatchEvent(new Event('note-saved'))")
    expect(sources).to_contain_text("could not be reached")
    return shelf


def test_what_is_refused_of_a_site_is_said_below_it(watched: Page) -> None:
    problem = {"title": "x", "detail": "Not now."}
    kind = "application/problem+json"
    watched.route("**/v1/watches/*/look", lambda route: route.fulfill(status=400, json=problem, content_type=kind))
    row = watched.locator(".source-row")
    row.get_by_role("button", name="Look at").click()
    expect(row).to_contain_text("Not now.")
    expect(row.get_by_role("button", name="Look at")).to_be_enabled()
    assert violations(watched) == []


def test_a_look_that_does_not_come_says_when_it_does(watched: Page) -> None:
    row = watched.locator(".source-row")
    with watched.expect_request("**/v1/sources/*"):  # its time is counted from before
        row.get_by_role("button", name="Look at").click()
    expect(row.get_by_role("button", name="Look at")).to_have_text("Looking…")
    watched.clock.set_fixed_time(datetime.now(UTC) + timedelta(minutes=11))
    expect(row.get_by_role("status")).to_contain_text("within a day")
    expect(row.get_by_role("button", name="Look at")).to_have_text("Look now")


def test_a_folder_is_chosen_and_its_files_are_called_by_their_paths(shelf: Page, tmp_path: Path) -> None:
    for path in ("papers/a/one.txt", "papers/two.txt", "papers/.hidden/three.txt"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"{SAID} {path}")
    shelf.locator("#folder-input").set_input_files(tmp_path / "papers")
    for name in ("a/one.txt", "two.txt"):
        expect(shelf.locator("#documents").get_by_role("link", name=name).first).to_be_visible()
    expect(shelf.get_by_text("three.txt")).to_have_count(0)


def drop(page: Page, *paths: Path) -> None:
    """As the system does when somebody lets go of files and folders over the page: the browser makes the transfer."""
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": data})
    session.detach()


def written(folder: Path, *paths: str) -> Path:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"{SAID} {path}")
    return folder


def test_a_folder_that_is_dropped_comes_with_the_folders_in_it(shelf: Page, tmp_path: Path) -> None:
    deep = "a/b/c/d/deep.txt"
    folder = written(tmp_path / "dropped", deep, "a/near.txt", "top.txt", ".git/config.txt", "a/Thumbs.db", "~$top.txt")
    drop(shelf, folder)
    for name in (deep, "a/near.txt", "top.txt"):
        expect(shelf.locator("#documents").get_by_role("link", name=name).first).to_be_visible()
    for name in ("config.txt", "Thumbs.db", "~$top.txt"):
        expect(shelf.get_by_text(name)).to_have_count(0)


def test_of_many_files_one_card_says_how_many_ended_and_which_were_not_taken(shelf: Page, tmp_path: Path) -> None:
    good = [f"lot/{number // 40}/page-{number:03}.txt" for number in range(8)]
    folder = written(tmp_path / "many", *good, "lot/film.mp4")
    (folder / "lot" / "empty.txt").touch()
    shelf.evaluate(
        """() => {
            const asEntry = DataTransferItem.prototype.webkitGetAsEntry;
            DataTransferItem.prototype.webkitGetAsEntry = function () {
                const entry = asEntry.call(this);
                const reader = Object.getPrototypeOf(entry.createReader()), read = reader.readEntries;
                reader.readEntries = function (take, refuse) {
                    read.call(this, (found) => {
                        const gone = found.find((one) => one.name === "page-003.txt");
                        if (gone) gone.file = (_, failed) => failed(new DOMException("gone", "NotFoundError"));
                        take(found);
                    }, refuse);
                };
                return entry;
            };
        }"""
    )
    drop(shelf, folder)
    card = shelf.get_by_role("article", name="10 files", exact=True)
    expect(card).to_contain_text("of 10 files")
    expect(shelf.locator(".ingestion")).not_to_have_count(1)
    expect(shelf.locator(".ingestion").first).to_have_accessible_name("10 files")
    expect(card).to_contain_text("7 files in, 3 not")
    for name, why in (("film.mp4", "mp4"), ("empty.txt", "empty (0 bytes)"), ("page-003.txt", "NotFoundError")):
        expect(card.get_by_role("listitem").filter(has_text=name)).to_contain_text(why)
    expect(shelf.locator(".ingestion.failed")).to_have_count(1)
    assert violations(shelf) == []
