"""What a document brings: each file attached to a message, and each that was inserted into an office file, becomes an
upload of its own, as the files of a parcel do. Of a message its id and those that it answers are kept, by which threads
are found.

It may be repeated: the rows of all files are inserted at once, and a file leaves the state `waiting` when its bytes are
in the store.
"""

import hashlib
import mimetypes
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import chain
from pathlib import Path, PurePath
from typing import Any, Final

from shared.contract import incoming_key
from shared.domain.ids import new_id
from shared.errors import BadInput
from shared.ingestion.arrival.file_checks import check_file
from shared.ingestion.event import Event
from shared.ingestion.limits import memory_limit, page_deadline
from shared.readers.embedded import NAME_MAX, EmbeddedFile, embedded_files
from shared.readers.mail.document import read_mail
from shared.readers.mail.format import MAIL
from shared.readers.mail.messages import Attachment, Mail
from shared.readers.registry import check_name
from shared.runtime import Runtime
from shared.store import ingestions, messages
from shared.store.connect import Connection, Row

READ_TIMEOUT_S: Final = 18
FILES_MAX: Final = 1_000
# Messages and parcels, one within the other, of which the files are taken out.
DEPTH_MAX: Final = 4
# Files that are stored before they are queued together: a transaction for each of them took most of the time.
AT_ONCE: Final = 50
SAID_MAX: Final = 1_000
_GONE: Final = "It is not found in the file any more; take it out and upload it itself."


def take_out(runtime: Runtime, event: Event, path: Path, source_type: str) -> None:
    """Keeps the messages of the file at `path`, and queues the runs of the files that are in it."""
    with page_deadline(READ_TIMEOUT_S), memory_limit():
        if source_type == MAIL.source_type:
            _, mails, parts = read_mail(path)
            files = [_sent(number, file) for number, file in enumerate(chain.from_iterable(map(_files, mails)), 1)]
        else:
            mails, parts, files = [], [], embedded_files(path)
    if not mails and not files:
        return
    with runtime.database.transaction(event.scope) as connection:
        messages.replace(connection, event.scope, event.document_id, [*map(_row, mails, parts)])
        # Of a further run the document's own upload: what an older version did not take out of it comes along now.
        upload = ingestions.upload_of(connection, event.document_id)
        if upload is None or not files:
            return
        refusal = _too_deep(ingestions.depth_of(connection, upload["id"]))
        found = [*_members(event, files, refusal)]
        deleted = ingestions.deleted_members(connection, upload["id"])
        members = [one for one in found if one["sha256"] not in deleted]
        ingestions.add_members(connection, upload, members)
        _replace_named(connection, upload, members)
        # Not by their order: a former version of the reader may have had another.
        data = {member["sha256"]: file.data for member, file in zip(found, files, strict=False)}
        waiting = [row for row in ingestions.all_members(connection, upload["id"]) if row["status"] == "waiting"]
        for row in waiting:
            if row["sha256"] not in data:
                ingestions.finish(connection, row["id"], "refused", error=_GONE)
    waiting = [row for row in waiting if row["sha256"] in data]
    for at in range(0, len(waiting), AT_ONCE):
        stored = waiting[at : at + AT_ONCE]
        for row in stored:
            runtime.blobs.put(row["source_key"], data[row["sha256"]])
        with runtime.database.transaction(event.scope) as connection:
            for row in stored:
                ingestions.queue(connection, row["id"])


def _replace_named(connection: Connection, upload: Row, members: Sequence[Row]) -> None:
    """What an older version of the reader could only name, and this one does not name any more, is taken out now."""
    known = ingestions.all_members(connection, upload["id"])
    told = {_said(one) for one in members}
    named = [one["id"] for one in known if one["status"] == "refused" and not one["document_id"]
             and _said(one) not in told]  # fmt: skip
    if named:
        there = {_said(one) for one in known}
        ingestions.remove_refused(connection, named)
        ingestions.insert_members(connection, upload, [one for one in members if _said(one) not in there])


def _said(member: Row) -> tuple[str, str]:
    return member["filename"], member["sha256"]


def _files(mail: Mail) -> Iterator[Attachment]:
    """What is attached to a message, and to those within it; a picture that the text shows is part of the text."""
    for piece in mail.content:
        if isinstance(piece, Mail):
            yield from _files(piece)
        elif isinstance(piece, Attachment) and piece.piece is not None and not piece.shown:
            yield piece


def _too_deep(depth: int) -> str | None:
    if depth < DEPTH_MAX:
        return None
    return f"It lies in {depth + 1} files, one within the other; take it out and upload it itself."


def _members(event: Event, files: Sequence[EmbeddedFile], refusal: str | None) -> Iterator[dict[str, Any]]:
    for file in files[:FILES_MAX]:
        yield _member(event, file.name, file.data, file.refusal or refusal or _unread(file))
    if len(files) > FILES_MAX:
        said = f"The first {FILES_MAX:,} files in a file are taken out; divide it to have the others."
        yield _member(event, f"{len(files) - FILES_MAX:,} more", b"", said)


def _member(event: Event, name: str, data: bytes, refusal: str | None) -> dict[str, Any]:
    upload_id = new_id()
    place = (str(event.organization_id), str(event.knowledge_base_id), str(upload_id))
    return {
        "id": upload_id,
        "filename": name,
        "path": None,
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "source_key": incoming_key(*place),
        "refusal": refusal,
    }


def _sent(number: int, file: Attachment) -> EmbeddedFile:
    """Under its own name, without folders; with the ending of its type where it has none."""
    bare = "".join(c for c in PurePath(file.name.replace("\\", "/")).name if ord(c) >= 32)
    named = bare if file.piece is not None and file.piece.get_filename() and bare else f"attachment {number}"
    ending = "" if PurePath(named).suffix else mimetypes.guess_extension(file.media_type) or ""
    return EmbeddedFile(f"{named}{ending}"[-NAME_MAX:], file.data)


def _unread(file: EmbeddedFile) -> str | None:
    try:
        check_file(file.name, len(file.data))
        check_name(file.name)
    except BadInput as refusal:
        return str(refusal)
    return None


def _row(mail: Mail, part: int) -> Mapping[str, Any]:
    found = mail.header("Message-ID")[:SAID_MAX]
    return {
        "part": part,
        "message_id": found or None,
        "answers": [*mail.answers],
        "subject": mail.header("Subject")[:SAID_MAX],
        "sender": mail.header("From")[:SAID_MAX],
        "sent_at": _time(mail.header("Date")),
    }


def _time(said: str) -> datetime | None:
    """The time of sending; one without a zone counts as UTC."""
    try:
        at = parsedate_to_datetime(said)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return None
