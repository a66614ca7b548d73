"""What a page of the laboratory offers is what its reader may do: each role on each page, every button pressed."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

import pytest
from playwright.sync_api import Error, Page, Response

from shared.digest.updates import update_digest
from shared.domain.datasets import NewDataset
from shared.domain.digest import UpdateWish
from shared.domain.notebooks import MarkdownCell, NewCell, NewNotebook
from shared.domain.plots import NewPlot, PlotSpec
from shared.domain.scope import Identity
from shared.lab.datasets.service import make_dataset
from shared.lab.notebook.service import add_cell, create_notebook
from shared.lab.plots.service import add_plot
from shared.lab.summaries.service import make_summary
from shared.runtime import Runtime
from tests.bench.plots import FORMS, store_table
from tests.browser.conftest import Opener
from tests.browser.gestures import settle
from tests.browser.people import People
from tests.store.seeding import Passage, add_base, add_document, section

pytestmark = pytest.mark.browser

RESULT = "The lighter wing improved the lap time by 2.5 % over the baseline (p < 0.01, paired t-test)."
PAGES: Final = {
    "notebook": "/kb/{slug}/notebook",
    "datasets": "/kb/{slug}/datasets",
    "dataset": "/datasets/{dataset}",
    "plot": "/plots/{plot}",
    "new plot": "/datasets/{dataset}/plot",
    "experiments": "/kb/{slug}/summaries?document_id={paper}&document_id={other}",
    "summary": "/documents/{paper}/summary",
    "no summary": "/documents/{bare}/summary",
    "digest": "/kb/{slug}/digest",
    "file of the digest": "/kb/{slug}/digest?file=index.md",
}
# An editor who was let in to read, and a viewer whom the list lets write: neither may change anything.
READERS: Final = ("ed", "vic")
WRITERS: Final = ("ann", "adam")
PRESSED_MAX: Final = 60


@pytest.fixture(scope="module")
def places(people: People, runtime: Runtime, identity: Identity) -> Mapping[str, str]:
    """A restricted knowledge base with something of each kind, by names of its parts."""
    scope = add_base(runtime, identity, "rights")
    (base,) = scope.knowledge_base_ids
    papers = [add_document(runtime, scope, name, [Passage(RESULT, section=0)], [section(0, "1", "Results")])
              for name in ("Wings", "Spoilers", "Bare")]  # fmt: skip
    for paper in papers[:2]:
        make_summary(runtime, identity, paper)
    tables = store_table(runtime, scope, 30, seed=1)
    dataset = make_dataset(runtime, identity, NewDataset(knowledge_base_id=base, name="Runs", table_ids=tables))
    spec = PlotSpec.model_validate({"form": FORMS["histogram"]})
    plot = add_plot(runtime, identity, NewPlot(dataset_id=dataset.id, spec=spec))
    notebook = create_notebook(runtime, identity, NewNotebook(knowledge_base_id=base, title="Laps"))
    add_cell(runtime, identity, notebook.id, NewCell(content=MarkdownCell(kind="markdown", text="It is wide.")))
    update_digest(runtime, identity, base, UpdateWish())
    _let_in(people, base)
    ids = {"paper": papers[0], "other": papers[1], "bare": papers[2], "dataset": dataset.id, "plot": plot.id}
    return {"slug": "rights"} | {name: str(one) for name, one in ids.items()}


def _let_in(people: People, base: UUID) -> None:
    ids = dict[str, str]()
    for name, role in (("ann", "editor"), ("ed", "editor"), ("vic", "viewer"), ("adam", "admin")):
        people.add(name, role)
        ids[name] = people.request(name, "GET", "/v1/me").json()["user"]["id"]
    members = [{"user_id": ids[name], "may_write": name != "ed"} for name in ("ann", "ed", "vic")]
    access = {"restricted": True, "members": members}
    people.request("adam", "PUT", f"/v1/knowledge-bases/{base}/access", access).raise_for_status()


def offered(page: Page) -> list[str]:
    """The names of the buttons in it that can be pressed, those of an open dialog too."""
    buttons = page.locator("main button:visible:enabled, main summary:visible, dialog[open] button:visible:enabled")
    # All at once: the page may draw itself anew.
    said = buttons.evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label') || one.innerText)")
    return [" ".join(one.split()) for one in said]


@pytest.mark.parametrize("name", PAGES)
def test_whoever_may_not_write_is_offered_nothing_that_is_refused(
    open_as: Opener, places: Mapping[str, str], name: str
) -> None:
    address = PAGES[name].format_map(places)
    pages = {who: settle(open_as(who, address)) for who in (*READERS, *WRITERS)}
    kept = {who: {*offered(page)} for who, page in pages.items()}
    assert kept["ed"] == kept["vic"]
    assert kept["ann"] >= kept["ed"]
    if name != "new plot":
        assert kept["ann"] - kept["ed"], "whoever may write is offered more"
    for who in READERS:
        refused = list[str]()

        def note(answer: Response, said: list[str] = refused) -> None:
            if answer.status in (401, 403):
                said.append(f"{answer.request.method} {answer.url}")

        pages[who].on("response", note)
        pressed = press_all(pages[who])
        assert refused == [], (who, pressed)


def press_all(page: Page) -> list[str]:
    """Presses each button once, also those that come up by it, on the page as it was at first."""
    address, pressed = page.url, list[str]()
    while left := [one for one in offered(page) if one not in pressed]:
        assert len(pressed) < PRESSED_MAX
        pressed.append(left[0])
        button = page.get_by_role("button", name=left[0], exact=True)
        target = button if button.count() else page.locator("main summary").filter(has_text=left[0])
        try:
            target.first.click(timeout=2_000)
        except Error:
            page.keyboard.press("Escape")
        settle(page)
        if page.url.split("?")[0] != address.split("?")[0]:
            page.goto(address)
            settle(page)
    return pressed
