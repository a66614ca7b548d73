"""The database's own guard: every table has a forced policy, and without a scope there is nothing to see."""

from uuid import UUID

import psycopg
import pytest
from psycopg import sql

from shared.adapters.local.postgres import APPLICATION
from shared.domain.ids import new_id
from shared.domain.scope import Identity, Scope
from shared.runtime import Runtime
from tests.pipeline import PRICES, make_knowledge_base, run_all, scope_of, upload

TABLES = """
    select c.relname as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
           pg_get_userbyid(c.relowner) as owner,
           exists (select from pg_policy p where p.polrelid = c.oid
                   and (select oid from pg_roles where rolname = 'autri_app') = any(p.polroles)) as has_policy
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema', 'autri_meta')
      and n.nspname not like 'pg_toast%'
"""


# What runs with its owner's rights; extensions bring their own and are not ours to change.
DEFINERS = """
    select p.oid::regprocedure::text as name, p.proconfig as settings, r.rolsuper or r.rolbypassrls as unbound,
           r.rolcanlogin as may_log_in, has_function_privilege('public', p.oid, 'execute') as for_everybody,
           pg_get_functiondef(p.oid) as source, p.prorettype = 'trigger'::regtype as triggered
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_roles r on r.oid = p.proowner
    where p.prosecdef and n.nspname not in ('pg_catalog', 'information_schema')
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
"""
# What shows rows without being a table.
OTHER_RELATIONS = """
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema')
      and not (c.relkind = 'v' and coalesce('security_invoker=true' = any(c.reloptions), false))
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
"""


def table_names(runtime: Runtime) -> list[str]:
    with runtime.database.unscoped() as connection:
        return [row["name"] for row in connection.execute(TABLES).fetchall()]


@pytest.fixture(scope="module")
def filled(runtime: Runtime, identity: Identity) -> UUID:
    knowledge_base = make_knowledge_base(runtime, identity, "prices")
    run_all(runtime, upload(runtime, identity, knowledge_base, PRICES.read_bytes(), "prices.pdf"))
    return knowledge_base


def test_every_table_has_a_forced_policy_for_the_application(runtime: Runtime) -> None:
    with runtime.database.unscoped() as connection:
        rows = connection.execute(TABLES).fetchall()
    assert len(rows) > 15
    bad = [r["name"] for r in rows if not (r["enabled"] and r["forced"] and r["has_policy"])]
    assert bad == []


def test_the_application_role_owns_nothing_and_cannot_bypass_policies(runtime: Runtime) -> None:
    with runtime.database.unscoped() as connection:
        role = connection.execute("select * from pg_roles where rolname = current_user").fetchone()
        owners = {row["owner"] for row in connection.execute(TABLES).fetchall()}
        functions = connection.execute(
            "select proname from pg_proc where pg_get_userbyid(proowner) = current_user"
        ).fetchall()
    assert role is not None
    assert role["rolname"] == APPLICATION
    powers = ("rolsuper", "rolbypassrls", "rolcreaterole", "rolcreatedb")
    assert [power for power in powers if role[power]] == []
    assert APPLICATION not in owners
    assert functions == []


def test_without_a_scope_every_table_is_empty(runtime: Runtime, filled: UUID) -> None:
    with runtime.database.unscoped() as connection:
        for name in table_names(runtime):
            count = connection.execute(sql.SQL("select count(*) as n from {}").format(sql.Identifier(name))).fetchone()
            assert count == {"n": 0}, name


def test_another_organization_sees_no_row_of_any_table_even_with_the_right_knowledge_base_id(
    runtime: Runtime, identity: Identity, other_identity: Identity, filled: UUID
) -> None:
    ours, theirs = scope_of(identity, filled), scope_of(other_identity, filled)
    shared_by_nature = {"organizations", "users", "identities"}
    seen: dict[str, int] = {}
    for name in set(table_names(runtime)) - shared_by_nature:
        statement = sql.SQL("select count(*) as n from {}").format(sql.Identifier(name))
        with runtime.database.transaction(theirs) as connection:
            assert connection.execute(statement).fetchone() == {"n": 0}, name
        with runtime.database.transaction(ours) as connection:
            row = connection.execute(statement).fetchone()
            seen[name] = row["n"] if row else 0
    assert seen["chunks"] > 50
    assert seen["chunk_vectors"] == seen["chunks"]


def test_a_scope_without_the_knowledge_base_sees_no_chunk(runtime: Runtime, identity: Identity, filled: UUID) -> None:
    with runtime.database.transaction(Scope(organization_id=identity.organization_id)) as connection:
        assert connection.execute("select count(*) as n from chunks").fetchone() == {"n": 0}


def test_a_scope_ends_with_its_transaction(runtime: Runtime, identity: Identity, filled: UUID) -> None:
    with runtime.database.transaction(scope_of(identity, filled)) as connection:
        assert connection.execute("select count(*) as n from documents").fetchone() == {"n": 1}
    for _ in range(4):
        with runtime.database.unscoped() as connection:
            assert connection.execute("select count(*) as n from documents").fetchone() == {"n": 0}


