"""Datasets over HTTP, of files that are really ingested."""

import csv
import io
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.domain.transforms import STEPS as DECLARED
from shared.lab.datasets import engine, exporting, run_dataset, service
from shared.lab.datasets.kept import read_parquet
from shared.runtime import Runtime
from shared.store import datasets as rows
from shared.store.connect import Connection, Row
from tests.api.conftest import Client
from tests.pipeline import make_knowledge_base, run_all, upload

RUNS = (
    "Model,Mass (kg),Accuracy,Seeds,Released,Open\n"
    "Kite,1250.5,0.91,3,2024-05-31,yes\n"
    "Heron,,0.88,5,2023-01-15,no\n"
    "Crane,980,0.95,3,2024-11-02,yes\n"
)
MORE = "Model,Mass (kg),Accuracy,Seeds,Released,Open\nStork,2000,0.70,4,2022-02-01,no\n"
PRICES = "Model,Price (EUR)\nKite,12\nCrane,30\nStork,7\n"
HOSTILE = 'a,"x"") from base0; drop table base0; --","=HYPERLINK(""http://evil"")","[b]"\n1,2,=1+1,+3\n4,5,@sum,\t-x\n'


STACKED = {
    "above.csv": "Model,Mass (g),Score\nKite,1250,0.91\nHeron,800,0.88\n",
    "below.csv": "Score,MODEL,Mass (kg),Year\n0.70,Stork,2,2022\n0.75,Crane,0.98,2021\n",
    "scored.csv": "System,Score,Latency\nA,0.91 ± 0.02,12\nB,0.88 ± 0.03,<5\nC,0.7,13\nD,0.6 (0.1),11\nE,0.5,14\n"
    "A,0.93 ± 0.01,10\n",
}


class Bench:
    """A knowledge base with tables, and requests about its datasets."""

    def __init__(self, runtime: Runtime, identity: Identity, client: Client) -> None:
        self.client, self.runtime = client, runtime
        self.base = make_knowledge_base(runtime, identity, f"runs {new_id().hex}")
        self.documents: dict[str, UUID] = {}
        files = (("runs.csv", RUNS), ("more.csv", MORE), ("prices.csv", PRICES), ("hostile.csv", HOSTILE))
        files = (*files, *STACKED.items())
        for name, text in files:
            run_all(runtime, upload(runtime, identity, self.base, text.encode(), name))
        tables = self.ask("GET", f"/knowledge-bases/{self.base}/tables")["items"]
        self.tables = {one["document"]: one for one in tables}

    def ask(self, method: str, path: str, status: int = 200, **options: Any) -> Any:
        answer = self.client(method, f"/v1{path}", **options)
        assert answer.status_code == status, answer.text
        return answer.json()

    def make(self, document: str, **more: Any) -> Any:
        body = {"knowledge_base_id": str(self.base), "table_ids": [self.tables[document]["table_id"]], **more}
        return self.ask("POST", "/datasets", 201, json=body)

    def preview(self, dataset: Any, *steps: dict[str, Any], status: int = 200) -> Any:
        return self.ask("POST", f"/datasets/{dataset['id']}/preview", status, json={"steps": list(steps)})


@pytest.fixture(scope="module")
def bench(runtime: Runtime, identity: Identity, client: Client) -> Bench:
    return Bench(runtime, identity, client)


def test_types_units_and_missing_cells_are_read_from_what_is_printed(bench: Bench) -> None:
    made = bench.make("runs.csv")
    columns = [(one["label"], one["type"], one["unit"]) for one in made["source_columns"]]
    assert columns == [
        ("Model", "text", None), ("Mass (kg)", "quantity", "kg"), ("Accuracy", "number", None),
        ("Seeds", "integer", None), ("Released", "date", None), ("Open", "boolean", None),
    ]  # fmt: skip
    rows = bench.ask("GET", f"/datasets/{made['id']}/rows")
    assert rows["rows"] == [
        ["Kite", 1250.5, 0.91, 3, "2024-05-31", True],
        ["Heron", None, 0.88, 5, "2023-01-15", False],
        ["Crane", 980.0, 0.95, 3, "2024-11-02", True],
    ]


