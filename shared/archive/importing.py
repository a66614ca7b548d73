"""Reads an archive back: all of it or nothing, with the same ids, as data of the importing organization.

What an archive says of organizations, of the knowledge bases that rows belong to and of where files lie is never used:
rows are written as the application role within the scope of the import, files below its prefixes. What search engines
compute from content is computed anew.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from json import JSONDecodeError, dumps, loads
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel, ValidationError

from shared.access import find_knowledge_base, require_admin
from shared.archive.container import ArchiveReader, unpacked
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
from shared.store.knowledge_bases import known_knowledge_bases

# Of the entry that an import of a job leaves in its own transaction, and what that keeps of each knowledge base.
FINISHED: Final = "import.finish"
_KEPT: Final = ("objects", "embedder", "to_embed")
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


def import_archive(
    runtime: Runtime,
    identity: Identity,
    path: Path,
    name: str | None = None,
    limits: ArchiveLimits = ArchiveLimits(),  # noqa: B008
    job: UUID | None = None,
) -> ImportedArchive:
    """Imports all knowledge bases of the archive in the file `path`; with `name` its only one is called that.

    `find_imported` knows it by its `job`. Raises Forbidden for anybody but owners and admins, BadInput naming what is
    wrong with the archive, Conflict where something in it is here already, Busy where it is being imported. After an
    error nothing of it is here.
    """
    require_admin(identity)
    with ArchiveReader(path, limits) as archive:
        bases = archive.manifest.knowledge_bases
        if name is not None and len(bases) != 1:
            raise BadInput(f"A name is for an archive of one knowledge base; this one has {len(bases)}.")
        _check_bases(archive)
        scope = identity.scope(*(base.id for base in bases))
        with runtime.database.transaction(scope) as connection:
            _claim(connection, identity, bases)
            try:
                found = [_Import(runtime, connection, identity, archive, base).run(name) for base in bases]
                for base in found:
                    note(connection, identity, "knowledge_base.import", base.id, base.id, slug=base.slug)
                if job is not None:
                    brought = [base.model_dump(mode="json", include={"id", *_KEPT}) for base in found]
                    note(connection, identity, FINISHED, job, knowledge_bases=brought)
                if archive.manifest.kind == "organization":
                    settings = archive.manifest.organization
                    identities.keep_traces(connection, settings.trace_days)
                    keep_audit(connection, settings.audit_days)
            except BaseException:
                # Before the lock is gone: another import of the same archive may wait for it.
                _remove_objects(runtime, identity, bases)
                raise
    return ImportedArchive(knowledge_bases=found)


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


def _claim(connection: Connection, identity: Identity, bases: Iterable[ArchivedBase]) -> None:
    """Raises Conflict for a knowledge base that is here already, Busy for one that another process is importing."""
    for base in bases:
        if not rows.lock_import(connection, base.id):
            raise Busy(f"{base.slug} is being imported already. Wait until that is done.")
    here = known_knowledge_bases(connection, [base.id for base in bases])
    for base in bases:
        if base.id in here:
            raise Conflict(f"{base.slug} ({base.id}) is here already: delete it first, to import it again.")


def _remove_objects(runtime: Runtime, identity: Identity, bases: Iterable[ArchivedBase]) -> None:
    for base in bases:
        for prefix in ARCHIVED_PREFIXES:
            runtime.blobs.delete_prefix(f"{prefix}{identity.organization_id}/{base.id}/")


class _Import:
    """The import of one knowledge base within the transaction of all."""

    def __init__(
        self, runtime: Runtime, connection: Connection, identity: Identity, archive: ArchiveReader, base: ArchivedBase
    ) -> None:
        self._runtime, self._connection, self._archive, self._base = runtime, connection, archive, base
        self._scope: Scope = identity.scope(base.id)
        self._dimensions = self._find_dimensions()

    def run(self, name: str | None) -> ImportedBase:
        set_scope(self._connection, self._scope)
        for table in self._tables():
            self._write(table, name)
        rows.check_rows(self._connection, self._base.id, self._base.embedder_version, self._dimensions or 0)
        if self._is_foreign():
            rows.embed_anew(self._connection, self._base.id, self._runtime.embedders.default)
        objects = self._put_objects()
        self._note_versions()
        index_unseen(self._connection, self._base.id, rows.served_documents(self._connection, self._base.id))
        known = find_knowledge_base(self._connection, self._base.id)
        return ImportedBase(
            **known.model_dump(), objects=objects, embedder=self._embedder(), to_embed=self._is_foreign()
        )

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

    def _write(self, table: Table, name: str | None) -> None:
        path = rows_path(self._base.id, table.name)
        lines = self._archive.lines(path, self._base.tables[table.name].rows)
        if table.name == BASES:
            lines = iter([self._own_row(list(lines), name)])
        elif table.keys:
            lines = _with_own_keys(path, table, lines)
        elif table.name == "chunk_vectors" and self._dimensions is None:
            for _ in lines:  # read all the same: its hash is checked
                pass
            return
        rows.write_rows(self._connection, self._scope, self._base.id, table, lines)

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

    def _put_objects(self) -> int:
        own = [
            (path, full_key(self._scope.organization_id, self._base.id, place.key))
            for path in self._archive.members
            if (place := place_of(path)) is not None and place.base == self._base.id and place.key is not None
        ]
        number = sum(1 for _ in in_order(self._put_object, own))
        if number != self._base.objects:
            raise BadInput(
                f"The manifest says {self._base.objects} files of {self._base.slug}, and there are {number}."
            )
        return number

    def _put_object(self, member: tuple[str, str]) -> None:
        path, key = member
        with unpacked(self._archive, path, self._runtime.blobs.spool()) as file:
            self._runtime.blobs.put_file(key, file)

    def _note_versions(self) -> None:
        """In a store with versions, the one that was just written is the source."""
        documents = rows.list_documents(self._connection, self._base.id)
        versions = in_order(self._find_version, (document.source_key for document in documents))
        for document, version in zip(documents, versions, strict=True):
            if version is not None:
                rows.set_source_version(self._connection, document.id, version)

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
