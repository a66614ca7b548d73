"""Messages: what is attached to them, and the threads that they are in."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict


class AttachedFile(BaseModel):
    """A file that came with a document, or in a ZIP file that did (`data.zip/list.csv`). `document_id` is the document
    that it is, null until it is registered and where it is refused unread; `error` says why it was refused or failed.
    """

    name: str
    size: int
    document_id: UUID | None
    status: str
    error: str | None


class Carrier(BaseModel):
    """A document that another one was attached to."""

    id: UUID
    name: str


class Attached(BaseModel):
    """What came with a document, and what it came with."""

    attachments: list[AttachedFile]
    attached_to: list[Carrier]


class ThreadMessage(BaseModel):
    """A message of a thread: the document that it is in, and the part in which it begins there."""

    model_config = ConfigDict(extra="ignore")

    document_id: UUID
    document_name: str
    ordinal: int
    part: int
    message_id: str | None
    subject: str
    sender: str
    sent_at: datetime | None
