"""Announcing a file, receiving it, following its ingestion, and running one again."""

import hashlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path, PurePath
from uuid import UUID

from pydantic import BaseModel, Field, SecretStr

from shared.access import changing, check_knowledge_base, find_row, reading
from shared.contract import incoming_key
from shared.domain.ids import new_id
from shared.domain.inspect import Ingestion
from shared.domain.scope import Identity
from shared.errors import AutriError, BadInput, Conflict, NotFound
from shared.extraction.engine_choice import Engine
from shared.ingestion.arrival.admission import dispatch
from shared.ingestion.arrival.file_checks import check_file
from shared.ingestion.event import Event
from shared.plans import quota
from shared.readers import parcel
from shared.readers.registry import check_name
from shared.runtime import Runtime
from shared.store import documents, ingestions, sources
from shared.store.audit import note
from shared.store.connect import Connection, Row
from shared.values.file_paths import clean_path

# PDF 2.0 takes the first 127 bytes of a password (ISO 32000-2, 7.6.4.3.3); no other format takes more than 255.
MAX_PASSWORD = 255


class UploadRequest(BaseModel):
    """A file that a client wants to send. `version_of` is the document that it is a newer version of.

    The ticket is bound to `size` (bytes) and `sha256`: other bytes are never accepted. `path` says where the file
    stands in the folder that it came with. `title` names the document in all its versions; the default is the first
    version's path, or else its file name. A file of a source (`source_id`), which is looked through again and again, is
    a version of what came from its path before; `mark` is by what it is known there. A protected file is opened once
    with `password`, which is stored encrypted until then and deleted afterwards.
    """

    filename: str = Field(min_length=1, max_length=255)
    path: str | None = Field(default=None, min_length=1, max_length=1000)
    title: str | None = Field(default=None, min_length=1, max_length=255)
    size: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$", description="the file's SHA-256, in lower-case hexadecimal")
    knowledge_base_id: UUID
    version_of: UUID | None = None
    source_id: UUID | None = None
    mark: str | None = Field(default=None, max_length=255, exclude=True)
    label: str | None = Field(default=None, max_length=80)
    engine: Engine = "layout"
    password: SecretStr | None = Field(default=None, min_length=1, max_length=MAX_PASSWORD, exclude=True)


class UploadTicket(BaseModel):
    """Where to send the bytes. The ingestion will have the same id as the upload."""

    upload_id: UUID
    url: str
    method: str
    headers: dict[str, str]
    fields: dict[str, str]


def create_upload(runtime: Runtime, identity: Identity, request: UploadRequest) -> UploadTicket:
    """Announces an upload and returns its ticket.

    Raises BadInput for an invalid name or size, or an engine that this runtime has no model for; UnreadFormat for a
    file name extension of no supported format; NotFound for an unknown knowledge base or document; PlanExhausted where
    the plan has no page left this month, or no room for a chunk; BudgetSpent where the day's money for models is.
    """
    check_file(request.filename, request.size)
    check_name(request.filename)
    _check_engine(runtime, request.engine)
    _check_parcel(request)
    path = clean_path(request.path) if request.path else None
    upload_id = new_id()
    key = incoming_key(str(identity.organization_id), str(request.knowledge_base_id), str(upload_id))
    with changing(runtime, identity, [request.knowledge_base_id]) as connection:
        if request.version_of is not None and documents.find_document(connection, request.version_of) is None:
            raise NotFound(f"There is no document {request.version_of} in this knowledge base to be a version of.")
        version_of = request.version_of or _version_before(connection, request, path)
        quota.check_room(connection, identity.organization_id, runtime.limits)
        if request.engine != "layout":
            quota.check_budget(connection, runtime.limits)
        row = request.model_dump() | {
            "organization_id": identity.organization_id,
            "id": upload_id,
            "path": path,
            "version_of": version_of,
            "created_by": identity.user_id,
            "source_key": key,
        }
        ingestions.insert_upload(connection, row)
        if request.source_id is not None and path is not None:
            came = {"mark": request.mark, "ingestion_id": upload_id}
            sources.put_item(connection, row, request.source_id, path, request.sha256, **came)
        note(connection, identity, "document.upload", upload_id, request.knowledge_base_id, size=request.size)
    if request.password is not None:
        runtime.vault.put(upload_id, request.password.get_secret_value())
    target = runtime.blobs.upload_target(key, request.size, request.sha256)
    return UploadTicket(
        upload_id=upload_id, url=target.url, method=target.method, headers=target.headers, fields=target.fields
    )


