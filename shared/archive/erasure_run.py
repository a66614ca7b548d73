"""Deletes what `erasing` has shut, slice by slice, and writes the certificate.

A slice is one transaction, or one listing of files; whatever is left is what the next one finds, so that a run may be
killed at any moment and two may run at once. Files go first: nobody sees them any more. The last slice deletes the rest
of the rows and keeps the certificate, or takes that back where something is left. Files are deleted before it is
committed, and once more afterwards, in case a stage was writing meanwhile: that one sees after its last write that its
document is gone, and deletes what it wrote (`shared.ingestion.presence`).
"""

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from shared.archive.certificate import NOT_COVERED, Certificate, Holdings, digest_of
from shared.archive.erasing import ErasureRequest
from shared.contract import DROP_PREFIX, STORED_PREFIXES, TRANSFER_PREFIXES, erasing_key
from shared.domain.scope import Scope
from shared.errors import StoreUnavailable
from shared.runtime import Runtime
from shared.store import erasure as rows
from shared.store.audit import note
from shared.store.connect import Connection, Row, tried_again
from shared.store.knowledge_bases import open_organization, opened_knowledge_bases, remove_knowledge_base

# Well below the fifteen minutes of a Lambda function, with time left for the slice under way.
SECONDS: Final = 600.0
# Of one slice: what is lost where a run is killed, and how often people see progress.
FILES_S: Final = 20.0
DOCUMENTS, CHUNKS, TRACES = 100, 2000, 5000
# How often files are deleted and looked for in the last slice.
ATTEMPTS: Final = 5


@dataclass(frozen=True)
class _Held:
    """An erasure of which this transaction does a slice, and whose knowledge bases are left."""

    connection: Connection
    row: Row
    request: ErasureRequest
    bases: list[UUID]

    @property
    def id(self) -> UUID:
        return self.row["id"]

    @property
    def base(self) -> UUID | None:
        """The knowledge base that is deleted; None where it is the organization."""
        return self.row["subject_id"] if self.row["kind"] == "knowledge base" else None

    @property
    def prefixes(self) -> list[str]:
        """Everything that the store has of it."""
        organization = f"{self.row['organization_id']}/"
        dropped = [f"{DROP_PREFIX}{base}/" for base in self.bases]
        if self.base is not None:
            return [*(f"{prefix}{organization}{self.base}/" for prefix in STORED_PREFIXES), *dropped]
        return [*(prefix + organization for prefix in (*STORED_PREFIXES, *TRANSFER_PREFIXES)), *dropped]


def run_erasure(runtime: Runtime, organization: UUID, erasure: UUID, seconds: float = SECONDS) -> bool:
    """Does slices for about so many seconds; returns whether there is more to do for another run.

    False also where another run is at it, or it has ended. Raises StoreUnavailable where something is still being
    written when everything else is done, and whatever kept a slice from being done: it may be run again.
    """
    deadline = time.monotonic() + seconds
    while (more := _slice(runtime, organization, erasure)) and time.monotonic() < deadline:
        continue
    return more


@tried_again
def _slice(runtime: Runtime, organization: UUID, erasure: UUID) -> bool:
    """Does the next slice; returns whether another one may follow."""
    with _held(runtime, organization, erasure) as held:
        if held is None:
            return False
        if held.row["before"] is None:
            _begin(runtime, held)
            return True
        if _delete_files(runtime, held) or _delete_rows(held):
            return True
        _finish(runtime, held)
    _delete(runtime, held.prefixes)
    runtime.blobs.delete(erasing_key(str(organization), str(erasure)))
    return False


@contextmanager
def _held(runtime: Runtime, organization: UUID, erasure: UUID) -> Generator[_Held | None]:
    with runtime.database.transaction(Scope(organization_id=organization)) as connection:
        rows.let_see_erased(connection)
        row = rows.hold_erasure(connection, erasure)
        if row is None:
            yield None
            return
        open_organization(connection)
        bases = opened_knowledge_bases(connection)
        if row["kind"] == "knowledge base":
            bases = [base for base in bases if base == row["subject_id"]]
        yield _Held(connection, row, ErasureRequest.model_validate(row["request"]), bases)