def test_a_cell_of_a_result_leads_to_the_printed_cells_and_their_passages(bench: Bench) -> None:
    made = bench.make("runs.csv")
    found = bench.preview(
        made, {"op": "group", "by": ["Seeds"], "aggregates": [{"function": "mean", "column": "Accuracy"}]}
    )
    assert found["rows"] == [[3, pytest.approx(0.93)], [5, 0.88]]
    assert (len(found["lineage"][0]["rows"]), found["lineage"][0]["count"]) == (2, 2)
    step = {"op": "group", "by": ["Seeds"], "aggregates": [{"function": "mean", "column": "Accuracy"}]}
    sources = bench.ask("POST", f"/datasets/{made['id']}/sources", json={"row": 0, "column": 1, "steps": [step]})
    cells = sources["cells"]
    assert [cell["text"] for cell in cells] == ["0.91", "0.95"]
    for cell in cells:
        chunk = next(
            one for one in bench.ask("GET", f"/documents/{cell['document_id']}/chunks")["items"]
            if one["id"] == cell["chunk_id"]
        )  # fmt: skip
        assert cell["text"] in chunk["content"]
        assert cell["box"]["kind"] == "sheet"


def test_tables_with_the_same_header_are_joined_to_one_dataset(bench: Bench) -> None:
    made = bench.make("runs.csv", alike=True, name="All runs")
    assert (made["rows"], [one["document"] for one in made["sources"]]) == (4, ["runs.csv", "more.csv"])
    rows = bench.ask("GET", f"/datasets/{made['id']}/rows", params={"offset": 3})
    assert (rows["rows_in_all"], [row[0] for row in rows["rows"]]) == (4, ["Stork"])


STEPS: list[tuple[list[dict[str, Any]], list[list[Any]]]] = [
    ([{"op": "filter", "where": '[Accuracy] > 0.9 and Model != "Crane"'}, {"op": "select", "columns": ["Model"]}],
     [["Kite"]]),
    ([{"op": "derive", "name": "t", "expression": "[Mass (kg)] / 1000"}, {"op": "select", "columns": ["Model", "t"]}],
     [["Kite", 1.2505], ["Heron", None], ["Crane", 0.98]]),
    ([{"op": "select", "columns": ["Model", "Seeds"]}, {"op": "sort", "column": "Seeds", "descending": True},
      {"op": "limit", "rows": 2}], [["Heron", 5], ["Kite", 3]]),
    ([{"op": "convert", "column": "Mass (kg)", "unit": "t"}, {"op": "select", "columns": ["Mass (kg)"]}],
     [[1.2505], [None], [0.98]]),
    ([{"op": "select", "columns": ["Seeds", "Accuracy"]},
      {"op": "melt", "columns": ["Seeds", "Accuracy"]}, {"op": "limit", "rows": 3}],
     [["Seeds", 3.0], ["Accuracy", 0.91], ["Seeds", 5.0]]),
    ([{"op": "pivot", "index": ["Seeds"], "column": "Open", "value": "Accuracy", "function": "mean"}],
     [[3, pytest.approx(0.93), None], [5, None, 0.88]]),
    ([{"op": "standardise", "column": "Seeds"}, {"op": "select", "columns": ["z(Seeds)"]}],
     [[pytest.approx(-0.57735027)], [pytest.approx(1.15470054)], [pytest.approx(-0.57735027)]]),
    ([{"op": "log", "column": "Seeds", "base": "2"}, {"op": "select", "columns": ["log2(Seeds)"]},
      {"op": "limit", "rows": 1}],
     [[pytest.approx(1.5849625)]]),
    ([{"op": "distinct", "columns": ["Seeds"]}], [[3], [5]]),
    ([{"op": "share", "column": "Seeds", "by": ["Open"]}, {"op": "select", "columns": ["share of Seeds"]}],
     [[50], [100], [50]]),
    ([{"op": "filter", "where": '[Released] >= "2024-01-01"'}, {"op": "rename", "column": "Model", "name": "M"},
      {"op": "select", "columns": ["M"]}], [["Kite"], ["Crane"]]),
]  # fmt: skip


@pytest.mark.parametrize(("steps", "expected"), STEPS, ids=[one[0][0]["op"] for one in STEPS])
def test_each_step_does_what_it_is_called(bench: Bench, steps: list[dict[str, Any]], expected: list[list[Any]]) -> None:
    assert bench.preview(bench.make("runs.csv"), *steps)["rows"] == expected


def test_a_dataset_of_more_rows_than_there_may_be_is_refused(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"knowledge_base_id": str(bench.base), "table_ids": [bench.tables["runs.csv"]["table_id"]]}
    monkeypatch.setattr(service, "BASE_ROWS_MAX", 2)
    refused = bench.ask("POST", "/datasets", 422, json=body)
    assert refused["detail"] == "These tables have 3 rows; a dataset has 2 at most. Make several of fewer tables."
    monkeypatch.setattr(service, "BASE_ROWS_MAX", 3)
    assert bench.ask("POST", "/datasets", 201, json=body)["rows"] == 3


