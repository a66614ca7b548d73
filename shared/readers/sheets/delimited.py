"""Reads tables in plain text: what divides values is what divides the records most evenly."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from shared.errors import RefusedFile
from shared.readers.sheets.cells import Budget, Kind, Sheet, SheetCell, check_sheet
from shared.readers.text.decode import decode

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
    """One sheet without a name. Raises RefusedFile for what is no text."""
    text = decode(path.read_bytes())
    sheet, budget = Sheet(""), Budget()
    try:
        for number, record in enumerate(_records(text, dialect_of(text)), 1):
            cells = {at: SheetCell(said, kind_of(said.strip())) for at, said in enumerate(record, 1) if said.strip()}
            if cells:
                budget.add_row(len(cells))
                sheet.rows[number] = cells
    except csv.Error as error:
        raise RefusedFile(f"The file is no table in plain text ({error}); save it again as CSV in UTF-8.") from error
    check_sheet(sheet)
    return [sheet]


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
        widths = [len(record) for record in _records(sample, dialect) if record]
    except csv.Error:
        return 0.0
    counted = Counter(width for width in widths if width > 1)
    if not counted:
        return 0.0
    width, times = max(counted.items(), key=lambda one: (one[1], one[0]))
    return times / len(widths) + min(width, 50) / 1000


def _records(text: str, dialect: Dialect) -> Iterator[list[str]]:
    csv.field_size_limit(1 << 24)
    return csv.reader(io.StringIO(text, newline=""), delimiter=dialect.sign, skipinitialspace=dialect.spaced)


def kind_of(said: str) -> Kind:
    """What the text of a cell says that it is."""
    if _NUMBER.fullmatch(said):
        return "number"
    return "date" if _DATE.fullmatch(said) else "text"
