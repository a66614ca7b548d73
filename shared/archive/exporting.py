"""Writes knowledge bases, or the whole organization, into an archive.

Rows are read in one snapshot, files afterwards; what changed meanwhile makes the export fail rather than a file whose
parts do not belong together. It goes on behind any member, where it did not end: one machine does all in one slice, a
job (`jobs`) as many as it takes; the file is the same.
"""

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from itertools import groupby
from json import loads
from pathlib import Path
from typing import Literal, NamedTuple
from uuid import UUID

from pydantic import BaseModel

from shared.access import find_knowledge_base, reading, require_admin
from shared.archive.container import ArchiveWriter, WrittenMember, archive_file
from shared.archive.manifest import (
    FORMAT_VERSION,
    PIECES_VERSION,
    ArchivedBase,
    ArchivedOrganization,
    ArchivedTable,
    ArchiveKind,
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
from shared.store.archive import ArchivedDocument, Table
from shared.store.audit import note
from shared.store.connect import Connection, set_scope
from shared.store.identities import get_profile
from shared.store.knowledge_bases import open_organization, opened_knowledge_bases
from shared.store.migrate import load_migrations
from shared.vectors.embedders import embedded_by

# Of rows in one member: what a slice writes or reads again where it was stopped.
PIECE_BYTES = 32 * 1024 * 1024
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


class ExportState(BaseModel):
    """Where an export goes on: what its archive has so far (`at` is its bytes) and which row or file comes next.

    Rows of the table with number `table` of the knowledge base with number `base` are written in `piece` members; or
    of its document with number `document` so many files. `seen` are the rows as the first slice saw them.
    """

    kind: ArchiveKind
    organization: ArchivedOrganization
    bases: list[ArchivedBase]
    made_at: datetime
    phase: Literal["rows", "files", "end", "whole"] = "rows"
    base: int = 0
    table: int = 0
    piece: int = 0
    document: int = 0
    file: int = 0
    at: int = 0
    members: int = 0
    bytes: int = 0
    seen: dict[str, tuple[int, int]] = {}
    documents_seen: str = ""
    documents: int = 0
    documents_done: int = 0
    members_sha256: str = ""
    has_pieces: bool = False

    @property
    def progress(self) -> float:
        """0 to 1: the mean of the shares of rows and of documents; never whole, as the archive is."""
        rows_there = sum(number for number, _ in self.seen.values())
        rows_done = sum(table.rows for base in self.bases for table in base.tables.values())
        shares = [(rows_done, rows_there), (self.documents_done, self.documents)]
        done = sum(min(part / known, 1.0) if known else float(bool(self.seen)) for part, known in shares) / len(shares)
        return round(min(done, 0.99), 3)


GoOn = Callable[[], bool]
Documents = dict[UUID, list[ArchivedDocument]]


def _export(runtime: Runtime, identity: Identity, wish: Sequence[UUID], target: Path) -> Manifest:
    """In one slice."""
    require_admin(identity)
    with archive_file(target) as (writer, members):
        with reading(runtime, identity, wish, snapshot=True) as connection:
            state = begin_export(connection, identity, wish)
            write_rows(connection, state, writer, lambda: True)
            documents = documents_of(connection, state)
        write_files(runtime, identity, state, documents, writer, lambda: True)
        with reading(runtime, identity, wish) as connection:
            documents_of(connection, state)
        return end_export(state, writer, members)


def begin_export(connection: Connection, identity: Identity, wish: Sequence[UUID]) -> ExportState:
    """Raises Forbidden, NotFound and Conflict as `export_knowledge_base` does."""
    require_admin(identity)
    organization = _organization(connection, identity)
    opened = sorted(opened_knowledge_bases(connection))
    if not wish:
        _check_whole(connection, identity, opened)
    bases = [_describe(connection, base) for base in opened]
    for base in opened:
        note(connection, identity, "knowledge_base.export", base, base)
    kind: ArchiveKind = "knowledge base" if wish else "organization"
    return ExportState(kind=kind, organization=organization, bases=bases, made_at=datetime.now(UTC))


def write_rows(connection: Connection, state: ExportState, writer: ArchiveWriter, go_on: GoOn) -> bool:
    """Writes rows until all are written, or `go_on`, asked behind each member, says no; returns whether all are.

    `connection` sees one state all the time. Raises Conflict where it is another one than the slice before has seen.
    """
    tables = rows.list_tables(connection)
    _check_seen(connection, state, tables)
    while state.base < len(state.bases):
        while state.table < len(tables):
            if not _write_table(connection, state, tables[state.table], writer, go_on):
                return False
            state.table, state.piece = state.table + 1, 0
        state.base, state.table = state.base + 1, 0
    return True


def documents_of(connection: Connection, state: ExportState) -> Documents:
    """The documents whose files are written. Raises Conflict where they are not those that were seen before."""
    found = {base.id: rows.list_documents(connection, base.id) for base in state.bases}
    seen = hashlib.sha256(repr(found).encode()).hexdigest()
    if state.documents_seen not in ("", seen):
        raise Conflict("Documents were changed while they were exported. Export again.")
    state.documents_seen, state.documents = seen, sum(map(len, found.values()))
    return found


def write_files(
    runtime: Runtime,
    identity: Identity,
    state: ExportState,
    documents: Documents,
    writer: ArchiveWriter,
    go_on: GoOn,
) -> bool:
    """Writes the documents' sources, opened copies and the files of the runs that are shown, as `write_rows` does."""
    if state.phase == "rows":
        state.phase, state.base = "files", 0
    while state.base < len(state.bases):
        base = state.bases[state.base]
        with closing(_files(runtime, identity, base.id, documents[base.id], state)) as files:
            for place, stored in files:
                path = object_path(base.id, short_key(identity.organization_id, base.id, stored.key))
                _write_file(runtime, writer, path, stored)
                base.objects += 1
                state.documents_done += place[0] - state.document
                state.document, state.file = place
                if not go_on():
                    return False
        state.documents_done += len(documents[base.id]) - state.document
        state.base, state.document, state.file = state.base + 1, 0, 0
    return True


def end_export(state: ExportState, writer: ArchiveWriter, members: Callable[[], Iterable[WrittenMember]]) -> Manifest:
    """Writes what the archive says of itself."""
    return writer.close(
        members,
        lambda digest: Manifest(
            version=PIECES_VERSION if state.has_pieces else FORMAT_VERSION,
            kind=state.kind,
            made_at=state.made_at,
            schema_version=load_migrations()[-1].name,
            tokenizer_version=tokenizer_version(),
            organization=state.organization,
            knowledge_bases=state.bases,
            members=writer.members,
            bytes=writer.bytes,
            members_sha256=digest,
        ),
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


def _describe(connection: Connection, base: UUID) -> ArchivedBase:
    known = find_knowledge_base(connection, base)
    if (busy := rows.name_under_way(connection, base)) is not None:
        raise Conflict(f"{busy} in {known.slug} is being ingested. Export when it is ready.")
    return ArchivedBase(
        id=base,
        slug=known.slug,
        name=known.name,
        embedder_version=embedded_by(connection, base).serving,
        extractor_versions=rows.extractor_versions(connection, base),
        tables={},
        objects=0,
    )


def _check_seen(connection: Connection, state: ExportState, tables: Sequence[Table]) -> None:
    seen = {
        f"{base.id}/{table.name}": rows.look_at_rows(connection, table, base.id)
        for base in state.bases
        for table in tables
    }
    if state.seen and (changed := sorted(name for name in seen if state.seen.get(name) != seen[name])):
        table = changed[0].partition("/")[2]
        raise Conflict(
            f"Rows of {table} were changed while they were exported. Export again when nothing is ingested or edited."
        )
    state.seen = seen


def _write_table(connection: Connection, state: ExportState, table: Table, writer: ArchiveWriter, go_on: GoOn) -> bool:
    base = state.bases[state.base]
    written = base.tables.setdefault(table.name, ArchivedTable(columns=list(table.columns), rows=0))
    with closing(rows.read_rows(connection, table, base.id, written.rows)) as lines:
        for _, piece in groupby(lines, _Cuts(PIECE_BYTES, documents=table.refers_to_itself)):
            state.piece += 1
            state.has_pieces = state.has_pieces or state.piece > 1
            written.rows += writer.add_lines(rows_path(base.id, table.name, state.piece), piece)
            if not go_on():
                return False
    if state.piece == 0:
        state.piece = 1
        writer.add_lines(rows_path(base.id, table.name), ())
        return go_on()
    return True


class _Cuts:
    """Gives each row the number of the piece that it belongs to: of so many characters, or a row more. With
    `documents` the rows of a document stay together, as they refer to each other."""

    def __init__(self, limit: int, *, documents: bool) -> None:
        self._limit, self._documents = limit, documents
        self._piece, self._size, self._last = 0, 0, ""

    def __call__(self, line: str) -> int:
        document = str(loads(line)["document_id"]) if self._documents else ""
        if self._size >= self._limit and (not self._documents or document != self._last):
            self._piece, self._size = self._piece + 1, 0
        self._size, self._last = self._size + len(line), document
        return self._piece


def _files(
    runtime: Runtime, identity: Identity, base: UUID, documents: Sequence[ArchivedDocument], state: ExportState
) -> Generator[tuple[tuple[int, int], _Stored]]:
    """What is still to be written, fetched; with each, how many documents are written then, and files of the next."""
    first, skip = state.document, state.file

    def left() -> Iterator[tuple[tuple[int, int], _Stored]]:
        listed = in_order(partial(_listed, runtime, identity, base), documents[first:])
        for number, found in enumerate(listed, start=first):
            for place, stored in enumerate(found, start=1):
                if number > first or place > skip:
                    yield (number, place), stored

    yield from in_order(lambda one: (one[0], _fetched(runtime, one[1])), left())


def _write_file(runtime: Runtime, writer: ArchiveWriter, path: str, stored: _Stored) -> None:
    if stored.data is not None:
        writer.add_file(path, BytesIO(stored.data), packed=not stored.key.endswith(_STORED))
        return
    with _missing_named(stored.document):
        copy = runtime.blobs.local_copy(stored.key, stored.version)
    with copy.open("rb") as file:
        writer.add_file(path, file, packed=False)


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
