"""The pages' own font."""

from tests.browser.conftest import Opener
from tests.browser.gestures import settle

LOADED = """() => [...document.fonts].filter((face) => face.status === 'loaded')
    .map((face) => face.unicodeRange.split(',')[0])"""


def test_the_pages_bring_their_font_and_load_only_the_letters_that_they_show(open_page: Opener) -> None:
    page = settle(open_page("/playground"))
    assert page.evaluate(LOADED) == ["U+0-FF"]
    page.locator("#query-form").evaluate("(form) => form.prepend('Łódź')")
    page.wait_for_function(f"() => ({LOADED})().length === 2")
