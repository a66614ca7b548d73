"""The engine of sources without pages: it takes the structure that the source itself has, and reads addresses."""

from collections.abc import Iterable
from typing import Final

from shared.domain.characters import REPLACEMENT
from shared.domain.operations import Operation, PageOperations, RegisterChunk, RegisterSection
from shared.domain.page import PageFile
from shared.extraction.references import Resolver
from shared.values.addresses import components, printed_address

ENGINE: Final = "structure"
STRUCTURE_VERSION: Final = "structure-2"
# Says of a part that rows of its table are no passages.
ROWS_KEPT: Final = "rows_not_searched"
# Says of a part that it has formulas which nobody has calculated.
UNCALCULATED: Final = "uncalculated_formulas"
# How much that lowers a part of whose cells it is true throughout: as a picture of a page that nobody read.
UNCALCULATED_WEIGHT: Final = 0.6
# Say of a part or a passage that its source shows nothing of it, or not all.
HIDDEN: Final = "hidden"
PARTLY_HIDDEN: Final = "partly_hidden"
# Says of a part or a passage that its source has bytes there which are no character.
BROKEN: Final = "broken_characters"
NUMBERED: Final = frozenset({"text", "list"})


def operations_of_structure(page: PageFile) -> PageOperations:
    """The operations that the source's structure is, with the address that a heading or a numbered rule begins with.
    Raises ValueError for a page without structure."""
    if page.structure is None:
        raise ValueError(f"page {page.page} has no structure of its own")
    resolver = Resolver(page)
    return PageOperations(
        page=page.page,
        operations=[_addressed(operation, resolver) for operation in page.structure],
        engine=ENGINE,
        engine_version=STRUCTURE_VERSION,
        confidence=_confidence(page),
        flags=[
            *(flag for flag, holds in ((ROWS_KEPT, page.kept), (UNCALCULATED, page.uncalculated)) if holds),
            *hidden_flags(one.hidden for one in page.fragments),
            *broken_flags(one.text for one in page.fragments),
        ],
    )


def hidden_flags(hidden: Iterable[bool]) -> list[str]:
    """HIDDEN for what is hidden throughout, PARTLY_HIDDEN where some of it is."""
    states = {*hidden}
    return [PARTLY_HIDDEN if len(states) > 1 else HIDDEN] if True in states else []


def broken_flags(texts: Iterable[str]) -> list[str]:
    return [BROKEN] if any(REPLACEMENT in text for text in texts) else []


def _confidence(page: PageFile) -> float:
    """Lowered by the share of its cells that have a formula and no value: what stands there nobody knows."""
    cells = page.uncalculated + len(page.fragments)
    return round(1 - UNCALCULATED_WEIGHT * page.uncalculated / cells, 4) if page.uncalculated else 1.0


def _addressed(operation: Operation, resolver: Resolver) -> Operation:
    match operation:
        case RegisterSection(address=None):
            address = _address(operation.title_fragment_ids, resolver)
            return operation.model_copy(update={"address": address}) if address else operation
        case RegisterChunk(section=None) if operation.chunk_type in NUMBERED:
            found = _address(operation.fragment_ids, resolver)
            rule = found if found and len(components(found)) > 1 else None
            return operation.model_copy(update={"section": rule}) if rule else operation
        case _:
            return operation


def _address(references: list[str], resolver: Resolver) -> str | None:
    printed = printed_address(resolver.resolve(references[0]).text)
    return printed[0] if printed else None
