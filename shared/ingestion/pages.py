"""How a mapped stage walks its pages: skips what is done, records what it finishes, isolates what crashes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from shared.domain.page import PageFile
from shared.ingestion.event import ShardEvent
from shared.runtime import Runtime
from shared.store import documents, ingestions

# One page alone: longer than any page we know of by two orders. A whole shard of such pages, each in a process that
# loads its libraries first, stays below the shortest timeout of a mapped stage (a test compares).
PAGE_TIMEOUT_S = 20
START_TIMEOUT_S = 15
ERROR_TAIL = 300

# Does one page and answers the columns of its `pages` row.
PageWork = Callable[[int], dict[str, Any]]
OpenWork = Callable[[Runtime, ShardEvent], AbstractContextManager[PageWork]]


def run_pages(
    runtime: Runtime, event: Mapping[str, Any], stage: str, status: str, open_work: OpenWork
) -> dict[str, Any]:
    """Run `open_work`'s page function over the shard's pages that are left; returns counts.

    An error in one page fails the range, and the caller runs it again with `isolated`: then each page runs in a
    process of its own with limits, and only the page that fails is recorded as failed.
    """
    shard = ShardEvent.model_validate(event)
    with runtime.database.transaction(shard.scope) as connection:
        left = ingestions.pages_left(connection, shard.ingestion_id, stage, shard.pages)
        if shard.isolated:
            failed_before = ingestions.failed_pages(connection, shard.ingestion_id)
            left = [page for page in left if page not in failed_before]
    if left and shard.isolated:
        for page in left:
            _run_alone(runtime, shard, stage, page)
    elif left:
        with open_work(runtime, shard) as work:
            for page in left:
                _run_one(runtime, shard, stage, status, page, work)
    with runtime.database.transaction(shard.scope) as connection:
        failed = [p for p in ingestions.failed_pages(connection, shard.ingestion_id) if p in shard.pages]
        missing = ingestions.pages_left(connection, shard.ingestion_id, stage, shard.pages)
    if missing and not shard.isolated:
        raise RuntimeError(f"{stage}: pages {missing} of shard {shard.shard} were neither done nor failed")
    return {"stage": stage, "shard": shard.shard, "pages": len(shard.pages), "failed": failed}


def read_page_file(runtime: Runtime, work: str, page: int) -> PageFile:
    return PageFile.model_validate_json(runtime.blobs.get(f"{work}pages/{page}.json"))


@contextmanager
def page_deadline(seconds: float) -> Generator[None]:
    """End this process if the block takes longer. The kernel does it: a PDF library that loops holds the interpreter's
    lock, so no thread of ours could. The range then fails, and its pages run one by one."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _run_one(runtime: Runtime, shard: ShardEvent, stage: str, status: str, page: int, work: PageWork) -> None:
    started = time.perf_counter()
    with page_deadline(PAGE_TIMEOUT_S):
        values = work(page)
    seconds = time.perf_counter() - started
    with runtime.database.transaction(shard.scope) as connection:
        documents.update_page(connection, shard.document_id, page, status, values)
        ingestions.record_page(connection, shard.scope, shard.ingestion_id, stage, page, seconds, None)


def _run_alone(runtime: Runtime, shard: ShardEvent, stage: str, page: int) -> None:
    started = time.perf_counter()
    alone = shard.model_copy(update={"first_page": page, "last_page": page, "isolated": False})
    error = run_in_child(stage, alone.to_dict())
    if error is None:
        return
    with runtime.database.transaction(shard.scope) as connection:
        documents.update_page(connection, shard.document_id, page, "failed", {"error": f"{stage}: {error}"})
        seconds = time.perf_counter() - started
        ingestions.record_page(connection, shard.scope, shard.ingestion_id, stage, page, seconds, error)


def run_in_child(stage: str, event: Mapping[str, Any]) -> str | None:
    """Run a stage in a process with limits of time and memory; None when it succeeds, else why it failed."""
    command = [sys.executable, "-m", "functions.worker", stage]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(event),
            text=True,
            capture_output=True,
            timeout=PAGE_TIMEOUT_S + START_TIMEOUT_S,
            check=False,
            env={**os.environ, "PYTHONPATH": ":".join(p for p in sys.path if p)},
        )
    except subprocess.TimeoutExpired:
        return f"took longer than {PAGE_TIMEOUT_S} s"
    if done.returncode == 0:
        return None
    if done.returncode == -signal.SIGALRM:
        return f"took longer than {PAGE_TIMEOUT_S} s"
    if done.returncode < 0:
        return f"the reader crashed (signal {-done.returncode})"
    lines = done.stderr.strip().splitlines()
    return lines[-1][-ERROR_TAIL:] if lines else f"exit code {done.returncode}"
