"""Joins the tables of single pages into tables of the document, with a chunk for the whole table and one per body
row."""

from collections.abc import Sequence
from typing import NamedTuple

from shared.domain.cell_formulas import CellFormula
from shared.domain.draft import CellDraft, ChunkDraft, FormValue, SkippedDraft, TableDraft
from shared.domain.geometry import Box, PageBox
from shared.domain.kept_rows import KeptRows
from shared.domain.operations import Cell, ChunkType, PageOperations, RegisterTable
from shared.errors import AutriError
from shared.extraction.compose import LINE, ROW, compose_boxes, compose_row, compose_text, page_box, text_join
from shared.extraction.confidence import flags_of_chunk
from shared.extraction.references import ReferencedPart, Resolver
from shared.extraction.structure import ENGINE, UNCALCULATED, broken_flags, hidden_flags
from shared.extraction.tables.groups import Groups, indent_of
from shared.extraction.tables.pairs import labelled_form, type_of_labels, values_of_form
from shared.extraction.tables.rows import (
    Extent,
    addressed_rows,
    column_labels,
    columns_of,
    goes_on,
    is_label,
    labelled_row,
    reaching_down,
    width_of,
)
from shared.extraction.titles.tree import SectionTree

# The left or right edges of parts of one table differ by at most this share of the page's width.
SAME_EDGE = 0.03


class _Arrival(NamedTuple):
    """A table of one page: its cells, their fragments, texts and formulas, the values of its rows that are a form's,
    and the bounding box of the whole."""

    operation: RegisterTable
    operations: PageOperations
    page: int
    rows: list[list[Cell]]
    parts: list[list[list[ReferencedPart]]]
    texts: list[list[str]]
    header: list[list[str]]
    values: list[list[FormValue]]
    box: Box
    formulas: list[list[CellFormula | None]]


