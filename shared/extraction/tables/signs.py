"""Signs of a found table, as numbers, by which a learned decision tells tables from what only stands like one (see
plausible.py): shares of cells, rows and lines, and lengths in sizes of type, so that no scale of a page matters."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import log
from statistics import mean, median, pstdev

from shared.domain.geometry import Rect
from shared.extraction.page_view import Line, PageView, is_mono, rows_of, text_of
from shared.extraction.tables.grid import Grid, GridCell
from shared.extraction.tables.regions import Region
from shared.extraction.tables.rows import is_value

# How near two edges are the same, in points, and from which distance on nothing is near, in sizes of type.
TOUCH = 2.0
FAR = 6.0
_ENDS = (".", "!", "?", ":", ";")
_MATH_FONTS = ("CMMI", "CMSY", "CMEX", "MSBM", "MSAM", "Symbol", "StandardSym", "txmi", "pxmi", "Math")
_RELATIONS = frozenset("=\u2264\u2265\u2248\u2261\u2208\u221d\u2192\u21d2\u2190\u2194\u21d4")


def signs_of(grid: Grid, region: Region, caption: Sequence[Line], header: int, view: PageView) -> dict[str, float]:
    """The signs by their names."""
    lines, rows = region.lines, grid.rows
    size = median(line.size for line in lines)
    return {
        **_of_kind(region, caption, header, len(rows)),
        **_of_cells(rows, header),
        **_of_lines(lines, size),
        **_of_columns(rows, header, size),
        **_of_place(region, size, view),
    }


def _of_kind(region: Region, caption: Sequence[Line], header: int, count: int) -> dict[str, float]:
    text = text_of(caption).lower()
    inner = [x for x, _, _ in region.vertical if region.x0 + 6 < x < region.x1 - 6]
    levels = {round(y / 2) for y, _, _ in region.horizontal}
    return {
        "grid": float(region.kind == "grid"),
        "rules": float(region.kind == "rules"),
        "caption": float(bool(caption)),
        "table caption": float(text.startswith(("tab", "cuadro", "tavola"))),
        "header": float(header > 0),
        "walls": log(1 + len({round(x / 2) for x in inner})),
        "rules a row": min(1.5, len(levels) / count),
        "any rule": float(bool(levels)),
        "bands": min(1.0, len(region.bands) / count),
    }


def _of_cells(rows: Sequence[Sequence[GridCell]], header: int) -> dict[str, float]:
    texts = [[text_of(cell.lines) for cell in row] for row in rows]
    filled = [text for row in texts for text in row if text]
    body = [text for row in texts[header:] for text in row if text] or filled
    width = max(sum(cell.col_span for cell in row) for row in rows)
    cells = sum(cell.col_span for row in rows for cell in row)
    inside = [cell for row in rows for cell in row if cell.lines]
    lengths = [len(text) for text in filled]
    letters = sum(c.isalpha() for text in filled for c in text)
    digits = sum(c.isdigit() for text in filled for c in text)
    signs = sum(not c.isalnum() and not c.isspace() for text in filled for c in text)
    characters = max(1, letters + digits + signs)
    return {
        "rows": log(len(rows)),
        "columns": log(width),
        "filled": sum(cell.col_span for cell in inside) / max(1, cells),
        "side by side": mean(float(sum(bool(text) for text in row) > 1) for row in texts),
        "full rows": mean(float(all(row)) for row in texts),
        "two alone": mean(float(sum(bool(text) for text in row) == 2) for row in texts),
        "mean length": log(mean(lengths)),
        "longest": log(max(lengths)),
        "values": mean(float(is_value(text)) for text in body),
        "sentences": mean(float(text.rstrip().endswith(_ENDS) and " " in text) for text in filled),
        "colons": mean(float(text.rstrip().endswith(":")) for text in filled),
        "lower": mean(float(text[:1].islower()) for text in filled),
        "upper": mean(float(text[:1].isupper()) for text in filled),
        "digits": digits / characters,
        "signs": signs / characters,
        "short": mean(float(len(text) < 3) for text in filled),
        "related": mean(float(any(not _RELATIONS.isdisjoint(text) for text in row)) for row in texts),
        "same": 1 - len(set(filled)) / len(filled),
        "lines a cell": log(mean(len(rows_of(cell.lines)) for cell in inside)),
        "spans": mean(float(cell.col_span > 1 or cell.row_span > 1) for cell in inside),
    }


def _of_lines(lines: Sequence[Line], size: float) -> dict[str, float]:
    tops = rows_of(lines)
    steps = [below[0].middle - above[0].middle for above, below in pairwise(tops)]
    return {
        "mono": mean(float(is_mono(line)) for line in lines),
        "math": mean(float(any(name in line.style for name in _MATH_FONTS)) for line in lines),
        "italic": mean(float(line.fragment.italic) for line in lines),
        "bold": mean(float(line.bold) for line in lines),
        "turned": mean(float(line.fragment.direction == "rotated") for line in lines),
        "sizes": pstdev(line.size for line in lines) / size,
        "styles": len({line.style for line in lines}) / len(lines),
        "uneven": min(2.0, pstdev(steps) / max(1.0, mean(steps))) if steps else 0.0,
        "pitch": min(6.0, median(steps) / size) if steps else 0.0,
        "breaks": mean(float(_breaks(a, b)) for a, b in pairwise(tops)) if steps else 0.0,
    }


def _breaks(above: Sequence[Line], below: Sequence[Line]) -> bool:
    """Whether the upper row's last words do not end a sentence and the lower row begins in lower case."""
    return not above[-1].text.rstrip().endswith(_ENDS) and below[0].text[:1].islower()


