"""Bounded reads: the same answer as scoring everything where they say so, and nothing outside the scope ever."""

import random
from uuid import UUID

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import errors

from shared.domain.ids import new_id
from shared.domain.scope import Identity, Scope
from shared.filters.selection import Filters, Selection
from shared.lexical.keys import LEVELS, base_number, slot
from shared.lexical.query import read_query
from shared.lexical.search import Limits, lexical_candidates
from shared.lexical.tokenizer import TERM_SPACE, term_number
from shared.runtime import Runtime
from shared.store.connect import Connection
from tests.store.seeding import Passage, add_base, add_document
from tests.store.selected import listing

WORDS = ["wing", "floor", "tyre", "brake", "engine", "fuel", "driver", "seat", "helmet", "cable"]
EVERYTHING = Selection(Filters())
READ_ALL = Limits(scanned_chunks=0, first=100_000, second=100_000)
READ_SOME = Limits(scanned_chunks=0, first=60, second=100)


def random_passages(count: int, seed: int) -> list[Passage]:
    choose = random.Random(seed)
    weights = [1 / (i + 1) for i in range(len(WORDS))]
    texts = [" ".join(choose.choices(WORDS, weights, k=choose.randint(3, 40))) for _ in range(count)]
    return [Passage(f"{text} {i}", chunk_type="text" if i % 5 else "caption") for i, text in enumerate(texts)]


@pytest.fixture(scope="module")
def scope(runtime: Runtime, identity: Identity) -> Scope:
    made = add_base(runtime, identity, "reading")
    for i in range(4):
        add_document(runtime, made, f"Doc{i}", random_passages(150, i))
    return made


@pytest.fixture(scope="module")
def small(runtime: Runtime, identity: Identity) -> Scope:
    made = add_base(runtime, identity, "small")
    add_document(runtime, made, "Small", random_passages(40, 9))
    return made


def ranked(
    connection: Connection, text: str, limit: int, limits: Limits, selection: Selection = EVERYTHING
) -> tuple[list[tuple[UUID, float]], int]:
    """(chunks with scores, down to which rank they are said to be exact)."""
    found = lexical_candidates(connection, read_query(connection, text), selection, limit, limits)
    exact = len(found.candidates) if found.exact else found.figures["exact_to_rank"]
    return [(c.chunk_id, round(c.score, 4)) for c in found.candidates], exact


@pytest.mark.parametrize("text", ["wing", "cable helmet", "wing floor tyre brake engine fuel driver seat", "42"])
def test_reading_all_lists_gives_what_a_scan_gives(runtime: Runtime, scope: Scope, text: str) -> None:
    with runtime.database.transaction(scope) as connection:
        assert ranked(connection, text, 20, READ_ALL)[0] == ranked(connection, text, 20, Limits())[0]


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), st.integers(10, 300))
def test_what_is_certified_is_what_a_scan_gives(runtime: Runtime, scope: Scope, words: list[str], budget: int) -> None:
    text, limits = " ".join(words), Limits(scanned_chunks=0, first=budget, second=2 * budget)
    with runtime.database.transaction(scope) as connection:
        found, exact = ranked(connection, text, 20, limits)
        everything, _ = ranked(connection, text, 20, Limits())
    assert [score for _, score in found[:exact]] == pytest.approx([score for _, score in everything[:exact]], abs=1e-3)


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6),
    budget=st.integers(10, 300),
    passed=st.sampled_from([0, 3, 60, 300]),
    limit=st.integers(1, 20),
)
def test_of_what_passes_a_filter_the_certified_is_what_a_scan_gives(
    runtime: Runtime, scope: Scope, words: list[str], budget: int, passed: int, limit: int
) -> None:
    """However wrong the sample is that says how much passes."""
    text, limits = " ".join(words), Limits(scanned_chunks=0, first=budget, second=2 * budget)
    captions = Selection(Filters(types=("caption",)), figures={"total": 600, "sample": 300, "passed": passed})
    with runtime.database.transaction(scope) as connection:
        found, exact = ranked(connection, text, limit, limits, captions)
        passing, _ = ranked(connection, text, 600, Limits(), captions)
        everything, _ = ranked(connection, text, 600, Limits())
    assert 0 < len(passing) < len(everything) / 3
    assert [score for _, score in found[:exact]] == pytest.approx([score for _, score in passing[:exact]], abs=1e-3)
    assert {chunk for chunk, _ in found} <= {chunk for chunk, _ in passing}


