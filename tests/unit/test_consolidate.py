"""One hit where several would say the same."""

from uuid import UUID

from shared.domain.geometry import PageBox
from shared.domain.ids import new_id
from shared.domain.knowledge import Chunk, DocumentRef, Section, VersionEnvelope
from shared.domain.operations import ChunkType
from shared.retrieval.consolidate import consolidate, spread_pages
from shared.store.search import FoundChunk

DOCUMENT, OTHER, TABLE = new_id(), new_id(), new_id()


def chunk(content: str, kind: ChunkType = "text", document: UUID = DOCUMENT, table: UUID | None = None) -> FoundChunk:
    made = Chunk(
        id=new_id(),
        document_id=document,
        knowledge_base_id=document,
        ordinal=0,
        chunk_type=kind,
        content=content,
        section_id=None,
        section=None,
        boxes=[],
        confidence=1,
        table_id=table,
    )
    version = VersionEnvelope(label=None, index=1, is_current=True, logical_document_name="Doc")
    return FoundChunk(chunk=made, document=DocumentRef(id=document, name="Doc", source_type="pdf"), version=version)


def under(section: Section, content: str, kind: ChunkType = "text") -> FoundChunk:
    return changed(chunk(content, kind), section=section)


def changed(found: FoundChunk, **values: object) -> FoundChunk:
    return found.model_copy(update={"chunk": found.chunk.model_copy(update=values)})


def kept(*chunks: FoundChunk) -> list[tuple[str, float]]:
    """(content, score) of what is kept of chunks with scores 1, 1/2, 1/3, …"""
    found = {c.chunk.id: c for c in chunks}
    scores, _ = consolidate({i: 1 / rank for rank, i in enumerate(found, start=1)}, found)
    return [(found[i].chunk.content, score) for i, score in scores.items()]


def test_a_repeated_passage_keeps_its_best_place() -> None:
    assert kept(chunk("The wing."), chunk("Tyres"), chunk("the  WING")) == [("The wing.", 1), ("Tyres", 0.5)]


def test_another_number_or_word_is_another_passage() -> None:
    texts = ["The wing is 10 wide", "The wing is 11 wide", "The wing must not flex", "The wing must flex"]
    assert [text for text, _ in kept(*map(chunk, texts))] == texts


def test_a_copy_in_another_document_stays() -> None:
    assert len(kept(chunk("The wing."), chunk("The wing.", document=OTHER))) == 2


def test_a_row_takes_the_better_place_of_its_table() -> None:
    table = chunk("all rows", "table", table=TABLE)
    rows = [chunk("row one", "table_row", table=TABLE), chunk("row two", "table_row", table=TABLE)]
    assert kept(table, chunk("prose"), *rows) == [("row one", 1), ("prose", 0.5), ("row two", 0.25)]


def test_a_row_that_leads_keeps_its_place_and_the_table_goes() -> None:
    row, table = chunk("row", "table_row", table=TABLE), chunk("all rows", "table", table=TABLE)
    assert kept(row, chunk("prose"), table) == [("row", 1), ("prose", 0.5)]


def test_a_table_without_a_row_among_the_candidates_stays() -> None:
    assert kept(chunk("all rows", "table", table=TABLE)) == [("all rows", 1)]


def test_a_passage_takes_the_better_place_of_its_heading() -> None:
    wings = Section(id=new_id(), address="C7", title="Wings", path=[], depth=1)
    heading, passage = under(wings, "Wings", "heading"), under(wings, "They are fixed.")
    assert kept(heading, chunk("prose"), passage) == [("They are fixed.", 1), ("prose", 0.5)]
    assert kept(heading, chunk("prose")) == [("Wings", 1), ("prose", 0.5)]


def test_what_was_dropped_says_why_and_for_which_chunk() -> None:
    wings = Section(id=new_id(), address="C7", title="Wings", path=[], depth=1)
    heading, passage = under(wings, "Wings", "heading"), under(wings, "They are fixed.")
    found = {c.chunk.id: c for c in (passage, heading)}
    _, dropped = consolidate(dict.fromkeys(found, 1.0), found)
    assert [(d.chunk_id, d.reason, d.kept) for d in dropped] == [
        (heading.chunk.id, "heading_of_passage", passage.chunk.id)
    ]


def on_page(page: int) -> FoundChunk:
    return changed(chunk(f"on page {page}"), boxes=[PageBox(page=page, x=0, y=0, w=1, h=1, fragment_ids=())])


def test_passages_of_one_page_give_way_to_other_pages() -> None:
    one, same, other = on_page(3), on_page(3), on_page(4)
    found = {c.chunk.id: c for c in (one, same, other)}
    scores = dict(zip(found, [1.0, 0.9, 0.8], strict=True))
    assert list(spread_pages(scores, found).items()) == [
        (one.chunk.id, 1.0),
        (other.chunk.id, 0.8),
        (same.chunk.id, 0.45),
    ]


def test_sections_with_addresses_of_their_own_do_not_push_each_other_down() -> None:
    span, height = (Section(id=new_id(), address=a, title="", path=[], depth=3) for a in ("C7.4.1", "C7.4.2"))
    one, again, beside = (changed(on_page(3), section=section) for section in (span, span, height))
    scores = {one.chunk.id: 1.0, again.chunk.id: 0.9, beside.chunk.id: 0.8}
    spread = spread_pages(scores, {c.chunk.id: c for c in (one, again, beside)})
    assert list(spread.items()) == [(one.chunk.id, 1.0), (beside.chunk.id, 0.8), (again.chunk.id, 0.45)]


def test_passages_that_were_asked_for_by_address_stay_together() -> None:
    one, same, other = on_page(3), on_page(3), on_page(4)
    found = {c.chunk.id: c for c in (one, same, other)}
    scores = dict(zip(found, [1.0, 0.9, 0.8], strict=True))
    assert spread_pages(scores, found, {one.chunk.id, same.chunk.id}) == scores


def test_passages_without_pages_are_left_as_they_are() -> None:
    found = {c.chunk.id: c for c in (chunk("one"), chunk("two"))}
    scores = dict.fromkeys(found, 1.0)
    assert spread_pages(scores, found) == scores
