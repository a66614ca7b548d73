"""A knowledge base or a whole organization is to be deleted for good: asked for here, and done by `erasure_run`.

The request shuts it: from its commit on nobody sees it but what deletes it. Whoever asked gets a ticket, by which the
certificate is read in the end, when an organization and everybody's identity in it are gone. docs/archive.md
"""

import hashlib
import logging
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel

from shared.access import changing, find_knowledge_base, reading, require_admin, require_owner
from shared.archive.certificate import By, Certificate, Kind, Subject
from shared.domain.account import AccountProfile
from shared.domain.ids import new_id
from shared.domain.scope import Identity, Scope
from shared.errors import AutriError, BadInput, Conflict, NotFound
from shared.runtime import Runtime
from shared.store import archive_jobs
from shared.store import erasure as rows
from shared.store.audit import note
from shared.store.connect import Connection, Row, set_scope, tried_again
from shared.store.identities import get_profile
from shared.store.knowledge_bases import list_knowledge_bases

logger = logging.getLogger("autri.erasing")

# A run that does not end a slice for so long was stopped: maintenance starts another.
IDLE_S: Final = 1200.0


class ErasureRequest(BaseModel):
    """Who asked, for what, as the certificate will say it."""

    subject: Subject
    organization: Subject
    by: By
    identity: Identity


class Erasure(BaseModel):
    """A deletion: what was there is shut at once, and goes in slices. `progress` is 0 to 1; `stalled` where nothing was
    done for a while: maintenance goes on with it. In the end there is the certificate, which says when."""

    id: UUID
    kind: Kind
    subject: Subject
    status: Literal["running", "ready"]
    requested_at: AwareDatetime | None = None
    progress: float
    stalled: bool = False
    documents: int = 0
    chunks: int = 0
    certificate: Certificate | None = None


class AskedErasure(Erasure):
    """`ticket`: the secret by which whoever asked reads what became of it, after an organization is gone too."""

    ticket: str


