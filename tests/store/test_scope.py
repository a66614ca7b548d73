"""The database's own guard: every table has a forced policy, and without a scope there is nothing to see."""

import psycopg
import pytest
from psycopg import sql

from shared.adapters.local.postgres import APPLICATION, OWNER
from shared.domain.ids import new_id
from shared.domain.scope import Identity, Scope
from shared.runtime import Runtime
from shared.store.identities import accept_invitation, list_invitations, resolve_identity
from tests.store.definers import REACHES
from tests.store.filling import Connection, Filled
from tests.store.leaks import Wish, everything, leaks, may_see

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


# Policies that let a role see everything: each for a role that nobody logs in as, or for the owner of the schema.
OPEN = {
    ("organizations", "provisioning", OWNER),
    ("users", "provisioning", OWNER),
    ("identities", "provisioning", OWNER),
    ("chunk_vectors", "maintenance", OWNER),
    ("erasure_certificates", "provisioning", OWNER),
    ("erasure_certificates", "resolver", "autri_resolver"),
    ("erasures", "maintenance", OWNER),
    ("erasures", "resolver", "autri_resolver"),
    ("knowledge_bases", "maintenance", OWNER),
    ("knowledge_bases", "sending", "autri_sending"),
    ("organizations", "resolver", "autri_resolver"),
    ("departed_members", "resolver", "autri_resolver"),
    ("domains", "resolver", "autri_resolver"),
    ("waiting_sign_ins", "resolver", "autri_resolver"),
    ("api_keys", "resolver", "autri_resolver"),
    ("connections", "resolver", "autri_resolver"),
    ("thread_shares", "resolver", "autri_resolver"),
    ("identities", "resolver", "autri_resolver"),
    ("users", "resolver", "autri_resolver"),
    ("knowledge_bases", "resolver", "autri_resolver"),
    ("ingestions", "admission", "autri_admission"),
    ("organizations", "operating", "autri_operating"),
    ("page_packs", "operating", "autri_operating"),
    ("chunk_lexical", "reader", "autri_lexical"),
    ("webhooks", "sending", "autri_sending"),
    ("webhook_deliveries", "sending", "autri_sending"),
}


def table_names(runtime: Runtime) -> list[str]:
    with runtime.database.unscoped() as connection:
        return [row["name"] for row in connection.execute(TABLES).fetchall()]


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


def test_every_table_holds_rows_of_each_knowledge_base_before_anything_is_said_of_it(
    runtime: Runtime, filled: Filled, everywhere: Connection
) -> None:
    """What follows asserts something of rows; a table without any would pass whatever its policy says."""
    for table in table_names(runtime):
        rows = everything(everywhere, table).values()
        for place in filled.places:
            user = filled.rows[place]["users"]["id"]
            wish = Wish(place.organization_id, (place.knowledge_base_id,), user)
            assert any(may_see(row, wish) for row in rows), (table, place)


def test_every_table_shows_and_takes_rows_of_the_scope_and_no_others(
    runtime: Runtime, filled: Filled, everywhere: Connection
) -> None:
    assert [leak for table in table_names(runtime) for leak in leaks(everywhere, filled, table)] == []


def policies(connection: Connection) -> list[dict[str, str | None]]:
    """Each policy with the role it is for and what it says of rows that are read and of rows that are written."""
    return connection.execute(
        "select tablename as table, policyname as policy, roles[1]::text as role, qual, with_check,"
        " cardinality(roles) as roles from pg_policies where schemaname = 'public' order by 1, 2"
    ).fetchall()


def test_the_policies_that_say_true_are_known_and_no_others(everywhere: Connection) -> None:
    found = policies(everywhere)
    assert {row["roles"] for row in found} == {1}
    assert {(r["table"], r["policy"], r["role"]) for r in found if "true" in (r["qual"], r["with_check"])} == OPEN


def weakened(expression: str) -> set[str]:
    """`true`, and the expression without one of the terms that `AND` joins at its top."""
    parts, depth, start = list[str](), 0, 0
    inner = expression[1:-1] if " AND " in expression else expression
    for place, character in enumerate(inner):
        depth += (character == "(") - (character == ")")
        if not depth and inner[place:].startswith(" AND "):
            parts, start = [*parts, inner[start:place]], place + len(" AND ")
    parts = [*parts, inner[start:]]
    return {"true"} | {" and ".join(parts[:i] + parts[i + 1 :]) for i in range(len(parts)) if len(parts) > 1}


def may_write(connection: Connection, role: str, table: str, expression: str) -> bool:
    """Whether the role makes rows, or changes what the expression is about."""
    row = connection.execute(
        "select has_any_column_privilege(%(r)s, %(t)s, 'insert') or exists (select from pg_attribute"
        " where attrelid = %(t)s::regclass and attnum > 0 and %(e)s ~ ('\\m' || attname || '\\M')"
        " and has_column_privilege(%(r)s, %(t)s, attname, 'update')) as may",
        {"r": role, "t": table, "e": expression},
    ).fetchone()
    return bool(row and row["may"])


