"""Columns that nothing is drawn between: where the lines of a typed table are divided.

Cells are parted by runs of blanks or of leader dots. Where the texts after them begin or end below each other, and
there are numbers among them, the lines are a table; code and prose are none. A single blank divides too where all lines
share it, or where the words before and after it end where cells above or below them end: so do the words of a header
over numbers that are set to the right, and a number that fills its column.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

# A run of blanks or of leader dots that may divide two cells.
_GAP = re.compile(r"(?<=\S)(?:\s{2,}|\s?(?:\.\s?){4,}\s*)(?=[^\s.])")
_RULE = re.compile(r"[\s\-=_+|.*~]{4,}")
# A number whose digits are in groups; a word, or such a number.
_GROUPED = re.compile(r"[-+(]?\d{1,3}(?: \d{3})+(?![^\s.,)%])\S*")
_WORD = re.compile(rf"{_GROUPED.pattern}|\S+")
_FIGURE = re.compile(r"[-+]?[\d.,]*\d(?:[eE][-+]?\d+)?%?")
_UNITS = re.compile(r"^[A-Z]{3}(?=\s{0,12}[-\d])|(?<=\d)\s?(?:[A-Z]{3}|[a-zA-Z\u00b5]{1,2})$")
MIN_LINES = 3
# Shares of the lines with a gap, from which they are a table: with all cells aligned, with a number after a gap.
ALIGNED_SHARE = 0.7
FIGURES_SHARE = 0.4
# Lines from which a single blank that all of them share divides cells too.
MANY_LINES = 5
# Share of a table's lines in which a word ends at a place, from which that is the end of a column.
ENDS_SHARE = 0.7
MAX_HEADER_LINES = 2


class _Cell(NamedTuple):
    """The part of a line after a gap, by the places of the line."""

    start: int
    end: int


def cell_starts(texts: Sequence[str]) -> dict[int, list[int]]:
    """The places at which the cells after the first one of each line begin, by the line's index in `texts`: lines
    below each other, with their indentation. Lines that are not divided are missing, all where they are no table."""
    cells = {at: found for at, text in enumerate(texts) if (found := _cells(text))}
    starts = Counter(cell.start for found in cells.values() for cell in found)
    ends = Counter(end for at, found in cells.items() for cell in found for end in _word_ends(texts[at], cell))
    aligned = sum(
        all(max(starts[cell.start], *(ends[end] for end in _word_ends(texts[at], cell))) > 1 for cell in found)
        for at, found in cells.items()
    )
    figures = sum(any(is_number(texts[at][slice(*c)]) for c in found) for at, found in cells.items())
    if len(cells) < 2 or aligned < ALIGNED_SHARE * len(cells) or figures < FIGURES_SHARE * len(cells):
        return {}
    shared = _shared_blanks([texts[at] for at in cells])
    printed = Counter(x for at in cells for x, character in enumerate(texts[at]) if not character.isspace())
    divided = {
        at: sorted({*[cell.start for cell in found], *_after(texts[at], shared, printed)})
        for at, found in cells.items()
    }
    found = divided | _by_ends(texts, cells, divided)
    return found if len(found) >= MIN_LINES else {}


def _cells(text: str) -> list[_Cell]:
    """The cells after the first; none in a line of dashes."""
    if _RULE.fullmatch(text):
        return []
    gaps = [match.span() for match in _GAP.finditer(text)]
    return [_Cell(start, end) for (_, start), (end, _) in pairwise([*gaps, (len(text.rstrip()), 0)])]


def _word_ends(text: str, cell: _Cell) -> set[int]:
    """Where the cell ends, and where its first word does: a mark may stand behind a number."""
    return {cell.end, cell.start + len(text[cell.start : cell.end].split(maxsplit=1)[0])}


def is_number(text: str) -> bool:
    """Whether the text has digits and no letters but those of a currency before them or a unit behind them."""
    bare = _UNITS.sub("", text.strip())
    return any(c.isdigit() for c in bare) and not any(c.isalpha() for c in bare)


def _shared_blanks(texts: Sequence[str]) -> set[int]:
    """The places at which every line is blank, but for those within numbers, where there are many lines."""
    if len(texts) < MANY_LINES:
        return set()
    whole = [_GROUPED.sub(lambda number: number[0].replace(" ", "0"), text) for text in texts]
    return {at for at in range(min(map(len, texts))) if all(text[at].isspace() for text in whole)}


def _after(text: str, blanks: set[int], printed: Mapping[int, int]) -> list[int]:
    """Where a word begins behind one of the blanks that another word ends at; `printed` says how many lines have text
    at a place: both words are below or above others."""
    return [
        word.start()
        for before, word in pairwise(_WORD.finditer(text))
        if word.start() - 1 in blanks and all(any(printed[x] > 1 for x in range(*one.span())) for one in (before, word))
    ]


def _by_ends(
    texts: Sequence[str], rows: Mapping[int, Sequence[_Cell]], divided: Mapping[int, list[int]]
) -> dict[int, list[int]]:
    """Further lines, and rows anew, divided where words end as the cells above or below them do."""
    found: dict[int, list[int]] = {}
    filled = _filled(texts, rows)
    for block in _blocks(texts, rows.keys() | filled):
        words = Counter(word.end() for at in block for word in _WORD.finditer(texts[at]))
        columns = {end for end, count in words.items() if count >= max(2, ENDS_SHARE * len(block))}
        left = min(_indent(texts[at]) for at in block)
        cell_ends = {end for at in block for end in _ends(texts[at], divided.get(at, ()), left)}
        heads: list[str] = []
        for at in range(block[0] - 1, max(-1, block[0] - 1 - MAX_HEADER_LINES), -1):
            starts = [] if at in rows or at in filled else _grouped(texts[at], columns)
            if not starts:
                break
            found[at] = starts
            head = texts[at][: starts[0]].rstrip()
            cell_ends |= {*_ends(texts[at], starts, _indent(texts[block[0]]))}
            heads.append(head)
        for at in block:
            single = _starts_behind(texts[at], columns & cell_ends)
            first = _starts_below(texts[at], heads)
            found[at] = sorted({*divided.get(at, ()), *single, *first})
        numbers = columns & {end for at in block for end in _number_ends(texts[at], found[at])}
        for at in block:
            found[at] = sorted({*found[at], *_numbers_at(texts[at], numbers)})
    return {at: starts for at, starts in found.items() if starts}


def _filled(texts: Sequence[str], rows: Mapping[int, Sequence[_Cell]]) -> set[int]:
    """The lines without a gap, above or below a row or each other, whose last number ends as cells of rows do: their
    columns may be full."""
    ends = {cell.end for cells in rows.values() for cell in cells}
    found = set(rows)
    for step in (1, -1):
        for at in range(len(texts))[::step]:
            words = list(_WORD.finditer(texts[at])) if at - step in found and at not in found else []
            if len(words) > 1 and words[-1].end() in ends and is_number(words[-1][0]):
                found.add(at)
    return found - rows.keys()


def _blocks(texts: Sequence[str], rows: Iterable[int]) -> list[list[int]]:
    """The rows that directly follow each other; one without a digit, below others with some, heads rows of its own."""
    blocks: list[list[int]] = []
    for at in sorted(rows):
        numbered = any(map(str.isdigit, texts[at]))
        if blocks and blocks[-1][-1] == at - 1 and (numbered or not any(map(str.isdigit, texts[at - 1]))):
            blocks[-1].append(at)
        else:
            blocks.append([at])
    return blocks


def _ends(text: str, starts: Sequence[int], left: int) -> list[int]:
    """Where the cells of a line end, given where those after the first begin; that of the first one if it is a number
    or right of `left`: words at the left edge are labels, which begin below each other."""
    labelled = not starts or (not is_number(text[: starts[0]]) and _indent(text) <= left)
    ends = [len(text[:start].rstrip()) for start in [*starts, len(text)]] if starts else []
    return ends[1:] if labelled else ends


def _number_ends(text: str, starts: Sequence[int]) -> list[int]:
    """Where the cells after the first end that are a single number."""
    cells = [(start, len(text[:end].rstrip())) for start, end in pairwise([*starts, len(text)])]
    return [end for start, end in cells if is_number(text[start:end]) and " " not in text[start:end]]


def _numbers_at(text: str, ends: set[int]) -> list[int]:
    """Where numbers begin behind a word, and not its sign (`< 2e-16`), that end at one of the `ends`."""
    return [
        word.start()
        for before, word in pairwise(_WORD.finditer(text))
        if word.end() in ends and _FIGURE.fullmatch(word[0]) and any(map(str.isalnum, before[0]))
    ]


def _grouped(text: str, columns: set[int]) -> list[int]:
    """Where groups of the words begin, but for the first, if each of the groups ends at the end of a column; nothing
    where one does not, or where there is only one."""
    words = list(_WORD.finditer(text))
    if not words or words[-1].end() not in columns:
        return []
    return [word.start() for before, word in pairwise(words) if before.end() in columns]


def _starts_below(text: str, heads: Sequence[str]) -> list[int]:
    """Where words begin that end as one of the first words of a header, if the line has a label left of that."""
    ends = {len(head) for head in heads if _indent(text) < _indent(head)}
    return [word.start() for word in _WORD.finditer(text) if word.end() in ends]


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _starts_behind(text: str, ends: set[int]) -> list[int]:
    return [word.start() for before, word in pairwise(_WORD.finditer(text)) if before.end() in ends]
