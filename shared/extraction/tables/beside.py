"""Tables beside each other that colours or rows at the same heights made one region."""

from dataclasses import replace

from shared.extraction.page_view import Line, rows_of
from shared.extraction.tables.regions import Region, Segment

# How far the labels of a table are from the place of its title.
SAME_EDGE_PT = 3.0
# Rows with cells side by side below a title, at least.
MIN_ROWS = 2


def split_beside(region: Region) -> list[Region]:
    """The region, or the tables that stand beside each other in it."""
    return _below_titles(region) or [region]


def _below_titles(region: Region) -> list[Region]:
    """The tables in the region, without their titles, where the first row has a title for each: at the left end of a
    rule of its own, which reaches over all of the table below it, labels and values."""
    titles, *body = rows_of(region.lines)
    rules = [_own_rule(title, region) for title in titles]
    found = [rule for rule in rules if rule]
    if len(titles) < 2 or len(found) < len(titles):
        return []
    parts = [
        [x for row in body for x in row if x.x0 >= rule[1] - SAME_EDGE_PT and x.x1 <= rule[2] + SAME_EDGE_PT]
        for rule in found
    ]
    whole = sum(map(len, parts)) == sum(map(len, body))
    if not whole or any(sum(len(row) > 1 for row in rows_of(part)) < MIN_ROWS for part in parts):
        return []
    return [
        replace(_part(region, part, rule[1], rule[2]), title=[title], y0=min(line.y0 for line in part))
        for title, part, rule in zip(titles, parts, found, strict=True)
    ]


def _own_rule(title: Line, region: Region) -> Segment | None:
    """The rule right below a title that begins with it."""
    return next(
        (
            rule
            for rule in region.horizontal
            if title.middle < rule[0] <= title.y1 + title.height / 2 and abs(rule[1] - title.x0) <= SAME_EDGE_PT
        ),
        None,
    )


def _part(region: Region, lines: list[Line], x0: float, x1: float) -> Region:
    rules = {rule: clipped for rule in region.horizontal if (clipped := _clipped(rule, x0, x1))}
    return Region(
        region.kind,
        x0=min(line.x0 for line in lines),
        y0=region.y0,
        x1=max(line.x1 for line in lines),
        y1=region.y1,
        lines=lines,
        horizontal=sorted(rules.values()),
        vertical=[v for v in region.vertical if x0 <= v[0] <= x1],
        tinted=frozenset(rules[rule] for rule in region.tinted if rule in rules),
        heads={line.order: region.heads[line.order] for line in lines if line.order in region.heads},
        headed=True,
    )


def _clipped(rule: Segment, x0: float, x1: float) -> Segment | None:
    return (rule[0], max(rule[1], x0), min(rule[2], x1)) if rule[1] < x1 and rule[2] > x0 else None
