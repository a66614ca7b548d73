"""What a migration takes from the programs before it: the schema's catalogue before and after, compared.

Policies and what a function does within are not judged; what rows a migration deletes is not either.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import psycopg

from shared.adapters.local.postgres import APPLICATION

_COLUMNS = """
select format('%I.%I', c.relname, a.attname), format_type(a.atttypid, a.atttypmod), a.attnotnull,
  a.atthasdef or a.attidentity <> '' or a.attgenerated <> ''
from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('public', 'autri_meta')
  and c.relkind in ('r', 'p', 'v', 'm') and a.attnum > 0 and not a.attisdropped
"""
_FUNCTIONS = """
select p.oid::regprocedure::text, coalesce(pg_get_function_result(p.oid), 'procedure'),
  has_function_privilege(%s, p.oid, 'execute')
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname in ('public', 'autri_meta')
  and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
"""
_RIGHTS = """
select format('%%I.%%I', c.relname, a.attname), r.name
from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace,
  unnest(array['select', 'insert', 'update']) as r (name)
where n.nspname in ('public', 'autri_meta')
  and c.relkind in ('r', 'p', 'v', 'm') and a.attnum > 0 and not a.attisdropped
  and has_column_privilege(%(role)s, c.oid, a.attnum, r.name)
union all
select c.relname, 'delete' from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('public', 'autri_meta')
  and c.relkind in ('r', 'p') and has_table_privilege(%(role)s, c.oid, 'delete')
"""
# Constraints and unique indexes, with the columns that they bind.
_RULES = """
select c.relname, pg_get_constraintdef(k.oid),
  array(select a.attname::text from pg_attribute a where a.attrelid = k.conrelid and a.attnum = any (k.conkey))
from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('public', 'autri_meta') and k.contype <> 'n'
union all
select c.relname, regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING', 'unique USING'),
  array(select a.attname::text from pg_attribute a where a.attrelid = i.indrelid and a.attnum = any (i.indkey))
from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('public', 'autri_meta') and i.indisunique
"""


@dataclass(frozen=True)
class Column:
    """A column as programs meet it."""

    kind: str
    required: bool
    filled: bool


@dataclass(frozen=True)
class Catalogue:
    """Columns by `table.column`, functions by their signature, rights of the application, rules by table."""

    columns: Mapping[str, Column]
    functions: Mapping[str, tuple[str, bool]]
    rights: frozenset[tuple[str, str]]
    rules: frozenset[tuple[str, str, tuple[str, ...]]]


def read_catalogue(connection: psycopg.Connection[Any]) -> Catalogue:
    """As the connection's transaction sees it."""
    columns = connection.execute(_COLUMNS.encode()).fetchall()
    functions = connection.execute(_FUNCTIONS.encode(), (APPLICATION,)).fetchall()
    rights = connection.execute(_RIGHTS.encode(), {"role": APPLICATION}).fetchall()
    rules = connection.execute(_RULES.encode()).fetchall()
    return Catalogue(
        {name: Column(*rest) for name, *rest in columns},
        {name: (result, allowed) for name, result, allowed in functions},
        frozenset((name, right) for name, right in rights),
        frozenset((table, rule, tuple(bound)) for table, rule, bound in rules),
    )


def taken_away(before: Catalogue, after: Catalogue) -> list[str]:
    """What a program that was written for `before` misses in `after`, in words."""
    return sorted(
        [*_columns(before, after), *_functions(before, after), *_rights(before, after), *_rules(before, after)]
    )


def _columns(before: Catalogue, after: Catalogue) -> Iterator[str]:
    tables = {name.partition(".")[0] for name in before.columns}
    for name, old in before.columns.items():
        new = after.columns.get(name)
        if new is None:
            yield f"{name} is gone"
        elif new.kind != old.kind:
            yield f"{name} was {old.kind} and is {new.kind}"
        elif new.required and not new.filled and (not old.required or old.filled):
            yield f"{name} must be given now"
    for name in after.columns.keys() - before.columns.keys():
        new = after.columns[name]
        if name.partition(".")[0] in tables and new.required and not new.filled:
            yield f"{name} is new and must be given"


def _functions(before: Catalogue, after: Catalogue) -> Iterator[str]:
    for name, (result, allowed) in before.functions.items():
        now = after.functions.get(name)
        if now is None:
            yield f"{name} is gone"
        elif now[0] != result:
            yield f"{name} returned {result} and returns {now[0]}"
        elif allowed and not now[1]:
            yield f"{name} may not be called any more"


def _rights(before: Catalogue, after: Catalogue) -> Iterator[str]:
    for name, right in before.rights - after.rights:
        if name in after.columns or "." not in name:
            yield f"{right} on {name} is no longer granted"


def _rules(before: Catalogue, after: Catalogue) -> Iterator[str]:
    """Of new columns alone a rule is no matter of a program that does not know them."""
    for table, rule, bound in after.rules - before.rules:
        if any(f"{table}.{column}" in before.columns for column in bound):
            yield f"{table} has a new rule: {rule}"
