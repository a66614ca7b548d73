"""Sources, and what a program sends of one: what is new, changed, moved or gone, and what is done about each."""

from collections.abc import Mapping
from uuid import UUID

from shared.access import changing, check_knowledge_base, find_place, reading
from shared.domain.scope import Identity
from shared.domain.sources import (
    ContentSource,
    KnownFile,
    ListedFile,
    NewSource,
    Planner,
    SourceItem,
    SourceLook,
    SyncPlan,
)
from shared.errors import AutriError, BadInput, NotFound
from shared.library.documents import delete_document
from shared.library.versions import follow_path
from shared.runtime import Runtime, no_fetching
from shared.store import library, sources, versions
from shared.store.audit import note
from shared.store.connect import Connection
from shared.values.file_paths import clean_path

ALL = 1_000_000


def put_source(runtime: Runtime, identity: Identity, wanted: NewSource) -> ContentSource:
    """The source of that kind and name, made where there was none. Raises NotFound for an unknown knowledge base."""
    with changing(runtime, identity, [wanted.knowledge_base_id]) as connection:
        found, made = sources.put_source(connection, identity, wanted.knowledge_base_id, wanted.kind, wanted.name)
        if made:
            note(connection, identity, "source.add", found.id, found.knowledge_base_id, kind=found.kind)
        return found


def get_source(runtime: Runtime, identity: Identity, source_id: UUID) -> ContentSource:
    """Raises NotFound."""
    with reading(runtime, identity) as connection:
        return find_source(connection, source_id)


