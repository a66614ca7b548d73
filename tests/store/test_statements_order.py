"""In which order stored statements answer, key by key: what callers page by, and which row is the one of `limit 1`.

Each key is shown where all keys before it are equal and all keys behind it would say the contrary.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from psycopg import sql

from shared.adapters.local.postgres import APPLICATION, EmbeddedPostgres
from tests.store.acting_cases import At, Own
from tests.store.filling import Connection, Filled, Place, superuser
from tests.store.leaks import Wish, acting
from tests.store.neighbours import settle
from tests.store.statements import statements, values_of
from tests.store.test_statements_acting import meant, put

ROWS = 4
NUMBERS, TEXTS = [1, 2, 3, 4], ["a", "b", "c", "d"]
TIMES = [f"2020-01-0{day}" for day in NUMBERS]


@dataclass(frozen=True)
class Order:
    """`keys`: columns of the table with their values in the order that is expected; without values the rows' own,
    which go up, or down where `down`. A row is known by the answer's column `tell`, which is its own `known_by`.
    `also`: columns of the sets' rows in other tables.
    """

    statement: str
    table: str
    keys: Mapping[str, list[Any] | None]
    down: bool = False
    states: Mapping[str, Any] = field(default_factory=dict[str, Any])
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tell: str = "id"
    known_by: str = "id"
    also: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])


_ID: dict[str, list[Any] | None] = {"id": None}
_MADE: dict[str, list[Any] | None] = {"created_at": TIMES, "id": None}
_OF_DOCUMENT = {"document_id": Own("documents")}
ORDERS = [
    Order(
        "archive.open_documents", "documents", _ID, states={"documents.status": "queued"}, tell="name", known_by="name"
    ),
    Order("archive.documents", "documents", _ID),
    Order("archive.served_documents", "documents", _ID, states={"documents.serving": True}),
    Order(
        "attributes.list_candidates",
        "attribute_candidates",
        {"count": NUMBERS[::-1], "name": TEXTS},
        tell="name",
        known_by="name",
    ),
    Order("audit.list_entries", "audit_log", _ID, down=True, tell="act", known_by="act"),
    Order(
        "documents.find_named",
        "logical_documents",
        _MADE,
        states={"logical_documents.name": "some text"},
        known_by="documents.id",
    ),
    Order("edits.list_edits", "edits", _ID, down=True, states=_OF_DOCUMENT),
    Order("edits.active_edits", "edits", _ID, states=_OF_DOCUMENT | {"undone_at": None}),
    Order(
        "edits.read_pages",
        "pages",
        {"page": NUMBERS},
        states=_OF_DOCUMENT | {"status": "ready"},
        tell="page",
        known_by="page",
    ),
    Order("evaluation.list_gold", "gold_questions", _ID),
    Order("evaluation.list_runs", "eval_runs", _ID, down=True, parameters={"id": None}),
    Order("evaluation.named_documents", "documents", _ID, states={"serving": True}),
    Order("ingestions.claim", "ingestions", _MADE, states={"status": "queued"}),
    Order(
        "ingestions.lost",
        "ingestions",
        _MADE,
        states={"status": "queued", "duplicate": False, "lease_owner": None, "started_at": At(-9)},
    ),
    Order(
        "ingestions.read_ingestions",
        "ingestions",
        {"created_at": TIMES[::-1], "id": None},
        down=True,
        parameters={"id": None},
    ),
    Order(
        "ingestions.former_runs",
        "ingestions",
        _ID,
        down=True,
        states={"status": "ready", "duplicate": False, "page_count": 4, "document_id": Own("documents")},
    ),
    Order("ingestions.abandoned_uploads", "ingestions", _MADE, states={"status": "waiting"}),
    Order(
        "ingestions.failed_pages",
        "ingestion_pages",
        {"page": NUMBERS},
        states={"ingestion_id": Own("ingestions"), "error": "x"},
        tell="page",
        known_by="page",
    ),
    Order("joining.list_domains", "domains", _ID),
    Order("joining.list_group_roles", "group_roles", _ID),
    Order("keys.list_keys", "api_keys", _ID, states={"connected": False}, parameters={"owner": None}),
    Order(
        "connections.list_connections",
        "connections",
        _ID,
        states={"code_used_at": At(-9)},
        parameters={"owner": None},
    ),
    Order(
        "lexical_statistics.unfolded_documents",
        "lexical_documents",
        {"document_id": None},
        states={"folded": False},
        tell="document_id",
        known_by="document_id",
    ),
    Order("webhooks.list_webhooks", "webhooks", _ID, parameters={"id": None}),
    Order(
        "webhooks.list_deliveries",
        "webhook_deliveries",
        {"created_at": TIMES[::-1], "id": None},
        down=True,
        states={"webhook_id": Own("webhooks")},
        parameters={"id": None},
    ),
    Order(
        "webhooks.lease_delivery",
        "webhook_deliveries",
        {"due_at": TIMES, "created_at": TIMES},
        states={"webhook_id": Own("webhooks")},
    ),
    Order("library.list_documents", "documents", _ID, down=True),
    Order(
        "library.list_versions",
        "documents",
        {"version_index": NUMBERS},
        states={"logical_document_id": Own("logical_documents")},
    ),
    Order(
        "library.list_pages",
        "pages",
        {"page": NUMBERS},
        states=_OF_DOCUMENT,
        parameters={"after": 0},
        tell="page",
        known_by="page",
    ),
    Order(
        "library.list_chunks",
        "chunks",
        {"ordinal": NUMBERS, "id": None},
        states=_OF_DOCUMENT,
        parameters={"page": None},
    ),
    Order("library.list_sections", "sections", {"ordinal": NUMBERS, "id": None}, states=_OF_DOCUMENT),
    Order("library.document_ingestions", "ingestions", _ID, states=_OF_DOCUMENT),
    Order(
        "diff.chunks",
        "chunks",
        {"ordinal": NUMBERS, "id": None},
        states=_OF_DOCUMENT | {"chunk_type": "text", "content": "x"},
    ),
    Order("diff.sections", "sections", {"ordinal": NUMBERS, "id": None}, states=_OF_DOCUMENT),
    Order("proof.sections", "sections", {"ordinal": NUMBERS, "id": None}, states=_OF_DOCUMENT),
    Order("proof.pages", "pages", {"page": NUMBERS}, states=_OF_DOCUMENT, tell="page", known_by="page"),
    Order("lexical.stale_chunks", "chunks", {"ordinal": NUMBERS}, states=_OF_DOCUMENT),
    Order(
        "suggestions.first_headings",
        "chunks",
        {"ordinal": NUMBERS},
        tell="content",
        known_by="content",
        states=_OF_DOCUMENT | {"chunk_type": "heading", "first_page": 1},
    ),
    Order(
        "search.sections_by_address",
        "sections",
        {"ordinal": NUMBERS},
        states=_OF_DOCUMENT,
        parameters={"keys": ["k"], "documents": None, "superseded": False},
        also={
            "documents": {"serving": True, "is_current": True, "review": "unreviewed"},
            "section_addresses": {"address_key": "k", "exact": True, **_OF_DOCUMENT},
        },
    ),
    Order(
        "search.section_chunks",
        "chunks",
        {"ordinal": NUMBERS},
        states=_OF_DOCUMENT | {"section_id": Own("sections")},
        tell="chunk_id",
    ),
    Order("suggestions.without_profile", "documents", _ID, states={"serving": True}, parameters={"method": 9}),
    Order(
        "suggestions.list_suggestions",
        "version_suggestions",
        _ID,
        states={"status": "dismissed"},
        parameters={"id": None, "status": None},
    ),
    Order("traces.list_traces", "retrieval_log", _ID, down=True),
    Order("vectors.missing", "chunks", {"ordinal": NUMBERS}, states=_OF_DOCUMENT),
    Order(
        "versions.members",
        "documents",
        {"version_index": NUMBERS},
        states={"logical_document_id": Own("logical_documents")},
    ),
    Order(
        "workload.costs",
        "costs",
        {"created_at": TIMES[::-1], "stage": TEXTS, "model": TEXTS},
        parameters={"days": 36_500},
        tell="model",
        known_by="model",
    ),
    Order(
        "workload.overdue",
        "ingestions",
        _MADE,
        states={"status": "queued", "duplicate": False, "started_at": At(-9)},
        tell="ingestion_id",
    ),
    Order("workload.failed", "ingestions", _MADE, parameters={"ids": None}, tell="ingestion_id"),
    Order(
        "workload.unread",
        "ingestions",
        _MADE,
        states={"status": "failed", "document_id": None, "finished_at": At(-9)},
        tell="ingestion_id",
    ),
]


@pytest.fixture(scope="module")
def settled(postgres: EmbeddedPostgres, database_name: str, filled: Filled) -> list[Place]:
    with superuser(postgres, database_name) as connection:
        return settle(connection, filled, filled.places[1], range(1, 1 + ROWS))


# They answer the first alone.
SINGLE = {"archive.open_documents", "documents.find_named", "ingestions.claim", "webhooks.lease_delivery"}


def ranked(order: Order, shown: int, number: int) -> dict[str, int]:
    """Which of each key's values the row with this number gets, where the key at `shown` tells the rows apart."""
    rank = (number * 3 + 1) % ROWS
    return {name: 0 if at < shown else rank if at == shown else ROWS - 1 - rank for at, name in enumerate(order.keys)}


