"""Search, look-up and ask: what found a hit, and that a hit opens at its exact box."""

import re

import httpx
import pytest
from playwright.sync_api import Route, expect

from shared.domain.ids import new_id
from tests.browser.conftest import Opener
from tests.browser.gestures import box_of, open_inspector, rect, violations_in_both_themes, wait_in_view
from tests.browser.sample import Sample, ingest

pytestmark = pytest.mark.browser


def words_of(sample: Sample) -> str:
    """The first words of a long paragraph, so that every index can find it."""
    text = max((c for c in sample.richest["items"] if c["chunk_type"] == "text"), key=lambda c: len(c["content"]))
    return " ".join(text["content"].split()[:12])


def test_a_hit_names_its_indexes_and_opens_the_inspector_at_its_box(open_page: Opener, sample: Sample) -> None:
    page = open_page(sample.playground(words_of(sample), "search"))
    hit = page.locator(".hit").first
    expect(hit.locator(".index-badge").first).to_contain_text(re.compile(r"#\d+"))
    expect(hit.locator(".stripes i").first).to_be_visible()
    chunk = hit.get_attribute("data-chunk")
    assert chunk is not None
    hit.locator("a.hit-text").click()
    open_inspector(page)
    expect(box_of(page, chunk)).to_have_class(re.compile(r"\bpinned\b"))
    wait_in_view(page, box_of(page, chunk), "#stage")


def test_each_index_can_be_asked_alone(open_page: Opener, sample: Sample) -> None:
    page = open_page(sample.playground(words_of(sample), "search"))
    expect(page.locator(".hit").first).to_be_visible()
    for value, name in (("fts", "full text"), ("vector", "vector")):
        page.get_by_label("Index").select_option(value)
        page.wait_for_url(re.compile(f"index={value}"))
        expect(page.locator(".hit .index-badge b").filter(has_not_text=name)).to_have_count(0)
        expect(page.locator(".hit .index-badge b").filter(has_text=name).first).to_be_visible()


def misspelt(sample: Sample) -> str:
    """The longest word of a paragraph without its fourth letter."""
    words: list[str] = re.findall(r"\b[a-z]+\b", sample.addressed["content"])
    word = max(words, key=len)
    return word[:3] + word[4:]


@pytest.mark.parametrize("mode", ["search", "ask"])
def test_a_misspelt_word_is_named_with_what_was_searched_for(open_page: Opener, sample: Sample, mode: str) -> None:
    written = misspelt(sample)
    page = open_page(sample.playground(written, mode))
    expect(page.locator(".corrected")).to_contain_text(f"instead of {written}")
    expect(page.locator(".hit").first).to_be_visible()
    page.locator("#query").fill(words_of(sample))
    page.keyboard.press("Enter")
    expect(page.locator(".corrected")).to_have_count(0)


def test_a_look_up_shows_the_section_without_ranking(open_page: Opener, sample: Sample) -> None:
    address = sample.addressed["section_id"]
    page = open_page(sample.playground(address, "lookup"))
    expect(page.locator(".hits-head")).to_contain_text(address)
    expect(page.locator(".hit .index-badge b").first).to_have_text("look-up")


def test_an_address_that_does_not_exist_finds_nothing_and_says_what_to_try(open_page: Opener, sample: Sample) -> None:
    page = open_page(sample.playground("Z99.99.99", "lookup"))
    expect(page.locator("#hits .notice-panel")).to_contain_text("Z99.99.99")


def test_the_trace_shows_indexes_fusion_and_times(open_page: Opener, sample: Sample) -> None:
    page = open_page(sample.playground(words_of(sample), "search"))
    trace = page.locator("#trace")
    expect(trace.locator(".flow-index").first).to_be_visible()
    expect(trace).to_contain_text("Fusion")
    expect(trace.locator(".timings tbody tr").first).to_contain_text("ms")


def test_the_trace_names_a_hit_without_words_above_one_with_all_of_them(open_page: Opener, sample: Sample) -> None:
    page = open_page("/playground")

    def hide(route: Route) -> None:
        trace = route.fetch().json()
        for word in trace["notes"]["words"].values():
            word["hits"] = [2]
        route.fulfill(json=trace)

    page.route("**/v1/traces/*", hide)
    page.goto(page.url.split("/playground")[0] + sample.playground(words_of(sample), "search"))
    expect(page.locator("#trace .wordless")).to_contain_text(
        "Hit 1 has none of the query’s words and stands above hit 2"
    )
    page.unroute("**/v1/traces/*")
    page.reload()
    expect(page.locator("#trace .flow-node").first).to_be_visible()
    expect(page.locator("#trace .wordless")).to_have_count(0)


