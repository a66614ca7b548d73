"""Tables of single pages joined into tables of the document, with a chunk for the whole and one for each body row."""

import itertools
import re

from shared.domain.draft import CellDraft, ChunkDraft, SkippedDraft, TableDraft
from shared.domain.operations import Cell, PageOperations, RegisterTable
from shared.extraction.addresses import components, printed_address
from shared.extraction.compose import LINE, ROW, compose_boxes, compose_row, compose_text, page_box
from shared.extraction.references import Part, Resolver
from shared.extraction.section_tree import SectionTree

MIN_PROSE_LETTERS = 8


class TableAssembly:
    """The document's tables; appends to the chunks and skips of the document as pages come in."""

    def __init__(self, tree: SectionTree, chunks: list[ChunkDraft], skipped: list[SkippedDraft]) -> None:
        self.tables: list[TableDraft] = []
        self._tree = tree
        self._chunks = chunks
        self._skipped = skipped
        self._open: int | None = None  # chunk of the table that the next page may continue
        self._header: list[str] = []
        self._first_on_page = False

    def start_page(self) -> None:
        self._first_on_page = True

    def end(self) -> None:
        """Something else than a table follows: the table on top of the next page is a new one."""
        self._open = None
        self._first_on_page = False

    def add(self, operation: RegisterTable, page: int, operations: PageOperations, resolver: Resolver) -> None:
        grid = [[resolver.resolve_all(cell.fragment_ids) for cell in row] for row in operation.rows]
        caption = resolver.resolve_all(operation.caption_fragment_ids)
        header = _header_texts(operation, grid)
        if self._continues(operation, caption, header):
            grid = self._without_repeated_header(operation, grid, page)
            rows = operation.rows[len(operation.rows) - len(grid) :]
        else:
            self._begin(operation, page, caption, header, operations)
            rows = operation.rows
        self._first_on_page = False
        body_from = operation.header_rows if len(rows) == len(operation.rows) else 0
        self._append(rows, grid, page, body_from, operations, operation)

    def _continues(self, operation: RegisterTable, caption: list[Part], header: list[str]) -> bool:
        """On top of the page, right after a table of as many columns, without a caption or a header of its own."""
        if self._open is None or not self._first_on_page or caption:
            return False
        last = self.tables[-1].rows[-1]
        if sum(c.col_span for c in last) != max(sum(c.col_span for c in row) for row in operation.rows):
            return False
        return not header or header == self._header or operation.continues_previous_page

    def _without_repeated_header(
        self, operation: RegisterTable, grid: list[list[list[Part]]], page: int
    ) -> list[list[list[Part]]]:
        repeated = [part for row in grid[: operation.header_rows] for cell in row for part in cell]
        if not repeated or _header_texts(operation, grid) != self._header:
            return grid
        box = page_box(page, repeated)
        text = ROW.join(compose_row(compose_text(c) for c in row) for row in grid[: operation.header_rows])
        self._skipped.append(SkippedDraft(page=page, reason="repeated_table_header", text=text, box=box))
        return grid[operation.header_rows :]

    def _begin(
        self, operation: RegisterTable, page: int, caption: list[Part], header: list[str], operations: PageOperations
    ) -> None:
        context = self._tree_context()
        section, text = self._tree.current, compose_text(caption)
        if caption:
            self._push("caption", text, section, page, caption, context, operations)
        self.tables.append(
            TableDraft(header_rows=operation.header_rows, rows=[], caption=text, first_page=page, last_page=page)
        )
        self._header = header
        self._push("table", "", section, page, [], _joined(context, text), operations)
        self._chunks[-1].table = len(self.tables) - 1
        self._chunks[-1].confidence = min(operation.confidence, operations.confidence)
        self._open = len(self._chunks) - 1

    def _append(
        self, rows: list[list[Cell]], grid: list[list[list[Part]]], page: int, body_from: int,
        operations: PageOperations, operation: RegisterTable,
    ) -> None:  # fmt: skip
        table, whole = self.tables[-1], self._chunks[self._open or 0]
        table.last_page = page
        addressed = addressed_rows([[compose_text(cell) for cell in row] for row in grid[body_from:]])
        context = _joined(self._tree_context(), table.caption, compose_row(self._header))
        for index, (row, parts) in enumerate(zip(rows, grid, strict=True)):
            table.rows.append([_cell(cell, found, page) for cell, found in zip(row, parts, strict=True)])
            inked = [part for cell in parts for part in cell]
            if not inked:
                continue
            text = compose_row(compose_text(cell) for cell in parts)
            whole.content = ROW.join([whole.content, text]) if whole.content else text
            if index >= body_from:
                address = addressed[index - body_from]
                section = self._tree.add_row(address, page) if address else self._tree.current
                self._push("table_row", text, section, page, inked, context, operations)
                self._chunks[-1].table, self._chunks[-1].row = len(self.tables) - 1, len(table.rows) - 1
                self._chunks[-1].confidence = min(operation.confidence, operations.confidence)
        everything = [part for row in grid for cell in row for part in cell]
        if everything:
            whole.boxes.append(page_box(page, everything))
            whole.ocr = whole.ocr or any(part.fragment.ocr for part in everything)

    def _push(
        self, kind: str, content: str, section: int | None, page: int, parts: list[Part], context: str,
        operations: PageOperations,
    ) -> None:  # fmt: skip
        boxes = [page_box(page, parts)] if parts and kind == "table_row" else compose_boxes(page, parts)
        self._chunks.append(
            ChunkDraft(
                section=section,
                chunk_type="table_row" if kind == "table_row" else "table" if kind == "table" else "caption",
                content=content,
                boxes=[*boxes],
                context=context,
                confidence=operations.confidence,
                flags=list(operations.flags),
                ocr=any(part.fragment.ocr for part in parts),
            )
        )

    def _tree_context(self) -> str:
        path = self._tree.path(self._tree.current)
        steps = [" ".join(p for p in (s.address, s.title) if p) for s in path]
        return " > ".join(step for step in steps if step)


def _joined(*pieces: str) -> str:
    return "\n".join(piece for piece in pieces if piece)


def _cell(cell: Cell, parts: list[Part], page: int) -> CellDraft:
    return CellDraft(
        text=compose_text(parts, LINE), boxes=compose_boxes(page, parts), row_span=cell.row_span, col_span=cell.col_span
    )


def _header_texts(operation: RegisterTable, grid: list[list[list[Part]]]) -> list[str]:
    return [compose_text(cell) for row in grid[: operation.header_rows] for cell in row if cell]


def addressed_rows(rows: list[list[str]]) -> list[str | None]:
    """The address of each row whose first cell is nothing but one and whose other cells hold some prose.

    Two plain numbers (`1.5`) may be a measurement: they count only where the column climbs without repeating.
    """
    found = [_row_address(row) for row in rows]
    plain = [tuple(int(c) for c in components(a)) for a in found if a and re.fullmatch(r"\d+\.\d+", a)]
    if plain and not all(a < b for a, b in itertools.pairwise(plain)):
        return [None if a and re.fullmatch(r"\d+\.\d+", a) else a for a in found]
    return found


def _row_address(row: list[str]) -> str | None:
    inked = [text for text in row if text]
    if len(inked) < 2 or sum(c.isalpha() for c in "".join(inked[1:])) < MIN_PROSE_LETTERS:
        return None
    printed = printed_address(inked[0])
    if printed is None or printed[1] != len(inked[0]) or not any(c.isdigit() for c in printed[0]):
        return None
    return printed[0] if len(components(printed[0])) >= 2 else None
