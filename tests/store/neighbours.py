"""Further sets of rows in a filled knowledge base, each with other states: neighbours of every kind.

What columns hold that no statement needs is drawn per set, always the same: states, truth values, times, numbers,
nothing. Rows of one set belong together: a chunk lies in its section, a run has its document. Where a check or a key
refuses a value, the column keeps its default.
"""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from tests.store.filling import ONE_OF, PROFILE, VECTOR, Connection, Filled, Place, Row, insert

# What a column may hold; words of a check come from the catalogue.
VALUES: dict[str, tuple[Any, ...]] = {
    "boolean": (True, False),
    "integer": (1, 2, 3),
    "bigint": (1, 2, 3),
    "double precision": (0.5, 1.0, 2.0),
    "timestamp with time zone": ("2019-12-31", "2020-01-01", "2020-01-02", "2050-01-01"),
    "date": ("2019-12-31", "2020-01-01", "2050-01-01"),
    "sparsevec": tuple(VECTOR.replace(":1}", f":{weight}}}") for weight in (1, 2, 3)),
    "halfvec": ("[1,0]", "[0,1]", "[1,1]"),
    "text": ("some text", "other text", "another/1"),
    "integer[]": ([1, 2], [16, 17]),
    "text[]": (["some", "text"], ["other", "text"]),
}
_FORMER = {"of": "chunks", "hash": "x", "occurrence": 1, "id": "00000000-0000-0000-0000-000000000001"}
VARIED: dict[tuple[str, str], tuple[Any, ...]] = {
    ("document_profiles", "counts"): tuple(PROFILE.replace(":1}", f":{weight}}}") for weight in (1, 2, 3)),
    ("edits", "former"): (Jsonb([]), Jsonb([_FORMER])),
    ("eval_runs", "results"): (Jsonb([]), Jsonb([{}])),
    ("eval_runs", "questions"): (Jsonb([]), Jsonb([{}])),
    ("ingestions", "stages"): (Jsonb({}), Jsonb({"parse": {"status": "done"}})),
    ("webhooks", "disabled_at"): (None,),
    ("webhook_deliveries", "lease_until"): (None, "2019-12-31"),
    ("pages", "skipped"): (Jsonb([]), Jsonb([{"reason": "blank"}])),
}
# Its id is the upload's, and the document names it: they are made in this order.
RUN = {("ingestions", "id"), ("documents", "run_id"), ("documents", "ingestion_id")}
WORDS = """
    select c.relname as table, a.attname as name, array_agg(found[1]) as words
    from pg_constraint k join pg_class c on c.oid = k.conrelid
      join pg_attribute a on a.attrelid = c.oid and k.conkey = array[a.attnum]
      cross join lateral regexp_matches(pg_get_constraintdef(k.oid), '''([^'']+)''::text', 'g') found
    where k.contype = 'c' and c.relnamespace = 'public'::regnamespace group by 1, 2
"""


def settle(connection: Connection, filled: Filled, place: Place, numbers: range) -> list[Place]:
    """A set of rows in the place's knowledge base for each of the numbers."""
    words = {(row["table"], row["name"]): tuple(row["words"]) for row in connection.execute(WORDS).fetchall()}
    made = [replace(place, number=number) for number in numbers]
    for of in made:
        filled.rows[of] = {name: filled.rows[place][name] for name in ONE_OF}
        for table in _in_order(filled):
            row = filled.new_row(table, of) | _belonging(filled, of, table)
            if not _takes(connection, table, row):
                filled.rows[of][table] = filled.rows[place][table]
                continue
            for name, value in _drawn(filled, of, table, words):
                if _takes(connection, table, row | {name: value}):
                    row[name] = value
            filled.rows[of][table] = insert(connection, table, row)
    return made


def _belonging(filled: Filled, of: Place, table: str) -> Row:
    """What ties the row to others of its set, where it is not needed."""
    row: Row = {}
    for column in filled.columns[table]:
        name = column["name"]
        if (table, name) in RUN:
            row[name] = filled.rows[of]["uploads"]["id"]
        elif column["refers"] and name not in ("organization_id", "knowledge_base_id"):
            other, key = column["refers"]
            row[name] = filled.rows[of][other][key]
    return row


def _drawn(
    filled: Filled, of: Place, table: str, words: dict[tuple[str, str], tuple[str, ...]]
) -> Iterator[tuple[str, Any]]:
    for column in filled.columns[table]:
        name = column["name"]
        values = words.get((table, name)) or VARIED.get((table, name)) or VALUES.get(column["type"], ())
        names_a_row = column["refers"] or (column["type"] == "text" and column["needed"] and (table, name) not in words)
        if values and not names_a_row:
            # Lists lie beside lists of the same length.
            nothing = [] if column["type"].endswith("[]") else [None]
            yield name, Random(f"{table}.{name} {of.number}").choice([*values, *values, *nothing])


def _takes(connection: Connection, table: str, row: Row) -> bool:
    try:
        with connection.transaction(force_rollback=True):
            insert(connection, table, row)
    except psycopg.Error:
        return False
    return True


def _in_order(filled: Filled) -> list[str]:
    """Tables behind all those that they refer to."""
    ordered, left = [*ONE_OF, "uploads"], set(filled.columns) - {*ONE_OF, "uploads"}
    while left:
        ready = sorted(t for t in left if {c["refers"][0] for c in filled.columns[t] if c["refers"]} <= set(ordered))
        assert ready, f"tables refer to each other in a circle: {sorted(left)}"
        ordered += ready
        left -= set(ready)
    return ordered[len(ONE_OF) :]
