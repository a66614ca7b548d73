"""Pictures of every page and state, light and dark, at three widths: `python -m tests.browser.screenshots OUT`.

Nothing is compared: somebody looks at them. `--url` takes a server that runs already, with the samples; `--only NAME`
makes those whose name contains it.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.browser.gestures import open_inspector, settle
from tests.browser.sample import Sample, find_sample
from tests.live import serve_samples

SIZES = {390: 844, 1440: 900, 2560: 1440}
THEMES = ("light", "dark")
Act = Callable[[Page], object]


def places(sample: Sample) -> dict[str, tuple[str, Act]]:
    """Name → (path, what is done on the page before its picture is made)."""
    address = sample.addressed["section_id"]
    shelf = f"/kb/{sample.knowledge_base['slug']}"
    table = sample.with_rows
    row = next(chunk for chunk in table["items"] if chunk["chunk_type"] == "table_row")
    question = sample.addressed["content"][:80]
    inspector = sample.path(sample.richest)
    return {
        "home": ("/", settle),
        "home-new": ("/", lambda page: page.get_by_role("button", name="New knowledge base").click()),
        "documents": (shelf, settle),
        "documents-chosen": (shelf, lambda page: page.locator("[data-choose]").first.check()),
        "documents-menu": (shelf, lambda page: page.locator(".row-menu button").first.click()),
        "missing": ("/kb/no-such-shelf", settle),
        "evaluation": (f"{shelf}/evaluation", settle),
        "review": (f"{shelf}/review", settle),
        "inspector": (inspector, open_inspector),
        "inspector-table": (sample.path(table, row["id"]), open_inspector),
        "inspector-find": (inspector, lambda page: _find(open_inspector(page))),
        "inspector-help": (inspector, lambda page: open_inspector(page).keyboard.press("?")),
        "inspector-verify": (inspector, lambda page: settle(open_inspector(page)).keyboard.press("4")),
        "ask-empty": ("/playground", settle),
        "ask": (sample.playground(question, "ask"), settle),
        "search": (sample.playground(address, "search"), settle),
        "compare": (sample.playground("mass", "search") + "&recency=30&b=index%3Dvector%26k%3D5", settle),
        "lookup": (sample.playground(address, "lookup"), settle),
        "nothing": (sample.playground("zzqx", "lookup"), settle),
        "finder": ("/", lambda page: _finder(page, address)),
        **{
            f"settings-{tab}": (f"/settings/{tab}", settle)
            for tab in ("members", "keys", "usage", "organization", "data", "audit")
        },
    }


def _find(page: Page) -> None:
    page.keyboard.press("Control+f")
    page.locator("#find-input").fill("the")
    settle(page)


def _finder(page: Page, text: str) -> None:
    settle(page).keyboard.press("Control+k")
    page.locator("#finder-input").fill(text)
    settle(page)


@contextmanager
def served(url: str | None) -> Generator[str]:
    if url is not None:
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="autri-") as home, serve_samples(Path(home)) as address:
        yield address


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--url")
    parser.add_argument("--only", default="", help="a part of the name")
    parser.add_argument("--widths", type=int, nargs="+", default=list(SIZES))
    wanted = parser.parse_args()
    wanted.out.mkdir(parents=True, exist_ok=True)
    with served(wanted.url) as url, httpx.Client(base_url=url, timeout=120) as api, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        shown = {name: place for name, place in places(find_sample(api)).items() if wanted.only in name}
        for name, (path, act) in shown.items():
            for theme in THEMES:
                for width in wanted.widths:
                    with chromium.new_context(
                        viewport={"width": width, "height": SIZES.get(width, 900)}, color_scheme=theme
                    ) as context:
                        page = context.new_page()
                        page.goto(url + path)
                        act(page)
                        page.screenshot(path=wanted.out / f"{name}-{theme}-{width}.png")
            sys.stdout.write(f"{name}\n")
            sys.stdout.flush()
        chromium.close()


if __name__ == "__main__":
    main()
