"""A database that was indexed before keys existed: found at once, indexed anew while it is used."""

import psycopg
import pytest

from shared.adapters.local.postgres import OWNER, SUPERUSER, EmbeddedPostgres
from shared.domain.ids import new_id
from shared.domain.scope import Scope
from shared.store.connect import Database
from shared.store.lexical import reindex_stale
from shared.store.lexical_keys import base_number, keys_of
from shared.store.lexical_query import read_query
from shared.store.lexical_search import Limits, lexical_candidates
from shared.store.migrate import load_migrations, migrate
from shared.store.provision import provision_local
from shared.store.selection import Filters, Selection
from shared.store.tokenizer import TERM_SPACE, term_number, tokenizer_version

TEXT = "The wing is wide and the wing is low"
IMPACTS = {term_number("wing"): 1.3, term_number("wide"): 0.9, term_number("low"): 0.1374}


@pytest.fixture
def indexed_before(postgres: EmbeddedPostgres) -> tuple[str, Scope]:
    """(name of the database, scope of its one document), as the migrations before keys left it."""
    name = f"t_{new_id().hex}"
    postgres.create_database(name)
    earlier = [m for m in load_migrations() if m.name < "0009"]
    with psycopg.connect(postgres.dsn(OWNER, name), autocommit=True) as owner:
        owner.execute("create schema autri_meta")
        owner.execute(
            "create table autri_meta.migrations"
            " (name text primary key, checksum text not null, applied_at timestamptz not null default now())"
        )
        for migration in earlier:
            owner.execute(migration.text)  # pyright: ignore[reportArgumentType, reportCallIssue] our own files
            owner.execute(
                "insert into autri_meta.migrations (name, checksum) values (%s, %s)",
                (migration.name, migration.checksum),
            )
    provision_local(postgres.dsn(OWNER, name))
    return name, insert_document(postgres.dsn(SUPERUSER, name))


def insert_document(dsn: str) -> Scope:
    base, logical, document, chunk = new_id(), new_id(), new_id(), new_id()
    vector = "{" + ",".join(f"{i + 1}:{v}" for i, v in sorted(IMPACTS.items())) + "}/" + str(TERM_SPACE)
    with psycopg.connect(dsn) as connection:
        row = connection.execute("select id from organizations").fetchone()
        assert row is not None
        own = (row[0], base)
        connection.execute("insert into knowledge_bases values (%s, %s, 'base', 'Base', '')", own)
        connection.execute("insert into logical_documents values (%s, %s, %s, 'Doc')", (*own, logical))
        connection.execute(
            "insert into documents (organization_id, knowledge_base_id, id, logical_document_id, name, source_type,"
            " source_hash, source_key, size, status, version_index, is_current, serving)"
            " values (%s, %s, %s, %s, 'Doc', 'pdf', 'h', 'k', 1, 'ready', 1, true, true)",
            (*own, document, logical),
        )
        connection.execute(
            "insert into chunks (organization_id, knowledge_base_id, document_id, id, content_hash, occurrence,"
            " ordinal, chunk_type, content, index_text, index_hash, boxes, confidence, extractor_version)"
            " values (%s, %s, %s, %s, 'h', 0, 0, 'text', %s, %s, 'h', '[]', 1, 'x')",
            (*own, document, chunk, TEXT, f"Doc\n{TEXT}"),
        )
        connection.execute("insert into lexical_bases values (%s, %s, 4)", own)
        connection.execute(
            "insert into chunk_lexical values (%s, %s, %s, %s, 4, 4, 'h', 'before', %s)",
            (*own, document, chunk, vector),
        )
        connection.execute("insert into lexical_documents values (%s, %s, %s, 1, 4)", (*own, document))
    return Scope(organization_id=own[0], knowledge_base_ids=(base,))


def test_what_was_indexed_is_found_by_scan_and_by_keys_and_then_indexed_anew(
    postgres: EmbeddedPostgres, indexed_before: tuple[str, Scope]
) -> None:
    name, scope = indexed_before
    assert "0009_lexical_keys.sql" in migrate(postgres.dsn(OWNER, name))
    base = scope.knowledge_base_ids[0]
    with Database(postgres.dsn(database=name)) as database:
        with database.transaction(scope) as connection:
            row = connection.execute("select keys from chunk_lexical").fetchone()
            assert row is not None
            assert sorted(row["keys"]) == sorted(keys_of(base_number(base), IMPACTS.items()))
            query = read_query(connection, "wings")
            for limits in (Limits(), Limits(scanned_chunks=0)):
                found = lexical_candidates(connection, query, Selection(Filters()), 10, limits)
                assert len(found.candidates) == 1
                assert found.exact
        with database.transaction(scope) as connection:
            assert reindex_stale(connection, base) == 1
            assert reindex_stale(connection, base) == 0
            row = connection.execute("select tokenizer_version from chunk_lexical").fetchone()
            assert row == {"tokenizer_version": tokenizer_version()}
            assert len(
                lexical_candidates(connection, read_query(connection, "doc"), Selection(Filters()), 10).candidates
            )
