"""What is made of documents on the deployment: notebooks, their history, links and bundles; summaries; a context."""

import html
import io
import zipfile
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from shared.adapters.local.postgres import SUPERUSER
from tests.aws.customer import ok
from tests.aws.front import Front
from tests.aws.system import System
from tests.e2e.test_aws_assistants import use_tool
from tests.e2e.test_aws_lab import RUNS, Lab, ingest
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.aws

PAPER = """# A lighter rear wing

## Abstract

In this paper we propose a lighter rear wing for club racers. Wings have been used for decades.

## Results

The lighter wing improved the lap time by 2.5 % over the baseline (p < 0.01, paired t-test).

## Limitations

A limitation of this study is its single track.
"""
RESULT = "The lighter wing improved the lap time by 2.5 % over the baseline (p < 0.01, paired t-test)."


@pytest.fixture(scope="module")
def lab(front: Front, owner: httpx.Client) -> Any:
    made = ok(owner.post("/v1/knowledge-bases", json={"name": "Notebooks", "description": "of wings"}))
    ingest(owner, str(made["id"]), RUNS.encode(), "runs.csv")
    with front.client() as client:
        yield Lab(client, owner, str(made["id"]))


@pytest.fixture(scope="module")
def paper(owner: httpx.Client, lab: Lab) -> str:
    document = ingest(owner, lab.base, PAPER.encode(), "wing.md")
    lab.ask("POST", f"/documents/{document}/summary", json={})
    return document


@pytest.fixture(scope="module")
def notebook(lab: Lab, paper: str) -> str:
    """The path of a notebook with words, a dataset, a plot and a summary."""
    made = lab.ask("POST", "/notebooks", json={"knowledge_base_id": lab.base, "title": "Findings"})
    path, dataset = f"/notebooks/{made['id']}", lab.make_dataset()
    for content in (
        {"kind": "markdown", "text": "Cranes are **lightest**."},
        {"kind": "dataset", "dataset_id": dataset},
        {"kind": "plot", "plot_id": lab.make_plot(dataset)},
        {"kind": "summary", "document_id": paper},
    ):
        lab.ask("POST", f"{path}/cells", json={"content": content})
    return path


@pytest.fixture
def nobody(front: Front) -> Any:
    with front.client("application/json") as client:
        yield client


def test_a_summary_states_what_its_document_does_each_with_its_passage(lab: Lab, paper: str) -> None:
    found = lab.ask("GET", f"/documents/{paper}/summary")
    results = [s for field in found["fields"] if field["field"] == "results" for s in field["statements"]]
    assert [one["text"] for one in results] == [RESULT]
    chunks = {one["id"]: one["content"] for one in lab.ask("GET", f"/documents/{paper}/chunks")["items"]}
    assert all(RESULT in chunks[chunk] for chunk in results[0]["chunk_ids"])
    listed = lab.ask("GET", "/summaries", params={"knowledge_base_id": lab.base, "field": "limits"})
    assert [(one["id"], one["counts"]["limits"]) for one in listed["items"]] == [(paper, 1)]


def test_a_task_is_given_passages_of_the_documents_with_their_sources(
    system: System, lab: Lab, owner: httpx.Client, paper: str
) -> None:
    ok(owner.post(f"/v1/knowledge-bases/{lab.base}/digest:update", json={}))
    task = "By how much does the lighter wing improve the lap time?"
    wanted = {"task": task, "budget_tokens": 1_000}
    found = lab.ask("POST", "/context", json=wanted | {"knowledge_base_ids": [lab.base]})
    assert RESULT in found["text"]
    assert paper in {one["document_id"] for one in found["sources"]}
    denied = len(system.guard.denied)
    told = use_tool(lab.client, lab.headers, "load_context", **wanted, knowledge_bases=[lab.base])
    assert RESULT in str(told)
    assert system.guard.denied[denied:] == []


def change(lab: Lab, method: str, path: str, state: object, body: dict[str, Any]) -> dict[str, Any]:
    """Said with the state that was seen."""
    headers = lab.headers | {"If-Match": f'"{state}"'}
    return ok(lab.client.request(method, f"/v1{path}", json=body, headers=headers, timeout=PATIENCE_S))


