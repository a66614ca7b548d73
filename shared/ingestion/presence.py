"""Whether the document that a stage works for is still there and still this run's; what a deleted one leaves goes."""

from collections.abc import Generator
from contextlib import contextmanager

from shared.contract import document_prefix
from shared.errors import LeaseLost, NotFound
from shared.ingestion.event import Event
from shared.runtime import Runtime
from shared.store import ingestions


@contextmanager
def while_present(runtime: Runtime, event: Event) -> Generator[None]:
    """Around everything that stores objects of a run. Raises NotFound when the document was deleted, LeaseLost when it
    is another run's by now.

    A deletion commits before it looks for objects a last time. So an object is found by it, or was written by somebody
    who sees here, after the last write, that the document is gone, and takes away whatever there is of it.
    """
    _check(runtime, event)
    try:
        yield
    finally:
        with _no_matter_whose():
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
def _no_matter_whose() -> Generator[None]:
    """What is done is done: that another run has begun since is for the next stage to find."""
    try:
        yield
    except LeaseLost:
        return