def test_datasets_are_joined_by_their_keys_and_a_row_knows_both_sources(bench: Bench) -> None:
    runs, prices = bench.make("runs.csv"), bench.make("prices.csv")
    step = {"op": "join", "dataset_id": prices["id"], "on": [{"left": "Model", "right": "Model"}], "how": "left"}
    found = bench.preview(runs, step, {"op": "select", "columns": ["Model", "Price (EUR)"]})
    assert found["rows"] == [["Kite", 12.0], ["Heron", None], ["Crane", 30.0]]
    tables = {place.partition(":")[0] for place in found["lineage"][0]["rows"]}
    assert tables == {bench.tables["runs.csv"]["table_id"], bench.tables["prices.csv"]["table_id"]}
    assert found["columns"][1]["unit"] == "EUR"


def test_rows_are_stacked_by_the_names_of_columns_in_the_unit_above_and_lead_to_their_boxes(bench: Bench) -> None:
    above, below = bench.make("above.csv"), bench.make("below.csv")
    found = bench.preview(above, {"op": "stack", "dataset_id": below["id"]})
    assert [(one["label"], one["unit"]) for one in found["columns"]] == [
        ("Model", None), ("Mass (g)", "g"), ("Score", None), ("Year", None),
    ]  # fmt: skip
    assert found["rows"] == [
        ["Kite", 1250, 0.91, None], ["Heron", 800, 0.88, None],
        ["Stork", 2000, 0.70, 2022], ["Crane", 980, 0.75, 2021],
    ]  # fmt: skip
    assert found["columns"][1]["formula"] == f"[Mass (g)]; of {below['name']}: [Mass (kg)] × 1000 (kg → g)"
    assert [(one["step"], one["count"], one["said"]) for one in found["notes"]] == [
        (1, 2, f"2 rows of '{below['name']}' below 2, by MODEL, [Mass (kg)] × 1000 (kg → g), Score."),
        (1, 2, "Year: missing in the 2 above, which have no such column."),
    ]
    step = {"op": "stack", "dataset_id": below["id"]}
    printed = [
        [cell["text"] for cell in bench.ask(
            "POST", f"/datasets/{above['id']}/sources", json={"row": row, "column": column, "steps": [step]}
        )["cells"]]
        for row, column in ((0, 1), (2, 0), (2, 1), (3, 2), (3, 3), (0, 3))
    ]  # fmt: skip
    assert printed == [["1250"], ["Stork"], ["2"], ["0.75"], ["2021"], []]
    group = {"op": "group", "aggregates": [{"function": "sum", "column": "Mass (g)"}]}
    asked = {"row": 0, "column": 0, "steps": [step, {"op": "labels"}, {"op": "origin"}, group]}
    cells = bench.ask("POST", f"/datasets/{above['id']}/sources", json=asked)["cells"]
    assert [cell["text"] for cell in cells] == ["1250", "800", "2", "0.98"]


def test_columns_that_go_together_by_no_name_are_said_and_those_that_do_not_fit_are_refused(bench: Bench) -> None:
    runs, prices = bench.make("runs.csv"), bench.make("prices.csv")
    said = {"op": "stack", "dataset_id": prices["id"], "columns": [{"left": "Seeds", "right": "Price (EUR)"}]}
    told = bench.preview(runs, said, status=422)["detail"]
    assert "'Seeds' is in no unit, and 'Price (EUR)' in EUR: correct the unit" in told
    said["columns"][0]["left"] = "Model"
    assert "'Model' is of type text" in bench.preview(runs, said, status=422)["detail"]
    apart = bench.preview(runs, {"op": "stack", "dataset_id": prices["id"]})
    assert [row[0] for row in apart["rows"]] == ["Kite", "Heron", "Crane", "Kite", "Crane", "Stork"]
    assert [row[6] for row in apart["rows"]] == [None, None, None, 12, 30, 7]


