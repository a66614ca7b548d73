"""Sums a page file up for the document-wide profile."""

import re
from collections import Counter

from shared.domain.page import PageFile
from shared.domain.shapes import edge_rows, shape_of, style_of
from shared.domain.sketch import EdgeLine, PageSketch

_DOTTED = re.compile(r"(?:\.\s?){4,}\s*\S{1,6}$|\u2026+\s*\S{1,6}$")
_ADDRESS = re.compile(r"^[A-Z]{0,4}\d{1,3}(?:[.\-]\d{1,3})+\b")


def sketch_page(page: PageFile) -> PageSketch:
    """The page's contribution to the profile; pure and small."""
    styles: Counter[str] = Counter()
    for fragment in page.fragments:
        styles[style_of(fragment)] += len(fragment.text)
    return PageSketch(
        page=page.page,
        characters=sum(styles.values()),
        styles=dict(styles),
        edges=[edge for top in (True, False) for edge in _edges(page, top)],
        lefts=dict(Counter(round(f.box.x * 100) for f in page.fragments).most_common(8)),
        pitches=dict(_pitches(page).most_common(8)),
        numbers=dict(Counter(shape_of(m.group()) for f in page.fragments if (m := _ADDRESS.match(f.text)))),
        contents_entries=sum(1 for f in page.fragments if _DOTTED.search(f.text)),
        images=[f"{i.box.x:.2f} {i.box.y:.2f} {i.box.w:.2f} {i.box.h:.2f}" for i in page.images],
    )


def _edges(page: PageFile, top: bool) -> list[EdgeLine]:
    return [
        EdgeLine(top=top, rank=rank, y=round(y, 4), x=row[0].box.x, shape=shape_of(" ".join(f.text for f in row)))
        for rank, (y, row) in enumerate(edge_rows(page.fragments, top))
    ]


def _pitches(page: PageFile) -> Counter[int]:
    """Distances between the bottoms of successive lines of one style, in twentieths of their size."""
    found: Counter[int] = Counter()
    for above, below in zip(page.fragments, page.fragments[1:], strict=False):
        step = (below.box.bottom - above.box.bottom) * page.height_pt
        if above.size == below.size and 0.8 * above.size < step < 3 * above.size:
            found[round(20 * step / above.size)] += min(len(above.text), len(below.text))
    return found