def test_every_policy_that_is_weakened_by_a_term_or_to_true_is_noticed(filled: Filled, everywhere: Connection) -> None:
    """The proof of the proof: the checks above find every hole that a policy can be given."""
    tried, unnoticed = 0, list[tuple[str, str, str]]()
    for row in policies(everywhere):
        table, policy, role = str(row["table"]), str(row["policy"]), str(row["role"])
        reading, writing = str(row["qual"]), str(row["with_check"] or row["qual"])
        for clause, expression in (("using", reading), ("with check", writing)):
            if expression == "true" or (clause == "with check" and not may_write(everywhere, role, table, expression)):
                continue
            for weaker in weakened(expression):
                with everywhere.transaction(force_rollback=True):
                    names = map(sql.Identifier, (policy, table))
                    change = sql.SQL("alter policy {} on {} ").format(*names).as_string() + f"{clause} ({weaker})"
                    everywhere.execute(change.encode())
                    if not leaks(everywhere, filled, table, role):
                        unnoticed.append((table, clause, weaker))
                tried += 1
    assert unnoticed == []
    assert tried > 150


def test_a_scope_ends_with_its_transaction(runtime: Runtime, filled: Filled) -> None:
    place = filled.places[0]
    scope = Scope(organization_id=place.organization_id, knowledge_base_ids=(place.knowledge_base_id,))
    with runtime.database.transaction(scope) as connection:
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


def test_a_chunk_cannot_carry_another_knowledge_base_than_its_document(runtime: Runtime, filled: Filled) -> None:
    here, elsewhere, _, _ = filled.places
    scope = Scope(
        organization_id=here.organization_id,
        knowledge_base_ids=(here.knowledge_base_id, elsewhere.knowledge_base_id),
    )
    with (
        pytest.raises(psycopg.errors.ForeignKeyViolation),
        runtime.database.transaction(scope) as connection,
    ):
        connection.execute("update pages set knowledge_base_id = %s", (elsewhere.knowledge_base_id,))


