"""Results of several documents side by side: a row for each dataset and metric, a column for each system."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from shared.domain.experiments import ComparedCell, ComparedRow, ExperimentSummary, ResultCell
from shared.lab.summaries.phrases import SHARE

# What stands behind a name and is not part of it: its references, and marks of footnotes.
_REFERENCE: Final = re.compile(r"(?<!\s)\s*+(?:\([^()]*(?:19|20)\d\d[a-z]?\)|\[\d[\d, ]*+\])$")
_MARKS: Final = "*∗†‡§¶⁰¹²³⁴⁵⁶⁷⁸⁹ "
WHOLE: Final = 100
PERCENT: Final = "%"
# 83.2 of 100 is 0.8320000000000001 of 1.
DIGITS: Final = 9
_UNIT: Final = re.compile(r"(?<!\s)\s*+(?:\(%\)|%$)")


def compare(summaries: Sequence[ExperimentSummary], metric: str, system: str) -> tuple[list[str], list[ComparedRow]]:
    """Columns and rows, in the order in which they are first met; of cells whose metric and system contain the given
    words. Names are one where they differ in case, punctuation and references alone; shares are one row, whether they
    are printed of 1 or of 100."""
    whole = _wholes(summaries)
    columns, rows = dict[str, str](), dict[tuple[object, str, str | None], ComparedRow]()
    placed = list[tuple[ComparedRow, str, ComparedCell, float]]()
    for one in summaries:
        for cell in one.cells:
            if _key(metric) not in _key(cell.metric) or _key(system) not in _key(cell.system):
                continue
            column, of = _key(_name(cell.system)), whole.get(_printed_in(one, cell))
            unit = cell.quantity.canonical_unit if of is None else PERCENT
            columns.setdefault(column, _name(cell.system))
            key = (_key(cell.dataset) or cell.table_id, _key(_UNIT.sub("", cell.metric)), unit)
            caption = "" if cell.dataset else cell.caption
            row = rows.setdefault(
                key,
                ComparedRow(
                    dataset=cell.dataset, caption=caption, metric=cell.metric, unit=cell.quantity.canonical_unit,
                    cells=[], disagree=[],
                ),
            )  # fmt: skip
            if of and of not in row.printed_of:
                row.printed_of, row.unit = sorted([*row.printed_of, of]), row.unit if not row.printed_of else None
            told = ComparedCell(document_id=one.document_id, document=one.document, cell=cell)
            placed.append((row, column, told, cell.quantity.number / of if of else cell.quantity.canonical_number))
    places = {column: at for at, column in enumerate(columns)}
    values = dict[tuple[int, str], list[tuple[ComparedCell, float]]]()
    for row in rows.values():
        row.cells = [[] for _ in columns]
    for row, column, compared, number in placed:
        row.cells[places[column]].append(compared)
        values.setdefault((id(row), column), []).append((compared, number))
    for row in rows.values():
        row.disagree = [_disagree(values.get((id(row), column), [])) for column in columns]
    return [*columns.values()], [*rows.values()]


def _wholes(summaries: Sequence[ExperimentSummary]) -> dict[object, int]:
    """Of the shares that a table prints below one metric what they are of: 1, or 100 where one is above 1 or a sign of
    per cent stands there. Other metrics have none: 0.8 s is no share."""
    numbers = dict[object, list[ResultCell]]()
    for one in summaries:
        for cell in one.cells:
            if cell.quantity.unit == PERCENT or (cell.quantity.unit is None and SHARE.search(cell.metric)):
                numbers.setdefault(_printed_in(one, cell), []).append(cell)
    found = dict[object, int]()
    for place, cells in numbers.items():
        most = max(abs(cell.quantity.number) for cell in cells)
        signed = any(cell.quantity.unit is not None for cell in cells)
        if signed or most <= WHOLE:
            found[place] = 1 if most <= 1 and not signed else WHOLE
    return found


def _printed_in(summary: ExperimentSummary, cell: ResultCell) -> object:
    """Where numbers are of one scale; a sign of its own says it of one cell."""
    unit = cell.quantity.unit
    return (summary.document_id, cell.table_id, _key(_UNIT.sub("", cell.metric)), unit)


def _disagree(cells: Sequence[tuple[ComparedCell, float]]) -> bool:
    """Whether two documents give different values; one document's own are runs or settings of it."""
    told = dict[object, set[float]]()
    for one, number in cells:
        told.setdefault(one.document_id, set()).add(round(number, DIGITS))
    return len({frozenset(numbers) for numbers in told.values()}) > 1


def _name(system: str) -> str:
    plain, before = system.strip(), ""
    while plain != before:
        before, plain = plain, _REFERENCE.sub("", plain.rstrip(_MARKS))
    return plain or system


def _key(text: str) -> str:
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text)).strip().casefold()
