"""What lies beside changes nothing: every stored statement does and tells the same whether its rows are alone or not.

The others are rows in all states, in the same knowledge base, and in another one of the scope where the statement is
about a knowledge base. Nothing has to be expected of a statement for that; one that is about others is named.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg import sql

from shared.adapters.local.postgres import APPLICATION, EmbeddedPostgres
from tests.store.filling import Connection, Filled, Place, superuser
from tests.store.leaks import Wish, acting, everything
from tests.store.neighbours import settle
from tests.store.statements import statements, values_of
from tests.store.test_statements import OF_THE_SCOPE
from tests.store.test_statements_beside import ABOUT_OTHERS, NOT_TWICE, named

SETS = 6


@pytest.fixture(scope="module")
def settled(postgres: EmbeddedPostgres, database_name: str, filled: Filled) -> list[Place]:
    """Sets of rows of the first knowledge base; the second has some too."""
    with superuser(postgres, database_name) as connection:
        settle(connection, filled, filled.places[1], range(10, 13))
        return settle(connection, filled, filled.places[0], range(1, 1 + SETS))


ABOUT = sorted(
    name
    for name, text in statements().items()
    if (named(text) or "%(knowledge_base_id)s" in text or "%(base)s" in text)
    and name not in ABOUT_OTHERS | NOT_TWICE | OF_THE_SCOPE
)


@contextmanager
def alone(connection: Connection, filled: Filled, place: Place, tables: list[str], *, in_base: bool) -> Generator[None]:
    """Without the rows of others: other knowledge bases', or all that are not of the place's own set."""
    with connection.transaction(force_rollback=True):
        connection.execute("set local session_replication_role = replica")
        for table in tables:
            names = {column["name"] for column in filled.columns[table]}
            own = filled.rows[place][table]
            if "knowledge_base_id" in names:
                connection.execute(
                    sql.SQL("delete from {} where knowledge_base_id <> %s").format(sql.Identifier(table)),
                    (place.knowledge_base_id,),
                )
            if not in_base and names & {"id", "line_id", "file_id", "document_id", "ingestion_id", "chunk_id"}:
                key = next(
                    k for k in ("id", "line_id", "file_id", "chunk_id", "document_id", "ingestion_id") if k in names
                )
                connection.execute(
                    sql.SQL("delete from {} where {} is distinct from %s").format(
                        sql.Identifier(table), sql.Identifier(key)
                    ),
                    (own[key],),
                )
        connection.execute("set local session_replication_role = origin")
        yield


def done(
    connection: Connection, scope: Wish, tables: list[str], text: str, values: dict[str, Any], *, raw: bool = False
) -> Any:
    """What the statement answers, and which rows it takes away and puts in their place."""
    before = {table: everything(connection, table) for table in tables}
    with acting(connection, APPLICATION, scope):
        answer: list[Any] = []
        try:
            result = connection.execute(text.replace("clock_timestamp()", "now()").encode(), values)
            answer = result.fetchall() if result.description else []
        except psycopg.errors.InsufficientPrivilege:
            pytest.skip("not for the application")
        connection.execute("reset role")
        after = {table: everything(connection, table) for table in tables}
    changes: list[tuple[str, str, str]] = []
    for table in tables:
        was, now = (sorted(map(str, rows[table].values())) for rows in (before, after))
        changes += [("-", table, row) for row in was if row not in now]
        changes += [("+", table, row) for row in now if row not in was]
    return answer if raw else sorted(map(str, answer)), changes


@pytest.mark.parametrize("name", ABOUT)
def test_what_lies_beside_changes_nothing(
    filled: Filled, settled: list[Place], everywhere: Connection, name: str
) -> None:
    text = statements()[name]
    tables = [table for table in filled.columns if table in text]
    ours, also_ours, _, _ = filled.places
    both = Wish(ours.organization_id, (ours.knowledge_base_id, also_ours.knowledge_base_id))
    # One transaction, so that it is the same time in all of it.
    with everywhere.transaction(force_rollback=True):
        for place in settled:
            values = values_of(filled, place, name, text)
            of_base = not named(text) or name.startswith("knowledge_bases.")
            with alone(everywhere, filled, place, tables, in_base=of_base):
                expected = done(everywhere, both, tables, text, values)
            assert done(everywhere, both, tables, text, values) == expected
