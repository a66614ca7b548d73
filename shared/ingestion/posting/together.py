"""Many small posted documents at once: what the stages do with each, done set by set.

The stages' own functions read, group and assemble; their rows are written table by table, in one transaction to what
`finalize` leaves and in another to what `publish` leaves. What does not fit into a set (bytes that are there, a former
version that is gone, a plan that is nearly full, a file that is refused) is left to the stages one by one.
"""

import time
from collections.abc import Sequence
from functools import partial
from typing import Final

from shared.domain.attribute_schema import AttributeSchema
from shared.domain.document_date import DocumentDate
from shared.domain.ids import new_id
from shared.domain.model_calls import Usage
from shared.domain.scope import Scope
from shared.errors import AutriError
from shared.ingestion.assembly import display_name
from shared.ingestion.embed import WHOLE_DOCUMENT, embed_missing
from shared.ingestion.posting.reading import Read, Slice, discard, source_of
from shared.lexical import index as lexical
from shared.plans import quota
from shared.runtime import Runtime
from shared.store import attribute_schema, costs, documents, ingestions, posted, slices
from shared.store.connect import Row
from shared.store.draft import StoredDraft, add_drafts
from shared.store.planner import follow_growth
from shared.store.plans import CountedPages
from shared.vectors import rows as vectors
from shared.vectors.embedders import adopt_embedder, serving_version

# Documents per transaction: what has to be repeated one by one where a set does not fit.
SLICE: Final = 100
PAGE_STAGES: Final = ("render", "parse", "extract")


def schema_of(runtime: Runtime, scope: Scope) -> AttributeSchema:
    """The one that holds in the knowledge base of `scope`."""
    with runtime.database.transaction(scope) as connection:
        return attribute_schema.load_schema(connection, scope.knowledge_base_ids[0])


def store_together(runtime: Runtime, scope: Scope, read: Slice) -> list[Read]:
    """Stores what was read for one knowledge base, to where it lacks vectors; returns what it was that fitted into the
    set. The rest is as it was announced. Raises what the store raises."""
    if not read.read:
        return []
    try:
        stored = _store(runtime, scope, read.read, read.seconds / len(read.read))
    except AutriError:
        stored = []
    kept = {one.id for one in stored}
    discard(runtime.blobs, [one for one in read.read if one.id not in kept])
    return stored


def serve_together(runtime: Runtime, scope: Scope, stored: Sequence[Read]) -> None:
    """Serves what `store_together` has stored. Raises what an embedder or the store raises."""
    if stored:
        _serve(runtime, scope, stored)
        follow_growth(runtime.database)


def _store(runtime: Runtime, scope: Scope, wanted: Sequence[Read], read_s: float) -> list[Read]:
    """From `register` to `finalize`, and the words of `embed`. Returns what has become a document."""
    begun = time.perf_counter()
    base = scope.knowledge_base_ids[0]
    with slices.fitting(), runtime.database.transaction(scope) as connection:
        added = slices.add_documents(connection, base, [_document(one) for one in wanted])
        kept = [one for one in wanted if one.id in added]
        if not kept:
            return []
        posted.add_records(connection, scope, [(one.id, one.posting.posted) for one in kept])
        counted = [CountedPages(one.id, one.run, len(one.pages)) for one in kept]
        quota.count_pages(connection, scope.organization_id, counted, runtime.limits)
        ids = [one.id for one in kept]
        slices.start_runs(connection, ids)
        slices.add_pages(connection, *_pages(scope, kept, read_s))
        names = slices.names_of(connection, ids)
        drafts = [StoredDraft(one.id, one.draft, display_name(names[one.id]), one.version) for one in kept]
        add_drafts(connection, scope, drafts)
        attribute_schema.note_read(connection, base, ids, kept[0].draft.schema_version)
        grown = sum(len(one.draft.chunks) for one in kept)
        quota.check_chunks(connection, scope.organization_id, grown, runtime.limits)
        lexical.index_unseen(connection, base, ids, {one.id: one.words for one in kept})
        lexical.follow_mean_length(connection, base)
        share = (time.perf_counter() - begun) / len(kept)
        runs = {one.id: one.run for one in kept}
        slices.end_stages(
            connection, scope, runs, {"register": 0.0, "finalize": share}, dict.fromkeys(PAGE_STAGES, read_s / 3)
        )
    return kept


