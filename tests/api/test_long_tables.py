"""Files with more rows than can be passages, really ingested; the limits are lowered, so that a long one is short."""

import json
import random
from collections.abc import Generator
from typing import Any

import pytest

from shared.contract import kept_key
from shared.domain.ids import new_id
from shared.domain.kept_rows import KeptBlock, Unseen
from shared.domain.scope import Identity
from shared.errors import RefusedFile
from shared.ingestion.event import Event
from shared.readers.sheets import cells
from shared.readers.sheets.document import open_delimited
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.pipeline import chunk_rows, make_knowledge_base, run_all, scope_of, upload
from tests.readers.workbooks import Made, workbook

ROWS, PASSAGES, BLOCK = 1_000, 100, 400
HEADER = ["id", "town", "mass (kg)", "note"]
# The parts: a window of passages, and the blocks behind it; each of these begins with a row that is a passage.
BLOCKS = 3


def lines() -> list[list[str]]:
    drawn = random.Random(7)
    found = [[f"R-{at:04d}", drawn.choice(["Bern", "Chur"]), f"{at / 4:.2f}", ""] for at in range(ROWS)]
    found[650] = ["R-0650", "Zug", "162.50", "Straße nach\nZanzibar"]
    found[651][3] = 'said "so", twice'
    return found


def written(rows: list[list[str]]) -> str:
    return "\n".join(",".join(f'"{one.replace(chr(34), chr(34) * 2)}"' if one else "" for one in row) for row in rows)


@pytest.fixture(scope="module", autouse=True)
def _low_limits() -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("PASSAGE_ROWS", PASSAGES + 1), ("BLOCK_ROWS", BLOCK)):
            patch.setattr(cells, name, value)
        yield


class Table:
    """A long file as it is stored."""

    def __init__(self, runtime: Runtime, identity: Identity, client: Client, data: bytes, name: str) -> None:
        self.runtime, self.client, self._identity = runtime, client, identity
        self.base = make_knowledge_base(runtime, identity, f"long {new_id().hex}")
        answer = run_all(runtime, upload(runtime, identity, self.base, data, name))
        self.event = Event.model_validate(answer)
        self.id = answer["document_id"]

    def ask(self, method: str, path: str, status: int = 200, **options: Any) -> Any:
        answer = self.client(method, f"/v1{path}", **options)
        assert answer.status_code == status, answer.text
        return answer.json()

    def dataset(self) -> Any:
        (table,) = self.ask("GET", f"/knowledge-bases/{self.base}/tables")["items"]
        wanted = {"knowledge_base_id": str(self.base), "table_ids": [table["table_id"]]}
        return self.ask("POST", "/datasets", 201, json=wanted)

    def search(self, query: str, **more: Any) -> Any:
        """The answer's hits, and what it says of rows that are no passages."""
        answer = self.ask("POST", "/search", json={"query": query, "knowledge_base_ids": [str(self.base)], **more})
        return answer["hits"], answer["rows_behind"]

    def chunks(self) -> list[Any]:
        return chunk_rows(self.runtime, scope_of(self._identity, self.base), self.id)

    def proof(self) -> Any:
        return self.ask("GET", f"/documents/{self.id}/verify?refresh=true")


@pytest.fixture(scope="module")
def table(runtime: Runtime, identity: Identity, client: Client) -> Table:
    return Table(runtime, identity, client, written([HEADER, *lines()]).encode(), "long.csv")


def test_rows_of_a_long_table_are_a_dataset_and_only_the_first_are_passages(table: Table) -> None:
    assert [one["chunk_type"] for one in table.chunks()].count("table_row") == PASSAGES + BLOCKS
    found = table.ask("GET", f"/knowledge-bases/{table.base}/tables")["items"]
    assert [(one["rows"], one["header"]) for one in found] == [(ROWS, HEADER)]
    made = table.dataset()
    assert made["rows"] == ROWS
    window = table.ask("GET", f"/datasets/{made['id']}/rows?offset=640&limit=20")
    wanted = [[one[0], one[1], float(one[2]), " ".join(one[3].split()) or None] for one in lines()[640:660]]
    assert window["rows"] == wanted
    columns = {one["label"]: one for one in table.ask("GET", f"/datasets/{made['id']}/profile")["columns"]}
    assert (columns["id"]["distinct"], columns["note"]["missing"]) == (ROWS, ROWS - 2)
    assert sum(one["count"] for one in columns["mass (kg)"]["histogram"]) == ROWS


