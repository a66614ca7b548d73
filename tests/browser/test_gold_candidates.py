"""What people said of answers becomes a gold question in the browser, edited, or goes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations

pytestmark = pytest.mark.browser
WIDTH, MASS, LENGTH = "How wide may the boom be?", "How heavy is the boom?", "How long is the boom?"
NOTES = {
    "Widths": "The boom must not be wider than 240 mm.",
    "Masses": "The boom of a dinghy is heavy: its mass is 9 kg with all fittings.",
}


@dataclass(frozen=True)
class Shelf:
    id: str
    slug: str
    api: httpx.Client

    @property
    def address(self) -> str:
        return f"/v1/knowledge-bases/{self.id}"

    def gold(self) -> list[dict[str, Any]]:
        return list(self.api.get(f"{self.address}/gold").json()["items"])

    def left(self) -> list[str]:
        return [one["question"] for one in self.api.get(f"{self.address}/evaluation/candidates").json()["items"]]


@pytest.fixture
def shelf(api: httpx.Client) -> Iterator[Shelf]:
    """Three answers, judged right, wrong and incomplete."""
    made = api.post("/v1/knowledge-bases", json={"name": f"Boom rules {uuid4().hex[:8]}"}).json()
    base, slug = made["id"], made["slug"]
    for title, text in NOTES.items():
        assert api.post(f"/v1/knowledge-bases/{base}/notes", json={"title": title, "text": text}).is_success
    thread = api.post("/v1/threads", json={"title": "", "scope": {"knowledge_base_ids": [base], "k": 5}}).json()["id"]
    for question, verdict, note in (
        (WIDTH, "right", None), (MASS, "wrong", "It is the mass with fittings."), (LENGTH, "incomplete", None)
    ):  # fmt: skip
        asked = api.post(f"/v1/threads/{thread}/ask", json={"question": question, "rewrite": False}).json()
        place = f"/v1/threads/{thread}/answers/{asked['answers'][0]['id']}/feedback"
        assert api.put(place, json={"verdict": verdict, "note": note}).is_success
    yield Shelf(base, slug, api)
    api.delete(f"/v1/threads/{thread}")
    api.delete(f"/v1/knowledge-bases/{base}")


def test_candidates_are_kept_edited_rejected_and_called_unanswered(open_page: Opener, shelf: Shelf) -> None:
    page = open_page(f"/kb/{shelf.slug}/evaluation")
    page.get_by_role("link", name="Decide 3 candidates").click()
    right, wrong, third = (item(page, question) for question in (WIDTH, MASS, LENGTH))
    settle(page)
    assert violations(page) == []
    expect(page.locator("#left")).to_have_text("3 candidates to decide, the oldest first.")
    expect(wrong.get_by_text("It is the mass with fittings.")).to_be_visible()

    # What answered rightly is ticked; what is kept is the question as it was edited.
    expect(right.get_by_role("checkbox").first).to_be_checked()
    right.get_by_label("Question").fill("How wide may a boom be at most?")
    right.get_by_label("Right answer").fill("240 mm")
    right.get_by_role("button", name="Keep as gold").click()
    expect(right).to_have_count(0)
    expect(wrong.get_by_role("heading")).to_be_focused()
    (kept,) = shelf.gold()
    assert (kept["question"], kept["answer"], kept["source"]) == (
        "How wide may a boom be at most?",
        "240 mm",
        "feedback",
    )
    assert ["240 mm" in place["quote"] for place in kept["expected"]] == [True]

    # What answered wrongly is not: somebody has to say what answers, and may find it.
    for box in wrong.get_by_role("checkbox").all():
        expect(box).not_to_be_checked()
    wrong.get_by_role("button", name="Keep as gold").click()
    expect(wrong.get_by_role("alert")).to_contain_text("Tick the passages")
    wrong.get_by_label("Find other passages").fill("mass of the boom of a dinghy")
    wrong.get_by_label("Find other passages").press("Enter")
    wrong.get_by_role("checkbox", name="its mass is 9 kg").check()
    wrong.get_by_role("button", name="Keep as gold").click()
    expect(wrong).to_have_count(0)
    assert ["9 kg" in place["quote"] for place in gold_of(shelf, MASS)["expected"]] == [True]

    third.get_by_role("button", name="Nothing here answers it").click()
    expect(page.get_by_role("heading", name="No candidate is left")).to_be_visible()
    assert gold_of(shelf, LENGTH)["kind"] == "negative"
    assert shelf.left() == []


def test_what_is_rejected_is_no_gold_and_what_is_missing_is_said_where_it_is_missing(
    open_page: Opener, shelf: Shelf
) -> None:
    page = open_page(f"/kb/{shelf.slug}/evaluation/candidates", width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    item(page, MASS).get_by_role("button", name="Reject").click()
    expect(page.locator(".gold-candidate")).to_have_count(2)
    assert shelf.left() == [WIDTH, LENGTH]
    item(page, LENGTH).get_by_label("Question").fill(" ")
    item(page, LENGTH).get_by_role("button", name="Keep as gold").click()
    expect(item(page, LENGTH).get_by_role("alert")).to_have_text("Write the question.")
    assert shelf.left() == [WIDTH, LENGTH]
    assert shelf.gold() == []


def item(page: Page, question: str) -> Locator:
    return page.locator(".gold-candidate").filter(has=page.get_by_role("heading", name=question, exact=True))


def gold_of(shelf: Shelf, question: str) -> dict[str, Any]:
    return next(one for one in shelf.gold() if one["question"] == question)
