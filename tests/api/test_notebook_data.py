"""Cells that show datasets, plots and experiment summaries: in the version that was pinned, with what they cite."""

import base64
import json
import re
import zipfile
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from typing import Any

import pymupdf
import pytest

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.test_notebooks import add, make, write
from tests.api.test_plots import LENGTH, MEANS, Bench
from tests.api.test_summaries import LIMIT, RESULT, add_results, chunk_of, passages, sections, summarize
from tests.api.test_threads import stranger
from tests.conftest import add_member
from tests.pipeline import run_all, upload
from tests.store.seeding import add_base, add_document

PICTURE = re.compile(r'<img src="data:image/png;base64,([^"]+)" alt="([^"]+)">')


@pytest.fixture(scope="module")
def bench(runtime: Runtime, identity: Identity, client: Client) -> Bench:
    return Bench(runtime, identity, client)


@pytest.fixture(scope="module")
def plot(bench: Bench) -> str:
    return bench.ask("POST", "/plots", 201, json={"dataset_id": bench.runs, "spec": {"form": MEANS}})["id"]


@pytest.fixture
def paper(runtime: Runtime, identity: Identity, client: Client, bench: Bench) -> str:
    made = add_document(runtime, identity.scope(bench.base), f"Wing {new_id().hex}", passages(), sections())
    summarize(client, str(made))
    return str(made)


@pytest.fixture
def notebook(client: Client, bench: Bench, plot: str, paper: str) -> str:
    """With a dataset, a plot and a summary."""
    made = make(client, bench.base)
    for content in (
        {"kind": "dataset", "dataset_id": bench.runs},
        {"kind": "plot", "plot_id": plot},
        {"kind": "summary", "document_id": paper},
    ):
        add(client, made, content)
    return made


def cells(client: Client, notebook: str) -> list[dict[str, Any]]:
    return client.get(notebook).json()["cells"]


def bundle(client: Client, notebook: str, form: str) -> bytes:
    answer = client.post("/v1/bundles", json={"notebook_id": notebook.rpartition("/")[2], "form": form})
    assert answer.status_code == 200, answer.text
    return answer.content


def test_each_shows_what_it_is_of_with_its_version_and_its_passages(client: Client, notebook: str) -> None:
    dataset, plot, summary = cells(client, notebook)
    assert f"<th>{LENGTH}</th>" in dataset["html"]
    assert "<tr><td>a</td><td>10</td><td>20</td>" in dataset["html"]
    assert "Dataset, revision 1" in dataset["html"]
    assert dataset["about"]["revision"] == dataset["about"]["newest"] == 1
    drawn = PICTURE.search(plot["html"])
    assert drawn is not None
    assert base64.b64decode(drawn[1]).startswith(b"\x89PNG")
    assert "40" in drawn[2]
    assert (plot["about"]["dataset_revision"], len(plot["about"]["sha256"])) == (1, 64)
    assert LIMIT.split(". ")[0] in summary["html"]
    assert "Experiment summary, version 1" in summary["html"]
    assert "Not stated." in summary["html"]
    assert "<h4>Statistics</h4>" in summary["html"]
    sources = {one["number"]: one for one in client.get(notebook).json()["sources"]}
    for cell, name in ((dataset, "runs.csv"), (plot, "runs.csv"), (summary, "Wing")):
        assert cell["sources"], cell["kind"]
        assert all(name in sources[number]["document"] for number in cell["sources"])


def test_what_is_changed_later_leaves_the_cell_as_it_was_and_is_said(client: Client, bench: Bench) -> None:
    tables = bench.ask("GET", f"/knowledge-bases/{bench.base}/tables")["items"]
    own = bench.dataset(next(one["table_id"] for one in tables if one["document"] == "runs.csv"))
    plot = bench.ask("POST", "/plots", 201, json={"dataset_id": own, "spec": {"form": MEANS}})["id"]
    made = make(client, bench.base)
    add(client, made, {"kind": "dataset", "dataset_id": own})
    add(client, made, {"kind": "plot", "plot_id": plot})
    before = cells(client, made)
    steps = [{"op": "select", "columns": ["Group"]}]
    bench.ask("PATCH", f"/datasets/{own}", json={"steps": steps})
    line = {"form": MEANS | {"mark": "bar", "y": {"aggregate": "count"}}}
    bench.ask("PATCH", f"/plots/{plot}", json={"spec": line})
    dataset, drawn = cells(client, made)
    assert "Dataset, revision 1; there is revision 2 by now" in dataset["html"]
    assert f"<th>{LENGTH}</th>" in dataset["html"]
    assert "the plot has been changed since" in drawn["html"]
    assert PICTURE.findall(drawn["html"]) == PICTURE.findall(before[1]["html"])
    newer = add(client, made, {"kind": "dataset", "dataset_id": own})["cells"][-1]
    assert LENGTH not in newer["html"]


