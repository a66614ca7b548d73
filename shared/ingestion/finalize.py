"""Stage 5: assembles the document and stores it in one transaction: sections, chunks, tables, figures, coverage."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from shared import telemetry
from shared.contract import kept_key
from shared.domain.datasets import SHEETS
from shared.errors import NotFound
from shared.extraction.document_date import read_document_date
from shared.ingestion.assembly import assemble_document, display_name, page_loader, store_pages
from shared.ingestion.editing.carried import carry, find_earlier
from shared.ingestion.event import Event
from shared.ingestion.recorded import recorded
from shared.kept_blocks import load_block
from shared.lexical.kept_words import filter_of
from shared.plans.quota import check_chunks
from shared.readers.registry import find_format
from shared.runtime import Runtime
from shared.store import attribute_schema, documents, edits, ingestions, kept_words, reviews
from shared.store.draft import commit_draft


def run(runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    """Raises ValueError when input and output do not match: a page or a fragment is missing; PlanExhausted, with
    nothing stored, where the plan has no room for the chunks."""
    run_event = Event.model_validate(event)
    with recorded(runtime, run_event.scope, run_event.ingestion_id, "finalize"):
        return _finalize(runtime, run_event)


def _finalize(runtime: Runtime, event: Event) -> dict[str, Any]:
    with runtime.database.transaction(event.scope) as connection:
        ingestions.check_run(connection, event.document_id, event.ingestion_id)
        ingestion = ingestions.find_ingestion(connection, event.ingestion_id)
        failed = ingestions.failed_pages(connection, event.ingestion_id)
        name = documents.logical_name(connection, event.document_id)
        active = edits.active_edits(connection, event.document_id)
        document = documents.find_document(connection, event.document_id)
        schema = attribute_schema.load_schema(connection, event.knowledge_base_id)
        earlier = find_earlier(connection, document) if document is not None else None
    if document is None:
        raise NotFound(f"The document {event.document_id} was deleted while it was ingested.")
    version = find_format(document["source_type"]).version()
    page_count = int(ingestion["page_count"]) if ingestion else 0
    good = [page for page in range(1, page_count + 1) if page not in failed]
    if not good:
        reasons = "; ".join(f"page {page}: {error}" for page, error in list(failed.items())[:3])
        raise ValueError(f"no page could be read ({reasons})")
    words = _words_of_kept(runtime, event, good) if document["source_type"] in SHEETS else {}
    load = page_loader(runtime, event.work, good)
    carried = carry(runtime, earlier, load, good)
    active += carried.active
    with telemetry.work("table.norm", document_id=event.document_id, ingestion_id=event.ingestion_id) as span:
        draft, stale = assemble_document(load, good, [one.edit for one in active], schema)
        rows = sum(len(table.rows) for table in draft.tables)
        span.note(pages=len(good), tables=len(draft.tables), rows=rows, chunks=len(draft.chunks))
    first_page = load(1)[0] if good[0] == 1 else None
    date = read_document_date(first_page, document["name"], document["source_made"], datetime.now(UTC).date())
    with runtime.database.transaction(event.scope) as connection:
        ingestions.check_run(connection, event.document_id, event.ingestion_id)
        former = edits.former_rows(connection, event.document_id)
        commit_draft(connection, event.scope, event.document_id, draft, display_name(name), version, former)
        attribute_schema.note_read(connection, event.knowledge_base_id, [event.document_id], draft.schema_version)
        store_pages(connection, event.document_id, draft)
        grown = documents.count_chunks(connection, event.document_id) - document["chunk_count"]
        check_chunks(connection, event.organization_id, grown, runtime.limits)
        carried.store(connection, event.document_id)
        kept_words.store_words(connection, event.model_dump(), words)
        edits.set_stale(connection, event.document_id, active, stale)
        reviews.refit(connection, event.document_id)
        documents.set_date(connection, event.document_id, date)
        documents.set_extracted(connection, event.document_id, event.ingestion_id, draft.confidence, version)
    return {"chunks": len(draft.chunks), "sections": len(draft.sections), "failed_pages": len(failed)}


def _words_of_kept(runtime: Runtime, event: Event, good: Sequence[int]) -> dict[int, bytes]:
    """By part the filter of the words of the rows that are kept beside it; one block after the other, before the
    document is assembled, which takes memory too."""
    there = set(runtime.blobs.list(f"{event.work}rows/"))
    kept = [page for page in good if kept_key(event.work, page) in there]
    return {page: filter_of(load_block(runtime.blobs, event.work, page).texts) for page in kept}
