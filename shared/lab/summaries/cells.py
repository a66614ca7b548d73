"""Cells of result tables: of each number its dataset, metric and system, by the headers, the row and the caption."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from shared.domain.experiments import ResultCell
from shared.domain.geometry import PageBox
from shared.domain.knowledge import Chunk, TableCell, TableGrid
from shared.extraction.tables.rows import columns_of, width_of
from shared.lab.summaries.headings import SectionPlace
from shared.lab.summaries.labels import (
    DATA_HEADER,
    EMPTY,
    ESTIMATE,
    MEASURE_DEFINED,
    MEASURE_HEADER,
    TESTED_ON,
    WHOLE,
    dataset_of,
    metric_of,
    nearest_caption,
    split_metric,
    unit_of,
)
from shared.lab.summaries.numbers import cell_quantity
from shared.lab.summaries.phrases import METRIC_LABEL

_Filled = list[list[TableCell | None]]
# Tables that count what there is: no results.
_COUNTS: Final = re.compile(
    r"\b(?:statistics|number of|distribution|counts?|confusion|examples?|mapping|hyper-?parameters)\b", re.I
)
_RESULTS: Final = re.compile(r"\b(?:results?|performance|comparison|evaluation|effects?|scores?)\b", re.I)
_SPLIT: Final = re.compile(
    r"^(?:dev|test|train|valid\w*|training|validation|development|baselines?|proposed|data)\b", re.I
)


# It names no row, and is no one value.
_RANGE: Final = re.compile(r"\d+(?:\.\d+)?\s?[-–]\s?\d+(?:\.\d+)?")


class _Line(NamedTuple):
    """A row as it is read: where two rows stand in one, it is one of them. `words` are the labels' by column."""

    row: int
    words: list[str]
    numbers: dict[int, str]


def result_cells(chunks: Sequence[Chunk]) -> list[ResultCell]:
    """Of all result tables among the chunks, in order."""
    rows = {(one.table_id, one.row): one.id for one in chunks if one.chunk_type == "table_row"}
    measures = frozenset(match[1] for one in chunks for match in MEASURE_DEFINED.finditer(one.content))
    found = list[ResultCell]()
    for at, chunk in enumerate(chunks):
        if chunk.table is None or SectionPlace(chunk.section).float_aside:
            continue
        caption = chunk.table.caption or nearest_caption(chunks, at)
        found += _Table(chunk.id, chunk.table, " ".join(caption.split()), rows, measures).cells()
    return found