def test_numbers_are_written_as_in_the_language_of_whoever_reads(client: Client, bench: Bench, paper: str) -> None:
    tables = bench.ask("GET", f"/knowledge-bases/{bench.base}/tables")["items"]
    dataset = bench.dataset(next(one["table_id"] for one in tables if one["document"] == "runs.csv"))
    quarter = {"op": "derive", "name": "Quarter", "expression": f"[{LENGTH}] / 40"}
    bench.ask("PATCH", f"/datasets/{dataset}", json={"steps": [quarter]})
    points = {"mark": "point", "x": {"field": LENGTH}, "y": {"field": "Quarter"}}
    drawn = bench.ask("POST", "/plots", 201, json={"dataset_id": dataset, "spec": {"form": points}})["id"]
    notebook = make(client, bench.base)
    add(client, notebook, {"kind": "dataset", "dataset_id": dataset})
    add(client, notebook, {"kind": "plot", "plot_id": drawn})
    add(client, notebook, {"kind": "summary", "document_id": paper})

    def shown(language: str) -> dict[str, str]:
        found = client.get(notebook, headers={"Accept-Language": language}).json()
        return {one["kind"]: one["html"] for one in found["cells"]}

    english, german = shown("en-GB,en;q=0.9"), shown("de-AT,de;q=0.9,en;q=0.8")
    assert ("<td>0.75</td>" in english["dataset"], "<td>0,75</td>" in german["dataset"]) == (True, True)
    assert ("from 0.175 to 1.25" in english["plot"], "from 0,175 to 1,25" in german["plot"]) == (True, True)
    # As a picture, too. What is printed in a document stays as it is.
    pictures = [found[1] for one in (english, german) if (found := PICTURE.search(one["plot"]))]
    assert len({*pictures}) == 2
    assert english["summary"] == german["summary"]
    files: dict[str | None, bytes] = {}
    wanted = {"notebook_id": notebook.rpartition("/")[2]}
    for locale in (None, "en", "de"):
        answer = client.post("/v1/bundles", json=wanted | {"locale": locale}, headers={"Accept-Language": "de-DE"})
        assert answer.status_code == 200, answer.text
        files[locale] = answer.content
    assert files[None] == files["de"] != files["en"]
    assert (b"from 0,175 to" in files["de"], b"from 0.175 to" in files["en"]) == (True, True)
    answer = client.post("/v1/bundles", json=wanted | {"locale": "tlh"})
    assert (answer.status_code, "Name a language" in answer.text) == (422, True)


