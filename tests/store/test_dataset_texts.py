"""The texts of a table's cells as datasets read them."""

from hashlib import sha256
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.runtime import Runtime
from shared.store.datasets import texts_of_tables
from tests.store.seeding import Passage, add_base, add_document


def cell(text: str, **spans: int) -> dict[str, Any]:
    return {"text": text, "boxes": [], **spans}


@pytest.mark.parametrize(
    ("row", "read"),
    [
        ([cell("a"), cell("b", row_span=1, col_span=1)], ["a", "b"]),
        ([cell("a", row_span=2), cell("b")], [["a", 2, None], "b"]),
        ([cell("a"), cell("b", col_span=3, row_span=1)], ["a", ["b", 1, 3]]),
    ],
)
def test_a_cell_over_several_rows_or_columns_is_read_with_their_numbers(
    runtime: Runtime, identity: Identity, row: list[Any], read: list[Any]
) -> None:
    scope = add_base(runtime, identity, f"texts of tables {sha256(str(row).encode()).hexdigest()[:8]}")
    document, table = add_document(runtime, scope, "runs.csv", [Passage("runs")], source_type="csv"), new_id()
    values = {
        "organization_id": scope.organization_id,
        "base": scope.knowledge_base_ids[0],
        "document": document,
        "id": table,
        "grid": Jsonb([[cell("head")], row]),
    }
    with runtime.database.transaction(scope) as connection:
        connection.execute(
            "insert into tables (organization_id, knowledge_base_id, document_id, id, content_hash, occurrence,"
            " header_rows, caption, first_page, last_page, grid) values (%(organization_id)s, %(base)s, %(document)s,"
            " %(id)s, 'x', 0, 1, '', 1, 1, %(grid)s)",
            values,
        )
        assert texts_of_tables(connection, [table])[0]["rows"] == [["head"], read]
