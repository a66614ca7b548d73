"""Stage 5: the document as a whole, stored in one transaction: sections, chunks, tables, figures, coverage."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from shared.domain.draft import DocumentDraft
from shared.domain.operations import PageOperations
from shared.domain.page import PageFile
from shared.extraction.assemble import assemble
from shared.ingestion.event import Event
from shared.ingestion.pages import read_page_file
from shared.ingestion.recorded import recorded
from shared.readers.pdf import EXTRACTOR_VERSION
from shared.runtime import Runtime
from shared.store import documents, ingestions
from shared.store.connect import Connection
from shared.store.draft import commit_draft

EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,5}$")


def run(runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    """Raises ValueError when what came in is not what went out: a page or a fragment is missing."""
    run_event = Event.model_validate(event)
    with recorded(runtime, run_event.scope, run_event.ingestion_id, "finalize"):
        return _finalize(runtime, run_event)


def _finalize(runtime: Runtime, event: Event) -> dict[str, Any]:
    with runtime.database.transaction(event.scope) as connection:
        ingestion = ingestions.find_ingestion(connection, event.ingestion_id)
        failed = ingestions.failed_pages(connection, event.ingestion_id)
        name = documents.logical_name(connection, event.document_id)
    page_count = int(ingestion["page_count"]) if ingestion else 0
    good = [page for page in range(1, page_count + 1) if page not in failed]
    if not good:
        reasons = "; ".join(f"page {page}: {error}" for page, error in list(failed.items())[:3])
        raise ValueError(f"no page could be read ({reasons})")
    draft = assemble(_read(runtime, event, good))
    _check_counts(draft, good)
    with runtime.database.transaction(event.scope) as connection:
        ingestions.check_newest(connection, event.document_id, event.ingestion_id)
        commit_draft(connection, event.scope, event.document_id, draft, display_name(name), EXTRACTOR_VERSION)
        _update_pages(connection, event, draft)
    return {"chunks": len(draft.chunks), "sections": len(draft.sections), "failed_pages": len(failed)}


def display_name(filename: str) -> str:
    """A document's name as context for search: no extension, words apart."""
    return " ".join(EXTENSION.sub("", filename).replace("_", " ").split())


def _read(runtime: Runtime, event: Event, pages: list[int]) -> Iterator[tuple[PageFile, PageOperations]]:
    for page in pages:
        operations = runtime.blobs.get(f"{event.work}ops/{page}.json")
        yield read_page_file(runtime, event.work, page), PageOperations.model_validate_json(operations)


def _check_counts(draft: DocumentDraft, pages: list[int]) -> None:
    found = [summary.page for summary in draft.pages]
    if found != pages:
        raise ValueError(f"{len(pages)} pages went in and {len(found)} came out")
    unclaimed = {summary.page: summary.unclaimed for summary in draft.pages if summary.unclaimed}
    if unclaimed:
        raise ValueError(f"fragments that no operation claims, by page: {unclaimed}")


def _update_pages(connection: Connection, event: Event, draft: DocumentDraft) -> None:
    skipped: dict[int, list[dict[str, Any]]] = {}
    for item in draft.skipped:
        skipped.setdefault(item.page, []).append(item.model_dump(mode="json"))
    for page in draft.pages:
        values = {
            "confidence": page.confidence,
            "flags": page.flags,
            "fragments": page.fragments,
            "unclaimed": page.unclaimed,
            "skipped": skipped.get(page.page, []),
        }
        documents.update_page(connection, event.document_id, page.page, "ready", values)
    documents.set_extracted(connection, event.document_id, event.ingestion_id, draft.confidence, EXTRACTOR_VERSION)
