"""Stage 1: registers an object that has arrived: who sent it, whether it is a duplicate, whether it can be opened, its
pages."""

import json
import tempfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from shared.contract import OUTCOME_DUPLICATE, OUTCOME_REFUSED, OUTCOME_RUN, PAGES_PER_SHARD, opened_key
from shared.domain.ids import new_id
from shared.domain.page import OutlineEntry
from shared.domain.scope import Scope
from shared.errors import BudgetSpent, NotFound, PlanExhausted, RefusedFile
from shared.evidence import check_source, readable_path, sha256_of
from shared.ingestion import custody
from shared.ingestion.arrival.attached import take_out
from shared.ingestion.arrival.parcels import take_apart
from shared.ingestion.custody import Taken
from shared.ingestion.event import Arrival, Event, ShardEvent
from shared.ingestion.limits import memory_limit, page_deadline
from shared.ingestion.page_facts import storable_title
from shared.ingestion.presence import while_present
from shared.ingestion.recorded import recorded
from shared.plans import quota
from shared.readers.formats import AnyFormat, Format
from shared.readers.parcel import is_parcel
from shared.readers.registry import find_format, format_of
from shared.readers.source import Source
from shared.runtime import Runtime
from shared.store import documents, ingestions, posted, sources
from shared.store.connect import Connection
from shared.store.plans import CountedPages

# All attempts together take less than a minute; a file of 1,000 pages opens in a tenth of a second.
OPEN_TIMEOUT_S = 18
# What has no pages is read whole when it is opened: 1,900,000 cells of a workbook took 32 s of a slow core.
READ_TIMEOUT_S = 55
UNRECOGNISED = "unknown"
UNFINISHED = {"waiting", "queued", "running"}


class _Inspected(NamedTuple):
    """The facts found by opening a source."""

    pages: int
    outline: list[OutlineEntry]
    title: str | None
    made: date | None


