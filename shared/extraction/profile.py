"""The document-wide profile: what cannot be known from one page (body style, running lines, styles of titles)."""

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from shared.domain.page import OutlineEntry
from shared.domain.sketch import NumberedLine, OutlineHint, PageSketch, Profile, StandingLine
from shared.extraction.running_lines import Sample, find_counting, find_furniture, find_margins
from shared.extraction.titles.contents_runs import contents_runs
from shared.extraction.titles.evidence import (
    TitleEvidence,
    bare_key,
    contents_marks,
    has_plain_titles,
    outline_levels,
    repeated_numbers,
    sequence_marks,
    title_key,
)
from shared.extraction.titles.styles import size_of, title_styles

__all__ = ["build_profile", "title_key"]

SAMPLE_PAGES = 2000
REPEATED_SHARE = 0.3
RUNNING_RULE_SHARE = 0.5
LEFT_SHARE = 0.1


def build_profile(sketches: Iterable[PageSketch], outline: Iterable[OutlineEntry] = ()) -> Profile:
    """Builds the profile from all pages' sketches; deterministic, whatever the order of `sketches`.

    Memory does not grow with the number of pages: there are few styles, and repetition is looked for on at most
    SAMPLE_PAGES pages.
    """
    styles: Counter[str] = Counter()
    pitches: Counter[int] = Counter()
    lefts: Counter[int] = Counter()
    long_lines: Counter[str] = Counter()
    sample = Sample(SAMPLE_PAGES)
    evidence = TitleEvidence()
    numbered: dict[int, tuple[int, list[NumberedLine]]] = {}
    for sketch in sketches:
        styles.update(sketch.styles)
        pitches.update(sketch.pitches)
        lefts.update(sketch.lefts)
        long_lines.update(sketch.long_lines)
        sample.add(sketch)
        evidence.add(sketch)
        numbered[sketch.page] = sketch.characters, sketch.numbered
    body = _first(styles, "")
    body_size = size_of(body) if body else 10.0
    pitch = _pitch(pitches)
    hints = [hint for entry in outline for hint in _hints(entry)]
    runs = contents_runs(numbered)
    contents = evidence.contents_pages(sample.pages)
    entries, contents_pages = contents_marks(contents, evidence.candidates(list(contents)))
    titles = evidence.candidates(contents_pages)
    sequence = sequence_marks(titles, body, pitch)
    known = outline_levels(hints)
    paged = {id(line): page for page, line in titles}

    def level_of(line: StandingLine) -> int | None:
        page = paged[id(line)]
        return known.get((page, title_key(line.text)), known.get((page, bare_key(line.text))))

    return Profile(
        pages=sample.pages,
        body_size=body_size,
        body_style=body,
        body_pitch=pitch,
        lefts=sorted(left for left, lines in lefts.items() if lines >= LEFT_SHARE * lefts.total()),
        furniture=find_furniture(sample, body_size),
        counting=find_counting(sample),
        margins=find_margins(sample),
        repeated_images=_repeated(sample, "images", REPEATED_SHARE),
        repeated_rules=_repeated(sample, "rules", RUNNING_RULE_SHARE),
        page_offsets=_page_offsets(sample),
        headings=title_styles(styles, long_lines, body, [line for _, line in titles], level_of),
        outline=hints,
        marks=[*entries, *sequence],
        repeated=repeated_numbers(titles, sequence, body),
        plain_titles=has_plain_titles(titles, body, pitch),
        contents_pages=contents_pages,
        contents_runs=runs,
    )


def _hints(entry: OutlineEntry) -> list[OutlineHint]:
    """A bookmark under its whole title, and under the title without its number."""
    keys = dict.fromkeys((title_key(entry.title), bare_key(entry.title)))
    return [OutlineHint(level=entry.level, page=entry.page, key=key, y=entry.y) for key in keys]


def _repeated(sample: Sample, what: Literal["images", "rules"], share: float) -> list[str]:
    """Positions that occur on at least three pages and on at least this share of them."""
    places = Counter(place for sketch in sample.sketches for place in set(getattr(sketch, what)))
    return sorted(place for place, count in places.items() if count >= max(3, share * len(sample.sketches)))


def _first(counts: Counter[str], default: str) -> str:
    return min(counts, key=lambda key: (-counts[key], key)) if counts else default


def _pitch(pitches: Counter[int]) -> float:
    return min(pitches, key=lambda key: (-pitches[key], key)) / 20 if pitches else 1.2


def _page_offsets(sample: Sample) -> list[int]:
    """Differences between printed page numbers and page indexes, each seen on three pages; unnumbered pages shift the
    rest."""
    offsets = Counter(offset for sketch in sample.sketches for offset in set(sketch.page_numbers))
    return sorted(offset for offset, count in offsets.items() if count >= 3)
