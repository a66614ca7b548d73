"""A page with 500 boxes: nothing is rebuilt while moving, and the list keeps only the cards near the viewport.

`pytest -s` prints the frame times; they are a figure for the benchmarks, not a condition.
"""

import copy
import json
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