def test_a_cell_of_a_row_without_passage_leads_to_its_place_in_the_sheet(table: Table) -> None:
    made = table.dataset()
    wanted = {"row": 0, "column": 3, "steps": [{"op": "filter", "where": "town = 'Zug'"}]}
    (cell,) = table.ask("POST", f"/datasets/{made['id']}/sources", json=wanted)["cells"]
    # Row 652: the header, and the 651st row behind it.
    assert (cell["text"], cell["box"]["range"], cell["chunk_id"]) == ("Straße nach\nZanzibar", "D652", None)
    view = table.ask("GET", f"/documents/{table.id}/pages/{cell['page']}?include=fragments,operations&row=652")
    there = {one["place"]["range"]: one["text"] for one in view["fragments"]}
    assert there["D652"] == "Straße nach Zanzibar"
    assert view["kept"]["shown"][0] <= 652 <= view["kept"]["shown"][1]
    drawn = [cell for row in view["operations"][-1]["rows"] for cell in row if cell["fragment_ids"]]
    assert len(drawn) == len(there)


def test_what_is_no_passage_is_said_and_found_in_the_document(table: Table) -> None:
    said = table.ask("GET", f"/documents/{table.id}")["error"]
    assert said.startswith(f"{ROWS - PASSAGES - BLOCKS:,} rows")
    assert "by their words alone" in said
    pages = table.ask("GET", f"/documents/{table.id}/pages")["items"]
    assert [one["flags"] for one in pages] == [[]] + [["rows_not_searched"]] * BLOCKS
    assert not any(chunk["flags"] for chunk in table.ask("GET", f"/documents/{table.id}/chunks?limit=200")["items"])
    (found,) = table.ask("GET", f"/documents/{table.id}/rows?words=zanzibar%20STRASSE")
    assert (found["row"], found["cells"][0]) == (652, "R-0650")
    assert table.ask("GET", f"/documents/{table.id}/rows?words=%22so%22")[0]["row"] == 653
    assert table.ask("GET", f"/documents/{table.id}/rows?words=nowhere") == []
    assert len(table.ask("GET", f"/documents/{table.id}/rows?words=chur&limit=5")) == 5


def test_every_kept_row_is_proved(table: Table) -> None:
    report = table.proof()
    assert (report["ok"], report["failed"], report["failures"]) == (True, 0, [])


@pytest.mark.parametrize("forged", ["text", "number", "missing", "damaged"])
def test_a_forged_row_is_found(table: Table, forged: str) -> None:
    key = kept_key(table.event.work, 3)
    stored = table.runtime.blobs.get(key)
    block = KeptBlock.unpacked(stored)
    match forged:
        case "text":
            block.texts[2][7] = "1000000.00"
        case "number":
            block.numbers[-1] += 1
        case "missing":
            block = KeptBlock(block.sheet, block.places, block.numbers[:-1], [one[:-1] for one in block.texts])
        case _:
            pass
    table.runtime.blobs.put(key, stored[:-9] if forged == "damaged" else block.packed())
    try:
        checks = {(one["page"], one["check"]) for one in table.proof()["failures"]}
        assert (3, "rows") in checks
    finally:
        table.runtime.blobs.put(key, stored)


def test_a_long_workbook_is_read_so_too(runtime: Runtime, identity: Identity, client: Client) -> None:
    rows: list[list[str | float]] = [[*HEADER], *([one[0], one[1], float(one[2]), one[3]] for one in lines())]
    named = {f"{'ABCD'[at]}{number}": cell for number, row in enumerate(rows, 1) for at, cell in enumerate(row) if cell}
    table = Table(runtime, identity, client, workbook({"Masses": Made(named)}), "long.xlsx")
    made = table.dataset()
    assert made["rows"] == ROWS
    window = table.ask("GET", f"/datasets/{made['id']}/rows?offset=650&limit=1")
    assert window["rows"] == [["R-0650", "Zug", 162.5, "Straße nach Zanzibar"]]
    wanted = {"row": 650, "column": 2, "steps": []}
    (cell,) = table.ask("POST", f"/datasets/{made['id']}/sources", json=wanted)["cells"]
    assert (cell["box"]["sheet"], cell["box"]["range"]) == ("Masses", "C652")
    assert table.proof()["failures"] == []


@pytest.fixture(scope="module")
def hiding(runtime: Runtime, identity: Identity, client: Client) -> Table:
    """Of its rows two runs and one that is no passage are hidden, and the last column."""
    named = {
        f"{'ABCD'[at]}{number}": cell
        for number, row in enumerate([HEADER, *lines()], 1)
        for at, cell in enumerate(row)
        if cell
    }
    made = Made(named, hidden_rows=[20, *range(702, 706), 900], hidden_columns=[4])
    return Table(runtime, identity, client, workbook({"Masses": made}), "hiding.xlsx")


