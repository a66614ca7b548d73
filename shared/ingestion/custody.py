"""What an upload brought is copied to where no ticket can write, and that copy alone is ever read."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from shared.contract import source_key
from shared.errors import NotFound, SourceChanged
from shared.evidence import sha256_of
from shared.ingestion.event import Arrival
from shared.runtime import Runtime
from shared.store import documents
from shared.store.connect import Connection

Row = Mapping[str, Any]


class Taken(NamedTuple):
    """An upload's bytes in custody."""

    key: str
    version: str | None
    sha256: str
    path: Path


def copy_of(arrival: Arrival) -> str:
    """Key of the copy in custody."""
    return source_key(str(arrival.organization_id), str(arrival.knowledge_base_id), str(arrival.upload_id))


def take(runtime: Runtime, arrival: Arrival, upload: Row) -> Taken | None:
    """Copy what arrived into custody and empty the place where it came in; None where it is not what was announced.

    The first object counts: once a copy is in custody, whatever else arrives is removed unread, so this may run again
    after a crash. Raises NotFound where nothing has arrived, SourceChanged where the copy itself was tampered with.
    """
    key = copy_of(arrival)
    if not runtime.blobs.exists(key) and not _copy_arrived(runtime, arrival.key, key, upload):
        return None
    version = runtime.blobs.latest_version(key)
    path = runtime.blobs.local_copy(key, version)
    if sha256_of(path) != upload["sha256"]:
        raise SourceChanged(f"What {upload['filename']} brought was changed before it was registered. Upload it again.")
    runtime.blobs.delete_prefix(arrival.key)
    return Taken(key, version, upload["sha256"], path)


def put_back(connection: Connection, known: Row, row: Row) -> None:
    """The bytes of a repeated upload (`row`) take the place of those that the document `known` has lost, if it has."""
    if known["source_changed_at"] is not None:
        documents.replace_source(connection, known["id"], row["source_key"], row["source_version"])


def _copy_arrived(runtime: Runtime, arrived_key: str, key: str, upload: Row) -> bool:
    """False where other bytes came than were announced. What is compared is what is copied: one version of the object,
    whatever is put beside it meanwhile."""
    # Of two that were told of the same object, the other may have it in custody by now and have removed it here, at any
    # moment; else nothing is found there.
    with suppress(NotFound, FileNotFoundError):
        version = runtime.blobs.latest_version(arrived_key)
        path = runtime.blobs.local_copy(arrived_key, version)
        if path.stat().st_size != upload["size"] or sha256_of(path) != upload["sha256"]:
            return False
        runtime.blobs.copy(arrived_key, version, key)
    return True
