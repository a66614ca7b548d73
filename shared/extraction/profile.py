"""The document-wide profile: what a page cannot know by itself (body style, running lines, heading styles)."""

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from shared.domain.page import OutlineEntry
from shared.domain.sketch import HeadingStyle, OutlineHint, PageSketch, Profile
from shared.extraction.running_lines import Sample, find_furniture

SAMPLE_PAGES = 2000
REPEATED_SHARE = 0.3
RUNNING_RULE_SHARE = 0.5
LARGER = 1.08
MAX_STYLES = 8
# A heading style covers little of the text.
MAX_HEADING_SHARE = 0.2
# Headings seldom fill a line; a style of which more than this stands in long lines is prose.
MAX_LONG_SHARE = 0.5


def build_profile(sketches: Iterable[PageSketch], outline: Iterable[OutlineEntry] = ()) -> Profile:
    """Sum up all pages; deterministic, whatever the order of `sketches`.

    Memory is flat in pages: styles are few, and what repeats is looked for on SAMPLE_PAGES pages at most.
    """
    styles: Counter[str] = Counter()
    pitches: Counter[int] = Counter()
    long_lines: Counter[str] = Counter()
    sample = Sample(SAMPLE_PAGES)
    for sketch in sketches:
        styles.update(sketch.styles)
        pitches.update(sketch.pitches)
        long_lines.update(sketch.long_lines)
        sample.add(sketch)
    body = _first(styles, "")
    size = float(body.rsplit("|", 1)[1]) if body else 10.0
    return Profile(
        pages=sample.pages,
        body_size=size,
        body_style=body,
        body_pitch=_pitch(pitches),
        furniture=find_furniture(sample),
        repeated_images=_repeated(sample, "images", REPEATED_SHARE),
        repeated_rules=_repeated(sample, "rules", RUNNING_RULE_SHARE),
        page_offsets=_page_offsets(sample),
        headings=_heading_styles(styles, long_lines, size),
        outline=[OutlineHint(level=e.level, page=e.page, key=title_key(e.title), y=e.y) for e in outline],
    )


def _repeated(sample: Sample, what: Literal["images", "rules"], share: float) -> list[str]:
    """Places taken on at least three pages and on this share of them."""
    places = Counter(place for sketch in sample.sketches for place in set(getattr(sketch, what)))
    return sorted(place for place, count in places.items() if count >= max(3, share * len(sample.sketches)))


def title_key(text: str) -> str:
    """Letters and digits only, in lower case: how a bookmark and a printed heading are compared."""
    return "".join(c for c in text.lower() if c.isalnum())


def _first(counts: Counter[str], default: str) -> str:
    return min(counts, key=lambda key: (-counts[key], key)) if counts else default


def _pitch(pitches: Counter[int]) -> float:
    return min(pitches, key=lambda key: (-pitches[key], key)) / 20 if pitches else 1.2


def _page_offsets(sample: Sample) -> list[int]:
    """Printed page numbers less the pages' own, each seen on three pages: unnumbered pages shift the rest."""
    offsets = Counter(offset for sketch in sample.sketches for offset in set(sketch.page_numbers))
    return sorted(offset for offset, count in offsets.items() if count >= 3)


def _heading_styles(styles: Counter[str], long_lines: Counter[str], body: float) -> list[HeadingStyle]:
    """Styles larger than the body's that are rare enough, ranked by size; styles of one size share a rank."""
    total = sum(styles.values()) or 1
    larger = [
        style
        for style, count in styles.items()
        if _size(style) >= body * LARGER
        and count <= MAX_HEADING_SHARE * total
        and long_lines[style] <= MAX_LONG_SHARE * count
    ]
    sizes = sorted({_size(style) for style in larger}, reverse=True)[:MAX_STYLES]
    rank = {size: position for position, size in enumerate(sizes, 1)}
    return [HeadingStyle(style=s, rank=rank[_size(s)]) for s in sorted(larger) if _size(s) in rank]


def _size(style: str) -> float:
    return float(style.rsplit("|", 1)[1])
