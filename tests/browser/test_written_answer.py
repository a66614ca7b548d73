"""A model's answer on the page: its sentences as text, whatever they hold, each with its citations."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from shared.answering.composing import UNWRITTEN
from tests.browser.conftest import Opener
from tests.browser.sample import Sample

pytestmark = pytest.mark.browser
HOSTILE = 'See <img src="https://evil.example/x.png"> and [here](https://evil.example) or https://evil.example/?q=1.'
QUESTION = "What is the procedure for?"


ROW = {"page": 3, "row": 652, "sheet": "Sheet1", "range": "A652:D652", "cells": [{"label": "note", "value": HOSTILE}]}


def answer_by_a_model(
    page: Page, *texts: str, reason: str | None = None, whole: bool = True, row: dict[str, Any] | None = None
) -> None:
    """The server's own answer, with these sentences of a model in place of its quotations; or it breaks off."""

    def events(route: Route) -> None:
        message = route.fetch(headers={**route.request.headers, "accept": "application/json"}).json()
        body = route.request.post_data_json
        assert body is not None
        asked = {"question": QUESTION, **body["scope"]}
        plain = page.request.post(route.request.url.partition("/threads")[0] + "/ask", data=asked).json()
        chunk = plain["hits"][0]["chunk"]["id"]
        plain["hits"][0]["kept_row"] = row
        sentences = [{"text": text, "citations": [chunk], "marks": [], "hidden": [], "cells": []} for text in texts]
        lacking = reason and {"reason": reason, "searched": [], "nearest": [chunk]}
        final: dict[str, Any] = plain | {
            "answer": f"Found nothing that answers: {UNWRITTEN[reason]}" if reason else " ".join(texts),
            "mode": "answer", "model": "openai:made-up-1", "sentences": sentences, "citations": plain["hits"][:1],
            "insufficient_evidence": not texts, "insufficiency": lacking, "contradictions": [],
        }  # fmt: skip
        message["answers"][0]["answer"] = final
        told = [("plan", {"model": "openai:made-up-1"}), ("hits", {"hits": plain["hits"]})]
        told += [("sentence", one) for one in sentences]
        told += [("final", final), ("message", message)] if whole else []
        body = "".join(f"id: {n}\nevent: {name}\ndata: {json.dumps(data)}\n\n" for n, (name, data) in enumerate(told))
        route.fulfill(content_type="text/event-stream", body=": still at work\n\n" + body)

    page.route("**/v1/threads/*/ask", events)


def ask(page: Page) -> None:
    page.locator("#query").fill(QUESTION)
    page.locator("#query").press("Enter")


def test_a_models_sentences_are_text_with_citations_and_nothing_of_them_is_live(
    open_page: Opener, sample: Sample
) -> None:
    page = open_page("/playground?mode=ask")
    asked = list[str]()
    page.on("request", lambda request: asked.append(request.url))
    answer_by_a_model(page, "The procedure says how.", HOSTILE)
    ask(page)
    answer = page.locator(".answer")
    expect(answer.get_by_role("heading")).to_have_text("Answer")
    expect(answer).to_contain_text("written by openai:made-up-1")
    sentences = answer.locator(".answer-text .sentence")
    expect(sentences).to_have_count(2)
    expect(sentences.nth(1)).to_contain_text(HOSTILE)
    expect(sentences.nth(1).locator("img")).to_have_count(0)
    expect(sentences.nth(1).locator("a")).to_have_count(1)
    expect(sentences.nth(1).locator("a.citation")).to_have_attribute("href", re.compile(r"^/"))
    assert not [url for url in asked if "evil" in url]


def test_a_row_that_is_no_passage_is_a_pill_that_opens_it_in_its_sheet(open_page: Opener, sample: Sample) -> None:
    page = open_page("/playground?mode=ask")
    answer_by_a_model(page, "The mass is 650.25 kg.", row=ROW)
    ask(page)
    answer = page.locator(".answer")
    pill = answer.locator(".answer-text a.citation")
    expect(pill).to_have_attribute("href", re.compile(r"^/documents/[0-9a-f-]+\?page=3&row=652$"))
    expect(pill).to_have_attribute("aria-label", re.compile("Sheet1, A652:D652$"))
    expect(answer.get_by_role("list", name="Citations")).to_contain_text("Sheet1, A652:D652")
    hit = page.locator("ol.hits .hit").first
    expect(hit.locator(".hit-source")).to_contain_text("Sheet1, A652:D652")
    expect(hit.get_by_role("button", name=re.compile("Pin|Why"))).to_have_count(0)


def test_where_nothing_is_borne_out_the_page_says_why(open_page: Opener, sample: Sample) -> None:
    page = open_page("/playground?mode=ask")
    answer_by_a_model(page, reason="not_borne_out")
    ask(page)
    expect(page.locator(".answer.insufficient")).to_contain_text("not borne out by the passages that it cites")
    expect(page.locator(".hit").first).to_be_visible()


def test_of_an_answer_that_breaks_off_no_sentence_stays(open_page: Opener, sample: Sample) -> None:
    page = open_page("/playground?mode=ask")
    answer_by_a_model(page, "The procedure says how.", whole=False)
    ask(page)
    expect(page.get_by_role("heading", name="The answer broke off")).to_be_visible()
    expect(page.locator(".answer")).to_have_count(0)
