"""Vectors: what is missing, what is copied, what is replaced."""

import numpy as np
import pytest

from shared.domain.scope import Identity, Scope
from shared.filters.selection import Filters, Selection
from shared.ports import Vectors
from shared.runtime import Runtime
from shared.vectors import rows as vectors
from shared.vectors.search import vector_candidates
from tests.store.seeding import Passage, add_base, add_document, replace_passages

VERSION = "test/1"
DIMENSIONS = 8


@pytest.fixture
def scope(runtime: Runtime, identity: Identity, request: pytest.FixtureRequest) -> Scope:
    return add_base(runtime, identity, request.node.name[:60])


def unit(count: int, seed: int = 0) -> Vectors:
    made = np.random.default_rng(seed).normal(size=(count, DIMENSIONS)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def test_every_chunk_is_missing_until_its_vector_is_stored(runtime: Runtime, scope: Scope) -> None:
    document = add_document(runtime, scope, "Doc", [Passage(f"Passage {i}") for i in range(5)])
    with runtime.database.transaction(scope) as connection:
        some = vectors.missing(connection, [document], VERSION, 3)
        assert [text for _, text, _ in some] == [f"Doc\nPassage {i}" for i in range(3)]
        vectors.store(connection, VERSION, some, unit(3))
        rest = vectors.missing(connection, [document], VERSION, 10)
        assert [text for _, text, _ in rest] == ["Doc\nPassage 3", "Doc\nPassage 4"]
        assert len(vectors.missing(connection, [document], "test/2", 10)) == 5


def test_a_vector_of_equal_text_is_copied_within_the_knowledge_base_only(
    runtime: Runtime, identity: Identity, scope: Scope
) -> None:
    first = add_document(runtime, scope, "Doc", [Passage("Same"), Passage("Only here")])
    second = add_document(runtime, scope, "Doc", [Passage("Same"), Passage("Only there")], version_of=first)
    elsewhere = add_base(runtime, identity, "elsewhere")
    third = add_document(runtime, elsewhere, "Doc", [Passage("Same")])
    with runtime.database.transaction(scope) as connection:
        rows = vectors.missing(connection, [first], VERSION, 10)
        vectors.store(connection, VERSION, rows, unit(2))
        assert vectors.reuse(connection, [second], VERSION) == 1
        assert [text for _, text, _ in vectors.missing(connection, [second], VERSION, 10)] == ["Doc\nOnly there"]
        assert vectors.reuse(connection, [second], VERSION) == 0
    with runtime.database.transaction(elsewhere) as connection:
        assert vectors.reuse(connection, [third], VERSION) == 0


def test_a_chunk_that_changed_is_missing_again_and_keeps_one_vector(runtime: Runtime, scope: Scope) -> None:
    document = add_document(runtime, scope, "Doc", [Passage("Text")])
    with runtime.database.transaction(scope) as connection:
        vectors.store(connection, VERSION, vectors.missing(connection, [document], VERSION, 1), unit(1))
    replace_passages(runtime, scope, document, "Renamed", [Passage("Text")])
    with runtime.database.transaction(scope) as connection:
        changed = vectors.missing(connection, [document], VERSION, 1)
        vectors.store(connection, VERSION, changed, unit(1, seed=1))
        assert vectors.missing(connection, [document], VERSION, 1) == []
        query = "select embedding from chunk_vectors where document_id = %s"
        stored = connection.execute(query, (document,)).fetchall()
    assert len(stored) == 1
    assert np.allclose(stored[0]["embedding"].to_numpy(), unit(1, seed=1)[0], atol=1e-3)


def test_the_nearest_come_first_by_cosine(runtime: Runtime, scope: Scope) -> None:
    document = add_document(runtime, scope, "Doc", [Passage(f"Passage {i}") for i in range(30)])
    with runtime.database.transaction(scope) as connection:
        rows = vectors.missing(connection, [document], VERSION, 30)
        made = unit(30)
        vectors.store(connection, VERSION, rows, made)
        found = vector_candidates(connection, {VERSION: made[7]}, Selection(Filters()), 10).candidates
    expected = np.argsort(-(made @ made[7]))[:10]
    assert [c.chunk_id for c in found] == [rows[i][0] for i in expected]
    assert found[0].score == pytest.approx(1, abs=1e-3)


def test_a_vector_is_not_stored_beside_a_text_that_it_was_not_made_of(runtime: Runtime, scope: Scope) -> None:
    document = add_document(runtime, scope, "Doc", [Passage("Kept"), Passage("Edited meanwhile")])
    with runtime.database.transaction(scope) as connection:
        looked_up = vectors.missing(connection, [document], VERSION, 10)
        connection.execute("update chunks set index_hash = 'another' where id = %s", (looked_up[1][0],))
        vectors.store(connection, VERSION, looked_up, unit(2))
        stored = connection.execute("select chunk_id from chunk_vectors where document_id = %s", (document,)).fetchall()
    assert [row["chunk_id"] for row in stored] == [looked_up[0][0]]
