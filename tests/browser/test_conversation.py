"""A conversation on the Ask page: follow-ups, citations that lead to their place, links that show it."""

import re

import pytest
from playwright.sync_api import Page, expect

from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.browser.conftest import Opener
from tests.browser.gestures import box_of, open_inspector, rect, violations
from tests.browser.people import People
from tests.browser.sample import Sample
from tests.store.seeding import Passage, add_base, add_document

pytestmark = pytest.mark.browser
QUESTION, FOLLOW_UP, STANDING_ALONE = (
    "How wide may the rear wing be?", "And how high?", "How high may the rear wing be?",
)  # fmt: skip
WIDTH = "The rear wing must not be wider than 1050 mm."


def ask(open_page: Opener, sample: Sample, **options: int) -> Page:
    """A conversation of one question, answered."""
    page = open_page(sample.playground(QUESTION, "ask").replace("scores=yes&", ""), **options)
    expect(page.locator(".turn .turn-foot")).to_have_count(1)
    page.wait_for_url(re.compile("thread="))
    return page


def follow(page: Page, text: str) -> None:
    page.get_by_label("Ask a follow-up").fill(text)
    page.get_by_label("Ask a follow-up").press("Enter")
    expect(page.locator(".turn .turn-foot")).to_have_count(2)


def test_a_follow_up_is_shown_as_it_was_asked_and_a_reload_keeps_both(open_page: Opener, sample: Sample) -> None:
    page = ask(open_page, sample)
    follow(page, FOLLOW_UP)
    second = page.locator(".turn").nth(1)
    expect(second.get_by_role("heading", level=2)).to_have_text(FOLLOW_UP)
    expect(second.locator(".asked-as q")).to_have_text(STANDING_ALONE)
    texts = page.locator(".sentence").all_text_contents()
    page.reload()
    expect(page.locator(".turn .turn-foot")).to_have_count(2)
    assert page.locator(".sentence").all_text_contents() == texts
    expect(page.locator(".asked-as q")).to_have_text(STANDING_ALONE)
    expect(page.get_by_role("list", name="Conversations").locator("[aria-current=page]")).to_contain_text("2 questions")
    with page.expect_request("**/v1/threads/*/ask") as asked:
        page.get_by_role("button", name="Ask as typed").click()
    body = asked.value.post_data_json
    assert body is not None
    assert (body["question"], body["rewrite"]) == (FOLLOW_UP, False)


def test_an_answer_is_shown_where_its_trace_cannot_be_read_and_that_is_said(open_page: Opener, sample: Sample) -> None:
    page = ask(open_page, sample)
    answer = page.locator(".turn .sentence").all_text_contents()
    problem = {"title": "Forbidden", "status": 403, "detail": "This trace is somebody else's."}
    page.route("**/v1/traces/*", lambda route: route.fulfill(status=403, json=problem))
    page.reload()
    expect(page.locator(".turn .turn-foot")).to_have_count(1)
    page.get_by_role("button", name="Scores and trace").click()
    expect(page.locator("#trace")).to_contain_text("This trace is somebody else's.")
    expect(page.locator("#trace")).to_contain_text("The answer is kept.")
    assert page.locator(".turn .sentence").all_text_contents() == answer
    assert answer


def test_a_citation_opens_the_crop_and_the_crop_the_inspector_at_the_box(open_page: Opener, sample: Sample) -> None:
    page = ask(open_page, sample)
    citation = page.locator(".sentence .citation").first
    chunk = re.search(r"chunk=([0-9a-f-]{36})", citation.get_attribute("href") or "")
    assert chunk
    citation.focus()
    page.keyboard.press("Enter")
    crop = page.get_by_role("dialog")
    expect(crop.locator(".preview-sheet.loaded .preview-box")).to_be_visible()
    expect(crop.get_by_role("link")).to_be_focused()
    page.keyboard.press("Escape")
    expect(crop).to_have_count(0)
    expect(citation).to_be_focused()
    citation.click()
    crop.get_by_role("link").click()
    open_inspector(page)
    expect(box_of(page, chunk.group(1))).to_have_class(re.compile(r"\bpinned\b"))


def test_a_crop_follows_its_citation_when_the_page_scrolls_and_goes_with_it(open_page: Opener, sample: Sample) -> None:
    page = ask(open_page, sample, width=1280, height=420)
    citation, crop = page.locator(".sentence .citation").first, page.locator("#preview")
    citation.focus()
    expect(crop.locator(".preview-sheet.loaded")).to_be_visible()
    page.evaluate("scrollBy(0, 24)")
    expect(crop).to_be_visible()
    assert abs(rect(crop)["x"] - rect(citation)["x"]) < 2
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(crop).to_be_hidden()