def test_what_a_step_leaves_out_or_doubles_is_told(bench: Bench) -> None:
    scored, runs = bench.make("scored.csv"), bench.make("runs.csv")
    pivot = {"op": "pivot", "index": ["System"], "column": "System", "value": "Score"}
    notes = bench.preview(scored, pivot)["notes"]
    assert [(one["step"], one["count"]) for one in notes] == [(None, 4), (None, 1), (1, 1)]
    assert notes[2]["said"].startswith("1 cell has several values of 'Score', of which the first is taken.")
    assert len(bench.preview(scored, pivot | {"function": "mean"})["notes"]) == 2
    join = {"op": "join", "dataset_id": scored["id"], "on": [{"left": "Model", "right": "System"}]}
    renamed = bench.preview(
        scored, {"op": "limit", "rows": 2}, join | {"on": [{"left": "System", "right": "System"}]}, status=422
    )
    assert "joined or stacked with itself" in renamed["detail"]
    prices = bench.make("prices.csv")
    twice = bench.ask(
        "PATCH",
        f"/datasets/{prices['id']}",
        json={"steps": [{"op": "stack", "dataset_id": bench.make("prices.csv")["id"]}]},
    )
    found = bench.preview(runs, join | {"dataset_id": twice["id"], "on": [{"left": "Model", "right": "Model"}]})
    assert [(one["step"], one["count"]) for one in found["notes"]] == [(1, 2), (1, 1)]
    assert "whose key is not unique: they stand here as 4 rows" in found["notes"][0]["said"]
    assert "1 row has no partner" in found["notes"][1]["said"]
    assert found["rows_in_all"] == 4


def test_a_spread_is_told_and_becomes_a_column_that_leads_to_its_cell(bench: Bench) -> None:
    made = bench.make("scored.csv")
    found = bench.preview(made, {"op": "spread", "column": "Score"})
    assert [row[3] for row in found["rows"]] == [0.02, 0.03, None, 0.1, None, 0.01]
    assert found["notes"][0]["said"].startswith(
        "Score: what stands behind 4 numbers, as in “0.91 ± 0.02”, is left out."
    )
    asked = {"row": 1, "column": 3, "steps": [{"op": "spread", "column": "Score"}]}
    cells = bench.ask("POST", f"/datasets/{made['id']}/sources", json=asked)["cells"]
    assert [cell["text"] for cell in cells] == ["0.88 ± 0.03"]
    forced = {"columns": [{"column": "Latency", "type": "number"}]}
    bench.ask("PATCH", f"/datasets/{made['id']}", json=forced)
    notes = bench.ask("GET", f"/datasets/{made['id']}/rows")["notes"]
    assert "Latency: 1 cell that reads as no number is missing: “<5”." in [one["said"] for one in notes]
    assert "notes" not in bench.ask("GET", f"/datasets/{made['id']}/rows", params={"offset": 1})


def test_steps_are_kept_in_revisions_with_their_hash_and_undone(bench: Bench) -> None:
    made = bench.make("runs.csv")
    step = {"op": "filter", "where": "Seeds = 3"}
    changed = bench.ask("PATCH", f"/datasets/{made['id']}", json={"steps": [step], "revision": 1})
    assert (changed["revision"], changed["steps"], changed["sha256"] != made["sha256"]) == (2, 1, True)
    assert bench.ask("GET", f"/datasets/{made['id']}/rows")["rows_in_all"] == 2
    bench.ask("PATCH", f"/datasets/{made['id']}", 409, json={"steps": [], "revision": 1})
    undone = bench.ask("PATCH", f"/datasets/{made['id']}", json={"steps": []})
    assert (undone["revision"], undone["sha256"]) == (3, made["sha256"])
    revisions = bench.ask("GET", f"/datasets/{made['id']}/revisions")["items"]
    assert [one["revision"] for one in revisions] == [3, 2, 1]
    assert bench.ask("GET", f"/datasets/{made['id']}/rows", params={"revision": 2})["rows_in_all"] == 2


