"""`lookup_section`: sections by address, in document order, without ranking."""

from collections.abc import Container, Mapping, Sequence
from uuid import UUID

from shared.domain.knowledge import FoundSection
from shared.errors import BadInput
from shared.filters.selection import Filters
from shared.retrieval.trace import Tracer
from shared.store.connect import Connection
from shared.store.search import FoundChunk, load_chunks, section_chunks, sections_by_address
from shared.values.addresses import has_items, item_of, name_of, normalise


def lookup_section(
    connection: Connection, address: str, recursive: bool, filters: Filters, tracer: Tracer
) -> tuple[list[FoundSection], list[UUID]]:
    """Returns (sections, chunk ids): every section in scope with this address; both lists are empty where there is
    none.

    Raises BadInput for text that cannot be an address.
    """
    key = normalise(address)
    if not key:
        raise BadInput("An address is needed, such as C7.6.2, § 31.2, Table 3 or Parser.parse.")
    keys = list(dict.fromkeys((key, normalise(name_of(address)))))
    with tracer.step("lookup_section"):
        sections = sections_by_address(connection, [one for one in keys if one], filters.values())
        chunk_ids = section_chunks(connection, sections, recursive) if sections else []
    tracer.body.notes["address_key"] = key
    return sections, chunk_ids


def lookup_item(
    connection: Connection, address: str, filters: Filters, tracer: Tracer
) -> tuple[list[FoundSection], list[UUID]]:
    """For an address that no section has: (sections, chunk ids) of the passages with the item that it names within its
    section, as `3.b` does; of the section itself, else of what is below it. Both are empty where there is none."""
    named = item_of(address)
    if named is None:
        return [], []
    section, items = named
    with tracer.step("lookup_item"):
        sections = sections_by_address(connection, [section], filters.values())
        for recursive in (False, True):
            ids = section_chunks(connection, sections, recursive) if sections else []
            if found := chunks_with_items(load_chunks(connection, ids), ids, items):
                tracer.body.notes["address_key"] = f"{section}, item {' '.join(items)}"
                return sections, found
    return [], []


def chunks_with_items(chunks: Mapping[UUID, FoundChunk], ids: Sequence[UUID], items: Sequence[str]) -> list[UUID]:
    """Those of `ids` whose text, or the numbers beside it, has the items."""
    texts = {one: (found.chunk.marked or found.chunk.content) for one in ids if (found := chunks.get(one))}
    return [one for one, text in texts.items() if has_items(text, items)]


def tell_apart(
    sections: Sequence[FoundSection], chunks: Mapping[UUID, FoundChunk], ids: Sequence[UUID]
) -> tuple[list[FoundSection], list[UUID]]:
    """Returns (sections, chunk ids): of several sections of a document with one address those with text come first, and
    the others only say which one that is."""
    found = [chunks[one].chunk for one in ids if one in chunks]
    with_text = {
        step.id for c in found if c.section and c.chunk_type != "heading" for step in (*c.section.path, c.section)
    }
    first: dict[tuple[UUID, str], UUID] = {}
    for one in sections:
        if one.section.id in with_text:
            first.setdefault((one.document.id, normalise(one.section.address or "")), one.section.id)
    told = [_told(one, first, with_text) for one in sections]
    silent = {one.section.id for one in told if one.told_by}
    left_out = {c.id for c in found if c.section and silent & {c.section.id, *(step.id for step in c.section.path)}}
    return sorted(told, key=lambda one: one.told_by is not None), [one for one in ids if one not in left_out]


def _told(one: FoundSection, first: Mapping[tuple[UUID, str], UUID], with_text: Container[UUID]) -> FoundSection:
    if one.section.id in with_text:
        return one
    return one.model_copy(update={"told_by": first.get((one.document.id, normalise(one.section.address or "")))})
