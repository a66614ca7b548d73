"""Rows of uploads and ingestions: announced files, the state and progress of runs, and their leases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.contract import PASSWORD_ERRORS
from shared.domain.inspect import Ingestion
from shared.domain.scope import Scope
from shared.errors import LeaseLost, NotFound
from shared.store import plans
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries
from shared.store.progress import stage_progress
from shared.store.time_left import FormerRun, Progress, mapped_seconds, seconds_left
from shared.store.upsert import json_rows

LEASE_S = 30
DELETED = "The document was deleted while it was ingested."

_SQL = load_queries("ingestions")


@dataclass(frozen=True)
class Lease:
    """An ingestion that this process has leased, and may run."""

    id: UUID
    organization_id: UUID
    knowledge_base_id: UUID
    document_id: UUID | None
    source_key: str
    takeovers: int

    @property
    def ids(self) -> dict[str, str]:
        return {
            "organization_id": str(self.organization_id),
            "knowledge_base_id": str(self.knowledge_base_id),
            "ingestion_id": str(self.id),
        }

    @property
    def scope(self) -> Scope:
        return Scope(organization_id=self.organization_id, knowledge_base_ids=(self.knowledge_base_id,))


def insert_upload(connection: Connection, row: Row) -> None:
    """Inserts an announced upload and the ingestion that waits for its bytes; both have the same id."""
    connection.execute(_SQL["add_upload"], {"parcel_id": None, **row})
    called = row["path"] or row["filename"]
    insert_ingestion(connection, {**row, "filename": called, "document_id": None, "status": "waiting"})


def insert_ingestion(connection: Connection, row: Row) -> None:
    connection.execute(_SQL["add_ingestion"], row)


def insert_dropped(connection: Connection, row: Row) -> bool:
    """Inserts the upload of a dropped file and its ingestion, which is queued at once. Returns False where this version
    of the object was taken in before."""
    if connection.execute(_SQL["add_dropped"], row).fetchone() is None:
        return False
    insert_ingestion(connection, {**row, "document_id": None, "status": "queued"})
    return True


def insert_posted(connection: Connection, rows: Sequence[Row], owner: str | None) -> None:
    """Inserts what was posted in a request, and the runs, which this process (`owner`) has begun."""
    connection.execute(_SQL["add_posted"], {"rows": json_rows(rows), "owner": owner, "lease": LEASE_S})


def add_members(connection: Connection, parcel: Mapping[str, Any], members: Sequence[Row]) -> None:
    """Inserts the files of the upload `parcel` (`id, filename, path, size, source_key, refusal`) with their runs, once:
    of two processes that have the parcel, the second inserts none, and none where it was deleted meanwhile. Refused
    ones end at once."""
    if not lock_run(connection, parcel["id"]):
        return
    found = connection.execute(_SQL["is_unpacked"], {"id": parcel["id"]}).fetchone()
    if not found or not found["unpacked"]:
        insert_members(connection, parcel, members)


def lock_run(connection: Connection, ingestion_id: UUID) -> bool:
    """Keeps the run from being deleted until the transaction ends. Returns False where it was."""
    return connection.execute(_SQL["lock_run"], {"id": ingestion_id}).fetchone() is not None


def insert_members(connection: Connection, parcel: Mapping[str, Any], members: Sequence[Row]) -> None:
    """As `add_members`, beside those that are there; the parcel is locked."""
    unset = dict.fromkeys(("title", "sha256", "version_of", "label"))
    for member in members:
        insert_upload(connection, {**parcel, **unset, **member, "parcel_id": parcel["id"]})
        if member["refusal"] is not None:
            finish(connection, member["id"], "refused", error=member["refusal"])


def all_members(connection: Connection, parcel_id: UUID) -> list[Row]:
    """`{id, filename, sha256, source_key, status, document_id}` of the files that came in an upload, in its order."""
    return connection.execute(_SQL["all_members"], {"id": parcel_id}).fetchall()


def deleted_members(connection: Connection, parcel_id: UUID) -> set[str]:
    """Hashes of files that came in an upload and were deleted by themselves."""
    return {row["sha256"] for row in connection.execute(_SQL["deleted_members"], {"id": parcel_id}).fetchall()}


def depth_of(connection: Connection, upload_id: UUID) -> int:
    """In how many parcels and messages the upload came, one within the other."""
    row = connection.execute(_SQL["depth_of"], {"id": upload_id}).fetchone()
    return int(row["depth"]) if row else 0


def waiting_members(connection: Connection, parcel_id: UUID) -> list[Row]:
    """`{id, path, source_key}` of the files of a parcel that have not been unpacked yet, in its order."""
    return connection.execute(_SQL["waiting_members"], {"id": parcel_id}).fetchall()


def set_sha256(connection: Connection, upload_id: UUID, sha256: str) -> None:
    """Stores the SHA-256 of a dropped file, once."""
    connection.execute(_SQL["set_sha256"], {"id": upload_id, "sha256": sha256})


def find_upload(connection: Connection, upload_id: UUID) -> Row | None:
    return connection.execute(_SQL["find_upload"], {"id": upload_id}).fetchone()


def remove_refused(connection: Connection, ids: Sequence[UUID]) -> None:
    """Deletes uploads that were refused before they became documents, with their runs."""
    connection.execute(_SQL["remove_refused"], {"ids": list(ids)})


def upload_of(connection: Connection, document_id: UUID) -> Row | None:
    """The upload of a document that brought files, or else its first; None where it was never uploaded here."""
    return connection.execute(_SQL["upload_of"], {"document_id": document_id}).fetchone()


def find_ingestion(connection: Connection, ingestion_id: UUID) -> Row | None:
    return connection.execute(_SQL["find_ingestion"], {"id": ingestion_id}).fetchone()


def check_run(connection: Connection, document_id: UUID, ingestion_id: UUID) -> None:
    """Raises NotFound when the document was deleted, LeaseLost when another run of it has begun: then this run may not
    write."""
    row = connection.execute(_SQL["run_of"], {"document_id": document_id}).fetchone()
    if row is None:
        raise NotFound(f"The document {document_id} was deleted while it was ingested.")
    if row["run_id"] != ingestion_id:
        raise LeaseLost(f"Another run of document {document_id} has begun.")


def queue(connection: Connection, ingestion_id: UUID) -> bool:
    """Queues the ingestion, whose bytes have arrived. Returns False when it was queued before."""
    return connection.execute(_SQL["queue"], {"id": ingestion_id}).fetchone() is not None


def claim(connection: Connection, owner: str, dead_owners: list[str], active: list[UUID]) -> Lease | None:
    """Leases the oldest ingestion that is queued, whose lease has expired, or whose owner is known to be dead.

    `active` are those that the caller is running: a process that slept past the end of its lease must not take over
    from itself.
    """
    values = {"owner": owner, "lease": LEASE_S, "dead": dead_owners, "active": active}
    row = connection.execute(_SQL["claim"], values).fetchone()
    return Lease(**row) if row else None


def lease_owners(connection: Connection) -> list[str]:
    return [str(row["lease_owner"]) for row in connection.execute(_SQL["lease_owners"])]


def renew(connection: Connection, ingestion_id: UUID, owner: str) -> bool:
    """Renews the lease. Returns False when another process holds it now."""
    values = {"id": ingestion_id, "owner": owner, "lease": LEASE_S}
    return connection.execute(_SQL["renew"], values).fetchone() is not None


def release(connection: Connection, ingestion_id: UUID, owner: str) -> None:
    """Gives up the lease of an unfinished ingestion: the next runner resumes it at once."""
    connection.execute(_SQL["release"], {"id": ingestion_id, "owner": owner})


def set_stage(connection: Connection, ingestion_id: UUID, stage: str, status: str, seconds: float | None) -> None:
    state = Jsonb({"status": status, "seconds": seconds})
    connection.execute(_SQL["set_stage"], {"id": ingestion_id, "stage": stage, "state": state})


def set_share(connection: Connection, ingestion_id: UUID, stage: str, share: float, seconds: float) -> None:
    """How much of a running stage that counts no pages is done (0 to 1), and how long it has taken so far."""
    state = Jsonb({"status": "running", "seconds": seconds, "share": share})
    connection.execute(_SQL["set_stage"], {"id": ingestion_id, "stage": stage, "state": state})


def start_running(connection: Connection, ingestion_id: UUID, document_id: UUID, page_count: int) -> None:
    """Raises NotFound where the run was deleted with its document, so that the caller's transaction rolls back."""
    values = {"id": ingestion_id, "document_id": document_id, "page_count": page_count}
    if connection.execute(_SQL["start_running"], values).fetchone() is None:
        raise NotFound(DELETED)


