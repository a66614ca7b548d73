"""`docs/schema.md`, made from a migrated database's catalogue and from the comments in the migrations.

What stands directly above a table, a column, an index or a function in a migration, or behind a column, is what the
page says of it. Run as a program (`make schema`) it writes the page.
"""

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from psycopg.rows import dict_row

from shared.adapters.local.postgres import OWNER, EmbeddedPostgres
from shared.store.migrate import load_migrations, migrate

Row = dict[str, Any]
PAGE = Path(__file__).parents[2] / "docs" / "schema.md"
# Said once, for every table that has them.
EVERYWHERE = {
    "organization_id": "Whose row it is.",
    "knowledge_base_id": "The knowledge base that it belongs to.",
    "document_id": "The document (one version) that it belongs to.",
    "id": "Ordered by time (UUIDv7).",
    "created_at": "When the row was made.",
}
LEVELS = {
    "id": "rows that are the organization itself",
    "organization_id": "the organization's rows",
    "knowledge_base_id": "rows of the knowledge bases in scope",
    "knowledge_base_ids": "rows all of whose knowledge bases are in scope",
    "asker_id": "the user's own rows",
    "author_id": "what the user said",
}
_COMMENT = re.compile(r"^ *-- ?(.*)$")
_BEHIND = re.compile(r"[,;]  -- (.+)$")
_THING = re.compile(
    r"^create (?:unique |unlogged )?(?:table|index|function) (\w+)|^alter table (\w+) add column (\w+)|^  (\w+) "
)

COLUMNS = """
select c.relname as on_table, a.attname as name, a.attnotnull as needed,
  replace(format_type(a.atttypid, a.atttypmod), 'timestamp with time zone', 'timestamptz') as type,
  pg_get_expr(d.adbin, d.adrelid) as preset, a.attgenerated <> '' as generated
from pg_class c join pg_attribute a on a.attrelid = c.oid
left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
order by c.oid, a.attnum
"""
CONSTRAINTS = """
select conrelid::regclass::text as on_table, contype::text as kind, pg_get_constraintdef(oid) as definition,
  case when contype = 'f' then confrelid::regclass::text end as parent,
  (select attname from pg_attribute where attrelid = conrelid and attnum = conkey[cardinality(conkey)]) as last_column
from pg_constraint where connamespace = 'public'::regnamespace and contype in ('p', 'u', 'f', 'c')
order by conrelid, position(contype::text in 'pufc'), conname
"""
INDEXES = """
select tablename as on_table, indexname as name, regexp_replace(indexdef, '^.* USING ', '') as definition
from pg_indexes where schemaname = 'public' and not exists (
  select from pg_constraint where conname = indexname and connamespace = 'public'::regnamespace)
order by 1, 2
"""
POLICIES = """
select tablename as on_table, policyname as name, array_to_string(roles, ', ') as roles, lower(cmd) as command,
  qual as condition
from pg_policies where schemaname = 'public' order by 1, policyname <> 'scope', 2
"""
FUNCTIONS = """
select proname as name, proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' as signature,
  pg_get_function_result(p.oid) as result, case when prosecdef then proowner::regrole::text end as owner
from pg_proc p where pronamespace = 'public'::regnamespace
  and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
order by 1
"""


_QUERIES: dict[str, LiteralString] = {
    "columns": COLUMNS,
    "constraints": CONSTRAINTS,
    "indexes": INDEXES,
    "policies": POLICIES,
    "functions": FUNCTIONS,
}


def sentences(texts: Iterable[str]) -> dict[str, str]:
    """What the migrations say: by the name of a table, an index or a function, and by `table.column`."""
    said: dict[str, str] = {}
    for text in texts:
        table, above = "", list[str]()
        for line in text.splitlines():
            if comment := _COMMENT.match(line):
                above.append(comment[1])
                continue
            if thing := _THING.match(line):
                name, altered, added, column = thing.groups()
                table = name or table
                key = name or (f"{altered}.{added}" if altered else f"{table}.{column}")
                said[key] = " ".join([*above, *_BEHIND.findall(line)])
            above = []
    return said