def answered(
    connection: Connection, filled: Filled, places: list[Place], order: Order, shown: int, limit: int
) -> tuple[list[Any], list[Any]]:
    """What the rows are known by: as they are answered, and as they should be."""
    text, first = statements()[order.statement], places[0]
    values = values_of(filled, first, order.statement, text) | dict(order.parameters)
    values |= {"limit": limit} if "limit" in values else {}
    expected: list[tuple[int, Any]] = []
    with connection.transaction(force_rollback=True):
        connection.execute("set local session_replication_role = replica")
        # What else there is, is in no state that is asked for, or in another knowledge base.
        connection.execute("update documents set status = 'failed', serving = false, is_current = false")
        if any(column["name"] == "knowledge_base_id" for column in filled.columns[order.table]):
            others = sql.SQL("delete from {} where knowledge_base_id <> %s").format(sql.Identifier(order.table))
            connection.execute(others, (first.knowledge_base_id,))
        for number, place in enumerate(places):
            chosen = {name.rpartition(".")[2]: meant(filled, first, value) for name, value in order.states.items()}
            ranks = ranked(order, shown, number)
            chosen |= {name: said[ranks[name]] for name, said in order.keys.items() if said}
            put(connection, filled, place, order.table, chosen)
            for table, more in order.also.items():
                put(connection, filled, place, table, {name: meant(filled, first, said) for name, said in more.items()})
            table, _, column = order.known_by.rpartition(".")
            known = chosen[column] if column in chosen else filled.rows[place][table or order.table][column]
            name, said = list(order.keys.items())[shown]
            expected.append((ranks[name] if said else -number if order.down else number, known))
        connection.execute("set local session_replication_role = origin")
        with acting(connection, APPLICATION, Wish(first.organization_id, (first.knowledge_base_id,))):
            answer = [row[order.tell] for row in connection.execute(text.encode(), values).fetchall()]
    ours = {known for _, known in expected}
    return [known for known in answer if known in ours], [known for _, known in sorted(expected)]


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.statement)
def test_a_statement_answers_in_the_order_of_its_keys(
    filled: Filled, settled: list[Place], everywhere: Connection, order: Order
) -> None:
    check(everywhere, filled, settled, order)


