"""A file in two knowledge bases, and links in it: what hits and quotations show."""

from collections.abc import Iterator
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener
from tests.browser.sample import Json, ingest

pytestmark = pytest.mark.browser

QUESTION = "How many failed attempts may a verifier allow?"
TEXT = "# Guessing\n\nA verifier allows at most 100 failed attempts, see [Section 5.2.2](https://a.example/b33#throttle).\n"


@pytest.fixture(scope="module")
def bases(api: httpx.Client) -> Iterator[list[Json]]:
    made = [api.post("/v1/knowledge-bases", json={"name": name}).json() for name in ("Depot", "Works")]
    for base in made:
        ingest(api, base["id"], "guessing.md", TEXT.encode())
    yield made
    for base in made:
        api.delete(f"/v1/knowledge-bases/{base['id']}")


def opened(open_page: Opener, bases: list[Json], mode: str) -> Page:
    slugs = ",".join(base["slug"] for base in bases)
    return open_page(f"/playground?scores=yes&mode={mode}&kb={slugs}&q={quote(QUESTION)}")


def test_a_hit_links_to_the_other_knowledge_base_that_has_its_file(open_page: Opener, bases: list[Json]) -> None:
    page = opened(open_page, bases, "search")
    hits = page.locator(".hit", has_text="failed attempts")
    expect(hits).to_have_count(1)
    other = hits.get_by_role("link", name="also in")
    other.click()
    page.wait_for_url("**/documents/*")
    expect(page.get_by_text("failed attempts").first).to_be_visible()


def test_a_quotation_shows_a_link_without_its_target(open_page: Opener, bases: list[Json]) -> None:
    page = opened(open_page, bases, "ask")
    expect(page.locator(".sentence q").first).to_have_text(
        "A verifier allows at most 100 failed attempts, see Section 5.2.2."
    )
    expect(page.locator(".sentence mark").first).to_have_text("100")
    expect(page.locator(".sources").get_by_role("link", name="also in")).to_have_count(1)