def test_a_person_corrects_types_units_and_labels(bench: Bench) -> None:
    made = bench.make("runs.csv")
    said = [{"column": "Seeds", "type": "text"}, {"column": "Accuracy", "unit": "%", "label": "Top-1"}]
    changed = bench.ask("PATCH", f"/datasets/{made['id']}", json={"columns": said})
    assert [(one["label"], one["type"], one["unit"], one["confidence"]) for one in changed["source_columns"]][2:4] == [
        ("Top-1", "quantity", "%", 1.0), ("Seeds", "text", None, 1.0)
    ]  # fmt: skip
    assert bench.ask("GET", f"/datasets/{made['id']}/rows")["rows"][0][3] == "3"


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"op": "filter", "where": "[Accuracy] >"}, "a value is missing"),
    ({"op": "filter", "where": "Nothing = 1"}, "there is no column 'Nothing'"),
    ({"op": "filter", "where": "Accuracy"}, "true or false"),
    ({"op": "derive", "name": "x", "expression": "Model + 1"}, "+ needs a number"),
    ({"op": "derive", "name": "x", "expression": "read_text('/etc/passwd')"}, "there is no function 'read_text'"),
    ({"op": "derive", "name": "x", "expression": "[Mass (kg)] + Seeds"}, "convert one of the columns first"),
    ({"op": "derive", "name": "Model", "expression": "1"}, "There is a column 'Model' already"),
    ({"op": "convert", "column": "Mass (kg)", "unit": "s"}, "they measure different things"),
    ({"op": "group", "by": [], "aggregates": [{"function": "sum", "column": "Model"}]}, "needs numbers"),
    ({"op": "select", "columns": ["No"]}, "There is no column 'No' at this step"),
    ({"op": "join", "dataset_id": str(new_id()), "on": [{"left": "Model", "right": "Model"}]}, "There is no dataset"),
]


@pytest.mark.parametrize(("step", "told"), WRONG, ids=[one[1] for one in WRONG])
def test_a_step_that_does_not_fit_is_refused_with_what_to_do(bench: Bench, step: dict[str, Any], told: str) -> None:
    made = bench.make("runs.csv")
    status = 404 if step["op"] == "join" else 422
    assert told in bench.preview(made, step, status=status)["detail"]
    bench.ask("PATCH", f"/datasets/{made['id']}", status, json={"steps": [step]})
    assert bench.ask("GET", f"/datasets/{made['id']}")["revision"] == 1


def test_columns_are_profiled(bench: Bench) -> None:
    made = bench.make("runs.csv", alike=True)
    found = bench.ask("GET", f"/datasets/{made['id']}/profile")
    assert found["rows"] == 4
    model, mass, *_ = found["columns"]
    assert (mass["count"], mass["missing"], mass["distinct"], mass["min"], mass["max"]) == (4, 1, 3, 980.0, 2000.0)
    assert mass["mean"] == pytest.approx(1410.1666667)
    assert (sum(one["count"] for one in mass["histogram"]), len(mass["histogram"])) == (3, 20)
    assert (mass["histogram"][0]["count"], mass["histogram"][-1]["count"]) == (1, 1)
    assert {"value": "Kite", "count": 1} in model["frequent"]


def test_hostile_columns_and_cells_are_only_text(bench: Bench) -> None:
    made = bench.make("hostile.csv")
    labels = [one["label"] for one in made["source_columns"]]
    assert labels == ["a", 'x") from base0; drop table base0; --', '=HYPERLINK("http://evil")', "[b]"]
    steps = [
        {"op": "derive", "name": "'; drop table base0; --", "expression": "[" + labels[1] + "] + 1"},
        {"op": "filter", "where": '[[b]]] != "\'; drop"'},
        {"op": "group", "by": [labels[2]], "aggregates": [{"function": "first", "column": "[b]", "name": '"'}]},
    ]
    assert bench.preview(made, *steps)["rows"] == [["=1+1", "+3"], ["@sum", "-x"]]


def test_a_file_computes_nothing_in_a_spreadsheet(bench: Bench) -> None:
    made = bench.make("hostile.csv")
    answer = bench.client.get(f"/v1/datasets/{made['id']}/export", params={"format": "csv"})
    header, first, second = csv.reader(io.StringIO(answer.content.decode()))
    assert header[2] == '\'=HYPERLINK("http://evil")'
    assert (first[2:], second[2:]) == (["'=1+1", "'+3"], ["'@sum", "'-x"])
    book = bench.client.get(f"/v1/datasets/{made['id']}/export", params={"format": "xlsx"}).content
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert '<c t="inlineStr" s="1"><is><t xml:space="preserve">=1+1</t></is></c>' in sheet