@pytest.mark.parametrize(
    ("code", "flags"),
    [
        ("R-0699", []), ("R-0700", ["hidden"]), ("R-0703", ["hidden"]), ("R-0704", []), ("R-0898", ["hidden"]),
        ("R-0650", ["partly_hidden"]),
    ],
)  # fmt: skip
def test_a_row_behind_passages_says_whether_its_source_hides_it(hiding: Table, code: str, flags: list[str]) -> None:
    _, behind = hiding.search(code)
    assert [(one["cells"][0]["value"], one["flags"]) for one in behind["hits"]] == [(code, flags)]
    answer = hiding.ask("POST", "/ask", json={"question": f"What is {code}?", "knowledge_base_ids": [str(hiding.base)]})
    cited = [hit for hit in answer["hits"] if hit["kept_row"] and code in hit["chunk"]["content"]]
    assert [(hit["chunk"]["flags"], hit["kept_row"]["flags"]) for hit in cited] == [(flags, flags)]


def test_the_inspector_marks_hidden_cells_of_rows_behind_passages(hiding: Table) -> None:
    view = hiding.ask("GET", f"/documents/{hiding.id}/pages/3?include=fragments,operations&row=652")
    there = {one["place"]["range"]: one.get("hidden", False) for one in view["fragments"]}
    assert [there[cell] for cell in ("A652", "D652", "A703", "A701")] == [False, True, True, False]
    assert hiding.proof()["failures"] == []


def test_a_hidden_row_that_is_stored_as_shown_is_found_by_the_proof(hiding: Table) -> None:
    key = kept_key(hiding.event.work, 3)
    stored = hiding.runtime.blobs.get(key)
    hiding.runtime.blobs.put(key, KeptBlock.unpacked(stored)._replace(hidden=Unseen()).packed())
    try:
        assert (3, "rows") in {(one["page"], one["check"]) for one in hiding.proof()["failures"]}
    finally:
        hiding.runtime.blobs.put(key, stored)


def test_all_rows_of_a_hidden_sheet_are_hidden(runtime: Runtime, identity: Identity, client: Client) -> None:
    named = {
        f"{'ABC'[at]}{number}": cell
        for number, row in enumerate([HEADER, *lines()], 1)
        for at, cell in enumerate(row[:3])
    }
    made = workbook({"Shown": Made({"A1": "oil"}), "Masses": Made(named, state="hidden")})
    _, behind = Table(runtime, identity, client, made, "hidden.xlsx").search("R-0700")
    assert [one["flags"] for one in behind["hits"]] == [["hidden"]]


def test_what_a_part_says_of_its_rows_is_proved_too(table: Table) -> None:
    block_key, file_key = kept_key(table.event.work, 3), f"{table.event.work}pages/3.json"
    stored, file = table.runtime.blobs.get(block_key), table.runtime.blobs.get(file_key)
    block = KeptBlock.unpacked(stored)._replace(sheet="Another")
    said = json.loads(file) | {"kept": block.described().model_dump()}
    table.runtime.blobs.put(block_key, block.packed())
    table.runtime.blobs.put(file_key, json.dumps(said).encode())
    try:
        assert {(one["page"], one["check"]) for one in table.proof()["failures"]} == {(3, "page")}
    finally:
        table.runtime.blobs.put(block_key, stored)
        table.runtime.blobs.put(file_key, file)


def test_numbers_without_a_header_are_one_table(
    runtime: Runtime, identity: Identity, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "PASSAGE_ROWS", 250)
    data = "".join(f"{at},{at * at}\n" for at in range(500)).encode()
    table = Table(runtime, identity, client, data, "numbers.csv")
    made = table.dataset()
    assert made["rows"] == 500
    assert table.ask("GET", f"/datasets/{made['id']}/rows?offset=499")["rows"] == [[499, 499 * 499]]
    assert table.proof()["failures"] == []


def test_a_wide_table_has_as_many_passages_as_its_cells_let_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("a,b,c,d\n" + "1,2,3,4\n" * 59)
    monkeypatch.setattr(cells, "MAX_CELLS", 100)
    source = open_delimited(path, None)
    kept = [block for part in range(1, source.page_count + 1) if (block := source.read_kept(part))]
    # Of 60 rows of four cells 25 are held; of those behind them one is a passage.
    assert [len(block.numbers) for block in kept] == [34]


def test_what_is_too_long_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    path = tmp_path / "long.csv"
    path.write_text("a,b\n" * 900)
    monkeypatch.setattr(cells, "MAX_LONG_ROWS", 800)
    with pytest.raises(RefusedFile, match=r"more than 800 rows.*divide it into several files"):
        open_delimited(path, None)
