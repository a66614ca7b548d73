"""Datasets over versions of a document: where rows come from, newer tables in place of older ones, and the history."""

from typing import Any
from uuid import UUID

import pytest

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.pipeline import make_knowledge_base, run_all, upload

FIRST = "Model,Mass (kg),Seeds\nKite,10,3\nHeron,20,5\n"
SECOND = "Model,Mass (kg),Seeds\nKite,11,3\nHeron,20,6\nCrane,30,7\n"
THIRD = "Model,Weight (kg),Seeds,Open\nKite,12,three,yes\nHeron,20,four,no\n"


class Versions:
    """A knowledge base with three versions of one file, and requests about its datasets."""

    def __init__(self, runtime: Runtime, identity: Identity, client: Client) -> None:
        self.client = client
        self.base = make_knowledge_base(runtime, identity, f"versions {new_id().hex}")
        self.documents: list[str] = []
        older: UUID | None = None
        for text, label in ((FIRST, "May"), (SECOND, None), (THIRD, None)):
            sent = upload(runtime, identity, self.base, text.encode(), "runs.csv", version_of=older, label=label)
            self.documents.append(str(run_all(runtime, sent)["document_id"]))
            older = UUID(self.documents[-1])
        found = self.ask("GET", f"/knowledge-bases/{self.base}/tables", params={"superseded": True})["items"]
        self.tables = {one["document_id"]: one["table_id"] for one in found}

    def ask(self, method: str, path: str, status: int = 200, **options: Any) -> Any:
        answer = self.client(method, f"/v1{path}", **options)
        assert answer.status_code == status, answer.text
        return answer.json()

    def make(self, version: int, **more: Any) -> Any:
        body = {"knowledge_base_id": str(self.base), "table_ids": [self.tables[self.documents[version]]], **more}
        return self.ask("POST", "/datasets", 201, json=body)

    def replace(self, dataset: Any, old: int, new: int, status: int = 200, **more: Any) -> Any:
        table = self.tables[self.documents[new]]
        wanted = {"tables": [{"document_id": self.documents[old], "table_id": table}], **more}
        return self.ask("PATCH", f"/datasets/{dataset['id']}", status, json=wanted)

    def rows(self, dataset: Any, **params: Any) -> Any:
        return self.ask("GET", f"/datasets/{dataset['id']}/rows", params=params)


@pytest.fixture(scope="module")
def versions(runtime: Runtime, identity: Identity, client: Client) -> Versions:
    return Versions(runtime, identity, client)


def test_the_same_table_of_several_versions_says_which_one_a_row_comes_from(versions: Versions) -> None:
    made = versions.make(0, alike=True, superseded=True)
    found = versions.rows(made)
    assert [one["label"] for one in found["columns"]] == ["Model", "Mass (kg)", "Seeds", "Document", "Version"]
    assert [(row[0], row[1], row[3], row[4]) for row in found["rows"]] == [
        ("Kite", 10, "runs.csv", "May"), ("Heron", 20, "runs.csv", "May"),
        ("Kite", 11, "runs.csv", "2"), ("Heron", 20, "runs.csv", "2"), ("Crane", 30, "runs.csv", "2"),
    ]  # fmt: skip
    (cell,) = versions.ask("POST", f"/datasets/{made['id']}/sources", json={"row": 2, "column": 1})["cells"]
    assert (cell["document_id"], cell["text"], cell["box"] is not None) == (versions.documents[1], "11", True)
    assert versions.ask("POST", f"/datasets/{made['id']}/sources", json={"row": 2, "column": 4})["cells"] == []
    assert [one["version"] for one in made["sources"]] == ["May", "2"]
    assert {one["newest_id"] for one in made["sources"]} == {versions.documents[2]}
    assert [one["newest_id"] for one in versions.make(2)["sources"]] == [None]


