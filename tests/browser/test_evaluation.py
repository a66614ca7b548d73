"""Evaluation in the browser: a question kept in the inspector is measured, plotted, and tried again."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import Opener
from tests.browser.gestures import open_inspector, settle, violations, violations_in_both_themes
from tests.browser.sample import Sample

pytestmark = pytest.mark.browser

NOBODY = "Who invented the sextant?"
LOST = {"question": NOBODY, "expected": [{"document": "kestrel-cup-2026.pdf", "page": 1}]}


@pytest.fixture
def place(api: httpx.Client, sample: Sample) -> Iterator[str]:
    """The gold of the sample's knowledge base, empty before and afterwards."""
    address = f"/v1/knowledge-bases/{sample.knowledge_base['id']}"
    _forget(api, address)
    yield address
    _forget(api, address)


@pytest.fixture
def measured(api: httpx.Client, place: str) -> str:
    """Two runs over two questions, one of which finds nothing."""
    asked = {"question": "What is the minimum mass of a car?", "expected": [{"document": "kestrel-cup-2026.pdf"}]}
    for baseline in (True, False):
        wish = {"gold": "sample.jsonl", "questions": [asked, LOST], "baseline": baseline}
        run = api.post(f"{place}/evaluations", json=wish).json()
        while run["status"] != "done":
            run = api.post(f"{place}/evaluations/{run['id']}/continue").json()
    return str(run["id"])


def _forget(api: httpx.Client, place: str) -> None:
    for item in api.get(f"{place}/gold").json()["items"]:
        api.delete(f"{place}/gold/{item['id']}")


def page_of(open_page: Opener, sample: Sample, query: str = "", **options: Any) -> Page:
    page = open_page(f"/kb/{sample.knowledge_base['slug']}/evaluation{query}", **options)
    settle(page)
    return page


def is_new_run(request: Request) -> bool:
    return request.method == "POST" and request.url.endswith("/evaluations")


def test_a_knowledge_base_without_gold_says_what_to_do(open_page: Opener, api: httpx.Client) -> None:
    made = api.post("/v1/knowledge-bases", json={"name": "Nothing asked yet"}).json()
    page = open_page(f"/kb/{made['slug']}/evaluation")
    settle(page)
    expect(page.get_by_role("heading", name="Nothing measured yet")).to_be_visible()
    expect(page.locator(".how")).to_contain_text(f"autri eval gold import FILE --kb {made['slug']}")
    api.delete(f"/v1/knowledge-bases/{made['id']}")


def test_a_question_kept_at_a_chunk_is_measured_and_tried_in_the_playground(
    open_page: Opener, api: httpx.Client, sample: Sample, place: str
) -> None:
    page = open_inspector(open_page(sample.path(sample.richest)))
    card = page.locator(".card[data-type=text]").first
    card.click()
    page.get_by_role("button", name="Answers a question…").click()
    dialog = page.get_by_role("dialog", name="Which question does this chunk answer?")
    dialog.get_by_role("button", name="Keep it").click()
    expect(dialog.get_by_role("alert")).to_have_text("Write the question.")
    dialog.get_by_label("Question").fill("Which rule is this?")
    dialog.get_by_role("button", name="Keep it").click()
    expect(dialog.get_by_role("status")).to_contain_text("Kept")
    assert violations(page) == []
    dialog.get_by_role("button", name="Close").click()
    [kept] = api.get(f"{place}/gold").json()["items"]
    assert kept["expected"][0]["quote"]
    page = page_of(open_page, sample)
    page.get_by_role("button", name=re.compile("Measure now|Run 1 stored question")).click()
    question = page.locator("#worst").get_by_role("link", name="Which rule is this?")
    expect(question).to_be_visible()
    question.click()
    expect(page.locator("#query")).to_have_value("Which rule is this?")
    expect(page.locator("#hits article, #hits li").first).to_be_visible()


def test_the_scorecard_has_intervals_and_differences_and_the_worst_question_comes_first(
    open_page: Opener, sample: Sample, measured: str
) -> None:
    page = page_of(open_page, sample, f"?run={measured}")
    hybrid = page.locator("#scorecard tr.index-hybrid")
    expect(hybrid.locator(".score").first.locator(".interval")).to_be_visible()
    expect(hybrid.locator(".limits").first).to_have_text(re.compile(r"0\.\d{3} – [01]\.\d{3}"))
    expect(hybrid.locator(".delta").first).to_have_text("= 0.000")
    expect(page.locator("#worst h3").first).to_have_text(NOBODY)
    expect(page.locator("#worst li").first).to_contain_text("kestrel-cup-2026.pdf, page 1")


def test_questions_that_cannot_be_read_are_a_failure_that_can_be_tried_again(
    open_page: Opener, sample: Sample, measured: str
) -> None:
    page = page_of(open_page, sample, f"?run={measured}")
    page.route("**/results?*", lambda route: route.fulfill(status=429, json={"title": "Too many requests"}))
    page.locator("#measure").focus()
    page.keyboard.press("n")
    expect(page.locator("#worst").get_by_role("alert")).to_contain_text("Too many requests")
    expect(page.locator("#scorecard")).to_be_visible()
    page.unroute("**/results?*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#worst h3").first).to_have_text(NOBODY)
    expect(page.locator("#worst").get_by_role("alert")).to_have_count(0)


def test_a_run_that_was_interrupted_goes_on_where_it_was(
    open_page: Opener, api: httpx.Client, sample: Sample, place: str
) -> None:
    api.post(f"{place}/gold", json=LOST).raise_for_status()
    page = page_of(open_page, sample)
    page.route("**/continue", lambda route: route.fulfill(status=429, json={"title": "Too many requests"}))
    begun: list[str] = []
    page.on("request", lambda sent: begun.append(sent.url) if is_new_run(sent) else None)
    page.get_by_role("button", name=re.compile("Measure now|Run 1 stored question")).click()
    expect(page.get_by_role("alert")).to_contain_text("Too many requests")
    page.unroute("**/continue")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#worst h3").first).to_have_text(NOBODY)
    assert len(begun) == 1


def test_the_history_is_plotted_told_in_words_and_walked_by_keyboard(
    open_page: Opener, sample: Sample, measured: str
) -> None:
    page = page_of(open_page, sample, f"?run={measured}")
    plot = page.get_by_role("img", name=re.compile("^recall@5 of"))
    expect(plot).to_be_visible()
    assert plot.locator(".mark").count() >= 6
    page.locator("#measure").focus()
    page.keyboard.press("n")
    expect(page.get_by_role("img", name=re.compile("^nDCG@10 of"))).to_be_visible()
    expect(page.locator("#measure")).to_be_focused()
    assert "measure=ndcg%4010" in page.url


def test_axe_finds_no_violation_wide_or_narrow(open_page: Opener, sample: Sample, measured: str) -> None:
    for width in (1440, 360):
        page = page_of(open_page, sample, f"?run={measured}", width=width)
        expect(page.locator("#worst h3").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations_in_both_themes(page) == []