def _begin(runtime: Runtime, held: _Held) -> None:
    """Counts what is there, frees what runs and names hold, and forgets the passwords of files that were not opened."""
    before = _holdings(runtime, held)
    uploads = rows.open_uploads(held.connection, held.base)
    for upload in uploads:
        runtime.vault.forget(upload)
    rows.end_runs(held.connection, held.bases)
    rows.note_before(held.connection, held.id, before.model_dump(mode="json"), len(uploads))


def _delete_files(runtime: Runtime, held: _Held) -> bool:
    """Returns whether there are more than one slice may take."""
    until = time.monotonic() + FILES_S
    for prefix in held.prefixes:
        deleted = runtime.blobs.delete_prefix(prefix, until)
        rows.note_deleted(held.connection, held.id, objects=deleted)
        if time.monotonic() >= until:
            return True
    return False


def _delete_rows(held: _Held) -> bool:
    """Returns whether there may be more."""
    deleted = rows.remove_documents(held.connection, held.bases, DOCUMENTS, CHUNKS)
    rows.note_deleted(held.connection, held.id, documents=deleted)
    return deleted > 0 or rows.remove_traces(held.connection, held.bases, TRACES) > 0


def _finish(runtime: Runtime, held: _Held) -> None:
    """The rest of the rows, and the certificate. Raises StoreUnavailable, which takes both back, where something is
    left."""
    if held.base is None:
        done = rows.erase_organization(held.connection, held.request.subject.slug)
    else:
        done = remove_knowledge_base(held.connection, held.base)
        rows.remove_erasure(held.connection, held.id)
    if not done:
        raise StoreUnavailable(f"The {held.row['kind']} {held.row['subject_id']} was not found: nothing is certified.")
    _delete_all(runtime, held.prefixes)
    after = _holdings(runtime, held)
    left = {name: count for name, count in (after.rows | {"stored files": after.objects}).items() if count}
    if left:
        raise StoreUnavailable(f"Something is still being written ({left}). It is deleted again in a few minutes.")
    certificate = _certificate(held, after)
    if held.base is not None:
        subject = held.request.subject
        note(held.connection, held.request.identity, "knowledge_base.erase", subject.id, subject.id, slug=subject.slug)
    kept = certificate.model_dump(mode="json")
    rows.add_certificate(held.connection, held.row["organization_id"], kept, held.row["ticket_hash"])


def _certificate(held: _Held, after: Holdings) -> Certificate:
    certificate = Certificate(
        id=held.id,
        kind=held.row["kind"],
        subject=held.request.subject,
        organization=held.request.organization,
        by=held.request.by,
        erased_at=datetime.now(UTC),
        before=Holdings.model_validate(held.row["before"]),
        passwords=held.row["passwords"],
        after=after,
        not_covered=list(NOT_COVERED),
    )
    return certificate.model_copy(update={"sha256": digest_of(certificate)})


def _holdings(runtime: Runtime, held: _Held) -> Holdings:
    objects, size = 0, 0
    for prefix in held.prefixes:
        for stored in runtime.blobs.entries(prefix):
            objects, size = objects + 1, size + stored.size
    found = rows.count_rows(held.connection, held.row["organization_id"], held.base)
    return Holdings(rows=found, objects=objects, bytes=size)


def _delete_all(runtime: Runtime, prefixes: Sequence[str]) -> None:
    """Until a listing finds nothing: a stage that still runs may be writing."""
    for _ in range(ATTEMPTS):
        _delete(runtime, prefixes)
        if not any(True for prefix in prefixes for _ in runtime.blobs.entries(prefix)):
            return


def _delete(runtime: Runtime, prefixes: Sequence[str]) -> None:
    for prefix in prefixes:
        runtime.blobs.delete_prefix(prefix)
