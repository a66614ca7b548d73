"""Reads an archive back: all of it or nothing, with the same ids, as data of the importing organization.

One machine reads it in one transaction; a job (`import_jobs`) in as many slices as it takes, behind closed doors.

What an archive says of organizations, of the knowledge bases that rows belong to and of where files lie is never used:
rows are written as the application role within the scope of the import, files below its prefixes. What search engines
compute from content is computed anew.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from json import JSONDecodeError, dumps, loads
from pathlib import Path
from typing import Any, Final, Literal
from uuid import UUID

from pydantic import BaseModel, ValidationError

from shared.access import find_knowledge_base, require_admin
from shared.archive.certificate import Subject
from shared.archive.container import ArchiveReader, unpacked
from shared.archive.erasing import ErasureRequest, who_asks
from shared.archive.manifest import ArchivedBase, ArchiveLimits, full_key, is_key, place_of, rows_path
from shared.archive.transfers import in_order
from shared.contract import ARCHIVED_PREFIXES
from shared.domain.knowledge import KnowledgeBase
from shared.domain.scope import Identity, Scope
from shared.errors import BadInput, Busy, Conflict, NotFound
from shared.lexical.index import index_unseen
from shared.library.knowledge_bases import NewKnowledgeBase, slug_of
from shared.runtime import Runtime
from shared.store import archive as rows
from shared.store import identities
from shared.store.archive import BASES, Table
from shared.store.audit import keep_audit, list_entries, note
from shared.store.connect import Connection, set_scope
from shared.store.erasure import let_see_erased, open_bases, shut_base
from shared.store.knowledge_bases import known_knowledge_bases

# Of the entry that an import of a job leaves in its own transaction, and what that keeps of each knowledge base.
FINISHED: Final = "import.finish"
_KEPT: Final = ("objects", "embedder", "to_embed")
# Of one piece of work: what is done again where a run is killed.
FILES_AT_ONCE, DOCUMENTS_AT_ONCE = 64, 50
# More than an organization has within the days of a job.
MAX_JOBS: Final = 1000


class ImportedBase(KnowledgeBase):
    """A knowledge base that is here now. `embedder`: by which it is searched by meaning; where `to_embed`, vectors are
    being made of it first, because the archive's embedder is not available here."""

    objects: int
    embedder: str | None
    to_embed: bool


class ImportedArchive(BaseModel):
    """What an archive brought."""

    knowledge_bases: list[ImportedBase]


class ImportState(BaseModel):
    """Where an import goes on: in the knowledge base with number `base` of the archive, whose step is under way.

    Of the table with number `table` so many pieces with so many rows are here; of files, and of documents whose
    versions are noted or whose words are indexed, `place`. `begun` would delete what is here.
    """

    members_sha256: str
    base: int = 0
    step: Literal["rows", "files", "versions", "words"] = "rows"
    table: int = 0
    piece: int = 0
    rows: int = 0
    place: int = 0
    begun: list[ErasureRequest] = []
    found: list[ImportedBase] = []
    bytes: int = 0
    bytes_done: int = 0
    documents: int = 0
    documents_done: int = 0

    @property
    def progress(self) -> float:
        """0 to 1: the mean of the shares of bytes and of documents that are indexed; never whole before the end."""
        shares = [(self.bytes_done, self.bytes), (self.documents_done, self.documents)]
        done = sum(min(part / known, 1.0) if known else 1.0 for part, known in shares) / len(shares)
        return round(min(done, 0.99), 3)


GoOn = Callable[[], bool]


def import_archive(
    runtime: Runtime,
    identity: Identity,
    path: Path,
    name: str | None = None,
    limits: ArchiveLimits = ArchiveLimits(),  # noqa: B008
) -> ImportedArchive:
    """Imports all knowledge bases of the archive in the file `path`; with `name` its only one is called that.

    In one slice, which is one transaction. Raises Forbidden for anybody but owners and admins, BadInput naming what is
    wrong with the archive, Conflict where something in it is here already, Busy where it is being imported. After an
    error nothing of it is here.
    """
    require_admin(identity)
    with ArchiveReader(path, limits) as archive:
        scope = identity.scope(*(base.id for base in archive.manifest.knowledge_bases))
        with runtime.database.transaction(scope) as connection:
            state = begin_import(connection, archive, name)
            try:
                import_slice(runtime, connection, identity, archive, state, name, lambda: True)
                finish_import(runtime, connection, identity, archive, state)
            except BaseException:
                # Before the lock is gone: another import of the same archive may wait for it.
                _remove_objects(runtime, identity, archive.manifest.knowledge_bases)
                raise
    return ImportedArchive(knowledge_bases=state.found)