def test_on_a_phone_the_crop_is_at_hand_and_conversations_are_in_a_drawer(open_page: Opener, sample: Sample) -> None:
    page = ask(open_page, sample, width=390, height=844)
    citation = page.locator(".sentence .citation").first
    size = rect(citation)
    assert min(size["width"], size["height"]) >= 24
    citation.click()
    crop = page.get_by_role("dialog")
    expect(crop.locator(".preview-sheet.loaded")).to_be_visible()
    place = rect(crop)
    assert place["y"] + place["height"] > 844 - 20
    assert violations(page) == []
    crop.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Conversations").click()
    drawer = page.get_by_role("dialog", name="Conversations")
    expect(drawer.locator("[aria-current=page]")).to_contain_text(QUESTION)
    drawer.get_by_label("Find a conversation").fill("zzqx wvut")
    expect(drawer.get_by_role("status")).to_have_text("No conversation has these words.")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_what_stands_there_stays_while_more_of_the_answer_comes(open_page: Opener) -> None:
    """The second sentence is held back: the first is the same element afterwards, and is said once."""
    page = open_page("/playground?mode=ask")
    page.evaluate(HELD_BACK)
    page.locator("#query").fill(QUESTION)
    page.locator("#query").press("Enter")
    first = page.locator(".answer-text .sentence").first
    expect(first).to_be_visible()
    kept = first.element_handle()
    assert kept is not None
    kept.evaluate("node => getSelection().selectAllChildren(node.firstElementChild)")
    selected = page.evaluate("getSelection().toString()")
    page.evaluate("goOn()")
    expect(page.locator(".turn-foot")).to_have_count(1)
    assert kept.evaluate("node => node.isConnected")
    assert page.evaluate("getSelection().toString()") == selected
    said = page.get_by_role("log", name="Answer as it comes").locator("p")
    expect(said).to_have_count(page.locator(".answer-text .sentence").count())


# Lets the page read up to the first sentence's event, and the rest once `goOn` is called.
HELD_BACK = """() => {
    const read = ReadableStreamDefaultReader.prototype.read;
    const wait = new Promise(done => { window.goOn = done; });
    let rest = null;
    ReadableStreamDefaultReader.prototype.read = async function () {
        if (rest !== null) {
            const value = rest;
            rest = null;
            await wait;
            return { value, done: false };
        }
        let text = "";
        for (;;) {
            const { value, done } = await read.call(this);
            if (done) break;
            text += value;
        }
        if (!text) return { value: undefined, done: true };
        const at = text.indexOf("\\n\\n", text.indexOf("event: sentence")) + 2;
        rest = text.slice(at);
        return { value: text.slice(0, at), done: false };
    };
}"""


