"""Arranging versions: link, unlink, choose the current one, rename, decide about suggestions."""

from uuid import UUID

from shared.access import changing, check_knowledge_base, find_document, find_place, reading
from shared.domain.knowledge import Document
from shared.domain.scope import Identity
from shared.domain.version_names import VersionMark, read_name
from shared.domain.versions import (
    LABEL_MAX,
    AcceptRequest,
    DocumentChange,
    LinkRequest,
    LogicalDocumentRef,
    SuggestionStatus,
    VersionOf,
    Versions,
    VersionSuggestion,
)
from shared.errors import BadInput, Conflict, NotFound
from shared.lexical.index import follow_name
from shared.library.gold_follows import gold_follows
from shared.runtime import Runtime
from shared.store import documents, library, suggestions, versions
from shared.store.audit import note
from shared.store.connect import Connection, Row
from shared.store.versions import VersionMember

ALL = 1_000_000


def list_suggestions(
    runtime: Runtime,
    identity: Identity,
    knowledge_base_id: UUID,
    status: SuggestionStatus | None = "open",
    after: UUID | None = None,
    limit: int = 100,
) -> list[VersionSuggestion]:
    """Oldest first, from behind `after`; raises NotFound for an unknown knowledge base."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        rows = suggestions.list_suggestions(connection, knowledge_base_id, status, after, limit)
        return [_shown(connection, row) for row in rows]


def link(runtime: Runtime, identity: Identity, document_id: UUID, request: LinkRequest) -> Versions:
    """Makes the document a version of another one's logical document; within its own, moves it to another position.

    Raises NotFound, and BadInput where the two are of different knowledge bases.
    """
    with changing(runtime, identity) as connection:
        place, other = find_place(connection, document_id), find_place(connection, request.version_of)
        if place.knowledge_base_id != other.knowledge_base_id:
            raise BadInput(f"{place.name} and {other.name} are in different knowledge bases; versions share one.")
        _link(connection, identity, document_id, request)
        note(connection, identity, "version.link", document_id, place.knowledge_base_id, to=str(request.version_of))
        return _versions(connection, document_id)


def unlink(runtime: Runtime, identity: Identity, document_id: UUID) -> Versions:
    """Gives the document a logical document of its own. Raises NotFound, and Conflict where it has one already."""
    with changing(runtime, identity) as connection:
        place = find_place(connection, document_id)
        (source,) = _lock(connection, document_id)
        if len(versions.list_members(connection, source)) == 1:
            raise Conflict(f"{place.name} is the only version of its document already.")
        versions.separate(connection, document_id, source, place.name)
        suggestions.settle(connection, document_id, source, "dismissed", identity)
        note(connection, identity, "version.unlink", document_id, place.knowledge_base_id)
        return _versions(connection, document_id)


def make_current(runtime: Runtime, identity: Identity, document_id: UUID) -> Versions:
    """Makes this version the current one, whether newer or older. Raises NotFound, and Conflict before it is ready.

    A version that is added later becomes the current one again.
    """
    with changing(runtime, identity) as connection:
        place = find_place(connection, document_id)
        (logical,) = _lock(connection, document_id)
        if not next(m.serving for m in versions.list_members(connection, logical) if m.id == document_id):
            raise Conflict(f"{place.name} is {place.status}: nothing of it can be served. Ingest it first.")
        versions.set_current(connection, logical, document_id)
        note(connection, identity, "version.make_current", document_id, place.knowledge_base_id)
        return _versions(connection, document_id)


def change_document(runtime: Runtime, identity: Identity, document_id: UUID, change: DocumentChange) -> Document:
    """Changes the name, label or date of a version, or the name of all versions. Raises NotFound.

    The context in the chunks' index texts keeps the old name until the document is ingested again; the profile that
    names the document, and stored gold, are updated.
    """
    with changing(runtime, identity) as connection:
        place = find_place(connection, document_id)
        (logical,) = _lock(connection, document_id)
        new_names = [name for name in (change.name, change.logical_document_name) if name is not None]
        with gold_follows(connection, place.knowledge_base_id, new_names):
            versions.rename(connection, document_id, change.name, change.label, "label" in change.model_fields_set)
            if change.name is not None:
                follow_name(connection, document_id)
            if change.logical_document_name is not None:
                versions.rename_logical(connection, logical, change.logical_document_name)
        if "document_date" in change.model_fields_set:
            documents.edit_date(connection, document_id, change.document_date)
        changed = sorted(change.model_fields_set)
        note(connection, identity, "document.change", document_id, place.knowledge_base_id, changed=changed)
        return find_document(connection, document_id)


def follow_path(connection: Connection, document_id: UUID, before: str, now: str) -> None:
    """Calls all versions that are called by the path `before` by the path `now`; what people called otherwise stays."""
    place = find_place(connection, document_id)
    (logical,) = _lock(connection, document_id)
    with gold_follows(connection, place.knowledge_base_id, [now]):
        for member in versions.list_members(connection, logical):
            if member.name == before:
                versions.rename(connection, member.id, now, None, set_label=False)
                follow_name(connection, member.id)
        if documents.logical_name(connection, document_id) == before:
            versions.rename_logical(connection, logical, now)


def accept(runtime: Runtime, identity: Identity, suggestion_id: UUID, request: AcceptRequest) -> Versions:
    """Link as suggested; raises NotFound, and Conflict where it was decided before or no longer applies."""
    with changing(runtime, identity) as connection:
        row = _open_suggestion(connection, suggestion_id)
        members = versions.list_members(connection, row["logical_document_id"])
        wanted = LinkRequest(version_of=members[0].id, label=request.label, position=request.position)
        _link(connection, identity, row["document_id"], wanted)
        note(connection, identity, "version.accept", row["document_id"], row["knowledge_base_id"])
        return _versions(connection, row["document_id"])


def dismiss(runtime: Runtime, identity: Identity, suggestion_id: UUID) -> VersionSuggestion:
    """Decides that it is not a version; it is not suggested again. Raises NotFound, and Conflict where it was decided
    before."""
    with changing(runtime, identity) as connection:
        _open_suggestion(connection, suggestion_id)
        suggestions.decide(connection, suggestion_id, "dismissed", identity)
        note(connection, identity, "version.dismiss", suggestion_id)
        row = suggestions.get_suggestion(connection, suggestion_id)
        return _shown(connection, _found(row, suggestion_id))


def proposed(name: str, members: list[VersionMember]) -> tuple[int, str | None]:
    """Position (from 1) and label of a new version called `name`.

    It goes behind the last version whose name or label has no later date or number, and to the end where names have
    neither.
    """
    mark = read_name(name).mark
    label = mark.label[:LABEL_MAX] or None
    later = [m for m in members if _is_later(_mark_of(m), mark)]
    return (min(m.version_index for m in later) if later else len(members) + 1), label


def _mark_of(member: VersionMember) -> VersionMark:
    named = read_name(member.name).mark
    return named if named.order != ((), ()) or not member.version_label else read_name(member.version_label).mark


def _is_later(one: VersionMark, other: VersionMark) -> bool:
    """Whether both have a date, or both a number, and the first one's is the later."""
    if one.date and other.date and one.date != other.date:
        return one.date > other.date
    return bool(one.number and other.number) and one.number > other.number


