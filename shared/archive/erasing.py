"""Deletes a knowledge base or a whole organization for good, and writes the certificate of it.

Rows and certificate are one transaction: either no row is gone, or all are and the certificate says so. Files are
deleted before it is committed: if that fails, nothing is lost from sight and the call can be repeated. They are deleted
once more afterwards, in case a stage was writing meanwhile.
"""

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel

from shared.access import changing, find_knowledge_base, reading, require_owner
from shared.contract import STORED_PREFIXES, TRANSFER_PREFIXES
from shared.domain.account import AccountProfile, Deleted
from shared.domain.ids import new_id
from shared.domain.scope import Identity, Scope
from shared.errors import BadInput, NotFound, StoreUnavailable
from shared.runtime import Runtime
from shared.store import erasure
from shared.store.audit import note
from shared.store.connect import Connection, set_scope, tried_again
from shared.store.identities import get_profile
from shared.store.knowledge_bases import open_organization, remove_knowledge_base

# What a deletion here does not reach, and says so.
NOT_COVERED: Final = (
    "Backups and snapshots of the database, until they expire as the deployment's owner has set.",
    "Accounts at the identity provider, and archives and answers that people have downloaded.",
    "Logs of the deployment, which hold ids and no content.",
    "After a knowledge base, its organization's audit log: who did what to which id, kept for the time chosen there.",
)


# How often files are deleted and looked for.
ATTEMPTS: Final = 5


class Subject(BaseModel):
    """What was deleted, or whose it was."""

    id: UUID
    slug: str
    name: str


class By(BaseModel):
    """Who deleted it."""

    id: UUID
    name: str


class Holdings(BaseModel):
    """What is there: rows by table, and stored files."""

    rows: dict[str, int]
    objects: int
    bytes: int


class Certificate(BaseModel):
    """What was there and that nothing is left. `sha256` is that of the JSON without itself: keys sorted, no spaces,
    UTF-8."""

    format: Literal["autri-erasure-certificate"] = "autri-erasure-certificate"
    version: Literal[1] = 1
    id: UUID
    kind: Literal["knowledge base", "organization"]
    subject: Subject
    organization: Subject
    by: By
    erased_at: AwareDatetime
    before: Holdings
    passwords: int
    after: Holdings
    not_covered: list[str]
    sha256: str = ""


class ErasedBase(Deleted):
    """How much was deleted of a knowledge base, and the certificate of it."""

    certificate: Certificate


