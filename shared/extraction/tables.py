"""Tables: from drawn rules, or from cells that line up, to grids of fragments."""

from collections.abc import Sequence

from shared.domain.operations import RegisterTable, Skip
from shared.domain.sketch import Profile
from shared.extraction.figures import caption_lines
from shared.extraction.headings import HeadingJudge
from shared.extraction.lists import caption_kind
from shared.extraction.page_view import Line, PageView, ids_of
from shared.extraction.table_columns import find_columns
from shared.extraction.table_grid import Grid, build_grid
from shared.extraction.table_headers import header_rows
from shared.extraction.table_regions import Region, aligned_regions, ruled_regions

CAPTION_DISTANCE = 3.0
CONFIDENCE = {"grid": 1.0, "rules": 0.97, "aligned": 0.85}


def find_tables(view: PageView, profile: Profile, judge: HeadingJudge) -> list[RegisterTable | Skip]:
    """Tables of the page; their lines and captions are taken."""
    found: list[RegisterTable | Skip] = []
    for region in ruled_regions(view, profile, judge):
        found += _register(view, region, judge)
    for region in aligned_regions(view, profile, judge):
        found += _register(view, region, judge)
    return found


def _register(view: PageView, region: Region, judge: HeadingJudge) -> list[RegisterTable | Skip]:
    lines = [line for line in region.lines if not view.is_taken(line)]
    columns = find_columns(lines, region)
    if len(columns) < 2:
        return []
    grid = build_grid(lines, columns, region)
    if not _holds(grid, region):
        return []
    view.take(lines)
    caption = _caption(view, region)
    view.take(caption)
    return [
        RegisterTable(
            header_rows=header_rows(grid, region, judge),
            rows=grid.cells(),
            caption_fragment_ids=ids_of(caption),
            confidence=_confidence(grid, region),
        )
    ]


def _holds(grid: Grid, region: Region) -> bool:
    """A table has at least two rows, and two cells side by side in a good part of them."""
    side_by_side = sum(len([cell for cell in row if cell.lines]) >= 2 for row in grid.rows)
    if len(grid.rows) < 2 or side_by_side == 0:
        return False
    return side_by_side >= (1 if region.kind == "grid" else max(2, 0.4 * len(grid.rows)))


def _confidence(grid: Grid, region: Region) -> float:
    """Less where few rows fill two cells or more: such a table may be a form or prose."""
    filled = sum(len([cell for cell in row if cell.lines]) >= 2 for row in grid.rows) / len(grid.rows)
    return round(CONFIDENCE[region.kind] * (0.8 + 0.2 * filled), 4)


def _caption(view: PageView, region: Region) -> list[Line]:
    """The nearest line that reads `Table N`, above the table or else below it."""
    free = view.free
    best: tuple[float, int] | None = None
    for position, line in enumerate(free):
        if caption_kind(line.text) != "table" or line.x1 < region.x0 or line.x0 > region.x1:
            continue
        above = line.middle < region.y0
        distance = region.y0 - line.y1 if above else line.y0 - region.y1 + line.height
        if -line.height <= distance <= CAPTION_DISTANCE * line.height and (best is None or distance < best[0]):
            best = (distance, position)
    return _bounded(caption_lines(free, best[1]), region) if best else []


def _bounded(lines: Sequence[Line], region: Region) -> list[Line]:
    """A caption above its table ends where the table begins."""
    above = lines[0].middle < region.y0
    return [line for line in lines if not above or line.middle < region.y0 + 1]
