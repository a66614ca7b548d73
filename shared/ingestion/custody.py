"""Custody: a file that arrived is copied to a key that nobody else can write to, and only that copy is ever read."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from shared.contract import INCOMING_PREFIX, source_key
from shared.errors import NotFound, SourceChanged
from shared.evidence import sha256_of
from shared.ingestion.arrival import drops
from shared.ingestion.event import Arrival
from shared.runtime import Runtime
from shared.store import documents, ingestions
from shared.store.connect import Connection

Row = Mapping[str, Any]


class Taken(NamedTuple):
    """The bytes of an upload that are in custody."""

    key: str
    version: str | None
    sha256: str
    path: Path


def copy_of(arrival: Arrival) -> str:
    """The key of the copy in custody."""
    return source_key(str(arrival.organization_id), str(arrival.knowledge_base_id), str(arrival.upload_id))


def take(runtime: Runtime, arrival: Arrival, upload: Row) -> Taken | None:
    """Copies an object into custody and deletes an uploaded original; returns None where it is not what was announced.

    The first object counts: once there is a copy, anything that arrives later is deleted unread. May be repeated after
    a crash. Raises NotFound where nothing has arrived, SourceChanged where the copy itself was tampered with.
    """
    key = copy_of(arrival)
    if not runtime.blobs.exists(key) and not _copy_arrived(runtime, arrival.key, key, upload):
        return None
    upload = _measured(runtime, arrival, upload, key)
    version = runtime.blobs.latest_version(key)
    path = runtime.blobs.local_copy(key, version)
    if sha256_of(path) != upload["sha256"]:
        raise SourceChanged(f"What {upload['filename']} brought was changed before it was registered. Upload it again.")
    discard(runtime, arrival)
    return Taken(key, version, upload["sha256"], path)


def settle(runtime: Runtime, upload: Row, refusal: str | None) -> None:
    """Ends a dropped file's stay where it was dropped: it is taken away, or refused and stays with what is said beside
    it. Does nothing for an announced upload, whose sender asks for the outcome."""
    if upload["drop_key"] is None:
        return
    if refusal is None:
        drops.forget(runtime, upload["drop_key"], upload["drop_version"])
    else:
        drops.refuse(runtime, upload["drop_key"], refusal)


def discard(runtime: Runtime, arrival: Arrival) -> None:
    """Deletes what arrived below `incoming/`; what was dropped is somebody's own."""
    if arrival.key.startswith(INCOMING_PREFIX):
        runtime.blobs.delete_prefix(arrival.key)


def forget(runtime: Runtime, arrival: Arrival) -> NoReturn:
    """It was deleted meanwhile, or what it came in: nothing of it is kept. Raises NotFound."""
    discard(runtime, arrival)
    runtime.blobs.delete_prefix(copy_of(arrival))
    runtime.vault.forget(arrival.upload_id)
    raise NotFound(f"The document of {arrival.key} was deleted while it was registered.")


def _measured(runtime: Runtime, arrival: Arrival, upload: Row, key: str) -> Row:
    """The upload with the SHA-256 that was announced; of a dropped file, with that of its first reading."""
    if upload["sha256"] is not None:
        return upload
    sha256 = sha256_of(runtime.blobs.local_copy(key, runtime.blobs.latest_version(key)))
    with runtime.database.transaction(arrival.scope) as connection:
        ingestions.set_sha256(connection, arrival.upload_id, sha256)
        return {**upload, "sha256": sha256}


def put_back(connection: Connection, known: Row, row: Row) -> None:
    """Replaces the lost bytes of the document `known`, if it has lost any, by those of a repeated upload (`row`)."""
    if known["source_changed_at"] is not None:
        documents.replace_source(connection, known["id"], row["source_key"], row["source_version"])


def _copy_arrived(runtime: Runtime, arrived_key: str, key: str, upload: Row) -> bool:
    """Returns False where the bytes are not the announced ones. Compares and copies one version of the object, so that
    another one written meanwhile has no effect."""
    # Two processes may be notified of the same object: the other one may have taken it into custody and deleted it here
    # at any moment. Only where there is no copy either, nothing has arrived.
    with suppress(NotFound, FileNotFoundError):
        if upload["drop_key"] is not None:
            # Nobody announced its bytes: the version that was dropped is what it is.
            runtime.blobs.copy(upload["drop_key"], upload["drop_version"], key)
            return True
        version = runtime.blobs.latest_version(arrived_key)
        path = runtime.blobs.local_copy(arrived_key, version)
        if path.stat().st_size != upload["size"] or sha256_of(path) != upload["sha256"]:
            return False
        runtime.blobs.copy(arrived_key, version, key)
    return True
