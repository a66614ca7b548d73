"""Chunks of a page whose document is still being read: from the page's own operations, before `finalize` stores them.

They are for looking at. What only the whole document tells is missing: the section that an earlier page opened, the
rest of a table or sentence that another page ends.
"""

from uuid import UUID, uuid5

from shared.domain.knowledge import Chunk
from shared.extraction.assemble import assemble
from shared.library.operations import load_operations, load_page_file
from shared.runtime import Runtime
from shared.store.library import DocumentPlace

READING = frozenset({"queued", "running"})


def draft_chunks(runtime: Runtime, place: DocumentPlace, page: int) -> list[Chunk]:
    """In document order; empty before the page's operations are there, and once the document is read.

    Their ids are theirs until the document's chunks are stored, and no other call knows them. Raises Damaged.
    """
    if place.status not in READING or place.ingestion_id is None:
        return []
    operations = load_operations(runtime, place, page, ())
    if operations is None:
        return []
    draft = assemble([(load_page_file(runtime, place, page), operations)])
    return [
        Chunk(
            id=_id(place.ingestion_id, page, at),
            document_id=place.id,
            knowledge_base_id=place.knowledge_base_id,
            ordinal=at,
            chunk_type=chunk.chunk_type,
            content=chunk.content,
            section_id=draft.sections[chunk.section].address if chunk.section is not None else None,
            section=None,
            boxes=chunk.boxes,
            attrs=chunk.attrs,
            keywords=chunk.keywords,
            confidence=chunk.confidence,
            flags=chunk.flags,
            ocr=chunk.ocr,
            row=chunk.row,
        )
        for at, chunk in enumerate(draft.chunks)
    ]


def _id(ingestion_id: UUID, page: int, at: int) -> UUID:
    return uuid5(ingestion_id, f"{page}/{at}")
