"""Assembles a document from the operations of its pages: sections, chunks, tables, skipped text, counts.

Works through the pages once, in order; of earlier pages it keeps only what the draft itself holds.
"""

from collections.abc import Iterable, Sequence

from shared.domain.draft import ChunkDraft, DocumentDraft, FigureDraft, PageSummary, SkippedDraft
from shared.domain.geometry import FigureBox, PageBox, PictureArea, TextBox
from shared.domain.knowledge import GREEN_FROM
from shared.domain.operations import (
    ChunkType,
    PageOperations,
    RegisterChunk,
    RegisterFigure,
    RegisterSection,
    RegisterTable,
    Skip,
)
from shared.domain.page import PageFile
from shared.extraction.compose import CODE_LINE, LINE, compose_boxes, compose_text, marked_boxes, page_box, text_join
from shared.extraction.confidence import flags_of_chunk
from shared.extraction.lists import SENTENCE_END
from shared.extraction.references import ReferencedPart, Resolver, claimed_references
from shared.extraction.structure import ENGINE, HIDDEN, PARTLY_HIDDEN, broken_flags, hidden_flags
from shared.extraction.tables.assembly import TableAssembly
from shared.extraction.ticks import mark_ticks
from shared.extraction.titles.clauses import open_clauses
from shared.extraction.titles.tree import SectionTree, section_context, title_without
from shared.extraction.validate import unclaimed_fragments

# The most that a flagged chunk is trusted: just less than green.
FLAGGED_MOST = round(GREEN_FROM - 0.01, 2)

_NO_DOUBT = frozenset({"ocr", HIDDEN, PARTLY_HIDDEN})


def assemble(pages: Iterable[tuple[PageFile, PageOperations]]) -> DocumentDraft:
    """Assembles `pages` (in page order, operations validated) into a draft.

    The chunks' contexts hold what the document itself says; its name is for the caller to add.
    """
    assembly = _Assembly()
    for page, operations in pages:
        assembly.add_page(page, operations)
    return assembly.draft()


