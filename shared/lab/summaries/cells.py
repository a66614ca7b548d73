"""Cells of result tables: of each number its dataset, metric and system, by the headers, the row and the caption."""

import re
from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from shared.domain.experiments import ResultCell
from shared.domain.geometry import PageBox
from shared.domain.knowledge import Chunk, TableCell, TableGrid
from shared.extraction.tables.rows import columns_of, width_of
from shared.lab.summaries.headings import SectionPlace
from shared.lab.summaries.numbers import cell_quantity
from shared.lab.summaries.phrases import METRIC_LABEL
from shared.values.names import read_label

_Filled = list[list[TableCell | None]]
EMPTY: Final = frozenset({"", "-", "–", "—", "n/a", "−"})
# Tables that count what there is: no results.
_COUNTS: Final = re.compile(
    r"\b(?:statistics|number of|distribution|counts?|confusion|examples?|mapping|hyper-?parameters)\b", re.I
)
_RESULTS: Final = re.compile(r"\b(?:results?|performance|comparison|evaluation|effects?|scores?)\b", re.I)
_SPLIT: Final = re.compile(
    r"^(?:dev|test|train|valid\w*|training|validation|development|baselines?|proposed|data)\b", re.I
)
# What a caption names after `on`, or before a word for data: `of Linear SVM` names none.
_NAME: Final = r"([A-Z][\w-]*(?:\.\d+)?(?: (?:and|\d[\w.]*) ?(?:[A-Z][\w-]*)?)?)"
_DATA_OF: Final = re.compile(
    rf"\bon (?:the )?{_NAME}|\b(?:for|of) (?:the )?{_NAME} (?:test|dev|validation|training|data|corpus|corpora)", re.M
)


def result_cells(chunks: Sequence[Chunk]) -> list[ResultCell]:
    """Of all result tables among the chunks, in order."""
    rows = {(one.table_id, one.row): one.id for one in chunks if one.chunk_type == "table_row"}
    captions = {one.section.id: one.content for one in chunks if one.chunk_type == "caption" and one.section}
    found = list[ResultCell]()
    for chunk in chunks:
        if chunk.table is None or SectionPlace(chunk.section).aside:
            continue
        caption = chunk.table.caption or (captions.get(chunk.section.id, "") if chunk.section else "")
        found += _Table(chunk.id, chunk.table, " ".join(caption.split()), rows).cells()
    return found


