"""What the words around a result table say: its caption, and whether a header or label tells of data, of a measure, or
of all rows taken together."""

import re
from collections.abc import Sequence
from typing import Final

from shared.domain.knowledge import Chunk
from shared.lab.summaries.phrases import METRIC_LABEL
from shared.values.headers import read_header

EMPTY: Final = frozenset({"", "-", "–", "—", "n/a", "−"})
# Headers of columns that name what was tried on, and not what was tried.
DATA_HEADER: Final = re.compile(
    r"^(?:data ?-?sets?|corpus|corpora|bench-?marks?|test ?-?sets?|domain|cohort|population|site)s?$", re.I
)
# A header over names of measures: the rows below it are what was measured, unless the columns are what was estimated of
# them (`Parameter`, `Estimate`, `p-value`).
MEASURE_HEADER: Final = re.compile(
    r"^(?:parameter|metric|measure|property|propertie|quantity|quantitie|indicator)s?$", re.I
)
ESTIMATE: Final = re.compile(r"\b(?:estimates?|estimated|coefficients?|coef\.?|values?|p-?values?|effects?)\b", re.I)
TESTED_ON: Final = re.compile(r"\b(?:test(?:ed|ing)?|evaluat(?:ed|ing|ion)) on\b", re.I)
# A short form behind the name of a measure: `tree-editing-distance-score (TEDS)`.
MEASURE_DEFINED: Final = re.compile(
    r"(?:scores?|accuracy|precision|recall|rates?|errors?|distances?|similarity|ind(?:ex|ices)|agreement|efficiency)"
    r" \(([A-Z][A-Za-z-]{1,9})\)",
    re.I,
)
# A row or column of all others taken together: they are parts of one thing.
WHOLE: Final = re.compile(r"^(?:all|overall|total|average|avg\.?|mean|macro|micro)\b", re.I)
# What a caption names after `on`, or before a word for data: `of Linear SVM` names none.
_NAME: Final = r"([A-Z][\w-]*(?:\.\d+)?(?: (?:and|\d[\w.]*) ?(?:[A-Z][\w-]*)?)?)"
_DATA_OF: Final = re.compile(
    rf"\bon (?:the )?{_NAME}|\b(?:for|of) (?:the )?{_NAME} (?:test|dev|validation|training|data|corpus|corpora)", re.M
)
# How many there were is no name; ð and ¼ stand for what a font drew as ( and =.
_SIZE: Final = re.compile(r"[(ð]?\s*n\s*[=¼]\s*[\d,]+\s*[)Þ]?$", re.I)
_CAPTION: Final = re.compile(r"\bTable ?\d+[.:]")


def nearest_caption(chunks: Sequence[Chunk], at: int) -> str:
    """What stands beside the table at `at` and is its caption: above it, else below its rows."""
    above = (one for one in chunks[max(0, at - 2) : at][::-1])
    rows = next((i for i in range(at + 1, len(chunks)) if chunks[i].chunk_type != "table_row"), len(chunks))
    for one in (*above, *chunks[rows : rows + 1]):
        match = _CAPTION.search(one.content)
        if one.table is None and one.chunk_type in ("caption", "text") and match:
            return one.content[match.start() :]
    return ""


def metric_of(words: str) -> str:
    """The first measure that a caption names, "" for none."""
    found = METRIC_LABEL.search(words)
    return found.group() if found else ""


def dataset_of(caption: str) -> str:
    found = _DATA_OF.search(caption)
    return (found[1] or found[2]) if found else ""


def split_metric(above: Sequence[str]) -> tuple[str, list[str]]:
    """The lowest header that names a measure, and the others; `Joint Acc. WoZ 2.0` names a measure, then a dataset.
    Where a header is a part of a measure that stands above (`simple` below `TEDs`), they name it together."""
    at = max((i for i, word in enumerate(above) if METRIC_LABEL.search(word)), default=None)
    if at is None:
        return " ".join(above), []
    rest = [word for i, word in enumerate(above) if i != at and not _SIZE.match(word)]
    word = above[at]
    match = METRIC_LABEL.search(word)
    tail = word[match.end() :].strip(" .:,") if match else ""
    if not rest and re.match(r"[A-Z]", tail):
        return word[: len(word) - len(word[match.end() :])].strip() if match else word, [tail]
    return word, rest


def unit_of(labels: Sequence[str]) -> str | None:
    """The first unit that a label states, as `Acc. (%)` does."""
    units = (read_header(label).hint.unit for label in labels)
    return next((unit.code for unit in units if unit), None)
