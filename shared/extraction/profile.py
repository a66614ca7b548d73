"""The document-wide profile: what a page cannot know by itself (body style, running lines, heading styles)."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from shared.domain.page import OutlineEntry
from shared.domain.sketch import EdgeLine, Furniture, HeadingStyle, OutlineHint, PageSketch, Profile

# A running line stands at the same height, to 1.2 % of the page, ...
SAME_HEIGHT = 0.012
# ... on at least two pages, and in a document of many pages on this share of them (chapters change running heads).
MIN_PAGES = 2
MIN_SHARE = 0.02
REPEATED_SHARE = 0.3
RUNNING_RULE_SHARE = 0.5
LARGER = 1.08
MAX_STYLES = 8
# A heading style covers little of the text.
MAX_HEADING_SHARE = 0.2
# Headings seldom fill a line; a style of which more than this stands in long lines is prose.
MAX_LONG_SHARE = 0.5


def build_profile(sketches: Iterable[PageSketch], outline: Iterable[OutlineEntry] = ()) -> Profile:
    """Sum up all pages; deterministic, whatever the order of `sketches`. Memory grows with distinct styles and
    running lines, not with the text."""
    styles: Counter[str] = Counter()
    pitches: Counter[int] = Counter()
    edges: dict[tuple[bool, str], list[tuple[int, EdgeLine]]] = defaultdict(list)
    images: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    long_lines: Counter[str] = Counter()
    offsets: Counter[int] = Counter()
    pages = 0
    for sketch in sketches:
        pages += 1
        styles.update(sketch.styles)
        pitches.update(sketch.pitches)
        images.update(set(sketch.images))
        rules.update(set(sketch.rules))
        long_lines.update(sketch.long_lines)
        offsets.update(set(sketch.page_numbers))
        for edge in sketch.edges:
            edges[(edge.top, edge.shape)].append((sketch.page, edge))
    body = _first(styles, "")
    size = float(body.rsplit("|", 1)[1]) if body else 10.0
    return Profile(
        pages=pages,
        body_size=size,
        body_style=body,
        body_pitch=_pitch(pitches),
        furniture=_furniture(edges, pages),
        repeated_images=_repeated(images, pages, REPEATED_SHARE),
        repeated_rules=_repeated(rules, pages, RUNNING_RULE_SHARE),
        page_offsets=_page_offsets(offsets),
        headings=_heading_styles(styles, long_lines, size),
        outline=[OutlineHint(level=e.level, page=e.page, key=title_key(e.title), y=e.y) for e in outline],
    )


def _repeated(places: Counter[str], pages: int, share: float) -> list[str]:
    """Places taken on at least three pages and on this share of them."""
    return sorted(place for place, count in places.items() if count >= max(3, share * pages))


def title_key(text: str) -> str:
    """Letters and digits only, in lower case: how a bookmark and a printed heading are compared."""
    return "".join(c for c in text.lower() if c.isalnum())


def _first(counts: Counter[str], default: str) -> str:
    return min(counts, key=lambda key: (-counts[key], key)) if counts else default


def _pitch(pitches: Counter[int]) -> float:
    return min(pitches, key=lambda key: (-pitches[key], key)) / 20 if pitches else 1.2


def _furniture(edges: dict[tuple[bool, str], list[tuple[int, EdgeLine]]], pages: int) -> list[Furniture]:
    found: list[Furniture] = []
    needed = max(MIN_PAGES, pages * MIN_SHARE)
    for (top, shape), lines in sorted(edges.items()):
        for group in _by_height(lines):
            seen = len({page for page, _ in group})
            if seen >= needed:
                height = sorted(edge.y for _, edge in group)[len(group) // 2]
                found.append(Furniture(top=top, y=height, shape=shape, pages=seen))
    return found


def _by_height(lines: list[tuple[int, EdgeLine]]) -> list[list[tuple[int, EdgeLine]]]:
    groups: list[list[tuple[int, EdgeLine]]] = []
    for line in sorted(lines, key=lambda line: (line[1].y, line[0])):
        if groups and line[1].y - groups[-1][0][1].y <= SAME_HEIGHT:
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _page_offsets(offsets: Counter[int]) -> list[int]:
    """Printed page numbers less the pages' own, each seen on three pages: unnumbered pages shift the rest."""
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
