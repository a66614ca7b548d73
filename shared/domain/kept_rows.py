"""Rows of a long table that are no passages: kept column by column beside their document, in blocks.

A block belongs to the last table of one part of its source, and follows the rows of that table's grid.
"""

import hashlib
import zlib
from collections.abc import Sequence
from typing import NamedTuple, Self

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


class _Form(BaseModel):
    sheet: str
    places: list[int]
    numbers: list[int]
    texts: list[list[str]]


class KeptBlock(NamedTuple):
    """`places` are the columns of the sheet, from 1, `numbers` its rows, ascending; `texts` has, column by column, a
    text for each row, "" where the cell has none, its lines divided by line feeds."""

    sheet: str
    places: list[int]
    numbers: list[int]
    texts: list[list[str]]

    def written(self) -> bytes:
        return to_json({"sheet": self.sheet, "places": self.places, "numbers": self.numbers, "texts": self.texts})

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
        found = cls(form.sheet, form.places, form.numbers, texts)
        if {len(column) for column in found.texts} - {len(found.numbers)} or len(found.texts) != len(found.places):
            raise ValueError("no block of rows: its columns are not of one length")
        return found

    def described(self) -> KeptRows:
        sha256 = hashlib.sha256(self.written()).hexdigest()
        return KeptRows(rows=len(self.numbers), first=self.numbers[0], last=self.numbers[-1], sha256=sha256)

    def row(self, at: int) -> list[str]:
        """The texts of the block's row `at`, from 0."""
        return [column[at] for column in self.texts]

    def box(self, at: int, column: int, page: int) -> SheetBox:
        """Where the cell stands in its sheet; `page` is the part that has the block."""
        place, number = self.places[column], self.numbers[at]
        return SheetBox(sheet=self.sheet, range=range_name(place, number, place, number), page=page)


def stacked(lines: Sequence[str]) -> str:
    """The lines of a cell as a block has them: those with text, without white space at their ends."""
    return "\n".join(said for said in map(str.strip, lines) if said)
