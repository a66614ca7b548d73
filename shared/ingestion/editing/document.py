"""Edits of a document's extraction: replayed over the run's operations, assembled again, committed while it is served.

Nobody types text: an edit says which fragments belong together and what they are. The document is assembled outside of
any transaction and committed in one, if nobody else has changed it meanwhile.
"""

from collections.abc import Callable, Iterable, Sequence
from uuid import UUID

from shared.access import changing, find_place, reading
from shared.domain.draft import DocumentDraft
from shared.domain.edits import (
    Change,
    Edit,
    EditRequest,
    EditResult,
    EditRow,
    FurnitureEdit,
    Merge,
    Placement,
    Regroup,
    Resection,
    Restore,
    Retype,
    Split,
    Unflag,
)
from shared.domain.ids import new_id
from shared.domain.knowledge import Chunk
from shared.domain.scope import Identity
from shared.errors import BadInput, Conflict, NotFound
from shared.extraction.edits import plans
from shared.extraction.edits.marks import apply_marks, section_openers
from shared.extraction.edits.replay import EditedPages, LoadPage, Replay, Stale, replay
from shared.ingestion.assembly import assemble_replayed, display_name, page_loader
from shared.ingestion.editing.commit import OpenedDocument, check_revision, commit
from shared.ingestion.editing.view import affected, chunks_on, pieces, references_of
from shared.ingestion.embed import embed_missing
from shared.runtime import Runtime
from shared.store import attribute_schema, documents, edits, reviews
from shared.store.audit import note
from shared.store.connect import Connection


def edit_document(
    runtime: Runtime, identity: Identity, document_id: UUID, revision: int, request: EditRequest
) -> EditResult:
    """Makes one edit and returns the chunks that now replace the edited ones.

    Raises NotFound for an unknown document, chunk or section; BadInput for an impossible edit, with what is possible;
    Conflict where the document is at another revision or being ingested, or the edit would undo an earlier one.
    """
    with changing(runtime, identity) as connection:
        opened = _open(connection, identity, document_id)
        before = _chunks(connection, document_id, request)
        ordinal = _section_ordinal(connection, document_id, request)
    check_revision(opened.place, revision, opened.place.status)
    load = page_loader(runtime, opened.place.work, opened.pages)
    present = replay(load, [one.edit for one in opened.active])
    try:
        changes = _plan(present, load, opened.pages, request, {chunk.id: chunk for chunk in before}, ordinal)
    except Stale as reason:
        raise BadInput(f"That cannot be edited: {reason}.") from reason
    edit = Edit(id=new_id(), kind=request.kind, changes=changes)
    draft, replayed, stale = _assemble(load, opened, [*(one.edit for one in opened.active), edit])
    if edit.id in stale:
        raise BadInput(f"That cannot be done: {stale[edit.id]}.")
    if isinstance(request, Merge):
        _check_merged(draft, [references_of(c) for c in before if c.id in request.chunk_ids])

    def record(connection: Connection) -> None:
        chunks = chunks_on(connection, document_id, edit.pages)
        now = pieces(chunks, replayed.edited_pages, edit)
        edits.add_edit(connection, opened.row, edit, pieces(before, present.edited_pages, edit), now, identity)
        base = opened.place.knowledge_base_id
        _note_correction(connection, identity, opened, edit, [chunk.id for chunk in affected(chunks, edit)])
        note(connection, identity, "edit.make", edit.id, base, document=str(document_id), kind=edit.kind)

    return _store(runtime, opened, edit, before, draft, stale, record)