def test_an_answer_is_copied_with_its_citations_as_footnotes(open_page: Opener, sample: Sample) -> None:
    page = ask(open_page, sample)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Markdown").click()
    expect(page.locator(".turn-acts [role=status]")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert re.search(r"^> .*\[\^1\]", copied, re.MULTILINE)
    href = page.locator(".sources .citation").first.get_attribute("href")
    assert f"[^1]: [{sample.document['name'].split('.')[0].split('_')[0]}" in copied.replace("\\", "")
    assert f"{href})" in copied


def test_a_link_opens_for_anybody_until_it_is_taken_back(
    open_as: Opener, people: People, runtime: Runtime, identity: Identity
) -> None:
    scope = add_base(runtime, identity, "shared rules")
    add_document(runtime, scope, "Kestrel <b>rules</b>", [Passage(WIDTH)], embedder=runtime.embedder)
    people.add("ann", "editor")
    page = open_as("ann", "/playground?mode=ask&kb=shared-rules")
    page.locator("#query").fill(QUESTION)
    page.locator("#query").press("Enter")
    expect(page.locator(".turn .turn-foot")).to_have_count(1)
    page.get_by_role("button", name="Share…").click()
    dialog = page.get_by_role("dialog", name="Share this conversation")
    dialog.get_by_role("button", name="Make a link").click()
    link = dialog.get_by_label("The link", exact=True)
    expect(link).to_have_value(re.compile(rf"^{people.url}/shared/"))
    assert violations(page) == []
    path = link.input_value().removeprefix(people.url)

    shown = open_as("", path, width=390, height=844)
    expect(shown.get_by_role("heading", level=2)).to_have_text(QUESTION)
    shown.locator(".citation").first.click()
    expect(shown.locator(".sources li:target blockquote")).to_have_text(WIDTH)
    expect(shown.locator(".sources")).to_contain_text("Kestrel <b>rules</b>")
    assert shown.locator("main").get_by_role("button").count() == 0
    assert shown.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations(shown) == []
    answer = shown.request.get(people.url + path)
    assert answer.headers["x-robots-tag"] == "noindex, nofollow"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "script-src 'self'" in answer.headers["content-security-policy"]

    dialog.get_by_role("button", name="Take back").click()
    expect(dialog.get_by_role("list", name="Links")).to_contain_text("taken back")
    shown.reload()
    expect(shown.get_by_role("heading", level=1)).to_have_text("This link shows nothing")
    expect(shown.locator("main")).not_to_contain_text("1050")


def test_where_nothing_answers_another_knowledge_base_is_asked_once_somebody_wants_it(
    open_as: Opener, people: People, runtime: Runtime, identity: Identity
) -> None:
    # In a deployment of its own: beside the samples, other tests leave price lists that are suggested as well.
    rules = add_base(runtime, identity, "birds")
    prices = add_base(runtime, identity, "prices")
    add_document(runtime, rules, "Birds", [Passage("A kestrel has two wings.")], embedder=runtime.embedder)
    cost = Passage("The compressor TA-37V costs 27,950 euros.")
    add_document(runtime, prices, "Prices", [cost], embedder=runtime.embedder)
    people.add("bea", "editor")
    page = open_as("bea", "/playground?mode=ask&kb=birds")
    page.locator("#query").fill("What does the TA-37V cost?")
    page.locator("#query").press("Enter")
    expect(page.locator(".turn .turn-foot")).to_have_count(1)
    expect(page.locator(".turn")).not_to_contain_text("27,950")
    page.get_by_role("button", name="Ask prices, too").click()
    expect(page.locator(".turn .turn-foot")).to_have_count(2)
    expect(page.locator(".turn").nth(1)).to_contain_text("27,950")
    expect(page.locator("#scope button.menu-button")).to_contain_text("knowledge bases")


# A server whose answer breaks off once, and one whose answer is not waited for.
BREAKS_OFF = """async (place) => {
  const { postForEvents } = await import(place);
  const text = new TextEncoder();
  const event = (id, name, data) => text.encode(`id: s-${id}\\nevent: ${name}\\ndata: ${JSON.stringify(data)}\\n\\n`);
  const asked = [];
  const parts = [
    (sent) => { sent.enqueue(event(1, "plan", 1)); setTimeout(() => sent.error(new TypeError("gone")), 20); },
    (sent) => { sent.enqueue(event(2, "sentence", 2)); sent.enqueue(event(3, "final", 3)); },
    (sent) => { sent.enqueue(event(4, "plan", 4)); },
    (sent) => sent.close(),
  ];
  const real = window.fetch;
  window.fetch = async (path, options) => {
    if (!String(path).startsWith("/v1/ask")) return real(path, options);
    asked.push(`${options.method} ${path}`);
    const headers = { "content-type": "text/event-stream" };
    return new Response(new ReadableStream({ start: parts.shift() }), { headers });
  };
  const told = [];
  const hear = (name, data) => told.push(data);
  const last = await postForEvents("/v1/ask", {}, new AbortController().signal, hear);
  const stop = new AbortController();
  postForEvents("/v1/ask", {}, stop.signal, (name, data) => { hear(name, data); stop.abort(); }).catch(() => {});
  while (asked.length < 4) await new Promise((done) => setTimeout(done, 10));
  window.fetch = real;
  return [last, told, asked];
}"""


def test_an_answer_that_breaks_off_is_read_on_and_one_that_is_stopped_is_stopped_on_the_server(
    open_page: Opener,
) -> None:
    page = open_page("/playground")
    place = page.evaluate("[...document.scripts].find((one) => one.type === 'module').src")
    found = page.evaluate(BREAKS_OFF, re.sub(r"/js/.*", "/js/lib/api.js", place))
    asked = ["POST /v1/ask", "GET /v1/ask/s-1", "POST /v1/ask", "DELETE /v1/ask/s-4"]
    assert found == [3, [1, 2, 4], asked]