def begin_import(connection: Connection, archive: ArchiveReader, name: str | None) -> ImportState:
    """Raises BadInput and Conflict as `import_archive` does, and Busy where another transaction begins as well."""
    bases = archive.manifest.knowledge_bases
    if name is not None and len(bases) != 1:
        raise BadInput(f"A name is for an archive of one knowledge base; this one has {len(bases)}.")
    _check_bases(archive)
    _claim(connection, bases)
    documents = sum(base.tables["documents"].rows for base in bases if "documents" in base.tables)
    own = archive.manifest
    return ImportState(members_sha256=own.members_sha256, bytes=own.bytes, documents=documents)


def import_slice(
    runtime: Runtime,
    connection: Connection,
    identity: Identity,
    archive: ArchiveReader,
    state: ImportState,
    name: str | None,
    go_on: GoOn,
    *,
    shut: bool = False,
) -> bool:
    """Imports until `go_on`, asked behind each piece of work, says no; returns whether everything is here.

    With `shut` others see no knowledge base before `finish_import`, whatever is committed until then; the slice ends
    where one has begun, so that nothing of it is stored before that is known.
    """
    if archive.manifest.members_sha256 != state.members_sha256:
        raise BadInput("The archive is another one than that which the import began with. Send it again.")
    let_see_erased(connection)
    while state.base < len(archive.manifest.knowledge_bases):
        if not _Import(runtime, connection, identity, archive, state, shut=shut).run(name, go_on):
            return False
        state.base, state.step = state.base + 1, "rows"
    return True


def finish_import(
    runtime: Runtime,
    connection: Connection,
    identity: Identity,
    archive: ArchiveReader,
    state: ImportState,
    job: UUID | None = None,
) -> None:
    """Lets everybody see what is here, and notes it; `find_imported` knows it by its `job`."""
    open_bases(connection, [base.id for base in state.found])
    for base in state.found:
        if base.to_embed:
            rows.embed_anew(connection, base.id, runtime.embedders.default)
        note(connection, identity, "knowledge_base.import", base.id, base.id, slug=base.slug)
    if job is not None:
        brought = [base.model_dump(mode="json", include={"id", *_KEPT}) for base in state.found]
        note(connection, identity, FINISHED, job, knowledge_bases=brought)
    if archive.manifest.kind == "organization":
        settings = archive.manifest.organization
        identities.keep_traces(connection, settings.trace_days)
        keep_audit(connection, settings.audit_days)


def find_imported(connection: Connection, job: UUID, since: datetime) -> list[ImportedBase] | None:
    """What the job's import brought, where it was committed after `since`; None where it was not."""
    entries = list_entries(connection, None, MAX_JOBS, act=FINISHED, since=since)
    brought = next((one.details["knowledge_bases"] for one in entries if one.subject_id == str(job)), None)
    if brought is None:
        return None
    kept = {UUID(one.pop("id")): one for one in brought}
    here = known_knowledge_bases(connection, list(kept))
    return [ImportedBase(**find_knowledge_base(connection, base).model_dump(), **kept[base]) for base in here]


def _check_bases(archive: ArchiveReader) -> None:
    """What the manifest and the list of members say of knowledge bases fits together."""
    bases = {base.id: base for base in archive.manifest.knowledge_bases}
    if not bases or len(bases) != len(archive.manifest.knowledge_bases):
        raise BadInput("The archive holds no knowledge base, or one of them twice.")
    for path in archive.members:
        place = place_of(path)
        if place is None or place.base not in bases:
            raise BadInput(f"The archive holds {path}, of a knowledge base that its manifest does not name.")
        if place.table is not None and place.table not in bases[place.base].tables:
            raise BadInput(f"The archive holds {path}, of a table that its manifest does not name.")


def _claim(connection: Connection, bases: Sequence[ArchivedBase]) -> None:
    """Raises Conflict for a knowledge base that is here already, Busy for one that another process is importing."""
    for base in bases:
        if not rows.lock_import(connection, base.id):
            raise Busy(f"{base.slug} is being imported already. Wait until that is done.")
    ids = [base.id for base in bases]
    here = known_knowledge_bases(connection, ids)
    let_see_erased(connection)
    shut = known_knowledge_bases(connection, ids) - here
    for base in bases:
        if base.id in here:
            raise Conflict(f"{base.slug} ({base.id}) is here already: delete it first, to import it again.")
        if base.id in shut:
            raise Conflict(f"{base.slug} ({base.id}) is being imported or deleted. Try again when that is done.")


