"""Tables of a typewriter on a page: monospaced lines whose cells begin or end below each other (see
`readers/typed/aligned.py`)."""

from collections.abc import Iterator, Sequence

from shared.readers.pdf.lines import PdfLine
from shared.readers.typed.aligned import cell_starts
from shared.values.fonts import is_mono_font

# Greatest distance of two lines of a table, in type sizes.
MAX_STEP = 2.6
# Greatest difference of a character's width from that of the line above, as a share of it.
SAME_WIDTH = 0.04
# Greatest difference of the tops of two pieces of a line, in type sizes.
SAME_LINE = 0.1


def typed_gaps(lines: Sequence[PdfLine]) -> dict[int, list[float]]:
    """The x at which to divide lines, by their index in `lines`: the starts of the cells of typed tables."""
    found: dict[int, list[float]] = {}
    for run in _runs(lines):
        left = min(lines[at].x0 for row in run for at in row)
        texts = [_set(row, lines, left) for row in run]
        for index, starts in cell_starts(texts).items():
            for at in run[index]:
                first = _place(lines[at], left)
                inside = [start - first for start in starts if first < start < first + len(lines[at].text)]
                if inside:
                    found[at] = [lines[at].x0 + (start - 0.1) * _em(lines[at]) for start in inside]
    return found


def is_typed(line: PdfLine) -> bool:
    return line.mono or is_mono_font(line.font)


def _em(line: PdfLine) -> float:
    return (line.x1 - line.x0) / len(line.text)


def _place(line: PdfLine, left: float) -> int:
    """How many characters the line begins behind `left`."""
    return round((line.x0 - left) / _em(line))


def _set(row: Sequence[int], lines: Sequence[PdfLine], left: float) -> str:
    """The pieces of a row as one line of characters, with blanks between them."""
    text = ""
    for at in row:
        text = text.ljust(_place(lines[at], left)) + lines[at].text
    return text


def _runs(lines: Sequence[PdfLine]) -> Iterator[list[list[int]]]:
    """Monospaced rows below each other, of one character width; of each the pieces from left to right."""
    typed = [at for at, line in enumerate(lines) if is_typed(line) and line.dir_x > 0.99 and not line.vertical]
    typed.sort(key=lambda at: (lines[at].y0, lines[at].x0))
    run: list[list[int]] = []
    for at in typed:
        last = lines[run[-1][-1]] if run else None
        if last and _is_beside(last, lines[at]):
            run[-1].append(at)
            continue
        if last and not _follows(last, lines[at]):
            yield run
            run = []
        run.append([at])
    if run:
        yield run


def _is_beside(left: PdfLine, line: PdfLine) -> bool:
    return abs(line.y0 - left.y0) <= SAME_LINE * line.size and line.x0 >= left.x1 and _is_as_wide(left, line)


def _follows(above: PdfLine, line: PdfLine) -> bool:
    return 0 < line.y0 - above.y0 <= MAX_STEP * line.size and _is_as_wide(above, line)


def _is_as_wide(one: PdfLine, other: PdfLine) -> bool:
    """Whether the characters of both have one width."""
    return abs(_em(other) - _em(one)) <= SAME_WIDTH * _em(one)
