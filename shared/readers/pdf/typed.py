"""Tables of a typewriter: monospaced lines whose cells begin or end below each other.

A line of such a page is one piece of text with runs of blanks or dots in it. Where the texts after them are aligned
with those of other lines, and there are numbers among them, the lines are divided there; code and prose stay whole.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from shared.readers.pdf.lines import PdfLine

# A run of blanks or of leader dots that may divide two cells.
_GAP = re.compile(r"(?<=\S)(?:\s{2,}|\s?(?:\.\s?){4,}\s*)(?=[^\s.])")
_RULE = re.compile(r"[\s\-=_+|.*~]{4,}")
MIN_LINES = 3
# Greatest distance of two lines of a table, in type sizes.
MAX_STEP = 2.6
# Greatest difference of a character's width from that of the line above, as a share of it.
SAME_WIDTH = 0.04
# Shares of the lines with a gap, from which they are a table: with all cells aligned, with a number after a gap.
ALIGNED_SHARE = 0.7
FIGURES_SHARE = 0.4
# Lines from which a single blank that all of them share divides cells too.
MANY_LINES = 5


class _Cell(NamedTuple):
    """The part of a line after a gap, by the characters of the line."""

    start: int
    end: int


def typed_gaps(lines: Sequence[PdfLine]) -> dict[int, list[float]]:
    """The x at which to divide lines, by their index in `lines`: the starts of the cells of typed tables."""
    found: dict[int, list[float]] = {}
    for run in _runs(lines):
        for at, starts in _starts(run, lines):
            found[at] = [lines[at].x0 + (start - 0.1) * _em(lines[at]) for start in starts]
    return found


def _em(line: PdfLine) -> float:
    return (line.x1 - line.x0) / len(line.text)


def _runs(lines: Sequence[PdfLine]) -> Iterator[list[int]]:
    """Monospaced lines below each other, of one character width."""
    typed = [at for at, line in enumerate(lines) if line.mono and line.dir_x > 0.99 and not line.vertical]
    typed.sort(key=lambda at: lines[at].y0)
    run: list[int] = []
    for at in typed:
        if run and not _follows(lines[run[-1]], lines[at]):
            yield run
            run = []
        run.append(at)
    yield run


def _follows(above: PdfLine, line: PdfLine) -> bool:
    near = 0 < line.y0 - above.y0 <= MAX_STEP * line.size
    return near and abs(_em(line) - _em(above)) <= SAME_WIDTH * _em(above)


def _starts(run: Sequence[int], lines: Sequence[PdfLine]) -> Iterator[tuple[int, list[int]]]:
    """The characters at which the cells of each line of a table begin; nothing where the run is no table."""
    left = min((lines[at].x0 for at in run), default=0.0)
    cells = {at: found for at in run if (found := _cells(lines[at].text))}
    offset = {at: round((lines[at].x0 - left) / _em(lines[at])) for at in cells}
    starts = Counter(offset[at] + cell.start for at, found in cells.items() for cell in found)
    ends = Counter(offset[at] + cell.end for at, found in cells.items() for cell in found)
    aligned = sum(
        all(max(starts[offset[at] + c.start], ends[offset[at] + c.end]) > 1 for c in found)
        for at, found in cells.items()
    )
    figures = sum(any(_is_number(lines[at].text[slice(*c)]) for c in found) for at, found in cells.items())
    if len(cells) < MIN_LINES or aligned < ALIGNED_SHARE * len(cells) or figures < FIGURES_SHARE * len(cells):
        return
    shared = _shared_blanks([" " * offset[at] + lines[at].text for at in cells])
    for at, found in cells.items():
        text, first = lines[at].text, offset[at]
        single = [
            i + 1
            for i in range(1, len(text) - 1)
            if first + i in shared and text[i].isspace() and not text[i + 1].isspace()
        ]
        yield at, sorted({*[cell.start for cell in found], *single})


def _cells(text: str) -> list[_Cell]:
    """The cells after the first; none in a line of dashes."""
    if _RULE.fullmatch(text):
        return []
    gaps = [match.span() for match in _GAP.finditer(text)]
    return [_Cell(start, end) for (_, start), (end, _) in pairwise([*gaps, (len(text), 0)])]


def _is_number(text: str) -> bool:
    return any(c.isdigit() for c in text) and not any(c.isalpha() for c in text)


def _shared_blanks(texts: Sequence[str]) -> set[int]:
    """The places at which every line is blank, where there are many lines."""
    if len(texts) < MANY_LINES:
        return set()
    return {at for at in range(min(map(len, texts))) if all(text[at].isspace() for text in texts)}
