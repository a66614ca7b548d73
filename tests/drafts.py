"""Documents that were assembled and not stored, in the form in which `verify` gets stored ones."""

from collections.abc import Callable, Sequence
from uuid import NAMESPACE_OID, uuid5

from shared.domain.draft import ChunkDraft, DocumentDraft, SectionDraft
from shared.domain.geometry import PageBox
from shared.domain.knowledge import TableCell, TableGrid
from shared.domain.operations import PageOperations
from shared.domain.page import PageFile
from shared.domain.verify import (
    Stored,
    StoredAttribute,
    StoredChunk,
    StoredFigure,
    StoredPage,
    StoredSection,
    StoredSkip,
)


def stored_draft(
    draft: DocumentDraft,
    files: Callable[[int], PageFile | None],
    operations: Callable[[int], PageOperations | None],
    chunks: Sequence[ChunkDraft] | None = None,
) -> Stored:
    """The draft with positions as ids, or only `chunks` of it."""
    every = draft.chunks if chunks is None else chunks
    rows = {summary.page: _page(summary.page, draft, files(summary.page)) for summary in draft.pages}
    return Stored(
        chunks=[_chunk(number, chunk, draft) for number, chunk in enumerate(every)],
        operations=operations,
        files=files,
        pages=rows,
        sections=[_section(section, draft.sections) for section in draft.sections],
        figures=[StoredFigure(str(f.chunk), f.page, f.box, f.caption) for f in draft.figures],
        attributes=[
            StoredAttribute(str(number), attribute.raw, attribute.fragment_ids, attribute.role is not None)
            for number, chunk in enumerate(every)
            for attribute in chunk.attributes
        ],
        table_ids=[str(_table_id(number)) for number in range(len(draft.tables))],
    )


def _page(page: int, draft: DocumentDraft, file: PageFile | None) -> StoredPage:
    skipped = [StoredSkip(one.reason, one.text, one.box) for one in draft.skipped if one.page == page]
    return StoredPage(page, False, file.route if file else None, skipped)


def _chunk(number: int, chunk: ChunkDraft, draft: DocumentDraft) -> StoredChunk:
    whole = chunk.chunk_type == "table" and chunk.table is not None
    return StoredChunk(
        id=str(number),
        content=chunk.content,
        chunk_type=chunk.chunk_type,
        boxes=[box for box in chunk.boxes if isinstance(box, PageBox)],
        ocr=chunk.ocr,
        section_id=None if chunk.section is None else str(chunk.section),
        table_id=None if chunk.table is None else str(_table_id(chunk.table)),
        row=chunk.row,
        table=_grid(draft, chunk.table) if whole and chunk.table is not None else None,
        attrs=chunk.attrs,
    )


def _table_id(number: int) -> object:
    return uuid5(NAMESPACE_OID, str(number))


def _grid(draft: DocumentDraft, number: int) -> TableGrid:
    table = draft.tables[number]
    rows = [[TableCell.model_validate(cell.model_dump()) for cell in row] for row in table.rows]
    return TableGrid(
        id=uuid5(NAMESPACE_OID, str(number)), caption=table.caption, header_rows=table.header_rows,
        first_page=table.first_page, last_page=table.last_page, rows=rows,
    )  # fmt: skip


def _section(section: SectionDraft, every: Sequence[SectionDraft]) -> StoredSection:
    path: list[tuple[str, str | None, str]] = []
    at: int | None = section.index
    while at is not None:
        path.insert(0, (str(at), every[at].address, every[at].title))
        at = every[at].parent
    return StoredSection(
        id=str(section.index),
        parent_id=None if section.parent is None else str(section.parent),
        address=section.address,
        title=section.title,
        depth=section.depth,
        page=section.page,
        captioned=section.captioned,
        path=path,
        keys=[section.address_key] if section.address_key else [],
    )