class _Table:
    """A grid with its spans filled: what stands at each row and column."""

    def __init__(
        self,
        chunk_id: UUID,
        grid: TableGrid,
        caption: str,
        rows: dict[tuple[UUID | None, int | None], UUID],
        measures: frozenset[str],
    ) -> None:
        """`measures`: short forms that the document defines as such."""
        self._grid, self._caption, self._chunk, self._rows = grid, caption, chunk_id, rows
        self._width = width_of(grid.rows)
        self._filled: _Filled = [[None] * self._width for _ in grid.rows]
        for at, (row, extents) in enumerate(zip(grid.rows, columns_of(grid.rows), strict=True)):
            for cell, extent in zip(row, extents, strict=True):
                for below in range(at, min(len(self._filled), at + cell.row_span)):
                    self._filled[below][extent.start : extent.end] = [cell] * (extent.end - extent.start)
        self._body = range(self._header_rows(), len(grid.rows))
        self._labels = self._row_labels()
        self._spread()
        self._columns = [self._column_words(column) for column in range(self._width)]
        self._numeric = [c for c in range(self._labels, self._width) if self._share_of_numbers(c) >= 0.5]
        self._share_measure(measures)
        self._metrics_above = any(METRIC_LABEL.search(word) for c in self._numeric for word in self._columns[c])
        # The labels' column with a row for all others: its rows are parts of what was tried on.
        self._parts = next((c for c in range(self._labels) if self._has_whole(c)), None)

    def cells(self) -> Iterator[ResultCell]:
        if not self._numeric or _COUNTS.search(self._caption):
            return
        group = ""
        for row in self._body:
            lines = self._lines(row)
            if not any(line.numbers for line in lines):
                # A line between groups of rows: the dataset of those below, or how they were made.
                filled = {text for c in range(self._width) if (text := self._text(row, c)) not in EMPTY}
                group = next(iter(filled)) if len(filled) == 1 else group
            for line in lines:
                for column, raw in line.numbers.items():
                    if (found := self._cell(line, column, raw, group)) is not None:
                        yield found

    def _cell(self, line: _Line, column: int, raw: str, group: str) -> ResultCell | None:
        cell, above = self._filled[line.row][column], self._columns[column]
        beside = [word for c, word in enumerate(line.words) if METRIC_LABEL.search(word) or self._is_measured(c)]
        quantity = cell_quantity(raw, unit_of([*above, *beside]))
        named = self._named(line, above, beside)
        if cell is None or quantity is None or named is None:
            return None
        dataset, metric, system = named
        if not dataset and _SPLIT.match(group) and not re.match(r"(?i)baseline|proposed", group):
            dataset = group
        if not dataset or _SPLIT.match(dataset) or self._parts is not None:
            dataset = " ".join(filter(None, (dataset_of(self._caption), dataset)))
        if not system:
            return None
        return ResultCell(
            dataset=re.sub(r"^(?i:data):\s*", "", dataset), metric=metric, system=system, raw=raw, quantity=quantity,
            chunk_id=self._rows.get((self._grid.id, line.row), self._chunk), table_id=self._grid.id, row=line.row,
            column=column, caption=self._caption[:300], page=_page(cell), boxes=cell.boxes,
        )  # fmt: skip

    def _named(self, line: _Line, above: list[str], beside: list[str]) -> tuple[str, str, str] | None:
        """Dataset, metric and system of a cell; None where nothing says that the number measures anything."""
        data = [word for c, word in enumerate(line.words) if self._is_data(c) and word not in EMPTY]
        words = self._system(line)
        if self._metrics_above:
            metric, rest = split_metric(above)
            # Where no label tells what was tried, the parts that were looked at are told in its place.
            data, words = (data, words) if words else ([], data)
            return " ".join([*data, *rest]), metric, " ".join(words)
        if beside:
            rest = [word for word in (*data, *words) if word not in beside]
            return " ".join(rest), beside[-1], " ".join(above)
        metric = metric_of(self._caption)
        if not above or not (metric or _RESULTS.search(self._caption)):
            return None
        if not metric:
            return " ".join(data), " ".join(above), " ".join(words)
        if not words or (self._parts is not None and not any(map(TESTED_ON.search, above))):
            # The rows are parts of the data: the columns are what was tried.
            return " ".join([*data, *words]), metric, " ".join(above)
        if dataset_of(self._caption) and not any(map(TESTED_ON.search, above)):
            # The caption names the data: a column is a part of the measure.
            return " ".join(data), " ".join([metric, *above]), " ".join(words)
        return " ".join([*above, *data]), metric, " ".join(words)

    def _system(self, line: _Line) -> list[str]:
        """What was tried, by the labels that do not name data; settings in numbers stand behind, with their headers."""
        own = [(c, word) for c, word in enumerate(line.words) if not self._is_data(c) and word not in EMPTY]
        numbers = [c for c, word in own if cell_quantity(word, None)]
        if len(numbers) in (0, len(own)):
            return [word for _, word in own]
        settings = ", ".join(" ".join([*self._columns[c], word]) for c, word in own if c in numbers)
        return [*(word for c, word in own if c not in numbers), f"({settings})"]

    def _has_whole(self, column: int) -> bool:
        return any(WHOLE.match(self._text(row, column)) for row in self._body)

    def _is_data(self, column: int) -> bool:
        """Whether a column of labels names what was tried on."""
        return column == self._parts or any(map(DATA_HEADER.match, self._columns[column]))

    def _is_measured(self, column: int) -> bool:
        """Whether a column of labels names what was measured."""
        estimated = any(ESTIMATE.search(word) for c in self._numeric for word in self._columns[c])
        return not estimated and any(map(MEASURE_HEADER.match, self._columns[column]))

    def _lines(self, row: int) -> list[_Line]:
        """The row; where each of its numbers, and one of its labels, are as many words, a line for each of them."""
        words = [self._text(row, c) for c in range(self._labels)]
        texts = {c: text for c in self._numeric if (text := self._text(row, c)) not in EMPTY}
        parts = {c: text.split() for c, text in texts.items()}
        counts = {len(part) for part in parts.values()}
        double = [at for at, word in enumerate(words) if {len(word.split())} == counts]
        if len(counts) == 1 and counts != {1} and double and all(_all_numbers(text) for text in texts.values()):
            return [
                _Line(row, [w.split()[i] if at == double[-1] else w for at, w in enumerate(words)],
                      {c: part[i] for c, part in parts.items()})
                for i in range(counts.pop())
            ]  # fmt: skip
        return [_Line(row, words, {c: text for c, text in texts.items() if cell_quantity(text, None)})]

    def _header_rows(self) -> int:
        """Rows at the top that hold no number are of the header too, where they repeat a word of it at its place, or
        tell columns apart that have the same word above."""
        count = self._grid.header_rows
        while 0 < count < len(self._filled) - 1:
            texts = [self._text(count, c) for c in range(self._width)]
            above = [self._text(count - 1, c) for c in range(self._width)]
            repeated = any(text and text == self._text(0, c) for c, text in enumerate(texts))
            same = [c for c in range(1, self._width) if above[c] and above[c] == above[c - 1]]
            apart = bool(same) and all(texts[c] and texts[c] != texts[c - 1] for c in same)
            if not (repeated or apart) or any(cell_quantity(text, None) for text in texts):
                break
            count += 1
        return count

    def _share_measure(self, measures: frozenset[str]) -> None:
        """A measure is printed above the middle one of its columns: the others are named by it too."""
        middle = self._numeric[len(self._numeric) // 2] if len(self._numeric) % 2 else 0
        named = {c: self._measure(c, measures) for c in self._numeric}
        if len(named) < 3 or [c for c, word in named.items() if word] != [middle]:
            return
        measure, word = named[middle], self._columns[middle][-1]
        if word == measure or any(len(self._columns[c]) != 1 for c in self._numeric):
            return
        for c in self._numeric:
            self._columns[c] = [word if c == middle else f"{measure} {self._columns[c][0]}"]

    def _measure(self, column: int, measures: frozenset[str]) -> str:
        """The measure that the words above a column begin with; "" for none."""
        for word in self._columns[column]:
            first, found = word.split()[0], METRIC_LABEL.match(word)
            if first in measures or found:
                return found.group() if found else first
        return ""

    def _row_labels(self) -> int:
        """How many columns from the left name their rows: those without numbers, and settings in numbers that stand
        before a column of names; at least one, since a first column of ranks or sizes names its rows too."""
        count = 0
        for column in range(self._width - 1):
            if any(METRIC_LABEL.search(word) for word in self._column_words(column)):
                break
            share = self._share_of_numbers(column)
            if share < 0.5 and (column == count or share == 0.0):
                count = column + 1
        return count or 1

    def _share_of_numbers(self, column: int) -> float:
        texts = [text for row in self._body if (text := self._text(row, column)) not in EMPTY]
        return sum(_all_numbers(text) for text in texts) / len(texts) if texts else 0.0

    def _text(self, row: int, column: int) -> str:
        cell = self._filled[row][column]
        return " ".join(cell.text.split()) if cell else ""

    def _column_words(self, column: int) -> list[str]:
        """The header's cells above a column, from the top."""
        words = (self._text(row, column) for row in range(self._body.start))
        return [*dict.fromkeys(word for word in words if word not in EMPTY)]

    def _spread(self) -> None:
        """Writes a label that stands once in a group of rows to all of them. A group begins where a word of the next
        column comes again: `EM`, `F1`, `EM`, `F1` are two groups."""
        for column in range(self._labels - 1):
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
            if all(len({self._text(row, column) for row in found}) == 1 for found in labels):
                for group, found in zip(groups, labels, strict=True):
                    for row in group:
                        self._filled[row][column] = self._filled[found[0]][column]


def _all_numbers(text: str) -> bool:
    """One number with what belongs to it, a range, or several numbers."""
    return (cell_quantity(text, None) or _RANGE.fullmatch(text)) is not None or (
        len(text.split()) > 1 and all(cell_quantity(word, None) for word in text.split())
    )


def _page(cell: TableCell) -> int | None:
    return min((box.page for box in cell.boxes if isinstance(box, PageBox)), default=None)
