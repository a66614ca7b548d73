"""Tables: from drawn rules, or from cells that line up, to grids of fragments."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from shared.domain.operations import RegisterTable, Skip
from shared.domain.sketch import Profile
from shared.extraction.figures import Extent, figure_zones
from shared.extraction.page_view import Line, PageView, ids_of, text_of
from shared.extraction.tables.aligned import aligned_regions
from shared.extraction.tables.beside import split_beside
from shared.extraction.tables.captions import caption_of, captions_of, is_above_figure
from shared.extraction.tables.columns import find_columns
from shared.extraction.tables.definitions import are_definitions
from shared.extraction.tables.doubt import are_pieces, is_doubtful
from shared.extraction.tables.grid import Grid, build_grid
from shared.extraction.tables.growth import grow, joined
from shared.extraction.tables.headers import grow_header, head_rows, header_rows
from shared.extraction.tables.lattice import build_lattice
from shared.extraction.tables.levels import widen_headers
from shared.extraction.tables.named import named_regions
from shared.extraction.tables.notes import drop_notes
from shared.extraction.tables.plausible import is_plausible
from shared.extraction.tables.refused import are_joined, are_options, is_something_else
from shared.extraction.tables.regions import PageRules, Region, page_rules, shade
from shared.extraction.tables.ruled import ruled_regions
from shared.extraction.tables.second_header import second_header, split_at
from shared.extraction.tables.stacked import join_stacked
from shared.extraction.ticks import label_ticks
from shared.extraction.titles.headings import HeadingJudge

# Greatest distance of a rule of dashes from its table, in line heights.
RULE_DISTANCE = 1.5
DRAWN_SHARE = 0.5
FILLED_SHARE = 0.6
MIN_FILLED = 8
# Entries of a contents page, and the share of its rows that are such.
MIN_ENTRIES = 6
CONTENTS_SHARE = 0.8
# Set by hand: in `tests.bench.tables`, .996 of adjacent cells stay adjacent, in ruled and unruled tables alike. An
# unruled table with two filled cells in less than half of its rows falls below the limit of the flag (confidence.py).
UNDECIDED = 0.5
CONFIDENCE = {"grid": 1.0, "rules": 0.97, "aligned": 0.92}


class _Found(NamedTuple):
    """A region that holds a table, its grid, and the lines of its caption."""

    region: Region
    grid: Grid
    caption: list[Line]


def find_tables(view: PageView, profile: Profile, judge: HeadingJudge) -> list[RegisterTable]:
    """Returns the tables of the page, and takes their lines and captions."""
    found: list[_Found] = []
    zones = figure_zones(view, profile)
    typed = [line for line in view.typed_rules if not view.is_taken(line)]
    view.take(typed)
    rules = page_rules(view, profile)
    options, captions = _options(view), list(captions_of(view.free))
    for regions_of in (ruled_regions, named_regions, aligned_regions):
        regions = regions_of(view, rules, profile, judge)
        for region in reversed(regions):  # from below: a body before its header
            region.lines = [line for line in region.lines if not view.is_taken(line)]
            if not region.lines or (options and are_options(region, options)):
                continue
            if are_joined(region):
                zones.append((region.x0, region.y0, region.x1, region.y1))
                continue
            grow(region, view.free, [other for other in regions if other is not region])
            if region.kind == "aligned":
                grow_header(region, view.free, rules.horizontal)
            for part, grid in _tables_of(region, view.free, rules, judge):
                others = [*(one.region for one in found), *(other for other in regions if other is not region)]
                own = {line.order for line in part.lines}
                free = [line for line in view.free if line.order not in own]
                caption = part.title or (caption_of(part, others, free, captions) if grid else [])
                if grid and _is_contents(grid, profile):
                    view.take(part.lines)
                    view.contents += part.lines
                elif (
                    grid
                    and not caption
                    and (_has_axes(grid) or not _is_full(grid, part))
                    and is_above_figure(part, free)
                ):
                    zones.append((part.x0, part.y0, part.x1, part.y1))
                elif grid and (caption or _is_full(grid, part) or not _is_drawing(part, zones)):
                    view.take([*part.lines, *caption])
                    found.append(_Found(part, grid, caption))
    kept = _plausible(_join(found, view, judge, rules.fills), view, judge)
    tables = [one for one, _ in kept]
    view.typed_rules = [line for line in typed if any(_is_beside(line, table.region) for table in tables)]
    view.release([line for line in typed if line not in view.typed_rules])
    pieces = [any(are_pieces(one.region, o.region) for o in tables if o is not one) for one in tables]
    return [_register(one, header, in_pieces) for (one, header), in_pieces in zip(kept, pieces, strict=True)]


def _tables_of(
    region: Region, free: Sequence[Line], rules: PageRules, judge: HeadingJudge
) -> Iterable[tuple[Region, Grid | None]]:
    """The parts of the region that are beside each other, or below headers of their own, with their grids."""
    for part in split_beside(region):
        shade(part, rules.fills)
        grid = _grid_of(part, free)
        while grid:
            count = header_rows(grid, part, judge)
            at = second_header(grid, count, part)
            parts = split_at(part, grid, at, count) if at else None
            if not parts:
                break
            upper, part = parts
            for one in parts:
                shade(one, rules.fills)
            yield upper, _grid_of(upper, free)
            if part.kind == "aligned":
                grow_header(part, [], rules.horizontal)
            grid = _grid_of(part, free)
        yield part, grid


def _options(view: PageView) -> set[str]:
    """The ids of the lines that a box to tick stands before."""
    labels = label_ticks(view.page, view.page.tick_boxes or [])
    return {name for name, ticks in labels.items() if ticks[0][0] == "right"}


def skips_beside_tables(view: PageView) -> list[Skip]:
    """What `find_tables` took and is no table: rules of dashes inside and around tables, and entries of contents."""
    rules = [Skip(fragment_ids=[line.id], reason="decoration") for line in view.typed_rules]
    return [*rules, *([Skip(fragment_ids=ids_of(view.contents), reason="contents")] if view.contents else [])]


def _is_beside(rule: Line, region: Region) -> bool:
    over = rule.x0 < region.x1 and rule.x1 > region.x0
    return over and region.y0 - RULE_DISTANCE * rule.height <= rule.middle <= region.y1 + RULE_DISTANCE * rule.height


def _join(found: list[_Found], view: PageView, judge: HeadingJudge, fills: Sequence[Extent]) -> list[_Found]:
    """Joins tables that only labels separate, and takes the labels."""
    tables: list[_Found] = []
    for one in sorted(found, key=lambda one: (one.region.y0, one.region.x0)):
        above = tables[-1] if tables and not one.caption else None
        whole = joined(above.region, one.region, view, judge) if above else None
        if whole:
            shade(whole, fills)  # also the labels between the two
        grid = _grid_of(whole, view.free) if whole else None
        if above and whole and grid:
            view.take(whole.lines)
            tables[-1] = _Found(whole, grid, above.caption)
        else:
            tables.append(one)
    return tables


def _plausible(found: Sequence[_Found], view: PageView, judge: HeadingJudge) -> list[tuple[_Found, int]]:
    """What is a table, with the number of its header's rows; what is none is text again."""
    headed = [(one, _header(one, judge)) for one in found]
    kept = list[tuple[_Found, int]]()
    for one, header in headed:
        if is_plausible(one.grid, one.region, one.caption, header, view):
            kept.append((one, header))
        else:
            view.release([*one.region.lines, *one.caption])
            view.side_by_side.update(line.order for line in _side_by_side(one.grid))
    return kept


