"""Labels that stand once over several rows, as columns of each of them that lead to where they are printed."""

from typing import Any

import numpy as np
import pytest

from shared.domain.datasets import DatasetColumn
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.lab.datasets.kept import KeptColumns, ParquetReader
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.pipeline import make_knowledge_base, run_all, upload

HEAD = "<tr><th>System</th><th>EM</th><th>F1</th></tr>"
BODY = """<tr><td colspan="3">Dev</td></tr><tr><td>Kite</td><td>71</td><td>80</td></tr>
<tr><td>Heron</td><td>72</td><td>81</td></tr><tr><td colspan="3">Test</td></tr>
<tr><td>Kite</td><td>69</td><td>78</td></tr><tr><td>Heron</td><td>70</td><td>79</td></tr>"""
SPLITS = f"<html><body><h1>Results</h1><table>{HEAD}{BODY}</table></body></html>"
# One row below each: rather a name in two lines.
NAMES = SPLITS.replace("<tr><td>Heron</td><td>72</td><td>81</td></tr>", "").replace(
    "<tr><td>Heron</td><td>70</td><td>79</td></tr>", ""
)
# As a sheet: a row of one cell may be a record whose values are missing. More rows than a stored table has.
LONG = "Split,Value\nfirst,7\nDev,\n" + "".join(f"r{at},{at}\n" for at in range(250)) + "Test,\ns,1\n"
ONCE = "Data,Metric,Value\nSQuAD,EM,71\n,F1,80\nNQ,EM,60\n,F1,65\n"


class Bench:
    def __init__(self, runtime: Runtime, identity: Identity, client: Client) -> None:
        self.client = client
        self.base = make_knowledge_base(runtime, identity, f"labels {new_id().hex}")
        for name, text in (("splits.html", SPLITS), ("names.html", NAMES), ("long.csv", LONG), ("once.csv", ONCE)):
            run_all(runtime, upload(runtime, identity, self.base, text.encode(), name))
        found = self.ask("GET", f"/knowledge-bases/{self.base}/tables")["items"]
        self.tables = {one["document"]: one["table_id"] for one in found}

    def ask(self, method: str, path: str, status: int = 200, **options: Any) -> Any:
        answer = self.client(method, f"/v1{path}", **options)
        assert answer.status_code == status, answer.text
        return answer.json()

    def make(self, document: str, **more: Any) -> Any:
        body = {"knowledge_base_id": str(self.base), "table_ids": [self.tables[document]], **more}
        return self.ask("POST", "/datasets", 201, json=body)

    def preview(self, dataset: Any, *steps: dict[str, Any], **more: Any) -> Any:
        return self.ask("POST", f"/datasets/{dataset['id']}/preview", json={"steps": list(steps), **more})

    def cells(self, dataset: Any, row: int, column: int, *steps: dict[str, Any]) -> list[tuple[str, int, int]]:
        wanted = {"row": row, "column": column} | ({"steps": list(steps)} if steps else {})
        found = self.ask("POST", f"/datasets/{dataset['id']}/sources", json=wanted)["cells"]
        return [(one["text"], one["row"], one["column"]) for one in found]


@pytest.fixture(scope="module")
def bench(runtime: Runtime, identity: Identity, client: Client) -> Bench:
    return Bench(runtime, identity, client)


def test_a_label_over_a_group_is_a_column_of_each_of_its_rows_that_leads_to_it(bench: Bench) -> None:
    made = bench.make("splits.html")
    assert made["stored_steps"] == [{"op": "labels", "name": "Group", "drop": True}]
    found = bench.ask("GET", f"/datasets/{made['id']}/rows")
    assert found["rows"] == [
        ["Kite", 71, 80, "Dev"], ["Heron", 72, 81, "Dev"], ["Kite", 69, 78, "Test"], ["Heron", 70, 79, "Test"],
    ]  # fmt: skip
    assert bench.cells(made, 1, 3) == [("Dev", 1, 0)]
    assert bench.cells(made, 2, 3) == [("Test", 4, 0)]
    # The row itself is where it was.
    assert bench.cells(made, 2, 1) == [("69", 5, 1)]
    grouped = {"op": "group", "by": ["Group"], "aggregates": [{"function": "mean", "column": "F1", "name": "F1"}]}
    labels = {"op": "labels", "name": "Group"}
    mean = bench.preview(made, labels, grouped)
    assert mean["rows"] == [["Dev", 80.5], ["Test", 78.5]]
    assert bench.cells(made, 1, 0, labels, grouped) == [("Test", 4, 0)]
    assert bench.cells(made, 1, 1, labels, grouped) == [("78", 5, 2), ("79", 6, 2)]


