"""What the planner knows of tables that have just grown: until autovacuum looks, it takes them for nearly empty."""

import random

import pytest
from psycopg import sql

from shared.digest import updates
from shared.digest.updates import follow_digest, update_digest
from shared.domain.digest import UpdateWish
from shared.domain.scope import Identity
from shared.ingestion.posting.records import post_records
from shared.runtime import Runtime
from shared.store.connect import Database
from shared.store.named_queries import load_queries
from shared.store.planner import follow_growth
from tests.api.test_records_together import base_with_kind, record
from tests.store.filling import Connection
from tests.store.seeding import Passage, add_base, add_document, section
from tests.store.test_lexical import looked_at


def test_records_that_are_posted_into_a_new_database_are_known_to_the_planner(
    runtime: Runtime, identity: Identity, everywhere: Connection
) -> None:
    assert known(everywhere, "chunks") <= 0
    base, numbers = base_with_kind(runtime, identity, "posting"), random.Random(3)
    post_records(runtime, identity, base, [record(f"P-{n}", numbers) for n in range(60)])
    assert known(everywhere, "chunks") > 100
    assert known(everywhere, "chunk_vectors") > 100


def test_what_has_grown_is_analyzed_and_once(runtime: Runtime, identity: Identity, everywhere: Connection) -> None:
    scope = add_base(runtime, identity, "growing")
    follow_growth(runtime.database)
    add_document(runtime, scope, "one", [Passage(f"Passage {n} of {n * 7} words") for n in range(5_000)])
    assert known(everywhere, "chunks") < 5_000
    assert follow_growth(runtime.database) > 0
    assert known(everywhere, "chunks") >= 5_000
    assert follow_growth(runtime.database) == 0


def test_a_digest_that_is_built_is_known_to_the_planner(
    runtime: Runtime, identity: Identity, everywhere: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = add_base(runtime, identity, "digested")
    for pump in range(20):
        said = [Passage(f"Part {n} of pump {pump} is oiled every {n * 7} weeks by its owner.") for n in range(60)]
        add_document(runtime, scope, f"pump {pump}", said)
    while update_digest(runtime, identity, scope.knowledge_base_ids[0], UpdateWish()).more:
        pass
    assert known(everywhere, "digest_statements") > 500
    assert known(everywhere, "digest_citations") > 500
    told = list[Database]()
    monkeypatch.setattr(updates, "follow_growth", told.append)
    add_document(runtime, scope, "another pump", [Passage("Another pump is oiled by nobody.")])
    assert follow_digest(runtime, scope) > 0
    assert told == [runtime.database]


def test_titles_are_read_of_the_chunks_that_are_asked_for_alone(
    runtime: Runtime, identity: Identity, everywhere: Connection
) -> None:
    """To the planner a knowledge base has a row; it read all its chunks, 150 ms of 100,000."""
    scope = add_base(runtime, identity, "titled")
    for number in range(10):
        passages = [Passage(f"Passage {n} of book {number}", section=n // 50) for n in range(1_000)]
        add_document(runtime, scope, f"book {number}", passages, [section(n, f"{n}", f"Title {n}") for n in range(20)])
    everywhere.execute("analyze chunks, sections")
    statement = load_queries("search")["titles_of_chunks"]
    with runtime.database.transaction(scope) as connection:
        listed = connection.execute("select id from chunks where chunk_type = 'text' order by ordinal, id limit 40")
        ids = [row["id"] for row in listed.fetchall()]
        assert len(connection.execute(statement, {"ids": ids}).fetchall()) == len(ids) == 40
        explained = connection.execute(f"explain (analyze, format json) {statement}".encode(), {"ids": ids}).fetchone()
    assert explained is not None
    assert looked_at(explained["QUERY PLAN"][0]["Plan"]) <= 10 * len(ids)


def test_what_no_statement_asks_for_is_not_analyzed(
    runtime: Runtime, identity: Identity, everywhere: Connection
) -> None:
    scope = add_base(runtime, identity, "columns")
    add_document(runtime, scope, "one", [Passage(f"Passage {n}") for n in range(3_000)])
    everywhere.rollback()
    everywhere.execute("analyze chunks")
    found = everywhere.execute(
        "select a.attname as name from pg_statistic s join pg_attribute a on a.attrelid = s.starelid"
        " and a.attnum = s.staattnum where s.starelid = 'chunks'::regclass"
    ).fetchall()
    everywhere.rollback()
    names = {row["name"] for row in found}
    assert {"document_id", "content_hash", "chunk_type"} <= names
    assert not {"boxes", "attrs"} & names


def test_what_was_posted_stays_where_the_analysis_fails(
    runtime: Runtime, identity: Identity, everywhere: Connection
) -> None:
    base, numbers = base_with_kind(runtime, identity, "unplanned"), random.Random(4)
    try:
        everywhere.execute("revoke execute on function analyze_grown() from autri_app, public")
        everywhere.commit()
        posted = post_records(runtime, identity, base, [record("P-1", numbers)])
        assert follow_growth(runtime.database) == 0
    finally:
        everywhere.execute("grant execute on function analyze_grown() to autri_app")
        everywhere.commit()
    assert [one.key for one in posted.records] == ["P-1"]


def known(connection: Connection, table: str) -> float:
    """How many rows the planner believes that a table has; -1 where it was never told."""
    connection.rollback()
    asked = sql.SQL("select reltuples as rows from pg_class where oid = %s::regclass")
    return (connection.execute(asked, (table,)).fetchone() or {})["rows"]
