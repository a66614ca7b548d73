"""Blocks of lines beside each other that are no table: addresses, names of pictures, a program's output."""

import re
from collections.abc import Sequence

from shared.extraction.figures import Extent
from shared.extraction.page_view import Line, is_mono, rows_of
from shared.extraction.tables.regions import Region
from shared.extraction.tables.rows import is_quantity

# Lines with the same first words, at least.
MIN_SAME = 3
# Lines of a picture's name, at most.
MAX_NAMES = 3
# Greatest distance of a picture from its name below, in line heights.
BELOW_PICTURE = 1.0
# A line with a postal code and a town, as they are set in Poland, on the continent, in the USA and in Britain.
_TOWN = re.compile(
    r"^\d{2}-\d{3} [^\W\d]|^(?:[A-Z]{1,3}-)?\d{4,5} [^\W\d_]{2}|[^\W\d], [A-Z]{2} \d{5}(?:-\d{4})?$"
    r"|(?:^|\s)[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}$"
)

_MARK = re.compile(r"^(?:\(.+\)|\[.+\]|.+:)$")


def are_addresses(rows: Sequence[Sequence[Line]]) -> bool:
    """Whether two columns are an address each: a line with a house's number, and below it one with a postal code."""
    return all(len(row) <= 2 for row in rows) and all(_holds_address([row[side] for row in rows]) for side in (0, -1))


def _holds_address(lines: Sequence[Line]) -> bool:
    towns = [at for at, line in enumerate(lines) if _TOWN.search(line.text)]
    return len(towns) == 1 and towns[0] > 0 and any(map(str.isdecimal, lines[towns[0] - 1].text))


def are_prefixed(rows: Sequence[Sequence[Line]]) -> bool:
    """Whether all is monospaced and each line begins with the same mark: output of a program that names itself."""
    lines = [line for row in rows for line in row]
    same = len(rows) >= MIN_SAME and len({row[0].text for row in rows}) == 1
    return same and _MARK.match(rows[0][0].text) is not None and all(map(is_mono, lines))


def are_below_pictures(region: Region, pictures: Sequence[Extent]) -> bool:
    """Whether each of several texts of the first row, as many as in any other, has a picture of its own right above it,
    beginning where that does or in the middle over it. What quantities are below is a table's header."""
    rows = rows_of(region.lines)
    if len(rows) > MAX_NAMES or any(all(is_quantity(line.text) for line in row) for row in rows[1:]):
        return False
    above = {_picture_above(line, pictures) for line in rows[0]}
    return len(rows[0]) == max(map(len, rows)) and len(above) == len(rows[0]) and None not in above


def _picture_above(line: Line, pictures: Sequence[Extent]) -> Extent | None:
    for x0, y0, x1, y1 in pictures:
        near = y0 < line.y0 and abs(line.y0 - y1) <= BELOW_PICTURE * line.height
        if near and (abs(x0 - line.x0) <= line.height or abs(x0 + x1 - line.x0 - line.x1) <= line.height):
            return (x0, y0, x1, y1)
    return None
