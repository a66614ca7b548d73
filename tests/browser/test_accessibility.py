"""Every page in both themes, narrow and wide: axe finds nothing, nothing overflows, nothing inline runs."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener
from tests.browser.gestures import AXE, OF_COLOURS, open_inspector, settle, violations, violations_in_both_themes
from tests.browser.lab import Lab, made_lab
from tests.browser.sample import Sample

pytestmark = pytest.mark.browser

PLACES = (
    "home", "documents", "inspector", "search", "compare", "ask", "lookup", "missing", "members", "keys",
    "usage", "organization", "data", "audit", "empty", "evaluation", "candidates", "unknown", "review", "attributes",
    "model", "docs", "docs_group", "shared", "summary", "summaries", "datasets", "dataset", "digest",
    "plots", "plot", "notebook",
)  # fmt: skip
# Pages of a knowledge base with something on each, and what is done there.
FILLED = (
    "datasets", "dataset", "step", "plots", "plot", "plot_by_hand", "new_plot", "summaries", "comparison", "summary",
    "place", "digest", "digest_file", "digest_edit", "digest_history", "digest_health", "candidates",
)  # fmt: skip
TABS = ("2", "3", "4", "5", "6")
NARROW, WIDE = 360, 1440
WIDTH = "document.documentElement.scrollWidth"
# What their scripts draw fits the width that there is when they draw it (`matchMedia`, `clientWidth`), and stays.
FITTED = {"search", "compare", "plot", "plot_by_hand", "new_plot"}
# Marks what people click, with the mouse's sign or by its kind; cells of a grid are one stop.
REACHABLE = """(() => {
    const shown = node => node.checkVisibility({visibilityProperty: true}) && !node.disabled;
    const all = [...document.querySelectorAll('main a[href], main button, main input, main select, main textarea')]
        .filter(node => shown(node) && !(node.type === 'radio' && !node.checked));
    const grid = document.querySelector('main td[tabindex="0"]');
    for (const node of grid ? [...all, grid] : all) node.setAttribute('data-wanted', '');
    document.addEventListener('focusin', event => event.target.removeAttribute('data-wanted'));
    return all.length;
})()"""
# Of a table that shows many rows the first and the last ones stay, and the first of each kind between them: elements,
# attributes, classes, styles, and whether there is anything in them.
FEW_ROWS = """(() => {
    const kindOf = row => [row, ...row.querySelectorAll('*')].map(one => [
        one.localName, one.className, one.style.cssText, one.hidden, one.disabled, one.getAttribute('role'),
        ...[...one.attributes].map(({name, value}) => name + (value.trim() ? '' : ' is empty')),
        one.textContent.trim() ? 'text' : ''].join()).join('|');
    for (const body of document.querySelectorAll('main tbody')) {
        const seen = new Set();
        [...body.rows].forEach((row, at) => {
            const kind = kindOf(row), ends = at < 6 || at >= body.rows.length - 6;
            row.dataset.spare = !ends && seen.has(kind);
            seen.add(kind);
        });
        body.querySelectorAll(':scope > tr[data-spare=true]').forEach(row => row.remove());
    }
})()"""
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
            for tab in ("members", "keys", "links", "model", "webhooks", "usage", "organization", "data", "audit")
        },
    }[place]


@pytest.fixture(scope="module")
def lab(api: httpx.Client) -> Lab:
    return made_lab(api)


def open_filled(open_page: Opener, lab: Lab, place: str, **options: Any) -> Page:
    """The page at `place`, with what it shows there; its content has to be there."""
    shelf, file = f"/kb/{lab.slug}", quote(lab.digest_file)
    path, shown = {
        "datasets": (f"{shelf}/datasets", ".set-row"),
        "dataset": (f"/datasets/{lab.dataset}", "td[data-row]"),
        "step": (f"/datasets/{lab.dataset}", "td[data-row]"),
        "plots": (f"{shelf}/plots", ".plot-row"),
        "plot": (f"/plots/{lab.plot}", "#plot-drawing svg"),
        "plot_by_hand": (f"/plots/{lab.plot}", "#plot-drawing svg"),
        "new_plot": (f"/datasets/{lab.dataset}/plot", "#plot-drawing svg"),
        "summaries": (f"{shelf}/summaries", ".summary-row"),
        "comparison": (f"{shelf}/summaries", ".summary-row"),
        "summary": (f"/documents/{lab.paper}/summary", ".summary-statement"),
        "place": (f"/documents/{lab.paper}/summary", ".summary-statement"),
        "digest": (f"{shelf}/digest", ".digest-entry"),
        "digest_file": (f"{shelf}/digest?file={file}", ".digest-line"),
        "digest_edit": (f"{shelf}/digest?file={file}", ".digest-line"),
        "digest_history": (f"{shelf}/digest?file={file}&view=history", ".digest-version"),
        "digest_health": (f"{shelf}/digest?view=health", "#digest-pane h2"),
        "candidates": (f"{shelf}/evaluation/candidates", ".gold-candidate"),
    }[place]
    page = settle(open_page(path, **options))
    expect(page.locator(shown).first).to_be_visible()
    ACTS.get(place, lambda _: None)(page)
    return settle(page)


def _add_step(page: Page) -> None:
    page.locator("#step-kind").select_option("group")
    page.locator("#step-add").click()


def _by_hand(page: Page) -> None:
    with page.expect_response("**/v1/plots/preview"):
        page.get_by_role("button", name="Write Vega-Lite by hand").click()
    settle(page)
    page.get_by_role("button", name="Cells behind").first.click()
    expect(page.locator("#plot-cells li").first).to_be_visible()


def _compare(page: Page) -> None:
    for box in page.locator(".summary-row").get_by_role("checkbox").all():
        box.check()
    expect(page.locator("#comparison .summary-cells")).to_have_count(2)


def _show_place(page: Page) -> None:
    page.get_by_role("button", name="Show where it stands").first.click()
    expect(page.locator(".summary-box").first).to_be_visible()


def _show_changes(page: Page) -> None:
    page.get_by_role("button", name="What changed").first.click()
    expect(page.locator(".digest-diff")).to_be_visible()


ACTS: dict[str, Callable[[Page], None]] = {
    "step": _add_step,
    "plot_by_hand": _by_hand,
    "comparison": _compare,
    "place": _show_place,
    "digest_edit": lambda page: page.locator(".digest-edit").first.click(),
    "digest_history": _show_changes,
}


@pytest.mark.parametrize("place", FILLED)
def test_axe_finds_no_violation_on_a_page_that_holds_something_and_tab_reaches_whatever_can_be_clicked(
    open_page: Opener, lab: Lab, place: str
) -> None:
    page = open_filled(open_page, lab, place, width=NARROW, color_scheme="dark")
    assert page.evaluate(WIDTH) <= NARROW
    page.evaluate(FEW_ROWS)
    assert violations_in_both_themes(page) == []
    page = open_filled(open_page, lab, place, width=WIDE, color_scheme="dark") if place in FITTED else widened(page)
    assert page.evaluate(WIDTH) <= WIDE
    page.evaluate(FEW_ROWS)
    assert violations_in_both_themes(page) == []
    assert not_reached_by_tab(page) == []


def test_a_row_of_its_own_kind_is_looked_at_among_many_that_are_alike(open_page: Opener) -> None:
    page = open_page("/")
    page.evaluate("""document.querySelector('main').innerHTML = '<table><tbody></tbody></table>'""")
    page.evaluate("""document.querySelector('tbody').innerHTML = Array.from({length: 40}, (_, at) => `<tr><td><a
        href="#${at}" ${at === 20 ? 'class="failed"' : ''}>${at === 25 ? '' : at}</a></td></tr>`).join('')""")
    page.evaluate(FEW_ROWS)
    kept = page.locator("tbody a").evaluate_all("all => all.map(one => one.getAttribute('href').slice(1))")
    assert kept == [str(at) for at in (*range(6), 20, 25, *range(34, 40))]


def widened(page: Page) -> Page:
    """The page as it becomes on a wide screen, without loading it again: that takes half as long as axe does."""
    page.set_viewport_size({"width": WIDE, "height": 900})
    assert page.evaluate("innerWidth") == WIDE
    return settle(page)


def not_reached_by_tab(page: Page) -> list[str]:
    """What can be clicked and gets the focus by no press of Tab: how it begins in the page's HTML."""
    if page.locator("dialog[open]").count():
        page.keyboard.press("Escape")
    wanted = page.evaluate(REACHABLE)
    page.evaluate("document.activeElement.blur()")
    missing = page.locator("[data-wanted]")
    for pressed in range(1, wanted + 40):
        page.keyboard.press("Tab")
        if pressed % 10 == 0 and not missing.count():
            break
    return [one.evaluate("node => node.outerHTML.slice(0, 120)") for one in missing.all()]


