"""Rows of uploads and ingestions: what was announced, what runs, how far it is, and who holds its lease."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.inspect import Ingestion
from shared.domain.scope import Scope
from shared.store.connect import Connection
from shared.store.progress import stage_progress

Row = dict[str, Any]
LEASE_S = 30


@dataclass(frozen=True)
class Lease:
    """An ingestion that this process may run now."""

    id: UUID
    organization_id: UUID
    knowledge_base_id: UUID
    document_id: UUID | None
    source_key: str

    @property
    def scope(self) -> Scope:
        return Scope(organization_id=self.organization_id, knowledge_base_ids=(self.knowledge_base_id,))


def insert_upload(connection: Connection, row: Row) -> None:
    """An announced upload and its ingestion, which waits for the bytes; both bear the same id."""
    connection.execute(
        "insert into uploads (organization_id, knowledge_base_id, id, filename, size, sha256, engine, version_of,"
        " label, created_by) values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(filename)s, %(size)s,"
        " %(sha256)s, %(engine)s, %(version_of)s, %(label)s, %(created_by)s)",
        row,
    )
    insert_ingestion(connection, {**row, "document_id": None, "status": "waiting"})


def insert_ingestion(connection: Connection, row: Row) -> None:
    connection.execute(
        "insert into ingestions (organization_id, knowledge_base_id, id, document_id, source_key, filename, engine,"
        " status) values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(document_id)s, %(source_key)s,"
        " %(filename)s, %(engine)s, %(status)s)",
        row,
    )


def find_upload(connection: Connection, upload_id: UUID) -> Row | None:
    return connection.execute("select * from uploads where id = %s", (upload_id,)).fetchone()


def find_ingestion(connection: Connection, ingestion_id: UUID) -> Row | None:
    return connection.execute("select * from ingestions where id = %s", (ingestion_id,)).fetchone()


def queue(connection: Connection, ingestion_id: UUID) -> bool:
    """Its bytes have arrived. False when it was queued before."""
    found = connection.execute(
        "update ingestions set status = 'queued' where id = %s and status = 'waiting' returning 1", (ingestion_id,)
    )
    return found.fetchone() is not None


def claim(connection: Connection, owner: str, dead_owners: list[str]) -> Lease | None:
    """Lease the oldest ingestion that nobody runs: queued, or its lease has run out, or its owner is known dead."""
    row = connection.execute(
        "update ingestions set status = 'running', lease_owner = %(owner)s, attempts = attempts + 1,"
        " lease_until = now() + make_interval(secs => %(lease)s)"
        " where id = (select id from ingestions where status = 'queued'"
        "   or (status = 'running' and lease_owner is not null"
        "       and (lease_until < now() or lease_owner = any(%(dead)s)))"
        "   order by created_at, id limit 1 for update skip locked)"
        " returning id, organization_id, knowledge_base_id, document_id, source_key",
        {"owner": owner, "lease": LEASE_S, "dead": dead_owners},
    ).fetchone()
    return Lease(**row) if row else None


def lease_owners(connection: Connection) -> list[str]:
    rows = connection.execute(
        "select distinct lease_owner from ingestions where status = 'running' and lease_owner is not null"
    )
    return [str(row["lease_owner"]) for row in rows]


def renew(connection: Connection, ingestion_id: UUID, owner: str) -> bool:
    """False when another process holds it now."""
    found = connection.execute(
        "update ingestions set lease_until = now() + make_interval(secs => %s)"
        " where id = %s and lease_owner = %s and status = 'running' returning 1",
        (LEASE_S, ingestion_id, owner),
    )
    return found.fetchone() is not None


def set_stage(connection: Connection, ingestion_id: UUID, stage: str, status: str, seconds: float | None) -> None:
    connection.execute(
        "update ingestions set stages = jsonb_set(stages, array[%s], %s) where id = %s",
        (stage, Jsonb({"status": status, "seconds": seconds}), ingestion_id),
    )


def start_running(connection: Connection, ingestion_id: UUID, document_id: UUID, page_count: int) -> None:
    connection.execute(
        "update ingestions set status = 'running', document_id = %s, page_count = %s, error = null where id = %s",
        (document_id, page_count, ingestion_id),
    )


def finish(
    connection: Connection,
    ingestion_id: UUID,
    status: str,
    *,
    error: str | None = None,
    document_id: UUID | None = None,
    duplicate: bool = False,
) -> None:
    connection.execute(
        "update ingestions set status = %(status)s, error = %(error)s, duplicate = %(duplicate)s,"
        " document_id = coalesce(%(document)s, document_id), lease_owner = null, lease_until = null,"
        " finished_at = now() where id = %(id)s",
        {
            "id": ingestion_id,
            "status": status,
            "error": error,
            "document": document_id,
            "duplicate": duplicate,
        },
    )


def record_page(
    connection: Connection, scope: Scope, ingestion_id: UUID, stage: str, page: int, seconds: float, error: str | None
) -> None:
    """A page has left a stage; a later success replaces an error."""
    connection.execute(
        "insert into ingestion_pages (organization_id, knowledge_base_id, ingestion_id, stage, page, seconds, error)"
        " values (%s, %s, %s, %s, %s, %s, %s) on conflict (ingestion_id, stage, page)"
        " do update set error = excluded.error, seconds = excluded.seconds",
        (scope.organization_id, scope.knowledge_base_ids[0], ingestion_id, stage, page, seconds, error),
    )


def pages_left(connection: Connection, ingestion_id: UUID, stage: str, pages: range) -> list[int]:
    """Pages of the range that have neither left this stage nor failed in an earlier one."""
    settled = connection.execute(
        "select page from ingestion_pages where ingestion_id = %s and page between %s and %s"
        " and (error is not null and stage <> %s or error is null and stage = %s)",
        (ingestion_id, pages.start, pages.stop - 1, stage, stage),
    )
    done = {int(row["page"]) for row in settled}
    return [page for page in pages if page not in done]


def failed_pages(connection: Connection, ingestion_id: UUID) -> dict[int, str]:
    rows = connection.execute(
        "select page, stage || ': ' || error as error from ingestion_pages"
        " where ingestion_id = %s and error is not null order by page",
        (ingestion_id,),
    )
    return {int(row["page"]): str(row["error"]) for row in rows}


def read_ingestions(connection: Connection, where: str, parameters: Row) -> list[Ingestion]:
    """Ingestions with their progress, newest first. `where` is one of this module's callers' constants."""
    rows = connection.execute(
        "select i.*, coalesce((select jsonb_object_agg(stage, state) from"  # noqa: S608 no input in it
        " (select stage, jsonb_build_object('done', count(*) filter (where error is null),"
        "   'seconds', sum(seconds), 'failed', coalesce(jsonb_agg(page order by page) filter"
        "   (where error is not null), '[]')) as state from ingestion_pages p"
        "   where p.ingestion_id = i.id group by stage) s), '{}') as page_states,"
        " extract(epoch from (coalesce(i.finished_at, now()) - i.created_at)) as age"
        f" from ingestions i where {where} order by i.created_at desc, i.id desc limit 200",  # pyright: ignore[reportArgumentType]
        parameters,
    )
    return [_to_ingestion(row) for row in rows.fetchall()]


def _to_ingestion(row: Row) -> Ingestion:
    stages, eta = stage_progress(row["stages"], row["page_states"], row["page_count"], float(row["age"]))
    running = row["status"] == "running"
    return Ingestion(
        id=row["id"],
        knowledge_base_id=row["knowledge_base_id"],
        document_id=row["document_id"],
        filename=row["filename"],
        status=row["status"],
        duplicate=row["duplicate"],
        engine=row["engine"],
        error=row["error"],
        stages=stages,
        pages=row["page_count"],
        eta_seconds=eta if running else None,
        created_at=row["created_at"],
        finished_at=row["finished_at"],
    )
