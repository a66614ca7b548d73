"""Which pictures are shown, and which of them may hold text that the text layer lacks: by their share of the page."""

from shared.domain.geometry import Rect

# A picture of this share of the page with (nearly) no text over it may be a scanned passage.
REGION_SHARE = 0.15
# One that somebody placed in a text, a slide or a web page may hold text from three lines across a page on: 3 × 14 by
# 451 of 595 by 842 points.
PLACED_SHARE = 0.035
COVERED_SHARE = 0.03
# Of a page without layout, a picture that is drawn smaller is an icon, a bullet, a line or a tracker: on A4 less than a
# square of 16 mm. Figures of pages have the same bound (`extraction/figures.py`).
SHOWN_SHARE = 0.004


def covered_share(box: Rect, texts: list[Rect]) -> float:
    """How much of `box` the `texts` cover, overlaps of theirs counted twice."""
    covered = sum([
        max(0.0, min(box.right, t.right) - max(box.x, t.x)) * max(0.0, min(box.bottom, t.bottom) - max(box.y, t.y))
        for t in texts
    ])  # fmt: skip
    return covered / (box.w * box.h) if box.w * box.h else 1.0
