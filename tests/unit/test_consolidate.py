"""One hit where several would say the same."""

from collections.abc import Collection
from uuid import UUID

from shared.domain.geometry import PageBox
from shared.domain.ids import new_id
from shared.domain.knowledge import Chunk, DocumentRef, Section, VersionEnvelope
from shared.domain.operations import ChunkType
from shared.retrieval.consolidate import consolidate, other_places
from shared.retrieval.diversity import diversify
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
    return FoundChunk(
        chunk=made,
        document=DocumentRef(id=document, name="Doc", source_type="pdf"),
        version=version,
        source_hash=str(document),
        knowledge_base="Base",
    )


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


def test_the_same_file_in_another_knowledge_base_gives_no_second_hit_but_is_named() -> None:
    one, twice = chunk("The wing."), chunk("The wing.")
    beside = [
        changed(chunk(text, document=OTHER), knowledge_base_id=OTHER).model_copy(
            update={"source_hash": one.source_hash, "knowledge_base": "Beside"}
        )
        for text in ("The wing.", "the wing", "Tyres")
    ]
    found = {c.chunk.id: c for c in (one, twice, *beside)}
    scores, dropped = consolidate(dict.fromkeys(found, 1.0), found)
    assert list(scores) == [one.chunk.id, beside[2].chunk.id]
    places = other_places(dropped, found)
    assert [(p.chunk_id, p.knowledge_base) for p in places.pop(one.chunk.id)] == [(beside[0].chunk.id, "Beside")]
    assert not places


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


def test_a_figure_without_words_gives_way_to_a_passage_of_its_section() -> None:
    wings = Section(id=new_id(), address="C7", title="Wings", path=[], depth=1)
    blank, passage = under(wings, " ", "figure"), under(wings, "They are fixed.")
    assert kept(blank, chunk("prose"), passage) == [("They are fixed.", 1), ("prose", 0.5)]
    assert kept(blank, chunk("prose")) == [(" ", 1), ("prose", 0.5)]


def test_a_heading_gives_way_to_passages_on_its_own_page_alone() -> None:
    wings, tyres = (Section(id=new_id(), address=a, title="", path=[], depth=1) for a in ("C7", "C8"))

    def on(page: int, section: Section, content: str, kind: ChunkType = "text") -> FoundChunk:
        return changed(on_page(page), section=section, content=content, chunk_type=kind)

    heading = on(3, wings, "Wings", "heading")
    assert kept(heading, on(4, wings, "Fixed.")) == [("Wings", 1), ("Fixed.", 0.5)]
    assert kept(heading, on(3, tyres, "Round.")) == [("Wings", 1), ("Round.", 0.5)]
    assert kept(heading, on(3, wings, "Plan", "figure")) == [("Wings", 1), ("Plan", 0.5)]
    assert kept(heading, on(4, wings, "Fixed."), on(3, wings, "Wide.")) == [("Wide.", 1), ("Fixed.", 0.5)]


def test_what_was_dropped_says_why_and_for_which_chunk() -> None:
    wings = Section(id=new_id(), address="C7", title="Wings", path=[], depth=1)
    heading, passage = under(wings, "Wings", "heading"), under(wings, "They are fixed.")
    found = {c.chunk.id: c for c in (passage, heading)}
    _, dropped = consolidate(dict.fromkeys(found, 1.0), found)
    assert [(d.chunk_id, d.reason, d.kept) for d in dropped] == [
        (heading.chunk.id, "heading_of_passage", passage.chunk.id)
    ]


def on_page(page: int, document: UUID = DOCUMENT) -> FoundChunk:
    box = PageBox(page=page, x=0, y=0, w=1, h=1, fragment_ids=())
    return changed(chunk(f"on page {page}", document=document), boxes=[box])


def order(*scored: tuple[FoundChunk, float], exempt: Collection[UUID] = ()) -> list[tuple[int, float]]:
    """Which of `scored` come out, best first, and with what."""
    ids = [found.chunk.id for found, _ in scored]
    found = diversify({f.chunk.id: score for f, score in scored}, {f.chunk.id: f for f, _ in scored}, exempt)
    return [(ids.index(chunk_id), round(score, 4)) for chunk_id, score in found.items()]


def test_passages_of_one_page_give_way_to_other_pages() -> None:
    assert order((on_page(3), 1.0), (on_page(3), 0.9), (on_page(4), 0.8)) == [(0, 1.0), (2, 0.8), (1, 0.45)]


def test_passages_of_one_document_give_way_to_other_documents() -> None:
    scored = [(on_page(1), 1.0), (on_page(2), 0.9), (on_page(3), 0.88), (on_page(1, OTHER), 0.87)]
    assert order(*scored) == [(0, 1.0), (3, 0.87), (1, 0.855), (2, 0.7942)]


def test_what_contains_a_code_stays_before_what_does_not() -> None:
    """The second passage of a page is halved in what it has beside the code."""
    coded, again, other = on_page(3), on_page(3), on_page(4)
    found = {f.chunk.id: f for f in (coded, again, other)}
    scores = dict(zip(found, (2.0, 1.6, 1.0), strict=True))
    lifts = {coded.chunk.id: 1.0, again.chunk.id: 1.0}
    assert list(diversify(scores, found, lifts=lifts).values()) == [2.0, 1.3, 1.0]


def test_sections_with_addresses_of_their_own_do_not_push_each_other_down() -> None:
    span, height = (Section(id=new_id(), address=a, title="", path=[], depth=3) for a in ("C7.4.1", "C7.4.2"))
    one, again, beside = (changed(on_page(3), section=section) for section in (span, span, height))
    assert order((one, 1.0), (again, 0.9), (beside, 0.8)) == [(0, 1.0), (2, 0.8), (1, 0.45)]


def test_passages_that_were_asked_for_by_address_stay_together() -> None:
    one, same, other = on_page(3), on_page(3), on_page(4, OTHER)
    asked = {one.chunk.id, same.chunk.id}
    assert order((one, 1.0), (same, 0.9), (other, 0.8), exempt=asked) == [(0, 1.0), (1, 0.9), (2, 0.8)]


def test_passages_without_pages_in_one_document_are_left_as_they_are() -> None:
    assert order((chunk("one"), 1.0), (chunk("two"), 1.0)) == [(0, 1.0), (1, 1.0)]
