"""Posting notes, reading them back, and the corrections among them."""

import time
from uuid import UUID

from shared.access import changing, check_knowledge_base, find_place, reading
from shared.domain.notes import Corrects, DraftNote, NewNote, Note, NoteAdvice, NoteCorrection, PostedNote
from shared.domain.scope import Identity
from shared.errors import BadInput, NotFound
from shared.ingestion.posting.announced import FILENAME_MAX, Posting, announce
from shared.ingestion.posting.note_types import detect_type, suggest_tags, title_of
from shared.ingestion.told import telling
from shared.plans import quota
from shared.readers.note.head import divide, with_head
from shared.runtime import Runtime
from shared.store import posted
from shared.store.audit import note as note_act
from shared.store.connect import Connection, Row
from shared.store.edits import name_of


def post_note(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, wanted: NewNote) -> PostedNote:
    """Stores a note and serves it. Raises NotFound for an unknown knowledge base, note or document to correct; BadInput
    for a document that is no note to be revised; PlanExhausted."""
    from shared.ingestion.posting.walk import walk

    started = time.perf_counter()
    with changing(runtime, identity, [knowledge_base_id]) as connection:
        quota.check_room(connection, identity.organization_id, runtime.limits)
        posting = _posting(connection, identity, knowledge_base_id, wanted)
        [announced] = announce(runtime, connection, identity, [posting])
        known = posted.list_tags(connection, knowledge_base_id)
        note_act(connection, identity, "note.post", announced.run_id, knowledge_base_id, size=len(posting.data))
    with telling(runtime, identity, knowledge_base_id):
        document_id, duplicate = walk(runtime, identity, announced)
    runtime.tell_digest(identity.organization_id, knowledge_base_id)
    found = get_note(runtime, identity, document_id)
    if found is None:
        raise BadInput("A file with exactly this text was uploaded here: it is found already.")
    return PostedNote(
        **found.model_dump(),
        duplicate=duplicate,
        suggested_tags=suggest_tags(wanted.text, known, found.tags),
        seconds=time.perf_counter() - started,
    )


def advise_note(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, draft: DraftNote) -> NoteAdvice:
    """What the text seems to be, before it is posted. Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        known = posted.list_tags(connection, knowledge_base_id)
    text = draft.text
    return NoteAdvice(type=detect_type(text), title=title_of(text), tags=suggest_tags(text, known))


def get_note(runtime: Runtime, identity: Identity, document_id: UUID) -> Note | None:
    """None for a document that is no note. Raises NotFound."""
    with reading(runtime, identity) as connection:
        find_place(connection, document_id)
        return read_note(runtime, connection, document_id)


def read_note(runtime: Runtime, connection: Connection, document_id: UUID) -> Note | None:
    """With its text, in an open scope; None for a document that is no note, or is not there."""
    row = posted.find_note(connection, document_id)
    return _note(row, _text(runtime, row)) if row else None


def list_notes(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, before: UUID | None, limit: int
) -> list[Note]:
    """Current notes without their text, newest first. Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        return [_note(row) for row in posted.list_notes(connection, knowledge_base_id, before, limit)]


def list_corrections(runtime: Runtime, identity: Identity, document_id: UUID) -> list[NoteCorrection]:
    """The notes that correct the document in any of its versions, oldest first. Raises NotFound."""
    with reading(runtime, identity) as connection:
        find_place(connection, document_id)
        rows = posted.list_corrections(connection, document_id)
    return [NoteCorrection(**row, text=_text(runtime, row)) for row in rows]


def _posting(connection: Connection, identity: Identity, knowledge_base_id: UUID, wanted: NewNote) -> Posting:
    before = _before(connection, wanted.version_of)
    corrects = _corrected(connection, wanted, before)
    title = wanted.title or (before["title"] if before else title_of(wanted.text))
    tags = list(dict.fromkeys(wanted.tags if wanted.tags is not None else before["tags"] if before else ()))
    kind = wanted.note_type or detect_type(wanted.text, corrects["corrects_document_id"] is not None)
    author = "a program" if identity.is_machine else name_of(connection, identity)
    head = {
        "title": title,
        "type": kind,
        "author": author,
        "tags": tags or None,
        "corrects": corrects["corrects_document_id"],
        "corrects_chunk": corrects["corrects_chunk_id"],
        "revision": before["version_index"] + 1 if before else None,
    }
    return Posting(
        knowledge_base_id=knowledge_base_id,
        filename=f"{title.replace('/', '-').replace(chr(92), '-')[:FILENAME_MAX]}.md",
        title=title,
        data=with_head(head, wanted.text).encode(),
        posted={
            "source_type": "note",
            "type": kind,
            "tags": tags,
            "author": author,
            "author_id": None if identity.is_machine else str(identity.user_id),
            **corrects,
        },
        version_of=before["id"] if before else None,
    )


def _before(connection: Connection, document_id: UUID | None) -> Row | None:
    """The latest version of the note that is revised."""
    if document_id is None:
        return None
    find_place(connection, document_id)
    before = posted.latest_note(connection, document_id)
    if before is None:
        raise BadInput(f"The document {document_id} is no note; upload a new version of it instead.")
    return before


def _corrected(connection: Connection, wanted: NewNote, before: Row | None) -> Row:
    """What the note corrects, as its row has it; of a revision what the version before corrects."""
    names = ("corrects_document_id", "corrects_chunk_id", "corrects_hash")
    if wanted.corrects is None:
        return {name: str(before[name]) if before and before[name] else None for name in names}
    document_id, chunk_id = wanted.corrects.document_id, wanted.corrects.chunk_id
    find_place(connection, document_id)
    found = posted.find_corrected(connection, document_id, chunk_id) or {"chunk_id": None, "content_hash": None}
    if chunk_id is not None and found["chunk_id"] is None:
        raise NotFound(f"The document {document_id} has no chunk {chunk_id} to correct. Take an id of its chunks.")
    said = (str(document_id), str(chunk_id) if chunk_id else None, found["content_hash"])
    return dict(zip(names, said, strict=True))


def _text(runtime: Runtime, row: Row) -> str:
    stored = runtime.blobs.local_copy(row["source_key"], row["source_version"]).read_bytes().decode()
    return stored[divide(stored)[1] :]


def _note(row: Row, text: str = "") -> Note:
    corrects = row["corrects_document_id"]
    return Note(
        **{name: row[name] for name in Note.model_fields if name in row},
        text=text,
        corrects=Corrects(document_id=corrects, chunk_id=row["corrects_chunk_id"]) if corrects else None,
    )
