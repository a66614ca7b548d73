"""A page with 500 boxes: nothing is rebuilt while moving, and the list keeps only the cards near the viewport. And a
page's picture waits for nothing that it does not need.

`pytest -s` prints the frame times; they are a figure for the benchmarks, not a condition.
"""

import copy
import json
import re
import statistics
import uuid
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Opener
from tests.browser.gestures import open_inspector
from tests.browser.sample import Sample

pytestmark = pytest.mark.browser

BOXES = 500
COLUMNS = 10

# Moves over the boxes and scrolls; answers the frames' milliseconds and how often boxes were added or removed.
MOVE_AND_MEASURE = """async () => {
    let rebuilt = 0;
    new MutationObserver((records) => {
        rebuilt += records.filter((record) => record.target.id === 'overlay').length;
    }).observe(document.getElementById('overlay'), {childList: true, subtree: true});
    const overlay = document.getElementById('overlay'), frames = [];
    const boxes = [...overlay.querySelectorAll('.box')];
    let last = performance.now();
    for (let at = 0; at < 120; at += 1) {
        const box = boxes[(at * 37) % boxes.length];
        const point = {bubbles: true, clientX: at, clientY: at, pointerType: 'mouse'};
        box.dispatchEvent(new PointerEvent('pointermove', point));
        document.getElementById('stage').scrollTop = (at % 40) * 12;
        await new Promise(requestAnimationFrame);
        const now = performance.now();
        frames.push(now - last);
        last = now;
    }
    return {frames, rebuilt};
}"""


def crowded(view: dict[str, Any]) -> dict[str, Any]:
    """The page with 500 boxes in a grid of ten columns."""
    template = view["items"][0]
    rows = BOXES // COLUMNS
    items: list[dict[str, Any]] = []
    for number in range(BOXES):
        chunk = copy.deepcopy(template)
        x, y = number % COLUMNS / COLUMNS, number // COLUMNS / rows
        box = {"kind": "page", "page": view["page"], "x": x, "y": y, "w": 0.09, "h": 0.015, "fragment_ids": []}
        items.append(chunk | {"id": str(uuid.UUID(int=number + 1)), "ordinal": number, "boxes": [box]})
    return view | {"items": items}


def test_moving_over_five_hundred_boxes_rebuilds_none_and_keeps_few_cards_in_the_document(
    open_page: Opener, sample: Sample
) -> None:
    view = sample.richest
    body = json.dumps(crowded(view))

    def answer(route: Route) -> None:
        route.fulfill(status=200, content_type="application/json", body=body)

    page = open_page("/playground")
    page.route(f"**/pages/{view['page']}", answer)
    page.goto(page.url.split("/playground")[0] + sample.path(view))
    open_inspector(page)
    expect(page.locator(".box")).to_have_count(BOXES)
    assert page.locator(".card").count() < 40
    measured = page.evaluate(MOVE_AND_MEASURE)
    frames: list[float] = measured["frames"]
    print(f"median frame {statistics.median(frames):.1f} ms, p95 {sorted(frames)[114]:.1f} ms")
    assert measured["rebuilt"] == 0
    assert page.locator(".card").count() < 40


def test_the_picture_of_the_page_turned_to_waits_neither_for_its_chunks_nor_under_the_boxes_of_the_page_before(
    open_page: Opener, sample: Sample
) -> None:
    page = open_inspector(open_page(f"/documents/{sample.document['id']}?page=2"))
    held: list[Route] = []
    page.route("**/pages/9", lambda route: held.append(route))
    page.locator('.strip-item[data-page="9"]').click()
    open_inspector(page)
    expect(page.locator("#page-image")).to_have_attribute("src", re.compile("/pages/9/image"))
    assert len(held) == 1
    expect(page.locator(".box")).to_have_count(0)
    held[0].continue_()
    expect(page.locator(".box").first).to_be_attached()


def test_the_pages_beside_the_open_one_are_there_before_they_are_turned_to(open_page: Opener, sample: Sample) -> None:
    page = open_inspector(open_page(f"/documents/{sample.document['id']}?page=9"))
    page.wait_for_load_state("networkidle")
    later: list[str] = []
    page.on("request", lambda request: later.append(request.url))
    page.locator("#page-next").click()
    open_inspector(page)
    expect(page.locator(".box").first).to_be_attached()
    assert [url for url in later if "/pages/10" in url and "thumb" not in url] == []


def test_thumbnails_are_asked_for_only_where_they_are_seen(open_page: Opener, sample: Sample) -> None:
    asked: list[str] = []
    page = open_page("/playground")
    page.on("request", lambda request: asked.append(request.url) if "size=thumb" in request.url else None)
    page.goto(page.url.split("/playground")[0] + f"/documents/{sample.document['id']}?page=1")
    open_inspector(page)
    page.wait_for_load_state("networkidle")
    seen = page.locator(".strip-item").evaluate_all(
        "(items) => items.filter((item) => item.getBoundingClientRect().top < innerHeight).length"
    )
    assert seen <= len(asked) <= seen + 4 < sample.document["pages"]