def receive_upload(runtime: Runtime, identity: Identity, upload_id: UUID, parts: Iterable[bytes]) -> None:
    """Receives an announced upload's bytes (on one machine only; in the cloud they go to the bucket) and queues its
    ingestion.

    Raises NotFound for an unknown upload, Conflict when it has arrived before, BadInput when its size or SHA-256 is not
    the announced one: then nothing is kept, and the right bytes may still be sent.
    """
    upload, ingestion = _waiting_upload(runtime, identity, upload_id)
    path = _spooled(runtime.blobs.spool(), upload, parts)
    try:
        with changing(runtime, identity) as connection:
            # The row is locked until the file is in place: of two concurrent senders the second gets a Conflict.
            if not ingestions.queue(connection, upload_id):
                raise Conflict(f"Upload {upload_id} has arrived already. Announce another one with POST /v1/uploads.")
            runtime.blobs.put_file(ingestion["source_key"], path)
    finally:
        path.unlink(missing_ok=True)


def _spooled(folder: Path | None, upload: Row, parts: Iterable[bytes]) -> Path:
    """Writes the announced bytes to a file. Where they are refused or the disk is full (which may show only on
    closing), no file is left."""
    digest = hashlib.sha256()
    handle, name = tempfile.mkstemp(dir=folder)
    path = Path(name)
    try:
        with os.fdopen(handle, "wb") as spool:
            for part in parts:
                spool.write(part)
                digest.update(part)
                if spool.tell() > upload["size"]:
                    break
            _check_arrived(upload, spool.tell(), digest.hexdigest())
    except BaseException:
        path.unlink()
        raise
    return path


def check_announced(runtime: Runtime, identity: Identity, upload_id: UUID, declared: int | None) -> None:
    """Checks before the first byte is read: raises NotFound for an unknown upload, Conflict when it has arrived before,
    BadInput when the `declared` size is not the announced one."""
    upload, _ = _waiting_upload(runtime, identity, upload_id)
    if declared not in (None, upload["size"]):
        raise BadInput(
            f"{upload['filename']}: {upload['size']} bytes were announced and {declared} are on their way."
            " Nothing was read; announce the file as it is now."
        )


def _waiting_upload(runtime: Runtime, identity: Identity, upload_id: UUID) -> tuple[Row, Row]:
    """Returns the announced upload and its ingestion. Raises NotFound, and Conflict when it has arrived before."""
    with reading(runtime, identity) as connection:
        upload = ingestions.find_upload(connection, upload_id)
        ingestion = ingestions.find_ingestion(connection, upload_id)
    if upload is None or ingestion is None:
        raise NotFound(f"There is no upload {upload_id}.")
    if ingestion["status"] != "waiting":
        raise Conflict(f"Upload {upload_id} has arrived already. Announce another one with POST /v1/uploads.")
    return upload, ingestion


def _check_arrived(upload: Row, size: int, sha256: str) -> None:
    """The check that S3 makes for a presigned POST: raises BadInput unless these are the bytes that the ticket is bound
    to."""
    if size != upload["size"]:
        raise BadInput(
            f"{upload['filename']}: {upload['size']} bytes were announced and another number arrived."
            " Nothing was kept; upload it again."
        )
    if sha256 != upload["sha256"]:
        raise BadInput(
            f"{upload['filename']}: other bytes arrived than were announced (their SHA-256 differs)."
            " Nothing was kept; upload it again."
        )


def get_ingestion(runtime: Runtime, identity: Identity, ingestion_id: UUID) -> Ingestion:
    """Raises NotFound."""
    with reading(runtime, identity) as connection:
        found = ingestions.read_ingestions(connection, ingestion_id=ingestion_id)
    if not found:
        raise NotFound(f"There is no ingestion {ingestion_id}.")
    return found[0]