def test_every_sentence_of_an_answer_cites_and_a_citation_previews_its_place(open_page: Opener, sample: Sample) -> None:
    page = open_page(sample.playground(words_of(sample), "ask"))
    # Until it has ended it moves under the pointer.
    expect(page.locator(".turn .turn-foot")).to_be_visible()
    expect(page.locator(".answer h3")).to_have_text(re.compile("Passages?"))
    expect(page.locator(".sentence").first).to_be_visible()
    for sentence in page.locator(".sentence").all():
        expect(sentence.locator(".citation").first).to_be_visible()
    page.locator(".citation").first.hover()
    expect(page.locator("#preview .preview-sheet.loaded .preview-box")).to_be_visible()


def test_asking_searches_once_and_shows_what_the_answer_was_chosen_from(open_page: Opener, sample: Sample) -> None:
    page = open_page("/playground?scores=yes")
    posts: list[str] = []
    page.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
    page.locator("#query").fill(words_of(sample))
    page.keyboard.press("Enter")
    expect(page.locator(".answer h3")).to_have_text(re.compile("Passages?"))
    expect(page.locator(".hit").first).to_be_visible()
    expect(page.locator("#trace .flow-index").first).to_be_visible()
    assert [re.sub("[0-9a-f-]{36}", "ID", url.rpartition("/v1/")[2]) for url in posts] == ["threads", "threads/ID/ask"]


def test_an_answer_that_fails_says_so_and_can_be_tried_again(open_page: Opener, sample: Sample) -> None:
    page = open_page("/playground")
    refusal = {"title": "Too Many Requests", "status": 429}
    page.route("**/v1/threads/*/ask", lambda route: route.fulfill(status=429, json=refusal))
    page.locator("#query").fill(words_of(sample))
    page.keyboard.press("Enter")
    expect(page.locator(".turn .notice-panel.failed")).to_be_visible()
    expect(page.locator(".waiting")).to_have_count(0)
    page.unroute("**/v1/threads/*/ask")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".sentence").first).to_be_visible()


def test_a_question_beyond_the_documents_gets_no_answer(open_page: Opener, sample: Sample) -> None:
    page = open_page(sample.playground("Who won the zither contest of Quxville?", "ask"))
    expect(page.locator(".answer.insufficient h3")).to_have_text("Found nothing that answers")
    expect(page.locator(".sentence")).to_have_count(0)


def test_the_scope_picker_shows_counts_and_never_empties(open_page: Opener, sample: Sample) -> None:
    page = open_page(f"/playground?kb={sample.knowledge_base['slug']}")
    button = page.locator("#scope button.menu-button")
    expect(button).to_contain_text(f"{sample.knowledge_base['documents']:,} document")
    button.click()
    choice = page.locator(".scope-item").filter(has_text=sample.knowledge_base["name"]).get_by_role("checkbox")
    choice.click()
    expect(choice).to_be_checked()


def test_the_chosen_scope_is_remembered_and_an_address_goes_before_it(open_page: Opener, sample: Sample) -> None:
    page = open_page("/playground")
    button = page.locator("#scope button.menu-button")
    expect(button).to_contain_text("All knowledge bases")
    button.click()
    page.locator(".scope-item").filter(has_text=sample.knowledge_base["name"]).get_by_role("checkbox").uncheck()
    chosen = button.text_content()
    assert chosen
    page.goto(page.url.partition("?")[0])
    expect(button).to_have_text(chosen)
    page.goto(page.url.partition("?")[0] + f"?kb={sample.knowledge_base['slug']}")
    expect(button).to_contain_text(sample.knowledge_base["name"])


def test_the_address_replays_the_query(open_page: Opener, sample: Sample) -> None:
    page = open_page("/playground")
    page.get_by_role("radio", name="Search").check(force=True)
    page.locator("#query").fill(words_of(sample))
    page.keyboard.press("Enter")
    expect(page.locator(".hit").first).to_be_visible()
    first = page.locator(".hit").first.get_attribute("data-chunk")
    page.reload()
    expect(page.locator(".hit").first).to_have_attribute("data-chunk", first or "")


