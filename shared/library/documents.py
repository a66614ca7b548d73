"""Lists, reads and deletes documents."""

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple
from uuid import UUID

from shared.access import changing, check_knowledge_base, find_document, find_place, find_row, reading
from shared.contract import document_prefix, upload_prefixes
from shared.domain.account import Deleted
from shared.domain.knowledge import Document, DocumentTree, Section
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.lexical.statistics import fold_shares
from shared.readers.registry import find_format
from shared.runtime import Runtime
from shared.store import library, messages
from shared.store.audit import note
from shared.store.connect import tried_again


def list_documents(
    runtime: Runtime,
    identity: Identity,
    knowledge_base_id: UUID | None = None,
    before: UUID | None = None,
    limit: int = 100,
) -> list[Document]:
    """Newest first, from behind `before`. Raises NotFound for an unknown knowledge base."""
    with reading(runtime, identity) as connection:
        if knowledge_base_id is not None:
            check_knowledge_base(connection, knowledge_base_id)
        return library.list_documents(connection, knowledge_base_id, before, limit)


def get_document(runtime: Runtime, identity: Identity, document_id: UUID) -> Document:
    """Raises NotFound."""
    with reading(runtime, identity) as connection:
        return find_document(connection, document_id)


class StoredSource(NamedTuple):
    """Where a document's file is, as it was uploaded, and the name that it is saved under."""

    key: str
    filename: str


def get_source(runtime: Runtime, identity: Identity, document_id: UUID) -> StoredSource:
    """Raises NotFound. The name is the document's without folders, with the ending of its format where it has none."""
    with reading(runtime, identity) as connection:
        row = find_row(connection, document_id)
    endings = find_format(row["source_type"]).extensions or (f".{row['source_type']}",)
    name = str(row["name"]).rpartition("/")[2]
    return StoredSource(row["source_key"], name if name.lower().endswith(endings) else name + endings[0])


def list_versions(
    runtime: Runtime, identity: Identity, document_id: UUID, after: int = 0, limit: int = 100
) -> list[Document]:
    """All versions of the same logical document, oldest first; raises NotFound."""
    with reading(runtime, identity) as connection:
        find_place(connection, document_id)
        return library.list_versions(connection, document_id, after, limit)


def list_trees(
    runtime: Runtime,
    identity: Identity,
    knowledge_base_id: UUID | None = None,
    before: UUID | None = None,
    limit: int = 100,
) -> list[DocumentTree]:
    """Logical documents, newest first, from behind the one with id `before`. Raises NotFound for an unknown knowledge
    base."""
    with reading(runtime, identity) as connection:
        if knowledge_base_id is not None:
            check_knowledge_base(connection, knowledge_base_id)
        return library.list_trees(connection, knowledge_base_id, before, limit)


def list_sections(
    runtime: Runtime,
    identity: Identity,
    document_id: UUID,
    after: library.Position | None = None,
    limit: int = 100,
) -> list[tuple[library.Position, Section]]:
    """In document order, each with its position; raises NotFound."""
    with reading(runtime, identity) as connection:
        find_place(connection, document_id)
        return library.list_sections(connection, document_id, after, limit)


def delete_document(runtime: Runtime, identity: Identity, document_id: UUID, keep_attachments: bool = False) -> Deleted:
    """Deletes this version: its rows, source, page images, page files and operations; and, unless they are to be kept,
    the documents that came attached to it and in no other way. Raises NotFound.

    The newest remaining version becomes the current one. Files are deleted before the rows are committed, as with
    knowledge bases.
    """
    # First what came with it: where that is interrupted, the rest is found again.
    gone = [] if keep_attachments else list(_delete_attachments(runtime, identity, document_id))
    gone.append(_delete_one(runtime, identity, document_id, keep_attachments))
    return Deleted(
        id=document_id,
        documents=sum(one.documents for one in gone),
        chunks=sum(one.chunks for one in gone),
        objects=sum(one.objects for one in gone),
    )


def _delete_attachments(runtime: Runtime, identity: Identity, document_id: UUID) -> Iterator[Deleted]:
    with changing(runtime, identity) as connection:
        find_document(connection, document_id)
        attachments = messages.attachments_alone(connection, document_id)
    for attached in attachments:
        # Somebody else may have deleted it meanwhile.
        with suppress(NotFound):
            yield delete_document(runtime, identity, attached)


@tried_again
def _delete_one(runtime: Runtime, identity: Identity, document_id: UUID, keep_attachments: bool) -> Deleted:
    with changing(runtime, identity) as connection:
        found = find_document(connection, document_id)
        place = (str(identity.organization_id), str(found.knowledge_base_id))
        uploads = library.ingestion_ids(connection, document_id)
        prefixes = [document_prefix(*place, str(document_id))]
        prefixes += (prefix for upload in uploads for prefix in upload_prefixes(*place, str(upload)))
        if keep_attachments:
            messages.keep_attachments(connection, document_id)
        waiting = messages.forget_waiting(connection, document_id)
        prefixes += (prefix for upload in waiting for prefix in upload_prefixes(*place, str(upload)))
        library.remove_document(connection, document_id)
        note(connection, identity, "document.delete", document_id, found.knowledge_base_id, chunks=found.chunks)
        fold_shares(connection, found.knowledge_base_id)
        objects = sum(runtime.blobs.delete_prefix(prefix) for prefix in prefixes)
    objects += sum(runtime.blobs.delete_prefix(prefix) for prefix in prefixes)
    runtime.tell_digest(identity.organization_id, found.knowledge_base_id)
    return Deleted(id=document_id, documents=1, chunks=found.chunks, objects=objects)
