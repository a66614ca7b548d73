"""Notes: what people write or paste, found when the request is answered."""

from functools import partial
from uuid import UUID

from fastapi.responses import JSONResponse

from functions.api.caller import Editor, Reader
from functions.api.idempotency import Change
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed
from functions.api.routing import v1_router
from shared.domain.notes import DraftNote, NewNote, Note, NoteAdvice, NoteCorrection, PostedNote
from shared.ingestion.posting import notes

router = v1_router("notes")


@router.post("/knowledge-bases/{knowledge_base_id}/notes", status_code=201, response_model=PostedNote)
def post_note(change: Change, knowledge_base_id: UUID, body: NewNote) -> JSONResponse:
    """Post a note, or a revision of one (`version_of`). It can be searched when this answers."""
    who = (change.runtime, change.identity, knowledge_base_id)
    return change.answer(201, lambda: notes.post_note(*who, body), body)


@router.get("/knowledge-bases/{knowledge_base_id}/notes")
def list_notes(
    caller: Reader, knowledge_base_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[Note]:
    """The knowledge base's notes as they are now, newest first; without their text."""
    read = partial(notes.list_notes, caller.runtime, caller.identity, knowledge_base_id)
    return listed("notes", cursor, limit, read)


@router.post("/knowledge-bases/{knowledge_base_id}/notes:advise")
def advise_note(caller: Editor, knowledge_base_id: UUID, body: DraftNote) -> NoteAdvice:
    """What a text seems to be, what it may be called, and tags that it might have; nothing is stored."""
    return notes.advise_note(caller.runtime, caller.identity, knowledge_base_id, body)


@router.get("/documents/{document_id}/note")
def get_note(caller: Reader, document_id: UUID) -> Note | None:
    """The note that this document is, with its text; null for a document that is none."""
    return notes.get_note(caller.runtime, caller.identity, document_id)


@router.get("/documents/{document_id}/corrections")
def list_corrections(caller: Reader, document_id: UUID) -> list[NoteCorrection]:
    """Notes that correct the document, in whichever version; each beside its chunk where that is still there."""
    return notes.list_corrections(caller.runtime, caller.identity, document_id)
