"""Writes knowledge bases, or the whole organization, into an archive.

Rows are read in one snapshot, files afterwards; what changed meanwhile makes the export fail rather than a file whose
parts do not belong together.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from shared.access import find_knowledge_base, reading, require_admin
from shared.archive.container import ArchiveWriter
from shared.archive.manifest import (
    ArchivedBase,
    ArchivedOrganization,
    ArchivedTable,
    Manifest,
    object_path,
    rows_path,
    short_key,
)
from shared.archive.transfers import in_order
from shared.contract import work_prefix
from shared.domain.scope import Identity, Scope
from shared.errors import Conflict, Forbidden, NotFound
from shared.lexical.tokenizer import tokenizer_version
from shared.runtime import Runtime
from shared.store import archive as rows
from shared.store.archive import ArchivedDocument
from shared.store.audit import note
from shared.store.connect import Connection, set_scope
from shared.store.identities import get_profile
from shared.store.knowledge_bases import open_organization, opened_knowledge_bases
from shared.store.migrate import load_migrations
from shared.vectors.embedders import embedded_by

# Below a run's prefix: the plan of a run that has ended, and proofs, which are made anew.
_LEFT_OUT = ("plan.json", "verify-")
# These are compressed already.
_STORED = (".jpg", ".png", "/source", ".pdf")


class _Stored(NamedTuple):
    """An object of a document; `data` where it was fetched."""

    document: ArchivedDocument
    key: str
    version: str | None
    data: bytes | None = None


def export_knowledge_base(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, target: Path) -> Manifest:
    """Writes one knowledge base into the file `target`. Raises Forbidden for anybody but owners and admins, NotFound,
    and Conflict while one of its documents is being ingested or changed."""
    return _export(runtime, identity, [knowledge_base_id], target)


def export_organization(runtime: Runtime, identity: Identity, target: Path) -> Manifest:
    """The same with all knowledge bases of the organization, and its settings. Raises Forbidden for a key that does not
    see them all."""
    return _export(runtime, identity, [], target)


def _export(runtime: Runtime, identity: Identity, wish: Sequence[UUID], target: Path) -> Manifest:
    require_admin(identity)
    with ArchiveWriter(target) as writer:
        with reading(runtime, identity, wish, snapshot=True) as connection:
            organization = _organization(connection, identity)
            opened = sorted(opened_knowledge_bases(connection))
            if not wish:
                _check_whole(connection, identity, opened)
            bases = [_write_rows(connection, writer, base) for base in opened]
            for base in opened:
                note(connection, identity, "knowledge_base.export", base, base)
            documents = {base: rows.list_documents(connection, base) for base in opened}
        for base in bases:
            base.objects = _write_objects(runtime, identity, writer, base.id, documents[base.id])
        _check_unchanged(runtime, identity, documents)
        return writer.close(
            lambda digest: Manifest(
                kind="knowledge base" if wish else "organization",
                made_at=datetime.now(UTC),
                schema_version=load_migrations()[-1].name,
                tokenizer_version=tokenizer_version(),
                organization=organization,
                knowledge_bases=bases,
                members=writer.members,
                bytes=writer.bytes,
                members_sha256=digest,
            )
        )


def _check_whole(connection: Connection, identity: Identity, seen: list[UUID]) -> None:
    set_scope(connection, Scope(organization_id=identity.organization_id))
    open_organization(connection)
    if sorted(opened_knowledge_bases(connection)) != seen:
        raise Forbidden("This key sees some of the knowledge bases only. Sign in yourself, or export those one by one.")


def _organization(connection: Connection, identity: Identity) -> ArchivedOrganization:
    profile = get_profile(connection, identity.user_id)
    if profile is None:
        raise NotFound("You are no longer a member of this organization.")
    return ArchivedOrganization.model_validate(profile.organization.model_dump())


def _write_rows(connection: Connection, writer: ArchiveWriter, base: UUID) -> ArchivedBase:
    known = find_knowledge_base(connection, base)
    if (busy := rows.name_under_way(connection, base)) is not None:
        raise Conflict(f"{busy} in {known.slug} is being ingested. Export when it is ready.")
    tables = {
        table.name: ArchivedTable(
            columns=list(table.columns),
            rows=writer.add_lines(rows_path(base, table.name), rows.read_rows(connection, table, base)),
        )
        for table in rows.list_tables(connection)
    }
    return ArchivedBase(
        id=base,
        slug=known.slug,
        name=known.name,
        embedder_version=embedded_by(connection, base).serving,
        extractor_versions=rows.extractor_versions(connection, base),
        tables=tables,
        objects=0,
    )


def _write_objects(
    runtime: Runtime, identity: Identity, writer: ArchiveWriter, base: UUID, documents: Sequence[ArchivedDocument]
) -> int:
    """The documents' sources, opened copies and the files of the runs that are shown; returns how many objects."""
    listed = in_order(partial(_listed, runtime, identity, base), documents)
    number = 0
    for stored in in_order(partial(_fetched, runtime), chain.from_iterable(listed)):
        path = object_path(base, short_key(identity.organization_id, base, stored.key))
        if stored.data is not None:
            writer.add_file(path, BytesIO(stored.data), packed=not stored.key.endswith(_STORED))
        else:
            with _missing_named(stored.document):
                copy = runtime.blobs.local_copy(stored.key, stored.version)
            with copy.open("rb") as file:
                writer.add_file(path, file, packed=False)
        number += 1
    return number


def _listed(runtime: Runtime, identity: Identity, base: UUID, document: ArchivedDocument) -> list[_Stored]:
    with _missing_named(document):
        return [_Stored(document, key, version) for key, version in _keys(runtime, identity, base, document)]


def _fetched(runtime: Runtime, stored: _Stored) -> _Stored:
    """With its data, of a page. The source and its opened copy wait: they may be large, and there is room for few."""
    if stored.key in (stored.document.source_key, stored.document.opened_key):
        return stored
    with _missing_named(stored.document):
        return stored._replace(data=runtime.blobs.get(stored.key))


@contextmanager
def _missing_named(document: ArchivedDocument) -> Generator[None]:
    try:
        yield
    except NotFound as gone:
        raise Conflict(
            f"A stored file of {document.name} is missing ({gone}) Upload the same file again, or delete the document."
        ) from gone


def _keys(
    runtime: Runtime, identity: Identity, base: UUID, document: ArchivedDocument
) -> Iterator[tuple[str, str | None]]:
    if document.status != "refused" or runtime.blobs.exists(document.source_key):
        yield document.source_key, document.source_version
    if document.opened_key:
        yield document.opened_key, None
    work = work_prefix(*map(str, (identity.organization_id, base, document.id, document.ingestion_id)))
    for key in runtime.blobs.list(work):
        if not key.removeprefix(work).startswith(_LEFT_OUT):
            yield key, None


def _check_unchanged(runtime: Runtime, identity: Identity, before: dict[UUID, list[ArchivedDocument]]) -> None:
    for base, documents in before.items():
        with reading(runtime, identity, [base]) as connection:
            if rows.list_documents(connection, base) != documents:
                raise Conflict("Documents were changed while they were exported. Export again.")