def test_why_opens_the_way_of_a_hit_through_the_indexes(open_page: Opener, sample: Sample) -> None:
    page = open_page(sample.playground(words_of(sample), "search"))
    hit = page.locator(".hit").nth(1)
    chunk = hit.get_attribute("data-chunk")
    expect(page.locator(".candidate-table tr.kept").first).to_be_visible()
    hit.get_by_role("button", name="Why hit 2?").click()
    row = page.locator(f"#why-{chunk}")
    expect(row).to_be_focused()
    expect(row).to_contain_text("hit 2")
    expect(row.locator("td[data-index] b").first).to_contain_text(re.compile(r"#\d+"))


def test_every_candidate_says_what_became_of_it(open_page: Opener, sample: Sample) -> None:
    page = open_page(sample.playground(words_of(sample), "search") + "&k=3")
    rows = page.locator(".candidate-table tbody tr")
    expect(rows.first).to_be_visible()
    outcomes = [row.locator(".outcome").inner_text() for row in rows.all()]
    assert outcomes[:3] == ["hit 1", "hit 2", "hit 3"]
    assert all(outcomes)
    assert "not among the first k" in outcomes


def test_two_settings_stand_side_by_side_and_the_address_keeps_both(open_page: Opener, sample: Sample) -> None:
    page = open_page(sample.playground(words_of(sample), "search"))
    expect(page.locator(".hit").first).to_be_visible()
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".compare-column")).to_have_count(2)
    page.get_by_label("Hits of B").select_option("5")
    expect(page.locator(".compare-column").nth(1).locator(".compare-hit")).to_have_count(5)
    page.wait_for_url(re.compile(r"b=[^&]*k%3D5"))
    page.reload()
    expect(page.locator(".compare-column").nth(1).locator(".compare-hit")).to_have_count(5)
    expect(page.locator(".compare-column").first.locator(".compare-hit")).to_have_count(10)
    assert page.locator(".compare-hit").count() == page.locator(".compare-hit .move").count()


def test_a_stored_trace_is_replayed_and_compared_with_now(open_page: Opener, sample: Sample) -> None:
    page = open_page(sample.playground(words_of(sample), "search") + "&index=fts&k=5")
    page.locator("#trace").get_by_role("link", name="link to it").click()
    expect(page.locator(".replay-head")).to_contain_text("search · full text · 5 hits")
    expect(page.locator("#query")).to_have_value(words_of(sample))
    expect(page.get_by_label("Index")).to_have_value("fts")
    expect(page.locator(".compare-hit")).to_have_count(5)
    page.get_by_role("button", name="Compare with now").click()
    expect(page.locator(".compare-column")).to_have_count(2)
    expect(page.locator(".compare-column .move.same")).to_have_count(10)


def test_a_filter_that_cannot_be_read_is_said_at_its_field_with_the_place(open_page: Opener, sample: Sample) -> None:
    page = open_page(sample.playground("mass", "search") + "&where=mass+%3E%3E+10")
    field = page.get_by_label("Filter by attributes")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".field-error")).to_contain_text("character 7")
    assert field.evaluate("field => [field.selectionStart, field.selectionEnd]") == [6, 7]
    expect(page.locator(".hit")).to_have_count(0)
    field.fill("")
    page.keyboard.press("Enter")
    expect(page.locator(".hit").first).to_be_visible()
    expect(page.locator(".field-error")).to_be_empty()


def test_versions_are_pinned_and_the_threshold_and_types_stand_in_the_address(
    open_page: Opener, sample: Sample
) -> None:
    page = open_page(sample.playground("mass", "search"))
    expect(page.locator(".hit").first).to_be_visible()
    page.get_by_role("button", name="Documents: every document").click()
    older = page.locator(".picker-list .scope-item").filter(has_text="older").first
    older.click()
    page.wait_for_url(re.compile("doc="))
    expect(page.locator(".hit .tag").first).to_contain_text("older")
    page.keyboard.press("Escape")
    page.get_by_label("Index").select_option("vector")
    page.get_by_label("Score at least").fill("0.99")
    page.keyboard.press("Tab")
    expect(page.locator("#hits .notice-panel")).to_be_visible()
    page.wait_for_url(re.compile("min=0.99"))
    page.reload()
    expect(page.get_by_label("Score at least")).to_have_value("0.99")
    expect(page.get_by_role("button", name="1 pinned")).to_be_visible()


