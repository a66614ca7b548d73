"""The traces of searches, look-ups and answers."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from functions.api.caller import Reader
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed
from functions.api.routing import v1_router
from shared.domain.trace import ListedTrace, Operator, Trace, TracedChunk
from shared.library import traces as library

router = v1_router("retrieval", "/traces")
LISTING = "traces"


@router.get("")
def list_traces(
    caller: Reader,
    operator: Operator | None = None,
    knowledge_base_id: Annotated[UUID | None, Query(description="only calls that asked this one, too")] = None,
    mine: Annotated[bool, Query(description="only what you asked yourself")] = False,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> PageOf[ListedTrace]:
    """What you asked, newest first; for owners and admins what everybody asked, and that they looked is noted."""
    who = (caller.runtime, caller.identity)

    def read(before: UUID | None, most: int) -> list[ListedTrace]:
        return library.list_traces(*who, before, operator, knowledge_base_id, most, mine=mine)

    return listed(LISTING, cursor, limit, read)


@router.get("/{trace_id}")
def get_trace(caller: Reader, trace_id: UUID) -> Trace:
    """How a call found what it found: what each index ranked, what was dropped and why, and how long it took."""
    return library.get_trace(caller.runtime, caller.identity, trace_id)


@router.get("/{trace_id}/chunks")
def list_traced_chunks(caller: Reader, trace_id: UUID) -> PageOf[TracedChunk]:
    """The chunks that the trace names (at most 200), as they are now: document, place, first words. A trace itself
    holds no content."""
    found = library.list_traced_chunks(caller.runtime, caller.identity, trace_id)
    return PageOf(items=found, next_cursor=None)