def _of_columns(rows: Sequence[Sequence[GridCell]], header: int, size: float) -> dict[str, float]:
    columns: dict[int, list[GridCell]] = {}
    for row in rows[header:] or rows:
        for cell in row:
            if cell.lines and cell.col_span == 1:
                columns.setdefault(cell.column, []).append(cell)
    kinds = [mean(float(is_value(text_of(cell.lines))) for cell in column) for column in columns.values()]
    styles = [Counter(cell.lines[0].style for cell in column).most_common(1)[0] for column in columns.values()]
    edges = [_spread(column, size) for column in columns.values() if len(column) > 1]
    gaps = [
        (min(x.x0 for x in right.lines) - max(x.x1 for x in left.lines)) / size
        for row in rows
        for left, right in pairwise([cell for cell in row if cell.lines])
    ]
    return {
        "even kinds": mean(max(kind, 1 - kind) for kind in kinds) if kinds else 0.0,
        "value columns": mean(float(kind > 0.5) for kind in kinds) if kinds else 0.0,
        "even styles": sum(n for _, n in styles) / max(1, sum(map(len, columns.values()))),
        "other styles": float(len({style for style, _ in styles}) > 1),
        "least column": min((len(column) for column in columns.values()), default=0) / max(1, len(rows) - header),
        "ragged": min(5.0, mean(edges)) if edges else 5.0,
        "most ragged": min(5.0, max(edges)) if edges else 5.0,
        "least gap": max(-2.0, min(8.0, min(gaps, default=0.0))),
        "gap": max(-2.0, min(12.0, median(gaps))) if gaps else 0.0,
    }


def _spread(column: Sequence[GridCell], size: float) -> float:
    """How far the cells are from one left edge, right edge or middle, in type sizes."""
    lefts = [min(x.x0 for x in cell.lines) for cell in column]
    rights = [max(x.x1 for x in cell.lines) for cell in column]
    middles = [(a + b) / 2 for a, b in zip(lefts, rights, strict=True)]
    return min(_deviation(places) for places in (lefts, rights, middles)) / size


def _deviation(places: Sequence[float]) -> float:
    centre = median(places)
    return mean(abs(place - centre) for place in places)


def _of_place(region: Region, size: float, view: PageView) -> dict[str, float]:
    own = {line.order for line in region.lines}
    top, bottom = min(x.y0 for x in region.lines), max(x.y1 for x in region.lines)
    left, right = min(x.x0 for x in region.lines), max(x.x1 for x in region.lines)
    others = [line for line in view.lines if line.order not in own]
    over = [line for line in others if line.x0 < right and line.x1 > left]
    above = max((x for x in over if x.y1 <= top + TOUCH), key=lambda x: x.y1, default=None)
    below = min((x for x in over if x.y0 >= bottom - TOUCH), key=lambda x: x.y0, default=None)
    styles = Counter(line.style for line in region.lines)
    return {
        "width": (right - left) / view.width,
        "height": (bottom - top) / view.height,
        "share": len(own) / len(view.lines),
        "level": min(2.0, sum(top < line.middle < bottom for line in others) / len(own)),
        "body style": styles[_main_style(others)] / len(own),
        "size": size / max(1.0, median(x.size for x in others)) if others else 1.0,
        "above": min(FAR, (top - above.y1) / size) if above else FAR,
        "below": min(FAR, (below.y0 - bottom) / size) if below else FAR,
        "edge above": float(above is not None and abs(above.x0 - left) < TOUCH),
        "edge below": float(below is not None and abs(below.x0 - left) < TOUCH),
        "style above": float(above is not None and above.style in styles),
        "style below": float(below is not None and below.style in styles),
        "colon above": float(above is not None and above.text.rstrip().endswith(":")),
        "drawn": _drawn((left, top, right, bottom), view),
        "drawings": min(3.0, float(len(_drawings(view)))),
    }


def _main_style(lines: Sequence[Line]) -> str:
    """The style of most of the text."""
    text = Counter[str]()
    for line in lines:
        text[line.style] += len(line.text)
    return text.most_common(1)[0][0] if text else ""


def _drawings(view: PageView) -> list[Rect]:
    """The boxes of drawings; a bitmap may be a scan of a table."""
    return [image.box for image in view.page.images if image.kind == "vector"]


def _drawn(extent: tuple[float, float, float, float], view: PageView) -> float:
    """How much of the extent one drawing covers."""
    left, top, right, bottom = extent
    found = 0.0
    for box in _drawings(view):
        across = min(right, box.right * view.width) - max(left, box.x * view.width)
        down = min(bottom, box.bottom * view.height) - max(top, box.y * view.height)
        if across > 0 and down > 0:
            found = max(found, across * down / max(1.0, (right - left) * (bottom - top)))
    return found
