"""Pictures of every page and state, light and dark, at three widths: `python -m tests.browser.screenshots OUT`.

Nothing is compared: somebody looks at them. `--url` takes a server that runs already, with the samples; `--only NAME`
makes those whose name contains it.
"""

import argparse
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
from playwright.sync_api import sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.browser.sample import find_sample
from tests.browser.shots import shots
from tests.browser.staged import Staged
from tests.live import serve_samples

SIZES = {390: 844, 1440: 900, 2560: 1440}
THEMES = ("light", "dark")


@contextmanager
def served(url: str | None) -> Generator[str]:
    if url is not None:
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="autri-") as home, serve_samples(Path(home) / "samples") as address:
        yield address


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--url")
    parser.add_argument("--only", default="", help="a part of the name")
    parser.add_argument("--themes", nargs="+", default=list(THEMES))
    parser.add_argument("--widths", type=int, nargs="+", default=list(SIZES))
    wanted = parser.parse_args()
    wanted.out.mkdir(parents=True, exist_ok=True)
    with served(wanted.url) as url, httpx.Client(base_url=url, timeout=120) as api, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        shown = {name: shot for name, shot in shots(find_sample(api), Staged(api)).items() if wanted.only in name}
        for name, shot in shown.items():
            for theme in wanted.themes:
                for width in wanted.widths:
                    with chromium.new_context(
                        viewport={"width": width, "height": SIZES.get(width, 900)}, color_scheme=theme
                    ) as context:
                        page = context.new_page()
                        shot.open(page, url)
                        page.screenshot(path=wanted.out / f"{name}-{theme}-{width}.png")
            sys.stdout.write(f"{name}\n")
            sys.stdout.flush()
        chromium.close()


if __name__ == "__main__":
    main()