class _Assembly:
    def __init__(self) -> None:
        self.tree = SectionTree()
        self.chunks: list[ChunkDraft] = []
        self.figures: list[FigureDraft] = []
        self.skipped: list[SkippedDraft] = []
        self.summaries: list[PageSummary] = []
        self.tables = TableAssembly(self.tree, self.chunks, self.skipped)
        self._weights: list[tuple[float, int]] = []
        self._last_text: int | None = None  # the chunk that the first one of the next page may continue

    def add_page(self, page: PageFile, operations: PageOperations) -> None:
        resolver = Resolver(page)
        first = len(self.chunks)
        self.tables.start_page()
        for operation in operations.operations:
            self._add(operation, page, operations, resolver)
        if page.kept is not None:
            self.tables.keep(page.kept, page.page)
        mark_ticks(self.chunks, page, resolver)
        self._summarise(page, operations, _confidence(operations.confidence, self.chunks[first:]))

    def draft(self) -> DocumentDraft:
        self.tables.check()
        told = {chunk.section for chunk in self.chunks if chunk.chunk_type != "heading" and chunk.section is not None}
        moved = self.tree.settle(told, self._mentions())
        for chunk in self.chunks:
            chunk.section = moved[chunk.section] if chunk.section is not None else None
        characters = sum(weight for _, weight in self._weights)
        mean = sum(c * w for c, w in self._weights) / characters if characters else 0.0
        draft = DocumentDraft(
            sections=self.tree.sections,
            chunks=self.chunks,
            tables=self.tables.tables,
            figures=self.figures,
            skipped=self.skipped,
            pages=self.summaries,
            confidence=round(mean, 4),
        )
        open_clauses(draft)
        return draft

    def _mentions(self) -> set[int]:
        """The rules that begin with a heading of the document, number and title, as an entry of its contents does."""
        titles: dict[str | None, list[str]] = {}
        first: dict[int, str] = {}
        for chunk in self.chunks:
            if chunk.section is None:
                continue
            section = self.tree.sections[chunk.section]
            if chunk.chunk_type == "heading" and section.address and section.title:
                titles.setdefault(section.address_key, []).append(chunk.content)
            elif self.tree.is_rule(chunk.section):
                first.setdefault(chunk.section, f"{chunk.content} ")
        return {
            index
            for index, said in first.items()
            if any(said.startswith(f"{title} ") for title in titles.get(self.tree.sections[index].address_key, ()))
        }

    def _add(self, operation: object, page: PageFile, operations: PageOperations, resolver: Resolver) -> None:
        match operation:
            case RegisterSection():
                self._add_section(operation, page.page, operations, resolver)
            case RegisterChunk():
                self._add_chunk(operation, page.page, operations, resolver)
            case RegisterTable():
                self._last_text = None
                self.tables.add(operation, page.page, operations, resolver)
            case RegisterFigure():
                self._add_figure(operation, page, operations, resolver)
            case Skip():
                self._add_skip(operation, page.page, resolver)
            case _:
                return

    def _add_section(
        self, operation: RegisterSection, page: int, operations: PageOperations, resolver: Resolver
    ) -> None:
        parts = resolver.resolve_all(operation.title_fragment_ids)
        printed = compose_text(parts)
        if self.tree.continues(printed):  # skipped text such as a running header ends neither a table nor a sentence
            self.skipped.append(SkippedDraft(page=page, reason="header", text=printed, box=page_box(page, parts)))
            return
        title = title_without(operation.address, printed)
        section = self.tree.open_heading(operation.address, title, operation.depth, page)
        self._push("heading", printed, page, parts, section, operations.confidence, operations)
        self.chunks[-1].formulas = resolver.formulas(parts)
        self._last_text = None
        self.tables.end()

    def _add_chunk(self, operation: RegisterChunk, page: int, operations: PageOperations, resolver: Resolver) -> None:
        parts = resolver.resolve_all(operation.fragment_ids)
        joiner = CODE_LINE if operation.chunk_type == "code" else LINE
        if operation.continues_previous_page and self._continue(parts, page, joiner, operation):
            return
        in_body = operation.chunk_type in ("text", "list", "code", "formula")
        section = self._section_of(operation, page, resolver)
        confidence = min(operation.confidence, operations.confidence)
        self._push(operation.chunk_type, compose_text(parts, joiner), page, parts, section, confidence, operations)
        if operation.stands is not None and operation.stands.title is not None:
            self.chunks[-1].context = section_context(self.tree, section, own=True)
        self.chunks[-1].formulas = resolver.formulas(parts)
        self.chunks[-1].keywords = list(operation.keywords)
        self.chunks[-1].attrs = {a.name: {"raw": a.raw, "value": a.value, "unit": a.unit} for a in operation.attributes}
        if in_body:
            self._last_text = len(self.chunks) - 1
            self.tables.end()

    def _section_of(self, operation: RegisterChunk, page: int, resolver: Resolver) -> int | None:
        """The section that a chunk stands in, or that it opens."""
        stands = operation.stands
        if stands is None:
            return self.tree.open_rule(operation.section, page) if operation.section else self.tree.current
        if stands.title is not None:
            return self.tree.open_named(resolver.resolve(stands.title).text, stands.key, stands.depth, page)
        self.tree.close_to(stands.depth)
        return self.tree.current

    def _continue(self, parts: list[ReferencedPart], page: int, joiner: str, operation: RegisterChunk) -> bool:
        """Appends to the chunk that the previous page left unfinished in the middle of a sentence; returns whether it
        did. Code and running text are joined differently, and continue only their own kind."""
        chunk = self.chunks[self._last_text] if self._last_text is not None else None
        last_page = max((box.page for box in chunk.boxes), default=0) if chunk else 0
        if chunk is None or last_page != page - 1 or SENTENCE_END.search(chunk.content):
            return False
        if (chunk.chunk_type == "code") != (operation.chunk_type == "code"):
            return False
        text = compose_text(parts, joiner)
        join = text_join(chunk.content, text) if joiner == LINE else joiner
        boxes = compose_boxes(page, parts)
        chunk.boxes.extend(marked_boxes(boxes, parts, joiner, len(chunk.content) + len(join)))
        chunk.content = f"{chunk.content}{join}{text}"
        chunk.confidence = min(chunk.confidence, operation.confidence)
        return True

    def _add_figure(
        self, operation: RegisterFigure, file: PageFile, operations: PageOperations, resolver: Resolver
    ) -> None:
        page = file.page
        caption = resolver.resolve_all(operation.caption_fragment_ids)
        labels = resolver.resolve_all(operation.label_fragment_ids)
        figure_box = _figure_box(operation, file, tuple(part.reference for part in labels))
        text = CODE_LINE.join(t for t in (compose_text(caption), compose_text(labels)) if t)
        section = self.tree.add_caption(compose_text(caption), page) if caption else self.tree.current
        self._push("figure", text, page, caption, section, operation.confidence, operations)
        self.chunks[-1].boxes.insert(0, figure_box)
        self.chunks[-1].ocr = any(part.fragment.ocr for part in [*caption, *labels])
        self.figures.append(
            FigureDraft(
                page=page, box=figure_box, caption=compose_text(caption), figure_type=operation.figure_type,
                chunk=len(self.chunks) - 1,
            )
        )  # fmt: skip

    def _add_skip(self, operation: Skip, page: int, resolver: Resolver) -> None:
        parts = resolver.resolve_all(operation.fragment_ids)
        self.skipped.append(
            SkippedDraft(page=page, reason=operation.reason, text=compose_text(parts), box=page_box(page, parts))
        )

    def _push(
        self, kind: ChunkType, content: str, page: int, parts: list[ReferencedPart], section: int | None,
        confidence: float, operations: PageOperations,
    ) -> None:  # fmt: skip
        ocr = any(part.fragment.ocr for part in parts)
        self.chunks.append(
            ChunkDraft(
                section=section,
                chunk_type=kind,
                content=content,
                boxes=marked_boxes(compose_boxes(page, parts), parts, CODE_LINE if kind == "code" else LINE),
                context=section_context(self.tree, section, own=kind == "heading" or section != self.tree.current),
                confidence=min(confidence, operations.confidence),
                flags=[
                    *flags_of_chunk(operations.flags, kind, ocr),
                    *hidden_flags(part.fragment.hidden for part in parts),
                    *(broken_flags([content]) if operations.engine == ENGINE else []),
                ],
                ocr=ocr,
            )
        )

    def _summarise(self, page: PageFile, operations: PageOperations, confidence: float) -> None:
        missing = len(unclaimed_fragments(page, operations))
        skipped = sum(len(list(claimed_references(o))) for o in operations.operations if isinstance(o, Skip))
        total = len(page.fragments)
        self._weights.append((confidence, 50 + sum(len(f.text) for f in page.fragments)))
        self.summaries.append(
            PageSummary(
                page=page.page, confidence=confidence, flags=operations.flags, fragments=total,
                claimed=total - missing - skipped, skipped=skipped, unclaimed=missing,
            )
        )  # fmt: skip


def _figure_box(figure: RegisterFigure, file: PageFile, labels: tuple[str, ...]) -> FigureBox:
    if figure.picture is None:
        box = figure.box
        return PageBox(page=file.page, x=box.x, y=box.y, w=box.w, h=box.h, fragment_ids=labels)
    place = next(one.place for one in file.pictures if one.id == figure.picture)
    area = PictureArea(id=figure.picture, **figure.box.model_dump())
    return TextBox(start=place.start, end=place.end, picture=area, page=file.page, fragment_ids=labels)


def _confidence(confidence: float, chunks: Sequence[ChunkDraft]) -> float:
    """That of a page with these chunks: not green where most of them are flagged. Flagged chunks are not green either
    and lose theirs here, but for flags that only say what a chunk is. That text was recognised is no doubt by itself:
    how surely it was is another flag."""
    flagged = [chunk for chunk in chunks if set(chunk.flags) - _NO_DOUBT]
    for chunk in flagged:
        chunk.confidence = min(chunk.confidence, FLAGGED_MOST)
    return min(confidence, FLAGGED_MOST) if 2 * len(flagged) > len(chunks) else confidence