def _side_by_side(grid: Grid) -> Iterable[Line]:
    """The lines of rows with several cells."""
    for row in grid.rows:
        filled = [cell for cell in row if cell.lines]
        if len(filled) > 1:
            yield from [line for cell in filled for line in cell.lines]


def _is_full(grid: Grid, region: Region) -> bool:
    """Whether the region is a drawn grid whose cells have text: then it is not a diagram, whatever else is drawn over
    it. Single signs are points of a plot."""
    cells = [cell for row in grid.rows for cell in row]
    filled = sum(any(len(word) > 1 for line in cell.lines for word in line.text.split()) for cell in cells)
    return region.kind == "grid" and filled >= MIN_FILLED and filled >= FILLED_SHARE * len(cells)


def _has_axes(grid: Grid) -> bool:
    """Whether text below the first row is turned in several columns: the names beside the axes of charts. A table's
    groups of rows have such names in one."""
    turned = [c for row in grid.rows[1:] for c in row if any(x.fragment.direction == "rotated" for x in c.lines)]
    return len({cell.column for cell in turned}) > 1


def _is_contents(grid: Grid, profile: Profile) -> bool:
    """Whether the rows are titles with a number each, and these ascend as the pages of the document do."""
    filled = [[text_of(cell.lines) for cell in row if cell.lines] for row in grid.rows]
    pages = [int(row[1]) for row in filled if len(row) == 2 and row[1].isdecimal() and not row[0][:1].isdecimal()]
    falling = sum(one > other for one, other in pairwise(pages))
    return (
        len(pages) >= max(MIN_ENTRIES, CONTENTS_SHARE * len(filled))
        and falling == 0
        and pages[0] < pages[-1] <= profile.pages
    )


