"""Rows of a long table that are no passages: kept column by column beside their document, in blocks.

A block belongs to the last table of one part of its source, and follows the rows of that table's grid.
"""

import hashlib
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from pydantic import BaseModel, ConfigDict
from pydantic_core import to_json

from shared.domain.geometry import SheetBox, range_name

# Beyond that a stored block is damaged: none is written so large.
UNPACKED_MAX = 1 << 30
# What the texts of a block are written between.
_TEXTS = b',"texts":[["'
_END = b'"]]}'


class KeptRows(BaseModel):
    """What a part says of its block: how many `rows` it has, the numbers of the `first` and the `last` in their sheet,
    and the SHA-256 of what is in it."""

    model_config = ConfigDict(frozen=True)

    rows: int
    first: int
    last: int
    sha256: str


class Unseen(BaseModel):
    """What the source does not show of a block: rows by the first and the last number of each run, and columns,
    both ascending."""

    model_config = ConfigDict(frozen=True)

    rows: list[tuple[int, int]] = []
    columns: list[int] = []

    def __bool__(self) -> bool:
        return bool(self.rows or self.columns)

    def has_column(self, place: int) -> bool:
        at = bisect_left(self.columns, place)
        return at < len(self.columns) and self.columns[at] == place

    def has_row(self, number: int) -> bool:
        at = bisect_right(self.rows, number, key=lambda run: run[0])
        return at > 0 and number <= self.rows[at - 1][1]


def unseen(numbers: Sequence[int], columns: Sequence[int]) -> Unseen:
    """Of hidden rows, ascending, and hidden columns."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return Unseen(rows=runs, columns=[*columns])


class _Form(BaseModel):
    sheet: str
    places: list[int]
    numbers: list[int]
    hidden: Unseen = Unseen()
    texts: list[list[str]]


class KeptBlock(NamedTuple):
    """`places` are the columns of the sheet, from 1, `numbers` its rows, ascending; `texts` has, column by column, a
    text for each row, "" where the cell has none, its lines divided by line feeds. `hidden`: of these rows and columns,
    those that the source does not show."""

    sheet: str
    places: list[int]
    numbers: list[int]
    texts: list[list[str]]
    hidden: Unseen = Unseen()

    def written(self) -> bytes:
        """What hides nothing is written as it was before it could be said."""
        form: dict[str, Any] = {"sheet": self.sheet, "places": self.places, "numbers": self.numbers}
        return to_json(form | ({"hidden": self.hidden} if self.hidden else {}) | {"texts": self.texts})

    def packed(self) -> bytes:
        return zlib.compress(self.written(), 1)

    @staticmethod
    def as_written(data: bytes) -> bytes:
        """Raises ValueError for what `packed` has not made."""
        reader = zlib.decompressobj()
        try:
            written = reader.decompress(data, UNPACKED_MAX)
        except zlib.error as error:
            raise ValueError(f"no block of rows: {error}") from None
        if not reader.eof:
            raise ValueError("no block of rows: it is cut off")
        return written

    @classmethod
    def unpacked(cls, data: bytes) -> Self:
        """Raises ValueError for what `packed` has not made."""
        written = cls.as_written(data)
        head, begins, rest = written.partition(_TEXTS)
        if begins and b"\\" not in written and rest.endswith(_END):
            # Nothing is escaped: every quotation mark ends or begins a text, and cutting there is less work.
            form = _Form.model_validate_json(head + b',"texts":[]}')
            texts = [column.split('","') for column in rest.removesuffix(_END).decode().split('"],["')]
        else:
            form = _Form.model_validate_json(written)
            texts = form.texts
        found = cls(form.sheet, form.places, form.numbers, texts, form.hidden)
        if {len(column) for column in found.texts} - {len(found.numbers)} or len(found.texts) != len(found.places):
            raise ValueError("no block of rows: its columns are not of one length")
        return found

    def described(self) -> KeptRows:
        sha256 = hashlib.sha256(self.written()).hexdigest()
        return KeptRows(rows=len(self.numbers), first=self.numbers[0], last=self.numbers[-1], sha256=sha256)

    def row(self, at: int) -> list[str]:
        """The texts of the block's row `at`, from 0."""
        return [column[at] for column in self.texts]

    def is_hidden(self, at: int, column: int) -> bool:
        return self.hidden.has_column(self.places[column]) or self.hidden.has_row(self.numbers[at])

    def box(self, at: int, column: int, page: int) -> SheetBox:
        """Where the cell stands in its sheet; `page` is the part that has the block."""
        place, number = self.places[column], self.numbers[at]
        return SheetBox(sheet=self.sheet, range=range_name(place, number, place, number), page=page)


def stacked(lines: Sequence[str]) -> str:
    """The lines of a cell as a block has them: those with text, without white space at their ends."""
    return "\n".join(said for said in map(str.strip, lines) if said)