class TableAssembly:
    """Collects the document's tables, and appends to the document's chunks and skips, page by page."""

    def __init__(self, tree: SectionTree, chunks: list[ChunkDraft], skipped: list[SkippedDraft]) -> None:
        self.tables: list[TableDraft] = []
        self._tree = tree
        self._chunks = chunks
        self._skipped = skipped
        self._whole: ChunkDraft | None = None  # chunk of the table that the next page may continue
        self._first_on_page = False
        self._labels: list[str] = []
        self._groups = Groups()
        self._width = 0

    def start_page(self) -> None:
        self._first_on_page = True

    def end(self) -> None:
        """Called when something other than a table follows: a table at the top of the next page is then a new one."""
        self._whole = None

    def add(self, operation: RegisterTable, page: int, operations: PageOperations, resolver: Resolver) -> None:
        arrival = _arrival(operation, page, operations, resolver)
        caption = resolver.resolve_all(operation.caption_fragment_ids)
        whole = self._whole if self._continues(arrival, caption) else None
        repeated = self._skip_repeated_header(arrival) if whole else 0
        if whole is None:
            whole = self._begin(arrival, caption)
        self._first_on_page = False
        self._append(arrival, whole, repeated, 0 if self.tables[-1].rows else len(arrival.header))

    def keep(self, rows: KeptRows, page: int) -> None:
        """Says which rows follow those of the page's last table. Raises AutriError where it has none."""
        if not self.tables or self.tables[-1].first_page != page:
            raise AutriError(
                f"Part {page} has {rows.rows:,} rows without passages and no table that they belong to: somebody left"
                " it out. Take the edits of that part back."
            )
        self.tables[-1].kept = rows

    def check(self) -> None:
        """Raises AutriError unless every row of every table is in its header or has a chunk of its own."""
        chunks = [0] * len(self.tables)
        for chunk in self._chunks:
            if chunk.chunk_type == "table_row" and chunk.table is not None:
                chunks[chunk.table] += 1
        for table, count in zip(self.tables, chunks, strict=True):
            if len(table.rows) != table.header_rows + count:
                raise AutriError(
                    f"The table from page {table.first_page} has {len(table.rows)} rows, of which {table.header_rows}"
                    f" are its header, but {count} chunks of rows. Report this, with the document."
                )

    def _continues(self, arrival: _Arrival, caption: list[ReferencedPart]) -> bool:
        """Whether the table is at the top of the page, directly after a table in the same horizontal position with the
        same header or none. A source without pages says itself what its tables are."""
        whole, box = self._whole, arrival.box
        if whole is None or not self._first_on_page or caption or not arrival.texts:
            return False
        last = whole.boxes[-1]
        if arrival.operation.continues_previous_page:
            return True
        if not isinstance(last, PageBox) or not isinstance(box, PageBox):
            return False
        if self._repeats(arrival):
            return True
        if width_of(arrival.rows) != self._width:
            return False
        same_place = abs(last.x - box.x) <= SAME_EDGE or abs(last.right - box.right) <= SAME_EDGE
        return same_place and not arrival.header and last.page == arrival.page - 1

    def _repeats(self, arrival: _Arrival) -> int:
        """The number of leading rows that repeat the open table's header."""
        count = self.tables[-1].header_rows
        header = [[cell.text for cell in row if cell.text] for row in self.tables[-1].rows[:count]]
        return count if header and header == [[t for t in row if t] for row in arrival.texts[:count]] else 0

    def _skip_repeated_header(self, arrival: _Arrival) -> int:
        count = self._repeats(arrival)
        if count:
            repeated = [part for row in arrival.parts[:count] for cell in row for part in cell]
            text = ROW.join(compose_row(row) for row in arrival.texts[:count])
            box = page_box(arrival.page, repeated)
            self._skipped.append(SkippedDraft(page=arrival.page, reason="repeated_table_header", text=text, box=box))
        return count

    def _begin(self, arrival: _Arrival, caption: list[ReferencedPart]) -> ChunkDraft:
        text, page = compose_text(caption), arrival.page
        section = self._tree.add_caption(text, page) if caption else self._tree.current
        context = self._section_context()
        if caption:
            self._push("caption", text, section, compose_boxes(page, caption), context, arrival, caption)
        header = len(arrival.header)
        self.tables.append(TableDraft(header_rows=header, rows=[], caption=text, first_page=page, last_page=page))
        self._labels = column_labels(columns_of(arrival.rows), arrival.texts, header)
        self._groups, self._width = Groups(), width_of(arrival.rows)
        self._push("table", "", section, [], _joined(context, text), arrival, [])
        self._chunks[-1].table = len(self.tables) - 1
        self._whole = self._chunks[-1]
        return self._chunks[-1]

    def _append(self, arrival: _Arrival, whole: ChunkDraft, first: int, header: int) -> None:
        table, page = self.tables[-1], arrival.page
        places = columns_of(arrival.rows)
        above = reaching_down(arrival.rows, places, arrival.texts)
        body = max(first, header)
        addresses: list[str | None] = [*[None] * body, *addressed_rows(arrival.texts[body:])]
        inked = [part for row in arrival.parts[first:] for cell in row for part in cell]
        whole.content = _joined(whole.content, *(compose_row(row) for row in arrival.texts[first:]))
        if inked:
            whole.boxes.append(page_box(page, inked))
        whole.ocr = whole.ocr or any(part.fragment.ocr for part in inked)
        flags = flags_of_chunk(arrival.operations.flags, "table", whole.ocr)
        flags += hidden_flags(part.fragment.hidden for part in inked)
        whole.flags = list(dict.fromkeys([*whole.flags, *flags]))
        for index in range(first, len(arrival.rows)):
            one_row = zip(arrival.rows[index], arrival.parts[index], arrival.formulas[index], strict=True)
            cells = [_cell(cell, parts, formula, page) for cell, parts, formula in one_row]
            if index == first and page > table.last_page and self._join_row(cells, places[index]):
                continue
            table.rows.append(cells)
            if arrival.values[index] and (header or not table.header_rows or table.values):
                table.values[len(table.rows) - 1] = arrival.values[index]
            if index >= header:
                self._push_row(arrival, index, places[index], addresses[index], above.get(index, []))
        table.last_page = page

    def _push_row(
        self, arrival: _Arrival, index: int, places: list[Extent], address: str | None,
        above: Sequence[tuple[Extent, str]],
    ) -> None:  # fmt: skip
        texts, parts = arrival.texts[index], [part for cell in arrival.parts[index] for part in cell]
        section = self._tree.add_row(address, arrival.page) if address else self._tree.current
        first = compose_boxes(arrival.page, arrival.parts[index][0]) if texts[0] else []
        groups = self._groups.enter(texts[0], indent_of(texts[0], first), is_label(texts, self._width))
        context = _joined(self._section_context(), self.tables[-1].caption, *groups)
        box = page_box(arrival.page, parts)
        self._push("table_row", compose_row(texts), section, [box], context, arrival, parts)
        chunk = self._chunks[-1]
        chunk.table, chunk.row = len(self.tables) - 1, len(self.tables[-1].rows) - 1
        chunk.formulas = [formula for formula in arrival.formulas[index] if formula is not None]
        if not all(formula.calculated for formula in chunk.formulas):
            chunk.flags.append(UNCALCULATED)
        chunk.labelled = self._labelled(texts) or labelled_row(places, texts, self._labels, above)

    def _labelled(self, texts: list[str]) -> str:
        """The table's last row as a form's; "" where it is none, and below a header."""
        table = self.tables[-1]
        if table.header_rows:
            return ""
        return labelled_form(texts, table.values.get(len(table.rows) - 1, ()))

    def _join_row(self, cells: list[CellDraft], places: list[Extent]) -> bool:
        """Appends a row that a page break divided to its first part. Returns False where the row is a new one."""
        table, chunk = self.tables[-1], self._chunks[-1]
        last = table.rows[-1] if len(table.rows) > table.header_rows else []
        if chunk.row is None or not _same_columns(last, cells):
            return False
        if not goes_on([cell.text for cell in last], [cell.text for cell in cells]):
            return False
        for above, below in zip(last, cells, strict=True):
            above.text += (text_join(above.text, below.text) if above.text and below.text else "") + below.text
            above.boxes.extend(below.boxes)
            above.row_span = below.row_span
        texts = [cell.text for cell in last]
        chunk.content = compose_row(texts)
        chunk.labelled = self._labelled(texts) or labelled_row(places, texts, self._labels)
        chunk.boxes = [box for cell in last for box in cell.boxes]
        return True

    def _push(
        self, kind: ChunkType, content: str, section: int | None, boxes: list[Box], context: str,
        arrival: _Arrival, parts: Sequence[ReferencedPart],
    ) -> None:  # fmt: skip
        ocr = any(part.fragment.ocr for part in parts)
        self._chunks.append(
            ChunkDraft(
                section=section,
                chunk_type=kind,
                content=content,
                boxes=[*boxes],
                context=context,
                confidence=min(arrival.operation.confidence, arrival.operations.confidence),
                flags=[
                    *flags_of_chunk(arrival.operations.flags, kind, ocr),
                    *hidden_flags(part.fragment.hidden for part in parts),
                    *(broken_flags([content]) if arrival.operations.engine == ENGINE else []),
                ],
                ocr=ocr,
            )
        )

    def _section_context(self) -> str:
        path = self._tree.path(self._tree.current)
        steps = [" ".join(p for p in (s.address, s.title) if p) for s in path]
        return " > ".join(step for step in steps if step)


