"""Files of datasets that say of each cell where it was printed."""

import csv
import hashlib
import io
import json
import re
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import duckdb
import pytest

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.lab.datasets import tracing
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.pipeline import make_knowledge_base, run_all, upload

RUNS = 'Model,Mass (kg),Group\nKite,10,a\n"=Heron",20,b\nCrane,30,b\n'
STEPS = [
    {"op": "group", "by": ["Group"], "aggregates": [{"function": "mean", "column": "Mass (kg)", "name": "mean"}]},
    {"op": "sort", "column": "mean", "descending": True},
]


@pytest.fixture(scope="module")
def dataset(runtime: Runtime, identity: Identity, client: Client) -> Any:
    base = make_knowledge_base(runtime, identity, f"lineage {new_id().hex}")
    run_all(runtime, upload(runtime, identity, base, RUNS.encode(), "runs.csv", label="first"))
    (table,) = client.get(f"/v1/knowledge-bases/{base}/tables").json()["items"]
    wanted = {"knowledge_base_id": str(base), "table_ids": [table["table_id"]]}
    made = client.post("/v1/datasets", json=wanted).json()
    return client("PATCH", f"/v1/datasets/{made['id']}", json={"steps": STEPS}).json()


def exported(client: Client, dataset: Any, **params: Any) -> bytes:
    answer = client.get(f"/v1/datasets/{dataset['id']}/export", params=params)
    assert answer.status_code == 200, answer.text
    return answer.content


def parquet(content: bytes, statement: str) -> list[tuple[Any, ...]]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.parquet").write_bytes(content)
        return duckdb.connect().execute(statement.format(f"'{folder}/a.parquet'")).fetchall()


def test_json_has_steps_their_hash_and_the_printed_cells(client: Client, dataset: Any) -> None:
    plain = json.loads(exported(client, dataset, format="json"))
    assert plain["rows"] == [["b", 25.0], ["a", 10.0]]
    assert (plain["dataset"]["sha256"], plain["dataset"]["revision"]) == (dataset["sha256"], 2)
    told = {"columns": dataset["source_columns"], "steps": plain["dataset"]["steps"]}
    canonical = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(canonical.encode()).hexdigest() == plain["dataset"]["sha256"]
    assert "cells" not in plain
    traced = json.loads(exported(client, dataset, format="json", lineage=True))
    cells = [[traced["cells"][one]["text"] for one in ids] for ids in traced["lineage"][0]]
    assert cells == [["b", "b"], ["20", "30"]]
    one = traced["cells"][traced["lineage"][1][1][0]]
    assert (one["document"], one["version"], one["page"], one["text"]) == ("runs.csv", "first", 1, "10")
    assert one["box"]["range"] == "B2"


def test_csv_and_parquet_have_the_sources_of_a_row_as_columns(client: Client, dataset: Any) -> None:
    text = exported(client, dataset, lineage=True).decode()
    first, second = csv.DictReader(io.StringIO(text))
    assert (first["mean [kg]"], second["mean [kg]"]) == ("25", "10")
    assert (first["source_documents"], first["source_versions"], first["source_pages"]) == ("runs.csv", "first", "1")
    assert first["steps_sha256"] == dataset["sha256"]
    places = {
        label: [one["box"]["range"] for one in found] for label, found in json.loads(second["source_cells"]).items()
    }
    assert places == {"Group": ["C2"], "mean": ["B2"]}
    content = exported(client, dataset, format="parquet", lineage=True)
    ((about,),) = parquet(content, "select decode(value) from parquet_kv_metadata({}) where decode(key) = 'autri'")
    assert json.loads(about)["sha256"] == dataset["sha256"]
    listed = parquet(
        content, "select source_versions, json_extract_string(source_cells, '$.mean[1].box.range') from {}"
    )
    assert listed == [("first", "B4"), ("first", None)]
    plain = exported(client, dataset, format="parquet")
    assert parquet(plain, "select * from {}") == [("b", 25.0), ("a", 10.0)]
    assert parquet(plain, "select count(*) from parquet_kv_metadata({}) where decode(key) = 'autri'") == [(1,)]


def test_a_workbook_has_a_sheet_of_sources_and_one_of_steps(client: Client, dataset: Any) -> None:
    with zipfile.ZipFile(io.BytesIO(exported(client, dataset, format="xlsx", lineage=True))) as archive:
        book = archive.read("xl/workbook.xml").decode()
        sources, about = (archive.read(f"xl/worksheets/sheet{at}.xml").decode() for at in (2, 3))
    assert [name in book for name in ('name="dataset"', 'name="sources"', 'name="about"')] == [True] * 3
    assert sources.count("<row>") == 1 + 2 + 2 + 1 + 1
    assert "B4" in sources
    # Rows count from 1, below the header.
    assert (
        re.findall(r"<row><c[^>]*><v>(\d+)</v>", sources)
        == ["1", "1", "1", "1", "2", "2"][: sources.count("<row>") - 1]
    )
    assert dataset["sha256"] in about


def test_too_many_cells_with_sources_are_refused_with_what_to_do(
    client: Client, dataset: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracing, "TRACED_MAX", 5)
    answer = client.get(f"/v1/datasets/{dataset['id']}/export", params={"lineage": True})
    assert (answer.status_code, "made of 6 printed cells" in answer.text) == (422, True)
    monkeypatch.setattr(tracing, "TRACED_MAX", 3)
    answer = client.get(f"/v1/datasets/{dataset['id']}/export", params={"lineage": True})
    assert (answer.status_code, "2 rows of 2 columns" in answer.text) == (422, True)
    assert client.get(f"/v1/datasets/{dataset['id']}/export").status_code == 200


def test_all_tables_are_exported_with_the_place_of_each_cell_where_that_is_asked(client: Client, dataset: Any) -> None:
    params: dict[str, Any] = {"knowledge_base_id": dataset["knowledge_base_id"]}

    def file(form: str, **more: Any) -> bytes:
        answer = client.get(f"/v1/exports/tables.{form}", params=params | more)
        assert answer.status_code == 200, answer.text
        return answer.content

    plain, placed = ([*csv.DictReader(io.StringIO(file("csv", lineage=one).decode()))] for one in (False, True))
    places = ["version", "cell_page", "box", "cell"]
    assert "box" not in plain[0]
    assert [{name: cell for name, cell in row.items() if name not in places} for row in placed] == plain
    one = next(row for row in placed if row["text"] == "30")
    assert (one["version"], one["cell_page"], json.loads(one["box"])["range"]) == ("first", "1", "B4")
    found = client.get(f"/v1/documents/{one['document_id']}/chunks").json()["items"]
    assert one["cell"] == f"{next(c['table_id'] for c in found if c.get('table_id'))}:3:1"
    statement = "select box, cell from {} where text = '30'"
    assert parquet(file("parquet", lineage=True), statement) == [(one["box"], one["cell"])]
    sheets = [
        zipfile.ZipFile(io.BytesIO(file("xlsx", lineage=lineage))).read("xl/workbook.xml").decode().count("<sheet ")
        for lineage in (False, True)
    ]
    assert sheets == [1, 2]


def test_tables_with_places_have_a_bound_of_their_own(
    client: Client, dataset: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.lab.datasets.exporting.TRACED_MAX", 5)
    params: dict[str, Any] = {"knowledge_base_id": dataset["knowledge_base_id"], "lineage": True}
    answer = client.get("/v1/exports/tables.xlsx", params=params)
    assert (answer.status_code, "leave out where they stand" in answer.text) == (422, True)
    assert client.get("/v1/exports/tables.xlsx", params=params | {"lineage": False}).status_code == 200
