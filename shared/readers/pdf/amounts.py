"""Amounts set before their labels: `(584) Income tax benefit`, one piece of text, though it is two cells.

Only the places of the characters tell: in several lines the words after the number begin below each other, and the
numbers end below each other without beginning so. The numbers of a list are short and ascend; these are not.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from shared.readers.pdf.lines import PdfLine

# A number, white space, and a word.
_AMOUNT = re.compile(r"(\(?\d[\d.,]*\)?)\s+(?=[^\W\d_])")
# What a list is not numbered with.
_OF_MONEY = re.compile(r"\(?\d{1,3}(?:,\d{3})+\b|\(?\d+[.,]\d\d\)?\s")
MIN_LINES = 3
# Greatest distance of the edges of texts below each other, and of lines below each other (type sizes).
SAME_EDGE_PT = 1.0
SAME_END_EM = 0.6  # a closing parenthesis may hang
MAX_STEP = 3.0
# White between a number and its label, at least.
MIN_GAP_EM = 0.6


def starts_with_number(line: PdfLine) -> bool:
    """Whether the line begins with a number, and words follow."""
    return line.text[0] in "(0123456789" and line.dir_x > 0.99 and _AMOUNT.match(line.text) is not None


def may_be_amounts(lines: Sequence[PdfLine]) -> bool:
    """Whether lines that start with a number are enough, begin at different places, and one is no number of a list."""
    if len(lines) < MIN_LINES or len({round(line.x0) for line in lines}) == 1:
        return False
    return any(_is_money(line) for line in lines)


def _is_money(line: PdfLine) -> bool:
    return _OF_MONEY.match(line.text) is not None


def labels_of_amounts(lines: Mapping[int, PdfLine], raw: Mapping[int, dict[str, Any]]) -> dict[int, float]:
    """The x at which to divide lines, by their index: between an amount and its label. `raw` are the same lines with
    their characters."""
    edges = {at: _edges(line, raw[at]) for at, line in lines.items()}
    found: dict[int, float] = {}
    for run in _runs(lines, edges):
        begins = {round(edges[at][0]) for at in run}
        money = any(_is_money(lines[at]) for at in run)
        if len(run) >= MIN_LINES and len(begins) > 1 and money and not _ascend([lines[at].text for at in run]):
            found |= {at: (edges[at][1] + edges[at][2]) / 2 for at in run}
    return found


def _ascend(texts: Sequence[str]) -> bool:
    values = [float(re.sub(r"\D", "", text.split()[0])) for text in texts]
    return all(a < b for a, b in pairwise(values))


def _edges(line: PdfLine, raw: dict[str, Any]) -> tuple[float, float, float]:
    """Where the number begins and ends, and where the words begin."""
    characters = [char for span in raw["spans"] for char in span["chars"]]
    inked = next(at for at, char in enumerate(characters) if not char["c"].isspace())
    matched = _AMOUNT.match(line.text)
    if matched is None or inked + matched.end() >= len(characters):
        return line.x0, line.x0, line.x0
    last, first = characters[inked + matched.end(1) - 1], characters[inked + matched.end()]
    return characters[inked]["bbox"][0], last["bbox"][2], first["bbox"][0]


def _runs(lines: Mapping[int, PdfLine], edges: Mapping[int, tuple[float, float, float]]) -> list[list[int]]:
    """Lines whose numbers end below each other and whose words begin below each other."""
    runs: list[list[int]] = []
    for at in sorted(lines, key=lambda at: lines[at].y0):
        size = lines[at].size
        _, end, word = edges[at]
        if word - end < MIN_GAP_EM * size:
            continue
        for run in runs:
            last = run[-1]
            near = 0 < lines[at].y0 - lines[last].y0 <= MAX_STEP * size
            same = abs(word - edges[last][2]) <= SAME_EDGE_PT and abs(end - edges[last][1]) <= SAME_END_EM * size
            if near and same:
                run.append(at)
                break
        else:
            runs.append([at])
    return runs
