"""Digests as people and programs read them: files, history, how they are."""

import difflib
from collections.abc import Generator
from contextlib import contextmanager
from uuid import UUID

from shared.access import check_knowledge_base, reading
from shared.digest.updating import mark_of
from shared.domain.digest import (
    DigestDiff,
    DigestEntry,
    DigestFile,
    DigestPast,
    DigestStatus,
    DigestVersion,
    Tier,
)
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.runtime import Runtime
from shared.store import digest as rows
from shared.store.connect import Connection
from shared.store.digest_sources import fingerprint
from shared.store.events import count_events


def digest_status(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> DigestStatus:
    """Raises NotFound."""
    with _open(runtime, identity, knowledge_base_id) as connection:
        state = rows.get_state(connection, knowledge_base_id)
        events = count_events(connection, knowledge_base_id)
        if state is None:
            return DigestStatus(built=False, behind=True, events=events)
        files = rows.list_files(connection, knowledge_base_id)
        told = [file for file in files if file.tier != "index"]
        mark = mark_of(state["method"], fingerprint(connection, knowledge_base_id))
        return DigestStatus(
            built=True,
            revision=state["revision"],
            updated_at=state["updated_at"],
            checked_at=state["checked_at"],
            topics=sum(file.tier == "summary" for file in files),
            files=len(files),
            statements=sum(file.statements for file in told),
            stale=sum(file.stale for file in told),
            uncited=sum(file.uncited for file in told),
            by_people=sum(file.by_people for file in told),
            behind=state["sources_hash"] != mark,
            writes=state["writes"],
            events=events,
        )


def list_digest_files(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, tier: Tier | None = None
) -> list[DigestEntry]:
    """By tier and path. Raises NotFound."""
    with _open(runtime, identity, knowledge_base_id) as connection:
        return rows.list_files(connection, knowledge_base_id, tiers=[tier] if tier else None)


def show_file(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, file_id: UUID) -> DigestFile:
    """Raises NotFound."""
    with _open(runtime, identity, knowledge_base_id) as connection:
        return find_file(connection, knowledge_base_id, file_id)


def file_history(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, file_id: UUID, before: int | None, limit: int
) -> list[DigestVersion]:
    """Newest first, from below the number `before`. Raises NotFound."""
    with _open(runtime, identity, knowledge_base_id) as connection:
        find_file(connection, knowledge_base_id, file_id)
        return rows.list_versions(connection, knowledge_base_id, file_id, before=before, limit=limit)


def show_version(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, file_id: UUID, number: int
) -> DigestPast:
    """Raises NotFound."""
    with _open(runtime, identity, knowledge_base_id) as connection:
        return _find_version(connection, knowledge_base_id, file_id, number)


def diff_versions(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, file_id: UUID, former: int | None, later: int | None
) -> DigestDiff:
    """Of the version before the last one and the last one where nothing is named. Raises NotFound."""
    with _open(runtime, identity, knowledge_base_id) as connection:
        file = find_file(connection, knowledge_base_id, file_id)
        later = later or file.number
        former = max(1, later - 1) if former is None else former
        old, new = (_find_version(connection, knowledge_base_id, file_id, number) for number in (former, later))
    names = (f"{file.path} {old.version}", f"{file.path} {new.version}")
    lines = list(difflib.unified_diff(old.content.splitlines(), new.content.splitlines(), *names, lineterm="", n=2))
    return DigestDiff(
        path=file.path,
        from_number=former,
        to_number=later,
        diff="".join(f"{line}\n" for line in lines),
        added=sum(line.startswith("+") for line in lines[2:]),
        removed=sum(line.startswith("-") for line in lines[2:]),
    )


def find_file(connection: Connection, knowledge_base_id: UUID, file_id: UUID) -> DigestFile:
    """Raises NotFound."""
    found = rows.get_file(connection, knowledge_base_id, file_id=file_id)
    if found is None:
        raise NotFound(f"There is no file {file_id} in this digest. List its files, and take an id of them.")
    return found


def _find_version(connection: Connection, base: UUID, file_id: UUID, number: int) -> DigestPast:
    found = rows.get_version(connection, base, file_id, number)
    if found is None:
        raise NotFound(f"There is no version {number} of this file. Its history lists those there are.")
    return found


@contextmanager
def _open(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> Generator[Connection]:
    with reading(runtime, identity, [knowledge_base_id], snapshot=True) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        yield connection
