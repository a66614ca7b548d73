"""Threads of mail, and what is attached to it."""

from uuid import UUID

from shared.access import find_document, find_place, reading
from shared.domain.messages import Attached, ThreadMessage
from shared.domain.scope import Identity
from shared.runtime import Runtime
from shared.store import messages


def list_attached(runtime: Runtime, identity: Identity, document_id: UUID) -> Attached:
    """What came with the document, and the messages that it came with. Raises NotFound."""
    with reading(runtime, identity) as connection:
        find_place(connection, document_id)
        return Attached(
            attachments=messages.list_attachments(connection, document_id),
            attached_to=messages.list_carriers(connection, document_id),
        )


def find_thread(runtime: Runtime, identity: Identity, document_id: UUID) -> list[ThreadMessage]:
    """The messages of the knowledge base in the threads of the document's, the oldest first; none of what is no mail.
    Raises NotFound."""
    with reading(runtime, identity) as connection:
        found = find_document(connection, document_id)
        return messages.find_thread(connection, found.knowledge_base_id, document_id)