def test_where_a_row_comes_from_is_missing_where_it_is_of_several_versions(versions: Versions) -> None:
    made = versions.make(0, alike=True, superseded=True, origin=False)
    assert (made["steps"], len(versions.rows(made)["columns"])) == (0, 3)
    steps = [
        {"op": "group", "by": ["Model"], "aggregates": [{"function": "count", "name": "times"}]},
        {"op": "origin", "document": "from", "version": "v"},
    ]
    found = versions.ask("POST", f"/datasets/{made['id']}/preview", json={"steps": steps})
    assert found["rows"] == [
        ["Kite", 2, "runs.csv", None], ["Heron", 2, "runs.csv", None], ["Crane", 1, "runs.csv", "2"],
    ]  # fmt: skip


def test_a_newer_table_takes_the_place_of_an_older_one_which_stays_readable(versions: Versions) -> None:
    made = versions.make(1)
    assert made["sources"][0]["newest_id"] == versions.documents[2]
    corrected = versions.ask(
        "PATCH", f"/datasets/{made['id']}", json={"columns": [{"column": "Model", "label": "System"}]}
    )
    newer = versions.replace(corrected, 1, 2)
    assert (newer["revision"], newer["rows"], newer["missing"], newer["sources"][0]["newest_id"]) == (3, 2, 0, None)
    assert [(one["label"], one["type"], one["unit"]) for one in newer["source_columns"]] == [
        ("System", "text", None), ("Weight (kg)", "quantity", "kg"), ("Seeds", "text", None), ("Open", "boolean", None),
    ]  # fmt: skip
    assert versions.rows(made)["rows"][0] == ["Kite", 12, "three", True]
    older = versions.rows(made, revision=2)
    assert [row[1] for row in older["rows"]] == [11, 20, 30]
    assert [one["label"] for one in older["columns"]] == ["System", "Mass (kg)", "Seeds"]
    body = {"row": 2, "column": 1, "revision": 2}
    (cell,) = versions.ask("POST", f"/datasets/{made['id']}/sources", json=body)["cells"]
    assert (cell["document_id"], cell["text"]) == (versions.documents[1], "30")


def test_the_history_says_what_changed(versions: Versions) -> None:
    made = versions.make(1)
    path = f"/datasets/{made['id']}"
    versions.ask("PATCH", path, json={"columns": [{"column": "Mass (kg)", "unit": "t", "label": "Mass"}]})
    versions.ask("PATCH", path, json={"steps": [{"op": "limit", "rows": 1}]})
    versions.replace(made, 1, 2)
    newest, third, second, first = versions.ask("GET", f"{path}/revisions")["items"]
    assert first["changes"] == []

    def told(revision: Any) -> list[tuple[Any, ...]]:
        return [(one["kind"], one["column"], one["before"], one["after"]) for one in revision["changes"]]

    assert told(second) == [("renamed", "Mass", "Mass (kg)", "Mass"), ("unit", "Mass", "kg", "t")]
    assert told(third) == [("steps", None, None, None)]
    assert told(newest) == [
        ("tables", None, None, None), ("removed", "Mass", None, None), ("added", "Weight (kg)", None, "quantity"),
        ("type", "Seeds", "integer", "text"), ("added", "Open", None, "boolean"),
    ]  # fmt: skip
    page = versions.ask("GET", f"{path}/revisions", params={"limit": 1})
    assert told(page["items"][0]) == told(newest)


def test_steps_that_do_not_fit_the_newer_table_keep_the_older_one(versions: Versions) -> None:
    made = versions.make(1)
    step = {"op": "filter", "where": "[Mass (kg)] > 15"}
    versions.ask("PATCH", f"/datasets/{made['id']}", json={"steps": [step]})
    refused = versions.replace(made, 1, 2, 422)
    assert "there is no column 'Mass (kg)'" in refused["detail"]
    assert (versions.ask("GET", f"/datasets/{made['id']}")["revision"], len(versions.rows(made)["rows"])) == (2, 2)
    fitting = versions.replace(made, 1, 2, steps=[{"op": "filter", "where": "[Weight (kg)] > 15"}])
    assert (fitting["revision"], versions.rows(made)["rows"][0][0]) == (3, "Heron")
    foreign = versions.replace(made, 0, 1, 422)
    assert "has no table of the document" in foreign["detail"]
