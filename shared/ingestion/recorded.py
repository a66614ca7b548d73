"""What a run keeps of its stages: progress of those that run once per document, and how long each attempt took."""

import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from uuid import UUID

from shared.domain.scope import Scope
from shared.errors import StoreUnavailable
from shared.runtime import Runtime
from shared.store import ingestions, plans


@contextmanager
def recorded(runtime: Runtime, scope: Scope, ingestion_id: UUID, stage: str) -> Generator[None]:
    """Records the stage's progress. An exception leaves it `running`: whoever gives up marks the ingestion as
    failed."""
    started = time.perf_counter()
    with runtime.database.transaction(scope) as connection:
        ingestions.set_stage(connection, ingestion_id, stage, "running", None)
    with timed(runtime, scope, ingestion_id, stage):
        yield
    with runtime.database.transaction(scope) as connection:
        ingestions.set_stage(connection, ingestion_id, stage, "done", time.perf_counter() - started)


@contextmanager
def timed(runtime: Runtime, scope: Scope, ingestion_id: UUID, stage: str) -> Generator[None]:
    """Adds the time of this attempt to the run's stage, also where it fails; not where its process is killed."""
    started = time.perf_counter()
    try:
        yield
    except BaseException:
        # The error that ends the attempt is the one to be told of.
        with suppress(StoreUnavailable):
            _add(runtime, scope, ingestion_id, stage, started)
        raise
    _add(runtime, scope, ingestion_id, stage, started)


def _add(runtime: Runtime, scope: Scope, ingestion_id: UUID, stage: str, started: float) -> None:
    with runtime.database.transaction(scope) as connection:
        plans.add_seconds(connection, scope, ingestion_id, stage, time.perf_counter() - started)
