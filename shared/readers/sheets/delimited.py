"""Reads tables in plain text: what divides values is what divides the records most evenly."""

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, TextIO

from shared.errors import RefusedFile
from shared.readers.sheets import cells
from shared.readers.sheets.cells import Budget, Kind, Sheet, SheetCell, check_sheet
from shared.readers.text.charsets import BROKEN
from shared.readers.text.decode import decode, encoding_of

DELIMITERS: Final = (",", ";", "\t", "|")
_SPACED: Final = re.compile(r'([,;\t|]) +"')
SAMPLE_CHARACTERS: Final = 64_000
_NUMBER: Final = re.compile(r"[\s$€£¥(+\-\u2212]*(?:\d[\d.,\u00a0' ]*|\.\d+)(?:[Ee][+-]?\d+)?[\s%)€$£]*")
_DATE: Final = re.compile(
    r"(?:\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{2,4}|\d\d?-[A-Za-z]{3}-\d{2,4})"
    r"(?:[T ]\d\d?:\d\d\S*)?|\d\d?:\d\d(?::\d\d)?"
)


class Dialect(NamedTuple):
    """The sign between values; `spaced`: spaces behind it belong to no value, and a quotation begins behind them."""

    sign: str
    spaced: bool = False


def read_delimited(path: Path) -> list[Sheet]:
    """One sheet without a name. Of a long table it has the first rows, and the others block by block. Raises
    RefusedFile for what is no text."""
    try:
        return [_read_long(path) or _read_short(path)]
    except csv.Error as error:
        raise RefusedFile(f"The file is no table in plain text ({error}); save it again as CSV in UTF-8.") from error


def _read_short(path: Path) -> Sheet:
    text = decode(path.read_bytes())
    sheet, budget = Sheet(""), Budget()
    for number, record in enumerate(_records(io.StringIO(text, newline=""), dialect_of(text)), 1):
        if row := _row(record):
            budget.add_row(len(row))
            sheet.rows[number] = row
    check_sheet(sheet)
    return sheet


def _read_long(path: Path) -> Sheet | None:
    """None for a table that is not long."""
    if path.stat().st_size < 2 * cells.PASSAGE_ROWS:
        return None
    encoding = encoding_of(path)
    with path.open(encoding=encoding, errors=BROKEN, newline="") as file:
        dialect = dialect_of(file.read(SAMPLE_CHARACTERS + 1))
    table = LongTable(path, encoding, dialect)
    return Sheet("", rows=table.head, beyond=table) if table.firsts else None


class LongTable:
    """Reads a file once for where its blocks begin, and each of them when it is asked for: it is never in memory
    whole."""

    def __init__(self, path: Path, encoding: str, dialect: Dialect) -> None:
        """`firsts` is empty where the table is not long. Raises RefusedFile for one that is too long."""
        self._path, self._encoding, self._dialect = path, encoding, dialect
        self.head: dict[int, dict[int, SheetCell]] = {}
        self.columns: list[int] = []
        self.firsts: list[int] = []
        self._blocks: list[_Block] = []
        with self._open() as file:
            self._divide(file)

    def _open(self) -> TextIO:
        return self._path.open(encoding=self._encoding, errors=BROKEN, newline="")

    def _filled(self, file: TextIO, first: int = 1) -> Iterator[tuple[int, list[str]]]:
        """The records with text, by their numbers. The file is read no further than the last one that was given."""
        for number, record in enumerate(_records(iter(file.readline, ""), self._dialect), first):
            if any(map(str.strip, record)):
                yield number, record

    def _divide(self, file: TextIO) -> None:
        used: set[int] = set()
        rows, width, budget, block = 0, 0, Budget(), None
        for number, record in self._filled(file):
            rows, width = rows + 1, max(width, len(record))
            if rows > cells.MAX_LONG_ROWS or rows * width > cells.MAX_LONG_AREA:
                raise RefusedFile(
                    f"The table has more than {cells.MAX_LONG_ROWS:,} rows, or {cells.MAX_LONG_AREA:,} cells in them;"
                    " divide it into several files of fewer rows, each with the header."
                )
            if len(used) < width:
                used.update(at for at, said in enumerate(record, 1) if said.strip())
            if block is None:
                self.head[number] = _row(record)
                budget.add_row(len(self.head[number]))
                if rows >= cells.PASSAGE_ROWS or (rows + 1) * width > cells.MAX_CELLS:
                    block = _Block(file.tell(), number + 1)
                continue
            if not block.rows:
                self.firsts.append(number)
                self._blocks.append(block)
            if block.is_full_with(record):
                block = _Block(file.tell(), number + 1)
        self.columns = sorted(used)

    def block(self, at: int) -> dict[int, list[str]]:
        """Records by their numbers. Raises RefusedFile where the file is another one by now."""
        block = self._blocks[at]
        with self._open() as file:
            file.seek(block.place)
            found = dict(itertools.islice(self._filled(file, block.number), block.rows))
        if len(found) < block.rows or next(iter(found)) != self.firsts[at]:
            raise RefusedFile("The file has changed while it was read; upload it again.")
        return found


@dataclass
class _Block:
    """`place` is where it begins in the file, `number` that of the record there."""

    place: int
    number: int
    rows: int = 0
    cells: int = 0
    characters: int = 0

    def is_full_with(self, record: list[str]) -> bool:
        """Takes a record; returns whether it has room for no other."""
        self.rows, self.cells, self.characters = (
            self.rows + 1, self.cells + len(record), self.characters + sum(map(len, record)),
        )  # fmt: skip
        return (
            self.rows >= cells.BLOCK_ROWS
            or self.cells >= cells.BLOCK_CELLS
            or self.characters >= cells.BLOCK_CHARACTERS
        )


def _row(record: list[str]) -> dict[int, SheetCell]:
    return {at: SheetCell(said, kind_of(said.strip())) for at, said in enumerate(record, 1) if said.strip()}


def dialect_of(text: str) -> Dialect:
    """What gives most records of the sample the same number of values, more than one; else a comma. Quotations behind
    spaces are tried where there are some."""
    sample = text[:SAMPLE_CHARACTERS]
    if len(text) > len(sample):
        sample = sample[: sample.rfind("\n") + 1] or sample
    quoted = set(_SPACED.findall(sample))
    spaced = [Dialect(sign, spaced=True) for sign in DELIMITERS if sign in quoted]
    return max((*spaced, *map(Dialect, DELIMITERS)), key=lambda one: _evenness(sample, one))


def _evenness(sample: str, dialect: Dialect) -> float:
    """How many of the sample's values stand in records of the commonest length."""
    if dialect.sign not in sample:
        return 0.0
    try:
        widths = [len(record) for record in _records(io.StringIO(sample, newline=""), dialect) if record]
    except csv.Error:
        return 0.0
    counted = Counter(width for width in widths if width > 1)
    if not counted:
        return 0.0
    width, times = max(counted.items(), key=lambda one: (one[1], one[0]))
    return times / len(widths) + min(width, 50) / 1000


def _records(text: Iterable[str], dialect: Dialect) -> Iterator[list[str]]:
    csv.field_size_limit(1 << 24)
    return csv.reader(text, delimiter=dialect.sign, skipinitialspace=dialect.spaced)


def kind_of(said: str) -> Kind:
    """What the text of a cell says that it is."""
    if _NUMBER.fullmatch(said):
        return "number"
    return "date" if _DATE.fullmatch(said) else "text"
