"""What is attached to mail, and the thread that it is in, beside the message."""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.gestures import violations
from tests.browser.sample import Json, ingest
from tests.e2e.test_attachments import PDF, mail, pdf_with

pytestmark = pytest.mark.browser
FILES = (("prices.pdf", PDF, "application/pdf"), ("recording of the call.mp3", b"la", "audio/mpeg"))


@pytest.fixture
def shelf(api: httpx.Client, request: pytest.FixtureRequest) -> Iterator[Json]:
    made = api.post("/v1/knowledge-bases", json={"name": request.node.name[:60]}).json()
    first = ingest(api, made["id"], "one.eml", mail("Seal", *FILES, Message_ID="<1@x>").as_bytes())
    answer = mail("Re: Seal", Message_ID="<2@x>", In_Reply_To="<1@x>", Date="Tue, 3 Mar 2026 09:00:00 +0000")
    ingest(api, made["id"], "two.eml", answer.as_bytes())
    yield made | {"document": first}
    api.delete(f"/v1/knowledge-bases/{made['id']}")


def test_attachments_and_thread_are_listed_and_lead_there_and_back(open_page: Opener, shelf: Json) -> None:
    page = open_page(f"/documents/{shelf['document']}")
    attached = page.locator("#attached")
    expect(attached.locator("summary")).to_have_text(["2 attachments", "2 messages in this thread"])
    expect(attached).to_contain_text("recording of the call.mp3 refused")
    attached.get_by_text("2 messages in this thread").click()
    expect(attached.get_by_role("link", name="Re: Seal")).to_be_visible()
    assert violations(page) == []
    attached.get_by_role("link", name="prices.pdf").click()
    expect(page.locator("#attached").get_by_role("link", name="one.eml")).to_be_visible()


def test_whoever_deletes_a_message_says_what_becomes_of_its_attachments(
    open_page: Opener, shelf: Json, api: httpx.Client
) -> None:
    page = open_page(f"/kb/{shelf['slug']}")
    page.get_by_role("button", name="Delete one.eml").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete them").click()
    expect(page.locator("#documents").get_by_role("link", name="one.eml")).to_have_count(0)
    names = {one["name"] for one in api.get(f"/v1/documents?knowledge_base_id={shelf['id']}").json()["items"]}
    assert names == {"two.eml"}


def test_what_is_attached_to_a_pdf_is_listed_at_it_and_leads_there_and_back(
    open_page: Opener, shelf: Json, api: httpx.Client
) -> None:
    data = pdf_with(("prices.pdf", PDF), ("recording of the call.mp3", b"la"))
    page = open_page(f"/documents/{ingest(api, shelf['id'], 'offer.pdf', data)}")
    attached = page.locator("#attached")
    expect(attached.locator("summary")).to_have_text(["2 attachments"])
    expect(attached).to_contain_text("recording of the call.mp3 refused")
    assert violations(page) == []
    attached.get_by_role("link", name="prices.pdf").click()
    expect(page.locator("#attached").get_by_role("link", name="offer.pdf")).to_be_visible()