def list_sources(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, after: UUID | None, limit: int
) -> list[ContentSource]:
    """Oldest first, from behind `after`. Raises NotFound for an unknown knowledge base."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        return sources.list_sources(connection, knowledge_base_id, after, limit)


def list_items(runtime: Runtime, identity: Identity, source_id: UUID, after: str, limit: int) -> list[SourceItem]:
    """The files of a source by path, from behind `after`. Raises NotFound."""
    with reading(runtime, identity) as connection:
        find_source(connection, source_id)
        return sources.list_items(connection, source_id, after, limit)


def remove_source(runtime: Runtime, identity: Identity, source_id: UUID) -> ContentSource:
    """Forgets where files came from; their documents stay. Raises NotFound."""
    with changing(runtime, identity) as connection:
        found = find_source(connection, source_id)
        sources.remove_source(connection, source_id)
        note(connection, identity, "source.remove", source_id, found.knowledge_base_id, kind=found.kind)
        return found


def look_now(runtime: Runtime, identity: Identity, source_id: UUID) -> ContentSource:
    """Makes a watched site due at once: maintenance looks at it next. Raises NotFound; BadInput for a source that is
    not watched, and where nothing is fetched."""
    with changing(runtime, identity) as connection:
        found = find_source(connection, source_id)
        if found.due_at is None:
            raise BadInput(f"{found.name} is not watched. What is in it is sent, as by autri sync.")
        if runtime.fetch is no_fetching:
            raise BadInput("This deployment fetches no web pages, so that it cannot look at a site.")
        sources.make_due(connection, source_id)
        note(connection, identity, "source.look_now", source_id, found.knowledge_base_id, kind=found.kind)
        found = find_source(connection, source_id)
    runtime.wake_maintenance()
    return found


def look_through(runtime: Runtime, identity: Identity, source_id: UUID, look: SourceLook) -> SyncPlan:
    """Says what is to be done about each file, and does all that needs no bytes.

    Raises NotFound; BadInput for a path that is none or given twice, and where documents were to be deleted because not
    one file is left, unless the look says that it is so.
    """
    files = [ListedFile(path=clean_path(one.path), sha256=one.sha256, mark=one.mark) for one in look.files]
    if len({one.path for one in files}) < len(files):
        raise BadInput("A path is in the list twice. Give each file once.")
    with (reading if look.dry_run else changing)(runtime, identity) as connection:
        source = find_source(connection, source_id)
        sources.lock_source(connection, source_id)
        stored = sources.stored_bytes(connection, source.knowledge_base_id, [one.sha256 for one in files])
        known = sources.known_files(connection, source_id)
        plan = Planner(known, stored, look.deletions).plan(files)
        if not files and plan.counts.get("removed") and not look.empty:
            raise BadInput("Not one file is left there: it may not be mounted. Nothing was deleted; say that it is so.")
        if not look.dry_run:
            for one in known.values():
                if one.turned and one.document_id is not None:
                    _answer_again(connection, one.document_id)
            _apply(connection, identity, source, plan, {one.path: one for one in files}, known)
            _forget(connection, source_id, plan, look)
            sources.note_members(connection, source_id)
    if not look.dry_run:
        _remove(runtime, identity, plan)
    return plan


def find_source(connection: Connection, source_id: UUID) -> ContentSource:
    """Raises NotFound, the same for an id that does not exist and for one of somebody else."""
    found = sources.find_source(connection, source_id)
    if found is None:
        raise NotFound(f"There is no source {source_id}.")
    return found


def _apply(
    connection: Connection,
    identity: Identity,
    source: ContentSource,
    plan: SyncPlan,
    files: Mapping[str, ListedFile],
    known: Mapping[str, KnownFile],
) -> None:
    owner = {"organization_id": identity.organization_id, "knowledge_base_id": source.knowledge_base_id}
    for item in plan.items:
        file = files.get(item.path)
        if item.action == "moved" and item.before is not None:
            if item.document_id is None:
                sources.move_parcel(connection, source.id, item.before, item.path)
            else:
                sources.remove_item(connection, source.id, item.before)
                follow_path(connection, item.document_id, known[item.before].called, item.path)
        if item.action == "reverted" and item.document_id is not None:
            _answer_again(connection, item.document_id)
        if file is not None and item.action in ("moved", "duplicate", "reverted") and item.document_id is not None:
            values = {"mark": file.mark, "document_id": item.document_id}
            sources.put_item(connection, owner, source.id, item.path, file.sha256, **values)
    sources.find_items(
        connection, source.id, [i.path for i in plan.items if i.action in ("same", "refused", "running")]
    )
    sources.lose_items(connection, source.id, [i.path for i in plan.items if i.action in ("kept", "removed")])
    sources.note_look(connection, source.id, plan.counts)
    note(connection, identity, "source.look", source.id, source.knowledge_base_id, **plan.counts)


def _forget(connection: Connection, source_id: UUID, plan: SyncPlan, look: SourceLook) -> None:
    """Where documents are deleted, no item is left of what has none and of what another file stands for."""
    for item in plan.items:
        if (item.action == "removed" and item.document_id is None) or (
            item.action == "kept" and look.deletions == "remove"
        ):
            sources.remove_item(connection, source_id, item.path)


def _answer_again(connection: Connection, document_id: UUID) -> None:
    """Makes an older version the current one, where it can be served."""
    found = versions.lock_logical(connection, document_id)
    if found and any(m.id == document_id and m.serving for m in versions.list_members(connection, found[0])):
        versions.set_current(connection, found[0], document_id)


def _remove(runtime: Runtime, identity: Identity, plan: SyncPlan) -> None:
    """Deletes what is gone, all versions of each; what cannot be deleted says so and is tried with the next look."""
    for item in plan.items:
        if item.action == "removed" and item.document_id is not None:
            try:
                _remove_versions(runtime, identity, item.document_id)
            except NotFound:
                continue
            except AutriError as error:
                item.error = str(error)


def _remove_versions(runtime: Runtime, identity: Identity, document_id: UUID) -> None:
    with reading(runtime, identity) as connection:
        find_place(connection, document_id)
        found = library.list_versions(connection, document_id, 0, ALL)
    for version in found:
        delete_document(runtime, identity, version.id)
