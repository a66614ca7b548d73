"""Deletions in tests, which wait for the certificate."""

from uuid import UUID

from shared.archive.certificate import Certificate
from shared.archive.erasing import AskedErasure, delete_knowledge_base, erase_organization, get_erasure
from shared.archive.erasure_run import run_erasure
from shared.domain.scope import Identity
from shared.runtime import Runtime


def by_nobody(_organization: UUID, _erasure: UUID) -> None:
    """Instead of `start_erasure`: what was asked for waits until the test runs it."""


def run_whole(runtime: Runtime, identity: Identity, asked: AskedErasure) -> Certificate:
    """Does all slices, and answers the certificate as whoever asked reads it."""
    while run_erasure(runtime, identity.organization_id, asked.id):
        continue
    certificate = get_erasure(runtime, asked.id, asked.ticket).certificate
    assert certificate is not None
    return certificate


def erase_base(runtime: Runtime, identity: Identity, base: UUID) -> Certificate:
    runtime.start_erasure = by_nobody
    return run_whole(runtime, identity, delete_knowledge_base(runtime, identity, base))


def erase_all(runtime: Runtime, identity: Identity, slug: str) -> Certificate:
    runtime.start_erasure = by_nobody
    return run_whole(runtime, identity, erase_organization(runtime, identity, slug))