def test_nobody_else_sees_a_dataset_or_its_cells(
    bench: Bench, client_of: Callable[[Identity], Client], other_identity: Identity, viewer: Identity
) -> None:
    made = bench.make("runs.csv")
    stranger, reader = client_of(other_identity), client_of(viewer)
    path = f"/v1/datasets/{made['id']}"
    for method, end, body in (
        ("GET", "", None), ("GET", "/rows", None), ("GET", "/profile", None), ("GET", "/export", None),
        ("GET", "/revisions", None), ("POST", "/preview", {"steps": []}),
        ("POST", "/sources", {"row": 0, "column": 0}), ("PATCH", "", {"name": "x"}),
        ("DELETE", "", None),
    ):  # fmt: skip
        answer = stranger(method, path + end, json=body)
        assert answer.status_code == 404, (method, end, answer.text)
        seen = reader(method, path + end, json=body)
        assert seen.status_code == (403 if method in ("PATCH", "DELETE") else 200), (method, end)
    assert stranger.get("/v1/datasets").json()["items"] == []
    join = {"op": "join", "dataset_id": made["id"], "on": [{"left": "Model", "right": "Model"}]}
    theirs = make_knowledge_base(bench.runtime, other_identity, f"theirs {new_id().hex}")
    run_all(bench.runtime, upload(bench.runtime, other_identity, theirs, PRICES.encode(), "prices.csv"))
    (table,) = stranger.get(f"/v1/knowledge-bases/{theirs}/tables").json()["items"]
    wanted = {"knowledge_base_id": str(theirs), "table_ids": [table["table_id"]]}
    own = stranger.post("/v1/datasets", json=wanted).json()["id"]
    answer = stranger.post(f"/v1/datasets/{own}/preview", json={"steps": [join]})
    assert (answer.status_code, "0.91" in answer.text) == (404, False)
    foreign = wanted | {"table_ids": [bench.tables["runs.csv"]["table_id"]]}
    assert stranger.post("/v1/datasets", json=foreign).status_code == 404
    for form in ("csv", "xlsx", "parquet"):
        answer = stranger.get(f"/v1/exports/tables.{form}", params={"knowledge_base_id": str(bench.base)})
        assert answer.status_code == 404


@pytest.mark.parametrize(
    ("unit", "label", "value"), [("g", "Mass (kg) in g", "1250500"), ("kg", "Mass (kg)", "1250.5")]
)
def test_a_file_says_of_a_converted_column_what_it_is_in_now(bench: Bench, unit: str, label: str, value: str) -> None:
    made = bench.make("runs.csv")
    steps = [{"op": "convert", "column": "Mass (kg)", "unit": unit}]
    bench.ask("PATCH", f"/datasets/{made['id']}", json={"steps": steps})
    header, first, *_ = csv.reader(io.StringIO(bench.client.get(f"/v1/datasets/{made['id']}/export").content.decode()))
    assert (header[1], first[1]) == (label, value)


def test_all_tables_of_a_document_are_exported_with_the_passages_to_cite(bench: Bench) -> None:
    document = bench.tables["runs.csv"]["document_id"]
    params = {"knowledge_base_id": str(bench.base), "document_id": document}
    listed = [*csv.DictReader(io.StringIO(bench.client.get("/v1/exports/tables.csv", params=params).content.decode()))]
    assert len(listed) == 18
    one = next(row for row in listed if row["text"] == "1250.5")
    assert (one["header"], one["row"], one["column"]) == ("Mass (kg)", "1", "1")
    chunks = bench.ask("GET", f"/documents/{document}/chunks")["items"]
    assert "1250.5" in next(chunk["content"] for chunk in chunks if chunk["id"] == one["chunk_id"])


def test_a_table_of_hundreds_of_rows_is_one_dataset_in_order_and_kept_columns_are_the_same(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, identity: Identity
) -> None:
    base = make_knowledge_base(bench.runtime, identity, f"long {new_id().hex}")
    lines = [f"r{at},2024-01-{at % 28 + 1:02},{'yes' if at % 2 else ''},{at},{at}.5\n" for at in range(650)]
    text = "Name,Day,Open,n,x\n" + "".join(lines)
    event = run_all(bench.runtime, upload(bench.runtime, identity, base, text.encode(), "long.csv"))
    (table,) = bench.ask("GET", f"/knowledge-bases/{base}/tables")["items"]
    assert (table["rows"], table["parts"] > 1) == (650, True)
    made = bench.ask("POST", "/datasets", 201, json={"knowledge_base_id": str(base), "table_ids": [table["table_id"]]})
    monkeypatch.setattr("shared.lab.datasets.loading.KEPT_FROM_ROWS", 10_000)
    read = bench.ask("GET", f"/datasets/{made['id']}/rows", params={"limit": 1000})
    assert [row[3] for row in read["rows"]] == [*range(650)]
    assert [row[2] for row in read["rows"][:2]] == [None, True]
    monkeypatch.setattr("shared.lab.datasets.loading.KEPT_FROM_ROWS", 1)
    for _ in range(2):
        assert bench.ask("GET", f"/datasets/{made['id']}/rows", params={"limit": 1000}) == read
    folder = f"work/{identity.organization_id}/{base}/{event['document_id']}/datasets/"
    assert len([*bench.runtime.blobs.list(folder)]) == 1
    bench.ask("DELETE", f"/documents/{event['document_id']}")
    assert [*bench.runtime.blobs.list(folder)] == []
    gone = bench.ask("GET", f"/datasets/{made['id']}")
    assert (gone["rows"], gone["missing"]) == (0, table["parts"])
    assert bench.ask("GET", f"/datasets/{made['id']}/rows")["rows"] == []


