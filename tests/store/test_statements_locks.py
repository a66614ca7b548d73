"""Which stored statements lock the rows that they answer, and what they do with rows that somebody else has locked."""

from collections.abc import Iterator, Mapping
from typing import Any

import psycopg
import pytest
from psycopg import sql

from shared.adapters.local.postgres import APPLICATION, EmbeddedPostgres
from tests.store.filling import Connection, Filled, Place, superuser
from tests.store.leaks import Wish, acting
from tests.store.neighbours import settle
from tests.store.statements import statements, values_of
from tests.store.test_statements_acting import put

# Statement → the table whose row it locks, the states in which it answers it, and parameters.
WAITS: dict[str, tuple[str, Mapping[str, Any], Mapping[str, Any]]] = {
    "datasets.lock_dataset": ("datasets", {}, {}),
    "digest_writes.lock": ("digests", {}, {}),
    "documents.find_by_hash": ("documents", {}, {}),
    "edits.lock_revision": ("documents", {}, {}),
    "evaluation.gold_by_key": ("gold_questions", {"key": "a key"}, {"keys": ["a key"]}),
    "ingestions.lock_run": ("ingestions", {}, {}),
    "joining.get_domain": ("domains", {}, {}),
    "lexical.lock_document": ("documents", {}, {}),
    "notebooks.lock_notebook": ("notebooks", {}, {}),
    "members.lock_member": ("users", {}, {}),
    "sources.lock_source": ("sources", {}, {}),
    "documents.hold": ("documents", {}, {}),
    "attribute_schema.current_shared": ("knowledge_bases", {}, {}),
    "attribute_schema.lock": ("knowledge_bases", {}, {}),
    "attribute_schema.lock_document": ("documents", {}, {}),
    "attributes.date_chunks": ("knowledge_bases", {}, {}),
}
PASSES_BY: dict[str, tuple[str, Mapping[str, Any], Mapping[str, Any]]] = {
    "archive_jobs.hold_archive_job": ("archive_jobs", {}, {}),
    "erasure.hold_erasure": ("erasures", {}, {}),
    "ingestions.claim": ("ingestions", {"status": "queued"}, {}),
    "ingestions.abandoned_uploads": ("ingestions", {"status": "waiting", "created_at": "2020-01-01"}, {}),
    "webhooks.lease_delivery": ("webhook_deliveries", {"due_at": "2020-01-01"}, {}),
    "lexical.try_lock_document": ("documents", {}, {}),
    "lexical_statistics.unfolded_documents": ("lexical_documents", {"folded": False}, {}),
}


@pytest.fixture(scope="module")
def settled(postgres: EmbeddedPostgres, database_name: str, filled: Filled) -> Place:
    """The only rows of their knowledge base."""
    with superuser(postgres, database_name) as connection:
        (place,) = settle(connection, filled, filled.places[1], range(1, 2))
        return place


@pytest.fixture
def another(postgres: EmbeddedPostgres, database_name: str) -> Iterator[Connection]:
    with superuser(postgres, database_name) as connection:
        yield connection
        connection.rollback()


def test_every_statement_that_locks_a_row_is_listed() -> None:
    locking = {name for name, text in statements().items() if text_locks(text)}
    assert locking == {*WAITS, *PASSES_BY}


def text_locks(text: str) -> bool:
    return any(
        f" for {lock}" in f" {' '.join(text.split())}" for lock in ("update", "no key update", "share", "key share")
    )


@pytest.mark.parametrize("name", sorted({**WAITS, **PASSES_BY}))
def test_a_row_that_is_answered_stays_locked(
    filled: Filled, settled: Place, everywhere: Connection, another: Connection, name: str
) -> None:
    check_locked(filled, settled, everywhere, another, name)


def check_locked(filled: Filled, settled: Place, everywhere: Connection, another: Connection, name: str) -> None:
    table, states, parameters = (WAITS | PASSES_BY)[name]
    prepare(another, filled, settled, table, states)
    with acting(everywhere, APPLICATION, Wish(settled.organization_id, (settled.knowledge_base_id,))):
        run(everywhere, filled, settled, name, parameters)
        with pytest.raises(psycopg.errors.LockNotAvailable):
            another.execute(lock(table) + sql.SQL(" nowait"), (row_id(filled, settled, table),))
    another.rollback()


@pytest.mark.parametrize("name", sorted({**WAITS, **PASSES_BY}))
def test_a_locked_row_is_waited_for_or_passed_by(
    filled: Filled, settled: Place, everywhere: Connection, another: Connection, name: str
) -> None:
    check_waiting(filled, settled, everywhere, another, name)


def check_waiting(filled: Filled, settled: Place, everywhere: Connection, another: Connection, name: str) -> None:
    table, states, parameters = (WAITS | PASSES_BY)[name]
    prepare(another, filled, settled, table, states)
    another.execute(lock(table), (row_id(filled, settled, table),))
    with acting(everywhere, APPLICATION, Wish(settled.organization_id, (settled.knowledge_base_id,))):
        everywhere.execute("set local lock_timeout = '100ms'")
        if name in PASSES_BY:
            assert run(everywhere, filled, settled, name, parameters) == []
        else:
            with pytest.raises(psycopg.errors.LockNotAvailable):
                run(everywhere, filled, settled, name, parameters)
    another.rollback()


def prepare(connection: Connection, filled: Filled, place: Place, table: str, states: Mapping[str, Any]) -> None:
    """Stored for everybody to see; the others of the knowledge base go."""
    if any(column["name"] == "knowledge_base_id" for column in filled.columns[table]):
        statement = sql.SQL("delete from {} where knowledge_base_id = %s and {} <> %s")
        key = sql.Identifier(key_of(table))
        values = (place.knowledge_base_id, row_id(filled, place, table))
        connection.execute(statement.format(sql.Identifier(table), key), values)
    put(connection, filled, place, table, dict(states))
    connection.commit()


def row_id(filled: Filled, place: Place, table: str) -> Any:
    return filled.rows[place][table][key_of(table)]


def lock(table: str) -> sql.Composed:
    names = sql.Identifier(table), sql.Identifier(key_of(table))
    return sql.SQL("select from {} where {} = %s for update").format(*names)


def key_of(table: str) -> str:
    return {"lexical_documents": "document_id", "digests": "knowledge_base_id"}.get(table, "id")


def run(connection: Connection, filled: Filled, place: Place, name: str, parameters: Mapping[str, Any]) -> list[Any]:
    text = statements()[name]
    result = connection.execute(text.encode(), values_of(filled, place, name, text) | dict(parameters))
    return result.fetchall() if result.description else []
