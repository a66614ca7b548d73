"""From a file to the side table of typed values."""

from typing import Any

import pytest

from shared.domain.scope import Identity, Scope
from shared.runtime import Runtime
from tests.pipeline import PRICES, chunk_rows, make_knowledge_base, run_all, scope_of, upload


@pytest.fixture(scope="module")
def prices(runtime: Runtime, identity: Identity) -> tuple[Scope, str]:
    scope = scope_of(identity, make_knowledge_base(runtime, identity, "prices"))
    event = upload(runtime, identity, scope.knowledge_base_ids[0], PRICES.read_bytes())
    return scope, str(run_all(runtime, event)["document_id"])


def stored(runtime: Runtime, scope: Scope, name: str | None = None) -> list[dict[str, Any]]:
    with runtime.database.transaction(scope) as connection:
        rows = connection.execute("select * from chunk_attributes order by chunk_id, name, ordinal").fetchall()
    return [row for row in rows if name in (None, row["name"])]


def test_every_raw_value_occurs_in_its_chunk_and_its_fragments_are_the_chunks(
    runtime: Runtime, prices: tuple[Scope, str]
) -> None:
    scope, document = prices
    chunks = {row["id"]: row for row in chunk_rows(runtime, scope, document)}
    rows = stored(runtime, scope)
    assert len(rows) > 400
    for row in rows:
        chunk = chunks[row["chunk_id"]]
        own = {reference for box in chunk["boxes"] for reference in box["fragment_ids"]}
        assert row["raw"] in chunk["content"]
        assert {reference.partition("[")[0] for reference in row["fragment_ids"]} <= own


def test_a_capacity_can_be_asked_for_in_another_unit(runtime: Runtime, prices: tuple[Scope, str]) -> None:
    scope, _ = prices
    cubic_metres_per_second = 31.2 * 0.028316846592 / 60
    found = [r for r in stored(runtime, scope, "capacity") if abs(r["value_number"] - cubic_metres_per_second) < 1e-9]
    assert [(row["raw"], row["printed_number"], row["printed_unit"], row["unit"]) for row in found] == [
        ("31.2 SCFM", 31.2, "[cft_i]{standard}/min", "m3/s{standard}")
    ]


def test_the_cells_of_a_row_are_typed_by_their_headers(runtime: Runtime, prices: tuple[Scope, str]) -> None:
    scope, _ = prices
    found = [r for r in stored(runtime, scope, "price") if r["route"] == "table" and r["value_number"] > 100_000]
    assert [(row["raw"], row["unit"]) for row in found] == [("121,500", "EUR")]


def test_the_copy_on_the_chunk_says_the_same(runtime: Runtime, prices: tuple[Scope, str]) -> None:
    scope, document = prices
    with runtime.database.transaction(scope) as connection:
        rows = connection.execute("select id, attrs from chunks where document_id = %s", (document,)).fetchall()
    attrs = {row["id"]: row["attrs"] for row in rows}
    for row in stored(runtime, scope):
        first = attrs[row["chunk_id"]][row["name"]]
        shown = [first, *first.get("also", [])][row["ordinal"]]
        assert (shown["raw"], shown["unit"]) == (row["raw"], row["printed_unit"])