def test_a_small_budget_is_kept_and_said(runtime: Runtime, scope: Scope) -> None:
    with runtime.database.transaction(scope) as connection:
        query = read_query(connection, "wing floor tyre brake")
        found = lexical_candidates(connection, query, Selection(Filters()), 100, READ_SOME)
    assert not found.exact
    assert 60 < found.figures["postings"] <= 100
    assert found.figures["bound"] > 0


def test_a_rare_term_is_exact_within_any_budget(runtime: Runtime, scope: Scope) -> None:
    with runtime.database.transaction(scope) as connection:
        found = lexical_candidates(connection, read_query(connection, "149"), Selection(Filters()), 10, READ_SOME)
    assert found.exact
    assert len(found.candidates) == 4


def test_several_knowledge_bases_are_read_and_scanned_together(runtime: Runtime, scope: Scope, small: Scope) -> None:
    both = scope.model_copy(update={"knowledge_base_ids": (*scope.knowledge_base_ids, *small.knowledge_base_ids)})
    mixed = Limits(scanned_chunks=100, first=100_000, second=100_000)
    with runtime.database.transaction(both) as connection:
        everything, _ = ranked(connection, "wing cable", 30, Limits())
        assert ranked(connection, "wing cable", 30, mixed)[0] == everything
        assert ranked(connection, "wing cable", 30, READ_ALL)[0] == everything


def test_superseded_versions_do_not_eat_the_answer(runtime: Runtime, identity: Identity) -> None:
    base = add_base(runtime, identity, "versions")
    old = add_document(runtime, base, "Rules", [Passage(f"wing wing wing {i}") for i in range(60)])
    add_document(runtime, base, "Rules new", [Passage(f"wing and floor {i}") for i in range(5)], version_of=old)
    with runtime.database.transaction(base) as connection:
        assert len(ranked(connection, "wing", 5, READ_ALL)[0]) == 5
        assert ranked(connection, "wing", 5, READ_ALL) == ranked(connection, "wing", 5, Limits())


def test_named_chunks_are_scored_and_no_others(runtime: Runtime, scope: Scope) -> None:
    with runtime.database.transaction(scope) as connection:
        everything, _ = ranked(connection, "wing", 50, Limits())
        chosen = [chunk for chunk, _ in everything[10:20]]
        query = read_query(connection, "wing")
        found = lexical_candidates(connection, query, Selection(Filters(), listing(chosen)), 50, READ_SOME)
    assert [c.chunk_id for c in found.candidates] == chosen
    assert found.exact


def read_directly(connection: Connection, base: UUID, word: str = "wing") -> int:
    """How many rows the database function hands out for all levels of a word of `base`."""
    keys = [slot(term_number(word), level) ^ base_number(base) for level in range(LEVELS)]
    vector = f"{{{term_number(word) + 1}:1}}/{TERM_SPACE}"
    row = connection.execute(
        "select count(*) n from lexical_reading(%s::int[], %s::sparsevec, 1000)", (keys, vector)
    ).fetchone()
    assert row is not None
    return row["n"]


def test_the_function_reads_what_is_in_scope(runtime: Runtime, scope: Scope) -> None:
    with runtime.database.transaction(scope) as connection:
        assert read_directly(connection, scope.knowledge_base_ids[0]) > 100


def test_without_a_scope_the_function_reads_nothing(runtime: Runtime, scope: Scope) -> None:
    with runtime.database.unscoped() as connection:
        assert read_directly(connection, scope.knowledge_base_ids[0]) == 0


