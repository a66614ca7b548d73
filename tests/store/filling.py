"""Rows in every table of two organizations with two knowledge bases each, made from the catalogue alone.

A table that is added later gets its rows without anybody thinking of it; where the catalogue does not say enough (a
check that is no list of words, a type that nobody has used so far) filling fails and names the column.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any
from uuid import UUID

import psycopg
from pgvector.psycopg import register_vector
from psycopg import sql
from psycopg.rows import DictRow, dict_row
from psycopg.types.json import Json, Jsonb

from shared.adapters.local.postgres import SUPERUSER, EmbeddedPostgres
from shared.domain.ids import new_id
from shared.lexical.tokenizer import TERM_SPACE

Connection = psycopg.Connection[DictRow]
Row = dict[str, Any]

# Every chunk of the lexical index has this key and this term.
KEY, VECTOR = 7, f"{{1:1}}/{TERM_SPACE}"
PROFILE = f"{{1:1}}/{1 << 28}"

_COLUMNS = """
    select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type,
      a.attnotnull and not a.atthasdef and a.attidentity = '' and a.attgenerated = '' as needed,
      (select (regexp_match(pg_get_constraintdef(k.oid), $r$ANY \\(\\(?ARRAY\\['([^']+)'$r$))[1] from pg_constraint k
        where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum] limit 1) as word,
      (select jsonb_build_array(k.confrelid::regclass::text, f.attname)
        from pg_constraint k, unnest(k.conkey, k.confkey) pair (own, other), pg_attribute f
        where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid and pair.own = a.attnum
          and f.attrelid = k.confrelid and f.attnum = pair.other limit 1) as refers
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace order by c.relname, a.attnum
"""
# Of rows that an organization has one a day of.
_DAYS = (f"{year}-01-01" for year in itertools.count(1800))
_ONE_OF_EACH: dict[str, Any] = {
    "date": lambda: next(_DAYS),
    "integer": 1, "bigint": 1, "double precision": 1.0, "boolean": False, "jsonb": Jsonb([]), "json": Json({}),
    "sparsevec": VECTOR,
    "halfvec": "[1,0]", "timestamp with time zone": "2020-01-01", "uuid[]": [], "text[]": [], "integer[]": [],
    "bigint[]": [], "boolean[]": [], "double precision[]": [],
}  # fmt: skip
# What the catalogue does not say.
_SAID: dict[tuple[str, str], Any] = {
    ("chunk_attributes", "value_number"): 1.0,
    ("gold_questions", "expected"): Jsonb([{}]),
    ("eval_runs", "baseline"): True,
    ("documents", "serving"): True,
    ("users", "role"): "editor",
    ("knowledge_bases", "restricted"): True,
    ("audit_log", "created_at"): "2020-01-01",
    ("documents", "extractor_version"): "extractor/1",
    ("chunk_lexical", "keys"): [KEY],
    ("document_profiles", "counts"): PROFILE,
    ("retrieval_log", "created_at"): "2020-01-01",
    ("kept_words", "filter"): bytes(256),
    ("webhooks", "events"): ["document.ready"],
    ("webhook_deliveries", "id"): new_id,
    ("uploads", "sha256"): lambda: sha256(new_id().bytes).hexdigest(),
}
# What a row may be without, and has here.
_HAD = {("thread_shares", "thread_id"), ("thread_shares", "until_id")}
# What rows of one knowledge base share.
ONE_OF = ("organizations", "knowledge_bases", "users")


@dataclass(frozen=True)
class Place:
    """A knowledge base and its organization; `number` tells the rows of one knowledge base apart."""

    organization_id: UUID
    knowledge_base_id: UUID
    number: int = 0


@dataclass
class Filled:
    """Four places, the first two of one organization, and the row that each has of every table."""

    columns: Mapping[str, Sequence[Row]]
    places: list[Place] = field(default_factory=list[Place])
    rows: dict[Place, dict[str, Row]] = field(default_factory=dict[Place, dict[str, Row]])

    def new_row(self, table: str, place: Place) -> Row:
        """A further row of the table for the place, its ids new; KeyError for a column that nobody can fill."""
        made: Row = {}
        for column in self.columns[table]:
            if column["needed"] or (table, column["name"]) in _SAID.keys() | _HAD:
                made[column["name"]] = self._value(table, column, place)
        return made

    def _value(self, table: str, column: Row, place: Place) -> Any:
        name = column["name"]
        if (table, name) in _SAID:
            said = _SAID[table, name]
            return said() if callable(said) else said
        if hasattr(place, name):
            return getattr(place, name)
        if name == "knowledge_base_ids":
            return [place.knowledge_base_id]
        if column["refers"]:
            other, key = column["refers"]
            return self.rows[place][other][key]
        if column["type"] in ("uuid", "text"):
            return new_id() if column["type"] == "uuid" else column["word"] or new_id().hex
        one = _ONE_OF_EACH[column["type"]]
        return one() if callable(one) else one


def superuser(postgres: EmbeddedPostgres, database: str) -> Connection:
    """Sees and changes everything, policies included; for a test's own preparations."""
    connection = psycopg.Connection[DictRow].connect(postgres.dsn(SUPERUSER, database), row_factory=dict_row)
    register_vector(connection)
    connection.rollback()
    return connection


def fill(connection: Connection) -> Filled:
    """A row of every table for each of four places; a trace over both knowledge bases of each organization."""
    columns: dict[str, list[Row]] = {}
    for row in connection.execute(_COLUMNS).fetchall():
        columns.setdefault(row["table"], []).append(row)
    filled = Filled(columns)
    for organization in connection.execute("select * from organizations order by id").fetchall():
        both = [Place(organization["id"], new_id()) for _ in range(2)]
        for place in both:
            filled.places.append(place)
            filled.rows[place] = {"organizations": organization}
            for table in _in_order(columns):
                row = filled.new_row(table, place)
                if table == "knowledge_bases":
                    row["id"] = place.knowledge_base_id
                filled.rows[place][table] = insert(connection, table, row)
        shared = filled.new_row("retrieval_log", both[0])
        insert(connection, "retrieval_log", shared | {"knowledge_base_ids": [p.knowledge_base_id for p in both]})
    return filled


def fill_beside(connection: Connection, filled: Filled, place: Place) -> Place:
    """A second row of every table in the place's knowledge base; the same one where only one can be."""
    beside = replace(place, number=1)
    rows = filled.rows[beside] = {name: filled.rows[place][name] for name in ONE_OF}
    for table in _in_order(filled.columns):
        if table not in rows:
            try:
                row = filled.new_row(table, beside)
                row |= {name: filled.rows[place][table][name] for name in row.keys() & {"user_id", "asker_id"}}
                with connection.transaction():
                    rows[table] = insert(connection, table, row)
            except psycopg.errors.UniqueViolation:
                rows[table] = filled.rows[place][table]
    return beside


def insert(connection: Connection, table: str, row: Row) -> Row:
    """The row as it was stored."""
    names = [sql.Identifier(name) for name in row]
    statement = sql.SQL("insert into {} ({}) values ({}) returning *").format(
        sql.Identifier(table), sql.SQL(", ").join(names), sql.SQL(", ").join(map(sql.Placeholder, row))
    )
    return connection.execute(statement, row).fetchone() or {}


def insert_blindly(connection: Connection, table: str, row: Row) -> None:
    """The same without asking for the row, which is a read."""
    statement = sql.SQL("insert into {} ({}) values ({})").format(
        sql.Identifier(table),
        sql.SQL(", ").join(map(sql.Identifier, row)),
        sql.SQL(", ").join(map(sql.Placeholder, row)),
    )
    connection.execute(statement, row)


def _in_order(columns: Mapping[str, Sequence[Row]]) -> list[str]:
    """Tables behind those that they refer to; organizations are there already."""
    ordered, left = ["organizations"], set(columns) - {"organizations"}
    while left:
        needs = {t: {c["refers"][0] for c in columns[t] if c["refers"] and c["needed"]} for t in left}
        ready = sorted(table for table in left if needs[table] <= set(ordered))
        if not ready:
            raise AssertionError(f"tables refer to each other in a circle: {sorted(left)}")
        ordered += ready
        left -= set(ready)
    return ordered[1:]
