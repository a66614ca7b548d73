"""The selection: which chunks may be ranked, decided once per call, before any index is read, and the same for all
indexes.

It is either a list of chunks, where few pass the filters (an index then ranks exactly those), or a condition that an
index tests on what it finds. A sample of the served chunks decides which, since the planner's statistics do not know
the scope: docs/decisions/0020-attribute-filters.md. Row-level security enforces the scope itself; nothing here widens
it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from psycopg import sql

from shared.filters.meaning import read_meaning
from shared.filters.sql import LeafGroup, LeafTree, Writer, drivers, without
from shared.filters.tree import Filter
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("selection")
# The most chunks to list. For more, an index that tests the condition on what it finds is faster.
LISTED_MAX: Final = 5_000
SAMPLE: Final = 300
# The sample's estimate may be twice the true number; listing stops where there are too many. Where at most a third of
# the maximum is expected, an index read in its own order would find hardly any match, so listing may read more rows.
EXPECTED_MAX: Final = 2 * LISTED_MAX
READ_MAX, READ_MAX_FOR_FEW = 20_000, 150_000
LOOKED_UP_MAX: Final = 20_000
# Rows read for each chunk listed, where an index asks for the list.
READ_PER_LISTED: Final = 3


@dataclass(frozen=True)
class Filters:
    """What narrows every index alike. None for `types` or `documents` means all; an empty tuple means none."""

    types: tuple[str, ...] | None = None
    documents: tuple[UUID, ...] | None = None
    include_superseded: bool = False
    where: Filter | None = None

    def values(self) -> Row:
        return {
            "types": None if self.types is None else list(self.types),
            "documents": None if self.documents is None else list(self.documents),
            "superseded": self.include_superseded,
        }


@dataclass(frozen=True)
class Selection:
    """The chunks that pass `filters`: those that are `listed` (a `uuid[]` literal of Postgres), or where that is None
    those for which `condition` is true.

    The list is passed back to the database unparsed. `plan` describes how it was decided, `figures` are the counts for
    the trace.
    """

    filters: Filters
    listed: str | None = None
    where: LeafTree | None = None
    plan: str = "no filter"
    figures: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def expected(self) -> float | None:
        """An estimate of how many chunks pass, at least one sampling step; None where no sample was drawn."""
        sample = self.figures.get("sample", 0)
        return self.figures["total"] * max(1, self.figures["passed"]) / sample if sample else None

    def condition(self, alias: str) -> sql.Composed:
        """SQL that is true for the rows of `alias` (with columns `chunk_id` and `document_id`) that are selected."""
        if self.listed is not None:
            return sql.SQL(_SQL["listed"]).format(a=sql.Identifier(alias))
        return sql.SQL(" and ").join(_tests(self.filters, self.where, alias)[0])

    def sifted(self, alias: str) -> tuple[sql.Composed, Row]:
        """The same as `condition` with its parameters, for a statement that reads all chunks in scope: what passes each
        test is listed once."""
        if self.listed is not None:
            return self.condition(alias), self.values()
        tests, values = _tests(self.filters, self.where, alias, by_sets=True)
        return sql.SQL(" and ").join(tests), values

    def source(self, table: str, alias: str) -> sql.Composed:
        """SQL for the `from` clause that reads the selected rows of `table` as `alias`.

        Listed chunks are looked up one by one; the planner would read whole indexes and intersect them.
        """
        if self.listed is not None:
            block = sql.SQL(_SQL["listed_rows"]).format(table=sql.Identifier(table))
        else:
            block = sql.SQL(_SQL["tested_rows"]).format(table=sql.Identifier(table), selected=self.condition("t"))
        return sql.SQL("({}) {}").format(block, sql.Identifier(alias))

    def values(self) -> Row:
        """The parameters of `condition` and `source`."""
        return _tests(self.filters, self.where, "a")[1] | {"listed": self.listed}


def select_chunks(connection: Connection, filters: Filters) -> Selection:
    """The selection for `filters` within the scope of the open transaction. Raises BadFilter."""
    where = None if filters.where is None else read_meaning(connection, filters.where)
    if () in (filters.types, filters.documents):
        return Selection(filters, "{}", where, "nothing is asked for", {"matches": 0})
    if where is None and filters.types is None and filters.documents is None:
        return Selection(filters)
    sample = _sample(connection, filters, where)
    expected = sample["total"] * sample["passed"] / max(1, sample["sample"])
    if expected > EXPECTED_MAX:
        return Selection(filters, None, where, "many pass: each index tests what it finds", sample)
    most = READ_MAX_FOR_FEW if expected <= EXPECTED_MAX / 3 else READ_MAX
    if sample["read"] > most:
        return Selection(filters, None, where, "no test leaves few: each index tests what it finds", sample)
    return _listed(connection, filters, where, sample, 2 * most)


def share_of_scope(connection: Connection, selection: Selection) -> float | None:
    """An estimate of which share of the chunks in scope passes; None where no sample was drawn."""
    if selection.expected is None:
        return None
    row = connection.execute(_SQL["sizes"], Filters().values()).fetchone() or {"total": 0}
    return selection.expected / max(1, row["total"], selection.expected)


def list_chunks(connection: Connection, selection: Selection, most: int) -> Selection:
    """The same selection with its chunks listed where they are at most `most`; as it is where they are more, or where
    more than three times as many rows would have to be read for it."""
    if selection.listed is not None or selection.figures.get("read", 0) > READ_PER_LISTED * most:
        return selection
    read_max = 2 * READ_PER_LISTED * most
    return _listed(connection, selection.filters, selection.where, selection.figures, read_max, most)


def list_passing(connection: Connection, selection: Selection, test: LeafTree, most: int) -> list[UUID]:
    """The selected chunks that pass `test` too; [] where they are more than `most`, or where too many rows would have
    to be read to find them."""
    where = test if selection.where is None else LeafGroup("all", (test, selection.where))
    found = _listed(connection, selection.filters, where, {}, READ_MAX, most).listed
    return [UUID(chunk_id) for chunk_id in found.strip("{}").split(",") if chunk_id] if found else []


def list_expected(connection: Connection, selection: Selection) -> Selection:
    """The same selection with its chunks listed where LOOKED_UP_MAX are expected at most, for a statement that looks up
    values of each: it would else read those of all chunks in scope."""
    if selection.expected is None or selection.expected > LOOKED_UP_MAX:
        return selection
    return list_chunks(connection, selection, 2 * LOOKED_UP_MAX)


def _sample(connection: Connection, filters: Filters, where: LeafTree | None) -> Row:
    """`total` chunks are served; of a `sample` of them `passed` pass the filters, and `parts` counts them per part.
    `read` estimates how many rows must be read to list those that pass."""
    row = connection.execute(_SQL["sizes"], filters.values()).fetchone() or {"total": 0}
    if row["total"] <= LISTED_MAX:
        return {"total": row["total"], "sample": 0, "passed": 0, "read": row["total"]}
    tests, values = _tests(filters, where, "s")
    leaves = drivers(where) or []
    parts, writer = [], Writer("part")
    for place, leaf in enumerate(leaves):
        parts.append(
            sql.SQL(", count(*) filter (where {}) as {}").format(
                writer.chunk(leaf, "s"), sql.Identifier(f"part_{place}")
            )
        )
    query = sql.SQL(_SQL["sample"]).format(selected=sql.SQL(" and ").join(tests), parts=sql.SQL("").join(parts))
    found = connection.execute(query, values | writer.values | {"sample": SAMPLE}).fetchone() or row
    counted = [found[f"part_{place}"] for place in range(len(leaves))]
    fewest = min(counted) if counted else found["passed"] if where is None else found["sample"]
    read = round(found["total"] * fewest / max(1, found["sample"]))
    return {name: found[name] for name in ("total", "sample", "passed")} | {"parts": counted, "read": read}


def _listed(
    connection: Connection,
    filters: Filters,
    where: LeafTree | None,
    sample: Row,
    read_max: int,
    listed_max: int | None = None,
) -> Selection:
    """Lists all chunks that pass, starting from the part with the fewest candidates; falls back to the condition where
    there are too many."""
    listed_max = LISTED_MAX if listed_max is None else listed_max
    driver, driven, rest = _driver(filters, where, sample)
    tests, values = _tests(filters, rest, "s")
    query = sql.SQL(_SQL["survivors"]).format(driver=driver, selected=sql.SQL(" and ").join(tests))
    limits = {"read_max": read_max + 1, "listed_max": listed_max + 1}
    (row,) = connection.execute(query, values | driven | limits).fetchall()
    figures = sample | {"read": row["looked_at"]}
    if row["looked_at"] > read_max or row["matches"] > listed_max:
        return Selection(filters, None, where, "too many to list: each index tests what it finds", figures)
    return Selection(filters, row["found"], where, "few pass: listed", figures | {"matches": row["matches"]})


def _driver(filters: Filters, where: LeafTree | None, sample: Row) -> tuple[sql.Composable, Row, LeafTree | None]:
    """Returns (SQL that yields candidates, its parameters, the rest of the filter to be tested on them)."""
    leaves = drivers(where)
    if leaves:
        counts = sample.get("parts") or [0] * len(leaves)
        best = leaves[counts.index(min(counts))]
        writer = Writer("driver")
        branches = [sql.SQL(_SQL["driver_values"]).format(test=test) for test in writer.branches(best)]
        return sql.SQL(" union all ").join(branches), writer.values, without(where, best)
    if filters.documents is not None:
        return sql.SQL(_SQL["driver_documents"]), {"driver_documents": list(filters.documents)}, where
    return sql.SQL(_SQL["driver_types" if filters.types is not None else "driver_served"]), {}, where


def _tests(
    filters: Filters, where: LeafTree | None, alias: str, *, by_sets: bool = False
) -> tuple[list[sql.Composable], Row]:
    """Conditions on the rows of `alias`, cheapest first, and their parameters."""
    writer = Writer("where", by_sets=by_sets)
    of_types = "among_types" if by_sets else "of_types"
    blocks: Sequence[str] = ("of_documents",) if filters.types is None else ("of_documents", of_types)
    tests: list[sql.Composable] = [sql.SQL(_SQL[block]).format(a=sql.Identifier(alias)) for block in blocks]
    if where is not None:
        tests.append(writer.chunk(where, alias))
    return tests, filters.values() | writer.values