def undo_edit(runtime: Runtime, identity: Identity, document_id: UUID, edit_id: UUID, revision: int) -> EditResult:
    """Undoes an edit: the document is assembled again with the other ones.

    Raises NotFound; Conflict as `edit_document` does, and where the edit is undone already or a later edit builds on
    it.
    """
    with changing(runtime, identity) as connection:
        opened = _open(connection, identity, document_id)
        row = edits.get_edit(connection, document_id, edit_id)
        if row is None:
            raise NotFound(f"There is no edit {edit_id} of this document. List its edits, and take an id of them.")
    check_revision(opened.place, revision, opened.place.status)
    edit = next((one.edit for one in opened.active if one.edit.id == edit_id), None)
    if edit is None:
        raise Conflict(f"{row.undone_by} has undone this edit already.")
    _check_last(edit, [one.edit for one in opened.active])
    with reading(runtime, identity) as connection:
        before = chunks_on(connection, document_id, edit.pages)
    load = page_loader(runtime, opened.place.work, opened.pages)
    draft, _, stale = _assemble(load, opened, [one.edit for one in opened.active if one.edit.id != edit_id])

    def record(connection: Connection) -> None:
        edits.set_undone(connection, document_id, edit_id, identity)
        reviews.take_back(connection, opened.place.knowledge_base_id, edit_id)
        note(connection, identity, "edit.undo", edit_id, opened.place.knowledge_base_id, document=str(document_id))

    return _store(runtime, opened, edit, before, draft, stale, record)


def _note_correction(
    connection: Connection, identity: Identity, opened: OpenedDocument, edit: Edit, chunk_ids: list[UUID]
) -> None:
    """Whoever corrects a flagged passage has looked at it: what the edit made of it is not left to review."""
    base, author = opened.place.knowledge_base_id, edits.name_of(connection, identity)
    looked_at = reviews.flagged(connection, opened.place.id, chunk_ids)
    act = reviews.Act(edit.id, "corrected", None, identity.user_id, author)
    reviews.decide_chunks(connection, base, act, looked_at)


def list_edits(
    runtime: Runtime, identity: Identity, document_id: UUID, before: UUID | None = None, limit: int = 100
) -> list[EditRow]:
    """Returns edits, newest first, undone ones included. Raises NotFound."""
    with reading(runtime, identity) as connection:
        find_place(connection, document_id)
        return edits.list_edits(connection, document_id, before, limit)


def _open(connection: Connection, identity: Identity, document_id: UUID) -> OpenedDocument:
    place = find_place(connection, document_id)
    row = documents.find_document(connection, document_id) or {}
    return OpenedDocument(
        place=place,
        scope=identity.scope(place.knowledge_base_id),
        name=display_name(documents.logical_name(connection, document_id)),
        version=str(row.get("extractor_version")),
        pages=edits.read_pages(connection, document_id),
        active=edits.active_edits(connection, document_id),
        schema=attribute_schema.load_schema(connection, place.knowledge_base_id),
    )


def _chunks(connection: Connection, document_id: UUID, request: EditRequest) -> list[Chunk]:
    """The chunks on the pages of the request. Raises NotFound for a chunk id that the document does not have."""
    wanted = _chunk_ids(request)
    pages = edits.chunk_pages(connection, document_id, wanted)
    missing = next((one for one in wanted if one not in pages), None)
    if missing is not None:
        raise NotFound(f"There is no chunk {missing} in this document. Load the page again, and take an id of it.")
    own = {request.page} if isinstance(request, Restore | Unflag) and request.page else set[int]()
    return chunks_on(connection, document_id, own.union(*pages.values()))


def _chunk_ids(request: EditRequest) -> list[UUID]:
    if isinstance(request, Split | Retype):
        return [request.chunk_id]
    return [] if isinstance(request, Restore) else request.chunk_ids


def _section_ordinal(connection: Connection, document_id: UUID, request: EditRequest) -> int | None:
    if not isinstance(request, Resection) or request.section_id is None:
        return None
    found = edits.section_ordinal(connection, document_id, request.section_id)
    if found is None:
        raise NotFound(f"There is no section {request.section_id} in this document. Take an id of its sections.")
    return found


def _plan(
    present: Replay,
    load: LoadPage,
    pages: Sequence[int],
    request: EditRequest,
    chunks: dict[UUID, Chunk],
    ordinal: int | None,
) -> list[Change]:
    targets = [_target(chunks[one]) for one in _chunk_ids(request)]
    edited = present.edited_pages
    match request:
        case Merge():
            return plans.plan_merge(edited, targets)
        case Split():
            return plans.plan_split(edited, targets[0], request.fragment_id)
        case Retype():
            return plans.plan_retype(edited, targets[0], request)
        case FurnitureEdit():
            return plans.plan_furniture(edited, targets, request.reason)
        case Restore():
            return plans.plan_restore(edited, request.page, request.fragment_ids, request.chunk_type)
        case Unflag():
            return plans.plan_unflag(edited, targets, request.page)
        case Resection():
            openers = section_openers(assemble_replayed(load, pages, present))
            return _places(edited, targets, openers, ordinal)