def test_the_scope_picker_is_walked_by_keyboard(open_page: Opener) -> None:
    page = open_page("/playground")
    button = page.locator("#scope button.menu-button")
    expect(button).to_contain_text("document")
    button.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    # Where there are many knowledge bases the first stop is the field that finds them.
    stops = page.locator("#scope .scope-panel input")
    expect(stops.first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(stops.nth(1)).to_be_focused()
    before = stops.nth(1).is_checked()
    page.keyboard.press("Space")
    expect(stops.nth(1)).to_be_checked(checked=not before)
    page.keyboard.press("Escape")
    expect(button).to_be_focused()


def test_the_number_of_hits_is_said_to_screen_readers(open_page: Opener, sample: Sample) -> None:
    page = open_page(sample.playground(words_of(sample), "search") + "&k=5")
    expect(page.locator("#announcer")).to_have_text("5 hits")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#announcer")).to_have_text("5 hits with A, 5 hits with B")


def test_a_number_that_cannot_be_meant_is_said_at_its_field_and_nothing_is_asked(
    open_page: Opener, sample: Sample
) -> None:
    page = open_page(sample.playground(words_of(sample), "search"))
    expect(page.locator(".hit").first).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url) if sent.url.endswith("/v1/search") else None)
    field = page.get_by_label("Half-life")
    field.fill("-5")
    field.press("Tab")
    expect(field).to_be_focused()
    page.get_by_role("button", name="Run").click()
    assert asked == []
    field.fill("30")
    field.press("Tab")
    page.wait_for_url("**recency=30**")
    assert len(asked) == 1


def test_a_rule_in_hebrew_reads_from_the_right_though_its_number_comes_first(open_page: Opener, sample: Sample) -> None:
    contents = ["V2.19 \u05d5\u05d3\u05d0 \u05db\u05d9 \u05d0\u05d9\u05df", "V2.19 of \u05d5\u05d3\u05d0 harbours"]

    def in_hebrew(route: Route) -> None:
        answer = route.fetch()
        result = answer.json()
        for hit, content in zip(result["hits"], contents, strict=False):
            hit["chunk"] |= {"content": content, "labelled": None}
        route.fulfill(response=answer, json=result)

    page = open_page("/playground")
    page.route("**/v1/search", in_hebrew)
    page.goto(str(sample.api.base_url.join(sample.playground(words_of(sample), "search"))))
    texts = page.locator(".hit-text")
    for at, way in enumerate(("rtl", "ltr")):
        expect(texts.nth(at)).to_have_text(contents[at])
        assert texts.nth(at).evaluate("node => getComputedStyle(node).direction") == way


def test_a_long_way_to_a_section_gives_way_in_its_middle_and_leaves_the_text_on_a_phone(
    open_page: Opener, sample: Sample
) -> None:
    page = open_page(sample.playground(words_of(sample), "search"), width=390)
    way = page.locator(".hit-section", has=page.locator(".way-start")).first
    expect(way).to_be_visible()
    assert way.get_attribute("title") == way.text_content()
    way.locator("bdi").last.evaluate("node => node.textContent = 'A title that is long. '.repeat(20)")
    for text in page.locator(".hit-text").all():
        place = rect(text)
        assert place["x"] + place["width"] <= 390


def test_answers_come_first_and_scores_are_one_click_away(open_page: Opener, sample: Sample) -> None:
    page = open_page(sample.playground(words_of(sample), "ask").replace("scores=yes&", ""))
    expect(page.locator(".hit").first).to_be_visible()
    expect(page.locator("#answer")).not_to_be_empty()
    for hidden in ("#trace", "#candidates", ".hit .badges"):
        expect(page.locator(hidden).first).to_be_hidden()
    page.get_by_role("button", name="Scores and trace").click()
    for shown in ("#trace", "#candidates", ".hit .badges"):
        expect(page.locator(shown).first).to_be_visible()
    page.wait_for_url(re.compile("scores=yes"))


@pytest.mark.parametrize("mode", ["ask", "search"])
def test_an_answer_is_of_the_chosen_documents_alone(open_page: Opener, sample: Sample, mode: str) -> None:
    path = sample.playground(words_of(sample), mode)
    page = open_page(f"{path}&doc={sample.document['id']}")
    expect(page.locator(".hit").first).to_be_visible()
    assert set(page.locator(".hit-document").all_text_contents()) == {sample.document["name"]}
    with page.expect_request("**/v1/search" if mode == "search" else "**/v1/threads/*/ask") as asked:
        page.get_by_role("button", name="Run").click()
    body = asked.value.post_data_json
    assert body is not None
    assert body.get("scope", body)["documents"] == [sample.document["id"]]


