"""Forms among the tables: rows of labels, each beside its value, two and more in a row.

A label ends in a colon, or is set in bold (a web page's `th`) where the values of the table are not. Such a row is no
row of one thing: each label with its value is read by itself, and a label without a value tells nothing.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from shared.extraction.compose import CELL
from shared.extraction.references import ReferencedPart
from shared.extraction.tables.rows import NUMBER

MAX_LABEL: Final = 60
# Least share of a table's rows that are labels in bold beside their values, for bold alone to tell a label.
IN_BOLD: Final = 0.8
_COLONS: Final = (":", "：")
_SAYS: Final = re.compile(r"[^\W_]")
Texts = Sequence[str]


def ends_in_colon(text: str) -> bool:
    """Whether the text is a short label whose value is still to come."""
    return len(text) <= MAX_LABEL and text.rstrip().endswith(_COLONS)


def find_labels(texts: Sequence[Texts], parts: Sequence[Sequence[Sequence[ReferencedPart]]]) -> list[frozenset[int]]:
    """For each row of a table without a header the columns of its labels; none where it is no row of a form."""
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


def pair_up(row: Texts, labels: frozenset[int]) -> list[tuple[str, str]]:
    """Each label with its value, in order; "" for none, as which a mere stroke counts."""
    inked = [(at in labels, text) for at, text in enumerate(row) if text]
    after = [*inked[1:], (True, "")]
    return [
        (text, "" if is_label or not _SAYS.search(value) else value)
        for (own, text), (is_label, value) in zip(inked, after, strict=True)
        if own
    ]


def labelled_form(row: Texts, labels: frozenset[int]) -> str:
    """`Location: Belen, NM | Accident Number: DEN08CA034`, without labels that have no value; "" for no form."""
    return CELL.join(
        f"{label.rstrip().rstrip(''.join(_COLONS))}: {value}" for label, value in pair_up(row, labels) if value
    )


def _in_bold(row: Texts, cells: Sequence[Sequence[ReferencedPart]]) -> frozenset[int]:
    return frozenset(
        at
        for at, (text, parts) in enumerate(zip(row, cells, strict=True))
        if 0 < len(text) <= MAX_LABEL and not NUMBER.match(text) and all(part.fragment.bold for part in parts)
    )


def _are_paired(row: Texts, labels: frozenset[int]) -> bool:
    """Whether the row begins with a label and no two values follow each other."""
    inked = [at in labels for at, text in enumerate(row) if text]
    return bool(inked) and inked[0] and all(one or other for one, other in pairwise(inked))