def test_a_long_table_is_read_in_pieces_some_with_each_request(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, identity: Identity
) -> None:
    for name, value in (("KEPT_FROM_ROWS", 1), ("PIECE_ROWS", 200), ("MAKING_S", 0.0)):
        monkeypatch.setattr(f"shared.lab.datasets.loading.{name}", value)
    monkeypatch.setattr("shared.lab.datasets.service.SAMPLE_FROM_ROWS", 200)
    base = make_knowledge_base(bench.runtime, identity, f"pieces {new_id().hex}")
    text = "Name,n,code\n" + "".join(f"r{at},{at},{10**17 + at}\n" for at in range(650))
    run_all(bench.runtime, upload(bench.runtime, identity, base, text.encode(), "long.csv"))
    (table,) = bench.ask("GET", f"/knowledge-bases/{base}/tables")["items"]
    made = bench.ask("POST", "/datasets", 201, json={"knowledge_base_id": str(base), "table_ids": [table["table_id"]]})
    # Guessed by some of the rows, others may have decimals; numbers that only integers hold stay these.
    assert [one["type"] for one in made["source_columns"]] == ["text", "number", "integer"]
    said: list[str] = []
    for _ in range(table["parts"] + 1):
        answer = bench.client.get(f"/v1/datasets/{made['id']}/rows", params={"offset": 600, "limit": 50})
        if answer.status_code == 200:
            break
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert answer.json()["type"].endswith("still-reading")
        said.append(answer.json()["detail"])
    parts = table["parts"]
    assert (len(said), parts > 2) == (parts - 1, True)
    assert (len({*said}), said[0].endswith("so far. Ask again now.")) == (len(said), True)
    assert answer.json()["rows"] == [[f"r{at}", at, str(10**17 + at)] for at in range(600, 650)]