def digest_of(certificate: Certificate) -> str:
    """The SHA-256 that the certificate has to have."""
    content = certificate.model_dump(mode="json", exclude={"sha256"})
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@tried_again
def delete_knowledge_base(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> ErasedBase:
    """Deletes its rows, its traces and its stored files. Raises NotFound."""
    prefixes = _prefixes(identity, knowledge_base_id)
    with changing(runtime, identity) as connection:
        found = find_knowledge_base(connection, knowledge_base_id)
        profile = _profile(connection, identity)
        # A trace may name other knowledge bases too, which the caller does not see or change: it goes all the same.
        set_scope(connection, Scope(organization_id=identity.organization_id))
        open_organization(connection)
        before = _holdings(runtime, connection, identity, knowledge_base_id)
        passwords = _forget_passwords(runtime, connection, knowledge_base_id)
        remove_knowledge_base(connection, knowledge_base_id)
        counts = {"documents": found.documents, "chunks": found.chunks, "slug": found.slug}
        note(connection, identity, "knowledge_base.delete", knowledge_base_id, knowledge_base_id, **counts)
        _delete_all(runtime, prefixes)
        after = _holdings(runtime, connection, identity, knowledge_base_id)
        subject = Subject(id=found.id, slug=found.slug, name=found.name)
        certificate = _certify(connection, profile, "knowledge base", subject, before, after, passwords)
    _delete(runtime, prefixes)
    return ErasedBase(
        id=found.id,
        documents=found.documents,
        chunks=found.chunks,
        objects=before.objects,
        certificate=certificate,
    )


@tried_again
def erase_organization(runtime: Runtime, identity: Identity, slug: str) -> Certificate:
    """Deletes the caller's organization: people, knowledge bases, traces, files. Only the certificate stays.

    Raises Forbidden for anybody but an owner, BadInput where `slug` is not the organization's own.
    """
    require_owner(identity)
    prefixes = _prefixes(identity)
    with reading(runtime, identity) as connection:
        profile = _profile(connection, identity)
        if slug != profile.organization.slug:
            raise BadInput(
                f"`{slug}` is not the organization that you are signed in to: nothing was deleted."
                " To delete it, give its own short name."
            )
        before = _holdings(runtime, connection, identity)
        passwords = _forget_passwords(runtime, connection)
        erasure.erase_organization(connection, slug)
        _delete_all(runtime, prefixes)
        after = _holdings(runtime, connection, identity)
        subject = Subject.model_validate(profile.organization, from_attributes=True)
        certificate = _certify(connection, profile, "organization", subject, before, after, passwords)
    _delete(runtime, prefixes)
    return certificate


def _prefixes(identity: Identity, base: UUID | None = None) -> list[str]:
    own = f"{identity.organization_id}/" if base is None else f"{identity.organization_id}/{base}/"
    whole = TRANSFER_PREFIXES if base is None else ()
    return [prefix + own for prefix in (*STORED_PREFIXES, *whole)]


def _delete_all(runtime: Runtime, prefixes: Sequence[str]) -> None:
    """Until a listing finds nothing: a stage that still runs may be writing."""
    for _ in range(ATTEMPTS):
        _delete(runtime, prefixes)
        if not any(True for prefix in prefixes for _ in runtime.blobs.entries(prefix)):
            return


def _delete(runtime: Runtime, prefixes: Sequence[str]) -> None:
    for prefix in prefixes:
        runtime.blobs.delete_prefix(prefix)


def _profile(connection: Connection, identity: Identity) -> AccountProfile:
    profile = get_profile(connection, identity.user_id)
    if profile is None:
        raise NotFound("You are no longer a member of this organization.")
    return profile


def _holdings(runtime: Runtime, connection: Connection, identity: Identity, base: UUID | None = None) -> Holdings:
    objects, size = 0, 0
    for prefix in _prefixes(identity, base):
        for stored in runtime.blobs.entries(prefix):
            objects, size = objects + 1, size + stored.size
    rows = erasure.count_rows(connection, identity.organization_id, base)
    return Holdings(rows=rows, objects=objects, bytes=size)


def _forget_passwords(runtime: Runtime, connection: Connection, base: UUID | None = None) -> int:
    """Of protected files that have not been opened; returns of how many uploads."""
    uploads = erasure.open_uploads(connection, base)
    for upload in uploads:
        runtime.vault.forget(upload)
    return len(uploads)


def _certify(
    connection: Connection,
    profile: AccountProfile,
    kind: Literal["knowledge base", "organization"],
    subject: Subject,
    before: Holdings,
    after: Holdings,
    passwords: int,
) -> Certificate:
    """Keeps and returns it. Raises StoreUnavailable, which takes the deletion of the rows back, where something is
    left."""
    left = {name: rows for name, rows in (after.rows | {"stored files": after.objects}).items() if rows}
    if left:
        raise StoreUnavailable(f"Something is still being written ({left}). Delete it again in a minute.")
    certificate = Certificate(
        id=new_id(),
        kind=kind,
        subject=subject,
        organization=Subject.model_validate(profile.organization, from_attributes=True),
        by=By(id=profile.user.id, name=profile.user.name or profile.user.email),
        erased_at=datetime.now(UTC),
        before=before,
        passwords=passwords,
        after=after,
        not_covered=list(NOT_COVERED),
    )
    certificate = certificate.model_copy(update={"sha256": digest_of(certificate)})
    erasure.add_certificate(connection, profile.organization.id, certificate.model_dump(mode="json"))
    return certificate
