"""Pages whose fonts misstate their size: bitmap fonts of old TeX files say .12 pt, and fonts of 1 unit say the same.

The library takes every letter for a line's end then, as nothing is near in a type of .12 pt. The widths of letters tell
the size; lines are put together anew from the single characters.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from statistics import median
from typing import Any, Final

from shared.readers.pdf.copies import Place
from shared.readers.pdf.lines import STRAIGHT, Bars, PdfLine, split_line

# No type of this size is read by anyone; letters are this much wider than high in no font.
SIZE_MAX: Final = 3.0
WIDTH_MIN: Final = 1.5
# The mean width of small letters in running text, in type sizes (Computer Modern and Times .44 to .46), and the white
# from which characters are of two words, and of two cells.
LETTER_EM: Final = 0.45
SPACE_EM: Final = 0.17
CELL_EM: Final = 1.0
# Characters whose baselines are as near as this stand on one.
BASELINE_EM: Final = 0.1
LETTERS_MIN: Final = 10


def misstates_sizes(blocks: Sequence[dict[str, Any]]) -> bool:
    """Whether most characters of a page's text blocks are far wider than their font's size."""
    wide = characters = 0
    for block in blocks:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                count = len(span["text"].strip())
                characters += count
                if span["size"] < SIZE_MAX and span["bbox"][2] - span["bbox"][0] > WIDTH_MIN * span["size"] * count > 0:
                    wide += count
    return 2 * wide > characters


def lines_of_misstated_page(blocks: Sequence[dict[str, Any]], bars: Bars, copies: Collection[Place]) -> list[PdfLine]:
    """The lines of the text blocks of a `rawdict` without `copies`, from the top to the bottom."""
    sizes = _sizes(blocks)
    found, others = list[dict[str, Any]](), list[dict[str, Any]]()
    for number, block in enumerate(blocks):
        for position, raw in enumerate(block.get("lines", ())):
            if (number, position) not in copies:
                (found if raw["dir"][0] > STRAIGHT else others).append(raw)
    characters = [one for raw in found for one in _characters(raw, sizes)]
    rows = [*_rows(characters), *others]
    return [line for n, row in enumerate(rows) for line in split_line(row, n, bars)]


def _sizes(blocks: Sequence[dict[str, Any]]) -> dict[tuple[str, float], float]:
    """By font and stated size the size that the widths of its letters tell; of fonts with few the median of the
    others."""
    widths = defaultdict[tuple[str, float], list[float]](list)
    for block in blocks:
        for raw in block.get("lines", ()):
            for span in raw["spans"]:
                widths[span["font"], span["size"]] += [
                    char["bbox"][2] - char["bbox"][0] for char in span["chars"] if char["c"].islower()
                ]
    told = {key: sum(w) / len(w) / LETTER_EM for key, w in widths.items() if len(w) >= LETTERS_MIN}
    usual = median(told.values()) if told else 10.0
    return {key: round(told.get(key, usual), 1) for key in widths}


def _characters(raw: dict[str, Any], sizes: dict[tuple[str, float], float]) -> Iterator[dict[str, Any]]:
    """A line's characters with their spans, but for blanks: the library sees them where none are."""
    for span in raw["spans"]:
        size = sizes[span["font"], span["size"]]
        for char in span["chars"]:
            if not char["c"].isspace():
                yield {**span, "size": size, "chars": [char], "raw": raw}


def _rows(characters: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Lines of a `rawdict` from single characters: those on one baseline, parted where white is as wide as between
    cells."""
    row: list[dict[str, Any]] = []
    for one in sorted(characters, key=_baseline):
        if row and _baseline(one) - _baseline(row[0]) > BASELINE_EM * one["size"]:
            yield from _parts(row)
            row = []
        row.append(one)
    yield from _parts(row)


def _parts(row: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    spans, end = list[dict[str, Any]](), 0.0
    for one in sorted(row, key=lambda one: one["chars"][0]["bbox"][0]):
        x0, _, x1, _ = one["chars"][0]["bbox"]
        if spans and x0 - end > CELL_EM * one["size"]:
            yield _line(spans)
            spans = []
        elif spans and x0 - end > SPACE_EM * one["size"]:
            spans.append(_blank(spans[-1], end, x0))
        spans.append(one)
        end = x1
    if spans:
        yield _line(spans)


def _blank(before: dict[str, Any], x0: float, x1: float) -> dict[str, Any]:
    """A blank between two characters, in the style of the first."""
    (char,) = before["chars"]
    _, y0, _, y1 = char["bbox"]
    return {**before, "chars": [{**char, "c": " ", "bbox": (x0, y0, x1, y1), "origin": (x0, char["origin"][1])}]}


def _line(spans: Sequence[dict[str, Any]]) -> dict[str, Any]:
    boxes = [one["chars"][0]["bbox"] for one in spans]
    box = (boxes[0][0], min(b[1] for b in boxes), boxes[-1][2], max(b[3] for b in boxes))
    return {**spans[0]["raw"], "spans": spans, "bbox": box}


def _baseline(one: dict[str, Any]) -> float:
    return one["chars"][0]["origin"][1]
