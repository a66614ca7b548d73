"""Progress of a stage that runs once per document: running, then done with its seconds."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from uuid import UUID

from shared.domain.scope import Scope
from shared.runtime import Runtime
from shared.store import ingestions


@contextmanager
def recorded(runtime: Runtime, scope: Scope, ingestion_id: UUID, stage: str) -> Generator[None]:
    """Records the stage's progress. An exception leaves it `running`: whoever gives up marks the ingestion as
    failed."""
    started = time.perf_counter()
    with runtime.database.transaction(scope) as connection:
        ingestions.set_stage(connection, ingestion_id, stage, "running", None)
    yield
    with runtime.database.transaction(scope) as connection:
        ingestions.set_stage(connection, ingestion_id, stage, "done", time.perf_counter() - started)