def test_a_notebook_shows_data_plots_and_summaries_and_every_version_comes_back(
    system: System, lab: Lab, notebook: str
) -> None:
    denied = len(system.guard.denied)
    shown = lab.ask("GET", notebook)
    _, data, plot, summary = shown["cells"]
    assert [cell["kind"] for cell in shown["cells"]] == ["markdown", "dataset", "plot", "summary"]
    assert all(value in data["html"] for value in ("Kite", "0.91", "Heron"))
    assert "data:image/png;base64," in plot["html"]
    assert RESULT in html.unescape(summary["html"])
    words, other = shown["cells"][0], {"content": {"kind": "markdown", "text": "Kites are."}}
    edited = change(lab, "PUT", f"{notebook}/cells/{words['id']}", words["state"], other)
    assert edited["revision"] == shown["revision"] + 1
    assert "lightest" in str(lab.ask("GET", notebook, params={"revision": shown["revision"]})["cells"][0]["body"])
    acts = [one["act"] for one in lab.ask("GET", f"{notebook}/versions")["items"]]
    assert len(acts) == edited["revision"], acts
    change(lab, "POST", f"{notebook}/restore", edited["revision"], {"revision": shown["revision"]})
    assert "lightest" in str(lab.ask("GET", notebook)["cells"][0]["body"])
    assert system.guard.denied[denied:] == []


def test_a_notebooks_bundle_has_its_data_and_its_picture(lab: Lab, notebook: str) -> None:
    wanted = {"notebook_id": notebook.rpartition("/")[2]}
    crate = lab.send("POST", "/bundles", json=wanted | {"form": "crate"})
    with zipfile.ZipFile(io.BytesIO(crate.content)) as packed:
        names = packed.namelist()
        assert packed.testzip() is None
        assert any(b"Heron" in packed.read(name) for name in names if name.endswith(".csv")), names
        (drawn,) = [packed.read(name) for name in names if name.endswith(".svg")]
        assert b"Kite" in drawn
    assert lab.send("POST", "/bundles", json=wanted | {"form": "pdf"}).content.startswith(b"%PDF")
    page = lab.send("POST", "/bundles", json=wanted | {"form": "html"}).text
    assert "data:image/png;base64," in page
    assert "lightest" in page


def test_a_link_shows_the_notebook_to_nobody_in_particular_until_it_ends(
    system: System, lab: Lab, notebook: str, nobody: httpx.Client
) -> None:
    def share() -> tuple[str, str]:
        made = lab.ask("POST", f"{notebook}/shares", json={"days": 1})
        return made["id"], urlsplit(made["path"]).path

    denied = len(system.guard.denied)
    assert nobody.get(f"/v1{notebook}").status_code == 401
    (ended, path), (late, late_path) = share(), share()
    page = nobody.get(path, headers={"Accept": "text/html"})
    assert page.status_code == 200, page.text
    assert page.headers["content-type"].startswith("text/html")
    shown = nobody.get(f"/v1{path}")
    assert shown.status_code == 200, shown.text
    assert shown.headers["x-robots-tag"] == "noindex, nofollow"
    assert shown.json()["title"] == "Findings"
    assert all(value in shown.text for value in ("lightest", "Heron", RESULT))
    bundle = nobody.get(f"/v1{path}/bundle")
    assert bundle.status_code == 200, bundle.text
    assert "Heron" in bundle.text
    assert system.guard.denied[denied:] == []

    lab.ask("POST", f"{notebook}/shares/{ended}/revoke")
    with psycopg.connect(system.postgres.dsn(SUPERUSER)) as connection:
        past = "update thread_shares set created_at = now() - interval '2 days', expires_at = now() - interval '1 day'"
        connection.execute(past + " where id = %s", [late])
    for gone in (path, late_path, "/shared/" + "a" * 43):
        for refused in (nobody.get(f"/v1{gone}"), nobody.get(f"/v1{gone}/bundle")):
            assert refused.status_code == 404, refused.text
            assert "Ask who sent it for another" in refused.json()["detail"]
            assert "Heron" not in refused.text