def test_rows_that_are_but_labels_stay_where_somebody_says_so(bench: Bench) -> None:
    made = bench.make("splits.html", labels=False)
    assert made["stored_steps"] == []
    found = bench.preview(made, {"op": "labels", "name": "Split", "drop": False})
    assert [(row[0], row[3]) for row in found["rows"]] == [
        ("Dev", None), ("Kite", "Dev"), ("Heron", "Dev"), ("Test", None), ("Kite", "Test"), ("Heron", "Test"),
    ]  # fmt: skip


def test_what_may_be_a_name_in_two_lines_or_a_record_without_values_makes_no_groups(bench: Bench) -> None:
    for document in ("names.html", "long.csv", "once.csv"):
        assert bench.make(document)["stored_steps"] == []


def test_groups_go_on_in_the_further_windows_of_a_long_sheet(bench: Bench) -> None:
    made = bench.make("long.csv", labels=True)
    found = bench.preview(made, *made["stored_steps"], offset=249, limit=4)
    assert found["rows"] == [["r248", 248, "Dev"], ["r249", 249, "Dev"], ["s", 1, "Test"]]


def test_where_rows_come_from_is_missing_where_not_all_of_them_are_listed(bench: Bench) -> None:
    made = bench.make("long.csv")
    count = {"op": "group", "aggregates": [{"function": "count", "name": "rows"}]}
    for most, from_document in ((200, "long.csv"), (201, None)):
        found = bench.preview(made, {"op": "limit", "rows": most}, count, {"op": "origin"})
        assert found["rows"][0][:2] == [most, from_document]


def test_of_long_files_no_labels_are_looked_for(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.lab.datasets.loading.KEPT_FROM_ROWS", 100)
    made = bench.make("long.csv", labels=True)
    found = bench.preview(made, *made["stored_steps"], limit=2)
    assert (found["rows"], found["rows_in_all"]) == ([["first", 7, None], ["Dev", None, None]], 254)


def test_what_is_printed_once_for_several_rows_is_filled_from_above_and_leads_to_it(bench: Bench) -> None:
    made = bench.make("once.csv")
    fill = {"op": "fill", "column": "Data"}
    found = bench.preview(made, fill)
    assert [row[0] for row in found["rows"]] == ["SQuAD", "SQuAD", "NQ", "NQ"]
    assert bench.cells(made, 3, 0, fill) == [("NQ", 3, 0)]
    assert bench.cells(made, 3, 2, fill) == [("65", 4, 2)]
    pivot = {"op": "pivot", "index": ["Data"], "column": "Metric", "value": "Value"}
    assert bench.preview(made, fill, pivot)["rows"] == [["SQuAD", 71, 80], ["NQ", 60, 65]]


def test_filling_does_not_reach_from_one_table_into_the_next(bench: Bench) -> None:
    made = bench.make(
        "splits.html", labels=False, table_ids=[bench.tables[one] for one in ("splits.html", "names.html")]
    )
    steps = [{"op": "derive", "name": "no first", "expression": 'if([System] = "Dev", "", [System])'}]
    steps = [*steps, {"op": "fill", "column": "no first"}]
    assert [row[3] for row in bench.preview(made, *steps)["rows"]] == [
        "", "Kite", "Heron", "Test", "Kite", "Heron", "", "Kite", "Test", "Kite",
    ]  # fmt: skip


def test_labels_of_a_table_in_two_joined_datasets_stand_once_over_each_row(bench: Bench) -> None:
    one, other = bench.make("splits.html"), bench.make("splits.html")
    join = {"op": "join", "dataset_id": other["id"], "on": [{"left": "EM", "right": "EM"}]}
    found = bench.preview(one, join, {"op": "select", "columns": ["EM", "Group"]})
    assert sorted(found["rows"]) == [[69, "Test"], [70, "Test"], [71, "Dev"], [72, "Dev"]]


def test_what_is_kept_of_a_long_table_is_not_read_for_other_tables_or_units(runtime: Runtime) -> None:
    row = {"id": "t", "content_hash": "h", "organization_id": "o", "knowledge_base_id": "k", "document_id": "d"}
    columns = [DatasetColumn(label="Mass", type="number")]
    arrays = {"o": np.array([0], dtype=np.int64), "b0": np.array([1.5])}
    KeptColumns(runtime.blobs, [row], columns, [row]).keep(["o", "b0"], ["BIGINT", "DOUBLE"], arrays)
    other = row | {"id": "u"}
    with ParquetReader() as reader:
        assert KeptColumns(runtime.blobs, [row], columns, [row]).read(reader) is not None
        assert KeptColumns(runtime.blobs, [row], columns, [row, other]).read(reader) is None
        in_kilograms = [DatasetColumn(label="Mass", type="number", unit="kg")]
        assert KeptColumns(runtime.blobs, [row], in_kilograms, [row]).read(reader) is None
