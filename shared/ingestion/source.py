"""The stored source file of a document, open for reading."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from shared.errors import NotFound
from shared.evidence import check_source, readable_path
from shared.ingestion.event import Event
from shared.readers.formats import Format
from shared.readers.registry import find_format, open_source
from shared.readers.source import Source
from shared.runtime import Runtime
from shared.store import documents


@contextmanager
def open_stored_source(runtime: Runtime, event: Event) -> Generator[Source]:
    """Opens the document's source. Raises NotFound when the document was deleted meanwhile, SourceChanged when the file
    is not the registered one, RefusedFile when it cannot be opened."""
    document = _find(runtime, event)
    with open_source(readable_path(runtime, document), document["source_type"]) as source:
        yield source


def check_stored_source(runtime: Runtime, event: Event) -> bool:
    """The same checks without opening the file. Raises NotFound and SourceChanged as above. Returns whether the source
    has pages that can be seen."""
    document = _find(runtime, event)
    check_source(runtime, document)
    return isinstance(find_format(document["source_type"]), Format)


def _find(runtime: Runtime, event: Event) -> dict[str, Any]:
    with runtime.database.transaction(event.scope) as connection:
        document = documents.find_document(connection, event.document_id)
    if document is None:
        raise NotFound(f"The document {event.document_id} was deleted while it was ingested.")
    return document
