"""Every stored statement about a document, a chunk, a run … touches and tells of that one, not of the one beside it.

Both lie in one knowledge base, where row-level security lets a statement reach either: the statement alone tells them
apart. Where it names two rows that do not belong together, such as a document and another document's chunk, it
touches and tells of neither.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import psycopg
import pytest

from shared.adapters.local.postgres import APPLICATION, EmbeddedPostgres
from tests.store.filling import Connection, Filled, Place, fill_beside, superuser
from tests.store.leaks import Wish, acting, everything
from tests.store.statements import statements, values_of

# Parameters that name a row.
NAMING = {
    "id", "ids", "chunk_id", "document_id", "documents", "driver_documents", "ingestion_id", "logical_id",
    "logical_document_id", "current", "source", "hash", "source_hash", "index_hash", "gold", "key", "removed",
    "chunk_ids",
}  # fmt: skip


@pytest.fixture(scope="module")
def beside(postgres: EmbeddedPostgres, database_name: str, filled: Filled) -> Iterator[Place]:
    with superuser(postgres, database_name) as connection:
        yield fill_beside(connection, filled, filled.places[0])


# About others by their nature: what resembles a document, whatever a lock's number stands for, and all that the removed
# member signed in as.
ABOUT_OTHERS = {"suggestions.other_profiles", "maintenance.lock", "maintenance.unlock", "members.remove_member"}
# Its row is there already: it is for a document whose share was removed.
NOT_TWICE = {"lexical.store_shares"}

# They bring together whatever two rows they are given.
JOINING = {"ingestions.follow", "lexical_statistics.fold_totals"}


def own_values(filled: Filled, place: Place, other: Place) -> set[str]:
    """The ids and keys that only the rows of `place` have."""

    def values(of: Place) -> set[str]:
        found = chain.from_iterable(row.values() for row in filled.rows[of].values())
        return {str(value) for value in found if len(str(value)) > 20}

    return values(place) - values(other)


def lines_of(rows: dict[str, Any], own: set[str]) -> list[str]:
    """The rows, as text, in which one of the values stands, with their places: what is written anew moves."""
    return sorted(text for place in rows.items() if any(value in (text := str(place)) for value in own))


def asked(
    connection: Connection, filled: Filled, text: str, values: dict[str, Any], own: set[str]
) -> tuple[bool, bool]:
    """Whether the statement tells of a row with such values, and whether it changes one."""
    place = filled.places[0]
    tables = [table for table in filled.columns if table in text]
    before = {table: lines_of(everything(connection, table), own) for table in tables}
    with acting(connection, APPLICATION, Wish(place.organization_id, (place.knowledge_base_id,))):
        answer: list[Any] = []
        try:
            result = connection.execute(text.encode(), values)
            answer = result.fetchall() if result.description else []
        except psycopg.errors.InsufficientPrivilege:
            pytest.skip("not for the application")
        connection.execute("reset role")
        after = {table: lines_of(everything(connection, table), own) for table in tables}
    given = str([str(value) for value in values.values()])
    return any(value in str(answer) for value in own if value not in given), before != after


def named(text: str) -> set[str]:
    return {naming for naming in NAMING if f"%({naming})s" in text}


ABOUT_ROWS = sorted(name for name, text in statements().items() if named(text) and name not in ABOUT_OTHERS | NOT_TWICE)


@pytest.mark.parametrize("name", ABOUT_ROWS)
def test_a_statement_about_one_row_leaves_the_one_beside_it_alone(
    filled: Filled, beside: Place, everywhere: Connection, name: str
) -> None:
    text = statements()[name]
    own = own_values(filled, beside, filled.places[0])
    values = values_of(filled, filled.places[0], name, text)
    assert asked(everywhere, filled, text, values, own) == (False, False)


def compared(text: str) -> set[str]:
    """What names a row in conditions alone; elsewhere it would be written."""
    put, _, conditions = text.partition("where")
    return named(conditions) - named(put)


MIXED = [
    (name, naming)
    for name in ABOUT_ROWS
    if name not in JOINING
    for naming in sorted(compared(statements()[name]))
    if len(compared(statements()[name])) > 1
]


@pytest.mark.parametrize(("name", "naming"), MIXED)
def test_a_statement_about_rows_that_do_not_belong_together_leaves_the_one_beside_alone(
    filled: Filled, beside: Place, everywhere: Connection, name: str, naming: str
) -> None:
    text = statements()[name]
    own = own_values(filled, beside, filled.places[0])
    values = values_of(filled, filled.places[0], name, text)
    values[naming] = values_of(filled, beside, name, text)[naming]
    assert asked(everywhere, filled, text, values, own) == (False, False)
