"""Numbers of a dataset are shown as the document prints them, wherever they are shown; their values stay numbers."""

import csv
import io
import json
import re
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
# Two rows have the same number, printed differently; the last year stands for two rows.
MIXED = "System,Mixed,Year,Again\nKite,68.0,1.0,7\nHeron,57.25,2,7.00\nCrane,68,,7.0\nWren,,3.50,\n"
WRITTEN = "System;Preis\nKite;1.250,50\nHeron;3,00\n"


@pytest.fixture(scope="module")
def scores(runtime: Runtime, identity: Identity, client: Client) -> Bench:
    bench = Bench.__new__(Bench)
    bench.client, bench.runtime = client, runtime
    bench.base = make_knowledge_base(runtime, identity, f"scores {new_id().hex}")
    for name, text in (("scores.csv", SCORES), ("written.csv", WRITTEN), ("mixed.csv", MIXED)):
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


def test_each_cell_of_a_column_that_mixes_them_has_its_own(scores: Bench) -> None:
    made = scores.make("mixed.csv", name=f"mixed {new_id().hex}")
    rows = scores.ask("GET", f"/datasets/{made['id']}/rows")
    assert decimals(rows) == {"System": None, "Mixed": None, "Year": None, "Again": None}
    assert rows["decimals"] == {"Mixed": [1, 2, 0, None], "Year": [1, 0, None, 2], "Again": [0, 2, 1, None]}

    def after(*steps: dict[str, Any]) -> tuple[Any, Any]:
        found = scores.preview(made, *steps)
        return found.get("decimals", {}), [row[1] for row in found["rows"]]

    some = ({"op": "filter", "where": "[Mixed] > 60"}, {"op": "select", "columns": ["System", "Mixed"]})
    assert after(*some) == ({"Mixed": [1, 0]}, [68.0, 68.0])
    turned = ({"op": "sort", "column": "System"}, {"op": "rename", "column": "Mixed", "name": "M"})
    assert after(*turned)[0]["M"] == [0, 2, 1, None]
    assert after({"op": "fill", "column": "Year"})[0]["Year"] == [1, 0, 0, 2]
    half = {"op": "derive", "name": "half", "expression": "[Mixed] / 2"}
    assert "half" not in after(half)[0]
    converted = {"op": "log", "column": "Mixed", "name": "l"}
    assert after(converted)[0].keys() == {"Mixed", "Year", "Again"}
    melted = {"op": "melt", "columns": ["Mixed", "Again"], "name": "n", "value": "v"}
    assert after({"op": "select", "columns": ["System", "Mixed", "Again"]}, melted)[0] == {
        "v": [1, 0, 2, 2, 0, 1, None, None]
    }
    alone = after({"op": "select", "columns": ["System", "Mixed"]}, melted | {"columns": ["Mixed"]})[0]
    assert alone == {"v": [1, 2, 0, None]}
    # 68.0 and 68 are one group, which is printed in no one way; what is computed of numbers is printed nowhere.
    picked = [{"function": one, "column": "Mixed", "name": one} for one in ("max", "first", "mean")]
    grouped = scores.preview(made, {"op": "group", "by": ["Mixed"], "aggregates": picked})
    assert [row[0] for row in grouped["rows"]] == [68.0, 57.25, None]
    assert grouped["decimals"] == {"Mixed": [None, 2, None], "max": [None, 2, None], "first": [1, 2, None]}
    wide = {"op": "pivot", "index": ["Year"], "column": "System", "value": "Again", "function": "max"}
    of_again = {"Kite": [0, None, None, None], "Heron": [None, 2, None, None], "Crane": [None, None, 1, None]}
    assert scores.preview(made, wide)["decimals"] == {"Year": [1, 0, None, 2], **of_again, "Wren": [None] * 4}
    whole = {"op": "derive", "name": "All", "expression": "1"}
    firsts = scores.preview(made, whole, wide | {"index": ["All"], "value": "Mixed", "function": "first"})
    assert firsts["decimals"] == {"Kite": [1], "Heron": [2], "Crane": [0], "Wren": [None]}


@pytest.mark.parametrize(
    ("column", "function", "value", "decimals"),
    [
        ("Mixed", "min", 57.25, 2),
        ("Mixed", "max", 68.0, None),  # Printed as 68.0 and as 68.
        ("Mixed", "first", 68.0, 1),
        ("Year", "min", 1.0, 1),
        ("Year", "max", 3.5, 2),
        ("Again", "min", 7.0, None),
        ("Again", "first", 7.0, 0),
    ],
)
def test_the_least_greatest_and_first_number_have_those_that_they_are_printed_with(
    scores: Bench, column: str, function: str, value: float, decimals: int | None
) -> None:
    made = scores.make("mixed.csv", name=f"mixed {new_id().hex}")
    whole = {"op": "derive", "name": "All", "expression": "1"}
    picked = [{"function": function, "column": column, "name": "picked"}]
    group = scores.preview(made, {"op": "group", "by": [], "aggregates": picked})
    assert (group["rows"], group["decimals"]) == ([[value]], {"picked": [decimals]})
    pivot = {"op": "pivot", "index": ["All"], "column": "All", "value": column, "function": function}
    turned = scores.preview(made, whole, pivot)
    assert ([row[1:] for row in turned["rows"]], turned["decimals"]) == ([[value]], {"1": [decimals]})