def test_a_cell_is_computed_again_only_where_what_it_is_made_of_is_another(
    client: Client, bench: Bench, plot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = make(client, bench.base)
    add(client, notebook, {"kind": "plot", "plot_id": plot})
    add(client, notebook, {"kind": "dataset", "dataset_id": bench.runs})
    before = [one["html"] for one in cells(client, notebook)]

    def computing(*_: Any) -> Any:
        raise AssertionError("It was computed again.")

    with monkeypatch.context() as patched:
        patched.setattr("shared.lab.datasets.running.running_within", computing)
        assert [one["html"] for one in cells(client, notebook)] == before
        assert client.get(notebook, headers={"Accept-Language": "de"}).status_code == 500


def test_what_is_erased_is_remembered_nowhere(
    client: Client, bench: Bench, runtime: Runtime, identity: Identity
) -> None:
    sent = upload(runtime, identity, bench.base, b"Name,Value\nsecret,7\nother,8\n", "gone.csv")
    document = run_all(runtime, sent)["document_id"]
    tables = bench.ask("GET", f"/knowledge-bases/{bench.base}/tables", params={"document_id": document})["items"]
    notebook = make(client, bench.base)
    add(client, notebook, {"kind": "dataset", "dataset_id": bench.dataset(tables[0]["table_id"])})
    assert all("secret" in cells(client, notebook)[0]["html"] for _ in range(2))
    bench.ask("DELETE", f"/documents/{document}")
    assert "secret" not in cells(client, notebook)[0]["html"]


def test_what_is_gone_is_said_by_the_dataset_its_plot_and_their_cells_alike(
    client: Client, bench: Bench, runtime: Runtime, identity: Identity
) -> None:
    sent = upload(runtime, identity, bench.base, b"Name,Value\nsecret,7\nother,8\n", "going.csv")
    document = run_all(runtime, sent)["document_id"]
    tables = bench.ask("GET", f"/knowledge-bases/{bench.base}/tables", params={"document_id": document})["items"]
    dataset = bench.dataset(tables[0]["table_id"])
    form = {"mark": "bar", "x": {"field": "Name"}, "y": {"field": "Value"}}
    drawn = bench.ask("POST", "/plots", 201, json={"dataset_id": dataset, "spec": {"form": form}})["id"]
    notebook = make(client, bench.base)
    add(client, notebook, {"kind": "dataset", "dataset_id": dataset})
    add(client, notebook, {"kind": "plot", "plot_id": drawn})
    assert not any("gone" in cell["html"] for cell in cells(client, notebook))
    bench.ask("DELETE", f"/documents/{document}")
    said = "is without its only table: gone with the documents, or hidden from you. Nothing is left of it."
    assert said in bench.ask("GET", f"/datasets/{dataset}/rows")["notes"][0]["said"]
    drawing = bench.ask("GET", f"/plots/{drawn}/drawing")
    assert len(drawing["drawing"]["notices"]) == 1
    assert said in drawing["drawing"]["notices"][0]
    shown = [cell["html"] for cell in cells(client, notebook)]
    assert all(said in html for html in shown)
    assert not any("<img" in html or "0 bars" in html for html in shown)


def test_of_what_is_deleted_nothing_is_told(client: Client, bench: Bench, notebook: str, paper: str) -> None:
    tables = bench.ask("GET", f"/knowledge-bases/{bench.base}/tables")["items"]
    own = bench.dataset(next(one["table_id"] for one in tables if one["document"] == "runs.csv"))
    drawn = bench.ask("POST", "/plots", 201, json={"dataset_id": own, "spec": {"form": MEANS}})["id"]
    add(client, notebook, {"kind": "dataset", "dataset_id": own})
    add(client, notebook, {"kind": "plot", "plot_id": drawn})
    assert client.delete(f"/v1/datasets/{own}").is_success
    assert client.delete(f"/v1/documents/{paper}").is_success
    shown = cells(client, notebook)
    assert [cell["gone"] for cell in shown] == [False, False, True, True, True]
    assert LIMIT.split(". ")[0] not in str(shown)


@pytest.mark.parametrize(("kind", "name"), [("dataset", "dataset_id"), ("plot", "plot_id"), ("summary", "document_id")])
def test_what_is_not_there_is_not_pinned(client: Client, bench: Bench, kind: str, name: str) -> None:
    made = make(client, bench.base)
    answer = client.post(f"{made}/cells", json={"content": {"kind": kind, name: str(new_id())}})
    assert answer.status_code == 404, answer.text
    assert cells(client, made) == []


def test_a_bundle_holds_table_picture_and_data_and_is_the_same_twice(client: Client, notebook: str) -> None:
    write(client, notebook, "the end")
    page = bundle(client, notebook, "html").decode()
    assert "<td>a</td><td>10</td><td>20</td>" in page
    assert PICTURE.search(page)
    crate = bundle(client, notebook, "crate")
    with zipfile.ZipFile(BytesIO(crate)) as archive:
        names = archive.namelist()
        assert {"data/cell-1.csv", "data/cell-2.json", "data/cell-2.svg", "data/cell-3.json"} <= {*names}
        assert LENGTH in archive.read("data/cell-1.csv").decode()
        assert json.loads(archive.read("data/cell-3.json"))["version"] == 1
        told = json.loads(archive.read("bundle.json"))["cells"]
        listed = json.loads(archive.read("ro-crate-metadata.json"))["@graph"]
        file = next(one for one in listed if one["@id"] == "data/cell-1.csv")
        assert file["sha256"] == sha256(archive.read("data/cell-1.csv")).hexdigest()
    assert [cell["about"].get("revision", cell["about"].get("version")) for cell in told[:3]] == [1, None, 1]
    with pymupdf.open(stream=bundle(client, notebook, "pdf")) as document:
        text = "".join(str(sheet.get_text()) for sheet in document)
        assert "Dataset, revision 1" in text
        assert document[0].get_images() or any(sheet.get_images() for sheet in document)
    for form in ("html", "pdf", "crate"):
        assert bundle(client, notebook, form) == bundle(client, notebook, form)


def test_a_group_is_pinned_in_the_versions_of_its_documents_and_goes_with_a_bundle(
    runtime: Runtime, identity: Identity, client: Client, bench: Bench, paper: str
) -> None:
    scope, made = identity.scope(bench.base), make(client, bench.base)
    other = str(add_document(runtime, scope, "Teal wing", passages()[1:4], sections()))
    summarize(client, other)
    cell = add(client, made, {"kind": "group", "document_ids": [paper, other, paper]})["cells"][0]
    assert cell["body"] == {"document_ids": [paper, other]}
    assert cell["html"].count(RESULT.replace("<", "&lt;")) == 2
    numbers = {one["chunk_id"]: one["number"] for one in client.get(made).json()["sources"]}
    for one in (paper, other):
        assert f'href="#source-{numbers[chunk_of(client, one, RESULT)]}"' in cell["html"]
    assert "Not stated in Teal wing." in cell["html"]
    statement = next(one for field in client.get(f"/v1/documents/{other}/summary").json()["fields"]
                     if field["field"] == "setup" for one in field["statements"])  # fmt: skip
    edit = {"target": statement["id"], "remove": True}
    assert client.post(f"/v1/documents/{other}/summary/edits", json=edit).status_code == 201
    later = cells(client, made)[0]
    assert "Teal wing (version 1, there is 2 by now)" in later["html"]
    assert [one["version"] for one in later["about"]["documents"]] == [1, 1]
    with zipfile.ZipFile(BytesIO(bundle(client, made, "crate"))) as archive:
        kept = json.loads(archive.read("data/cell-1.json"))
    setup = next(field for field in kept["fields"] if field["field"] == "setup")
    assert [by["document_id"] for by in setup["statements"][0]["said_by"]] == [paper, other]
    assert "Teal wing (version 1" in bundle(client, made, "html").decode()
    assert client.delete(f"/v1/documents/{paper}").is_success
    left = cells(client, made)[0]
    assert "1 more of the group was deleted" in left["html"]
    assert LIMIT.split(". ")[0] not in str(left)
    assert client.delete(f"/v1/documents/{other}").is_success
    assert [one["gone"] for one in cells(client, made)] == [True]


def test_values_that_disagree_are_said_to_in_a_group(
    runtime: Runtime, identity: Identity, client: Client, bench: Bench
) -> None:
    scope, made = identity.scope(bench.base), make(client, bench.base)
    one = add_results(runtime, scope, "One", "Acc. (%)", [["Heron", "81.5"], ["Teal", "79"]])
    two = add_results(runtime, scope, "Two", "acc (%)", [["HERON", "82.25"], ["Teal", "79.0"]])
    for document in (one, two):
        summarize(client, document)
    html = add(client, made, {"kind": "group", "document_ids": [one, two]})["cells"][0]["html"]
    rows = [re.findall(r"<td>(.*?)</td>", row)[2:5] for row in html.split("<tr>")[2:]]
    assert rows == [
        ["Heron", "81.5 (documents differ)", "One"],
        ["Heron", "82.25 (documents differ)", "Two"],
        ["Teal", "79", "One"],
        ["Teal", "79.0", "Two"],
    ]


def test_a_group_is_of_two_documents_that_are_summarized(
    runtime: Runtime, identity: Identity, client: Client, bench: Bench, paper: str
) -> None:
    made = make(client, bench.base)
    bare = str(add_document(runtime, identity.scope(bench.base), "Bare", passages(), sections()))
    for ids, status, said in (
        ([paper], 422, "document_ids"),
        ([paper, paper], 422, "two documents at least"),
        ([paper, bare], 404, bare),
    ):
        answer = client.post(f"{made}/cells", json={"content": {"kind": "group", "document_ids": ids}})
        assert (answer.status_code, said in answer.text) == (status, True), answer.text
    assert cells(client, made) == []


def test_a_link_shows_them_to_whoever_has_it(client: Client, notebook: str, runtime: Runtime) -> None:
    made = client.post(f"{notebook}/shares", json={}).json()
    looked_up = stranger(runtime)("HEAD", f"/v1{made['path']}")
    assert (looked_up.status_code, looked_up.content) == (200, b"")
    assert client.get(f"{notebook}/shares").json()["items"][0]["opened"] == 0
    shown = stranger(runtime).get(f"/v1{made['path']}").json()["cells"]
    assert client.get(f"{notebook}/shares").json()["items"][0]["opened"] == 1
    assert [(cell["kind"], cell["gone"]) for cell in shown] == [("dataset", False), ("plot", False), ("summary", False)]
    assert PICTURE.search(shown[1]["html"])


def test_nobody_pins_or_sees_what_is_hidden_from_them(
    runtime: Runtime, owner_dsn: str, identity: Identity, other_identity: Identity, client: Client,
    client_of: Callable[[Identity], Client], bench: Bench, plot: str, paper: str,
) -> None:  # fmt: skip
    second = str(add_document(runtime, identity.scope(bench.base), "Wing 2", passages(), sections()))
    summarize(client, second)
    pinned: list[dict[str, Any]] = [
        {"kind": "dataset", "dataset_id": bench.runs},
        {"kind": "plot", "plot_id": plot},
        {"kind": "summary", "document_id": paper},
        {"kind": "group", "document_ids": [paper, second]},
    ]
    foreign = client_of(other_identity)
    theirs = make(foreign, add_base(runtime, other_identity, "theirs").knowledge_base_ids[0])
    open_to_all = make(client, add_base(runtime, identity, "open to all").knowledge_base_ids[0])
    for content in pinned:
        assert foreign.post(f"{theirs}/cells", json={"content": content}).status_code == 404
        add(client, open_to_all, content)
    other = client_of(add_member(runtime, owner_dsn, "local", "editor"))
    assert [cell["gone"] for cell in cells(other, open_to_all)] == [False] * 4
    access = f"/v1/knowledge-bases/{bench.base}/access"
    assert client("PUT", access, json={"restricted": True, "members": []}).is_success
    try:
        hidden = other.get(open_to_all).json()
        assert [cell["gone"] for cell in hidden["cells"]] == [True] * 4
        assert hidden["sources"] == []
        assert not any(word in str(hidden) for word in ("runs.csv", LENGTH, "Wing", "png"))
        for content in pinned:
            assert other.post(f"{open_to_all}/cells", json={"content": content}).status_code == 404
    finally:
        assert client("PUT", access, json={"restricted": False, "members": []}).is_success


def test_a_pinned_row_is_shown_below_the_header_of_its_table(client: Client, bench: Bench) -> None:
    source = bench.ask("GET", f"/datasets/{bench.runs}")["sources"][0]["document_id"]
    chunks = bench.ask("GET", f"/documents/{source}/chunks")["items"]
    row = next(one for one in chunks if one["chunk_type"] == "table_row" and "2024-02-03" in one["content"])
    shown = add(client, make(client, bench.base), {"kind": "chunk", "chunk_id": row["id"]})["cells"][-1]["html"]
    assert re.findall(r"<th>([^<]*)</th>", shown) == ["Group", "Dose (mg)", LENGTH, "Day"]
    assert re.findall(r"<td>([^<]*)</td>", shown) == ["a", "10", "20", "2024-02-03"]