def _remove_objects(runtime: Runtime, identity: Identity, bases: Iterable[ArchivedBase]) -> None:
    for base in bases:
        for prefix in ARCHIVED_PREFIXES:
            runtime.blobs.delete_prefix(f"{prefix}{identity.organization_id}/{base.id}/")


class _Import:
    """The import of one knowledge base, in a transaction of some or all of it."""

    def __init__(
        self,
        runtime: Runtime,
        connection: Connection,
        identity: Identity,
        archive: ArchiveReader,
        state: ImportState,
        *,
        shut: bool,
    ) -> None:
        self._runtime, self._connection, self._archive = runtime, connection, archive
        self._identity, self._state, self._shut = identity, state, shut
        self._base = archive.manifest.knowledge_bases[state.base]
        self._scope: Scope = identity.scope(self._base.id)
        self._dimensions = self._find_dimensions()

    def run(self, name: str | None, go_on: GoOn) -> bool:
        """Returns whether all of it is here."""
        set_scope(self._connection, self._scope)
        state = self._state
        if state.step == "rows":
            if not self._write_rows(name, go_on):
                return False
            rows.check_rows(self._connection, self._base.id, self._base.embedder_version, self._dimensions or 0)
            state.step, state.table, state.place = "files", 0, 0
        if state.step == "files":
            if not self._put_objects(go_on):
                return False
            state.step, state.place = "versions", 0
        if state.step == "versions":
            if not self._note_versions(go_on):
                return False
            state.step, state.place = "words", 0
        if not self._index_words(go_on):
            return False
        known = find_knowledge_base(self._connection, self._base.id)
        found = {"objects": self._base.objects, "embedder": self._embedder(), "to_embed": self._is_foreign()}
        state.found.append(ImportedBase(**known.model_dump(), **found))
        state.place = 0
        return True

    def _find_dimensions(self) -> int | None:
        """Of the vectors; None where their embedder is not available here."""
        if self._base.embedder_version is None:
            return None
        try:
            return self._runtime.embedders.get(self._base.embedder_version).dimensions
        except BadInput:
            return None

    def _is_foreign(self) -> bool:
        return self._base.embedder_version is not None and self._dimensions is None

    def _embedder(self) -> str | None:
        return self._runtime.embedders.default if self._is_foreign() else self._base.embedder_version

    def _tables(self) -> list[Table]:
        """This database's tables; raises BadInput where the archive has others, or others of their columns."""
        tables = rows.list_tables(self._connection)
        here = {table.name: set(table.columns) for table in tables}
        there = {name: set(table.columns) for name, table in self._base.tables.items()}
        if different := sorted(name for name in here | there if here.get(name) != there.get(name)):
            version = self._archive.manifest.schema_version
            raise BadInput(
                f"The archive's {different[0]} is not this program's: it was written by another version ({version})."
                " Bring both deployments to the same version, and export again."
            )
        return tables

    def _write_rows(self, name: str | None, go_on: GoOn) -> bool:
        state, tables = self._state, self._tables()
        while state.table < len(tables):
            table = tables[state.table]
            pieces = self._archive.pieces(self._base.id, table.name)
            while state.piece < len(pieces):
                self._write(table, pieces[state.piece], name)
                state.piece += 1
                if not go_on():
                    return False
                if table.name == BASES and self._shut:
                    return False
            self._check_number(table)
            state.table, state.piece, state.rows = state.table + 1, 0, 0
        return True

    def _check_number(self, table: Table) -> None:
        number, said = self._state.rows, self._base.tables[table.name].rows
        if number != said:
            path = rows_path(self._base.id, table.name)
            raise BadInput(f"{path} has {number} whole rows, and the manifest says {said}.")

    def _write(self, table: Table, path: str, name: str | None) -> None:
        left = self._base.tables[table.name].rows - self._state.rows
        lines = self._counted(self._archive.lines(path, left))
        self._state.bytes_done += self._archive.members[path].bytes
        if table.name == BASES:
            lines = iter([self._own_row(list(lines), name)])
        elif table.keys:
            lines = _with_own_keys(path, table, lines)
        elif table.name == "chunk_vectors" and self._dimensions is None:
            for _ in lines:  # read all the same: its hash is checked
                pass
            return
        rows.write_rows(self._connection, self._scope, self._base.id, table, lines)
        if table.name == BASES:
            self._begin()

    def _begin(self) -> None:
        if self._shut:
            shut_base(self._connection, self._base.id)
        subject = Subject(id=self._base.id, slug=self._base.slug, name=self._base.name)
        self._state.begun.append(who_asks(self._connection, self._identity, subject))

    def _counted(self, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            self._state.rows += 1
            yield line

    def _own_row(self, lines: list[str], name: str | None) -> str:
        """The knowledge base's own row, under its new name if it gets one."""
        row = _parsed(BASES, lines[0]) if len(lines) == 1 else {}
        if row.get("id") != str(self._base.id):
            raise BadInput("The archive's row of a knowledge base is not that of the one in its manifest.")
        row |= {"slug": slug_of(name), "name": name} if name is not None else {"slug": self._base.slug}
        row |= {"embedder_version": self._embedder()}
        if rows.is_slug_taken(self._connection, row["slug"]):
            raise Conflict(
                f"A knowledge base `{row['slug']}` exists already. Import this one under another name (--as)."
            )
        try:
            NewKnowledgeBase.model_validate({"name": row.get("name"), "description": row.get("description")})
        except ValidationError as error:
            raise BadInput(
                f"The archive's knowledge base cannot be called that: {error.errors()[0]['msg']}."
            ) from error
        return dumps(row)

    def _put_objects(self, go_on: GoOn) -> bool:
        state = self._state
        organization = self._scope.organization_id
        own = [
            (path, full_key(organization, self._base.id, place.key))
            for path in self._archive.members
            if (place := place_of(path)) is not None and place.base == self._base.id and place.key is not None
        ]
        if len(own) != self._base.objects:
            raise BadInput(
                f"The manifest says {self._base.objects} files of {self._base.slug}, and there are {len(own)}."
            )
        while some := own[state.place : state.place + FILES_AT_ONCE]:
            state.place += sum(1 for _ in in_order(self._put_object, some))
            state.bytes_done += sum(self._archive.members[path].bytes for path, _ in some)
            if not go_on():
                return False
        return True

    def _put_object(self, member: tuple[str, str]) -> None:
        path, key = member
        with unpacked(self._archive, path, self._runtime.blobs.spool()) as file:
            self._runtime.blobs.put_file(key, file)

    def _note_versions(self, go_on: GoOn) -> bool:
        """In a store with versions, the one that was just written is the source."""
        documents = rows.list_documents(self._connection, self._base.id)
        while some := documents[self._state.place : self._state.place + DOCUMENTS_AT_ONCE]:
            versions = in_order(self._find_version, (document.source_key for document in some))
            for document, version in zip(some, versions, strict=True):
                if version is not None:
                    rows.set_source_version(self._connection, document.id, version)
            self._state.place += len(some)
            if not go_on():
                return False
        return True

    def _index_words(self, go_on: GoOn) -> bool:
        documents = rows.served_documents(self._connection, self._base.id)
        while some := documents[self._state.place : self._state.place + DOCUMENTS_AT_ONCE]:
            index_unseen(self._connection, self._base.id, some)
            self._state.place += len(some)
            self._state.documents_done += len(some)
            if not go_on():
                return False
        return True

    def _find_version(self, key: str) -> str | None:
        """None where there is none: of a refused file the source may be gone."""
        try:
            return self._runtime.blobs.latest_version(key)
        except NotFound:
            return None


def _with_own_keys(path: str, table: Table, lines: Iterable[str]) -> Iterator[str]:
    """The rows; raises BadInput for one whose keys are none that export writes."""
    for line in lines:
        row = _parsed(path, line)
        for column in table.keys:
            if row.get(column) is not None and not is_key(row[column]):
                raise BadInput(f"A row of {path} has a {column} that no export writes: {row[column]!r}.")
        yield line


def _parsed(path: str, line: str) -> dict[str, Any]:
    try:
        row = loads(line)
    except (JSONDecodeError, RecursionError) as error:
        raise BadInput(f"A row of {path} is not JSON.") from error
    if not isinstance(row, dict):
        raise BadInput(f"A row of {path} is not an object.")
    return row
