"""When a document is served and which version is the current one: by the stage and by the store's own statements."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from shared.domain.ids import new_id
from shared.domain.scope import Identity, Scope
from shared.errors import LeaseLost
from shared.ingestion import publish
from shared.ingestion.event import Event
from shared.runtime import Runtime
from shared.store import documents, ingestions, versions
from shared.store.connect import Connection
from shared.vectors import embedders
from shared.vectors import rows as vectors
from tests.store.seeding import Passage, add_base, add_document, replace_passages

VALUES: dict[str, Any] = {"error": None, "embedder_version": "test/1", "seconds": 1.0}


@pytest.fixture
def scope(runtime: Runtime, identity: Identity, request: pytest.FixtureRequest) -> Scope:
    return add_base(runtime, identity, request.node.name[-60:])


def begin(runtime: Runtime, scope: Scope, document: UUID) -> Mapping[str, Any]:
    """A run of the document, which names it, that has come as far as its publication; its source is in its place."""
    base = scope.knowledge_base_ids[0]
    row: dict[str, Any] = {
        "organization_id": scope.organization_id,
        "knowledge_base_id": base,
        "id": new_id(),
        "document_id": document,
        "source_key": "incoming/x/source",
        "filename": "a.pdf",
        "engine": "layout",
        "status": "running",
    }
    with runtime.database.transaction(scope) as connection:
        ingestions.insert_ingestion(connection, row)
        connection.execute("update documents set run_id = %s where id = %s", (row["id"], document))
        found = documents.find_document(connection, document)
    assert found is not None
    # Its hash is that of its name and of what it is a version of (seeding.py).
    runtime.blobs.put(found["source_key"], f"{found['name']}None".encode())
    event = Event(
        organization_id=scope.organization_id, knowledge_base_id=base, document_id=document, ingestion_id=row["id"]
    )
    return event.to_dict()


def embed(runtime: Runtime, scope: Scope, document: UUID, version: str, count: int) -> None:
    """Vectors for the first `count` chunks."""
    with runtime.database.transaction(scope) as connection:
        rows = vectors.missing(connection, [document], version, count)
        vectors.store(connection, version, rows, np.eye(len(rows), 384, dtype=np.float32))


def states(runtime: Runtime, scope: Scope) -> dict[UUID, tuple[str, bool, bool]]:
    """Status, served, current."""
    with runtime.database.transaction(scope) as connection:
        rows = connection.execute("select id, status, serving, is_current from documents").fetchall()
    return {row["id"]: (row["status"], row["serving"], row["is_current"]) for row in rows}


TEXTS = [Passage(f"Passage {n}") for n in range(3)]


def test_a_document_is_served_when_every_chunk_has_a_vector_of_its_text_by_the_embedder_that_serves(
    runtime: Runtime, scope: Scope
) -> None:
    own = runtime.embedder.version
    document = add_document(runtime, scope, "Doc", TEXTS, served=False)
    event, unserved = begin(runtime, scope, document), {document: ("ready", False, False)}

    def refuses() -> None:
        with pytest.raises(ValueError, match="without a vector"):
            publish.run(runtime, event)
        assert states(runtime, scope) == unserved

    refuses()
    embed(runtime, scope, document, "another/1", 3)
    refuses()
    embed(runtime, scope, document, own, 2)
    refuses()
    embed(runtime, scope, document, own, 1)
    replace_passages(runtime, scope, document, "Renamed", TEXTS)
    refuses()
    embed(runtime, scope, document, own, 3)
    assert publish.run(runtime, event) == {"status": "ready"}
    assert states(runtime, scope) == {document: ("ready", True, True)}
    with runtime.database.transaction(scope) as connection:
        row = documents.find_document(connection, document)
        assert row is not None
        assert (row["chunk_count"], row["embedder_version"], row["error"]) == (3, own, None)
        assert row["published_at"] is not None


def test_an_older_run_publishes_nothing_and_a_failed_page_is_told(runtime: Runtime, scope: Scope) -> None:
    document = add_document(runtime, scope, "Doc", TEXTS, served=False)
    embed(runtime, scope, document, runtime.embedder.version, 3)
    older, newer = (begin(runtime, scope, document) for _ in range(2))
    with pytest.raises(LeaseLost):
        publish.run(runtime, older)
    assert states(runtime, scope) == {document: ("ready", False, False)}
    with runtime.database.transaction(scope) as connection:
        ingestions.record_page(connection, scope, UUID(newer["ingestion_id"]), "parse", 2, 0.1, "it broke")
    assert publish.run(runtime, newer) == {"status": "ready_with_errors"}
    with runtime.database.transaction(scope) as connection:
        row, run = (
            documents.find_document(connection, document),
            ingestions.find_ingestion(connection, UUID(newer["ingestion_id"])),
        )
    assert row is not None
    assert run is not None
    assert (
        row["error"]
        == run["error"]
        == ("Could not read page 2 (parse: it broke). The other pages are ready; reingest to try again.")
    )
    assert (row["status"], run["status"]) == ("ready_with_errors",) * 2


def test_another_embedder_serves_when_every_chunk_has_its_vector_of_the_text_as_it_is_now(
    runtime: Runtime, identity: Identity, scope: Scope
) -> None:
    (base,) = scope.knowledge_base_ids
    document = add_document(runtime, scope, "Doc", TEXTS, embedder=runtime.embedder)
    elsewhere = add_base(runtime, identity, "elsewhere")
    add_document(runtime, elsewhere, "Doc", TEXTS)
    both = scope.model_copy(update={"knowledge_base_ids": (base, *elsewhere.knowledge_base_ids)})

    def switched() -> bool:
        with runtime.database.transaction(both) as connection:
            return embedders.switch_embedder(connection, base, "new/1")

    with runtime.database.transaction(scope) as connection:
        assert embedders.adopt_embedder(connection, document, runtime.embedder.version) == [runtime.embedder.version]
    assert not switched()
    with runtime.database.transaction(scope) as connection:
        embedders.begin_change(connection, base, "new/1")
        assert embedders.adopt_embedder(connection, document, "x") == [runtime.embedder.version, "new/1"]
    embed(runtime, scope, document, "new/1", 2)
    assert not switched()
    embed(runtime, scope, document, "new/1", 1)
    replace_passages(runtime, scope, document, "Renamed", TEXTS)
    assert not switched()
    embed(runtime, scope, document, "new/1", 3)
    with runtime.database.transaction(both) as connection:
        assert not embedders.switch_embedder(connection, base, "other/1")
        assert embedders.delete_other_vectors(connection, base, 100) == 0
    assert switched()
    with runtime.database.transaction(both) as connection:
        assert embedders.serving_version(connection, document, "x") == "new/1"
        embedders.begin_change(connection, base, "next/1")
    embed(runtime, scope, document, "next/1", 2)
    with runtime.database.transaction(both) as connection:
        assert embedders.delete_other_vectors(connection, base, 100) == 3
        rows = connection.execute("select embedder_version, count(*) as n from chunk_vectors group by 1").fetchall()
    assert {row["embedder_version"]: row["n"] for row in rows} == {"new/1": 3, "next/1": 2}


def publish_now(connection: Connection, document: UUID) -> None:
    documents.publish(connection, document, "ready", VALUES)


@pytest.mark.parametrize(
    ("order", "current"),
    [
        ([0], [0]),
        ([1], [1]),
        ([0, 1, 2], [0, 1, 2]),
        ([2, 1, 0], [2, 2, 2]),
        ([1, 0, 2], [1, 1, 2]),
        ([1, 2, 0], [1, 2, 2]),
        ([0, 0, 1, 0], [0, 0, 1, 1]),
    ],
)
def test_the_newest_that_is_served_becomes_the_current_one_in_whatever_order_they_are_published(
    runtime: Runtime, scope: Scope, order: list[int], current: list[int]
) -> None:
    other = add_document(runtime, scope, "Other", [Passage("x")])
    first = add_document(runtime, scope, "1", [Passage("x")], served=False)
    made = [first, *(add_document(runtime, scope, n, [Passage("x")], version_of=first, served=False) for n in "23")]
    served = set[UUID]()
    for published, expected in zip(order, current, strict=True):
        with runtime.database.transaction(scope) as connection:
            publish_now(connection, made[published])
        served.add(made[published])
        found = states(runtime, scope)
        assert {document for document, (_, _, is_current) in found.items() if is_current} == {other, made[expected]}
        assert {document for document, (_, serving, _) in found.items() if serving} == {other, *served}


def test_a_version_that_is_read_again_does_not_take_the_place_that_somebody_gave_to_another(
    runtime: Runtime, scope: Scope
) -> None:
    first = add_document(runtime, scope, "1", [Passage("x")])
    second = add_document(runtime, scope, "2", [Passage("x")], version_of=first)
    other = add_document(runtime, scope, "Other", [Passage("x")])
    with runtime.database.transaction(scope) as connection:
        (logical,) = versions.lock_logical(connection, first) or []
        versions.set_current(connection, logical, first)
        publish_now(connection, second)
    found = states(runtime, scope)
    assert {document for document, state in found.items() if state[2]} == {first, other}
    third = add_document(runtime, scope, "3", [Passage("x")], version_of=first, served=False)
    with runtime.database.transaction(scope) as connection:
        publish_now(connection, third)
    assert {document for document, state in states(runtime, scope).items() if state[2]} == {third, other}


def test_a_version_that_is_not_served_becomes_current_nowhere(runtime: Runtime, scope: Scope) -> None:
    first = add_document(runtime, scope, "1", [Passage("x")])
    second = add_document(runtime, scope, "2", [Passage("x")], version_of=first, served=False)
    other = add_document(runtime, scope, "Other", [Passage("x")])
    with runtime.database.transaction(scope) as connection:
        source, target = versions.lock_logical(connection, first, other) or []
        versions.move(connection, second, source, target, 9)
        assert [m.is_current for m in versions.list_members(connection, target)] == [True, False]
        versions.move(connection, second, target, source, 9)
        versions.move(connection, first, source, target, 1)
        assert [m.is_current for m in versions.list_members(connection, source)] == [False]
        assert [(m.id, m.is_current) for m in versions.list_members(connection, target)] == [
            (first, False),
            (other, True),
        ]


def test_what_is_served_keeps_its_run_and_its_pages_until_a_new_run_has_its_chunks(
    runtime: Runtime, scope: Scope
) -> None:
    shown, coming = (add_document(runtime, scope, name, [Passage("x")], served=name == "A") for name in "AB")
    before, after = new_id(), new_id()
    for document, run, pages in ((shown, before, "ready"), (coming, after, "queued")):
        with runtime.database.transaction(scope) as connection:
            connection.execute("update documents set ingestion_id = %s where id = %s", (before, document))
            documents.insert_pages(connection, scope, document, 2)
            documents.update_page(connection, document, 1, "ready", {})
            documents.update_page(connection, document, 2, "failed", {"error": "it broke"})
            documents.restart_document(connection, document, after, "model", "pdf", 2)
            row = documents.find_document(connection, document)
            assert row is not None
            assert (row["status"], row["ingestion_id"], row["engine"]) == ("running", run, "model")
            found = connection.execute(
                "select status, error from pages where document_id = %s order by page", (document,)
            ).fetchall()
        kept = pages == "ready"
        assert [tuple(r.values()) for r in found] == [
            (pages, None),
            ("failed", "it broke") if kept else ("queued", None),
        ]


@pytest.mark.parametrize(
    ("status", "free"),
    [("queued", False), ("running", False), ("ready", True), ("ready_with_errors", True), ("refused", True),
     ("failed", True)],
)  # fmt: skip
def test_a_document_is_run_again_when_it_is_at_rest(runtime: Runtime, scope: Scope, status: str, free: bool) -> None:
    document, other = (add_document(runtime, scope, name, [Passage("x")]) for name in "AB")
    with runtime.database.transaction(scope) as connection:
        documents.set_document_status(connection, document, status, "why")
        run, late = new_id(), new_id()
        assert documents.claim_for_rerun(connection, document, run) is free
        assert not documents.claim_for_rerun(connection, document, late)
        row = documents.find_document(connection, document)
        assert row is not None
        assert (row["run_id"] == run) is free
    assert states(runtime, scope)[document][0] == ("queued" if free else status)
    assert states(runtime, scope)[other][0] == "ready"


@pytest.mark.parametrize(
    ("status", "served", "same", "revived"),
    [("refused", False, True, True), ("failed", False, True, False), ("refused", True, True, False),
     ("refused", False, False, False)],
)  # fmt: skip
def test_bytes_that_were_refused_and_never_served_may_come_again_and_no_others(
    runtime: Runtime, scope: Scope, status: str, served: bool, same: bool, revived: bool
) -> None:
    document = add_document(runtime, scope, "Doc", [Passage("x")], served=served)
    with runtime.database.transaction(scope) as connection:
        documents.set_document_status(connection, document, status, "why")
        before = documents.find_document(connection, document)
        assert before is not None
        row = before | {"name": "again.pdf", "status": "running", "source_key": "incoming/again"}
        found = documents.revive_refused(connection, row if same else row | {"source_hash": "another"})
        after = documents.find_document(connection, document)
    assert after is not None
    if revived:
        assert found == after
        assert (after["name"], after["status"], after["error"]) == ("again.pdf", "running", None)
    else:
        assert found is None
        assert after == before
