"""Finds and deletes orphaned objects, which no row refers to: left by a process that was killed before it could tidy
up."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import groupby, product
from typing import Final

from pydantic import BaseModel

from shared.contract import STORED_PREFIXES, WORK_PREFIX, work_prefix
from shared.domain.scope import Scope
from shared.ports import StoredObject
from shared.runtime import Runtime
from shared.store import storage
from shared.store.erasure import let_see_erased

# Younger objects may be about to get a row, or belong to a stage that is about to delete them itself.
GRACE: Final = timedelta(days=1)

# Owner: organization and knowledge base of a key. Owners: those that exist, with the scope that sees their rows.
Owner = tuple[str, str]
Owners = Mapping[Owner, Scope]


class Orphan(BaseModel):
    """Objects under one prefix (of an upload, or of a document's run), or a single object, that no row refers to."""

    prefix: str
    objects: int
    bytes: int
    changed_at: datetime


class Missing(BaseModel):
    """A served document of which objects are not there; `first` is one of their keys."""

    document_id: str
    name: str
    objects: int
    first: str


class StorageReport(BaseModel):
    """How much is in the store, which of it no row refers to, and which of it rows miss (looked for on demand)."""

    objects: int
    bytes: int
    orphans: list[Orphan]
    removed: int
    complete: bool = True
    missing: list[Missing] = []


def owners_of(organizations: Iterable[Scope]) -> Owners:
    """Every knowledge base of `organizations`, with a scope of that knowledge base alone."""
    return {
        (str(scope.organization_id), str(base)): scope.model_copy(update={"knowledge_base_ids": (base,)})
        for scope in organizations
        for base in scope.knowledge_base_ids
    }


def sweep(
    runtime: Runtime,
    owners: Owners,
    *,
    remove: bool,
    grace: timedelta = GRACE,
    within: Collection[str] | None = None,
    first: Owner | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> StorageReport:
    """Checks every object; with `remove`, deletes those that no row refers to and that have not changed for `grace`.

    Objects are listed before their rows are read, and rows are committed before their objects are stored: an object
    without a row was deleted, and ids are never used again. Nothing is deleted of organizations that are not in
    `within`. `stop` ends the sweep between two knowledge bases; it begins with `first`.
    """
    report = StorageReport(objects=0, bytes=0, orphans=[], removed=0)
    for area, owner, units in _by_owner(runtime, first):
        report.objects += sum(unit.objects for unit in units)
        report.bytes += sum(unit.bytes for unit in units)
        unknown = _unknown(runtime, owners.get(owner), area, units, datetime.now(UTC) - grace)
        report.orphans += unknown
        if remove and (within is None or owner[0] in within):
            report.removed += sum(_remove(runtime, orphan) for orphan in unknown)
        if stop():
            report.complete = False
            break
    return report


def find_missing(runtime: Runtime, owners: Owners) -> list[Missing]:
    """Served documents without all of their objects: after a database was restored to another time than its store."""
    found: list[Missing] = []
    for (organization, base), scope in owners.items():
        with runtime.database.transaction(scope) as connection:
            documents = storage.needed(connection)
        # Listed after the rows were read: what is stored for a row is stored before the row is served.
        there = {key for area in STORED_PREFIXES for key in runtime.blobs.list(f"{area}{organization}/{base}/")}
        for row in documents:
            work = work_prefix(organization, base, str(row["document_id"]), str(row["ingestion_id"]))
            keys = [row["source_key"], row["opened_key"], *(f"{work}pages/{page}.json" for page in row["pages"])]
            lost = [key for key in keys if key and key not in there]
            if lost:
                one = Missing(document_id=str(row["document_id"]), name=row["name"], objects=len(lost), first=lost[0])
                found.append(one)
    return found


def _by_owner(runtime: Runtime, first: Owner | None) -> Iterator[tuple[str, Owner, list[Orphan]]]:
    """Yields (area, owner, its orphan candidates), one knowledge base at a time: `first` and all after it, then those
    before it."""
    turns = (True,) if first is None else (True, False)
    for behind, area in product(turns, STORED_PREFIXES):
        for owner, found in groupby(runtime.blobs.entries(area), key=_owner):
            if (first is None or owner >= first) == behind:
                yield area, owner, list(_units(area, found))


def _unknown(
    runtime: Runtime, scope: Scope | None, area: str, units: Iterable[Orphan], before: datetime
) -> list[Orphan]:
    known = _known(runtime, scope, area) if scope else set[str]()
    return [unit for unit in units if unit.prefix not in known and unit.changed_at < before]


def _known(runtime: Runtime, scope: Scope, area: str) -> set[str]:
    """The prefixes and keys below `area` that rows of the one knowledge base in scope refer to."""
    base = f"{area}{scope.organization_id}/{scope.knowledge_base_ids[0]}/"
    with runtime.database.transaction(scope) as connection:
        let_see_erased(connection)  # of what is being imported the rows are there, and of what is deleted both go
        keys = storage.keys(connection)
        if area == WORK_PREFIX:
            return {*keys, *(f"{base}{document}/{run}/" for document, run in storage.runs(connection))}
        uploads = storage.wanted_uploads(connection)
    return {*keys, *(_folder(key) for key in keys), *(f"{base}{upload}/" for upload in uploads)}


def _units(area: str, found: Iterable[StoredObject]) -> Iterator[Orphan]:
    """One item per prefix that is orphaned or not as a whole, and per object without such a prefix."""
    for prefix, objects in groupby(found, key=lambda one: _unit(area, one)):
        inside = list(objects)
        yield Orphan(
            prefix=prefix,
            objects=len(inside),
            bytes=sum(one.size for one in inside),
            changed_at=max(one.changed_at for one in inside),
        )


def _unit(area: str, found: StoredObject) -> str:
    """`work/{org}/{kb}/{document}/{run}/` or `incoming/{org}/{kb}/{upload}/`; the key itself for other objects and
    incomplete writes."""
    parts = found.key.split("/")
    depth = 5 if area == WORK_PREFIX else 4
    return found.key if len(parts) <= depth or found.partial else "/".join(parts[:depth]) + "/"


def _owner(found: StoredObject) -> Owner:
    """Organization and knowledge base from the key."""
    _, organization, base, *_ = (*found.key.split("/"), "", "")
    return organization, base


def _remove(runtime: Runtime, orphan: Orphan) -> int:
    if orphan.prefix.endswith("/"):
        return runtime.blobs.delete_prefix(orphan.prefix)
    runtime.blobs.delete(orphan.prefix)
    return 1


def _folder(key: str) -> str:
    return key.rpartition("/")[0] + "/"
