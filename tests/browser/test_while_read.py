"""A document that is looked into while it is read: what comes is added where the reader is."""

import re
from uuid import uuid4

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Opener
from tests.browser.gestures import card_of, open_inspector
from tests.browser.sample import Json, Sample, read

pytestmark = pytest.mark.browser

LINES = [{"id": "p1.f1", "text": "A first line"}, {"id": "p1.f2", "text": "A second line"}]
# The first card that is seen whole once nothing moves any more: its place among the chunks, and where it stands.
SEEN = """async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const list = document.getElementById('cards');
    for (let still = 0, at = null; still < 5; at = list.scrollTop) {
        await frame();
        still = list.scrollTop === at ? still + 1 : 0;
    }
    const top = document.getElementById('cards').getBoundingClientRect().top;
    const cards = [...document.querySelectorAll('.card')].map((card) => [card, card.getBoundingClientRect().top]);
    const [card, at] = cards.find(([, y]) => y >= top);
    return { place: Number(card.getAttribute('aria-posinset')), top: at };
}"""


class Reading:
    """Stands for a run that reads the sample's document: `view` is what is known of its open page, until `ended`."""

    def __init__(self, page: Page, sample: Sample, shown: Json) -> None:
        self.view: Json = {**shown, "status": "parsed", "items": [], "fragments": LINES}
        self.ended = False
        base = f"**/v1/documents/{sample.document['id']}"
        document = read(sample.api, f"/v1/documents/{sample.document['id']}")
        page.route(base, lambda route: self._answer(route, document, {"status": "running"}))
        page.route(f"{base}/pages/{shown['page']}*", lambda route: self._answer(route, shown, self.view))

    def _answer(self, route: Route, whole: Json, meanwhile: Json) -> None:
        route.fulfill(json=whole if self.ended else {**whole, **meanwhile})


def drafts(shown: Json) -> list[Json]:
    return [{**item, "id": str(uuid4()), "section": None} for item in shown["items"]]


def test_lines_then_drafts_then_chunks_come_by_themselves_and_the_place_is_kept(
    open_page: Opener, sample: Sample
) -> None:
    shown = sample.richest
    page = open_page("/")
    reading = Reading(page, sample, shown)
    page.goto(page.url.rstrip("/") + sample.path(shown))
    expect(page.locator(".lines-read")).to_contain_text("A second line")
    expect(page.locator("#proof")).to_contain_text("Being read")
    known = drafts(shown)
    reading.view |= {"items": known, "provisional": True}
    open_inspector(page)
    pinned = known[3]
    card_of(page, pinned["id"]).click()
    expect(page.get_by_role("button", name=re.compile("Answers a question"))).to_have_count(0)
    page.locator("#cards").evaluate("(list) => { list.scrollTop = 700; }")
    before = page.evaluate(SEEN)
    assert before["place"] > 3
    reading.ended = True
    stored = shown["items"][3]["id"]
    expect(card_of(page, stored)).to_have_class(re.compile("pinned"))
    expect(page).to_have_url(re.compile(f"chunk={stored}"))
    after = page.evaluate(SEEN)
    assert after["place"] == before["place"]
    assert abs(after["top"] - before["top"]) <= 2
    expect(page.locator("#proof")).to_contain_text("verbatim")


def test_what_has_not_changed_is_not_drawn_again(open_page: Opener, sample: Sample) -> None:
    page = open_page("/")
    reading = Reading(page, sample, sample.richest)
    reading.view |= {"items": drafts(sample.richest), "provisional": True}
    page.goto(page.url.rstrip("/") + sample.path(sample.richest))
    open_inspector(page)
    page.locator(".card").first.evaluate("(card) => { card.dataset.kept = 'yes'; }")
    # The second is asked for when the first is drawn.
    for _ in range(2):
        with page.expect_response(re.compile(r"/pages/\d+\?include=fragments$")):
            pass
    expect(page.locator(".card[data-kept]")).to_have_count(1)
