"""Verifies that a stored document says what its source says, character by character.

The reference is the single characters that a PDF library finds on each page. Stored pages are verified against it
(every fragment has its characters, every character has a fragment); stored chunks, tables, sections, figures and values
against the pages, and operations against both. What stored rows claim of each page must be all of it, exactly once. A
second PDF library reads every line again. OCR text has no source text to be compared with: it is compared with the
stored page, counted separately, and accepted only where the source has a picture and no text.
"""

import gc
from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from shared.domain.geometry import Box, PageBox, Tick
from shared.domain.kept_rows import KeptBlock, KeptRows
from shared.domain.page import PageFile
from shared.domain.raw_page import RawPictures, RereadableSource, SecondReader, SecondText, StructuredSource
from shared.domain.verify import Stored, StoredAttribute, StoredChunk, StoredFigure, StoredPage, VerifyReport
from shared.verify import sections as headed
from shared.verify.attributes import check_attributes
from shared.verify.chunks import Boxed, check_boxes, check_lines, check_markers, check_text
from shared.verify.claims import Held, PageClaims, claim_failures, skip_failures
from shared.verify.figures import check_figure
from shared.verify.labels import check_ticks, lost_ticks
from shared.verify.operations import operation_failures
from shared.verify.page import ProvenPage, Wrong, prove_page
from shared.verify.parts import PartProver
from shared.verify.report import Checked, count_beyond, count_chunk, count_page
from shared.verify.tables import ProvenTable, cells_on, check_row, check_table, row_failures


def verify_document(source: RereadableSource, second: SecondReader, stored: Stored) -> VerifyReport:
    """Verifies every chunk and every page. A page of which nothing is stored is a failure, whether it could be read or
    not."""
    return _Proof(_Pages(source, second), stored).report


def verify_parts(source: StructuredSource, second: SecondText, stored: Stored) -> VerifyReport:
    """The same of a source without pages: its parts are read again, and another library's text has every word of them,
    and no other."""
    return _Proof(PartProver(source, second), stored).report


class _Prover(Protocol):
    """Reads the source again."""

    @property
    def page_count(self) -> int: ...

    def prove(self, number: int, row: StoredPage | None, file: PageFile | None) -> ProvenPage: ...

    def pictures(self, page: int) -> RawPictures: ...

    def kept_failure(self, number: int, kept: KeptRows, block: KeptBlock | None) -> Wrong | None: ...

    def left_over(self) -> tuple[Wrong | None, str]: ...


class _Pages:
    """Proves the pages of a source that has some."""

    def __init__(self, source: RereadableSource, second: SecondReader) -> None:
        self._source, self._second = source, second
        self.page_count, self.pictures = source.page_count, source.pictures

    def left_over(self) -> tuple[Wrong | None, str]:
        return None, ""

    def kept_failure(self, number: int, kept: KeptRows, block: KeptBlock | None) -> Wrong | None:
        return Wrong("rows", f"no rows beside page {number}", f"{kept.rows} rows")

    def prove(self, number: int, row: StoredPage | None, file: PageFile | None) -> ProvenPage:
        with _uncollected():
            return prove_page(self._source, self._second, number, row, file)


