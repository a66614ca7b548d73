"""The stored source file of a document, open for reading."""

from collections.abc import Generator
from contextlib import contextmanager

from shared.errors import NotFound
from shared.ingestion.event import Event
from shared.readers.pdf import Source, open_source
from shared.runtime import Runtime
from shared.store import documents


@contextmanager
def open_stored_source(runtime: Runtime, event: Event) -> Generator[Source]:
    """Raises NotFound when the document was deleted meanwhile, RefusedFile when the file cannot be opened."""
    with runtime.database.transaction(event.scope) as connection:
        document = documents.find_document(connection, event.document_id)
    if document is None:
        raise NotFound(f"There is no document {event.document_id}.")
    with open_source(runtime.blobs.local_copy(document["opened_key"] or document["source_key"])) as source:
        yield source
