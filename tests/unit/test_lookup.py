from uuid import UUID, uuid4

import pytest

from shared.domain.knowledge import Chunk, DocumentRef, FoundSection, Section, SectionStep, VersionEnvelope
from shared.domain.operations import ChunkType
from shared.retrieval.lookup import tell_apart
from shared.store.search import FoundChunk

RULES, OTHER = (DocumentRef(id=uuid4(), name=name, source_type="pdf") for name in ("rules", "other"))
VERSION = VersionEnvelope(label="1", index=1, is_current=True, logical_document_name="rules")


def section(address: str, *above: Section, document: DocumentRef = RULES) -> FoundSection:
    step = SectionStep(id=uuid4(), address=address, title="")
    path = [*(SectionStep(**s.model_dump(include={"id", "address", "title"})) for s in above), step]
    found = Section(**step.model_dump(), path=path, depth=len(path))
    return FoundSection(section=found, document=document, version=None)


def chunk(one: FoundSection, kind: ChunkType) -> FoundChunk:
    made = Chunk(
        id=uuid4(), document_id=one.document.id, knowledge_base_id=uuid4(), ordinal=1, chunk_type=kind, content="Wings",
        section_id=one.section.address, section=one.section, boxes=[], confidence=1.0,
    )  # fmt: skip
    return FoundChunk(chunk=made, document=one.document, version=VERSION, source_hash="", knowledge_base="Rules")


def told(sections: list[FoundSection], *chunks: FoundChunk) -> tuple[list[tuple[UUID, UUID | None]], list[UUID]]:
    found, ids = tell_apart(sections, {c.chunk.id: c for c in chunks}, [c.chunk.id for c in chunks])
    return [(one.section.id, one.told_by) for one in found], ids


def test_the_section_with_text_leads_and_the_one_that_only_names_it_points_there() -> None:
    listed, rule = section("B5.16"), section("B 5.16")
    entry, heading, text = chunk(listed, "heading"), chunk(rule, "heading"), chunk(rule, "text")
    assert told([listed, rule], entry, heading, text) == (
        [(rule.section.id, None), (listed.section.id, rule.section.id)], [heading.chunk.id, text.chunk.id],
    )  # fmt: skip


def test_text_below_a_section_is_its_text() -> None:
    listed, rule = section("B5"), section("B5")
    below, entry = section("B5.1", rule.section), section("B5.1", listed.section)
    text, named = chunk(below, "text"), chunk(entry, "heading")
    assert told([listed, rule], named, text) == (
        [(rule.section.id, None), (listed.section.id, rule.section.id)], [text.chunk.id],
    )  # fmt: skip


@pytest.mark.parametrize(("address", "document"), [("B5.17", RULES), ("B5.16", OTHER)])
def test_sections_of_other_addresses_and_documents_stand_for_themselves(address: str, document: DocumentRef) -> None:
    silent, rule = section(address, document=document), section("B5.16")
    heading, text = chunk(silent, "heading"), chunk(rule, "text")
    assert told([silent, rule], heading, text) == (
        [(silent.section.id, None), (rule.section.id, None)], [heading.chunk.id, text.chunk.id],
    )  # fmt: skip
