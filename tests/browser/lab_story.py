"""The lab from three papers to a bundle, as `docs/lab-story.md` tells it: `make story` writes it anew, with pictures.

Every command runs against a server of its own, every line of the page is what it printed. The papers are made here.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import httpx
import pymupdf
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.processes import serving

DOCS: Final = Path(__file__).parents[2] / "docs"
PAGE: Final = DOCS / "lab-story.md"
AUTRI: Final = Path(sys.executable).parent / "autri"
WIDE, PHONE = (1440, 900), (390, 844)
PATIENCE_MS: Final = 150_000
# So many lines of an answer are shown.
LINES: Final = 14
SYSTEMS: Final = {
    "kestrel": (("Words", 71.2, 69.9), ("Words and characters", 74.8, 73.1)),
    "heron": (("Words", 70.4, 68.0), ("Contextual", 77.9, 76.3)),
    "stork": (("Words", 71.9, 70.2), ("Contextual, fine-tuned", 79.6, 78.8)),
}


def paper(name: str) -> bytes:
    """An abstract, a sentence of results, and a table whose rows stand in two groups."""
    systems = SYSTEMS[name]
    gain = systems[1][1] - systems[0][1]
    aim = f"In this paper we propose {name.capitalize()}, a tagger that finds entities in short reports."
    result = (
        f"{name.capitalize()} improved the accuracy by {gain:.1f} points over the baseline (p < 0.01, paired t-test)."
    )
    lines: list[tuple[str, ...]] = [("Model", "Accuracy (%)", "F1 (%)")]
    for split, less in (("Dev", 0.0), ("Test", 1.3)):
        lines += [(split,), *((model, f"{a - less:.1f}", f"{f - less:.1f}") for model, a, f in systems)]
    with pymupdf.open() as file:
        page = file.new_page()
        for top, text, size in ((80, "Abstract", 16), (110, aim, 11), (180, "Results", 16), (210, result, 11)):
            page.insert_text((72, top), text, fontsize=size, fontname="hebo" if size > 11 else "helv")
        page.insert_text((72, 260), f"Table 1: Results of {name.capitalize()} on the reports.", fontsize=11)
        for at, cells in enumerate(lines):
            for column, cell in enumerate(cells):
                page.insert_text(
                    (76 + (180, 130)[column > 1] * column + (50 if column > 1 else 0), 290 + 22 * at), cell, fontsize=11
                )
        right = 500
        for line in range(len(lines) + 1):
            page.draw_line((72, 274 + 22 * line), (right, 274 + 22 * line))
        for x in (72, 250, 380, right):
            page.draw_line((x, 274), (x, 274 + 22 * len(lines)))
        return file.tobytes()


class Story:
    """What is written, as it is done."""

    def __init__(self, home: Path, folder: Path, api: httpx.Client) -> None:
        self._folder, self._api = folder, api
        self._env = os.environ | {"AUTRI_HOME": str(home), "COLUMNS": "110", "NO_COLOR": "1", "TERM": "dumb"}
        self.parts: list[str] = []

    def say(self, text: str) -> None:
        self.parts.append(text)

    def run(self, *commands: str) -> list[str]:
        """Lines of a shell, shown with what they print; returns that of each."""
        printed, shown = list[str](), list[str]()
        for command in commands:
            words = ["bash", "-c", re.sub(r"^autri ", f"{AUTRI} ", command)]
            done = subprocess.run(
                words, cwd=self._folder, env=self._env, capture_output=True, text=True, timeout=600, check=False
            )
            if done.returncode:
                raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
            printed.append(done.stdout)
            lines = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
            shown += [f"$ {command}", *_cut(lines), ""]
        self.parts.append("```\n" + "\n".join(shown).strip() + "\n```")
        return printed

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """A request as `curl` sends it, with its answer."""
        answer = self._api.request(method, path, json=body)
        answer.raise_for_status()
        sent = f" --json '{json.dumps(body)}'" if body is not None else ""
        found = json.dumps(answer.json(), indent=1, ensure_ascii=False).splitlines()
        self.parts.append("\n".join(["```", f"$ curl -s $AUTRI/v1{path}{sent}", *_cut(found), "```"]))
        return answer.json()

    def show(
        self,
        browser: Browser,
        name: str,
        path: str,
        alt: str,
        *,
        size: tuple[int, int] = WIDE,
        theme: str = "light",
        ready: Callable[[Page], object],
    ) -> None:
        """A page, once `ready` has seen what it waits for."""
        width, height = size
        with browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if theme == "dark" else "light"
        ) as context:
            context.set_default_timeout(PATIENCE_MS)
            page = context.new_page()
            page.goto(f"{str(self._api.base_url).removesuffix('/').removesuffix('/v1')}{path}")
            ready(page)
            page.screenshot(path=DOCS / "images" / f"lab-{name}.png")
        self.parts.append(f"![{alt}](images/lab-{name}.png)")


def _cut(lines: Sequence[str]) -> list[str]:
    return [*lines] if len(lines) <= LINES else [*lines[:LINES], f"… {len(lines) - LINES} lines more"]


def _first_id(printed: str) -> str:
    found = re.search(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", printed)
    assert found, printed
    return found[0]


def tell(story: Story, browser: Browser) -> None:
    story.say("## Three papers")
    story.run("autri kb create Papers", "autri ingest kestrel.pdf heron.pdf stork.pdf --kb papers")
    story.say(
        "## A dataset\nTables with the same header are one dataset. The label over a group of rows is a column of each"
        " of them."
    )
    listed = story.run("autri dataset tables --kb papers")[0]
    made = story.run(f"autri dataset make {_first_id(listed)} --alike --name Results --kb papers")[0]
    dataset = _first_id(made)
    story.run(
        "autri dataset show Results",
        "autri dataset profile Results",
        "autri dataset export Results --to results.csv --lineage",
    )
    story.say("A cell of it leads to the one that was printed, here by the API:")
    story.ask("POST", f"/datasets/{dataset}/sources", {"row": 1, "column": 3})
    story.show(
        browser,
        "dataset",
        f"/datasets/{dataset}",
        "The dataset: rows of three papers with the group that each stands in",
        ready=lambda page: page.locator("#grid .profile .range").first.wait_for(),
    )
    story.say("## A plot")
    spec = {
        "mark": "bar",
        "x": {"field": "Model"},
        "y": {"field": "F1 (%)", "aggregate": "mean"},
        "colour": {"field": "Group"},
    }
    story.run(f"echo '{json.dumps(spec)}' > spec.json")
    plot = _first_id(story.run("autri plot make spec.json --dataset Results")[0])
    story.run(
        f"autri plot cells {plot} 0",
        f"autri plot export {plot} --to plot.svg --locale de",
        f"autri plot export {plot} --to plot.html",
    )
    drawn: Callable[[Page], object] = lambda page: page.locator("#plot[aria-busy=false] #plot-drawing svg").wait_for()  # noqa: E731
    story.show(browser, "plot", f"/plots/{plot}", "The plot, its form, and the same as a table", ready=drawn)
    story.show(
        browser, "plot-phone", f"/plots/{plot}", "The same on a phone, dark", size=PHONE, theme="dark", ready=drawn
    )
    story.say("## Experiments\nEach statement is quoted with its place; what nothing states is missing.")
    story.run("autri summary make --kb papers", "autri summary compare --kb papers")
    story.show(
        browser,
        "experiments",
        "/kb/papers/summaries",
        "Experiment summaries of the three papers",
        ready=lambda page: page.locator("#summaries[aria-busy=false] a").first.wait_for(),
    )
    story.say("## A notebook, a link, a bundle")
    story.run(
        'autri notebook add --kb papers --text "# Which model?"',
        f"autri notebook add --kb papers --plot {plot}",
        f"autri notebook add --kb papers --dataset {dataset}",
    )
    story.run(
        "autri notebook export --kb papers --form html --to which-model.html",
        "autri notebook export --kb papers --form crate --to which-model.zip",
        "autri notebook share --kb papers --days 7",
        "autri links list",
    )
    written: Callable[[Page], object] = lambda page: page.locator("main img").first.wait_for()  # noqa: E731
    story.show(browser, "notebook", "/kb/papers/notebook", "The notebook: words, a plot, a dataset", ready=written)
    story.show(
        browser,
        "notebook-phone",
        "/kb/papers/notebook",
        "The same on a phone, dark",
        size=PHONE,
        theme="dark",
        ready=written,
    )
    story.show(
        browser,
        "links",
        "/settings/links",
        "All links that one may take back",
        ready=lambda page: page.locator("#links .settings-row").first.wait_for(),
    )
    story.say("## The digest")
    story.run(
        "autri digest build --kb papers",
        "autri digest show index.md --kb papers",
        'autri context "Which model has the best F1?" --kb papers --budget 400',
    )


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="autri-story-") as folder, serving(Path(folder) / "home") as (_, api):
        for name in SYSTEMS:
            (Path(folder) / f"{name}.pdf").write_bytes(paper(name))
        api.timeout = httpx.Timeout(300)
        story = Story(Path(folder) / "home", Path(folder), api)
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            tell(story, chromium)
            chromium.close()
    head = (
        "# From three papers to a bundle\n\nMade by `make story`: every line is what a command printed, every picture"
        " the page then. What each is: [lab.md](lab.md)."
    )
    told = re.sub(
        r"http://127\.0\.0\.1:\d+/shared/\S+", "http://127.0.0.1:8000/shared/…", "\n\n".join([head, *story.parts])
    )
    PAGE.write_text(told + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