def test_joined_columns_have_those_of_their_own_cells(scores: Bench) -> None:
    made = scores.make("mixed.csv", name=f"mixed {new_id().hex}")
    other = scores.make("mixed.csv", name="other")
    turned = [{"op": "sort", "column": "System", "descending": True}, {"op": "limit", "rows": 2}]
    scores.ask("PATCH", f"/datasets/{other['id']}", json={"steps": turned})
    join = {"op": "join", "dataset_id": other["id"], "how": "left", "on": [{"left": "System", "right": "System"}]}
    found = scores.preview(made, join)
    assert found["decimals"]["Mixed"] == [1, 2, 0, None]
    assert found["decimals"]["Mixed (other)"] == [1, None, None, None]


def test_files_plots_notebooks_and_commands_show_those_of_each_cell(
    scores: Bench, app: FastAPI, capsys: pytest.CaptureFixture[str]
) -> None:
    made = scores.make("mixed.csv", name=f"mixed {new_id().hex}")
    texts = [["68.0", "1.0", "7"], ["57.25", "2", "7.00"], ["68", "", "7.0"], ["", "3.50", ""]]
    for path in ("export?format=csv", "export?format=csv&lineage=true"):
        content = scores.client.get(f"/v1/datasets/{made['id']}/{path}").content
        assert [row[1:4] for row in csv.reader(io.StringIO(content.decode()))][1:] == texts
    for path in ("export?format=xlsx", "export?format=xlsx&lineage=true"):
        with zipfile.ZipFile(io.BytesIO(scores.client.get(f"/v1/datasets/{made['id']}/{path}").content)) as book:
            sheet = book.read("xl/worksheets/sheet1.xml").decode()
        assert [f'<c s="{style}"><v>{value}</v></c>' in sheet for style, value in ((3, "68.0"), (2, "68.0"))] == [
            True
        ] * 2
        assert '<c s="4"><v>57.25</v></c>' in sheet
    profile = scores.ask("GET", f"/datasets/{made['id']}/profile")["columns"]
    reach = [(one["min"], one["min_decimals"], one["max"], one["max_decimals"]) for one in profile]
    # 68.0 and 68 are equal, and printed in no one way.
    assert reach[1:4] == [(57.25, 2, 68, None), (1, 1, 3.5, 2), (7, None, 7, None)]
    form = {"mark": "point", "x": {"field": "Mixed"}, "y": {"field": "Again"}}
    drawing = scores.ask("POST", "/plots/preview", json={"dataset_id": made["id"], "spec": {"form": form}})
    assert [row["decimals"] for row in drawing["tables"][0]["rows"]] == [[1, 0], [2, 2], [0, 1], [None, None]]
    assert "Mixed from 57.25 to 68.0." in drawing["alt"]
    tooltip = drawing["vega_lite"]["encoding"]["tooltip"]
    assert [one["field"] for one in tooltip] == ["f1_printed", "f3_printed"]
    assert [one["as"] for one in drawing["vega_lite"]["transform"][1:]] == ["f1_printed", "f3_printed", "described"]
    assert drawing["vega_lite"]["data"]["values"][0]["f1_decimals"] == 1
    body = {"dataset_id": made["id"], "spec": {"form": form}}
    plot = scores.ask("POST", "/plots", 201, json=body)
    page = scores.client.get(f"/v1/plots/{plot['id']}.html", headers={"Accept-Language": "de"}).text
    assert "<tr><td>57,25</td><td>7,00</td><td>1</td></tr><tr><td>68</td><td>7,0</td><td>1</td></tr>" in page
    picture = scores.client.get(f"/v1/plots/{plot['id']}.svg", headers={"Accept-Language": "de"}).text
    said = re.findall('aria-label="(Mixed[^"]*)"', picture)
    assert said == ["Mixed: 68,0; Again: 7", "Mixed: 57,25; Again: 7,00", "Mixed: 68; Again: 7,0"]
    notebook = scores.ask("POST", "/notebooks", 201, json={"knowledge_base_id": str(scores.base), "title": "M"})["id"]
    cell = {"content": {"kind": "dataset", "dataset_id": made["id"]}}
    shown = scores.ask("POST", f"/notebooks/{notebook}/cells", 201, json=cell)["cells"][0]["html"]
    assert "<td>Kite</td><td>68.0</td><td>1.0</td><td>7</td>" in shown
    assert "<td>Crane</td><td>68</td><td></td><td>7.0</td>" in shown
    with serving(app) as url:
        assert call(["dataset", "show", made["id"], "--url", url]) == 0
        assert "Heron   57.25  2         7.00" in capsys.readouterr().out
        assert call(["plot", "show", plot["id"], "--url", url]) == 0
        assert "57.25" in capsys.readouterr().out


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
    assert '<c s="2"><v>1.0</v></c>' in sheet
    assert '<c s="3"><v>2.5</v></c>' in sheet
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
    among_missing = form | {"colour": {"field": "Loss"}}
    coloured = scores.ask("POST", "/plots/preview", json={"dataset_id": made["id"], "spec": {"form": among_missing}})
    assert "format" not in coloured["vega_lite"]["encoding"]["color"].get("legend", {})
    by_f1 = form | {"colour": {"field": "F1"}}
    coloured = scores.ask("POST", "/plots/preview", json={"dataset_id": made["id"], "spec": {"form": by_f1}})
    assert coloured["vega_lite"]["encoding"]["color"]["legend"]["format"] == ".1f"
    mean = form | {"y": {"field": "Loss", "aggregate": "mean"}}
    computed = scores.ask("POST", "/plots/preview", json={"dataset_id": made["id"], "spec": {"form": mean}})
    assert [one["decimals"] for one in computed["tables"][0]["columns"]] == [1, None]
    plot = scores.ask("POST", "/plots", 201, json={"dataset_id": made["id"], "spec": {"form": form}})
    page = scores.client.get(f"/v1/plots/{plot['id']}.html", headers={"Accept-Language": "de"}).text
    assert "<tr><td>68,0</td><td>0,10</td><td>1</td></tr>" in page


