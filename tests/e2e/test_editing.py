"""Edits end to end: what was corrected is found, proved, kept over another run, and undone."""

from io import BytesIO
from uuid import UUID

import pytest
from reportlab.pdfgen.canvas import Canvas

from shared.domain.edits import EditRequest, EditResult, Merge, Retype
from shared.domain.knowledge import Chunk
from shared.domain.scope import Identity
from shared.ingestion.editing import edit_document
from shared.library.documents import get_document
from shared.library.pages import list_chunks
from shared.runtime import Runtime
from tests.pipeline import make_knowledge_base, run_all, upload


def two_pages() -> bytes:
    target = BytesIO()
    canvas = Canvas(target, pagesize=(420, 595))
    for number, words in enumerate((("flywheel", "gudgeon"), ("crankcase", "tappet")), 1):
        canvas.setFont("Helvetica-Bold", 15)
        canvas.drawString(50, 530, f"{number}  Chapter of the {words[0]}")
        canvas.setFont("Helvetica", 10)
        for at, line in enumerate(
            (
                f"The {words[0]} turns in its bearing and is inspected before each race of the season.",
                "It carries a seal that the scrutineer places there.",
                "",
                f"A {words[1]} is replaced when its diameter falls below the limit that the table gives.",
                "Worn parts are kept for the jury until the results are final.",
            )
        ):
            canvas.drawString(50, 500 - 14 * at - 20 * (at > 2), line)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


@pytest.fixture
def document_id(runtime: Runtime, identity: Identity, request: pytest.FixtureRequest) -> UUID:
    base = make_knowledge_base(runtime, identity, request.node.name[:60])
    return UUID(run_all(runtime, upload(runtime, identity, base, two_pages(), "parts.pdf"))["document_id"])


def chunks_of(runtime: Runtime, identity: Identity, document_id: UUID) -> list[Chunk]:
    return list_chunks(runtime, identity, document_id, None, 1000)


def starting(chunks: list[Chunk], text: str) -> Chunk:
    return next(chunk for chunk in chunks if chunk.content.startswith(text))


def make(runtime: Runtime, identity: Identity, document_id: UUID, request: EditRequest) -> EditResult:
    revision = get_document(runtime, identity, document_id).revision
    return edit_document(runtime, identity, document_id, revision, request)


def test_a_chunk_gets_another_type_and_keeps_its_text(
    runtime: Runtime, identity: Identity, document_id: UUID
) -> None:
    before = chunks_of(runtime, identity, document_id)
    chunk = starting(before, "A gudgeon")
    done = make(runtime, identity, document_id, Retype(chunk_id=chunk.id, chunk_type="footnote"))
    now = starting(chunks_of(runtime, identity, document_id), "A gudgeon")
    assert (now.chunk_type, now.content, now.boxes) == ("footnote", chunk.content, chunk.boxes)
    assert [c.id for c in done.chunks] == [now.id]
    assert done.removed == [chunk.id]


def test_two_chunks_become_one_in_reading_order(runtime: Runtime, identity: Identity, document_id: UUID) -> None:
    before = chunks_of(runtime, identity, document_id)
    one, two = starting(before, "The flywheel"), starting(before, "A gudgeon")
    done = make(runtime, identity, document_id, Merge(chunk_ids=[two.id, one.id]))
    assert [chunk.content for chunk in done.chunks] == [f"{one.content} {two.content}"]
