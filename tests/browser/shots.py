"""What `screenshots` makes pictures of: every page, and its states that ordinary use of the samples does not bring."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Page, Route

from functions.api.pages import SIGNED_OUT, WELCOME
from functions.api.pages_errors import ErrorContext
from functions.api.pages_shell import PageContext, render_page
from shared.contract import STAGES
from tests.browser.gestures import open_inspector, settle
from tests.browser.sample import Json, Sample, read
from tests.browser.staged import Staged

SHARED: Json = {
    "title": "How wide may the rear wing be?", "shared_at": "2026-11-20T09:00:00Z",
    "expires_at": "2026-11-27T09:00:00Z",
    "messages": [{
        "question": "How wide may the rear wing be?", "asked_as": None,
        "answers": [{
            "answer": "The rear wing must not be wider than 1050 mm.", "mode": "answer", "model": "openai:made-up-1",
            "insufficient_evidence": False, "contradictions": [], "created_at": "2026-11-20T08:59:00Z",
            "sentences": [
                {"text": text, "citations": ids, "marks": [], "hidden": [], "cells": [], "no_longer_visible": not text}
                for text, ids in (("The rear wing must not be wider than 1050 mm.", ["a", "b"]), ("", ["c"]))
            ],
            "citations": [
                {
                    "chunk_id": name, "document": "kestrel-cup-2026.pdf", "version": "2026", "page": 27, "text": text,
                    "section": "C7 Bodywork › C7.4 Rear wing",
                }
                for name, text in (("a", "C7.4.1 It must not be wider than 1050 mm."), ("b", "Rear wing span"))
            ],
        }],
    }],
}  # fmt: skip
Act = Callable[[Page], object]
PROBLEM = {
    "type": "urn:autri:problem:internal-server-error", "title": "Internal Server Error", "status": 500,
    "detail": "Something went wrong here.", "instance": "/v1", "request_id": "01a20b74-b5fd-7e48-bd1a-61045e17692c",
}  # fmt: skip


@dataclass(frozen=True)
class Shot:
    """A path and what is done on its page before the picture; `answers` (pattern of addresses → status and JSON) stand
    for what the server would say."""

    path: str
    act: Act = settle
    answers: tuple[tuple[str, int, Any], ...] = ()

    def open(self, page: Page, url: str) -> None:
        for pattern, status, body in self.answers:
            page.route(pattern, _answering(status, body))
        for path, context in RENDERED.items():
            page.route(f"**{path}", _rendering(context))
        page.goto(url + self.path)
        self.act(page)


def _answering(status: int, body: Any) -> Callable[[Route], None]:
    kind = "application/json" if status < 400 else "application/problem+json"
    return lambda route: route.fulfill(status=status, content_type=kind, body=json.dumps(body))


def _rendering(context: PageContext) -> Callable[[Route], None]:
    return lambda route: route.fulfill(
        content_type="text/html", body=bytes(render_page(context).body).decode(), status=200
    )


def _error(template: str, module: str, status: int, heading: str, *invited: str) -> ErrorContext:
    return ErrorContext(
        title=heading, template=template, twin="/v1/health", module=module, status=status, heading=heading,
        detail="Something went wrong here, and it has been noted.", request_id=PROBLEM["request_id"],
        invited=list(invited),
    )  # fmt: skip


# Pages that only a deployment with sign-ins, or one in trouble, shows.
RENDERED: dict[str, PageContext] = {
    "/shown/signed-out": PageContext(
        title=SIGNED_OUT.title, template="signed_out.html", twin=SIGNED_OUT.twin, module="signed_out/main.js"
    ),
    "/shown/welcome": PageContext(
        title=WELCOME.title, template="welcome.html", twin=WELCOME.twin, module="welcome/main.js"
    ),
    "/shown/error": _error("error.html", "error/main.js", 500, "Internal Server Error"),
    "/shown/invited": _error("error.html", "error/main.js", 409, "Conflict", "acme", "northwind"),
    "/shown/waking": _error("waking.html", "waking/main.js", 503, "Service Unavailable"),
}


def shots(sample: Sample, staged: Staged) -> dict[str, Shot]:
    """By name."""
    return {
        **_home(sample), **_shelf(sample), **_inspector(sample), **_kinds(staged), **_ask(sample), **_settings(),
        **_errors(),
    }  # fmt: skip


def _home(sample: Sample) -> dict[str, Shot]:
    empty: Json = {"items": [], "next_cursor": None}
    return {
        "home": Shot("/"),
        "home-new": Shot("/", lambda page: page.get_by_role("button", name="New knowledge base").click()),
        "home-empty": Shot("/", answers=(("**/v1/knowledge-bases*", 200, empty), ("**/v1/documents?*", 200, empty))),
        "home-failing": Shot("/", answers=(("**/v1/knowledge-bases*", 500, PROBLEM),)),
        "finder": Shot("/", lambda page: _finder(page, sample.addressed["section_id"])),
        "note": Shot("/", lambda page: _note(page, "# Oil of the winch\n\nIt takes 3 litres, says #harbour.")),
        "finder-nothing": Shot("/", lambda page: _finder(page, "zz")),
    }


def _shelf(sample: Sample) -> dict[str, Shot]:
    shelf = f"/kb/{sample.knowledge_base['slug']}"
    empty: Json = {"items": [], "next_cursor": None}
    runs = {"items": _runs(sample), "next_cursor": None}
    one = [(f"**/v1/ingestions/{run['id']}", 200, run) for run in runs["items"]]
    return {
        "documents": Shot(shelf),
        "documents-chosen": Shot(shelf, lambda page: page.locator("[data-choose]").first.check()),
        "documents-menu": Shot(shelf, lambda page: page.locator(".row-menu button").first.click()),
        "documents-versions": Shot(shelf, lambda page: page.locator(".version .menu-button").first.click()),
        "documents-rename": Shot(shelf, _rename),
        "documents-delete": Shot(shelf, lambda page: page.get_by_role("button", name="Delete").first.click()),
        "documents-from-the-web": Shot(shelf, _from_the_web),
        "documents-empty": Shot(shelf, answers=(("**/v1/documents?*", 200, empty),)),
        "documents-failing": Shot(shelf, answers=(("**/v1/documents?*", 500, PROBLEM),)),
        "documents-running": Shot(
            shelf,
            lambda page: page.locator(".ingestion .stages").first.wait_for(),
            (("**/v1/ingestions?*", 200, runs), *one),
        ),
        "evaluation": Shot(f"{shelf}/evaluation"),
        "review": Shot(f"{shelf}/review"),
        "digest": Shot(f"{shelf}/digest"),
        "attributes": Shot(f"{shelf}/attributes"),
        "notebook": Shot(f"{shelf}/notebook"),
        "datasets": Shot(f"{shelf}/datasets"),
        "missing": Shot("/kb/no-such-shelf"),
    }


def _runs(sample: Sample) -> list[Json]:
    """One run under way, one that waits, one that failed on the way."""
    document, done = sample.document, {"pages_done": 28, "pages_total": 28, "pages_failed": [], "seconds": 3.2}
    at = next(number for number, stage in enumerate(STAGES) if stage.name == "parse")
    stages = [
        {
            "name": stage.name,
            "status": "done" if number < at else "queued",
            **(done if stage.mapped and number < at else {}),
        }
        for number, stage in enumerate(STAGES)
    ]
    stages[at] |= {**done, "status": "running", "pages_done": 11}
    shared = {
        "knowledge_base_id": sample.knowledge_base["id"], "document_id": document["id"], "duplicate": False,
        "engine": "layout", "error": None, "needs_password": False, "pages": 28, "cost_usd": 0,
        "created_at": document["created_at"], "finished_at": None,
    }  # fmt: skip
    queued = [{"name": stage.name, "status": "queued"} for stage in STAGES]
    return [
        {**shared, "id": "1", "filename": "regulations.pdf", "status": "running", "stages": stages, "eta_seconds": 42},
        {**shared, "id": "2", "filename": "later.pdf", "status": "queued", "stages": queued, "document_id": None},
    ]


def _inspector(sample: Sample) -> dict[str, Shot]:
    table, path = sample.with_rows, sample.path(sample.richest)
    row = next(chunk for chunk in table["items"] if chunk["chunk_type"] == "table_row")
    versions = read(sample.api, f"/v1/documents/{sample.document['id']}/versions")["items"]
    older = next(item for item in versions if item["id"] != sample.document["id"])
    tabs = {"operations": "2", "text": "3", "verify": "4", "cost": "5", "edits": "6"}
    return {
        "inspector": Shot(path, open_inspector),
        "inspector-chunks": Shot(path, lambda page: _chunks(open_inspector(page))),
        "inspector-table": Shot(sample.path(table, row["id"]), open_inspector),
        "inspector-large": Shot(sample.path(table, row["id"]), lambda page: _enlarge(open_inspector(page))),
        "inspector-find": Shot(path, lambda page: _find(open_inspector(page))),
        "inspector-jump": Shot(path, lambda page: _jump(open_inspector(page), sample.addressed["section_id"])),
        "inspector-help": Shot(path, lambda page: open_inspector(page).keyboard.press("?")),
        **{f"inspector-{name}": Shot(path, _tab(name, key)) for name, key in tabs.items()},
        "diff": Shot(f"/documents/{older['id']}/diff/{sample.document['id']}"),
    }


def _kinds(staged: Staged) -> dict[str, Shot]:
    """Each as page and, on a narrow screen, as chunks."""
    names = {
        "mail": "seal.eml", "page": "harbour.html", "sheet": "prices.xlsx", "sheet-wide": "wide.xlsx",
        "sheet-long": "meter.csv", "record": "Winch of pier 4", "written": "Oil of the winch",
    }  # fmt: skip
    paths = {f"kind-{kind}": staged.path(name) for kind, name in names.items()}
    return {
        "kinds": Shot(f"/kb/{staged.slug}"),
        **{kind: Shot(path) for kind, path in paths.items()},
        **{f"{kind}-chunks": Shot(path, lambda page: _chunks(settle(page))) for kind, path in paths.items()},
        "kind-search": Shot(f"/playground?mode=search&kb={staged.slug}&q=winch"),
        "kind-rtl-search": Shot(f"/playground?mode=search&kb={staged.slug}&q={quote('סעיף 4.2')}"),
    }


def _ask(sample: Sample) -> dict[str, Shot]:
    address = sample.addressed["section_id"]
    question = sample.addressed["content"][:80]
    return {
        "ask-empty": Shot("/playground"),
        "ask": Shot(sample.playground(question, "ask").replace("scores=yes&", "")),
        "ask-scores": Shot(sample.playground(question, "ask")),
        "ask-failing": Shot(sample.playground(question, "ask"), answers=(("**/v1/threads/*/ask", 500, PROBLEM),)),
        "ask-crop": Shot(sample.playground(question, "ask").replace("scores=yes&", ""), _crop),
        "ask-follow-up": Shot(sample.playground(question, "ask").replace("scores=yes&", ""), _follow_up),
        "ask-conversations": Shot("/playground", _conversations),
        "ask-share": Shot(sample.playground(question, "ask").replace("scores=yes&", ""), _share),
        "shared": Shot("/shared/made-up", settle, (("**/v1/shared/*", 200, SHARED),)),
        "shared-ended": Shot("/shared/made-up"),
        "ask-nothing": Shot(sample.playground("zzqx wvut", "ask")),
        "search": Shot(sample.playground(address, "search")),
        "compare": Shot(sample.playground("mass", "search") + "&recency=30&b=index%3Dvector%26k%3D5"),
        "lookup": Shot(sample.playground(address, "lookup")),
        "nothing": Shot(sample.playground("zzqx", "lookup")),
    }


def _settings() -> dict[str, Shot]:
    tabs = ("members", "keys", "usage", "organization", "data", "audit")
    return {
        **{f"settings-{tab}": Shot(f"/settings/{tab}") for tab in tabs},
        "settings-keys-new": Shot(
            "/settings/keys", lambda page: settle(page).get_by_role("button", name="Make a key").first.click()
        ),
    }


def _errors() -> dict[str, Shot]:
    return {
        "unknown": Shot("/no/such/page"),
        **{path.removeprefix("/shown/"): Shot(path, lambda page: page.wait_for_timeout(300)) for path in RENDERED},
    }


def _tab(name: str, key: str) -> Act:
    def act(page: Page) -> None:
        settle(open_inspector(page)).keyboard.press(key)
        page.locator(f"#panel-{name}").wait_for(state="attached")
        _chunks(page)

    return act


def _chunks(page: Page) -> None:
    """On a narrow screen the right side is a tab."""
    side = page.locator("#side-pane")
    if side.is_visible():
        side.click()
    settle(page)


def _enlarge(page: Page) -> None:
    _chunks(page)
    button = page.locator(".grid-enlarge").first
    if button.count():
        button.click()


def _find(page: Page) -> None:
    page.keyboard.press("Control+f")
    page.locator("#find-input").fill("the")
    settle(page)


def _jump(page: Page, text: str) -> None:
    page.locator("#jump-input").fill(text)
    page.locator(".jump-option").first.wait_for()


def _finder(page: Page, text: str) -> None:
    settle(page).keyboard.press("Control+k")
    page.locator("#finder-input").fill(text)
    settle(page)


def _note(page: Page, text: str) -> None:
    page.get_by_role("button", name="New note").click()
    page.locator("textarea[name=text]").fill(text)
    page.get_by_role("button", name="Add the tag").first.wait_for()


def _crop(page: Page) -> None:
    page.locator(".turn-foot").wait_for()
    page.locator(".sentence .citation").first.click()
    page.locator(".preview-sheet.loaded").wait_for()


def _follow_up(page: Page) -> None:
    page.locator(".turn-foot").wait_for()
    page.get_by_label("Ask a follow-up").fill("And what does it weigh?")
    page.get_by_label("Ask a follow-up").press("Enter")
    page.locator(".turn-foot").nth(1).wait_for()
    settle(page)


def _conversations(page: Page) -> None:
    """On a narrow screen they are in a drawer."""
    button = settle(page).get_by_role("button", name="Conversations")
    if button.is_visible():
        button.click()


def _share(page: Page) -> None:
    page.locator(".turn-foot").wait_for()
    page.get_by_role("button", name="Share…").click()
    page.get_by_role("button", name="Make a link").click()
    page.locator(".share-link").wait_for()


def _from_the_web(page: Page) -> None:
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="A web page, or a site to watch").click()
    page.get_by_role("dialog").get_by_label("What to add").select_option("sitemap")


def _rename(page: Page) -> None:
    page.locator(".row-menu button").first.click()
    page.get_by_role("button", name="Rename…").first.click()