def _serve(runtime: Runtime, scope: Scope, stored: Sequence[Read]) -> None:
    """The vectors of `embed`, and `publish`."""
    begun = time.perf_counter()
    ids = [one.id for one in stored]
    with runtime.database.transaction(scope) as connection:
        for version in adopt_embedder(connection, ids[0], runtime.embedders.default):
            vectors.reuse(connection, ids, version)
    embed_missing(runtime, scope, ids, partial(_record, runtime, scope, stored))
    with runtime.database.transaction(scope) as connection:
        version = serving_version(connection, ids[0], runtime.embedders.default)
        if vectors.missing(connection, ids, version, 1):
            raise ValueError("chunks are left without a vector")
        share = (time.perf_counter() - begun) / len(stored)
        documents.publish_all(connection, ids, "ready", {"error": None, "embedder_version": version, "seconds": share})
        runs = {one.id: one.run for one in stored}
        slices.end_stages(connection, scope, runs, {"embed": share, "publish": 0.0}, {})
        ingestions.finish_all(connection, list(runs.values()), "ready")


def _document(one: Read) -> Row:
    dated = one.date._asdict() if one.date else dict.fromkeys(DocumentDate._fields)
    return {
        **_owner(one.event.scope),
        "id": one.id,
        "logical_id": new_id() if one.posting.version_of is None else None,
        "version_of": one.posting.version_of,
        "title": one.posting.title,
        "name": one.posting.title,
        "source_type": one.posting.posted["source_type"],
        "source_hash": one.posting.sha256,
        "source_key": source_of(one),
        "source_version": one.source_version,
        "size": len(one.posting.data),
        "run_id": one.run,
        "page_count": len(one.pages),
        "chunk_count": len(one.draft.chunks),
        "source_title": one.title,
        "confidence": one.draft.confidence,
        "extractor_version": one.version,
        "document_date": dated["day"],
        **{f"document_date_{name}": dated[name] for name in ("unit", "source", "confidence", "text")},
    }


def _pages(scope: Scope, wanted: Sequence[Read], read_s: float) -> tuple[list[Row], list[Row]]:
    """The rows of pages, and of the stages that they have left."""
    rows: list[Row] = []
    left: list[Row] = []
    for one in wanted:
        for page, columns in one.pages.items():
            place = {"document_id": one.id, "page": page, "status": "ready"}
            rows.append({**_owner(scope), **place, **columns})
            for stage in PAGE_STAGES:
                done = {"ingestion_id": one.run, "stage": stage, "page": page, "error": None}
                left.append({**_owner(scope), **done, "seconds": read_s / len(PAGE_STAGES)})
    return rows, left


def _record(runtime: Runtime, scope: Scope, stored: Sequence[Read], version: str, usage: Usage, usd: float) -> None:
    """Shares out the cost of a batch among the documents, by their chunks."""
    whole = sum(len(one.draft.chunks) for one in stored)
    tokens, given = usage.model_dump(), dict.fromkeys(usage.model_dump(), 0)
    with runtime.database.transaction(scope) as connection:
        for number, one in enumerate(stored, 1):
            part = len(one.draft.chunks) / whole
            some = {n: v - given[n] if number == len(stored) else int(v * part) for n, v in tokens.items()}
            given = {n: given[n] + v for n, v in some.items()}
            owner = {"document_id": one.id, "ingestion_id": one.run, "stage": "embed", "page": WHOLE_DOCUMENT}
            costs.record_call(connection, {**_owner(scope), **owner}, version, Usage(**some), usd * part)


def _owner(scope: Scope) -> Row:
    return {"organization_id": scope.organization_id, "knowledge_base_id": scope.knowledge_base_ids[0]}
