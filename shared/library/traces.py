"""Stored traces, for users who may read every knowledge base that a trace refers to: one's own, and for owners and
admins all. That they looked at what others asked is noted in the audit log."""

from collections.abc import Iterable
from itertools import chain, islice
from uuid import UUID

from shared.access import check_knowledge_base, reading
from shared.domain.scope import Identity
from shared.domain.trace import ListedTrace, Operator, Trace, TracedChunk
from shared.errors import NotFound
from shared.runtime import Runtime
from shared.store import traces
from shared.store.audit import note

# The most chunks that are described: as many as a page shows; others of a long ranking are returned as ids only.
CHUNKS_MAX = 200


def list_traces(
    runtime: Runtime,
    identity: Identity,
    before: UUID | None = None,
    operator: Operator | None = None,
    knowledge_base_id: UUID | None = None,
    limit: int = 100,
    *,
    mine: bool = False,
) -> list[ListedTrace]:
    """Newest first, from behind `before`; with `mine` one's own alone, for owners and admins too.

    Raises NotFound for an unknown knowledge base.
    """
    only = identity.user_id if mine else _only(identity)
    with reading(runtime, identity) as connection:
        if knowledge_base_id is not None:
            check_knowledge_base(connection, knowledge_base_id)
        rows = traces.list_traces(connection, before, operator, knowledge_base_id, limit, only)
        if any(row["user_id"] != identity.user_id for row in rows):
            note(connection, identity, "trace.list", None, knowledge_base_id, traces=len(rows))
    return [ListedTrace.model_validate(row) for row in rows]


def get_trace(runtime: Runtime, identity: Identity, trace_id: UUID) -> Trace:
    """Raises NotFound, the same for a trace that does not exist and for one that the caller may not read."""
    with reading(runtime, identity) as connection:
        row = traces.get_trace(connection, trace_id, _only(identity))
        if row is not None and row["user_id"] != identity.user_id:
            note(connection, identity, "trace.read", trace_id)
    if row is None:
        raise NotFound(f"There is no trace {trace_id}. It may be older than traces are kept; list those there are.")
    return traces.unpack(row)


def list_traced_chunks(runtime: Runtime, identity: Identity, trace_id: UUID) -> list[TracedChunk]:
    """The present state of the chunks that a trace names, hits first, then the ranking; without deleted ones."""
    trace = get_trace(runtime, identity, trace_id)
    wanted = list(islice(dict.fromkeys(_named(trace)), CHUNKS_MAX))
    with reading(runtime, identity) as connection:
        return [TracedChunk.model_validate(row) for row in traces.traced_chunks(connection, wanted)]


def _only(identity: Identity) -> UUID | None:
    return None if identity.role in ("owner", "admin") else identity.user_id


def _named(trace: Trace) -> Iterable[UUID]:
    hits = (hit.chunk_id for hit in trace.hits)
    ranked = (candidate.chunk_id for candidate in trace.ranking)
    found = (candidate.chunk_id for index in trace.indexes for candidate in index.candidates)
    return chain(hits, ranked, found)
