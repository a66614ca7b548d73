"""Rows of the retrieval log. They contain queries, so they are tenant data; they contain no content of documents.

A trace is packed: every chunk is named once, in `candidate_ids`, and by its place there everywhere else. A search names
some 200 chunks four times over; packed, its row is a quarter of the size and stored in a millisecond.
"""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb
from pydantic_core import to_json

from shared.domain.knowledge import Boost
from shared.domain.scope import Identity
from shared.domain.trace import (
    Dropped,
    IndexTrace,
    RankedCandidate,
    SelectionTrace,
    Step,
    Trace,
    TraceBody,
    TracedCandidate,
    TracedHit,
)
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("traces")

EXCERPT = 160
Packed = dict[str, Any]
AS_THEY_ARE = ("embedder_version", "notes")
# Scores are rounded: they are only displayed, as ranks define the order.
DIGITS = 6


def add_trace(connection: Connection, identity: Identity, row: Row) -> None:
    """`row` has the columns of `retrieval_log` except those of the identity and the scope; `parameters` and `trace` as
    plain JSON."""
    owner = {"organization_id": identity.organization_id, "user_id": identity.user_id}
    documents = {name: Jsonb(row[name], dumps=to_json) for name in ("parameters", "trace")}
    connection.execute(_SQL["add_trace"], row | owner | documents)


def get_trace(connection: Connection, trace_id: UUID, only: UUID | None = None) -> Row | None:
    """The row, or None unless every knowledge base that it refers to is in scope; with `only`, one of that user's."""
    return connection.execute(_SQL["get_trace"], {"id": trace_id, "only": only}).fetchone()


def list_traces(
    connection: Connection,
    before: UUID | None,
    operator: str | None,
    knowledge_base_id: UUID | None,
    limit: int,
    only: UUID | None = None,
) -> list[Row]:
    """Rows without their bodies, newest first, after the one with id `before`; with `only`, those of that user."""
    values = {"before": before, "operator": operator, "knowledge_base_id": knowledge_base_id, "limit": limit}
    values |= {"only": only}
    return connection.execute(_SQL["list_traces"], values).fetchall()


def traced_chunks(connection: Connection, chunk_ids: Sequence[UUID]) -> list[Row]:
    """Document, place and the first characters of those chunks that still exist and may be read, in the given order."""
    return connection.execute(_SQL["traced_chunks"], {"ids": list(chunk_ids), "excerpt": EXCERPT}).fetchall()


def forget_traces(connection: Connection) -> int:
    """Deletes the organization's traces that are older than its retention time, also those about deleted knowledge
    bases; returns how many."""
    row = connection.execute(_SQL["forget_traces"]).fetchone()
    return int(row["forgotten"]) if row else 0


def pack(body: TraceBody) -> tuple[list[UUID], Packed]:
    """(candidate ids, ranked ones first; the rest of the trace as JSON)."""
    places: dict[UUID, int] = {}
    for chunk_id in _named(body):
        places.setdefault(chunk_id, len(places))
    packed: Packed = {
        "steps": [[s.name, s.ms, s.database_ms] for s in body.steps],
        "selection": None if body.selection is None else [body.selection.plan, body.selection.figures],
        "embedder_version": body.embedder_version,
        "notes": body.notes,
        "indexes": [
            {
                "name": index.name,
                "plan": index.plan,
                "exact": index.exact,
                "figures": index.figures,
                "weight": index.weight,
                "at": [places[c.chunk_id] for c in index.candidates],
                "scores": [None if c.score is None else round(c.score, DIGITS) for c in index.candidates],
            }
            for index in body.indexes
        ],
        "ranking": {"scores": [round(c.score, DIGITS) for c in body.ranking], "boosts": _pack_boosts(body.ranking)},
        "dropped": [[places[d.chunk_id], d.reason, places[d.kept] if d.kept else None] for d in body.dropped],
        "hits": {
            "at": [places[h.chunk_id] for h in body.hits],
            "scores": [h.score for h in body.hits],
            "boosts": _pack_boosts(body.hits),
        },
    }
    return list(places), packed


def unpack(row: dict[str, Any]) -> Trace:
    """Restores a trace from its row; rows of older versions, without `candidate_ids`, name chunks by id."""
    packed: Packed = row["trace"]
    head = {name: row[name] for name in row.keys() & Trace.model_fields.keys()}
    if isinstance(packed["hits"], list):
        return Trace.model_validate(head | packed)
    ids: Sequence[UUID] = row["candidate_ids"]
    return Trace(
        **head,
        **{name: packed[name] for name in AS_THEY_ARE},
        steps=[Step(name=name, ms=ms, database_ms=database) for name, ms, database in packed["steps"]],
        selection=_unpack_selection(packed["selection"]),
        indexes=[_unpack_index(index, ids) for index in packed["indexes"]],
        ranking=_unpack_ranking(packed["ranking"], ids),
        dropped=[
            Dropped(chunk_id=ids[at], reason=reason, kept=None if kept is None else ids[kept])
            for at, reason, kept in packed["dropped"]
        ],
        hits=_unpack_hits(packed["hits"], ids),
    )


def _named(body: TraceBody) -> Iterable[UUID]:
    yield from (c.chunk_id for c in body.ranking)
    for index in body.indexes:
        yield from (c.chunk_id for c in index.candidates)
    yield from (h.chunk_id for h in body.hits)
    for dropped in body.dropped:
        yield from filter(None, (dropped.chunk_id, dropped.kept))


def _pack_boosts(rows: Sequence[RankedCandidate] | Sequence[TracedHit]) -> list[list[Any]]:
    """[index in the list, name, factor, from, to] for every boost."""
    return [
        [at, b.name, round(b.factor, DIGITS), b.from_rank, b.to_rank] for at, row in enumerate(rows) for b in row.boosts
    ]


def _unpack_boosts(packed: Iterable[list[Any]]) -> dict[int, list[Boost]]:
    found: dict[int, list[Boost]] = {}
    for at, name, factor, from_rank, to_rank in packed:
        found.setdefault(at, []).append(Boost(name=name, factor=factor, from_rank=from_rank, to_rank=to_rank))
    return found


def _unpack_selection(packed: list[Any] | None) -> SelectionTrace | None:
    return None if packed is None else SelectionTrace(plan=packed[0], figures=packed[1])


def _unpack_index(packed: Packed, ids: Sequence[UUID]) -> IndexTrace:
    listed = zip(packed["at"], packed["scores"], strict=True)
    candidates = [TracedCandidate(chunk_id=ids[at], rank=n, score=s) for n, (at, s) in enumerate(listed, start=1)]
    fields = {name: packed[name] for name in ("name", "plan", "exact", "figures", "weight")}
    return IndexTrace(**fields, candidates=candidates)


def _unpack_ranking(packed: Packed, ids: Sequence[UUID]) -> list[RankedCandidate]:
    boosts = _unpack_boosts(packed["boosts"])
    return [
        RankedCandidate(chunk_id=ids[at], rank=at + 1, score=score, boosts=boosts.get(at, []))
        for at, score in enumerate(packed["scores"])
    ]


def _unpack_hits(packed: Packed, ids: Sequence[UUID]) -> list[TracedHit]:
    boosts = _unpack_boosts(packed["boosts"])
    return [
        TracedHit(chunk_id=ids[at], score=score, boosts=boosts.get(n, []))
        for n, (at, score) in enumerate(zip(packed["at"], packed["scores"], strict=True))
    ]
