"""Edits end to end: what was corrected is found, proved, kept over another run, and undone."""

from io import BytesIO
from uuid import UUID

import pytest
from reportlab.pdfgen.canvas import Canvas

from shared.domain.edits import (
    EditRequest,
    EditResult,
    FurnitureEdit,
    Merge,
    Resection,
    Restore,
    Retype,
    Split,
    Unflag,
)
from shared.domain.knowledge import Chunk
from shared.domain.scope import Identity
from shared.errors import BadInput, Conflict, NotFound
from shared.ingestion.editing.document import edit_document, list_edits, undo_edit
from shared.ingestion.event import Event
from shared.ingestion.uploads import reingest
from shared.library.documents import get_document, list_sections
from shared.library.pages import list_chunks, view_page
from shared.library.verification import verify_stored_document
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from shared.store import documents, edits
from tests.pipeline import make_knowledge_base, run_all, scope_of, upload


def two_pages(cover: bool = False, limit: str = "limit") -> bytes:
    """Two chapters, behind a cover where there is one; `limit` is a word of the last line but one of each."""
    target = BytesIO()
    canvas = Canvas(target, pagesize=(420, 595))
    if cover:
        canvas.drawString(50, 400, "Revised edition of the manual for engines of every kind")
        canvas.showPage()
    for number, words in enumerate((("flywheel", "gudgeon"), ("crankcase", "tappet")), 1):
        canvas.setFont("Helvetica-Bold", 15)
        canvas.drawString(50, 530, f"{number}  Chapter of the {words[0]}")
        canvas.setFont("Helvetica", 10)
        for at, line in enumerate(
            (
                f"The {words[0]} turns in its bearing and is inspected before each race of the season.",
                "It carries a seal that the scrutineer places there.",
                "",
                f"A {words[1]} is replaced when its diameter falls below the {limit} that the table",
                "gives. Worn parts are kept for the jury until the results are final.",
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


def test_a_chunk_gets_another_type_and_keeps_its_text(runtime: Runtime, identity: Identity, document_id: UUID) -> None:
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


def test_a_merged_chunk_is_found_and_proved(runtime: Runtime, identity: Identity, document_id: UUID) -> None:
    before = chunks_of(runtime, identity, document_id)
    one, two = starting(before, "The flywheel"), starting(before, "A gudgeon")
    done = make(runtime, identity, document_id, Merge(chunk_ids=[one.id, two.id]))
    base = done.chunks[0].knowledge_base_id
    for index in ("fts", "vector"):
        wanted = SearchRequest(query="seal of the flywheel and gudgeon", index=index, knowledge_base_ids=[base], k=1)
        assert [hit.chunk.id for hit in search(runtime, identity, wanted).hits] == [done.chunks[0].id]
    report = verify_stored_document(runtime, identity, document_id)
    assert (report.ok, report.verbatim, report.unclaimed_fragments) == (True, report.chunks, 0)


def test_a_proof_kept_of_the_former_revision_is_not_shown(
    runtime: Runtime, identity: Identity, document_id: UUID
) -> None:
    former = verify_stored_document(runtime, identity, document_id)
    chunk = starting(chunks_of(runtime, identity, document_id), "A gudgeon")
    make(runtime, identity, document_id, FurnitureEdit(chunk_ids=[chunk.id], reason="decoration"))
    assert verify_stored_document(runtime, identity, document_id).chunks == former.chunks - 1


def test_undoing_everything_brings_back_the_same_chunks_with_their_ids(
    runtime: Runtime, identity: Identity, document_id: UUID
) -> None:
    original = chunks_of(runtime, identity, document_id)
    heading, one = starting(original, "1"), starting(original, "The flywheel")
    lines = one.boxes[0].model_dump()["fragment_ids"]
    make(runtime, identity, document_id, Split(chunk_id=one.id, fragment_id=lines[1]))
    make(runtime, identity, document_id, Retype(chunk_id=heading.id, chunk_type="text"))
    assert len(list_sections(runtime, identity, document_id)) == 1
    while active := [e for e in list_edits(runtime, identity, document_id) if e.undone_at is None]:
        revision = get_document(runtime, identity, document_id).revision
        undo_edit(runtime, identity, document_id, active[0].id, revision)
    now = chunks_of(runtime, identity, document_id)
    assert [(c.id, c.chunk_type, c.content, c.boxes) for c in now] == [
        (c.id, c.chunk_type, c.content, c.boxes) for c in original
    ]


def run_again(runtime: Runtime, identity: Identity, document_id: UUID) -> None:
    started = reingest(runtime, identity, document_id)
    event = Event(
        organization_id=identity.organization_id,
        knowledge_base_id=started.knowledge_base_id,
        document_id=document_id,
        ingestion_id=started.id,
    )
    run_all(runtime, event.to_dict())


def test_another_run_keeps_edits_and_ids(runtime: Runtime, identity: Identity, document_id: UUID) -> None:
    before = chunks_of(runtime, identity, document_id)
    one, two = starting(before, "The flywheel"), starting(before, "A gudgeon")
    make(runtime, identity, document_id, Merge(chunk_ids=[one.id, two.id]))
    tappet = starting(before, "A tappet")
    make(runtime, identity, document_id, Retype(chunk_id=tappet.id, chunk_type="list"))
    edited = chunks_of(runtime, identity, document_id)
    run_again(runtime, identity, document_id)
    assert chunks_of(runtime, identity, document_id) == edited
    assert [e.stale for e in list_edits(runtime, identity, document_id)] == [None, None]
    assert verify_stored_document(runtime, identity, document_id).ok


def test_an_edit_that_no_longer_fits_is_shown_as_stale_and_leaves_the_text_alone(
    runtime: Runtime, identity: Identity, document_id: UUID
) -> None:
    before = chunks_of(runtime, identity, document_id)
    done = make(runtime, identity, document_id, Retype(chunk_id=starting(before, "A gudgeon").id, chunk_type="list"))
    scope = scope_of(identity, before[0].knowledge_base_id)
    with runtime.database.transaction(scope) as connection:
        wrong = "update edits set payload = jsonb_set(payload, '{0,passage,text_hash}', '\"other\"') where id = %s"
        connection.execute(wrong, (done.edit.id,))
    run_again(runtime, identity, document_id)
    assert chunks_of(runtime, identity, document_id) == before
    (row,) = list_edits(runtime, identity, document_id)
    assert row.stale == "the text of page 1 is not the same any more"


def test_operations_of_a_page_are_shown_as_edited(runtime: Runtime, identity: Identity, document_id: UUID) -> None:
    before = chunks_of(runtime, identity, document_id)
    one, two = starting(before, "The crankcase"), starting(before, "A tappet")
    make(runtime, identity, document_id, Merge(chunk_ids=[one.id, two.id]))
    view = view_page(runtime, identity, document_id, 2, fragments=False, operations=True)
    assert view.operations is not None
    groups = [operation["fragment_ids"] for operation in view.operations if operation["op"] == "register_chunk"]
    assert groups == [[f"p2.f{n}" for n in range(2, 6)]]


def test_a_chunk_moves_to_a_section_with_what_is_indexed_of_it_and_back(
    runtime: Runtime, identity: Identity, document_id: UUID
) -> None:
    chunk = starting(chunks_of(runtime, identity, document_id), "A gudgeon")
    second = list_sections(runtime, identity, document_id)[1][1]
    done = make(runtime, identity, document_id, Resection(chunk_ids=[chunk.id], section_id=second.id))
    assert done.chunks[0].id == chunk.id
    assert done.chunks[0].section == second
    with runtime.database.transaction(scope_of(identity, chunk.knowledge_base_id)) as connection:
        row = connection.execute("select index_text from chunks where id = %s", (chunk.id,)).fetchone()
        stale = connection.execute(
            "select 1 from chunks c join chunk_vectors v on v.chunk_id = c.id where v.index_hash <> c.index_hash"
        ).fetchall()
    assert row
    assert "2 Chapter of the crankcase" in row["index_text"]
    assert stale == []
    back = make(runtime, identity, document_id, Resection(chunk_ids=[chunk.id], section_id=None))
    assert back.chunks[0].section == chunk.section


def test_text_that_was_left_out_comes_back(runtime: Runtime, identity: Identity, document_id: UUID) -> None:
    chunk = starting(chunks_of(runtime, identity, document_id), "A gudgeon")
    out = make(runtime, identity, document_id, FurnitureEdit(chunk_ids=[chunk.id], reason="footer"))
    assert (out.chunks, out.removed) == ([], [chunk.id])
    assert [piece.chunk_type for piece in out.edit.after] == ["skipped"]
    (skipped,) = view_page(runtime, identity, document_id, 1, fragments=False, operations=False).skipped
    assert skipped.text == chunk.content
    request = Restore(page=1, fragment_ids=list(skipped.box.fragment_ids))
    assert make(runtime, identity, document_id, request).chunks[0].content == chunk.content


def test_paragraphs_that_a_page_break_divides_are_joined_unless_a_sentence_ends_there(
    runtime: Runtime, identity: Identity, document_id: UUID
) -> None:
    before = chunks_of(runtime, identity, document_id)
    last, next_one = starting(before, "A gudgeon"), starting(before, "The crankcase")
    with pytest.raises(BadInput, match="page break"):
        make(runtime, identity, document_id, Merge(chunk_ids=[last.id, next_one.id]))
    lines = last.boxes[0].model_dump()["fragment_ids"]
    parts = make(runtime, identity, document_id, Split(chunk_id=last.id, fragment_id=lines[1])).chunks
    make(runtime, identity, document_id, FurnitureEdit(chunk_ids=[parts[1].id], reason="decoration"))
    make(runtime, identity, document_id, FurnitureEdit(chunk_ids=[starting(before, "2").id], reason="header"))
    done = make(runtime, identity, document_id, Merge(chunk_ids=[parts[0].id, next_one.id]))
    assert [chunk.content for chunk in done.chunks] == [f"{parts[0].content} {next_one.content}"]
    assert [box.model_dump()["page"] for box in done.chunks[0].boxes] == [1, 2]


def test_whoever_edits_what_another_has_changed_is_told(
    runtime: Runtime, identity: Identity, document_id: UUID
) -> None:
    revision = get_document(runtime, identity, document_id).revision
    chunk = starting(chunks_of(runtime, identity, document_id), "A gudgeon")
    edit_document(runtime, identity, document_id, revision, Retype(chunk_id=chunk.id, chunk_type="list"))
    other = starting(chunks_of(runtime, identity, document_id), "A tappet")
    with pytest.raises(Conflict, match="has changed since you loaded it"):
        edit_document(runtime, identity, document_id, revision, Retype(chunk_id=other.id, chunk_type="list"))
    with pytest.raises(NotFound, match="no chunk"):
        edit_document(runtime, identity, document_id, revision + 1, Retype(chunk_id=chunk.id, chunk_type="list"))


def test_nobody_edits_while_the_document_is_being_read(runtime: Runtime, identity: Identity, document_id: UUID) -> None:
    chunk = starting(chunks_of(runtime, identity, document_id), "A gudgeon")
    reingest(runtime, identity, document_id)
    with pytest.raises(Conflict, match="is being ingested"):
        make(runtime, identity, document_id, Retype(chunk_id=chunk.id, chunk_type="list"))


def test_an_edit_that_a_later_one_builds_on_is_undone_after_it(
    runtime: Runtime, identity: Identity, document_id: UUID
) -> None:
    before = chunks_of(runtime, identity, document_id)
    one, two = starting(before, "The flywheel"), starting(before, "A gudgeon")
    first = make(runtime, identity, document_id, Merge(chunk_ids=[one.id, two.id]))
    second = make(runtime, identity, document_id, Retype(chunk_id=first.chunks[0].id, chunk_type="code"))
    with pytest.raises(Conflict, match="undo that one first"):
        undo_edit(runtime, identity, document_id, first.edit.id, second.revision)
    done = undo_edit(runtime, identity, document_id, second.edit.id, second.revision)
    assert done.edit.undone_at is not None
    with pytest.raises(Conflict, match="undone this edit already"):
        undo_edit(runtime, identity, document_id, second.edit.id, done.revision)
    undo_edit(runtime, identity, document_id, first.edit.id, done.revision)
    assert [c.id for c in chunks_of(runtime, identity, document_id)] == [c.id for c in before]


def test_a_new_edit_may_not_undo_an_earlier_one(runtime: Runtime, identity: Identity, document_id: UUID) -> None:
    before = chunks_of(runtime, identity, document_id)
    second = list_sections(runtime, identity, document_id)[1][1]
    make(runtime, identity, document_id, Resection(chunk_ids=[starting(before, "A gudgeon").id], section_id=second.id))
    with pytest.raises(Conflict, match="resection on page 1"):
        make(runtime, identity, document_id, Retype(chunk_id=starting(before, "2").id, chunk_type="text"))


def test_a_flag_that_a_person_took_off_stays_off(runtime: Runtime, identity: Identity, document_id: UUID) -> None:
    chunks = chunks_of(runtime, identity, document_id)
    scope = scope_of(identity, chunks[0].knowledge_base_id)
    with pytest.raises(BadInput, match="no flag"):
        make(runtime, identity, document_id, Unflag(page=1))
    with runtime.database.transaction(scope) as connection:
        place = documents.find_document(connection, document_id)
    assert place is not None
    event = Event(
        organization_id=identity.organization_id,
        knowledge_base_id=chunks[0].knowledge_base_id,
        document_id=document_id,
        ingestion_id=place["ingestion_id"],
    )
    key = f"{event.work}ops/1.json"
    runtime.blobs.put(key, runtime.blobs.get(key).replace(b'"flags":[]', b'"flags":["order_conflict"]'))
    one = make(runtime, identity, document_id, Retype(chunk_id=starting(chunks, "A gudgeon").id, chunk_type="list"))
    assert one.chunks[0].flags == ["order_conflict"]
    done = make(runtime, identity, document_id, Unflag(page=1))
    assert [piece.flags for piece in done.edit.after] == [[]] * len(done.edit.after)
    assert all(chunk.flags == [] for chunk in chunks_of(runtime, identity, document_id))
    assert view_page(runtime, identity, document_id, 1, fragments=False, operations=False).flags == []


def test_only_what_is_new_is_embedded(runtime: Runtime, identity: Identity, document_id: UUID) -> None:
    before = chunks_of(runtime, identity, document_id)
    scope = scope_of(identity, before[0].knowledge_base_id)
    vectors = "select chunk_id, ctid::text from chunk_vectors where document_id = %s"
    with runtime.database.transaction(scope) as connection:
        former = {row["chunk_id"]: row["ctid"] for row in connection.execute(vectors, (document_id,))}
    done = make(runtime, identity, document_id, Retype(chunk_id=starting(before, "A gudgeon").id, chunk_type="list"))
    with runtime.database.transaction(scope) as connection:
        now = {row["chunk_id"]: row["ctid"] for row in connection.execute(vectors, (document_id,))}
        active = edits.active_edits(connection, document_id)
    changed = {chunk for chunk, place in now.items() if former.get(chunk) != place}
    assert changed == {chunk.id for chunk in done.chunks}
    assert [one.edit.id for one in active] == [done.edit.id]


def test_a_new_version_keeps_the_edits_of_what_it_says_again_and_names_the_others(
    runtime: Runtime, identity: Identity, document_id: UUID
) -> None:
    base = chunks_of(runtime, identity, document_id)[0].knowledge_base_id
    first = chunks_of(runtime, identity, document_id)
    make(runtime, identity, document_id, Retype(chunk_id=starting(first, "The flywheel").id, chunk_type="list"))
    make(runtime, identity, document_id, Retype(chunk_id=starting(first, "A gudgeon").id, chunk_type="footnote"))
    again = starting(chunks_of(runtime, identity, document_id), "A gudgeon")
    done = make(runtime, identity, document_id, FurnitureEdit(chunk_ids=[again.id], reason="decoration"))
    undo_edit(runtime, identity, document_id, done.edit.id, done.revision)
    make(
        runtime, identity, document_id, FurnitureEdit(chunk_ids=[starting(first, "The crankcase").id], reason="header")
    )
    event = upload(runtime, identity, base, two_pages(True, "bound"), "parts 2.pdf", document_id)
    second = UUID(run_all(runtime, event)["document_id"])
    now = chunks_of(runtime, identity, second)
    flywheel = starting(now, "The flywheel")
    assert (flywheel.chunk_type, flywheel.first_page) == ("list", 2)
    assert not [one for one in now if one.content.startswith("The crankcase")]
    assert starting(now, "A gudgeon").chunk_type == "text", "it says something else now"
    history = {one.kind + str(one.page): one for one in list_edits(runtime, identity, second, None, 10)}
    assert {name: one.stale is None for name, one in history.items()} == {
        "retype2": True,
        "furniture3": True,
        "retype1": False,
    }
    assert {one.author for one in history.values()} == {
        one.author for one in list_edits(runtime, identity, document_id, None, 9)
    }
    report = verify_stored_document(runtime, identity, second)
    assert (report.ok, report.verbatim, report.unclaimed_fragments) == (True, report.chunks, 0)
    run_again(runtime, identity, second)
    assert len(list_edits(runtime, identity, second, None, 10)) == 3, "they are carried over once"
    kept = starting(chunks_of(runtime, identity, second), "The flywheel")
    assert (kept.id, kept.chunk_type) == (flywheel.id, "list")
    undone = history["furniture3"].id
    undo_edit(runtime, identity, second, undone, get_document(runtime, identity, second).revision)
    assert starting(chunks_of(runtime, identity, second), "The crankcase").chunk_type == "text"
