"""A caption comes behind the passage that it stands beside, unless it was asked for."""

from collections.abc import Collection

import pytest

from shared.domain.geometry import PageBox
from shared.domain.ids import new_id
from shared.domain.knowledge import Chunk, DocumentRef, Section, SectionStep, VersionEnvelope
from shared.domain.operations import ChunkType
from shared.retrieval.captions import asks_for_picture, behind_passages
from shared.store.search import FoundChunk

DOCUMENT = new_id()
STEPS = [SectionStep(id=new_id(), address=one, title="") for one in ("B", "B4", "Figure 8", "B5")]
B4 = Section(**STEPS[1].model_dump(), path=STEPS[:2], depth=2)
FIGURE_8 = Section(**STEPS[2].model_dump(), path=STEPS[:3], depth=3)
B5 = Section(**STEPS[3].model_dump(), path=[STEPS[0], STEPS[3]], depth=2)


def found(kind: ChunkType, section: Section, page: int = 3) -> FoundChunk:
    box = PageBox(page=page, x=0, y=0, w=1, h=1, fragment_ids=())
    chunk = Chunk(
        id=new_id(), document_id=DOCUMENT, knowledge_base_id=DOCUMENT, ordinal=0, chunk_type=kind, content=kind,
        section_id=section.address, section=section, boxes=[box], confidence=1,
    )  # fmt: skip
    return FoundChunk(
        chunk=chunk,
        document=DocumentRef(id=DOCUMENT, name="Doc", source_type="pdf"),
        version=VersionEnvelope(label=None, index=1, is_current=True, logical_document_name="Doc"),
        source_hash="x",
        knowledge_base="Base",
    )


def order(*scored: tuple[FoundChunk, float], exempt: Collection[int] = ()) -> list[tuple[int, float]]:
    """Which of `scored` come out, best first, and with what."""
    ids = [one.chunk.id for one, _ in scored]
    chunks = {one.chunk.id: one for one, _ in scored}
    scores = behind_passages({one.chunk.id: score for one, score in scored}, chunks, {ids[at] for at in exempt})
    return [(ids.index(chunk_id), score) for chunk_id, score in scores.items()]


@pytest.mark.parametrize("kind", ["figure", "caption"])
@pytest.mark.parametrize("section", [FIGURE_8, B4])
def test_the_best_passage_of_its_section_takes_a_captions_place(kind: ChunkType, section: Section) -> None:
    title, passage, other = found(kind, section), found("list", B4), found("text", B4)
    assert order((title, 1.4), (passage, 1.2), (other, 1.1)) == [(1, 1.4), (0, 1.2), (2, 1.1)]


@pytest.mark.parametrize(
    "beside", [found("text", B5), found("text", B4, page=4), found("heading", B4), found("caption", FIGURE_8)]
)
def test_what_is_elsewhere_or_no_passage_takes_no_place(beside: FoundChunk) -> None:
    assert order((found("figure", FIGURE_8), 1.4), (beside, 1.2)) == [(0, 1.4), (1, 1.2)]


def test_a_passage_with_less_than_half_of_its_score_stays_behind() -> None:
    assert order((found("figure", B4), 1.4), (found("text", B4), 0.6)) == [(0, 1.4), (1, 0.6)]


def test_a_figure_that_was_asked_for_by_address_stays_first() -> None:
    assert order((found("figure", B4), 1.4), (found("text", B4), 1.2), exempt=[0]) == [(0, 1.4), (1, 1.2)]


def test_a_caption_behind_its_passage_stays_there() -> None:
    assert order((found("text", B4), 1.4), (found("figure", B4), 1.2)) == [(0, 1.4), (1, 1.2)]


@pytest.mark.parametrize(
    ("query", "asked"),
    [("diagram of it", True), ("Which figures show it?", True), ("Course of a protest", False), ("configure", False)],
)  # fmt: skip
def test_which_words_ask_for_a_picture(query: str, asked: bool) -> None:
    assert asks_for_picture(query) is asked