def _is_drawing(region: Region, zones: Sequence[Extent]) -> bool:
    """Whether a drawing (with the labels below it) covers half of the region."""
    area = max(1.0, (region.x1 - region.x0) * (region.y1 - region.y0))
    sides = [
        (min(region.x1, x1) - max(region.x0, x0), min(region.y1, y1) - max(region.y0, y0)) for x0, y0, x1, y1 in zones
    ]
    return any(min(across, down) > 0 and across * down >= DRAWN_SHARE * area for across, down in sides)


def _grid_of(region: Region, free: Sequence[Line]) -> Grid | None:
    """The grid of the region's lines; None where they make no table. `free`: the lines of the page."""
    columns = find_columns(region.body, region)
    if len(columns) < 2 or is_something_else(region, free) or are_definitions(region, columns, free):
        return None
    build = build_lattice if region.kind == "grid" else build_grid
    grid = build(region.body, columns, region)
    drop_notes(grid, region)
    heads = head_rows(region, columns)
    grid = grid.below(heads) if heads else grid
    if region.kind != "grid":
        widen_headers(grid, columns, region)
    return grid if _is_table(grid, region) else None


def _header(found: _Found, judge: HeadingJudge) -> int:
    return join_stacked(found.grid, header_rows(found.grid, found.region, judge), found.region)


def _register(found: _Found, header: int, in_pieces: bool) -> RegisterTable:
    doubtful = in_pieces or is_doubtful(found.grid, header, found.region)
    return RegisterTable(
        header_rows=header,
        rows=found.grid.cells(),
        caption_fragment_ids=ids_of(found.caption),
        confidence=_confidence(found.grid, found.region, doubtful),
    )


def _is_table(grid: Grid, region: Region) -> bool:
    """Whether the grid is a table: at least two rows, a good part of them with two cells side by side."""
    side_by_side = sum(len([cell for cell in row if cell.lines]) >= 2 for row in grid.rows)
    if len(grid.rows) < 2 or side_by_side == 0:
        return False
    return side_by_side >= (1 if region.kind == "grid" else max(2, 0.4 * len(grid.rows)))


def _confidence(grid: Grid, region: Region, doubtful: bool) -> float:
    """Lower where few rows have two or more filled cells: such a table may be a form or prose. What is undecided alone
    lowers it so far that the page is flagged (see confidence.py)."""
    filled = sum(len([cell for cell in row if cell.lines]) >= 2 for row in grid.rows) / len(grid.rows)
    return round(CONFIDENCE[region.kind] * (0.8 + 0.2 * filled) * (UNDECIDED if doubtful else 1.0), 4)