@pytest.mark.parametrize("organization", [True, False])
def test_half_a_scope_reads_nothing(runtime: Runtime, scope: Scope, organization: bool) -> None:
    with runtime.database.unscoped() as connection:
        settings = ("app.organization_id", str(scope.organization_id))
        if not organization:
            settings = ("app.kb_ids", "{" + str(scope.knowledge_base_ids[0]) + "}")
        connection.execute("select set_config(%s, %s, true)", settings)
        assert read_directly(connection, scope.knowledge_base_ids[0]) == 0


def test_another_organization_reads_nothing_with_our_keys(
    runtime: Runtime, scope: Scope, other_identity: Identity
) -> None:
    own = add_base(runtime, other_identity, "foreign")
    add_document(runtime, own, "Theirs", [Passage("wing")])
    base = scope.knowledge_base_ids[0]
    wanted = own.model_copy(update={"knowledge_base_ids": (*own.knowledge_base_ids, base)})
    for theirs in (own, wanted):
        with runtime.database.transaction(theirs) as connection:
            assert read_directly(connection, base) == 0
            assert read_directly(connection, own.knowledge_base_ids[0]) == 1


def test_another_knowledge_base_of_the_organization_is_not_read(runtime: Runtime, scope: Scope, small: Scope) -> None:
    with runtime.database.transaction(small) as connection:
        assert read_directly(connection, scope.knowledge_base_ids[0]) == 0


def test_tables_and_operators_of_the_caller_do_not_reach_into_the_function(runtime: Runtime, scope: Scope) -> None:
    foreign = new_id()
    with runtime.database.transaction(scope) as connection:
        before = read_directly(connection, scope.knowledge_base_ids[0])
        connection.execute("create temp table chunk_lexical (like public.chunk_lexical)")
        connection.execute(
            "insert into pg_temp.chunk_lexical select * from public.chunk_lexical where length > 1 limit 50"
        )
        connection.execute("update pg_temp.chunk_lexical set chunk_id = %s", (foreign,))
        connection.execute(
            "create function pg_temp.unnest(sparsevec[]) returns setof sparsevec language sql"
            " as 'select null::sparsevec'"
        )
        connection.execute("set local search_path = pg_temp, public, pg_catalog")
        assert read_directly(connection, scope.knowledge_base_ids[0]) == before
        connection.execute("set local search_path = public")
        connection.execute("drop table pg_temp.chunk_lexical")


@pytest.mark.parametrize(("keys", "limit"), [(20_001, 10), (1, 20_001)])
def test_more_than_the_function_is_made_for_is_refused(runtime: Runtime, scope: Scope, keys: int, limit: int) -> None:
    with runtime.database.transaction(scope) as connection:
        vector = f"{{1:1}}/{TERM_SPACE}"
        with pytest.raises(errors.ProgramLimitExceeded), connection.transaction():
            connection.execute("select lexical_reading(%s::int[], %s::sparsevec, %s)", ([1] * keys, vector, limit))


def test_the_function_belongs_to_a_role_that_can_do_nothing_else(owner_dsn: str) -> None:
    with psycopg.connect(owner_dsn) as connection:
        role = connection.execute(
            "select rolcanlogin, rolsuper, rolbypassrls, rolcreaterole from pg_roles where rolname = 'autri_lexical'"
        ).fetchone()
        assert role == (False, False, False, False)
        granted = connection.execute(
            "select distinct table_name, privilege_type from information_schema.column_privileges"
            " where grantee = 'autri_lexical'"
        ).fetchall()
        assert granted == [("chunk_lexical", "SELECT")]
        function = connection.execute(
            "select r.rolname, p.prosecdef, p.proconfig, p.proacl::text from pg_proc p join pg_roles r"
            " on r.oid = p.proowner where p.proname = 'lexical_reading'"
        ).fetchall()
    assert len(function) == 1
    owner, definer, config, acl = function[0]
    assert (owner, definer) == ("autri_lexical", True)
    assert "search_path=pg_catalog, pg_temp" in config
    assert sorted(entry.split("=")[0] for entry in acl.strip("{}").split(",")) == ["autri_app", "autri_lexical"]
