"""`lookup_section`: sections by address, in document order, without ranking."""

from uuid import UUID

from shared.domain.knowledge import FoundSection
from shared.errors import BadInput
from shared.filters.selection import Filters
from shared.retrieval.trace import Tracer
from shared.store.connect import Connection
from shared.store.search import section_chunks, sections_by_address
from shared.values.addresses import normalise


def lookup_section(
    connection: Connection, address: str, recursive: bool, filters: Filters, tracer: Tracer
) -> tuple[list[FoundSection], list[UUID]]:
    """Returns (sections, chunk ids): every section in scope with this address; both lists are empty where there is
    none.

    Raises BadInput for text that cannot be an address.
    """
    key = normalise(address)
    if not key:
        raise BadInput("An address is needed, such as C7.6.2, § 31.2 or Table 3.")
    with tracer.step("lookup_section"):
        sections = sections_by_address(connection, [key], filters.values())
        chunk_ids = section_chunks(connection, sections, recursive) if sections else []
    tracer.looked_up(chunk_ids)
    tracer.body.notes["address_key"] = key
    return sections, chunk_ids