def _places(
    edited: EditedPages, targets: Iterable[plans.Target], openers: dict[str, int], ordinal: int | None
) -> list[Change]:
    opener = next((reference for reference, index in openers.items() if index == ordinal), None)
    section = edited.passage(_page_of(opener), [opener]) if opener else None
    found: list[Change] = []
    for target in targets:
        if target.chunk_type != "table" and target.references[target.pages[0]][0] in openers:
            raise BadInput("This chunk opens a section of its own. Retype it to text first, or change its level.")
        for page, references in plans.whole_passages(edited, target):
            found.append(Placement(passage=edited.passage(page, references), section=section))
    return found


def _page_of(reference: str) -> int:
    return int(reference[1:].partition(".")[0])


def _target(chunk: Chunk) -> plans.Target:
    return plans.Target(chunk.chunk_type, chunk.flags, references_of(chunk))


def _assemble(
    load: LoadPage, opened: OpenedDocument, active: Sequence[Edit]
) -> tuple[DocumentDraft, Replay, dict[UUID, str]]:
    """Returns the document with these edits, and which do not apply. Raises Conflict when one that applied before no
    longer does."""
    replayed = replay(load, active)
    draft = assemble_replayed(load, opened.pages, replayed, opened.schema)
    stale = replayed.stale | apply_marks(draft, replayed.marks)
    for one in opened.active:
        if one.stale is None and one.edit.id in stale:
            raise Conflict(
                f"An earlier edit ({one.edit.kind} on page {one.edit.pages[0]}) rests on what this would take away:"
                " undo that one first."
            )
    return draft, replayed, stale


def _check_last(edit: Edit, active: Sequence[Edit]) -> None:
    """Raises Conflict where a later edit regrouped the same lines: undoing this one would change nothing."""
    own = _regrouped(edit)
    later = (other for other in active if other.id > edit.id and not own.isdisjoint(_regrouped(other)))
    if other := next(later, None):
        raise _builds_on(other)


def _regrouped(edit: Edit) -> set[str]:
    return {r for change in edit.changes if isinstance(change, Regroup) for r in change.passage.fragment_ids}


def _builds_on(edit: Edit) -> Conflict:
    return Conflict(f"A later edit builds on this one ({edit.kind} on page {edit.pages[0]}): undo that one first.")


def _check_merged(draft: DocumentDraft, parts: Iterable[dict[int, list[str]]]) -> None:
    """Raises BadInput unless one chunk now has all of `parts`, which parts on two pages may not be able to form."""
    wanted = {reference for part in parts for references in part.values() for reference in references}
    for chunk in draft.chunks:
        held = {r for box in chunk.boxes for r in box.fragment_ids}
        if held >= wanted:
            return
    raise BadInput(
        "These chunks cannot be joined over the page break: the first must be the last text of its page and end in the"
        " middle of a sentence."
    )


def _store(
    runtime: Runtime,
    opened: OpenedDocument,
    edit: Edit,
    before: Sequence[Chunk],
    draft: DocumentDraft,
    stale: dict[UUID, str],
    record: Callable[[Connection], None],
) -> EditResult:
    document_id = opened.place.id
    revision = commit(runtime, opened, edit, draft, stale, record)
    embed_missing(runtime, opened.scope, [document_id])
    pages = {*edit.pages, *(page for chunk in before for page in references_of(chunk))}
    with runtime.database.transaction(opened.scope) as connection:
        row = edits.get_edit(connection, document_id, edit.id)
        now = chunks_on(connection, document_id, pages)
    if row is None:
        raise NotFound(f"The document {document_id} was deleted meanwhile.")
    kept = {chunk.id for chunk in now}
    gone = [chunk.id for chunk in affected(before, edit) if chunk.id not in kept]
    return EditResult(edit=row, revision=revision, chunks=affected(now, edit), removed=gone)
