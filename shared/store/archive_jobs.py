"""Exports and imports under way: where each goes on, and what its archive holds so far."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

from psycopg.types.json import Json, Jsonb

from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("archive_jobs")

Kind = Literal["export", "import"]
# Members of an archive that are read or written at once.
MEMBERS_AT_ONCE: Final = 1000


@dataclass(frozen=True)
class HeldJob:
    """A job that this transaction does a slice of: where it goes on, and of an export what the store has of it."""

    state: dict[str, Any]
    upload: str | None
    parts: list[str]
    tail: bytes


def add_job(
    connection: Connection, organization: UUID, job: UUID, kind: Kind, state: dict[str, Any], upload: str | None = None
) -> None:
    """Does nothing where it is there."""
    values = {"organization_id": organization, "id": job, "kind": kind, "state": Json(state), "upload": upload}
    connection.execute(_SQL["add_archive_job"], values)


def hold_job(connection: Connection, job: UUID) -> HeldJob | None:
    """Held until the transaction ends; None where another one holds it, or there is none."""
    row = connection.execute(_SQL["hold_archive_job"], {"id": job}).fetchone()
    return HeldJob(row["state"], row["upload"], row["parts"], bytes(row["tail"])) if row else None


def keep_job(
    connection: Connection,
    job: UUID,
    state: dict[str, Any],
    progress: float,
    parts: Sequence[str] = (),
    tail: bytes = b"",
) -> None:
    """Notes where the next slice goes on; `parts` are those that came to the ones before."""
    values = {"id": job, "state": Json(state), "progress": progress, "parts": list(parts), "tail": tail}
    connection.execute(_SQL["keep_archive_job"], values)


def find_progress(connection: Connection, job: UUID) -> tuple[float, datetime] | None:
    """How far it is (0 to 1), and when a slice of it was done last; None where it has not begun, or has an end."""
    row = connection.execute(_SQL["get_archive_job"], {"id": job}).fetchone()
    return (row["progress"], row["touched_at"]) if row else None


def add_members(
    connection: Connection, organization: UUID, job: UUID, first: int, members: Sequence[dict[str, Any]]
) -> None:
    """Keeps what was written, in its order; `first` is the number of the first of them, from 0."""
    for start in range(0, len(members), MEMBERS_AT_ONCE):
        some = Jsonb(list(members[start : start + MEMBERS_AT_ONCE]))
        values: Row = {"organization_id": organization, "job_id": job, "first": first + start, "members": some}
        connection.execute(_SQL["add_archive_members"], values)


def list_members(connection: Connection, job: UUID) -> Iterator[dict[str, Any]]:
    """In the order in which they were written; some at a time."""
    with connection.cursor("archive members") as cursor:
        cursor.itersize = MEMBERS_AT_ONCE
        for row in cursor.execute(_SQL["list_archive_members"], {"job_id": job}):
            yield row["member"]


def remove_job(connection: Connection, job: UUID) -> None:
    connection.execute(_SQL["remove_archive_job"], {"id": job})


def list_idle(connection: Connection, idle_s: float) -> list[Row]:
    """Jobs of the open scope's organization that nobody was at for so long: `id`, `kind`, `state`."""
    return connection.execute(_SQL["list_idle_archive_jobs"], {"idle_s": idle_s}).fetchall()