@pytest.mark.parametrize("mode", ["ask", "search", "lookup"])
def test_running_nothing_says_what_is_missing(open_page: Opener, mode: str) -> None:
    page = open_page(f"/playground?mode={mode}")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#query-said")).to_contain_text("first")
    expect(page.locator("#query")).to_be_focused()
    page.keyboard.type("x")
    expect(page.locator("#query-said")).to_be_empty()


def test_an_example_is_asked_by_a_click(open_page: Opener) -> None:
    page = open_page("/playground")
    example = page.get_by_role("list", name="Examples").get_by_role("button").first
    text = example.text_content()
    assert text
    example.click()
    expect(page.locator("#query")).to_have_value(text)
    expect(page.locator(".hit").first).to_be_visible()


SOUGHT = {"sought": ["zanzibar", "report"], "absent": ["report"], "more": True, "unread": 0}
BEHIND = SOUGHT | {"rows": 980_000, "document_count": 1}


def test_rows_that_are_no_passages_stand_in_a_group_of_their_own(open_page: Opener, sample: Sample) -> None:
    source = {"id": sample.document["id"], "name": "orders.csv", "source_type": "csv"}
    version = {"label": "2024", "index": 1, "is_current": True, "logical_document_name": "orders.csv"}
    cells = [{"label": "order", "value": "ORD-17"}, {"label": "", "value": "to Zanzibar"}]
    place = {"page": 1, "row": 52_017, "sheet": "Sheet1", "range": "A52017:B52017", "cells": cells}
    row = {"document": source, "version": version, **place, "words": ["zanzibar"], "flags": ["partly_hidden"]}
    named = {"document": source, "version": version, "rows": 980_000}

    above = {"before_hits": False}

    def answer(route: Route) -> None:
        found = route.fetch().json()
        route.fulfill(json=found | {"rows_behind": BEHIND | above | {"documents": [named], "hits": [row]}})

    page = open_page(sample.playground("", "search"))
    page.route("**/v1/search", answer)
    page.locator("#query").fill(f"Zanzibar report {words_of(sample)}")
    page.keyboard.press("Enter")
    group = page.get_by_role("region", name="Rows behind the passages")
    expect(group).to_contain_text("980,000 rows of orders.csv")
    expect(group).to_contain_text("In none of them: report. More rows have them")
    expect(group.locator(".row-hit")).to_have_count(1)
    expect(group.locator("mark")).to_have_text("Zanzibar")
    expect(group.locator(".hit-source")).to_contain_text("Sheet1, A52017:B52017")
    expect(group.locator(".tag.flag")).to_have_text("⚑ partly hidden in the file")
    expect(page.locator("ol.hits .hit:not(.row-hit)").first).to_be_visible()
    expect(page.get_by_role("link", name="1 further row below")).to_be_visible()
    link = group.get_by_role("link", name=re.compile("^Row 52017 of orders.csv"))
    expect(link).to_have_attribute("href", f"/documents/{source['id']}?page=1&row=52017")
    assert violations_in_both_themes(page) == []
    expect(page.locator("#hits h2")).to_have_text(["Hits", "Rows behind the passages"])
    above["before_hits"] = True
    page.locator("#query").press("Enter")
    expect(page.locator("#hits h2")).to_have_text(["Rows behind the passages", "Hits"])
    expect(page.get_by_role("link", name="1 further row below")).to_have_count(0)


def test_rows_that_a_question_selects_are_counted_and_stand_below_each_other(
    open_page: Opener, api: httpx.Client
) -> None:
    made = api.post("/v1/knowledge-bases", json={"name": f"port {new_id().hex}", "description": "x"}).json()
    crews = "Ann,7\nTheodora the Great,12\nMo,9\nOlaf,20"
    ships = "\n".join(f"{crew},North B" for crew in crews.split("\n"))
    ingest(api, made["id"], "log.csv", f"ship,crew,berth\n{ships}\nZoe,3,South C".encode())
    page = open_page(f"/playground?mode=ask&kb={made['slug']}&q=Which+ships+used+North+B%3F")
    expect(page.locator(".turn .turn-foot")).to_be_visible()
    expect(page.locator(".rows-meeting")).to_have_text("4 of the 5 rows of the table (berth: North B):")
    rows = page.locator(".quotation .cells")
    expect(rows).to_have_count(4)
    # A row is drawn before the one that needs more room comes.
    lefts = [[round(rect(cell)["x"]) for cell in row.locator(".cell").all()] for row in rows.all()]
    assert len(set(map(tuple, lefts))) == 1
    assert violations_in_both_themes(page) == []
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    api.delete(f"/v1/knowledge-bases/{made['id']}")
