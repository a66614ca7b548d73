"""Forms among the tables: rows of labels, each beside or above its value, two and more in a row.

Two columns, or pairs of them, are fields where `shared.values.fields` says so. Elsewhere a label ends in a colon, or is
set in bold (a web page's `th`) where the values of the table are not; or it is the first line of each cell, in another
type than what is filled in below it. Such a row is no row of one thing: each label with its value is read by itself,
and a label without a value tells nothing.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import Final

from shared.domain.draft import FormValue
from shared.extraction.compose import CELL, compose_text
from shared.extraction.lists import MAX_LABEL, ends_in_colon
from shared.extraction.references import ReferencedPart
from shared.extraction.tables.rows import NUMBER
from shared.values.fields import COLONS, are_fields

# Least share of a table's rows that are labels in bold beside their values, for bold alone to tell a label.
IN_BOLD: Final = 0.8
# Where each cell has its own label: least cells that are filled in, their least share, and that of the labels' type.
MIN_FILLED: Final = 3
FILLED: Final = 0.6
LABELS_ALIKE: Final = 0.9
_SAYS: Final = re.compile(r"[^\W_]")
Texts = Sequence[str]
Parts = Sequence[Sequence[ReferencedPart]]
Type = tuple[int, bool]


def values_of_form(
    texts: Sequence[Texts], parts: Sequence[Parts], printed: Type | None, header_rows: int = 0
) -> list[list[FormValue]]:
    """For each row of a table its labels that have a value; none where it is no row of a form. `printed`: the type of
    the cells' own labels. Below a header all rows are fields or none."""
    if printed:
        return [[*_within(row, printed)] for row in parts]
    head, body = texts[:header_rows], texts[header_rows:]
    if header_rows < 2 and are_fields(body, head[0] if head else ()):
        found = [[*_beside(row, frozenset(range(0, len(row), 2)))] for row in body]
        return [*([] for _ in head), *found]
    if header_rows:
        return [[] for _ in texts]
    labels = _labels_beside(texts, parts)
    return [[*_beside(row, own)] for row, own in zip(texts, labels, strict=True)]


def labelled_form(row: Texts, values: Sequence[FormValue]) -> str:
    """`Location: Belen, NM | Accident Number: DEN08CA034`; "" for no form."""
    return CELL.join(f"{one.label}: {row[one.cell][one.start :]}" for one in values)


def type_of_labels(parts: Sequence[Parts]) -> Type | None:
    """The type in which the cells' own labels are set, each above its value; None where cells have none."""
    cells = [cell for row in parts for cell in row if cell]
    if not cells:
        return None
    printed, count = Counter(_type(cell[0]) for cell in cells).most_common(1)[0]
    filled = [cell for cell in cells if len(cell) > 1 and _type(cell[0]) == printed != _type(cell[-1])]
    alike = count >= LABELS_ALIKE * len(cells)
    return printed if alike and len(filled) >= max(MIN_FILLED, FILLED * len(cells)) else None


def _type(part: ReferencedPart) -> Type:
    return round(part.fragment.size), part.fragment.bold


def _within(row: Parts, printed: Type) -> Iterator[FormValue]:
    for at, parts in enumerate(row):
        label = compose_text([*takewhile(lambda part: _type(part) == printed, parts)])
        value = compose_text(parts)[len(label) :].strip()
        if label and value and len(label) <= MAX_LABEL:
            yield FormValue(label=label.rstrip(COLONS), cell=at, start=len(compose_text(parts)) - len(value))


def _labels_beside(texts: Sequence[Texts], parts: Sequence[Parts]) -> list[frozenset[int]]:
    """For each row the columns of its labels; none where it is no row of a form."""
    bold = [_in_bold(row, cells) for row, cells in zip(texts, parts, strict=True)]
    by_bold = [_are_paired(row, heads) for row, heads in zip(texts, bold, strict=True)]
    told = sum(by_bold) >= max(2, IN_BOLD * len(texts))
    found: list[frozenset[int]] = []
    for row, heads in zip(texts, bold, strict=True):
        colons = frozenset(at for at, text in enumerate(row) if ends_in_colon(text))
        # Beside a label with a colon a bold one may lack it.
        labels = colons | heads if told or colons else frozenset[int]()
        found.append(next((some for some in (labels, colons) if some and _are_paired(row, some)), frozenset()))
    return found


def _beside(row: Texts, labels: frozenset[int]) -> Iterator[FormValue]:
    """A mere stroke is no value."""
    inked = [at for at, text in enumerate(row) if text]
    for at, after in pairwise(inked):
        if at in labels and after not in labels and _SAYS.search(row[after]):
            yield FormValue(label=row[at].rstrip().rstrip(COLONS), cell=after)


def _in_bold(row: Texts, cells: Parts) -> frozenset[int]:
    return frozenset(
        at
        for at, (text, parts) in enumerate(zip(row, cells, strict=True))
        if 0 < len(text) <= MAX_LABEL and not NUMBER.match(text) and all(part.fragment.bold for part in parts)
    )


def _are_paired(row: Texts, labels: frozenset[int]) -> bool:
    """Whether the row begins with a label and no two values follow each other."""
    inked = [at in labels for at, text in enumerate(row) if text]
    return bool(inked) and inked[0] and all(one or other for one, other in pairwise(inked))