def list_parcel(
    runtime: Runtime, identity: Identity, parcel_id: UUID, after: UUID | None, limit: int
) -> list[Ingestion]:
    """The files of a parcel, in its order, from behind `after`; raises NotFound for an unknown ingestion."""
    with reading(runtime, identity) as connection:
        if ingestions.find_ingestion(connection, parcel_id) is None:
            raise NotFound(f"There is no ingestion {parcel_id}.")
        return ingestions.read_ingestions(connection, parcel_id=parcel_id, after=after, limit=limit)


def list_ingestions(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> list[Ingestion]:
    """Newest first, at most 200; raises NotFound for an unknown knowledge base."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        return ingestions.read_ingestions(connection, knowledge_base_id=knowledge_base_id)


def reingest(
    runtime: Runtime, identity: Identity, document_id: UUID, engine: Engine = "layout", password: str | None = None
) -> Ingestion:
    """Runs the stages again on a document's stored source, with the present configuration.

    `password` opens a source that was refused for lack of one. Raises NotFound; Conflict while a run of it is under
    way; BadInput for an engine that this runtime has no model for; BudgetSpent where the day's money for models is.
    """
    _check_engine(runtime, engine)
    with changing(runtime, identity) as connection:
        document = find_row(connection, document_id)
        if engine != "layout":
            quota.check_budget(connection, runtime.limits)
        event = Event(
            organization_id=document["organization_id"],
            knowledge_base_id=document["knowledge_base_id"],
            document_id=document_id,
            ingestion_id=new_id(),
        )
        if not documents.claim_for_rerun(connection, document_id, event.ingestion_id):
            raise Conflict(f"{document['name']} is being ingested. Wait until it is ready, then run it again.")
        note(connection, identity, "document.reingest", document_id, document["knowledge_base_id"], engine=engine)
        row = {
            "organization_id": event.organization_id,
            "knowledge_base_id": event.knowledge_base_id,
            "id": event.ingestion_id,
            "document_id": document_id,
            "source_key": document["source_key"],
            "filename": document["name"],
            "engine": engine,
            "status": "queued",
        }
        if password is not None:
            runtime.vault.put(event.ingestion_id, password)
        ingestions.insert_ingestion(connection, row)
    _start(runtime, event, document)
    return get_ingestion(runtime, identity, event.ingestion_id)


def _start(runtime: Runtime, event: Event, document: Row) -> None:
    """Dispatches what waits, this run among others; where that fails and it has not begun, restores the document's
    previous state, so that the call can be repeated."""
    try:
        dispatch(runtime)
    except AutriError as error:
        with runtime.database.transaction(event.scope) as connection:
            run = ingestions.find_ingestion(connection, event.ingestion_id)
            if run is not None and run["admitted_at"] is not None:
                return
            documents.set_document_status(connection, event.document_id, document["status"], document["error"])
            ingestions.finish(connection, event.ingestion_id, "failed", error=str(error))
        runtime.tell_webhooks()
        runtime.vault.forget(event.ingestion_id)
        raise


def _check_engine(runtime: Runtime, engine: Engine) -> None:
    """Raises BadInput at once, instead of page by page, where there is no model to send pages to."""
    if engine != "layout":
        _ = runtime.grouper


def _version_before(connection: Connection, request: UploadRequest, path: str | None) -> UUID | None:
    """The latest version of what came from the same path of the same source; None for what stands there in another
    place too. Raises NotFound for an unknown source, BadInput where the path is missing."""
    if request.source_id is None:
        return None
    source = sources.find_source(connection, request.source_id)
    if source is None or source.knowledge_base_id != request.knowledge_base_id:
        raise NotFound(f"There is no source {request.source_id} in this knowledge base.")
    if path is None:
        raise BadInput("A file of a source has a path there: give `path`.")
    known = sources.known_files(connection, request.source_id)
    before = known.get(path)
    if before is None or before.document_id is None:
        return None
    shared = any(one.document == before.document and one.path != path and not one.gone for one in known.values())
    return None if shared else before.document_id


def _check_parcel(request: UploadRequest) -> None:
    if request.version_of is not None and PurePath(request.filename).suffix.lower() == parcel.ENDING:
        raise BadInput("A ZIP file is no version of a document: each file in it is a document of its own. Unpack it.")