def labels(scores: Bench, made: Any, **form: Any) -> tuple[Any, str]:
    """What is drawn of a form, and its picture."""
    spec = {"dataset_id": made["id"], "spec": {"form": {"mark": "bar", "y": {"aggregate": "count"}, **form}}}
    drawn = scores.ask("POST", "/plots/preview", json=spec)["vega_lite"]
    params = {"dataset_id": made["id"], "spec": json.dumps(spec["spec"]), "locale": "de"}
    picture = scores.client.get("/v1/plots/preview.svg", params=params)
    assert picture.status_code == 200, picture.text
    return drawn, picture.text


def test_names_that_are_numbers_are_each_written_as_printed(scores: Bench) -> None:
    made = scores.make("mixed.csv", name=f"mixed {new_id().hex}")
    _, picture = labels(scores, made, x={"field": "Year", "category": True}, colour={"field": "Mixed"})
    # 68.0 and 68 are one name, which is printed in no one way.
    for one in (">1,0<", ">2<", ">3,50<", ">57,25<", ">68<", ">(missing)<"):
        assert one in picture, one
    _, panels = labels(scores, made, x={"field": "System"}, facet={"field": "Year"})
    for one in (">1,0<", ">2<", ">3,50<"):
        assert one in panels, one
    # Of a column whose numbers all have two decimals one is missing.
    uneven = scores.make("scores.csv", name=f"scores {new_id().hex}")
    _, missing = labels(scores, uneven, x={"field": "Loss", "category": True})
    for one in (">0,10<", ">0,25<", ">(missing)<"):
        assert one in missing, one


def test_a_format_by_hand_holds_for_all_labels(scores: Bench) -> None:
    made = scores.make("mixed.csv", name=f"mixed {new_id().hex}")
    x = {"field": "Year", "type": "ordinal"}
    y = {"aggregate": "count"}

    def axis(own: Any) -> Any:
        spec = {"vega_lite": {"mark": "bar", "encoding": {"x": x | own, "y": y}}}
        drawn = scores.ask("POST", "/plots/preview", json={"dataset_id": made["id"], "spec": spec})
        return drawn["vega_lite"]["encoding"]["x"]["axis"]

    assert "labelExpr" in axis({})
    assert (axis({"axis": {"format": ".3f"}})["format"], "labelExpr" in axis({"axis": {"format": ".3f"}})) == (
        ".3f",
        False,
    )
    assert axis({"axis": {"grid": True}}).keys() >= {"labelExpr", "grid"}
    assert axis({"axis": None}) is None


def test_a_table_that_is_read_in_pieces_has_them_too(scores: Bench, made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.lab.datasets.loading.KEPT_FROM_ROWS", 1)
    for _ in ("made", "read again"):
        rows = scores.ask("GET", f"/datasets/{made['id']}/rows")
        assert decimals(rows) == {"System": None, "F1": 1, "Recall": 1, "Loss": 2, "Params": None}
        assert rows["decimals"] == {"Params": [0, 1, 0]}


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