def check(connection: Connection, filled: Filled, settled: list[Place], order: Order) -> None:
    for shown in range(len(order.keys)):
        found, expected = answered(connection, filled, settled, order, shown, 100)
        assert found == (expected[:1] if order.statement in SINGLE else expected)
        if "%(limit)s" in statements()[order.statement]:
            assert len(answered(connection, filled, settled, order, shown, 2)[0]) <= 2


# Statement → the table and the column whose equal values are answered once, and the states in which they are.
ONCE: dict[str, tuple[str, str, dict[str, Any]]] = {
    "archive.extractors": ("documents", "extractor_version", {}),
    "evaluation.extractor_versions": ("documents", "extractor_version", {"serving": True}),
    "attributes.date_names": ("attribute_summaries", "name", {"kind": "time"}),
    "ingestions.lease_owners": ("ingestions", "lease_owner", {"status": "running"}),
}


@pytest.mark.parametrize("name", sorted(ONCE))
def test_equal_values_are_answered_once(
    filled: Filled, settled: list[Place], everywhere: Connection, name: str
) -> None:
    table, column, states = ONCE[name]
    text, first = statements()[name], settled[0]
    with everywhere.transaction(force_rollback=True):
        everywhere.execute("set local session_replication_role = replica")
        for place in settled:
            put(everywhere, filled, place, table, states | {column: "the same"})
        everywhere.execute("set local session_replication_role = origin")
        with acting(everywhere, APPLICATION, Wish(first.organization_id, (first.knowledge_base_id,))):
            answer = everywhere.execute(text.encode(), values_of(filled, first, name, text)).fetchall()
    assert sum("the same" in row.values() for row in answer) == 1


def test_ingestions_are_listed_up_to_two_hundred(filled: Filled, settled: list[Place], everywhere: Connection) -> None:
    first = settled[0]
    text = statements()["ingestions.read_ingestions"]
    values = values_of(filled, first, "ingestions.read_ingestions", text) | {"id": None, "limit": 200}
    with everywhere.transaction(force_rollback=True):
        everywhere.execute(
            "insert into ingestions (organization_id, knowledge_base_id, id, source_key, filename, engine, status)"
            " select %s, %s, gen_random_uuid(), 'k', 'f', 'layout', 'queued' from generate_series(1, 201)",
            (first.organization_id, first.knowledge_base_id),
        )
        with acting(everywhere, APPLICATION, Wish(first.organization_id, (first.knowledge_base_id,))):
            assert len(everywhere.execute(text.encode(), values).fetchall()) == 200
