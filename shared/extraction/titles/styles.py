"""Which styles of a document are title styles, and the heading depth of each."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from shared.domain.sketch import HeadingStyle, StandingLine
from shared.values.addresses import label_depth, normalise, printed_address
from shared.values.fonts import is_mono_font
from shared.values.numbering import numbers_of

LARGER = 1.08
# Of a monospaced style that is not bold: names in definitions are often set a step larger than the text.
LARGER_MONO = 1.25
MAX_STYLES = 16
MAX_DEPTH = 12
# Limits of a title style: it covers little of the text, seldom fills a line, and has rows to itself.
MAX_SHARE = 0.2
MAX_LONG_SHARE = 0.5
# Characters in long lines that a large style may have all the same: the document's title may be its only use.
LONG_TITLE = 240
# Titles of several rows each, so many at least: characters of one on an average, white space above it in type sizes.
MIN_LONG_TITLES = 3
AVERAGE_TITLE = 140
TITLE_APART = 1.5
MIN_ALONE = 0.6
MIN_FOLLOWED = 0.5
FOLLOWED_BY = 25
SMALLEST = 0.9
MIN_TITLES = 2


def title_styles(
    styles: Mapping[str, int],
    long_lines: Mapping[str, int],
    body: str,
    titles: Sequence[StandingLine],
    level_of: Callable[[StandingLine], int | None],
) -> list[HeadingStyle]:
    """Returns the title styles with the depth of a title without a number: styles larger than the body's that are rare
    enough, and others whose rows stand alone.

    `level_of` returns the bookmark level of a title.
    """
    total = sum(styles.values())
    size = size_of(body) if body else 10.0
    by_style: dict[str, list[StandingLine]] = defaultdict(list)
    for title in titles:
        by_style[title.style].append(title)
    uncommon = [s for s, n in styles.items() if n <= MAX_SHARE * total]
    rare = [s for s in uncommon if long_lines.get(s, 0) <= MAX_LONG_SHARE * styles[s]]
    larger = [s for s in uncommon if size_of(s) >= size * (LARGER_MONO if _is_plain_mono(s) else LARGER)]
    large = [s for s in larger if s in rare or long_lines[s] <= LONG_TITLE or _are_long(by_style[s], styles[s])]
    sizes = sorted({size_of(s) for s in large}, reverse=True)[:MAX_STYLES]
    kept = [s for s in large if size_of(s) in sizes]
    others = [s for s in rare if s not in large and s != body and size_of(s) >= SMALLEST * size]
    alone = [s for s in others if _stands_alone(by_style[s], styles[s])]
    return _ranked(kept, alone, by_style, _below_labels(titles), level_of)


def _are_long(titles: Sequence[StandingLine], characters: int) -> bool:
    """Whether the style's text is titles of several rows, such as questions: white space is above each."""
    apart = sum(title.above >= TITLE_APART for title in titles)
    return apart >= MIN_LONG_TITLES and characters <= AVERAGE_TITLE * apart


def _is_plain_mono(style: str) -> bool:
    name = style.rsplit("|", 1)[0]
    return is_mono_font(name) and "bold" not in name.lower()


def size_of(style: str) -> float:
    return float(style.rsplit("|", 1)[1])


def _stands_alone(titles: Sequence[StandingLine], characters: int) -> bool:
    """Whether nearly all of the style's text is in rows that read like titles and are followed by text."""
    if len(titles) < MIN_TITLES:
        return False
    followed = sum(title.following >= FOLLOWED_BY for title in titles)
    return sum(len(t.text) for t in titles) >= MIN_ALONE * characters and followed >= MIN_FOLLOWED * len(titles)


