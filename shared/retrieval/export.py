"""A whole result as CSV: every match, in slices, so that a long one needs no more memory than its cells."""

from uuid import UUID

from shared.access import reading
from shared.domain.scope import Identity
from shared.filters.ordering import order_matches, read_order
from shared.filters.selection import select_chunks
from shared.retrieval.filters import check_documents, check_request
from shared.retrieval.requests import HITS_MAX, KNOWLEDGE_BASES_MAX, ExportRequest, SearchRequest
from shared.retrieval.service import search
from shared.retrieval.table import Row, cells_behind, table_of, write_csv
from shared.runtime import Runtime
from shared.store.connect import Connection
from shared.store.search import FoundChunk, load_chunks, newest_candidates

SLICE = 500
ROWS_EXPORTED = 1_000


def export_csv(runtime: Runtime, identity: Identity, request: ExportRequest) -> str:
    """With the rows that are no passages and have the words of the query, above or below the hits as a search shows
    them. Raises BadInput and NotFound as a search does."""
    check_request(request)
    hits, behind = None, None
    if request.query.strip():
        wish = request.model_dump() | {"k": min(request.k, HITS_MAX), "columns": None, "facets": False}
        found = search(runtime, identity, SearchRequest(**wish), rows_listed=min(request.k, ROWS_EXPORTED))
        hits, behind = found.hits, found.rows_behind
    bases = request.knowledge_base_ids
    with reading(runtime, identity, bases, newest=KNOWLEDGE_BASES_MAX, snapshot=True) as connection:
        rows = _matches(connection, request) if hits is None else hits
        table = table_of(connection, rows, request.columns or [], behind.hits if behind else [], as_printed=True)
    further = [cells_behind(table, row) for row in behind.hits] if behind else []
    return write_csv(table, above=further) if behind and behind.before_hits else write_csv(table, below=further)


def _matches(connection: Connection, request: ExportRequest) -> list[Row]:
    filters = request.filters()
    check_documents(connection, filters)
    selection = select_chunks(connection, filters)
    if request.sort is None:
        ids = newest_candidates(connection, selection, request.recency_days is not None, request.k)
    else:
        ids = order_matches(connection, selection, read_order(request.sort), request.k)
    return [row for first in range(0, len(ids), SLICE) for row in _slice(connection, ids[first : first + SLICE])]


def _slice(connection: Connection, ids: list[UUID]) -> list[FoundChunk]:
    found = load_chunks(connection, ids)
    return [found[chunk] for chunk in ids if chunk in found]
