"""What may be ranked: decided once per call, before any index is read, and the same for all of them.

A selection is either a list of chunks, where few pass the filters (an index then ranks exactly those), or a condition
that an index tests on what it finds. Scope itself is row-level security's; nothing here widens it.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg import sql

from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("selection")
Row = dict[str, Any]


@dataclass(frozen=True)
class Filters:
    """What narrows every index alike. None for `types` or `documents` means all; an empty tuple means none."""

    types: tuple[str, ...] | None = None
    documents: tuple[UUID, ...] | None = None
    include_superseded: bool = False

    def values(self) -> Row:
        return {
            "types": None if self.types is None else list(self.types),
            "documents": None if self.documents is None else list(self.documents),
            "superseded": self.include_superseded,
        }


@dataclass(frozen=True)
class Selection:
    """The chunks that pass `filters`: named one by one in `chunk_ids`, or by `condition` where that is None."""

    filters: Filters
    chunk_ids: tuple[UUID, ...] | None = None

    def condition(self, alias: str) -> sql.Composed:
        """SQL that is true for the rows of `alias` (with columns `chunk_id` and `document_id`) that are selected."""
        block = _SQL["passes"] if self.chunk_ids is None else _SQL["listed"]
        return sql.SQL(block).format(a=sql.Identifier(alias))

    def values(self) -> Row:
        """The parameters of `condition`."""
        return self.filters.values() | {"chunk_ids": None if self.chunk_ids is None else list(self.chunk_ids)}


def select_chunks(connection: Connection, filters: Filters) -> Selection:
    """The selection for `filters` within the scope of the open transaction."""
    del connection
    return Selection(filters)
