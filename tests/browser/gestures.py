"""What a person does with the pages, and what they then see."""

from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.patience import PATIENCE_MS

AXE = Axe().axe_script
AXE_FINDS = "only => axe.run({resultTypes: ['violations'], ...only}).then(found => found.violations)"
# All that looks at colours: what another theme can change (tests/unit/test_themes.py), but where a script draws anew.
OF_COLOURS = ("color-contrast", "link-in-text-block")
DRAWN_BY_THEME = "#plot, #plot-drawing"

THEMES: tuple[Literal["dark"], Literal["light"]] = ("dark", "light")
# A colour that changes slowly is none of either theme's meanwhile.
TRANSITIONS_ENDED = """Promise.allSettled(document.getAnimations()
    .filter(one => one instanceof CSSTransition).map(one => one.finished)).then(() => null)"""


def settle(page: Page) -> Page:
    """Waits until nothing is loaded any more."""
    page.wait_for_load_state("networkidle", timeout=PATIENCE_MS)
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    return page


def violations(page: Page, rules: tuple[str, ...] = ()) -> list[str]:
    """What axe finds, by these rules where some are named."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE)
    found: list[dict[str, Any]] = page.evaluate(AXE_FINDS, {"runOnly": rules} if rules else {})
    return [f"{v['id']}: {n['target']} {n['html'][:120]}" for v in found for n in v["nodes"]]


def violations_in_both_themes(page: Page) -> list[str]:
    """What axe finds in the dark, in which the page was opened or is now, and what its rules of colours find in the
    light, which it follows; all of them where a plot is drawn anew."""
    found: list[str] = []
    light = () if page.locator(DRAWN_BY_THEME).count() else OF_COLOURS
    for theme, rules in zip(THEMES, ((), light), strict=True):
        page.emulate_media(color_scheme=theme)
        expect(page.locator("html")).to_have_attribute("data-theme", theme)
        settle(page).evaluate(TRANSITIONS_ENDED)
        found += [f"{theme}: {one}" for one in violations(page, rules)]
    return found


def open_inspector(page: Page) -> Page:
    """Waits until cards and picture are there."""
    expect(page.locator("#cards")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#sheet.loading")).to_have_count(0)
    page.wait_for_function("() => document.getElementById('page-image').naturalWidth > 0")
    return page


def box_of(page: Page, chunk: str) -> Locator:
    return page.locator(f'.box[data-key="{chunk}"]').first


def card_of(page: Page, chunk: str) -> Locator:
    return page.locator(f'.card[data-chunk="{chunk}"]')


def active_chunk(page: Page) -> str | None:
    return page.locator(".box.active").first.get_attribute("data-key")


def rect(locator: Locator) -> FloatRect:
    found = locator.bounding_box()
    assert found is not None
    return found


def wait_in_view(page: Page, item: Locator, scroller: str) -> None:
    """Waits until `item` lies inside `scroller`, or fills it where it is larger."""
    handle = item.element_handle()
    page.wait_for_function(
        """([node, selector]) => {
            const a = node.getBoundingClientRect(), b = document.querySelector(selector).getBoundingClientRect();
            const inside = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            return inside >= Math.min(a.height, b.height - 100) - 2;
        }""",
        arg=[handle, scroller],
    )


def hover_center(page: Page, item: Locator) -> None:
    item.scroll_into_view_if_needed()
    box = rect(item)
    page.mouse.move(box["x"] + box["width"] / 2 + 3, box["y"] + box["height"] / 2)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