def finish(
    connection: Connection,
    ingestion_id: UUID,
    status: str,
    *,
    error: str | None = None,
    document_id: UUID | None = None,
) -> None:
    """Ends a run, with whatever status, and those that follow it; gives up its lease.

    The caller has written the document's row before: whoever starts to follow waits for that row and sees the end.
    Raises NotFound as `start_running` does.
    """
    finish_all(connection, [ingestion_id], status, error=error, document_id=document_id)


def finish_all(
    connection: Connection,
    ingestion_ids: Sequence[UUID],
    status: str,
    *,
    error: str | None = None,
    document_id: UUID | None = None,
) -> None:
    """Ends several runs in the same way, as `finish` does one."""
    values = {"ids": list(ingestion_ids), "status": status, "error": error, "document_id": document_id}
    if connection.execute(_SQL["finish"], values).rowcount != len(ingestion_ids):
        raise NotFound(DELETED)
    connection.execute(_SQL["settle_followers"], values)


def fail(connection: Connection, ingestion_id: UUID, error: str) -> bool:
    """Ends a run, its document and the runs that follow it as failed.

    Returns False and changes nothing where the run has ended. The document is unchanged where it belongs to another
    run. The pages that were counted for the run are given back.
    """
    values = {"id": ingestion_id, "ids": [ingestion_id], "status": "failed", "error": error}
    connection.execute(_SQL["fail_document"], values)
    if connection.execute(_SQL["fail"], values).fetchone() is None:
        return False
    connection.execute(_SQL["settle_followers"], values)
    plans.uncount_pages(connection, [ingestion_id])
    return True


