"""Runs a stage over the pages of a shard: skips finished pages, records progress, isolates pages that crash."""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from shared.contract import STAGES
from shared.domain.page import PageFile
from shared.errors import StoreUnavailable, Unavailable
from shared.ingestion.child import START_TIMEOUT_S, run_in_child
from shared.ingestion.event import ShardEvent
from shared.ingestion.limits import memory_limit, page_deadline
from shared.ingestion.presence import while_present
from shared.ingestion.recorded import timed
from shared.ingestion.source import check_stored_source
from shared.runtime import Runtime
from shared.store import documents, ingestions

PAGE_TIMEOUTS_S = {stage.name: stage.page_timeout_s for stage in STAGES if stage.mapped}

# Does the work for one page and returns the columns of its `pages` row.
PageWork = Callable[[int], dict[str, Any]]
OpenWork = Callable[[Runtime, ShardEvent], AbstractContextManager[PageWork]]


def run_pages(
    runtime: Runtime,
    event: Mapping[str, Any],
    stage: str,
    status: str,
    open_work: OpenWork,
    page_timeout_s: float | None = None,
    patient: bool = False,
) -> dict[str, Any]:
    """Runs `open_work`'s page function over the shard's unfinished pages; returns counts.

    An error in one page fails the range, and the caller runs it again with `isolated`: then each page runs in a process
    of its own with limits, and only the failing page is recorded as failed. `patient` work waits for a service: it
    raises Unavailable (instead of failing the page) when the service is, and when the remaining pages no longer fit
    into the stage's time; finished pages are stored. `page_timeout_s` overrides the stage's time limit per page.
    """
    timeout_s = page_timeout_s or PAGE_TIMEOUTS_S[stage]
    shard = ShardEvent.model_validate(event)
    measured = nullcontext() if shard.alone else timed(runtime, shard.scope, shard.ingestion_id, stage)
    with measured, while_present(runtime, shard):
        _run_left(runtime, shard, stage, status, open_work, timeout_s, patient)
    with runtime.database.transaction(shard.scope) as connection:
        failed = [p for p in ingestions.failed_pages(connection, shard.ingestion_id) if p in shard.pages]
        missing = ingestions.pages_left(connection, shard.ingestion_id, stage, shard.pages)
    if missing and not shard.isolated:
        raise RuntimeError(f"{stage}: pages {missing} of shard {shard.shard} were neither done nor failed")
    return {"stage": stage, "shard": shard.shard, "pages": len(shard.pages), "failed": failed}


def _run_left(
    runtime: Runtime,
    shard: ShardEvent,
    stage: str,
    status: str,
    open_work: OpenWork,
    timeout_s: float,
    patient: bool,
) -> None:
    with runtime.database.transaction(shard.scope) as connection:
        left = ingestions.pages_left(connection, shard.ingestion_id, stage, shard.pages)
        if shard.isolated:
            failed_before = ingestions.failed_pages(connection, shard.ingestion_id)
            left = [page for page in left if page not in failed_before]
    if left and shard.isolated:
        # The fault is in no page, so no page may be counted as failed.
        check_stored_source(runtime, shard)
        _run_isolated(runtime, shard, stage, left, timeout_s, patient)
    elif left:
        with open_work(runtime, shard) as work:
            for page in left:
                _run_one(runtime, shard, stage, status, page, work, timeout_s)


def read_page_file(runtime: Runtime, work: str, page: int) -> PageFile:
    return PageFile.model_validate_json(runtime.blobs.get(f"{work}pages/{page}.json"))


def _run_one(
    runtime: Runtime, shard: ShardEvent, stage: str, status: str, page: int, work: PageWork, timeout_s: float
) -> None:
    started = time.perf_counter()
    with page_deadline(timeout_s), memory_limit():
        values = work(page)
    seconds = time.perf_counter() - started
    with runtime.database.transaction(shard.scope) as connection:
        ingestions.check_run(connection, shard.document_id, shard.ingestion_id)
        documents.update_page(connection, shard.document_id, page, status, values)
        ingestions.record_page(connection, shard.scope, shard.ingestion_id, stage, page, seconds, None)


def _run_isolated(
    runtime: Runtime, shard: ShardEvent, stage: str, pages: list[int], timeout_s: float, patient: bool
) -> None:
    limit = next(known.timeout_s for known in STAGES if known.name == stage)
    begun = time.monotonic()
    for page in pages:
        if time.monotonic() - begun + timeout_s + START_TIMEOUT_S > limit:
            raise Unavailable(f"{stage}: the time of one run is used up; the pages from {page} on follow in the next.")
        _run_alone(runtime, shard, stage, page, timeout_s, patient)


def _run_alone(runtime: Runtime, shard: ShardEvent, stage: str, page: int, timeout_s: float, patient: bool) -> None:
    started = time.perf_counter()
    alone = shard.model_copy(update={"first_page": page, "last_page": page, "isolated": False, "alone": True})
    try:
        error = run_in_child(runtime.worker, stage, alone.to_dict(), timeout_s)
    except StoreUnavailable:
        raise
    except Unavailable as busy:
        if patient:
            raise
        error = str(busy)
    if error is None:
        return
    with runtime.database.transaction(shard.scope) as connection:
        ingestions.check_run(connection, shard.document_id, shard.ingestion_id)
        documents.update_page(connection, shard.document_id, page, "failed", {"error": f"{stage}: {error}"})
        seconds = time.perf_counter() - started
        ingestions.record_page(connection, shard.scope, shard.ingestion_id, stage, page, seconds, error)
