"""What may be ranked: decided once per call, before any index is read, and the same for all of them.

A selection is either a list of chunks, where few pass the filters (an index then ranks exactly those), or a condition
that an index tests on what it finds. Scope itself is row-level security's; nothing here widens it.
"""

from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from psycopg import sql

from shared.store.connect import Connection
from shared.store.declared import check_tree
from shared.store.filter_terms import Tree
from shared.store.leaves import Leaf, LeafTree, Writer
from shared.store.named_queries import load_queries

_SQL = load_queries("selection")
Row = dict[str, Any]
SURVIVORS_MAX: Final = 3000


@dataclass(frozen=True)
class Filters:
    """What narrows every index alike. None for `types` or `documents` means all; an empty tuple means none."""

    types: tuple[str, ...] | None = None
    documents: tuple[UUID, ...] | None = None
    include_superseded: bool = False
    where: Tree | None = None

    def values(self) -> Row:
        return {
            "types": None if self.types is None else list(self.types),
            "documents": None if self.documents is None else list(self.documents),
            "superseded": self.include_superseded,
        }


@dataclass(frozen=True)
class Selection:
    """The chunks that pass `filters`: named one by one in `chunk_ids`, or by `condition` where that is None.

    `plan` says in words how it was decided, `figures` the counts behind that, for the trace.
    """

    filters: Filters
    chunk_ids: tuple[UUID, ...] | None = None
    where: LeafTree | None = None
    plan: str = "no filter"
    figures: dict[str, Any] = field(default_factory=dict[str, Any])

    def condition(self, alias: str) -> sql.Composed:
        """SQL that is true for the rows of `alias` (with columns `chunk_id` and `document_id`) that are selected."""
        return self._written(alias)[0]

    def values(self) -> Row:
        """The parameters of `condition`."""
        return self._written("a")[1]

    def _written(self, alias: str) -> tuple[sql.Composed, Row]:
        if self.chunk_ids is not None:
            listed = sql.SQL(_SQL["listed"]).format(a=sql.Identifier(alias))
            return listed, self.filters.values() | {"chunk_ids": list(self.chunk_ids)}
        return _condition(self.filters, self.where, alias, Writer())


def _condition(filters: Filters, where: LeafTree | None, alias: str, writer: Writer) -> tuple[sql.Composed, Row]:
    passes: sql.Composed = sql.SQL(_SQL["passes"]).format(a=sql.Identifier(alias))
    if where is not None:
        passes = sql.SQL("{} and {}").format(passes, writer.chunk(where, alias))
    return passes, filters.values() | writer.values | {"chunk_ids": None}


def select_chunks(connection: Connection, filters: Filters) -> Selection:
    """The selection for `filters` within the scope of the open transaction. Raises BadFilter."""
    if filters.where is None:
        return Selection(filters)
    where = check_tree(connection, filters.where)
    driver = _driver(where)
    if driver is None:
        return Selection(filters, None, where, "tested on what each index finds")
    writer = Writer()
    branches = [
        sql.SQL("select f.chunk_id, f.document_id from chunk_attributes f where {}").format(test)
        for leaf in driver
        for test in writer.branches(leaf)
    ]
    selected, values = _condition(filters, where, "s", writer)
    query = sql.SQL(_SQL["survivors"]).format(driver=sql.SQL(" union all ").join(branches), selected=selected)
    rows = connection.execute(query, values | {"survivors_max": SURVIVORS_MAX}).fetchall()
    if len(rows) > SURVIVORS_MAX:
        return Selection(filters, None, where, "tested on what each index finds", {"more_than": SURVIVORS_MAX})
    return Selection(filters, tuple(row["chunk_id"] for row in rows), where, "listed", {"matches": len(rows)})


def _driver(tree: LeafTree) -> list[Leaf] | None:
    """Leaves of which every chunk that passes satisfies one; None where there are none such."""
    if isinstance(tree, Leaf):
        return [tree]
    parts = [_driver(part) for part in tree.parts] if tree.kind != "none" else []
    if tree.kind == "any":
        return None if any(part is None for part in parts) else [leaf for part in parts if part for leaf in part]
    found = [part for part in parts if part is not None]
    return min(found, key=len) if found else None
