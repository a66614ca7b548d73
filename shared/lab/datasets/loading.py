"""The rows of a dataset's tables, in the database of a run."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final
from uuid import UUID

import numpy as np

from shared.domain.datasets import NUMERIC, SHEETS, Cell, ColumnSource, DatasetColumn, DatasetNote
from shared.domain.kept_rows import KeptBlock
from shared.errors import BadInput, StillReading
from shared.lab.datasets.engine import Sandbox
from shared.lab.datasets.kept import KEPT_FROM_ROWS, KeptColumns, ParquetReader
from shared.lab.datasets.labels import read_labels
from shared.lab.datasets.relations import ROW_SHIFT, SQL_TYPES, TABLE_SHIFT, Column, Relation
from shared.library.kept_rows import read_block
from shared.library.table_columns import (
    are_mixed,
    has_spread,
    is_empty,
    printed_decimals,
    read_distinct,
    read_spreads,
    with_decimals,
)
from shared.ports import BlobStore
from shared.store import datasets as rows
from shared.store.connect import Connection, Row
from shared.values.grids import filled, tidy

BASE_ROWS_MAX: Final = 1_048_576
TABLES_AT_ONCE: Final = 200
# Columns of long tables are kept in pieces of so many rows. Who asks first makes pieces for so long, one at least, and
# asks again for the others: a request has to answer within a minute (CloudFront).
PIECE_ROWS: Final = 100_000
MAKING_S: Final = 8.0
# How numbers and dates are written is read of a piece together with so many tables of its document.
SAMPLE_TABLES: Final = 25

# Of a column which cells do not read as its type, and of which a spread is left out; each text with how often.
Unread = tuple[DatasetColumn, Counter[str], Counter[str]]


class TableTexts:
    """The texts of a table's cells below its header; a cell over several rows or columns counts for each. Those of
    `block` follow."""

    def __init__(self, stored: Row, block: KeptBlock | None = None) -> None:
        self.id: UUID = stored["id"]
        self.document_id: UUID = stored["document_id"]
        self.header_rows: int = stored["header_rows"]
        self.caption: str = stored["caption"]
        self.first_page: int = stored["first_page"]
        self._grid = filled(stored["rows"])[self.header_rows :]
        self._block = block

    def __len__(self) -> int:
        return len(self._grid) + (len(self._block.numbers) if self._block else 0)

    @property
    def rows(self) -> Iterator[list[str]]:
        yield from self._grid
        if self._block:
            yield from ([*map(tidy, row)] for row in zip(*self._block.texts, strict=True))

    def column(self, at: int) -> list[str]:
        kept = self._block.texts[at] if self._block and at < len(self._block.texts) else []
        return [*(row[at] if at < len(row) else "" for row in self._grid), *map(tidy, kept)]


def read_texts(connection: Connection, blobs: BlobStore | None, tables: Sequence[UUID]) -> Iterator[TableTexts]:
    """In order, those that are there, some at a time; without `blobs` no rows that are kept beside their document."""
    for at in range(0, len(tables), TABLES_AT_ONCE):
        for stored in rows.texts_of_tables(connection, tables[at : at + TABLES_AT_ONCE]):
            yield TableTexts(stored, read_block(blobs, stored) if blobs else None)


class TextsAhead:
    """Texts of tables that are asked for in order, read many at a time, whichever documents they are of."""

    def __init__(self, connection: Connection, blobs: BlobStore, tables: Sequence[UUID]) -> None:
        self._connection, self._blobs, self._tables = connection, blobs, tables
        self._asked = self._begun = 0
        self._read: dict[UUID, TableTexts] = {}

    def next(self, count: int) -> list[TableTexts]:
        """The next `count` of them, those that are there."""
        wanted = self._tables[self._asked : self._asked + count]
        self._asked += count
        while self._begun < self._asked:
            batch = self._tables[self._begun : self._begun + TABLES_AT_ONCE]
            self._begun += len(batch)
            self._read |= {one.id: one for one in read_texts(self._connection, self._blobs, batch)}
        return [self._read.pop(table) for table in wanted if table in self._read]


class Loader:
    """Fills the database of one run. A table has one place among those of the run, which stands in the numbers of its
    rows."""

    def __init__(self, sandbox: Sandbox, blobs: BlobStore) -> None:
        self.sandbox, self._blobs = sandbox, blobs
        self.tables: list[UUID] = []
        self.origins: list[tuple[str, str]] = []  # Document and version of each.
        self.printed: list[int] = []  # Of each the number of the printed table that it is a part of.
        self._bases = 0
        self._spreads = 0
        self._unlabelled: list[range] = []  # Places of each base whose labels nobody has asked for.
        self._making_s = 0.0
        self._reader = ParquetReader()
        self._short: set[UUID] = set()
        self._unread: list[Unread] = []

    def load(self, connection: Connection, tables: Sequence[Row], columns: Sequence[DatasetColumn]) -> Relation:
        """`tables` as `store.datasets.tables_of` has them. Raises BadInput for more than BASE_ROWS_MAX rows,
        StillReading where columns of long tables have to be made first."""
        if sum(row["rows"] for row in tables) > BASE_ROWS_MAX:
            raise BadInput(f"The dataset has more than {BASE_ROWS_MAX:,} rows. Make one of fewer tables.")
        name = f"base{self._bases}"
        self._bases += 1
        if self._bases == 1:
            self._unread = [(column, Counter(), Counter()) for column in columns]
        self.sandbox.fill(name, *_filled(columns), read_arrays([], columns))
        documents = [[*grouped] for _, grouped in groupby(tables, lambda row: row["document_id"])]
        few = [row["id"] for one in documents if not _is_long(one) for row in one]
        short = TextsAhead(connection, self._blobs, few)
        first = len(self.tables)
        with ParquetReader() as self._reader:
            decimals = self._load(connection, documents, columns, name, short)
        self._unlabelled.append(range(first, len(self.tables)))
        own = frozenset(str(row["id"]) for row in tables)
        placed = [
            _placed(f"{name}_{at}", column, found, ColumnSource(own, at))
            for at, (column, found) in enumerate(zip(columns, decimals, strict=True))
        ]
        listed = [f"b{at} as {one.name}" for at, one in enumerate(placed)]
        listed += [f"d{at} as {one.printed}" for at, one in enumerate(placed) if one.printed]
        return Relation(f"select o, [o] as l, cast(1 as bigint) as n, {', '.join(listed)} from {name}", tuple(placed))

    def _load(
        self,
        connection: Connection,
        documents: Sequence[list[Row]],
        columns: Sequence[DatasetColumn],
        name: str,
        short: TextsAhead,
    ) -> list[set[int]]:
        """With how many decimals numbers of each column are printed, as `printed_decimals` says it."""
        rows_in_all = sum(row["rows"] for one in documents for row in one)
        loaded, decimals = 0, [set[int]() for _ in columns]
        for of_document in documents:
            self.printed += _printed(of_document, self.printed[-1] + 1 if self.printed else 0)
            long = _is_long(of_document)
            self._short |= set[UUID]() if long else {row["id"] for row in of_document}
            for piece in _pieces(of_document) if long else [of_document]:
                # Each document for itself: they may write numbers in different ways.
                arrays = (
                    self._kept(connection, piece, of_document, columns, loaded / rows_in_all)
                    if long
                    else read_arrays(short.next(len(piece)), columns, unread=self._unread if self._bases == 1 else [])
                )
                arrays["o"] = arrays["o"] + (len(self.tables) << TABLE_SHIFT)
                self.tables += [row["id"] for row in piece]
                self.origins += [(row["document"], row["version"]) for row in piece]
                self.sandbox.fill(name, *_filled(columns), arrays)
                loaded += sum(row["rows"] for row in piece)
                for at, found in enumerate(decimals):
                    found |= {*np.unique(arrays[f"d{at}"]).tolist()}
        return decimals

    def notes(self) -> list[DatasetNote]:
        """Of the first tables: which cells are missing for their type, and which lost their spread. Those of long
        files are not counted."""
        return [note for one in self._unread for note in _noted(*one)]

    def spread(self, connection: Connection, column: DatasetColumn, source: ColumnSource) -> str:
        """The name of a table: in `spread` what is printed behind a column's number, in `place` its row."""
        self._spreads += 1
        name, numbers, spreads = f"spreads{self._spreads}", list[int](), list[float]()
        # A table has a place of its own in each base.
        for _, same in groupby(enumerate(self.tables), lambda one: self.origins[one[0]]):
            places = {place: table for place, table in same if str(table) in source.tables}
            texts = {one.id: one for one in read_texts(connection, self._blobs, [*dict.fromkeys(places.values())])}
            cells = {table: one.column(source.column) for table, one in texts.items()}
            read = read_spreads(column, [cell for found in cells.values() for cell in found])
            for place, table in places.items():
                for row, cell in enumerate(cells.get(table, []), texts[table].header_rows if table in texts else 0):
                    spread = read[cell]
                    if spread is not None:
                        numbers.append(place << TABLE_SHIFT | row << ROW_SHIFT)
                        spreads.append(spread)
        arrays = {"place": np.array(numbers, dtype=np.int64), "spread": np.array(spreads, dtype=np.float64)}
        self.sandbox.fill(name, ["place", "spread"], ["BIGINT", "DOUBLE"], arrays)
        return name

    def label(self, connection: Connection) -> list[str]:
        """The tables, by their ids. In `labels` each row has the labels over it, with the rows that these stand in, and
        in `label_rows` are those that are labels themselves; of long files, where no label stands alone, there are
        none."""
        own: list[int] = []
        over: list[tuple[int, int, str, int]] = []
        for places in self._unlabelled:
            # A table has a place of its own in each base: two datasets that are joined may both have it.
            number = {self.tables[place]: place << TABLE_SHIFT for place in places}
            for found in read_labels(connection, [table for table in number if table in self._short]):
                row = number[found.table] | found.row << ROW_SHIFT
                own += [row] if found.is_label else []
                over += [(row, at, text, number[t] | r << ROW_SHIFT) for at, (t, r, text) in enumerate(found.labels)]
        self._unlabelled = []
        names, types = ("below", "depth", "said", "place"), ("BIGINT", "BIGINT", "VARCHAR", "BIGINT")
        columns = {name: np.array([one[at] for one in over], dtype=object) for at, name in enumerate(names)}
        self.sandbox.fill("labels", names, types, columns)
        self.sandbox.fill("label_rows", ["label"], ["BIGINT"], {"label": np.array(own, dtype=np.int64)})
        return [str(table) for table in self.tables]

    def _kept(
        self,
        connection: Connection,
        piece: Sequence[Row],
        of_document: Sequence[Row],
        columns: Sequence[DatasetColumn],
        before: float,
    ) -> dict[str, Any]:
        """A piece of a document whose tables are long; `before` is the share of the dataset that is loaded."""
        sample = of_document[:: max(1, len(of_document) // SAMPLE_TABLES)]
        kept = KeptColumns(self._blobs, piece, columns, sample)
        found = kept.read(self._reader)
        if found is None:
            if self._making_s > MAKING_S:
                raise StillReading(
                    f"Large tables are read once, some rows with each request: {before:.0%} so far. Ask again now."
                )
            begun = time.monotonic()
            texts = read_texts(connection, self._blobs, [row["id"] for row in piece])
            own = {row["id"] for row in piece}
            beside = read_texts(connection, None, [row["id"] for row in sample if row["id"] not in own])
            found = read_arrays(texts, columns, beside=beside)
            names = ["o", *(f"{kind}{at}" for kind in "bd" for at in range(len(columns)))]
            kept.keep(names, [*_types(columns), *["TINYINT"] * len(columns)], found)
            self._making_s += time.monotonic() - begun
        return {**found}


def _placed(name: str, column: DatasetColumn, decimals: set[int], source: ColumnSource) -> Column:
    """With the decimals of all its numbers, or with a column of those of each where they differ."""
    own = f"{name}d" if are_mixed(decimals) else None
    return Column(name, with_decimals(column, decimals), frozenset({source}), own)


def _filled(columns: Sequence[DatasetColumn]) -> tuple[list[str], list[str]]:
    """Names and types of what a base has of the arrays: decimals of numbers."""
    printed = [f"d{at}" for at, column in enumerate(columns) if column.type in NUMERIC]
    names = ["o", *(f"b{at}" for at in range(len(columns))), *printed]
    return names, [*_types(columns), *["TINYINT"] * len(printed)]


def _types(columns: Sequence[DatasetColumn]) -> list[str]:
    return ["BIGINT", *(SQL_TYPES[column.type] for column in columns)]


def _pieces(tables: Sequence[Row]) -> Iterator[list[Row]]:
    """Of PIECE_ROWS rows, or of the table that has more."""
    piece, count = list[Row](), 0
    for row in tables:
        if piece and count + row["rows"] > PIECE_ROWS:
            yield piece
            piece, count = [], 0
        piece.append(row)
        count += row["rows"]
    if piece:
        yield piece


def _printed(tables: Sequence[Row], first: int) -> list[int]:
    """A number for each printed table: those of a sheet that is stored in several have one."""
    found: list[int] = []
    for before, row in zip([None, *tables], tables, strict=False):
        goes_on = before and row["source_type"] in SHEETS and row["caption"] == before["caption"]
        found.append(found[-1] if found and goes_on else found[-1] + 1 if found else first)
    return found


def _is_long(tables: Sequence[Row]) -> bool:
    return sum(row["rows"] for row in tables) >= KEPT_FROM_ROWS


def read_arrays(
    tables: Iterable[TableTexts],
    columns: Sequence[DatasetColumn],
    beside: Iterable[TableTexts] = (),
    unread: Sequence[Unread] = (),
) -> dict[str, Any]:
    """The cells of tables by `b` and the column's place, with how many decimals each is printed by `d`; `o` are the
    numbers of their rows, tables counted from 0. How they are written is read of those `beside` them, too. `unread`
    gets of each column the cells that do not read as its type, and those whose spread is left out."""
    numbers: list[int] = []
    texts: list[list[str]] = [[] for _ in columns]
    for place, table in enumerate(tables):
        first = place << TABLE_SHIFT
        numbers += [first | (row + table.header_rows) << ROW_SHIFT for row in range(len(table))]
        for at, column in enumerate(texts):
            column += table.column(at)
    for table in beside:
        for at, column in enumerate(texts):
            column += table.column(at)
    arrays: dict[str, Any] = {"o": np.array(numbers, dtype=np.int64)}
    for at, column in enumerate(columns):
        # Each text is read once, however often it is printed.
        known = read_distinct(column, texts[at])
        if unread and column.type != "text":
            counted = Counter(texts[at])
            unread[at][1].update(
                {one: counted[one] for one, value in known.items() if value is None and not is_empty(one)}
            )
            unread[at][2].update(
                {one: counted[one] for one, value in known.items() if value is not None and has_spread(one)}
            )
        place = {cell: number for number, cell in enumerate(known)}
        places = np.fromiter(map(place.__getitem__, texts[at]), dtype=np.intp, count=len(numbers))
        arrays[f"b{at}"] = _array(column, [*known.values()])[places]
        arrays[f"d{at}"] = np.array(printed_decimals(known), dtype=np.int8)[places]
    return arrays


def _noted(column: DatasetColumn, missing: Counter[str], spread: Counter[str]) -> Iterator[DatasetNote]:
    if count := missing.total():
        examples = ", ".join(f"“{one[:40]}”" for one in [*missing][:3])
        said = "1 cell that reads" if count == 1 else f"{count:,} cells that read"
        said += f" as no {column.type} {'is' if count == 1 else 'are'} missing: {examples}."
        yield DatasetNote(step=None, count=count, said=f"{column.label}: {said}")
    if count := spread.total():
        said = f"what stands behind {'a number' if count == 1 else f'{count:,} numbers'}, as in "
        said += f"“{next(iter(spread))[:40]}”, is left out. The step `spread` makes a column of it."
        yield DatasetNote(step=None, count=count, said=f"{column.label}: {said}")


def _array(column: DatasetColumn, values: Sequence[Cell]) -> Any:
    """With a mask where cells are missing: as NaN a number would be there."""
    if column.type in ("text", "date"):
        return np.array(values, dtype=object)
    kind = {"integer": np.int64, "boolean": np.bool_}.get(column.type, np.float64)
    missing = np.array([value is None for value in values], dtype=np.bool_)
    return np.ma.array(np.array([value or 0 for value in values], dtype=kind), mask=missing)