@pytest.mark.parametrize(
    "statement",
    [
        "select * from autri_meta.migrations",
        "insert into organizations (id, slug, name) values (gen_random_uuid(), 'x', 'x')",
        "update organizations set slug = 'x'",
        "update users set email = 'x@x.example'",
        "insert into users values (gen_random_uuid(), gen_random_uuid(), 'x@x.example', '', 'owner')",
        "insert into identities values (gen_random_uuid(), gen_random_uuid(), 'i', 's')",
        "update identities set subject = 'x'",
        "update api_keys set scope = 'admin'",
        "update audit_log set act = 'x'",
        "update organizations set plan = 'enterprise'",
        "update organizations set operates = true",
        "insert into page_packs (organization_id, id, pages) values (gen_random_uuid(), gen_random_uuid(), 1)",
        "delete from page_packs",
        "select set_plan('local', 'enterprise')",
        "select add_page_pack('local', gen_random_uuid(), 1, null)",
        "delete from audit_log",
        "truncate audit_log",
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
    with runtime.database.unscoped() as connection:
        assert list_invitations(connection, "nobody@kestrel.example") == {}
        kestrel = list_invitations(connection, email)["kestrel"]
        bound = accept_invitation(connection, issuer, "first", email, kestrel)
        assert bound is not None
        assert accept_invitation(connection, issuer, "second", email, kestrel) is None
        assert resolve_identity(connection, issuer, "first") == bound
        assert resolve_identity(connection, issuer, "second") is None
        assert resolve_identity(connection, issuer, "first", "kestrel") == bound
        assert resolve_identity(connection, issuer, "first", str(kestrel)) == bound
        assert resolve_identity(connection, issuer, "first", "local") is None


def test_what_runs_with_its_owners_rights_is_for_the_application_alone_with_a_fixed_path_and_bound_by_policies(
    runtime: Runtime,
) -> None:
    with runtime.database.unscoped() as connection:
        found = connection.execute(DEFINERS).fetchall()
    assert {"resolve_identity(text,text)", "accept_invitation(text,text,text,uuid)"} <= {row["name"] for row in found}
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


def test_every_function_that_runs_with_its_owners_rights_reaches_what_it_is_for_and_nothing_else(
    filled: Filled, everywhere: Connection
) -> None:
    found = {row["name"] for row in everywhere.execute(DEFINERS).fetchall() if not row["triggered"]}
    assert found == REACHES.keys()
    assert [wrong for reaches in REACHES.values() for wrong in reaches(everywhere, filled)] == []


@pytest.mark.parametrize(
    ("function", "condition", "weaker"),
    [
        ("lexical_reading", "(l.organization_id = own_organization) is true", "true"),
        ("lexical_reading", "(l.knowledge_base_id = any (own_bases)) is true", "true"),
        ("forget_traces", "(l.created_at < (now() - make_interval(days => o.trace_days)))", "true"),
        ("erase_organization", " and slug = p_slug", ""),
        ("resolve_identity", "i.issuer = p_issuer", "true"),
        ("resolve_identity", "i.subject = p_subject", "true"),
        ("resolve_identity", "u.id = i.user_id", "true"),
        ("resolve_identity", "o.id = u.organization_id", "true"),
        ("resolve_identity", "order by i.created_at", "order by i.created_at desc"),
        ("open_invitations", "lower(u.email) = lower(p_verified_email) and", ""),
        ("open_invitations", "and u.invited_at is not null", ""),
        ("open_invitations", "o.id = u.organization_id", "true"),
        ("accept_invitation", "u.organization_id = p_organization and", ""),
        ("accept_invitation", "lower(u.email) = lower(p_verified_email) and", ""),
        ("accept_invitation", "and u.invited_at is not null", ""),
        ("accept_invitation", "lower(u.email) = lower(p_verified_email)", "u.email = p_verified_email"),
        ("accept_invitation", "update public.users u set invited_at = null where u.id = invited.id;", ""),
        ("accept_invitation", "where u.id = invited.id", ""),
        ("join_by_domain", "d.verified_at is not null", "true"),
        ("join_by_domain", "p_wish is null or p_wish in (o.slug, o.id::text)", "true"),
        ("join_by_domain", "split_part(p_verified_email, '@', -1)", "split_part(p_verified_email, '@', 2)"),
        ("join_by_domain", "home.role)", "'admin')"),
        ("join_by_domain", "where r.organization_id = home.organization_id", ""),
        ("found_organization", "where i.issuer = p_issuer and i.subject = p_subject", "where false"),
        ("found_organization", "on conflict on constraint organizations_slug_key do nothing", ""),
        ("note_waiting_sign_in", "lower(u.email) = lower(p_claimed_email) and", ""),
        ("note_waiting_sign_in", "and u.invited_at is not null", ""),
        ("note_waiting_sign_in", "< 20", "< 40"),
        ("identity_of_key", "k.hash = p_hash and", ""),
        ("identity_of_key", "k.revoked_at is null and", ""),
        ("identity_of_key", "k.expires_at > now()", "true"),
        ("identity_of_key", "and u.invited_at is null", ""),
        ("identity_of_key", "and (k.user_id is null or u.id is not null)", ""),
        ("resolve_identity", "and o.erasing_at is null", ""),
        ("identity_of_key", "and o.erasing_at is null", ""),
        ("open_invitations", "and o.erasing_at is null", ""),
        ("own_organizations", "and o.erasing_at is null", ""),
        ("organization_of", "and k.erasing_at is null", ""),
        ("stored_now", "from public.knowledge_bases k where k.erasing_at is null),", "from public.knowledge_bases k),"),
        ("stored_now", "<> all", "= any"),
        ("erasure_of", "and e.ticket_hash = p_ticket_hash", ""),
        ("erasure_of", "and c.ticket_hash = p_ticket_hash", ""),
        ("erasure_of", "where e.id = p_id and", "where"),
        ("erasure_of", "where c.id = p_id and", "where"),
        ("operates", "and o.operates", ""),
        ("operates", "u.id = (select nullif(current_setting('app.user_id', true), '')::uuid)", "true"),
        ("operates", "and u.role in ('owner', 'admin')", ""),
        ("set_plan", "not public.operates()", "false"),
        ("set_plan", "where o.slug = p_slug", ""),
        ("add_page_pack", "not public.operates()", "false"),
        ("add_page_pack", "where o.slug = p_slug", ""),
        ("kept_from", "b.restricted and not", "false and not"),
        ("kept_from", "m.base_id = b.id and", ""),
        ("kept_from", "m.user_id = actor", "true"),
        ("kept_from", "u.id = actor and", ""),
        ("kept_from", "and u.role in ('owner', 'admin')", ""),
        ("kept_from", "where b.id <> all (limits)", "where false"),
        ("kept_from", "actor = key and", ""),
        ("kept_from", "if not found then", "if false then"),
        ("kept_from", "where b.erasing_at is not null", "where false"),
        ("kept_from", "where b.erasing_at is not null", "where true"),
        ("kept_from", "hidden := hidden || array(", "hidden := array("),
        ("kept_from", "<> 'on'", "<> 'off'"),
        ("kept_from", "    return hidden;\n  end if;\n  if key", "    return '{}';\n  end if;\n  if key"),
        ("forget_audit", "(l.created_at < (now() - make_interval(days => o.audit_days)))", "true"),
        ("own_organizations", "and i.user_id = (select nullif(current_setting('app.user_id', true), '')::uuid)", ""),
        ("own_organizations", "own.issuer = i.issuer and", ""),
        ("own_organizations", "own.subject = i.subject", "true"),
        ("own_organizations", "and lower(u.email) in (select lower(own.verified_email) from own)", ""),
        ("own_organizations", "u.invited_at is not null and", ""),
    ],
)
def test_a_condition_that_such_a_function_loses_is_noticed(
    filled: Filled, everywhere: Connection, function: str, condition: str, weaker: str
) -> None:
    (name,) = [known for known in REACHES if known.startswith(f"{function}(")]
    row = everywhere.execute("select pg_get_functiondef(%s::regprocedure) as source", (name,)).fetchone()
    source = row["source"] if row else ""
    assert condition in source
    everywhere.execute(source.replace(condition, weaker).encode())
    assert list(REACHES[name](everywhere, filled)) != []