class _Proof:
    def __init__(self, source: _Prover, stored: Stored) -> None:
        self._source, self._stored = source, stored
        self._pages: dict[int, ProvenPage] = {}
        self._claims: dict[int, PageClaims] = defaultdict(PageClaims)
        self._tables: dict[str, ProvenTable | None] = {}
        self._captions: dict[int, set[str]] = defaultdict(set)
        self._wrong: dict[int, list[Wrong]] = defaultdict(list)
        self._figures: Mapping[str, StoredFigure] = {figure.chunk_id: figure for figure in stored.figures}
        self._attributes: dict[str, list[StoredAttribute]] = defaultdict(list)
        for attribute in stored.attributes:
            self._attributes[attribute.chunk_id].append(attribute)
        self._sections = {section.id: section for section in stored.sections}
        self.report = VerifyReport()
        for chunk in stored.chunks:
            count_chunk(self.report, self._checked(chunk))
        self._check_rest()

    def _page(self, number: int) -> ProvenPage:
        if number not in self._pages:
            row, file = self._stored.pages.get(number), self._stored.files(number)
            self._pages[number] = self._source.prove(number, row, file)
        return self._pages[number]

    def _checked(self, chunk: StoredChunk) -> Checked:
        checked = Checked(chunk)
        boxed = check_lines(checked, self._page, self._source.page_count)
        if boxed is None:
            self._claim_named(chunk)
            return checked
        check_boxes(checked, boxed)
        check_markers(checked, boxed)
        check_ticks(checked, boxed, self._pages)
        self._check_kind(checked, boxed)
        check_attributes(checked, self._attributes.pop(chunk.id, []), self._page)
        return checked

    def _check_kind(self, checked: Checked, boxed: Boxed) -> None:
        chunk = checked.chunk
        if chunk.chunk_type == "table_row":
            check_row(checked, boxed, self._tables.get(chunk.table_id or ""), self._page)
            return
        if chunk.chunk_type == "table":
            table = check_table(checked, boxed, self._page)
            self._check_caption(checked, table)
            if chunk.table_id in self._tables:
                checked.fail("table", boxed[0][0].page, "one chunk of each table", chunk.table_id)
            self._tables[chunk.table_id or ""] = table
            self._claim_table(chunk, table)
            return
        check_text(checked, boxed)
        if chunk.chunk_type == "caption":
            self._captions[boxed[0][0].page].add(chunk.content)
        if chunk.chunk_type == "heading":
            self._check_heading(checked, boxed)
        if chunk.chunk_type == "figure":
            figure = self._figures.get(chunk.id)
            check_figure(checked, boxed, figure, self._page(boxed[0][0].page), self._source.pictures)
        self._claim_named(chunk)

    def _check_heading(self, checked: Checked, boxed: Boxed) -> None:
        section = self._sections.get(checked.chunk.section_id or "")
        if section is None or not headed.is_heading_of(checked.chunk.content, (section.address, section.title)):
            said = f"{section.address or ''} {section.title}".strip() if section else "no section"
            checked.fail("section", boxed[0][0].page, checked.chunk.content, said)

    def _check_caption(self, checked: Checked, table: ProvenTable | None) -> None:
        if table and table.grid.caption and table.grid.caption not in self._captions[table.grid.first_page]:
            checked.fail("table", table.grid.first_page, "a caption of the page", table.grid.caption)

    def _claim_named(self, chunk: StoredChunk) -> None:
        """Records what the chunk says that it claims, whether or not that is right."""
        if chunk.chunk_type == "table_row":
            return
        boxes = chunk.boxes
        labels = boxes[:1] if chunk.chunk_type == "figure" else []
        first = min([box.page for box in boxes], default=0)
        for page in dict.fromkeys(box.page for box in boxes):
            named = [r for box in boxes[len(labels) :] if box.page == page for r in box.fragment_ids]
            inside = [r for box in labels if box.page == page for r in box.fragment_ids]
            ticks = _ticks_on(page, boxes)
            held = Held(chunk.id, chunk.chunk_type, page == first, tuple(named), tuple(inside), ticks=ticks)
            self._claims[page].held.append(held)

    def _claim_table(self, chunk: StoredChunk, table: ProvenTable | None) -> None:
        if table is None:
            self._claim_named(chunk)
            return
        boxes = chunk.boxes
        first = min([box.page for box in boxes])
        for page in dict.fromkeys(box.page for box in boxes):
            named = tuple(r for box in boxes if box.page == page for r in box.fragment_ids)
            rows = tuple(cells_on(table.grid, page))
            ticks = _ticks_on(page, boxes)
            held = Held(chunk.id, "table", page == first, named, (), rows, table.grid.header_rows, ticks)
            self._claims[page].held.append(held)

    def _check_rest(self) -> None:
        """Checks what remains when all chunks have been seen."""
        for table in self._tables.values():
            for page, wrong in row_failures(table) if table else ():
                self._wrong[page].append(wrong)
        for lost in sorted(set(self._stored.table_ids) - set(self._tables)):
            self._wrong[0].append(Wrong("table", "a chunk of each table", lost))
        seen = {one.chunk_id for claims in self._claims.values() for one in claims.held if one.kind == "figure"}
        for lost in sorted(set(self._figures) - seen):
            self._wrong[self._figures[lost].page].append(Wrong("figure", "the chunk of a figure", lost))
        for page, wrong in headed.path_failures(self._stored.sections):
            self._wrong[page or 0].append(wrong)
        sections = headed.by_page(self._stored.sections)
        for page in range(1, self._source.page_count + 1):
            proven = self._page(page)
            self._wrong[page] += [*proven.wrong, *self._page_failures(page, sections), *self._kept_failures(page)]
            if proven.beyond:
                count_beyond(self.report, page, proven.beyond)
        unread, rest = self._source.left_over()
        if unread:
            self._wrong[0].append(unread)
        if rest:
            count_beyond(self.report, self._source.page_count, rest)
        beyond = {page for page in [*self._stored.pages, *sections] if not page or page > self._source.page_count}
        for page in beyond:
            self._wrong[page or 0].append(Wrong("page", f"{self._source.page_count} pages", f"page {page}"))
        for page in sorted(self._wrong):
            count_page(self.report, page or None, self._wrong[page])

    def _kept_failures(self, number: int) -> Iterator[Wrong]:
        file = self._page(number).file
        kept, counted = file.kept if file else None, self._stored.kept_rows.get(number, 0)
        if counted != (kept.rows if kept else 0):
            yield Wrong("rows", f"{kept.rows if kept else 0} rows beside the part", f"{counted}")
        if kept and (wrong := self._source.kept_failure(number, kept, self._stored.kept(number))):
            yield wrong

    def _page_failures(self, number: int, sections: Mapping[int | None, list[headed.StoredSection]]) -> list[Wrong]:
        page, row = self._page(number), self._stored.pages.get(number)
        if page.file is None or row is None:
            return []
        claims, operations = self._claims[number], self._stored.operations(number)
        claimed, unclaimed = claim_failures(page, claims, row.skipped)
        self.report.unclaimed_fragments += unclaimed
        repeated = {tuple(skip.box.fragment_ids) for skip in row.skipped if skip.reason == "header"}
        headlines = headed.headlines_of(operations, page.lines)
        again = headed.repeated_headings(operations, repeated)
        return [
            *claimed,
            *skip_failures(page, row.skipped),
            *lost_ticks(page, *_ticked(claims)),
            *operation_failures(number, page.lines, operations, claims.held, row.skipped),
            *headed.section_failures(number, sections.get(number, []), headlines, again),
        ]


def _ticked(claims: PageClaims) -> tuple[list[Tick], list[str]]:
    """The boxes to tick that chunks hold, and the fragments of chunks that could hold some."""
    texts = [one for one in claims.held if one.kind != "figure"]
    return [tick for one in claims.held for tick in one.ticks], [r for one in texts for r in one.references]


def _ticks_on(page: int, boxes: Sequence[Box]) -> tuple[Tick, ...]:
    return tuple(tick for box in boxes if isinstance(box, PageBox) and box.page == page for tick in box.ticks)


@contextmanager
def _uncollected() -> Generator[None]:
    """Pauses the collection of cyclic garbage. A page's characters are very many objects and in no cycle; looking
    through them again and again took as long as comparing them."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
