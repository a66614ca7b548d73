"""Proof over a stored document: its source is read again and compared with what was stored."""

from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

from shared.domain.knowledge import Chunk
from shared.domain.operations import PageOperations
from shared.domain.scope import Identity
from shared.domain.verify import VerifyReport
from shared.errors import Conflict
from shared.library.access import find_place, open_library
from shared.library.pages import list_chunks
from shared.runtime import Runtime
from shared.store import library
from shared.store.library import Place

BATCH = 500
REPORT = "verify.json"


def verify_stored_document(
    runtime: Runtime, identity: Identity, document_id: UUID, *, refresh: bool = False
) -> VerifyReport:
    """Counts and failures of one document: those kept of its run, or with `refresh` those of reading it now.

    No chunks are no failure. Raises NotFound; Conflict while a run is changing what would be proved.
    """
    with open_library(runtime, identity) as connection:
        place = find_place(connection, document_id)
    if place.status in ("queued", "running"):
        raise Conflict(f"{place.name} is being ingested. Verify it when it is ready.")
    key = f"{place.work}{REPORT}"
    if not refresh and runtime.blobs.exists(key):
        return VerifyReport.model_validate_json(runtime.blobs.get(key))
    report = _verify(runtime, identity, place)
    with open_library(runtime, identity) as connection:
        # Deleted or started again meanwhile: the report is told, and nothing is left behind.
        if library.get_place(connection, document_id) == place:
            runtime.blobs.put(key, report.model_dump_json().encode(), "application/json")
    return report


def _verify(runtime: Runtime, identity: Identity, place: Place) -> VerifyReport:
    """The PDF library takes longer to load than all the rest of the API, so it is loaded here."""
    from shared.extraction.verify import verify_document
    from shared.readers.pdf import open_source

    now = datetime.now(UTC)
    if not list_chunks(runtime, identity, place.id, None, 1):
        return VerifyReport(checked_at=now)
    with open_source(runtime.blobs.local_copy(place.source_key)) as source:
        chunks = _chunks(runtime, identity, place.id)
        report = verify_document(source, chunks, lambda page: _operations(runtime, f"{place.work}ops/{page}.json"))
    named = [failure.model_copy(update={"document_id": str(place.id)}) for failure in report.failures]
    return report.model_copy(update={"failures": named, "checked_at": now})


def _chunks(runtime: Runtime, identity: Identity, document_id: UUID) -> Iterator[Chunk]:
    """All chunks, read in batches: memory stays flat in pages, and no transaction stays open while pages are read."""
    batch = list_chunks(runtime, identity, document_id, None, BATCH)
    while batch:
        yield from batch
        batch = list_chunks(runtime, identity, document_id, (batch[-1].ordinal, batch[-1].id), BATCH)


def _operations(runtime: Runtime, key: str) -> PageOperations | None:
    """None for a page that failed before it had operations."""
    return PageOperations.model_validate_json(runtime.blobs.get(key)) if runtime.blobs.exists(key) else None
