"""Every page in both themes, narrow and wide: axe finds nothing, nothing overflows, nothing inline runs."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.gestures import open_inspector, settle, violations
from tests.browser.sample import Sample

pytestmark = pytest.mark.browser

PLACES = (
    "home", "documents", "inspector", "search", "compare", "ask", "lookup", "missing", "members", "keys",
    "usage", "organization", "data", "audit", "empty", "evaluation", "candidates", "unknown", "review", "attributes",
    "model", "docs", "docs_group", "shared", "summary", "summaries", "datasets", "dataset", "digest",
    "plots", "plot", "notebook",
)  # fmt: skip
TABS = ("2", "3", "4", "5", "6")
LAYOUT_SHIFT = """new Promise(done => {
    let sum = 0;
    const add = list => { for (const entry of list.getEntries()) sum += entry.value; };
    new PerformanceObserver(add).observe({type: 'layout-shift', buffered: true});
    setTimeout(() => done(sum), 500);
})"""


def path_of(place: str, sample: Sample) -> str:
    address = sample.addressed["section_id"]
    return {
        "home": "/",
        "documents": f"/kb/{sample.knowledge_base['slug']}",
        "inspector": sample.path(sample.with_rows, sample.with_rows["items"][0]["id"]),
        "search": sample.playground(address, "search"),
        "compare": sample.playground("mass", "search") + "&recency=30&b=index%3Dvector%26k%3D5",
        "facets": sample.playground("mass", "search") + "&facets=yes&table=yes",
        "ask": sample.playground(sample.addressed["content"][:80], "ask"),
        "lookup": sample.playground(address, "lookup"),
        "missing": "/kb/no-such-shelf",
        "empty": "/playground",
        "shared": "/shared/made-up",
        "evaluation": f"/kb/{sample.knowledge_base['slug']}/evaluation",
        "candidates": f"/kb/{sample.knowledge_base['slug']}/evaluation/candidates",
        "unknown": "/no/such/page",
        "review": f"/kb/{sample.knowledge_base['slug']}/review",
        "digest": f"/kb/{sample.knowledge_base['slug']}/digest",
        "attributes": f"/kb/{sample.knowledge_base['slug']}/attributes",
        "summary": f"/documents/{sample.document['id']}/summary",
        "summaries": f"/kb/{sample.knowledge_base['slug']}/summaries",
        "datasets": f"/kb/{sample.knowledge_base['slug']}/datasets",
        "dataset": "/datasets/01900000-0000-7000-8000-000000000000",
        "notebook": f"/kb/{sample.knowledge_base['slug']}/notebook",
        "plots": f"/kb/{sample.knowledge_base['slug']}/plots",
        "plot": "/plots/01900000-0000-7000-8000-000000000000",
        "docs": "/docs",
        "docs_group": "/docs/retrieval",
        **{
            tab: f"/settings/{tab}"
            for tab in ("members", "keys", "model", "webhooks", "usage", "organization", "data", "audit")
        },
    }[place]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("place", PLACES)
def test_axe_finds_no_violation(open_page: Opener, sample: Sample, place: str, theme: str) -> None:
    page = open_page(path_of(place, sample), color_scheme=theme)
    settle(page)
    assert violations(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_violation_in_any_tab_and_dialog_of_the_inspector(
    open_page: Opener, sample: Sample, theme: str
) -> None:
    page = open_inspector(open_page(sample.path(sample.with_rows), color_scheme=theme))
    for key in (*TABS, "?"):
        page.keyboard.press(key)
        settle(page)
        assert violations(page) == []


@pytest.mark.parametrize("place", PLACES)
def test_nothing_overflows_at_360_pixels_and_axe_agrees(open_page: Opener, sample: Sample, place: str) -> None:
    page = open_page(path_of(place, sample), width=360, height=740)
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert violations(page) == []


@pytest.mark.parametrize("place", ["home", "documents", "inspector", "search", "keys", "audit"])
def test_pages_stand_at_double_zoom_and_in_forced_colours(open_page: Opener, sample: Sample, place: str) -> None:
    page = open_page(path_of(place, sample), width=720, height=450, device_scale_factor=2, forced_colors="active")
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 720
    expect(page.locator("main")).to_be_visible()


def test_the_theme_can_be_chosen_and_is_kept(open_page: Opener) -> None:
    page = open_page("/", color_scheme="light")
    root = page.locator("html")
    expect(root).to_have_attribute("data-theme", "light")
    page.get_by_role("button", name="Theme: automatic").click()
    page.get_by_role("button", name="Theme: light").click()
    expect(root).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(root).to_have_attribute("data-theme", "dark")


def test_the_page_forbids_whatever_is_inline_or_foreign(open_page: Opener, live_server: str) -> None:
    page = open_page("/")
    answer = page.request.get(live_server)
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert page.locator("script:not([src]), style, [style]").count() == 0


def test_a_picture_that_loads_late_moves_nothing(open_page: Opener, sample: Sample) -> None:
    page = open_inspector(open_page(sample.path(sample.richest)))
    shift = page.evaluate(LAYOUT_SHIFT)
    assert shift < 0.1