@pytest.mark.parametrize("place", PLACES)
def test_nothing_overflows_at_360_pixels_and_axe_finds_no_violation_there_and_on_a_wide_screen(
    open_page: Opener, sample: Sample, place: str
) -> None:
    page = settle(open_page(path_of(place, sample), width=NARROW, height=740))
    assert page.evaluate(WIDTH) <= NARROW
    assert violations(page) == []
    page = settle(open_page(path_of(place, sample), width=WIDE)) if place in FITTED else widened(page)
    assert violations_in_both_themes(page) == []


def test_axe_finds_no_violation_in_any_tab_and_dialog_of_the_inspector(open_page: Opener, sample: Sample) -> None:
    page = open_inspector(open_page(sample.path(sample.with_rows), color_scheme="dark"))
    for key in (*TABS, "?"):
        page.keyboard.press(key)
        settle(page)
        assert violations_in_both_themes(page) == [], key


@pytest.mark.parametrize("place", ["home", "documents", "inspector", "search", "keys", "audit"])
def test_pages_stand_at_double_zoom_and_in_forced_colours(open_page: Opener, sample: Sample, place: str) -> None:
    page = open_page(path_of(place, sample), width=720, height=450, device_scale_factor=2, forced_colors="active")
    settle(page)
    assert page.evaluate(WIDTH) <= 720
    expect(page.locator("main")).to_be_visible()


def test_the_rules_of_colours_are_all_that_axe_has_of_them(open_page: Opener) -> None:
    page = open_page("/")
    page.evaluate(AXE)
    rules = page.evaluate("axe.getRules(['cat.color']).map(rule => rule.ruleId)")
    assert set(rules) == {*OF_COLOURS, "color-contrast-enhanced"}  # the last is AAA, and off where nobody asks for it


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
