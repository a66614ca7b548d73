"""Stage 7: checks counts, suggests versions, serves the document, and makes the newest version the current one."""

import time
from collections.abc import Mapping
from typing import Any

from shared.ingestion.event import Event
from shared.ingestion.recorded import timed
from shared.ingestion.source import check_stored_source
from shared.ingestion.suggest import suggest_versions
from shared.runtime import Runtime
from shared.store import documents, ingestions
from shared.vectors import rows as vectors
from shared.vectors.embedders import serving_version

SHOWN_PAGES = 12
ROWS_KEPT = (
    "{:,} rows of its tables are kept as rows and are no passages: a search finds them by their words alone, and no"
    " answer quotes them. Make a dataset of the table to compute with them."
)
NO_TEXT = "None of its pages has any text that could be read: they can be looked at, and nothing in them can be found."


def run(runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    """Raises ValueError when a chunk has no vector of the serving embedder and could not be found; SourceChanged when
    the source that the pages were read from is missing or changed."""
    run_event = Event.model_validate(event)
    with timed(runtime, run_event.scope, run_event.ingestion_id, "publish"):
        return _publish(runtime, run_event)


def _publish(runtime: Runtime, run_event: Event) -> dict[str, Any]:
    started = time.perf_counter()
    check_stored_source(runtime, run_event)
    suggest_versions(runtime, run_event.scope, run_event.document_id)
    with runtime.database.transaction(run_event.scope) as connection:
        ingestions.check_run(connection, run_event.document_id, run_event.ingestion_id)
        version = serving_version(connection, run_event.document_id, runtime.embedders.default)
        if vectors.missing(connection, [run_event.document_id], version, 1):
            raise ValueError("chunks are left without a vector")
        failed = ingestions.failed_pages(connection, run_event.ingestion_id)
        status = "ready_with_errors" if failed else "ready"
        error = describe_failed(failed)
        if error is None and not documents.has_chunks(connection, run_event.document_id):
            error = NO_TEXT
        if error is None and (kept := documents.count_kept_rows(connection, run_event.document_id)):
            error = ROWS_KEPT.format(kept)
        seconds = _seconds(ingestions.find_ingestion(connection, run_event.ingestion_id))
        values = {"error": error, "embedder_version": version, "seconds": seconds}
        documents.publish(connection, run_event.document_id, status, values)
        ingestions.set_stage(connection, run_event.ingestion_id, "publish", "done", time.perf_counter() - started)
        ingestions.finish(connection, run_event.ingestion_id, status, error=error)
    return {"status": status}


def describe_failed(failed: Mapping[int, str]) -> str | None:
    """One sentence about the pages that could not be read; None when all could."""
    if not failed:
        return None
    shown = ", ".join(str(page) for page in list(failed)[:SHOWN_PAGES])
    more = f" and {len(failed) - SHOWN_PAGES} more" if len(failed) > SHOWN_PAGES else ""
    first = next(iter(failed.values())).rstrip(".")
    return f"Could not read page {shown}{more} ({first}). The other pages are ready; reingest to try again."


def _seconds(ingestion: dict[str, Any] | None) -> float:
    stages: dict[str, dict[str, Any]] = ingestion["stages"] if ingestion else {}
    return sum(float(state.get("seconds") or 0.0) for state in stages.values())
