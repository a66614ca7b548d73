"""Checks that a stage's document still exists and still belongs to this run; removes the objects of a deleted
document."""

from collections.abc import Generator
from contextlib import contextmanager

from shared.contract import document_prefix
from shared.errors import LeaseLost, NotFound
from shared.ingestion.event import Event
from shared.runtime import Runtime
from shared.store import ingestions


@contextmanager
def while_present(runtime: Runtime, event: Event) -> Generator[None]:
    """Encloses everything that stores objects of a run. Raises NotFound when the document was deleted, LeaseLost when
    it belongs to another run by now.

    A deletion commits before it lists objects for the last time. So every object is either found by it, or was written
    by a process that sees here, after its last write, that the document is gone, and deletes whatever there is of it.
    """
    _check(runtime, event)
    try:
        yield
    finally:
        with _ignoring_lost_lease():
            _check(runtime, event)


def _check(runtime: Runtime, event: Event) -> None:
    try:
        with runtime.database.transaction(event.scope) as connection:
            ingestions.check_run(connection, event.document_id, event.ingestion_id)
    except NotFound:
        organization, base, document = (str(one) for one in event.ids[:3])
        runtime.blobs.delete_prefix(document_prefix(organization, base, document))
        raise


@contextmanager
def _ignoring_lost_lease() -> Generator[None]:
    """Ignores LeaseLost: the work is done, and the next stage will notice that another run has begun."""
    try:
        yield
    except LeaseLost:
        return