def _ranked(
    larger: Sequence[str],
    alone: Sequence[str],
    by_style: Mapping[str, Sequence[StandingLine]],
    below_labels: Mapping[str, int],
    level_of: Callable[[StandingLine], int | None],
) -> list[HeadingStyle]:
    """Assigns depths from the largest style down: that of the style's own bookmarks or numbers, else one below the
    style above."""
    found: list[HeadingStyle] = []
    depth = 0
    last: tuple[float, bool] | None = None
    labels = _labels(by_style)
    known = {s: _known_depth(by_style.get(s, ()), level_of) or below_labels.get(s) for s in (*larger, *alone)}
    for style in sorted(known, key=lambda s: (-size_of(s), _is_italic(s), s)):
        step = (size_of(style), _is_italic(style))
        own = known[style] or _same_step(known, step)
        below = [deep + 1 for size, deep in labels if size >= step[0]]
        depth = own or max([*below, depth if step == last else depth + 1])
        last = step
        found.append(
            HeadingStyle(
                style=style, rank=min(MAX_DEPTH, depth), larger=style in larger,
                numbered=_are_numbered(by_style.get(style, ()), depth, style in larger),
            )
        )  # fmt: skip
    return sorted(found, key=lambda one: one.style)


def _labels(by_style: Mapping[str, Sequence[StandingLine]]) -> list[tuple[float, int]]:
    """Size and depth of titles that begin with a label (Part, Item, Note), for labels that several titles have."""
    counts = Counter(
        (size_of(style), depth)
        for style, titles in by_style.items()
        for title in titles
        if (printed := printed_address(title.text)) and (depth := label_depth(printed[0]))
    )
    return [label for label, count in counts.items() if count >= MIN_TITLES]


def _same_step(known: Mapping[str, int | None], step: tuple[float, bool]) -> int | None:
    return min((d for s, d in known.items() if d and (size_of(s), _is_italic(s)) == step), default=None)


def _is_italic(style: str) -> bool:
    name = style.rsplit("|", 1)[0].lower()
    return "italic" in name or "oblique" in name or name.endswith("-it")


def _known_depth(titles: Sequence[StandingLine], level_of: Callable[[StandingLine], int | None]) -> int | None:
    """The depth known from bookmarks, from labels (Part, Item) set in the style, or from its numbers; else None."""
    levels = Counter(level for title in titles if (level := level_of(title)) is not None)
    if levels and sum(levels.values()) >= 0.3 * len(titles):
        return _most_common(levels)
    addresses = [printed[0] for title in titles if (printed := printed_address(title.text))]
    labels = [depth for address in addresses if (depth := label_depth(address))]
    if labels:
        return max(labels) + (not any(map(_is_chapter, addresses)))
    return _number_depth(titles)


def _below_labels(titles: Sequence[StandingLine]) -> dict[str, int]:
    """Styles of the titles that stand below the label of a chapter (`Chapter 3`) in a row of its own, with its
    depth."""
    found: Counter[tuple[str, int]] = Counter()
    for label, title in pairwise(titles):
        printed = printed_address(label.text)
        depth = label_depth(printed[0]) if printed and _is_chapter(printed[0]) else None
        if printed and depth and not label.text[printed[1] :].strip() and size_of(title.style) > size_of(label.style):
            found[title.style, depth] += 1
    return {style: depth for (style, depth), count in found.items() if count >= MIN_TITLES}


def _is_chapter(address: str) -> bool:
    """Whether the label is that of a chapter or an appendix: what stands beside them (References) has none."""
    return normalise(address).startswith(("chapter", "appendix"))


def _number_depth(titles: Sequence[StandingLine]) -> int | None:
    """How many parts the numbers of the titles have, where many of them have one."""
    numbers = Counter(len(readings[0][1]) for title in titles if (readings := numbers_of(title.text)))
    return _most_common(numbers) if sum(numbers.values()) >= max(2, 0.3 * len(titles)) else None


def _are_numbered(titles: Sequence[StandingLine], depth: int, larger: bool) -> bool:
    """Whether the titles have numbers of so many parts; of two at least in a larger style, as chapters have siblings
    without one."""
    return _number_depth(titles) == depth and (depth > 1 or not larger)


def _most_common(counts: Counter[int]) -> int:
    return min(counts, key=lambda level: (-counts[level], level))
