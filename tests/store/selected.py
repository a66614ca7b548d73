"""What a selection's condition says of chunks that no index was asked for."""

from collections.abc import Sequence
from uuid import UUID

from psycopg import sql

from shared.filters.selection import Selection
from shared.store.connect import Connection

_KEPT = sql.SQL(
    "select s.chunk_id from unnest(%(given)s::uuid[]) with ordinality g (id, place)"
    " cross join lateral (select c.id as chunk_id, c.document_id from chunks c where c.id = g.id limit 1) s"
    " where {selected} order by g.place"
)


def keep_selected(connection: Connection, selection: Selection, chunk_ids: Sequence[UUID]) -> list[UUID]:
    """Those of `chunk_ids` that are selected, in their order."""
    query = _KEPT.format(selected=selection.condition("s"))
    return [row["chunk_id"] for row in connection.execute(query, selection.values() | {"given": list(chunk_ids)})]


def listing(chunk_ids: Sequence[UUID]) -> str:
    """A `uuid[]` as Postgres writes it."""
    return "{" + ",".join(map(str, chunk_ids)) + "}"
