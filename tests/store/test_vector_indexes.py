"""Indexes of large knowledge bases: made and dropped, taken by queries, and right beside exact scans."""

from uuid import UUID

import numpy as np
import psycopg
import pytest

from shared.domain.operations import ChunkType
from shared.domain.scope import Identity, Scope
from shared.filters import selection as selecting
from shared.filters.selection import Filters, Selection
from shared.ports import Vectors
from shared.runtime import Runtime
from shared.store.search import Ranking
from shared.vectors import rows as vectors
from shared.vectors import search as vector_search
from shared.vectors.indexes import index_name, keep_vector_indexes
from shared.vectors.search import vector_candidates
from tests.store.seeding import Passage, add_base, add_document
from tests.store.selected import listing

VERSION = "test/1"
DIMENSIONS = 16
LARGE, SMALL, FAR = 1_200, 60, 96


def unit(count: int, seed: int) -> Vectors:
    made = np.random.default_rng(seed).normal(size=(count, DIMENSIONS)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def fill(runtime: Runtime, scope: Scope, name: str, count: int, seed: int) -> UUID:
    kinds: list[ChunkType] = [
        "formula" if i % 300 == 0 else "table_row" if i % 10 == 1 else "text" for i in range(count)
    ]
    passages = [Passage(f"{name} {i}", chunk_type=kind) for i, kind in enumerate(kinds)]
    document = add_document(runtime, scope, name, passages)
    with runtime.database.transaction(scope) as connection:
        rows = vectors.missing(connection, [document], VERSION, count)
        vectors.store(connection, VERSION, rows, unit(count, seed))
    return document


@pytest.fixture(scope="module")
def large(runtime: Runtime, identity: Identity) -> Scope:
    scope = add_base(runtime, identity, "large")
    fill(runtime, scope, "Many", LARGE, 1)
    return scope


@pytest.fixture(scope="module")
def clustered(runtime: Runtime, identity: Identity) -> tuple[Scope, Vectors]:
    """Twice as many around an axis, the last FAR of them, its table rows, around its opposite; and their vectors."""
    scope = add_base(runtime, identity, "clustered")
    made = unit(2 * LARGE, 3)
    made[:, 0] = np.where(np.arange(2 * LARGE) < 2 * LARGE - FAR, 3.0, -3.0)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    passages = [
        Passage(f"Row {i}", chunk_type="text" if i < 2 * LARGE - FAR else "table_row") for i in range(2 * LARGE)
    ]
    document = add_document(runtime, scope, "Clustered", passages)
    with runtime.database.transaction(scope) as connection:
        rows = vectors.missing(connection, [document], VERSION, 2 * LARGE)
        vectors.store(connection, VERSION, rows, made)
        connection.execute("update documents set chunk_count = %s where id = %s", (2 * LARGE, document))
    return scope, made


@pytest.fixture(scope="module")
def small(runtime: Runtime, identity: Identity) -> Scope:
    scope = add_base(runtime, identity, "small")
    fill(runtime, scope, "Few", SMALL, 2)
    return scope


@pytest.fixture
def indexed(owner_dsn: str, large: Scope, small: Scope) -> Scope:
    keep_vector_indexes(owner_dsn, make_from=1_000, drop_below=500)
    return large


def nearest(runtime: Runtime, scope: Scope, filters: Filters | None = None, limit: int = 20, seed: int = 9) -> Ranking:
    with runtime.database.transaction(scope) as connection:
        return vector_candidates(connection, {VERSION: unit(1, seed)[0]}, Selection(filters or Filters()), limit)


def names(owner_dsn: str) -> list[str]:
    with psycopg.connect(owner_dsn) as connection:
        query = "select indexname from pg_indexes where tablename = 'chunk_vectors' and indexdef like '%hnsw%'"
        return [name for (name,) in connection.execute(query)]


def test_an_index_is_made_for_the_large_one_alone_and_dropped_below_the_lower_bound(
    owner_dsn: str, large: Scope, small: Scope
) -> None:
    (base,) = large.knowledge_base_ids
    made = keep_vector_indexes(owner_dsn, make_from=1_000, drop_below=500)
    assert names(owner_dsn) == [index_name(base, VERSION)]
    assert [one["knowledge_base_id"] for one in made["made"]] in ([str(base)], [])
    assert keep_vector_indexes(owner_dsn, make_from=2_000, drop_below=500) == {
        "made": [],
        "dropped": [],
        "kept": 1,
        "busy": False,
    }
    assert keep_vector_indexes(owner_dsn, make_from=3_000, drop_below=2_000)["dropped"] == [index_name(base, VERSION)]
    assert names(owner_dsn) == []


def test_an_index_that_was_left_half_made_is_made_anew(
    owner_dsn: str, postgres: object, indexed: Scope, runtime: Runtime
) -> None:
    (base,) = indexed.knowledge_base_ids
    make_invalid = "create unique index concurrently {} on chunk_vectors (knowledge_base_id)"  # fails: not unique
    keep_vector_indexes(owner_dsn, make_from=9_000, drop_below=9_000)
    with psycopg.connect(owner_dsn, autocommit=True) as connection, pytest.raises(psycopg.errors.UniqueViolation):
        connection.execute(make_invalid.format(index_name(base, VERSION)).encode())
    assert nearest(runtime, indexed).exact
    again = keep_vector_indexes(owner_dsn, make_from=1_000, drop_below=500)
    assert again["dropped"] == [index_name(base, VERSION)]
    assert not nearest(runtime, indexed).exact


def test_the_index_is_read_and_finds_what_a_scan_finds(runtime: Runtime, owner_dsn: str, indexed: Scope) -> None:
    by_index = [nearest(runtime, indexed, seed=seed) for seed in range(20)]
    keep_vector_indexes(owner_dsn, make_from=9_000, drop_below=9_000)
    exact = [nearest(runtime, indexed, seed=seed) for seed in range(20)]
    assert {r.plan for r in by_index} == {"hnsw"}
    assert {r.plan for r in exact} == {"exact scan"}
    shares = [
        len({c.chunk_id for c in a.candidates} & {c.chunk_id for c in b.candidates}) / 20
        for a, b in zip(by_index, exact, strict=True)
    ]
    assert np.mean(shares) >= 0.98


def test_the_planner_takes_the_index_in_its_order(runtime: Runtime, indexed: Scope) -> None:
    (base,) = indexed.knowledge_base_ids
    query = vector_search._Query(VERSION, unit(1, 9)[0], 20)  # noqa: SLF001
    selection = Selection(Filters())
    statement = query.indexed("indexed", base, selection).as_string()
    values = query.values(selection) | {"fetched": 200, "scanned_max": 20_000}
    with runtime.database.transaction(indexed) as connection:
        with vector_search._planned_for_index(connection, 200):  # noqa: SLF001
            rows = connection.execute(f"explain (costs off) {statement}".encode(), values).fetchall()
        left = connection.execute("select current_setting('enable_sort') as sort").fetchone()
    plan = "\n".join(row["QUERY PLAN"] for row in rows)
    assert f"Index Scan using {index_name(base, VERSION)}" in plan
    assert "Hash Join" not in plan
    assert left == {"sort": "on"}


def test_chunks_that_are_listed_are_ranked_one_by_one(runtime: Runtime, indexed: Scope) -> None:
    everything = [c.chunk_id for c in nearest(runtime, indexed, limit=LARGE).candidates]
    listed = Selection(Filters(), listing(everything[5:500:7]))
    with runtime.database.transaction(indexed) as connection:
        found = vector_candidates(connection, {VERSION: unit(1, 9)[0]}, listed, 20)
    assert (found.exact, found.plan) == (True, "exact over the listed chunks")
    assert [c.chunk_id for c in found.candidates] == everything[5:500:7][:20]


def test_a_filter_that_few_pass_is_answered_exactly(runtime: Runtime, indexed: Scope) -> None:
    found = nearest(runtime, indexed, Filters(types=("formula",)))
    assert (found.exact, len(found.candidates)) == (True, LARGE // 300)
    assert found.figures["parts"][0]["hnsw_found"] <= LARGE // 300


def test_a_filter_that_many_pass_is_tested_while_the_index_is_read(runtime: Runtime, indexed: Scope) -> None:
    found = nearest(runtime, indexed, Filters(types=("table_row",)))
    assert (found.plan, len(found.candidates)) == ("hnsw", 20)


def test_a_filter_that_nothing_passes_finds_nothing(runtime: Runtime, indexed: Scope) -> None:
    assert nearest(runtime, indexed, Filters(types=("code",))).candidates == []
    assert nearest(runtime, indexed, Filters(documents=())).candidates == []


# Known by what lies next to the query, and without such a look by a scan that does not come to any.
@pytest.mark.parametrize("looked_at", [0.05, 0.0])
@pytest.mark.parametrize(("side", "plan"), [(1.0, "exact over the listed chunks"), (-1.0, "hnsw")])
def test_what_passes_a_filter_far_from_the_query_is_listed(
    runtime: Runtime,
    owner_dsn: str,
    clustered: tuple[Scope, Vectors],
    monkeypatch: pytest.MonkeyPatch,
    side: float,
    plan: str,
    looked_at: float,
) -> None:
    scope, made = clustered
    monkeypatch.setattr(vector_search, "SMALL_SHARE", looked_at)
    monkeypatch.setattr(vector_search, "FILTERED_LEAST", 20)
    monkeypatch.setattr(vector_search, "EVENLY", 1)
    keep_vector_indexes(owner_dsn, make_from=2 * LARGE, drop_below=2 * LARGE)
    monkeypatch.setattr(selecting, "LISTED_MAX", 30)
    monkeypatch.setattr(selecting, "EXPECTED_MAX", 60)
    query = np.eye(1, DIMENSIONS, dtype=np.float32)[0] * side
    with runtime.database.transaction(scope) as connection:
        selection = selecting.select_chunks(connection, Filters(types=("table_row",)))
        found = vector_candidates(connection, {VERSION: query}, selection, 20)
    assert (selection.listed, found.plan) == (None, plan)
    assert found.figures["parts"][0].get("hnsw_found") == (0 if side > 0 and not looked_at else None)
    assert [c.score for c in found.candidates] == pytest.approx(np.sort(made[-FAR:] @ query)[::-1][:20], abs=1e-3)


def test_where_the_index_finds_too_few_everything_is_scanned(runtime: Runtime, indexed: Scope) -> None:
    found = nearest(runtime, indexed, limit=2 * LARGE)
    assert (found.exact, len(found.candidates)) == (True, LARGE)
    assert found.figures["parts"][0]["hnsw_found"] < 2 * LARGE


def test_large_and_small_bases_give_one_answer_in_one_order(runtime: Runtime, indexed: Scope, small: Scope) -> None:
    both = indexed.model_copy(update={"knowledge_base_ids": (*indexed.knowledge_base_ids, *small.knowledge_base_ids)})
    found = nearest(runtime, both)
    assert found.plan == "exact scan and hnsw"
    apart = [*nearest(runtime, indexed).candidates, *nearest(runtime, small).candidates]
    assert [c.score for c in found.candidates] == sorted((c.score for c in apart), reverse=True)[:20]


def test_another_organization_finds_nothing_by_the_index(
    runtime: Runtime, indexed: Scope, other_identity: Identity
) -> None:
    theirs = Scope(organization_id=other_identity.organization_id, knowledge_base_ids=indexed.knowledge_base_ids)
    assert nearest(runtime, theirs).candidates == []
    (base,) = indexed.knowledge_base_ids
    query = vector_search._Query(VERSION, unit(1, 9)[0], 20)  # noqa: SLF001
    with runtime.database.transaction(theirs) as connection:
        part = vector_search._approximate(connection, query, base, Selection(Filters()))  # noqa: SLF001
    assert part.rows == []


def test_the_application_role_may_make_no_index(runtime: Runtime) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege), runtime.database.unscoped() as connection:
        connection.execute("create index mine on chunk_vectors (document_id)")