def delete_knowledge_base(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> AskedErasure:
    """Shuts it and has it deleted. Raises NotFound, also where it is being deleted already."""
    asked = _shut_base(runtime, identity, knowledge_base_id)
    _start(runtime, identity.organization_id, asked.id)
    return asked


def erase_organization(runtime: Runtime, identity: Identity, slug: str) -> AskedErasure:
    """Shuts the caller's organization, for every member and key, and has it deleted: people, knowledge bases, traces,
    files. Only the certificate stays.

    Raises Forbidden for anybody but an owner, BadInput where `slug` is not the organization's own, Conflict where it is
    being deleted already.
    """
    require_owner(identity)
    asked = _shut_organization(runtime, identity, slug)
    _start(runtime, identity.organization_id, asked.id)
    return asked


def get_erasure(runtime: Runtime, erasure: UUID, ticket: str) -> Erasure:
    """What became of it, for whoever has the ticket. Raises NotFound for another ticket, and for a knowledge base's
    whose organization was deleted as a whole meanwhile."""
    with runtime.database.unscoped() as connection:
        going, certificate = rows.find_erasure(connection, erasure, _hash(ticket))
    if certificate is not None:
        return _ended(certificate)
    if going is None:
        raise NotFound(f"There is no deletion {erasure} with this ticket.")
    return _going(going)


def list_erasures(runtime: Runtime, identity: Identity, before: UUID | None = None, limit: int = 100) -> list[Erasure]:
    """Knowledge bases that are being deleted and those that were, newest request first, from behind `before`. Raises
    Forbidden below admin."""
    require_admin(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        going = [_going(row) for row in rows.list_erasures(connection, before, limit)]
        ended = [_ended(one) for one in rows.list_certificates(connection, before, limit)]
    return sorted([*going, *ended], key=lambda one: one.id, reverse=True)[:limit]


def who_asks(connection: Connection, identity: Identity, subject: Subject | None = None) -> ErasureRequest:
    """As the certificate will say it, of the whole organization where there is no `subject`. Raises NotFound for
    somebody who is no member."""
    profile = _profile(connection, identity)
    organization = Subject.model_validate(profile.organization, from_attributes=True)
    by = By(id=profile.user.id, name=profile.user.name or profile.user.email)
    return ErasureRequest(subject=subject or organization, organization=organization, by=by, identity=identity)


def delete_failed_import(runtime: Runtime, requests: Sequence[ErasureRequest], scope: Scope, job: UUID) -> None:
    """Forgets the job, and has what is here of its knowledge bases deleted, which nobody has seen."""
    bases = [one.subject.id for one in requests]
    asked = list[AskedErasure]()
    with runtime.database.transaction(scope.model_copy(update={"knowledge_base_ids": tuple(bases)})) as connection:
        rows.let_see_erased(connection)
        if archive_jobs.hold_job(connection, job) is None:
            return
        archive_jobs.remove_job(connection, job)
        if bases:
            rows.end_runs(connection, bases)
        none = {"documents": 0, "chunks": 0}
        asked = [_add(connection, request, "knowledge base", none) for request in requests]
    for one in asked:
        _start(runtime, scope.organization_id, one.id)


def start_idle(runtime: Runtime, owner_dsn: str, idle_s: float = IDLE_S) -> int:
    """Starts the deletions that nobody was at for so long; returns how many."""
    found = rows.open_erasures(owner_dsn, idle_s)
    for row in found:
        runtime.start_erasure(row["organization_id"], row["id"])
    return len(found)


@tried_again
def _shut_base(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> AskedErasure:
    with changing(runtime, identity) as connection:
        found = find_knowledge_base(connection, knowledge_base_id)
        if not rows.shut_base(connection, knowledge_base_id):
            raise NotFound(f"The knowledge base {knowledge_base_id} is being deleted already.")
        counts = {"documents": found.documents, "chunks": found.chunks}
        note(connection, identity, "knowledge_base.delete", found.id, found.id, slug=found.slug, **counts)
        subject = Subject(id=found.id, slug=found.slug, name=found.name)
        return _add(connection, who_asks(connection, identity, subject), "knowledge base", counts)


@tried_again
def _shut_organization(runtime: Runtime, identity: Identity, slug: str) -> AskedErasure:
    with reading(runtime, identity) as connection:
        profile = _profile(connection, identity)
        if slug != profile.organization.slug:
            raise BadInput(
                f"`{slug}` is not the organization that you are signed in to: nothing was deleted."
                " To delete it, give its own short name."
            )
        counts = _count(connection)
        # A key may see a few of the knowledge bases; all of them are shut.
        set_scope(connection, Scope(organization_id=identity.organization_id))
        if not rows.shut_organization(connection):
            raise Conflict(f"`{slug}` is being deleted already.")
        note(connection, identity, "organization.delete", identity.organization_id)
        return _add(connection, who_asks(connection, identity), "organization", counts)


def _add(connection: Connection, request: ErasureRequest, kind: Kind, counts: dict[str, int]) -> AskedErasure:
    made, ticket = new_id(), secrets.token_urlsafe(32)
    row = {
        "organization_id": request.identity.organization_id,
        "id": made,
        "kind": kind,
        "subject_id": request.subject.id,
        "request": request.model_dump(mode="json"),
        "ticket_hash": _hash(ticket),
        **counts,
    }
    rows.add_erasure(connection, row)
    now = datetime.now(UTC)
    return AskedErasure(
        id=made,
        kind=kind,
        subject=request.subject,
        status="running",
        requested_at=now,
        progress=0,
        ticket=ticket,
        **counts,
    )


def _start(runtime: Runtime, organization: UUID, erasure: UUID) -> None:
    """The request is committed: what cannot be started now is started by maintenance."""
    try:
        runtime.start_erasure(organization, erasure)
    except AutriError as error:
        logger.warning("the deletion %s was not started: %s", erasure, error)


def _profile(connection: Connection, identity: Identity) -> AccountProfile:
    profile = get_profile(connection, identity.user_id)
    if profile is None:
        raise NotFound("You are no longer a member of this organization.")
    return profile


def _count(connection: Connection) -> dict[str, int]:
    """Documents and chunks of all knowledge bases in scope."""
    found, after = [], None
    while page := list_knowledge_bases(connection, after, 100):
        found += page
        after = page[-1].id
    return {"documents": sum(one.documents for one in found), "chunks": sum(one.chunks for one in found)}


def _hash(ticket: str) -> str:
    return hashlib.sha256(ticket.encode()).hexdigest()


def _going(row: Row) -> Erasure:
    request = ErasureRequest.model_validate(row["request"])
    touched = row["touched_at"]
    touched = datetime.fromisoformat(touched) if isinstance(touched, str) else touched
    return Erasure(
        id=row["id"],
        kind=row["kind"],
        subject=request.subject,
        status="running",
        requested_at=row["requested_at"],
        progress=_progress(row),
        stalled=(datetime.now(UTC) - touched).total_seconds() > IDLE_S,
        documents=row["documents"],
        chunks=row["chunks"],
    )


def _progress(row: Row) -> float:
    """The mean of the shares of files and of documents; never whole, as the certificate is."""
    if row["before"] is None:
        return 0.0
    shares = [
        (row["objects_deleted"], row["before"]["objects"]),
        (row["documents_deleted"], row["before"]["rows"].get("documents", 0)),
    ]
    done = sum(min(deleted / known, 1.0) if known else 1.0 for deleted, known in shares) / len(shares)
    return round(min(done, 0.99), 3)


def _ended(kept: dict[str, Any]) -> Erasure:
    certificate = Certificate.model_validate(kept)
    return Erasure(
        id=certificate.id,
        kind=certificate.kind,
        subject=certificate.subject,
        status="ready",
        progress=1,
        documents=certificate.before.rows.get("documents", 0),
        chunks=certificate.before.rows.get("chunks", 0),
        certificate=certificate,
    )