def follow(connection: Connection, ingestion_id: UUID, document_id: UUID) -> None:
    """Ties the ingestion of bytes that `document_id` has already to that document: it ends as the document has ended,
    or with its run under way.

    The caller has locked the document's row, so that no run ends meanwhile without noticing.
    """
    connection.execute(_SQL["follow"], {"id": ingestion_id, "document_id": document_id})


def lost_runs(connection: Connection, age_s: float) -> list[tuple[UUID, UUID]]:
    """(id, knowledge base id) of runs in scope without a lease that were started or admitted more than `age_s` seconds
    ago."""
    return [
        (row["id"], row["knowledge_base_id"]) for row in connection.execute(_SQL["lost"], {"seconds": age_s}).fetchall()
    ]


def record_page(
    connection: Connection, scope: Scope, ingestion_id: UUID, stage: str, page: int, seconds: float, error: str | None
) -> None:
    """Records that a page has left a stage; a later success replaces an error."""
    values = {
        "organization_id": scope.organization_id,
        "knowledge_base_id": scope.knowledge_base_ids[0],
        "ingestion_id": ingestion_id,
        "stage": stage,
        "page": page,
        "seconds": seconds,
        "error": error,
    }
    connection.execute(_SQL["record_page"], values)


def pages_left(connection: Connection, ingestion_id: UUID, stage: str, pages: range) -> list[int]:
    """Pages of the range that have neither left this stage nor failed in an earlier one."""
    values = {"id": ingestion_id, "stage": stage, "first": pages.start, "last": pages.stop - 1}
    settled = {int(row["page"]) for row in connection.execute(_SQL["settled_pages"], values)}
    return [page for page in pages if page not in settled]


def failed_pages(connection: Connection, ingestion_id: UUID) -> dict[int, str]:
    """Stage and reason of each failed page, in page order."""
    return {
        int(row["page"]): str(row["error"]) for row in connection.execute(_SQL["failed_pages"], {"id": ingestion_id})
    }


def read_ingestions(
    connection: Connection,
    ingestion_id: UUID | None = None,
    knowledge_base_id: UUID | None = None,
    *,
    parcel_id: UUID | None = None,
    after: UUID | None = None,
    limit: int = 200,
) -> list[Ingestion]:
    """Ingestions with their progress, newest first; those of a parcel in its order, from behind `after`."""
    values: Row = {"id": ingestion_id, "knowledge_base_id": knowledge_base_id}
    values |= {"parcel_id": parcel_id, "after": after, "limit": limit}
    rows = connection.execute(_SQL["read_ingestions"], values).fetchall()
    running = {row["knowledge_base_id"] for row in rows if row["status"] == "running"}
    former = {base: _former_runs(connection, base) for base in running}
    return [_to_ingestion(row, former.get(row["knowledge_base_id"], [])) for row in rows]


def _former_runs(connection: Connection, knowledge_base_id: UUID) -> list[FormerRun]:
    rows = connection.execute(_SQL["former_runs"], {"knowledge_base_id": knowledge_base_id}).fetchall()
    return [
        FormerRun(row["pages"], row["chunks"], row["size"], row["seconds"], mapped_s)
        for row in rows
        if (mapped_s := mapped_seconds(row["stages"])) is not None
    ]


def _to_ingestion(row: Row, former: list[FormerRun]) -> Ingestion:
    progress = Progress(
        row["stages"],
        row["page_states"],
        float(row["age"]),
        row["page_count"] or 0,
        row["size"] or 0,
        row["chunk_count"] or 0,
    )
    return Ingestion(
        id=row["id"],
        knowledge_base_id=row["knowledge_base_id"],
        document_id=row["document_id"],
        filename=row["filename"],
        status=row["status"],
        duplicate=row["duplicate"],
        engine=row["engine"],
        error=row["error"],
        needs_password=row["error"] in PASSWORD_ERRORS,
        stages=stage_progress(row["stages"], row["page_states"], row["page_count"]),
        pages=row["page_count"],
        eta_seconds=seconds_left(progress, former) if row["status"] == "running" else None,
        cost_usd=row["cost_usd"],
        parcel_id=row["parcel_id"],
        parcel=row["parcel"],
        created_at=row["created_at"],
        finished_at=row["finished_at"],
    )


def lock_abandoned_uploads(connection: Connection, age: timedelta, limit: int) -> list[tuple[UUID, str]]:
    """(id, key) of up to `limit` uploads in scope that were announced longer than `age` ago and never arrived, oldest
    first; locked."""
    values = {"seconds": age.total_seconds(), "limit": limit}
    return [(row["id"], row["source_key"]) for row in connection.execute(_SQL["abandoned_uploads"], values)]


def remove_uploads(connection: Connection, ids: Sequence[UUID]) -> None:
    """Deletes the uploads and the ingestions that waited for them."""
    for name in ("remove_ingestions", "remove_uploads"):
        connection.execute(_SQL[name], {"ids": list(ids)})