def test_a_row_for_another_organization_is_refused(
    runtime: Runtime, identity: Identity, other_identity: Identity
) -> None:
    insert = "insert into knowledge_bases (organization_id, id, slug, name, description) values (%s, %s, 'x', 'x', 'x')"
    with (
        pytest.raises(psycopg.errors.InsufficientPrivilege),
        runtime.database.transaction(Scope(organization_id=identity.organization_id)) as connection,
    ):
        connection.execute(insert, (other_identity.organization_id, new_id()))


def test_a_chunk_cannot_carry_another_knowledge_base_than_its_document(
    runtime: Runtime, identity: Identity, filled: UUID
) -> None:
    elsewhere = make_knowledge_base(runtime, identity, "elsewhere")
    scope = Scope(organization_id=identity.organization_id, knowledge_base_ids=(filled, elsewhere))
    with (
        pytest.raises(psycopg.errors.ForeignKeyViolation),
        runtime.database.transaction(scope) as connection,
    ):
        connection.execute("update pages set knowledge_base_id = %s", (elsewhere,))


@pytest.mark.parametrize(
    "statement",
    [
        "select * from autri_meta.migrations",
        "insert into organizations (id, slug, name) values (gen_random_uuid(), 'x', 'x')",
        "update organizations set name = 'x'",
        "update users set role = 'owner'",
        "insert into identities values (gen_random_uuid(), gen_random_uuid(), 'i', 's')",
        "alter table chunks disable row level security",
        "set role autri_resolver",
        "create table public.mine (id int)",
    ],
)
def test_the_application_role_may_not(runtime: Runtime, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege), runtime.database.unscoped() as connection:
        connection.execute(statement.encode())


def test_what_an_organization_decides_is_decided_for_it_alone(
    runtime: Runtime, identity: Identity, other_identity: Identity
) -> None:
    with runtime.database.transaction(Scope(organization_id=identity.organization_id)) as connection:
        assert connection.execute("update organizations set trace_days = 1").rowcount == 1
    with runtime.database.transaction(Scope(organization_id=other_identity.organization_id)) as connection:
        row = connection.execute("select id, trace_days from organizations").fetchone()
    assert row == {"id": other_identity.organization_id, "trace_days": 30}


def test_an_invitation_binds_one_subject_once(runtime: Runtime, owner_dsn: str) -> None:
    issuer, email = "https://idp.example", "Ada@kestrel.example"
    accept = "select user_id from accept_invitation(%s, %s, %s)"
    with runtime.database.unscoped() as connection:
        assert connection.execute(accept, (issuer, "first", "nobody@kestrel.example")).fetchall() == []
        bound = connection.execute(accept, (issuer, "first", email)).fetchall()
        assert len(bound) == 1
        assert connection.execute(accept, (issuer, "second", email)).fetchall() == []
        resolved = connection.execute("select user_id from resolve_identity(%s, 'first')", (issuer,)).fetchall()
        assert resolved == bound
        assert connection.execute("select * from resolve_identity(%s, 'second')", (issuer,)).fetchall() == []


def test_what_runs_with_its_owners_rights_is_for_the_application_alone_with_a_fixed_path_and_bound_by_policies(
    runtime: Runtime,
) -> None:
    with runtime.database.unscoped() as connection:
        found = connection.execute(DEFINERS).fetchall()
    assert {"resolve_identity(text,text)", "accept_invitation(text,text,text)"} <= {row["name"] for row in found}
    for row in found:
        assert "search_path=pg_catalog, pg_temp" in (row["settings"] or []), row["name"]
        assert not row["for_everybody"], row["name"]
        assert row["triggered"] or not (row["unbound"] or row["may_log_in"]), row["name"]


def test_no_view_shows_rows_past_the_policies(runtime: Runtime) -> None:
    with runtime.database.unscoped() as connection:
        assert connection.execute(OTHER_RELATIONS).fetchall() == []


def test_every_partition_has_the_policy_of_its_table(runtime: Runtime) -> None:
    """A partition that is read by its own name is guarded by its own policy only."""
    with runtime.database.unscoped() as connection:
        rows = connection.execute(
            "select i.inhrelid::regclass::text as name from pg_inherits i"
            " left join pg_policy p on p.polrelid = i.inhrelid"
            " join pg_class c on c.oid = i.inhrelid and c.relkind in ('r', 'p') where p.oid is null"
        ).fetchall()
    assert rows == []


def test_the_application_may_call_nothing_of_ours_that_answers_without_a_scope(runtime: Runtime) -> None:
    """Functions that run with their owner's rights: without a scope they return, and change, no row."""
    calls = {
        "resolve_identity(text,text)": "select * from resolve_identity('nobody', 'nobody')",
        "accept_invitation(text,text,text)": "select * from accept_invitation('nobody', 'nobody', 'nobody')",
        "lexical_reading(integer[],sparsevec,integer,sparsevec[])": (
            "select * from lexical_reading(array(select generate_series(1, 2000)), '{1:-1}/1000000000', 100, null)"
        ),
        "forget_traces()": "select forgotten from forget_traces() forgotten where forgotten <> 0",
    }
    with runtime.database.unscoped() as connection:
        for row in connection.execute(DEFINERS).fetchall():
            if not row["triggered"]:
                assert connection.execute(calls[row["name"]].encode()).fetchall() == [], row["name"]
