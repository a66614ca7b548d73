"""Numbers of a dataset are shown as the document prints them, wherever they are shown; their values stay numbers."""

import csv
import io
import json
import zipfile
from typing import Any

import pytest
from fastapi import FastAPI

from functions.cli.main import call
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.test_datasets import Bench
from tests.live import serving
from tests.pipeline import make_knowledge_base, run_all, upload

# F1 and Recall are printed with one decimal, Loss with two, Params with none or one.
SCORES = "System,F1,Recall,Loss,Params\nKite,68.0,70.5,0.10,1\nHeron,57.2,61.0,0.25,2.5\nCrane,70.0,55.0,,12\n"
WRITTEN = "System;Preis\nKite;1.250,50\nHeron;3,00\n"


@pytest.fixture(scope="module")
def scores(runtime: Runtime, identity: Identity, client: Client) -> Bench:
    bench = Bench.__new__(Bench)
    bench.client, bench.runtime = client, runtime
    bench.base = make_knowledge_base(runtime, identity, f"scores {new_id().hex}")
    for name, text in (("scores.csv", SCORES), ("written.csv", WRITTEN)):
        run_all(runtime, upload(runtime, identity, bench.base, text.encode(), name))
    bench.tables = {one["document"]: one for one in bench.ask("GET", f"/knowledge-bases/{bench.base}/tables")["items"]}
    return bench


@pytest.fixture
def made(scores: Bench) -> Any:
    return scores.make("scores.csv", name=f"scores {new_id().hex}")


def decimals(table: Any) -> dict[str, int | None]:
    return {one["label"]: one.get("decimals") for one in table["columns"]}


def exported(scores: Bench, made: Any, form: str) -> bytes:
    return scores.client.get(f"/v1/datasets/{made['id']}/export", params={"format": form}).content


def test_a_column_says_how_many_decimals_all_of_its_numbers_are_printed_with(scores: Bench, made: Any) -> None:
    rows = scores.ask("GET", f"/datasets/{made['id']}/rows")
    assert decimals(rows) == {"System": None, "F1": 1, "Recall": 1, "Loss": 2, "Params": None}
    assert rows["rows"][0] == ["Kite", 68.0, 70.5, 0.1, 1.0]
    comma = scores.ask("GET", f"/datasets/{scores.make('written.csv')['id']}/rows")
    assert (decimals(comma)["Preis"], comma["rows"][0][1]) == (2, 1250.5)
    profile = scores.ask("GET", f"/datasets/{made['id']}/profile")
    assert [one["decimals"] for one in profile["columns"]] == [None, 1, 1, 2, None]


def test_steps_keep_them_for_numbers_that_are_printed_and_have_none_for_others(scores: Bench, made: Any) -> None:
    def after(*steps: dict[str, Any]) -> dict[str, int | None]:
        return decimals(scores.preview(made, *steps))

    assert after({"op": "filter", "where": "[F1] > 60"}, {"op": "rename", "column": "F1", "name": "F"})["F"] == 1
    assert after({"op": "derive", "name": "half", "expression": "[F1] / 2"})["half"] is None
    picked = [{"function": one, "column": "F1", "name": one} for one in ("min", "max", "first", "mean", "sum")]
    of_groups = after({"op": "group", "by": [], "aggregates": picked})
    assert of_groups == {"min": 1, "max": 1, "first": 1, "mean": None, "sum": None}
    melted = {"op": "melt", "columns": ["F1", "Recall"], "name": "metric", "value": "v"}
    assert after(melted)["v"] == 1
    assert after(melted | {"columns": ["F1", "Loss"]})["v"] is None
    wide = after(melted, {"op": "pivot", "index": ["System"], "column": "metric", "value": "v", "function": "first"})
    assert wide == {"System": None, "F1": 1, "Recall": 1}


def test_they_are_no_part_of_what_a_revision_keeps(scores: Bench, made: Any) -> None:
    assert all("decimals" not in one for one in made["source_columns"])
    renamed = scores.ask("PATCH", f"/datasets/{made['id']}", json={"name": "other"})
    assert (renamed["revision"], renamed["sha256"]) == (1, made["sha256"])