def _arrival(operation: RegisterTable, page: int, operations: PageOperations, resolver: Resolver) -> _Arrival:
    parts = [[resolver.resolve_all(cell.fragment_ids) for cell in row] for row in operation.rows]
    kept = [index for index, row in enumerate(parts) if any(row)]
    rows = [[_shortened(cell, index, kept) for cell in operation.rows[index]] for index in kept]
    parts = [parts[index] for index in kept]
    texts = [[compose_text(cell) for cell in row] for row in parts]
    # A form whose cells have labels of their own has no header.
    printed = type_of_labels(parts)
    header = [] if printed else texts[: sum(index < operation.header_rows for index in kept)]
    box = page_box(page, [part for row in parts for cell in row for part in cell])
    values = values_of_form(texts, parts, printed, len(header))
    formulas = [
        [resolver.formula(said, cell.place) for cell, said in zip(row, cells, strict=True)]
        for row, cells in zip(rows, parts, strict=True)
    ]
    return _Arrival(operation, operations, page, rows, parts, texts, header, values, box, formulas)


def _shortened(cell: Cell, row: int, kept: Sequence[int]) -> Cell:
    """The cell with its row span reduced to rows that are kept."""
    if cell.row_span == 1:
        return cell
    span = sum(row <= index < row + cell.row_span for index in kept)
    return cell.model_copy(update={"row_span": span})


def _same_columns(above: Sequence[CellDraft], below: Sequence[CellDraft]) -> bool:
    return [c.col_span for c in above] == [c.col_span for c in below] and all(c.row_span == 1 for c in above)


def _joined(*pieces: str) -> str:
    return "\n".join(piece for piece in pieces if piece)


def _cell(cell: Cell, parts: list[ReferencedPart], formula: CellFormula | None, page: int) -> CellDraft:
    made = CellDraft(
        text=compose_text(parts, LINE), boxes=compose_boxes(page, parts), row_span=cell.row_span, col_span=cell.col_span
    )
    if formula is not None:
        made.formula, made.calculated = formula.formula, formula.calculated
    return made
