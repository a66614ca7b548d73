"""A new version of a document: only what changed is embedded, and what stayed is known to have stayed."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

import pytest

from shared.domain.records import KindSchema, NewRecord
from shared.domain.scope import Identity, Scope
from shared.ingestion.posting.records import post_records, put_kind
from shared.library.changes import find_changes
from shared.ports import Embedder, Spent, Vectors, for_nothing
from shared.runtime import Embedders, Runtime
from tests.pipeline import chunk_rows, make_knowledge_base, run_all, run_stage, scope_of, upload
from tests.readers.test_docx import p, tc, write_docx
from tests.readers.workbooks import Made, workbook

ROWS = 40
FEW_ROWS = 3


class Counted:
    """An embedder that keeps what it was asked to embed."""

    def __init__(self, behind: Embedder) -> None:
        self._behind = behind
        self.version, self.dimensions = behind.version, behind.dimensions
        self.texts: list[str] = []

    def embed_passages(self, texts: Sequence[str], spent: Spent = for_nothing) -> Vectors:
        self.texts += texts
        return self._behind.embed_passages(texts, spent)

    def embed_query(self, text: str) -> Vectors:
        return self._behind.embed_query(text)


@pytest.fixture
def counted(runtime: Runtime) -> Counted:
    return Counted(runtime.embedder)


@pytest.fixture
def counting(runtime: Runtime, counted: Counted) -> Runtime:
    return replace(runtime, embedders=Embedders(lambda: counted.version, lambda _: counted))


@pytest.fixture(scope="module")
def scope(runtime: Runtime, identity: Identity) -> Scope:
    return scope_of(identity, make_knowledge_base(runtime, identity, "incremental"))


def csv(rows: int, prices: dict[int, str], word: str) -> bytes:
    lines = [f"{word} {n},hall {n % 7},{prices.get(n, f'{n}.50 EUR')}" for n in range(1, rows + 1)]
    return "\n".join(["Part,Place,Price", *lines, ""]).encode()


def xlsx(rows: int, prices: dict[int, str], word: str) -> bytes:
    cells: dict[str, Any] = {"A1": "Part", "B1": "Place", "C1": "Price"}
    for n in range(1, rows + 1):
        cells |= {f"A{n + 1}": f"{word} {n}", f"B{n + 1}": f"hall {n % 7}", f"C{n + 1}": prices.get(n, f"{n}.50 EUR")}
    return workbook({"Parts": Made(cells)})


def ingested(
    runtime: Runtime, identity: Identity, scope: Scope, name: str, data: bytes, version_of: UUID | None = None
) -> UUID:
    event = upload(runtime, identity, scope.knowledge_base_ids[0], data, name, version_of)
    return UUID(str(run_all(runtime, event)["document_id"]))


def html(rows: int, prices: dict[int, str], word: str) -> bytes:
    cells = [(f"{word} {n}", f"hall {n % 7}", prices.get(n, f"{n}.50 EUR")) for n in range(1, rows + 1)]
    body = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in cells)
    head = "<tr><th>Part</th><th>Place</th><th>Price</th></tr>"
    return f"<html><body><h1>Parts of {word}</h1><table>{head}{body}</table></body></html>".encode()


def docx(rows: int, prices: dict[int, str], word: str) -> bytes:
    cells = [("Part", "Place", "Price")]
    cells += [(f"{word} {n}", f"hall {n % 7}", prices.get(n, f"{n}.50 EUR")) for n in range(1, rows + 1)]
    table = "".join(f"<w:tr>{''.join(tc(cell) for cell in row)}</w:tr>" for row in cells)
    with TemporaryDirectory() as folder:
        made = write_docx(Path(folder) / "made.docx", f"{p(f'Parts of {word}.')}<w:tbl>{table}</w:tbl>")
        return made.read_bytes()


@pytest.mark.parametrize(("ending", "made"), [("csv", csv), ("xlsx", xlsx), ("html", html), ("docx", docx)])
@pytest.mark.parametrize("rows", [FEW_ROWS, ROWS])
def test_of_a_changed_cell_its_row_and_what_holds_it_are_embedded_and_nothing_else(
    counting: Runtime, counted: Counted, identity: Identity, scope: Scope, ending: str, made: Any, rows: int
) -> None:
    name = f"parts {rows}.{ending}"
    first = ingested(counting, identity, scope, name, made(rows, {}, f"{ending}{rows}"))
    assert len(counted.texts) > rows
    counted.texts.clear()
    second = ingested(counting, identity, scope, name, made(rows, {2: "77.25 EUR"}, f"{ending}{rows}"), first)
    before, after = (chunk_rows(counting, scope, document) for document in (first, second))
    changed = [b for a, b in zip(before, after, strict=True) if a["content"] != b["content"]]
    assert all("77.25 EUR" in one["content"] for one in changed)
    assert [one["chunk_type"] for one in changed].count("table_row") == 1
    assert {one["chunk_type"] for one in changed} <= {"table", "table_row"}
    assert len(counted.texts) == len(changed)
    assert all("77.25 EUR" in text for text in counted.texts)
    told = find_changes(counting, identity, second)
    assert told is not None
    assert (told.changed, told.added, told.removed, told.same) == (len(changed), 0, 0, len(after) - len(changed))
    assert {item.id for item in told.items} == {one["id"] for one in changed}
    assert {item.before_id for item in told.items} == {
        a["id"] for a, b in zip(before, after, strict=True) if a["content"] != b["content"]
    }
    assert find_changes(counting, identity, first) is None


def test_a_version_with_a_row_more_embeds_that_row_and_a_re_run_embeds_nothing(
    counting: Runtime, counted: Counted, identity: Identity, scope: Scope
) -> None:
    first = ingested(counting, identity, scope, "stock.csv", csv(ROWS, {}, "stock"))
    counted.texts.clear()
    second = ingested(counting, identity, scope, "stock.csv", csv(ROWS + 1, {}, "stock"), first)
    assert [text for text in counted.texts if f"stock {ROWS + 1}" not in text] == []
    ids = [row["id"] for row in chunk_rows(counting, scope, second)]
    counted.texts.clear()
    event = {
        "organization_id": str(identity.organization_id), "knowledge_base_id": str(scope.knowledge_base_ids[0]),
        "document_id": str(second), "schema": 1,
    }  # fmt: skip
    with counting.database.transaction(scope) as connection:
        run = connection.execute("select run_id from documents where id = %s", (second,)).fetchone() or {}
    for stage in ("finalize", "embed"):
        run_stage(counting, stage, event | {"ingestion_id": str(run["run_id"])})
    assert counted.texts == []
    assert [row["id"] for row in chunk_rows(counting, scope, second)] == ids


@pytest.mark.parametrize("others", [0, 3])
def test_of_a_changed_field_of_a_record_its_group_is_embedded_and_nothing_else(
    counting: Runtime, counted: Counted, identity: Identity, scope: Scope, others: int
) -> None:
    base, kind = scope.knowledge_base_ids[0], f"pump{others}"
    group = {"type": "object", "properties": {"model": {"type": "string"}, "power": {"type": "number"}}}
    schema = {"type": "object", "properties": {"number": {"type": "string"}, "motor": group, "seal": group}}
    put_kind(counting, identity, base, kind, KindSchema(json_schema=schema, key_field="number"))

    def record(number: int, power: float) -> NewRecord:
        own = {"model": f"{kind} M{number}", "power": power}
        values = {"number": f"{kind}-{number}", "motor": own, "seal": {"model": f"{kind} S{number}", "power": 0.5}}
        return NewRecord(kind=kind, values=values)

    post_records(counting, identity, base, [record(number, 7.25) for number in range(others + 1)])
    assert len(counted.texts) > 4
    counted.texts.clear()
    again = [record(0, 9.75), *(record(number, 7.25) for number in range(1, others + 1))]
    changed = post_records(counting, identity, base, again)
    assert (changed.stored, changed.duplicates) == (1, others)
    assert ["9.75" in text for text in counted.texts] == [True]
    told = find_changes(counting, identity, changed.records[0].id)
    assert told is not None
    assert (told.changed, told.added, told.removed) == (1, 0, 0)
