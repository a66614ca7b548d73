"""From a spreadsheet to rows that are found: with their header, their sheet, their cells, their typed values."""

from typing import Any
from uuid import UUID

import pytest

from shared.domain.scope import Identity, Scope
from shared.library.verification import verify_stored_document
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from tests.pipeline import chunk_rows, make_knowledge_base, run_all, scope_of, upload
from tests.readers.workbooks import Made, workbook

PRICES = Made(
    {
        "A1": "Oilless compressors",
        "A3": "Model", "B3": "Motor power [kW]", "C3": "Price [EUR]",
        "A4": "TA-15", "B4": (11.2, "0.0"), "C4": (12450, "#,##0.00"),
        "A5": "TA-20", "B5": (14.9, "0.0"), "C5": (15900.5, "#,##0.00"),
    }
)  # fmt: skip


@pytest.fixture(scope="module")
def scope(runtime: Runtime, identity: Identity) -> Scope:
    return scope_of(identity, make_knowledge_base(runtime, identity, "sheets"))


def ingested(runtime: Runtime, identity: Identity, scope: Scope, name: str, data: bytes) -> UUID:
    event = upload(runtime, identity, scope.knowledge_base_ids[0], data, name=name)
    return UUID(str(run_all(runtime, event)["document_id"]))


def proved(runtime: Runtime, identity: Identity, document: UUID) -> int:
    """The number of chunks, all of them proved."""
    report = verify_stored_document(runtime, identity, document)
    assert (report.ok, report.failures, report.warnings) == (True, [], [])
    assert (report.verbatim, report.unclaimed_fragments) == (report.chunks, 0)
    return report.chunks


def rows_of(runtime: Runtime, scope: Scope, document: UUID) -> list[dict[str, Any]]:
    return [row for row in chunk_rows(runtime, scope, document) if row["chunk_type"] == "table_row"]


def test_a_row_of_a_workbook_is_found_and_proved_with_its_cells(
    runtime: Runtime, identity: Identity, scope: Scope
) -> None:
    document = ingested(runtime, identity, scope, "prices.xlsx", workbook({"List 2024": PRICES}))
    assert proved(runtime, identity, document) == 5
    first, second = rows_of(runtime, scope, document)
    assert [first["boxes"][0][key] for key in ("kind", "sheet", "range")] == ["sheet", "List 2024", "A4:C4"]
    assert "15,900.50" in second["content"]
    bases = list(scope.knowledge_base_ids)
    found = search(runtime, identity, SearchRequest(query="motor power of TA-20", knowledge_base_ids=bases))
    assert second["id"] in [hit.chunk.id for hit in found.hits][:2]
    with runtime.database.transaction(scope) as connection:
        values = connection.execute(
            "select printed_number, printed_unit from chunk_attributes where chunk_id = %s", (second["id"],)
        ).fetchall()
    assert {(value["printed_number"], value["printed_unit"]) for value in values} >= {(14.9, "kW")}


def test_the_windows_of_a_long_table_are_tables_with_the_same_header(
    runtime: Runtime, identity: Identity, scope: Scope
) -> None:
    lines = ["Part;Mass [kg]", *(f"bolt {n};{n / 4}" for n in range(1, 451))]
    document = ingested(runtime, identity, scope, "parts.csv", "\n".join(lines).encode())
    assert proved(runtime, identity, document) == 450 + 3
    rows = rows_of(runtime, scope, document)
    assert [row["boxes"][0]["range"] for row in (rows[0], rows[-1])] == ["A2:B2", "A451:B451"]
    with runtime.database.transaction(scope) as connection:
        tables = connection.execute(
            "select header_rows, jsonb_array_length(grid) as rows from tables where document_id = %s"
            " order by first_page",
            (document,),
        ).fetchall()
    assert [(table["header_rows"], table["rows"]) for table in tables] == [(1, 201), (1, 201), (1, 51)]


def test_short_dates_of_a_column_are_filtered_by_day_and_shown_as_written(
    runtime: Runtime, identity: Identity, scope: Scope
) -> None:
    lines = ["Boat,Launched", "Curlew,12/31/98", "Dunlin,1/2/99", "Egret,10/14/03"]
    document = ingested(runtime, identity, scope, "launches.csv", "\n".join(lines).encode())
    assert proved(runtime, identity, document) == 4
    request = SearchRequest(
        query="boat",
        knowledge_base_ids=list(scope.knowledge_base_ids),
        where="launched >= 1999-01-02 and launched < 2003-01-01",
    )
    (hit,) = search(runtime, identity, request).hits
    assert "1/2/99" in hit.chunk.content
