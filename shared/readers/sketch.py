"""Summarises a page file for the document-wide profile."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from shared.domain.page import Fragment, PageFile
from shared.domain.shapes import (
    edge_rows,
    lone_numbers,
    lowest_row,
    margin_fragments,
    numbers_apart,
    numbers_in,
    place_of,
    place_of_rule,
    shape_of,
    style_of,
)
from shared.domain.sketch import EdgeLine, PageSketch
from shared.domain.standing import standing_rows
from shared.readers.sketch_titles import contents_lines, numbered_lines, standing_lines

LONG_LINE = 55
# Pieces of the outermost row that are kept one by one.
MAX_PARTS = 4
# More beside the text is notes, or the labels of a form.
MAX_MARGINS = 12


def sketch_page(page: PageFile) -> PageSketch:
    """The page's contribution to the profile; pure and small."""
    styles: Counter[str] = Counter()
    long_lines: Counter[str] = Counter()
    for fragment in page.fragments:
        style, length = style_of(fragment), len(fragment.text)
        styles[style] += length
        if length >= LONG_LINE:
            long_lines[style] += length
    rows = standing_rows(page.fragments, page.width_pt, page.height_pt)
    return PageSketch(
        page=page.page,
        characters=sum(styles.values()),
        styles=dict(styles),
        edges=[edge for top in (True, False) for edge in _edges(page, top)],
        foot=_edge(False, 0, foot[0].box.y, foot) if (foot := lowest_row(page.fragments)) else None,
        margins=[_edge(True, 0, f.box.y, [f]) for f in margin_fragments(page.fragments)[:MAX_MARGINS]],
        lefts=dict(Counter(round(f.box.x * 100) for f in page.fragments if len(f.text) >= LONG_LINE).most_common(8)),
        pitches=dict(_pitches(page).most_common(8)),
        long_lines=dict(long_lines),
        page_numbers=sorted(n - page.page for n in lone_numbers(page.fragments).values()),
        images=[place_of(i.box) for i in page.images],
        rules=sorted({place for r in page.rules if (place := place_of_rule(r))}),
        titles=standing_lines(page, rows),
        contents=contents_lines(page),
        numbered=numbered_lines(page, rows),
    )


def _edges(page: PageFile, top: bool) -> list[EdgeLine]:
    rows = edge_rows(page.fragments, top)
    return [_edge(top, rank, y, row) for rank, (y, row) in enumerate(rows)]


def _edge(top: bool, rank: int, y: float, row: Sequence[Fragment]) -> EdgeLine:
    text = " ".join([f.text for f in row])
    return EdgeLine(
        top=top, rank=rank, y=round(y, 4), x=row[0].box.x, shape=shape_of(text), numbers=numbers_in(text),
        lone=numbers_apart(row), size=max(row, key=lambda f: len(f.text)).size,
        parts=[shape_of(f.text) for f in row][:MAX_PARTS] if rank == 0 else [],
    )  # fmt: skip


def _pitches(page: PageFile) -> Counter[int]:
    """Distances between the bottoms of successive lines of one style, in twentieths of their size."""
    found: Counter[int] = Counter()
    for above, below in pairwise(page.fragments):
        step = (below.box.bottom - above.box.bottom) * page.height_pt
        if above.size == below.size and 0.8 * above.size < step < 3 * above.size:
            found[round(20 * step / above.size)] += min(len(above.text), len(below.text))
    return found