def test_files_show_them_and_their_values_are_numbers(scores: Bench, made: Any) -> None:
    rows = [*csv.reader(io.StringIO(exported(scores, made, "csv").decode()))]
    assert rows[1:] == [
        ["Kite", "68.0", "70.5", "0.10", "1"], ["Heron", "57.2", "61.0", "0.25", "2.5"],
        ["Crane", "70.0", "55.0", "", "12"],
    ]  # fmt: skip
    with zipfile.ZipFile(io.BytesIO(exported(scores, made, "xlsx"))) as book:
        sheet, styles = (book.read(f"xl/{part}.xml").decode() for part in ("worksheets/sheet1", "styles"))
    # The fourth of the number formats, as the cells' style says: two plain ones stand before them.
    assert '<c s="4"><v>0.1</v></c>' in sheet
    assert "<c><v>2.5</v></c>" in sheet
    assert '<numFmt numFmtId="166" formatCode="0.00"/>' in styles
    assert json.loads(exported(scores, made, "json"))["rows"][0] == ["Kite", 68.0, 70.5, 0.1, 1.0]


def test_a_plot_says_them_in_its_words_its_table_and_its_labels(scores: Bench, made: Any) -> None:
    form = {"mark": "bar", "x": {"field": "F1", "category": True}, "y": {"field": "Loss", "aggregate": "max"}}
    drawing = scores.ask("POST", "/plots/preview", json={"dataset_id": made["id"], "spec": {"form": form}})
    assert [one["decimals"] for one in drawing["tables"][0]["columns"]] == [1, 2]
    assert "Highest: 57.2, 0.25; lowest: 68.0, 0.10." in drawing["alt"]
    encoding = drawing["vega_lite"]["encoding"]
    assert encoding["x"]["axis"]["format"] == ".1f"
    assert [one.get("format") for one in encoding["tooltip"][:2]] == [".1f", ".2f"]
    mean = form | {"y": {"field": "Loss", "aggregate": "mean"}}
    computed = scores.ask("POST", "/plots/preview", json={"dataset_id": made["id"], "spec": {"form": mean}})
    assert [one["decimals"] for one in computed["tables"][0]["columns"]] == [1, None]
    plot = scores.ask("POST", "/plots", 201, json={"dataset_id": made["id"], "spec": {"form": form}})
    page = scores.client.get(f"/v1/plots/{plot['id']}.html", headers={"Accept-Language": "de"}).text
    assert "<tr><td>68,0</td><td>0,10</td><td>1</td></tr>" in page


def test_a_table_that_is_read_in_pieces_has_them_too(scores: Bench, made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.lab.datasets.loading.KEPT_FROM_ROWS", 1)
    for _ in ("made", "read again"):
        rows = scores.ask("GET", f"/datasets/{made['id']}/rows")
        assert decimals(rows) == {"System": None, "F1": 1, "Recall": 1, "Loss": 2, "Params": None}


def test_notebooks_and_commands_show_them(
    scores: Bench, made: Any, app: FastAPI, capsys: pytest.CaptureFixture[str]
) -> None:
    body = {"knowledge_base_id": str(scores.base), "title": "Scores"}
    notebook = scores.ask("POST", "/notebooks", 201, json=body)["id"]
    cell = {"content": {"kind": "dataset", "dataset_id": made["id"]}}
    shown = scores.ask("POST", f"/notebooks/{notebook}/cells", 201, json=cell)["cells"][0]["html"]
    assert "<td>68.0</td><td>70.5</td><td>0.10</td><td>1</td>" in shown
    with serving(app) as url:
        assert call(["dataset", "show", made["id"], "--url", url]) == 0
        assert "Kite    68.0  70.5    0.10  1" in capsys.readouterr().out
        assert call(["dataset", "profile", made["id"], "--url", url]) == 0
        assert "57.2  70.0" in capsys.readouterr().out