def _link(connection: Connection, identity: Identity, document_id: UUID, request: LinkRequest) -> None:
    source, target = _lock(connection, document_id, request.version_of)
    own = next(m for m in versions.list_members(connection, source) if m.id == document_id)
    others = [m for m in versions.list_members(connection, target) if m.id != document_id]
    position, label = proposed(own.name, others)
    if source == target and request.position is None:
        position = own.version_index
    versions.move(connection, document_id, source, target, request.position or position)
    label = request.label or own.version_label or label
    versions.rename(connection, document_id, None, label, set_label=True)
    suggestions.settle(connection, document_id, target, "accepted", identity)


def _lock(connection: Connection, *documents: UUID) -> list[UUID]:
    locked = versions.lock_logical(connection, *documents)
    if locked is None:
        raise NotFound("A document was deleted meanwhile. Load the list again.")
    return locked


def _open_suggestion(connection: Connection, suggestion_id: UUID) -> Row:
    first = _found(suggestions.get_suggestion(connection, suggestion_id), suggestion_id)
    _lock(connection, first["document_id"])
    row = _found(suggestions.get_suggestion(connection, suggestion_id), suggestion_id)
    if row["status"] != "open":
        raise Conflict(f"This suggestion was {row['status']} by {row['decided_by']} already.")
    return row


def _found(row: Row | None, suggestion_id: UUID) -> Row:
    if row is None:
        raise NotFound(f"There is no open version suggestion {suggestion_id}. List those there are, and take an id.")
    return row


def _versions(connection: Connection, document_id: UUID) -> Versions:
    items = library.list_versions(connection, document_id, 0, ALL)
    locked = versions.lock_logical(connection, document_id) or [document_id]
    reference = LogicalDocumentRef(
        id=locked[0], name=items[0].version.logical_document_name, versions=len(items)
    )  # fmt: skip
    return Versions(logical_document=reference, items=items)


def _shown(connection: Connection, row: Row) -> VersionSuggestion:
    others = [m for m in versions.list_members(connection, row["logical_document_id"]) if m.id != row["document_id"]]
    position, label = proposed(row["document_name"], others)
    reference = LogicalDocumentRef(id=row["logical_document_id"], name=row["logical_name"], versions=row["versions"])
    derived: Row = {
        "document": _side(row, "document"),
        "nearest": _side(row, "nearest") if row["nearest_id"] else None,
        "logical_document": reference,
        "position": position,
        "label": row["document_label"] or label,
    }
    return VersionSuggestion.model_validate(row | derived)


def _side(row: Row, which: str) -> VersionOf:
    names = {name: row[f"{which}_{name}"] for name in ("id", "name", "label", "index")}
    return VersionOf.model_validate(names)
