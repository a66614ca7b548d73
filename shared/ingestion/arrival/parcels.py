"""Takes parcels apart: each file in a ZIP file becomes an upload of its own, with a run of its own.

A file in the next ZIP file from the same place of a source is a version of what stood there in the one before.
It may be repeated after a crash at any point: the rows of all files are inserted at once, and a file leaves the state
`waiting` when its bytes are in the store.
"""

import tempfile
import time
import zipfile
from itertools import groupby
from pathlib import Path, PurePath
from typing import Any, Final

from shared.contract import OUTCOME_DUPLICATE, OUTCOME_REFUSED, incoming_key
from shared.domain.ids import new_id
from shared.errors import BadInput, NotFound, RefusedFile
from shared.ingestion import custody
from shared.ingestion.custody import Row, Taken
from shared.ingestion.event import Arrival
from shared.ingestion.limits import page_deadline
from shared.readers.parcel import ParcelMember, list_members, unpack
from shared.readers.registry import check_name
from shared.runtime import Runtime
from shared.store import ingestions, sources

LIST_TIMEOUT_S: Final = 18
NAME_MAX: Final = 255


def take_apart(runtime: Runtime, arrival: Arrival, upload: Row, taken: Taken) -> dict[str, Any]:
    """Queues the runs of all files in a parcel and ends its own: `{outcome: duplicate, document_id: None}`, as nothing
    is left to be done for it, or `{outcome: refused, error}`. The parcel itself is not kept."""
    with tempfile.TemporaryDirectory(dir=runtime.blobs.spool()) as folder:
        try:
            if upload["folder"] is not None:
                raise RefusedFile("A ZIP file is no version of a document; put it at drop/KNOWLEDGE_BASE_ID/NAME.zip.")
            with page_deadline(LIST_TIMEOUT_S):
                members = list_members(taken.path, Path(folder))
        except RefusedFile as refusal:
            return _end(runtime, arrival, upload, "refused", str(refusal))
        with runtime.database.transaction(arrival.scope) as connection:
            before = sources.former_members(connection, arrival.upload_id)
            rows = [_row(arrival, member) | {"version_of": before.get(member.path)} for member in members]
            ingestions.add_members(connection, upload, rows)
        _unpack_waiting(runtime, arrival, {member.path: member for member in members if not member.refusal})
    return _end(runtime, arrival, upload, "ready", None)


def _row(arrival: Arrival, member: ParcelMember) -> dict[str, Any]:
    upload_id = new_id()
    place = (str(arrival.organization_id), str(arrival.knowledge_base_id))
    return {
        "id": upload_id,
        "filename": PurePath(member.path).name[-NAME_MAX:],
        "path": member.path,
        "size": member.size,
        "source_key": incoming_key(*place, str(upload_id)),
        "refusal": member.refusal or _unread(member.path),
    }


def _unread(path: str) -> str | None:
    try:
        check_name(PurePath(path).name)
    except BadInput as refusal:
        return str(refusal)
    return None


def _unpack_waiting(runtime: Runtime, arrival: Arrival, members: dict[str, ParcelMember]) -> None:
    started, done = time.perf_counter(), 0
    with runtime.database.transaction(arrival.scope) as connection:
        waiting = ingestions.waiting_members(connection, arrival.upload_id)
    with tempfile.TemporaryDirectory(dir=runtime.blobs.spool()) as folder:
        for archive, rows in groupby(waiting, key=lambda row: members[row["path"]].archive):
            with zipfile.ZipFile(archive) as opened:
                for row in rows:
                    _unpack_one(runtime, arrival, opened, members[row["path"]], row, Path(folder) / "member")
                    done += 1
                    with runtime.database.transaction(arrival.scope) as connection:
                        share, seconds = done / len(waiting), time.perf_counter() - started
                        ingestions.set_share(connection, arrival.upload_id, "register", share, seconds)


def _unpack_one(
    runtime: Runtime, arrival: Arrival, parcel: zipfile.ZipFile, member: ParcelMember, row: Row, target: Path
) -> None:
    try:
        found = unpack(parcel, member, target)
    except RefusedFile as refusal:
        with runtime.database.transaction(arrival.scope) as connection:
            ingestions.finish(connection, row["id"], "refused", error=str(refusal))
        return
    with runtime.database.transaction(arrival.scope) as connection:
        ingestions.set_sha256(connection, row["id"], found.sha256)
    runtime.blobs.put_file(row["source_key"], target)
    with runtime.database.transaction(arrival.scope) as connection:
        ingestions.queue(connection, row["id"])


def _end(runtime: Runtime, arrival: Arrival, upload: Row, status: str, error: str | None) -> dict[str, Any]:
    try:
        with runtime.database.transaction(arrival.scope) as connection:
            ingestions.finish(connection, arrival.upload_id, status, error=error)
    except NotFound:
        custody.forget(runtime, arrival)
    runtime.blobs.delete_prefix(custody.copy_of(arrival))
    custody.discard(runtime, arrival)
    custody.settle(runtime, upload, error)
    runtime.vault.forget(arrival.upload_id)
    if error is not None:
        return {"outcome": OUTCOME_REFUSED, "error": error}
    return {"outcome": OUTCOME_DUPLICATE, "document_id": None}
