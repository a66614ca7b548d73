"""Checks a search before any ranking: refuses one that asks for nothing, and pinned documents that are not in scope."""

from uuid import UUID

from shared.errors import BadInput, NotFound
from shared.filters.ordering import read_order
from shared.filters.selection import Filters
from shared.retrieval.requests import SearchRequest
from shared.store.connect import Connection
from shared.store.search import known_documents


def check_request(request: SearchRequest) -> None:
    """Raises BadInput for a search that asks for nothing, or whose filter cannot be read."""
    filters = request.filters()
    if request.sort is not None:
        read_order(request.sort)
    lists = request.sort is not None or request.facets is not False
    narrows = filters.types is not None or filters.documents is not None or filters.where is not None
    if not request.query.strip() and not narrows and request.recency_days is None and not lists:
        raise BadInput("The query is empty. Give a query, or a filter, an order or recency to list by.")


def check_documents(connection: Connection, filters: Filters) -> None:
    """Raises NotFound naming the first pinned document that is not in scope."""
    pinned = filters.documents or ()
    known = known_documents(connection, pinned) if pinned else set[UUID]()
    for document in pinned:
        if document not in known:
            raise NotFound(f"There is no document {document} in the knowledge bases that were asked.")
