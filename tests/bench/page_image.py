"""How soon the picture of a page is seen: `python -m tests.bench.page_image FILE.pdf [--url URL --document ID]`.

In Chromium at 1440 × 900, from the click to the frame in which the picture is painted, the median of nine, with how
many requests were answered until then and their kB. A document is opened from its row in a browser that has never
opened one, and in one that has (the scripts are kept, the picture is not); then the next page at once and after a
second's rest, and a page far away. Beside it the CPU time that the server's process took, as wall time on a busy
machine says little. With `--url` it asks a server that runs already, and tells no CPU time.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from playwright.sync_api import Browser, Page, Response, sync_playwright

from functions.api.app import create_app
from functions.api.identity import development_identity
from functions.local import local_system
from shared.ingestion.uploads import get_ingestion
from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.live import serving
from tests.pipeline import make_knowledge_base, upload

TIMES, REST_S, FAR = 9, 1.0, 40
VIEWS = ("first document opened", "document opened", "next page at once", "next page after 1 s", "far page")
# Notes when something was clicked, also over to the next page.
CLICKED = """addEventListener('click', () => sessionStorage.setItem('clicked', String(Date.now())), true);"""
PAINTED = """async (number) => {
    const frame = () => new Promise(requestAnimationFrame);
    const image = document.getElementById('page-image');
    const there = () => image.src.includes(`/pages/${number}/image`) && image.complete && image.naturalWidth;
    while (!there()) await frame();
    await image.decode();
    await frame();
    await frame();
    return Date.now() - Number(sessionStorage.getItem('clicked'));
}"""


@dataclass
class Seen:
    """Of one kind of view: milliseconds until painted, requests, kB, the server's CPU milliseconds."""

    ms: list[float] = field(default_factory=list[float])
    requests: list[float] = field(default_factory=list[float])
    kilobytes: list[float] = field(default_factory=list[float])
    cpu_ms: list[float] = field(default_factory=list[float])

    def row(self, name: str, own: bool) -> str:
        ms, requests, kilobytes, cpu = (
            statistics.median(values) for values in (self.ms, self.requests, self.kilobytes, self.cpu_ms)
        )
        told = f"{name:24} {ms:6.0f} ms  {max(self.ms):6.0f} ms at most  {requests:4.0f} requests  {kilobytes:6.0f} kB"
        return told + (f"  {cpu:5.0f} CPU ms" if own else "")


def measure(page: Page, number: int, act: Callable[[], object], seen: Seen) -> None:
    answered: list[Response] = []

    def note(response: Response) -> None:
        answered.append(response)

    page.on("response", note)
    began = time.process_time()
    act()
    page.wait_for_selector("#page-image", state="attached")
    seen.ms.append(page.evaluate(PAINTED, number))
    seen.cpu_ms.append((time.process_time() - began) * 1000)
    page.remove_listener("response", note)
    seen.requests.append(len(answered))
    seen.kilobytes.append(sum(float(response.headers.get("content-length", 0)) for response in answered) / 1000)


def shelf(page: Page, address: str) -> None:
    page.goto(address)
    page.locator('a[href*="/documents/"]').first.wait_for()
    page.wait_for_load_state("networkidle")


def views(browser: Browser, url: str, slug: str, document: str) -> dict[str, Seen]:
    found = {name: Seen() for name in VIEWS}
    for _ in range(TIMES):
        with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
            context.add_init_script(CLICKED)
            page = context.new_page()
            first, known, at_once, rested, far = found.values()
            row = page.locator(f'a[href*="/documents/{document}"]').first
            forward = page.locator("#page-next")
            shelf(page, f"{url}/kb/{slug}")
            measure(page, 1, row.click, first)
        with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
            context.add_init_script(CLICKED)
            page = context.new_page()
            row = page.locator(f'a[href*="/documents/{document}"]').first
            forward = page.locator("#page-next")
            page.goto(f"{url}/documents/{document}?page={FAR * 2}")
            page.wait_for_load_state("networkidle")
            shelf(page, f"{url}/kb/{slug}")
            measure(page, 1, row.click, known)
            measure(page, 2, forward.click, at_once)
            time.sleep(REST_S)
            measure(page, 3, forward.click, rested)
            time.sleep(REST_S)
            measure(page, FAR, page.locator(f'.strip-item[data-page="{FAR}"]').click, far)
    return found


@contextmanager
def served(file: Path) -> Generator[tuple[str, str, str]]:
    """Address, knowledge base's slug, document's id."""
    with tempfile.TemporaryDirectory(prefix="autri-") as home, local_system(Path(home), workers=2) as system:
        base = make_knowledge_base(system.runtime, system.identity, "Long")
        upload_id: UUID = upload(system.runtime, system.identity, base, file.read_bytes(), file.name)["upload_id"]
        while (run := get_ingestion(system.runtime, system.identity, upload_id)).status in {"queued", "running"}:
            time.sleep(0.5)
        app = create_app(system.runtime, development_identity(system.runtime), local=True)
        with serving(app) as url:
            yield url, "long", str(run.document_id)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--url")
    parser.add_argument("--kb", help="slug, with --url")
    parser.add_argument("--document", help="id, with --url")
    asked = parser.parse_args()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        if asked.url:
            found = views(chromium, asked.url, asked.kb, asked.document)
        else:
            with served(asked.file) as (url, slug, document):
                found = views(chromium, url, slug, document)
        chromium.close()
    for name, seen in found.items():
        sys.stdout.write(seen.row(name, own=not asked.url) + "\n")


if __name__ == "__main__":
    main()