def run(runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    """Returns `{outcome: run, …event}`, `{outcome: duplicate, document_id}` or `{outcome: refused, error}`.

    With `document_id` and `ingestion_id` in the event, it is a further run of an existing document.
    """
    if "document_id" in event:
        again = Event.model_validate(event)
        with recorded(runtime, again.scope, again.ingestion_id, "register"):
            return _register_again(runtime, again)
    arrival = Arrival.from_event(event)
    with recorded(runtime, arrival.scope, arrival.upload_id, "register"):
        return _register_upload(runtime, arrival)


def _register_upload(runtime: Runtime, arrival: Arrival) -> dict[str, Any]:
    with runtime.database.transaction(arrival.scope) as connection:
        upload = ingestions.find_upload(connection, arrival.upload_id)
        ingestion = ingestions.find_ingestion(connection, arrival.upload_id)
        before = _earlier_document(connection, ingestion)
    if upload is None or ingestion is None:
        # An upload is announced before its sender gets a key, so this object will never belong to one.
        custody.discard(runtime, arrival)
        return {"outcome": OUTCOME_REFUSED, "error": f"No upload was announced for {arrival.key}."}
    if ingestion["duplicate"]:
        return _register_duplicate(runtime, arrival, upload, ingestion["document_id"])
    if ingestion["status"] not in UNFINISHED:
        # The bucket notifies at least once, and a ticket may be used again: this upload has been registered before.
        custody.discard(runtime, arrival)
        if ingestion["document_id"] is not None:
            custody.settle(runtime, upload, ingestion["error"] if ingestion["status"] == "refused" else None)
        return {"outcome": OUTCOME_DUPLICATE, "document_id": str(ingestion["document_id"])}
    taken = custody.take(runtime, arrival, upload)
    if taken is None:
        return _refuse_damaged(runtime, arrival)
    if is_parcel(taken.path, upload["filename"]):
        return take_apart(runtime, arrival, upload, taken)
    row = _row_of(arrival, upload, taken)
    try:
        readable = readable_path(runtime, before) if before else taken.path
        form = format_of(readable, upload["filename"], (upload["posted"] or row)["source_type"])
        row["source_type"] = form.source_type
        opened_file = _inspect(form, readable, runtime.vault.get(arrival.upload_id))
        outline = opened_file.outline
        row |= {"status": "running", "error": None, "page_count": opened_file.pages}
        row |= {"source_title": opened_file.title, "source_made": opened_file.made}
    except RefusedFile as refusal:
        outline = list[OutlineEntry]()
        row |= {"status": "refused", "error": str(refusal), "page_count": 0}
        row |= {"source_title": None, "source_made": None}
    except FileNotFoundError:
        if _is_known(runtime, arrival):
            raise
        custody.forget(runtime, arrival)
    return _store(runtime, arrival, taken, row, outline)


def _row_of(arrival: Arrival, upload: Mapping[str, Any], taken: Taken) -> dict[str, Any]:
    """What an upload says of its document before its file is looked into."""
    return {
        "id": new_id(),
        "name": upload["title"] if upload["posted"] else upload["path"] or upload["filename"],
        "title": upload["title"] or upload["path"] or upload["filename"],
        "source_type": UNRECOGNISED,
        "source_hash": taken.sha256,
        "source_key": taken.key,
        "source_version": taken.version,
        "size": upload["size"],
        "label": upload["label"],
        "version_of": upload["version_of"],
        "folder": upload["folder"],
        "drop_key": upload["drop_key"],
        "drop_version": upload["drop_version"],
        "ingestion_id": arrival.upload_id,
        "engine": upload["engine"],
        "posted": upload["posted"],
    }


def _earlier_document(connection: Connection, ingestion: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """The document that an earlier attempt at this upload created, with its decrypted copy if the password is already
    forgotten."""
    if ingestion is None or ingestion["document_id"] is None:
        return None
    return documents.find_document(connection, ingestion["document_id"])


def _refuse_damaged(runtime: Runtime, arrival: Arrival) -> dict[str, Any]:
    """Refuses the bytes without creating a document: the right ones may still arrive."""
    error = "The file arrived damaged: its size or SHA-256 is not the announced one. Upload it again."
    with runtime.database.transaction(arrival.scope) as connection:
        ingestions.finish(connection, arrival.upload_id, "refused", error=error)
    custody.discard(runtime, arrival)
    runtime.vault.forget(arrival.upload_id)
    return {"outcome": OUTCOME_REFUSED, "error": error}


def _is_known(runtime: Runtime, arrival: Arrival) -> bool:
    with runtime.database.transaction(arrival.scope) as connection:
        return ingestions.find_upload(connection, arrival.upload_id) is not None


def _store(
    runtime: Runtime, arrival: Arrival, taken: Taken, row: dict[str, Any], outline: list[OutlineEntry]
) -> dict[str, Any]:
    with runtime.database.transaction(arrival.scope) as connection:
        if not ingestions.lock_run(connection, arrival.upload_id):
            custody.forget(runtime, arrival)
        if row["folder"] is not None:
            row["version_of"] = documents.lock_named(connection, arrival.knowledge_base_id, row["folder"])
        known = documents.insert_document(connection, arrival.scope, row)
        if known is None and row["status"] != "refused":
            known = documents.revive_refused(connection, row)
        if known is None:
            known = documents.find_by_hash(connection, row["source_hash"])
        if known is None:
            raise NotFound(f"The document of {arrival.key} was deleted while it was registered.")
        if known["status"] == "refused" and row["status"] == "refused":
            # The latest attempt's reason is kept: another password may have been wrong, too.
            known["error"] = row["error"]
            documents.set_document_status(connection, known["id"], "refused", row["error"])
        document_id, refusal = known["id"], None
        sources.tie_document(connection, arrival.upload_id, document_id)
        duplicate = known["run_id"] != arrival.upload_id
        if duplicate:
            custody.put_back(connection, known, row)
            ingestions.follow(connection, arrival.upload_id, document_id)
        else:
            refusal = _begin(runtime, connection, arrival, known, row)
    if duplicate:
        return _register_duplicate(runtime, arrival, row, document_id)
    if refusal is not None:
        runtime.vault.forget(arrival.upload_id)
        custody.settle(runtime, row, refusal)
        return {"outcome": OUTCOME_REFUSED, "error": refusal}
    custody.settle(runtime, row, None)
    event = Event(
        organization_id=arrival.organization_id,
        knowledge_base_id=arrival.knowledge_base_id,
        document_id=document_id,
        ingestion_id=arrival.upload_id,
    )
    return _plan(runtime, event, find_format(row["source_type"]), taken.path, row["page_count"], outline)


def _begin(
    runtime: Runtime, connection: Connection, arrival: Arrival, known: Mapping[str, Any], row: Mapping[str, Any]
) -> str | None:
    """Starts the upload's run; where it is refused, ends it and returns why."""
    document_id = known["id"]
    refusal = str(known["error"]) if known["status"] == "refused" else None
    if refusal is None:
        refusal = _beyond_plan(
            runtime, connection, arrival.scope, document_id, arrival.upload_id, row["page_count"], row["engine"]
        )
        if refusal is not None:
            documents.set_document_status(connection, document_id, "refused", refusal)
    if row["posted"] is not None:
        posted.add_posted(connection, arrival.scope, document_id, row["posted"])
    if refusal is not None:
        ingestions.finish(connection, arrival.upload_id, "refused", error=refusal, document_id=document_id)
        return refusal
    documents.set_source_facts(connection, document_id, row["source_title"], row["source_made"])
    documents.insert_pages(connection, arrival.scope, document_id, row["page_count"])
    ingestions.start_running(connection, arrival.upload_id, document_id, row["page_count"])
    return None


def _beyond_plan(
    runtime: Runtime, connection: Connection, scope: Scope, document_id: UUID, run_id: UUID, pages: int, engine: str
) -> str | None:
    """Why the organization may not have this document read now; None where it may, and then its pages are counted."""
    try:
        if engine != "layout":
            quota.check_budget(connection, runtime.limits)
        counted = [CountedPages(document_id, run_id, pages)]
        quota.count_pages(connection, scope.organization_id, counted, runtime.limits)
    except (PlanExhausted, BudgetSpent) as refusal:
        return str(refusal)
    return None


def _register_duplicate(
    runtime: Runtime, arrival: Arrival, upload: Mapping[str, Any], document_id: UUID
) -> dict[str, Any]:
    """Treats a repeated upload: it is not stored again, except where the document had lost its source."""
    with runtime.database.transaction(arrival.scope) as connection:
        document = documents.find_document(connection, document_id)
    copy = custody.copy_of(arrival)
    if document is None or document["source_key"] != copy:
        runtime.blobs.delete_prefix(copy)
    custody.discard(runtime, arrival)
    custody.settle(runtime, upload, document["error"] if document and document["status"] == "refused" else None)
    runtime.vault.forget(arrival.upload_id)
    return {"outcome": OUTCOME_DUPLICATE, "document_id": str(document_id)}


def _register_again(runtime: Runtime, event: Event) -> dict[str, Any]:
    with runtime.database.transaction(event.scope) as connection:
        ingestions.check_run(connection, event.document_id, event.ingestion_id)
        document = documents.find_document(connection, event.document_id)
        ingestion = ingestions.find_ingestion(connection, event.ingestion_id)
    if document is None or ingestion is None:
        raise NotFound(f"The document {event.document_id} was deleted while it was ingested.")
    check_source(runtime, document)
    path = readable_path(runtime, document)
    try:
        form = format_of(path, ingestion["filename"], document["source_type"])
        found = _inspect(form, path, runtime.vault.get(event.ingestion_id))
    except RefusedFile as refusal:
        with runtime.database.transaction(event.scope) as connection:
            return _refuse_again(runtime, connection, event, str(refusal))
    with runtime.database.transaction(event.scope) as connection:
        beyond = _beyond_plan(
            runtime, connection, event.scope, event.document_id, event.ingestion_id, found.pages, ingestion["engine"]
        )
        if beyond is not None:
            return _refuse_again(runtime, connection, event, beyond)
        documents.restart_document(
            connection, event.document_id, event.ingestion_id, ingestion["engine"], form.source_type, found.pages
        )
        documents.set_source_facts(connection, event.document_id, found.title, found.made)
        documents.insert_pages(connection, event.scope, event.document_id, found.pages)
        ingestions.start_running(connection, event.ingestion_id, event.document_id, found.pages)
    return _plan(runtime, event, form, path, found.pages, found.outline)


def _refuse_again(runtime: Runtime, connection: Connection, event: Event, reason: str) -> dict[str, Any]:
    documents.set_document_status(connection, event.document_id, "refused", reason)
    ingestions.finish(connection, event.ingestion_id, "refused", error=reason)
    runtime.vault.forget(event.ingestion_id)
    return {"outcome": OUTCOME_REFUSED, "error": reason}


def _plan(
    runtime: Runtime,
    event: Event,
    form: AnyFormat,
    path: Path,
    page_count: int,
    outline: list[OutlineEntry],
) -> dict[str, Any]:
    """Writes the input of the following stages: the page plan (the items of the distributed map), the outline, and of a
    protected source at `path` the decrypted copy. The files in the source become uploads of their own."""
    with while_present(runtime, event):
        if _keep_opened(runtime, event, form, path):
            path = _opened_path(runtime, event)
        for key, data in plan_files(event, page_count, outline).items():
            runtime.blobs.put(key, data, "application/json")
    runtime.vault.forget(event.ingestion_id)
    take_out(runtime, event, path, form.source_type)
    return {"outcome": OUTCOME_RUN, **event.to_dict()}


def plan_files(event: Event, page_count: int, outline: list[OutlineEntry]) -> dict[str, bytes]:
    """What the following stages begin with, by key."""
    firsts = range(1, page_count + 1, PAGES_PER_SHARD)
    shards = [
        ShardEvent(
            **dict(event), shard=n, first_page=first, last_page=min(first + PAGES_PER_SHARD - 1, page_count)
        ).to_dict()
        for n, first in enumerate(firsts)
    ]
    return {
        event.work + "outline.json": json.dumps([o.model_dump() for o in outline]).encode(),
        event.plan_key: json.dumps(shards).encode(),
    }


def _keep_opened(runtime: Runtime, event: Event, form: AnyFormat, path: Path) -> bool:
    """Whether the source at `path` is protected, and so has a decrypted copy now."""
    password = runtime.vault.get(event.ingestion_id)
    if password is None:
        return False
    with form.open(path, password) as source:
        if source.is_protected:
            _store_opened(runtime, event, source)
        return source.is_protected


def _opened_path(runtime: Runtime, event: Event) -> Path:
    with runtime.database.transaction(event.scope) as connection:
        document = documents.find_document(connection, event.document_id)
    if document is None:
        raise NotFound(f"The document {event.document_id} was deleted while it was registered.")
    return readable_path(runtime, document)


def _store_opened(runtime: Runtime, event: Event, source: Source) -> None:
    key = opened_key(str(event.organization_id), str(event.knowledge_base_id), str(event.document_id))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "opened.pdf"
        source.save_opened(path)
        sha256 = sha256_of(path)
        runtime.blobs.put_file(key, path)
    with runtime.database.transaction(event.scope) as connection:
        documents.set_opened(connection, event.document_id, key, sha256)


def _inspect(form: AnyFormat, path: Path, password: str | None) -> _Inspected:
    seconds = OPEN_TIMEOUT_S if isinstance(form, Format) else READ_TIMEOUT_S
    with page_deadline(seconds), memory_limit(), form.open(path, password) as source:
        if source.is_blank and isinstance(form, Format):
            raise RefusedFile(
                f"None of the {form.name}'s {source.page_count} pages has any text, image or drawing that can be read;"
                " it may be cut off: upload a complete copy."
            )
        if source.is_blank:
            raise RefusedFile("The file has no text; check that it was saved and upload it again.")
        return _Inspected(source.page_count, list(source.outline), storable_title(source.title), source.made)