def page(dsn: str) -> str:
    """The page of a migrated database; `dsn` is its owner's."""
    said = sentences(migration.text for migration in load_migrations())
    with psycopg.connect(dsn) as connection, connection.cursor(row_factory=dict_row) as cursor:
        read = {name: cursor.execute(query).fetchall() for name, query in _QUERIES.items()}
    lines = [
        "# The schema",
        "",
        "Made by `make schema` from the database and the comments in `shared/store/migrations/`.",
        "",
        "Said once for all tables: " + " ".join(f"`{name}`: {text}" for name, text in EVERYWHERE.items()),
        "",
        *_picture(read["constraints"]),
        "",
    ]
    for table in dict.fromkeys(row["on_table"] for row in read["columns"]):
        of = {kind: [row for row in rows if row.get("on_table") == table] for kind, rows in read.items()}
        lines += _table(table, of, said)
    lines += ["## Functions", ""]
    for row in read["functions"]:
        owner = f", with the rights of `{row['owner']}`" if row["owner"] else ""
        lines += [f"- `{row['signature']}` → `{row['result']}`{owner}. {said.get(row['name'], '')}".rstrip()]
    return "\n".join(lines).rstrip() + "\n"


def _picture(constraints: list[Row]) -> Iterator[str]:
    """Who belongs to whom: each table to its nearest parents."""
    yield "```mermaid"
    yield "erDiagram"
    pairs = {(row["parent"], row["on_table"]) for row in constraints if row["kind"] == "f"}
    for parent, child in sorted(pairs):
        yield f'  {parent} ||--o{{ {child} : ""'
    yield "```"


def _table(table: str, of: Mapping[str, list[Row]], said: Mapping[str, str]) -> Iterator[str]:
    yield from (f"## {table}", "")
    if said.get(table):
        yield from (said[table], "")
    yield from ("| column | type | |", "| --- | --- | --- |")
    for row in of["columns"]:
        yield f"| {row['name']} | {_type(row)} | {sentence(row, of['constraints'], said)} |"
    yield ""
    yield from (f"- {row['definition']}" for row in of["constraints"])
    for row in of["policies"]:
        yield f"- policy `{row['name']}`, {row['command']}, for {row['roles']}: {_condition(row)}"
    for row in of["indexes"]:
        yield f"- index `{row['name']}`: {row['definition']}. {said.get(row['name'], '')}".rstrip()
    yield ""


def sentence(column: Row, constraints: list[Row], said: Mapping[str, str]) -> str:
    """What is said of a column, or what it points at."""
    own = said.get(f"{column['on_table']}.{column['name']}") or EVERYWHERE.get(column["name"])
    parents = [r["parent"] for r in constraints if r["kind"] == "f" and r["last_column"] == column["name"]]
    return own or (f"→ {parents[0]}" if parents else "")


def _type(column: Row) -> str:
    preset = "generated" if column["generated"] else f"default {column['preset']}" if column["preset"] else ""
    return ", ".join(part for part in (column["type"] + ("" if column["needed"] else "?"), preset) if part)


def _condition(policy: Row) -> str:
    if policy["condition"] == "true":
        return "all rows"
    other = re.search(r"\bFROM (\w+)", policy["condition"])
    if other:
        return f"rows of {other[1]} that one sees"
    compared = re.findall(r"\b(\w+) (?:=|<@) ", policy["condition"])
    return LEVELS[compared[-1]]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        with EmbeddedPostgres(Path(folder) / "postgres") as server:
            server.create_database("schema")
            migrate(server.dsn(OWNER, "schema"))
            PAGE.write_text(page(server.dsn(OWNER, "schema")))


if __name__ == "__main__":
    main()
