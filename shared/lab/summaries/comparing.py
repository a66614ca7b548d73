"""Results of several documents side by side: a row for each dataset and metric, a column for each system."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from shared.domain.experiments import ComparedCell, ComparedRow, ExperimentSummary

# What stands behind a name and is not part of it: its references, and marks of footnotes.
_REFERENCE: Final = re.compile(r"(?<!\s)\s*+(?:\([^()]*(?:19|20)\d\d[a-z]?\)|\[\d[\d, ]*+\])$")
_MARKS: Final = "*∗†‡§¶⁰¹²³⁴⁵⁶⁷⁸⁹ "
_UNIT: Final = re.compile(r"(?<!\s)\s*+(?:\(%\)|%$)")


def compare(summaries: Sequence[ExperimentSummary], metric: str, system: str) -> tuple[list[str], list[ComparedRow]]:
    """Columns and rows, in the order in which they are first met; of cells whose metric and system contain the given
    words. Names are one where they differ in case, punctuation and references alone."""
    columns, rows = dict[str, str](), dict[tuple[object, str, str | None], ComparedRow]()
    placed = list[tuple[ComparedRow, str, ComparedCell]]()
    for one in summaries:
        for cell in one.cells:
            if _key(metric) not in _key(cell.metric) or _key(system) not in _key(cell.system):
                continue
            column, unit = _key(_name(cell.system)), cell.quantity.canonical_unit
            columns.setdefault(column, _name(cell.system))
            key = (_key(cell.dataset) or cell.table_id, _key(_UNIT.sub("", cell.metric)), unit)
            caption = "" if cell.dataset else cell.caption
            row = rows.setdefault(
                key,
                ComparedRow(
                    dataset=cell.dataset, caption=caption, metric=cell.metric, unit=unit, cells=[], disagree=[]
                ),
            )  # fmt: skip
            placed.append((row, column, ComparedCell(document_id=one.document_id, document=one.document, cell=cell)))
    places = {column: at for at, column in enumerate(columns)}
    for row in rows.values():
        row.cells = [[] for _ in columns]
    for row, column, compared in placed:
        row.cells[places[column]].append(compared)
    for row in rows.values():
        row.disagree = [_disagree(cells) for cells in row.cells]
    return [*columns.values()], [*rows.values()]


def _disagree(cells: Sequence[ComparedCell]) -> bool:
    """Whether two documents give different values; one document's own are runs or settings of it."""
    told = dict[object, set[float]]()
    for one in cells:
        told.setdefault(one.document_id, set()).add(one.cell.quantity.canonical_number)
    return len({frozenset(numbers) for numbers in told.values()}) > 1


def _name(system: str) -> str:
    plain, before = system.strip(), ""
    while plain != before:
        before, plain = plain, _REFERENCE.sub("", plain.rstrip(_MARKS))
    return plain or system


def _key(text: str) -> str:
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text)).strip().casefold()