def test_runs_take_turns_and_whoever_waits_keeps_no_connection_from_others(
    bench: Bench, runtime: Runtime, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = bench.make("runs.csv")
    monkeypatch.setattr(engine, "TURN_S", 3.0)
    with ExitStack() as turns, ThreadPoolExecutor(6) as pool:
        for _ in range(engine.RUNS):
            turns.enter_context(engine.taking_turns())
        waiting = [pool.submit(run_dataset, runtime, identity, UUID(made["id"])) for _ in range(6)]
        assert bench.ask("GET", f"/datasets/{made['id']}")["id"] == made["id"]
        assert not any(one.done() for one in waiting)
        monkeypatch.setattr(engine, "TURN_S", 0.05)
        assert "Try again" in bench.preview(made, status=429)["detail"]
        told = bench.ask("PATCH", f"/datasets/{made['id']}", 429, json={"steps": []})
        assert "Try again" in told["detail"]
        turns.close()
        assert {len(one.result().rows) for one in waiting} == {3}


def test_a_change_of_a_dataset_is_noted_with_its_knowledge_base(bench: Bench) -> None:
    made = bench.make("runs.csv")
    bench.ask("PATCH", f"/datasets/{made['id']}", json={"name": "Weights", "revision": 1})
    newest = bench.ask("GET", "/audit", params={"limit": 1})["items"][0]
    assert (newest["act"], newest["subject_id"]) == ("dataset.change", made["id"])
    assert (newest["knowledge_base_id"], newest["details"]) == (str(bench.base), {"changed": ["name"]})


@pytest.mark.parametrize("step", [{"filter": {"where": "x"}}, {"op": "secret-word"}])
def test_a_step_without_an_operation_is_told_every_one_there_is(bench: Bench, step: dict[str, Any]) -> None:
    refused = bench.preview(bench.make("runs.csv"), step, status=422)
    told = refused["detail"].partition("one of ")[2].split(", ")
    assert sorted(told) == sorted(DECLARED.json_schema()["items"]["discriminator"]["mapping"])
    assert "secret-word" not in str(refused)


def test_an_export_that_would_hold_too_much_is_refused_with_another_way(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "LISTED_MAX", 10)
    params = {"knowledge_base_id": str(bench.base)}
    for form in ("csv", "parquet"):
        assert "take xlsx" in bench.ask("GET", f"/exports/tables.{form}", 422, params=params)["detail"]
    assert bench.client.get("/v1/exports/tables.xlsx", params=params).status_code == 200
    monkeypatch.setattr(exporting, "CELLS_MAX", 10)
    assert "Choose one document" in bench.ask("GET", "/exports/tables.xlsx", 422, params=params)["detail"]


IDS = "Id,Group,Value\n12345678901234567,a,1\n12345678901234569,b,2\n98765432109876543,b,3\n"


def test_a_number_of_seventeen_digits_stays_what_it_is_everywhere(bench: Bench, identity: Identity) -> None:
    base = make_knowledge_base(bench.runtime, identity, f"ids {new_id().hex}")
    run_all(bench.runtime, upload(bench.runtime, identity, base, IDS.encode(), "ids.csv"))
    (table,) = bench.ask("GET", f"/knowledge-bases/{base}/tables")["items"]
    made = bench.ask("POST", "/datasets", 201, json={"knowledge_base_id": str(base), "table_ids": [table["table_id"]]})
    ids = ["12345678901234567", "12345678901234569", "98765432109876543"]
    assert made["source_columns"][0]["type"] == "integer"
    assert [row[0] for row in bench.ask("GET", f"/datasets/{made['id']}/rows")["rows"]] == ids
    one = {"op": "filter", "where": "[Id] = 12345678901234569"}
    assert bench.preview(made, one)["rows"] == [[ids[1], "b", 2]]
    least = {"op": "group", "by": ["Group"], "aggregates": [{"function": "max", "column": "Id"}]}
    assert bench.preview(made, least)["rows"] == [["a", ids[0]], ["b", ids[2]]]
    profile = bench.ask("GET", f"/datasets/{made['id']}/profile")["columns"][0]
    assert (profile["min"], profile["max"], profile["distinct"]) == (ids[0], ids[2], 3)
    text = bench.client.get(f"/v1/datasets/{made['id']}/export").content.decode()
    assert [line.split(",")[0] for line in text.split()[1:]] == ids
    parquet = bench.client.get(f"/v1/datasets/{made['id']}/export", params={"format": "parquet"}).content
    assert [int(one) for one in read_column(parquet)] == [int(one) for one in ids]
    form = {"mark": "bar", "x": {"field": "Id", "category": True}, "y": {"field": "Value", "aggregate": "mean"}}
    drawn = bench.ask("POST", "/plots/preview", json={"dataset_id": made["id"], "spec": {"form": form}})
    assert {str(value["f0"]) for value in drawn["vega_lite"]["data"]["values"]} == set(ids)
    assert {row["cells"][0] for row in drawn["tables"][0]["rows"]} == set(ids)


def read_column(content: bytes) -> list[Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ids.parquet"
        path.write_bytes(content)
        return [*read_parquet(path)["Id"]]


def test_tables_of_many_documents_are_read_by_few_statements(
    bench: Bench, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = make_knowledge_base(bench.runtime, identity, f"many {new_id().hex}")
    for at in range(6):
        # One of them writes decimals with a comma.
        number = f'"{at},25"' if at > 4 else f"{at}.5"
        text = f"Model,Value\nm{at},{number}\nn{at},{number}\n"
        run_all(bench.runtime, upload(bench.runtime, identity, base, text.encode(), f"runs {at}.csv"))
    tables = bench.ask("GET", f"/knowledge-bases/{base}/tables")["items"]
    body = {"knowledge_base_id": str(base), "table_ids": [one["table_id"] for one in tables]}
    made = bench.ask("POST", "/datasets", 201, json=body)
    read, asked = rows.texts_of_tables, list[int]()

    def counted(connection: Connection, ids: Sequence[UUID]) -> list[Row]:
        asked.append(len(ids))
        return read(connection, ids)

    monkeypatch.setattr(rows, "texts_of_tables", counted)
    monkeypatch.setattr("shared.lab.datasets.loading.TABLES_AT_ONCE", 4)
    monkeypatch.setattr("shared.lab.datasets.loading.KEPT_FROM_ROWS", 10)
    found = bench.ask("GET", f"/datasets/{made['id']}/rows")["rows"]
    assert [row[0] for row in found] == [f"{letter}{at}" for at in range(6) for letter in "mn"]
    assert [row[1] for row in found[::2]] == [0.5, 1.5, 2.5, 3.5, 4.5, 5.25]
    assert asked == [4, 2]