class _Table:
    """A grid with its spans filled: what stands at each row and column."""

    def __init__(self, chunk_id: UUID, grid: TableGrid, caption: str, rows: dict[tuple[UUID | None, int | None], UUID]):
        self._grid, self._caption, self._chunk, self._rows = grid, caption, chunk_id, rows
        self._width = width_of(grid.rows)
        self._filled: _Filled = [[None] * self._width for _ in grid.rows]
        for at, (row, extents) in enumerate(zip(grid.rows, columns_of(grid.rows), strict=True)):
            for cell, extent in zip(row, extents, strict=True):
                for below in range(at, min(len(self._filled), at + cell.row_span)):
                    self._filled[below][extent.start : extent.end] = [cell] * (extent.end - extent.start)
        self._body = range(grid.header_rows, len(grid.rows))
        self._spread()

    def cells(self) -> Iterator[ResultCell]:
        labels = self._row_labels()
        columns = [self._column_words(column) for column in range(self._width)]
        numeric = [c for c in range(labels, self._width) if self._share_of_numbers(c) >= 0.5]
        if not numeric or _COUNTS.search(self._caption):
            return
        named_columns = [c for c in numeric if any(METRIC_LABEL.search(word) for word in columns[c])]
        corner = columns[labels - 1] if labels else []
        group = ""
        for row in self._body:
            texts = [self._text(row, c) for c in range(self._width)]
            filled = {text for text in texts if text not in EMPTY}
            if not any(cell_quantity(text, None) for text in texts[labels:]):
                # A line between groups of rows: the dataset of those below, or how they were made.
                group = next(iter(filled)) if len(filled) == 1 else group
                continue
            words = [text for text in texts[:labels] if text not in EMPTY]
            for column in numeric:
                if (found := self._cell(row, column, words, columns, bool(named_columns), corner, group)) is not None:
                    yield found

    def _cell(
        self, row: int, column: int, words: list[str], columns: list[list[str]], metrics_above: bool, corner: list[str],
        group: str,
    ) -> ResultCell | None:  # fmt: skip
        cell = self._filled[row][column]
        above = columns[column]
        metric_beside = [word for word in words if METRIC_LABEL.search(word)]
        unit = _unit_of([*above, *metric_beside])
        raw = " ".join(cell.text.split()) if cell else ""
        quantity = cell_quantity(raw, unit)
        if cell is None or quantity is None:
            return None
        if metrics_above:
            metric, rest = _metric_of(above)
            system, dataset = " ".join(words), " ".join(rest)
        elif metric_beside:
            metric, system = metric_beside[-1], " ".join(above)
            dataset = " ".join(word for word in words if word not in metric_beside)
        else:
            metric = self._metric_of_caption()
            if not above or not (metric or _RESULTS.search(self._caption)):
                # Nothing says that these numbers measure anything.
                return None
            metric, dataset = (metric, " ".join(above)) if metric else (" ".join(above), "")
            system = " ".join(words)
        if not dataset and _SPLIT.match(group) and not re.match(r"(?i)baseline|proposed", group):
            dataset = group
        if not dataset or _SPLIT.match(dataset):
            dataset = " ".join(filter(None, (self._dataset_of_caption(), dataset)))
        if not system:
            return None
        return ResultCell(
            dataset=re.sub(r"^(?i:data):\s*", "", dataset), metric=metric, system=system, raw=raw, quantity=quantity,
            chunk_id=self._rows.get((self._grid.id, row), self._chunk), table_id=self._grid.id, row=row, column=column,
            caption=self._caption[:300], page=_page(cell), boxes=cell.boxes,
        )  # fmt: skip

    def _row_labels(self) -> int:
        """How many columns from the left have names and no numbers; at least one where the first is empty."""
        count = 0
        while count < self._width - 1 and self._share_of_numbers(count) < 0.5:
            count += 1
        # A first column of ranks or sizes names its rows too.
        return count or 1

    def _share_of_numbers(self, column: int) -> float:
        texts = [text for row in self._body if (text := self._text(row, column)) not in EMPTY]
        return sum(cell_quantity(text, None) is not None for text in texts) / len(texts) if texts else 0.0

    def _text(self, row: int, column: int) -> str:
        cell = self._filled[row][column]
        return " ".join(cell.text.split()) if cell else ""

    def _column_words(self, column: int) -> list[str]:
        """The header's cells above a column, from the top."""
        words = (self._text(row, column) for row in range(self._grid.header_rows))
        return [*dict.fromkeys(word for word in words if word not in EMPTY)]

    def _spread(self) -> None:
        """Writes a label that stands once in a group of rows to all of them. A group begins where a word of the next
        column comes again: `EM`, `F1`, `EM`, `F1` are two groups."""
        for column in range(self._row_labels() - 1):
            groups = list[list[int]]()
            seen = set[str]()
            for row in self._body:
                word = self._text(row, column + 1)
                if word in seen or not groups:
                    groups.append([])
                    seen.clear()
                groups[-1].append(row)
                seen.add(word)
            labels = [[row for row in group if self._text(row, column) not in EMPTY] for group in groups]
            if all(len(found) == 1 for found in labels):
                for group, (labelled,) in zip(groups, labels, strict=True):
                    for row in group:
                        self._filled[row][column] = self._filled[labelled][column]

    def _metric_of_caption(self) -> str:
        found = METRIC_LABEL.search(self._caption)
        return found.group() if found else ""

    def _dataset_of_caption(self) -> str:
        found = _DATA_OF.search(self._caption)
        return (found[1] or found[2]) if found else ""


def _metric_of(above: Sequence[str]) -> tuple[str, list[str]]:
    """The lowest header that names a measure, and the others; `Joint Acc. WoZ 2.0` names a measure, then a dataset."""
    at = (
        max(i for i, word in enumerate(above) if METRIC_LABEL.search(word))
        if any(map(METRIC_LABEL.search, above))
        else None
    )
    if at is None:
        return " ".join(above), []
    rest = [word for i, word in enumerate(above) if i != at]
    word = above[at]
    match = METRIC_LABEL.search(word)
    tail = word[match.end() :].strip(" .:,") if match else ""
    if not rest and re.match(r"[A-Z]", tail):
        return word[: len(word) - len(word[match.end() :])].strip() if match else word, [tail]
    return word, rest


def _unit_of(labels: Sequence[str]) -> str | None:
    """The first unit that a label states, as `Acc. (%)` does."""
    units = (read_label(label)[1].unit for label in labels)
    return next((unit.code for unit in units if unit), None)


def _page(cell: TableCell) -> int | None:
    return min((box.page for box in cell.boxes if isinstance(box, PageBox)), default=None)
