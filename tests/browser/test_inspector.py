"""The page and its chunks move together: hover, click, keyboard, links, filters, zoom."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.gestures import active_chunk, box_of, card_of, hover_center, open_inspector, rect, wait_in_view
from tests.browser.sample import Sample, count_type

pytestmark = pytest.mark.browser

# Whether every card begins below the end of the one before.
CARDS_APART = """() => {
    const cards = [...document.querySelectorAll('.card')].map(card => card.getBoundingClientRect());
    cards.sort((one, two) => one.top - two.top);
    return cards.every((card, at) => at === 0 || cards[at - 1].bottom <= card.top);
}"""


def test_pointing_at_a_box_highlights_its_card_and_brings_it_into_view(open_page: Opener, sample: Sample) -> None:
    view = sample.richest
    page = open_inspector(open_page(sample.path(view)))
    chunk = view["items"][-1]["id"]
    hover_center(page, box_of(page, chunk))
    hovered = active_chunk(page)
    assert hovered is not None
    expect(card_of(page, hovered)).to_have_class(re.compile(r"\bactive\b"))
    wait_in_view(page, card_of(page, hovered), "#cards")


def test_pointing_at_a_card_highlights_its_box_and_brings_it_into_view(open_page: Opener, sample: Sample) -> None:
    view = sample.richest
    page = open_inspector(open_page(sample.path(view)))
    card = page.locator(".card").nth(3)
    chunk = card.get_attribute("data-chunk")
    assert chunk is not None
    hover_center(page, card)
    expect(box_of(page, chunk)).to_have_class(re.compile(r"\bactive\b"))
    wait_in_view(page, box_of(page, chunk), "#stage")
    page.mouse.move(5, 5)
    expect(page.locator(".box.active")).to_have_count(0)


def test_a_click_pins_until_escape_and_the_address_carries_the_chunk(open_page: Opener, sample: Sample) -> None:
    page = open_inspector(open_page(sample.path(sample.richest)))
    card = page.locator(".card").nth(1)
    chunk = card.get_attribute("data-chunk")
    assert chunk is not None
    card.click()
    page.mouse.move(5, 5)
    expect(box_of(page, chunk)).to_have_class(re.compile(r"\bpinned\b"))
    expect(card_of(page, chunk)).to_have_attribute("aria-current", "true")
    assert f"chunk={chunk}" in page.url
    page.keyboard.press("Escape")
    expect(page.locator(".box.active")).to_have_count(0)
    assert "chunk=" not in page.url


def test_a_click_on_a_box_pins_it_and_a_click_beside_it_lets_go(open_page: Opener, sample: Sample) -> None:
    view = sample.richest
    page = open_inspector(open_page(sample.path(view)))
    box_of(page, view["items"][0]["id"]).click()
    expect(page.locator(".card.pinned")).to_have_count(1)
    overlay = rect(page.locator("page-overlay"))
    page.mouse.click(overlay["x"] + 3, overlay["y"] + 3)
    expect(page.locator(".card.pinned")).to_have_count(0)


def test_the_keyboard_walks_every_chunk_and_keeps_both_sides_in_view(open_page: Opener, sample: Sample) -> None:
    view = sample.richest
    page = open_inspector(open_page(sample.path(view), reduced_motion="reduce"))
    for number, chunk in enumerate(view["items"]):
        page.keyboard.press("j" if number % 2 else "ArrowDown")
        expect(card_of(page, chunk["id"])).to_have_class(re.compile(r"\bpinned\b"))
        wait_in_view(page, card_of(page, chunk["id"]), "#cards")
        wait_in_view(page, box_of(page, chunk["id"]), "#stage")
    page.keyboard.press("k")
    assert active_chunk(page) == view["items"][-2]["id"]


def test_after_the_last_chunk_comes_the_first_of_the_next_page(open_page: Opener, sample: Sample) -> None:
    view = next(v for v in sample.views if v["items"] and v["page"] < sample.document["pages"])
    following = sample.views[view["page"]]
    page = open_inspector(open_page(sample.path(view, view["items"][-1]["id"])))
    page.keyboard.press("j")
    page.wait_for_url(re.compile(rf"page={view['page'] + 1}\b"))
    if following["items"]:
        expect(box_of(page, following["items"][0]["id"])).to_have_class(re.compile(r"\bpinned\b"))


def test_n_and_p_turn_pages_and_the_strip_follows(open_page: Opener, sample: Sample) -> None:
    page = open_inspector(open_page(sample.path(sample.views[0])))
    page.keyboard.press("n")
    expect(page.locator('.strip-item[aria-current="page"]')).to_have_attribute("data-page", "2")
    page.keyboard.press("p")
    expect(page.locator('.strip-item[aria-current="page"]')).to_have_attribute("data-page", "1")


def test_a_link_opens_its_page_with_its_chunk_pinned_and_in_view(open_page: Opener, sample: Sample) -> None:
    view = sample.richest
    chunk = view["items"][-1]["id"]
    page = open_inspector(open_page(sample.path(view, chunk)))
    expect(page.locator("#page-number")).to_have_text(str(view["page"]))
    expect(card_of(page, chunk)).to_have_class(re.compile(r"\bpinned\b"))
    wait_in_view(page, card_of(page, chunk), "#cards")
    wait_in_view(page, box_of(page, chunk), "#stage")


def test_boxes_lie_where_the_api_says_at_every_zoom(open_page: Opener, sample: Sample) -> None:
    view = sample.richest
    page = open_inspector(open_page(sample.path(view)))
    chunk = view["items"][len(view["items"]) // 2]
    expected = next(box for box in chunk["boxes"] if box["page"] == view["page"])
    for key in ("0", "+", "+", "-", "-", "-"):
        page.keyboard.press(key)
        sheet, box = rect(page.locator("#page-image")), rect(box_of(page, chunk["id"]))
        assert (box["x"] - sheet["x"]) / sheet["width"] == pytest.approx(expected["x"], abs=0.001)
        assert (box["y"] - sheet["y"]) / sheet["height"] == pytest.approx(expected["y"], abs=0.001)
        assert box["width"] / sheet["width"] == pytest.approx(expected["w"], abs=0.001)


def test_zooming_changes_the_size_and_zero_fits_again(open_page: Opener, sample: Sample) -> None:
    page = open_inspector(open_page(sample.path(sample.richest)))
    fitted = rect(page.locator("#sheet"))["width"]
    page.keyboard.press("+")
    page.keyboard.press("+")
    assert rect(page.locator("#sheet"))["width"] == pytest.approx(fitted * 1.5, abs=1)
    page.keyboard.press("0")
    assert rect(page.locator("#sheet"))["width"] == pytest.approx(fitted, abs=1)


def test_a_row_is_reached_before_its_table(open_page: Opener, sample: Sample) -> None:
    view = sample.with_rows
    page = open_inspector(open_page(sample.path(view)))
    row = next(chunk["id"] for chunk in view["items"] if chunk["chunk_type"] == "table_row")
    hover_center(page, box_of(page, row))
    assert active_chunk(page) == row


def test_a_line_joins_the_pinned_box_and_its_card_and_follows_scrolling(open_page: Opener, sample: Sample) -> None:
    page = open_inspector(open_page(sample.path(sample.richest)))
    page.locator(".card").nth(1).click()
    line = page.locator("#connector-path")
    expect(page.locator("#connector")).to_have_class(re.compile(r"\bon\b"))
    before = line.get_attribute("d")
    page.locator("#stage").evaluate("node => node.scrollBy({top: 60, behavior: 'instant'})")
    page.wait_for_function("d => document.getElementById('connector-path').getAttribute('d') !== d", arg=before)


def test_filtering_by_type_keeps_that_type_on_both_sides(open_page: Opener, sample: Sample) -> None:
    view = sample.with_rows
    page = open_inspector(open_page(sample.path(view)))
    page.locator('[data-chip="table_row"]').click()
    expect(page.locator(".box:visible")).to_have_count(page.locator('.box[data-type="table_row"]').count())
    assert {card.get_attribute("data-type") for card in page.locator(".card").all()} == {"table_row"}
    setsize = page.locator(".card").first.get_attribute("aria-setsize")
    assert setsize == str(count_type(view, "table_row"))


def test_filtering_by_confidence_and_flag_shows_only_what_passes(open_page: Opener, sample: Sample) -> None:
    view = sample.richest
    page = open_inspector(open_page(sample.path(view)))
    page.get_by_label("Confidence", exact=True).select_option("0.85")
    low = sum(chunk["confidence"] < 0.85 for chunk in view["items"])
    expect(page.locator("page-overlay .box:visible")).to_have_count(low)
    page.get_by_label("Confidence", exact=True).select_option("")
    page.keyboard.press("f")
    flagged = [chunk for chunk in view["items"] if chunk["flags"]]
    expect(page.locator(".card")).to_have_count(len(flagged))


def test_what_was_skipped_appears_on_demand_with_its_reason(open_page: Opener, sample: Sample) -> None:
    view = sample.page(lambda view: len(view["skipped"]))
    page = open_inspector(open_page(sample.path(view)))
    expect(page.locator('.box[data-type="skipped"]')).to_have_count(0)
    page.locator("#show-skipped").check()
    expect(page.locator('.box[data-type="skipped"]')).to_have_count(len(view["skipped"]))
    reason = view["skipped"][0]["reason"].replace("_", " ")
    expect(page.locator('.box[data-key="skipped-0"]')).to_have_attribute("title", re.compile(reason))
    page.keyboard.press("s")
    expect(page.locator('.box[data-type="skipped"]')).to_have_count(0)


def test_a_narrow_screen_has_page_and_chunks_as_two_tabs(open_page: Opener, sample: Sample) -> None:
    view = sample.richest
    chunk = view["items"][0]["id"]
    page = open_inspector(open_page(sample.path(view, chunk), width=360, height=740))
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    expect(page.locator("#pane")).to_be_hidden()
    page.locator("#peek").click()
    expect(page.locator("#stage-region")).to_be_hidden()
    wait_in_view(page, card_of(page, chunk), "#cards")
    card_of(page, chunk).get_by_role("button", name="Show on page").click()
    expect(page.locator("#stage-region")).to_be_visible()
    wait_in_view(page, box_of(page, chunk), "#stage")


def test_a_picture_that_loads_into_a_card_pushes_the_cards_below_away(open_page: Opener, sample: Sample) -> None:
    view = sample.page(lambda page: any(c["chunk_type"] == "figure" for c in page["items"][:-1]) * len(page["items"]))
    figure = next(c for c in view["items"] if c["chunk_type"] == "figure")["id"]
    page = open_inspector(open_page(sample.path(view, figure)))
    page.wait_for_function("() => document.querySelector('.card.pinned .card-figure')?.naturalHeight > 0")
    page.wait_for_function(CARDS_APART)
    assert page.evaluate("document.querySelectorAll('.card').length") > 1
    assert page.evaluate(CARDS_APART)
