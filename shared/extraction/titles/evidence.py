"""Document-wide evidence for titles: numbering sequences, the printed table of contents, styles used for titles
only."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from shared.domain.sketch import ContentsLine, OutlineHint, PageSketch, StandingLine, TitleMark
from shared.extraction.lists import CONTENTS_TITLE
from shared.extraction.titles.styles import LARGER, SMALLEST, size_of
from shared.values.addresses import components, label_depth, printed_address
from shared.values.fonts import is_mono_font
from shared.values.numbering import Numbered, longest_sequences, numbers_of

MIN_SEQUENCE = 3
MIN_OTHER_SEQUENCE = 2
# Least white space above a title, as a multiple of the body's line pitch.
APART = 1.25
FOLLOWED_BY = 40
# A row that occurs on this many pages is a running line.
RUNNING_PAGES = 4
RUNNING_SHARE = 0.1
MIN_ENTRIES = 3
ASCENDING = 0.8
PROVEN = 0.3
# Largest page number: they may continue from a previous volume, while years and amounts are larger.
LARGEST_NUMBER = 2
UNNUMBERED = 20
MIN_PLAIN = 3
MAX_PLAIN = 70


def title_key(text: str) -> str:
    """Letters and digits only, in lower case: bookmarks and printed headings are compared by it."""
    return "".join(filter(str.isalnum, text.lower()))


def bare_key(text: str) -> str:
    """The key of a title without its number."""
    printed = printed_address(text)
    if printed:
        return title_key(text[printed[1] :])
    readings = numbers_of(text)
    return title_key(text[len(readings[0][2]) :]) if readings else title_key(text)


@dataclass(slots=True)
class TitleEvidence:
    """Collects rows page by page, in any order; queried once, at the end."""

    titles: dict[int, list[StandingLine]] = field(default_factory=dict[int, list[StandingLine]])
    contents: dict[int, list[ContentsLine]] = field(default_factory=dict[int, list[ContentsLine]])

    def add(self, sketch: PageSketch) -> None:
        self.titles[sketch.page] = sketch.titles
        if sketch.contents:
            self.contents[sketch.page] = sketch.contents

    def contents_pages(self, pages: int) -> dict[int, list[ContentsLine]]:
        """Pages that may be a printed table of contents, with their entries: rows that end in ascending page numbers,
        below a title or with dot leaders."""
        found: dict[int, list[ContentsLine]] = {}
        for page in sorted(self.contents):
            lines = [line for line in self.contents[page] if line.number <= LARGEST_NUMBER * pages + UNNUMBERED]
            titled = any(CONTENTS_TITLE.match(t.text.strip()) for t in self.titles.get(page, ()))
            if (titled or _is_led(lines) or page - 1 in found) and _ascends(lines):
                found[page] = lines
        return found

    def candidates(self, without: Sequence[int]) -> list[tuple[int, StandingLine]]:
        """The rows of all pages in order, without those of pages in `without` and without running lines."""
        seen: Counter[str] = Counter()
        for lines in self.titles.values():
            seen.update({title_key(line.text) for line in lines})
        limit = max(RUNNING_PAGES, RUNNING_SHARE * len(self.titles))
        skipped = set(without)
        return [
            (page, line)
            for page in sorted(self.titles)
            if page not in skipped
            for line in self.titles[page]
            if seen[title_key(line.text)] < limit
        ]


def _is_led(lines: Sequence[ContentsLine]) -> bool:
    return sum(line.leader for line in lines) >= max(MIN_ENTRIES, 0.5 * len(lines))


def _ascends(lines: Sequence[ContentsLine]) -> bool:
    steps = sum(b.number >= a.number for a, b in pairwise(lines))
    return len(lines) >= MIN_ENTRIES and steps >= ASCENDING * (len(lines) - 1)


def sequence_marks(candidates: Sequence[tuple[int, StandingLine]], body: str, pitch: float) -> list[TitleMark]:
    """Returns the titles that belong to long enough numbering sequences; those in the body's style must be set apart,
    above text."""
    numbered = [
        Numbered(row, scheme, steps, printed, _weight(line, body, pitch))
        for row, (_, line) in enumerate(candidates)
        if not _is_beside_text(line, body) and (line.style != body or (is_short(line) and _stands_apart(line, pitch)))
        for scheme, steps, printed in numbers_of(line.text)
    ]
    found: dict[int, TitleMark] = {}
    proved: set[str] = set()
    for chain in _chains(numbered):
        scheme = chain[0].scheme
        chain = _of_titles(chain, candidates, body)
        least = MIN_OTHER_SEQUENCE if len(scheme) == 1 else MIN_SEQUENCE
        if len(chain) < least:
            continue
        # Letters below roman numerals (II, A, B, III, A …) restart each time: no addresses, and one level deeper.
        proved.add(scheme)
        below = scheme == "A" and "I" in proved
        for one in chain:
            page, line = candidates[one.row]
            address, level = (None, len(one.steps) + 1) if below else (one.printed, len(one.steps))
            found.setdefault(
                one.row, TitleMark(page=page, key=title_key(line.text), level=level, address=address, nested=below)
            )
    return [found[row] for row in sorted(found)]


def repeated_numbers(
    candidates: Sequence[tuple[int, StandingLine]], marks: Sequence[TitleMark], body: str
) -> list[TitleMark]:
    """The rows with a number of one part in smaller type than each such title of the sequence: they count anew within
    a section (the articles of a licence in an appendix), so their number is no address, and they lie below it."""
    proved = {(mark.page, mark.key) for mark in marks if mark.address}
    chapters = {(m.page, m.key) for m in marks if m.address and m.address.isdecimal()}
    sizes = [size_of(line.style) for page, line in candidates if (page, title_key(line.text)) in chapters]
    if len(sizes) < MIN_SEQUENCE:
        return []
    level = 1 + max(mark.level for mark in marks)
    return [
        TitleMark(page=page, key=key, level=level)
        for page, line in candidates
        if line.style != body and size_of(line.style) < min(sizes) and _counts(line.text)
        if (page, key := title_key(line.text)) not in proved
    ]


def _counts(text: str) -> bool:
    """Whether the text begins with a number of one part."""
    return any(not scheme and len(steps) == 1 for scheme, steps, _ in numbers_of(text))


def _is_beside_text(line: StandingLine, body: str) -> bool:
    """Whether the row is smaller than the text (a note, but not small capitals), or a line of code in the midst of
    it; words that begin with a capital name a thing in a typewriter's letters."""
    if not body:
        return False
    size = size_of(line.style)
    is_mono = is_mono_font(line.style) and not line.bold and not is_mono_font(body) and size < LARGER * size_of(body)
    is_code = is_mono and _WORDS.fullmatch(line.text) is None
    return is_code or (size < SMALLEST * size_of(body) and not (line.bold or line.text.isupper()))


def _of_titles(
    chain: Sequence[Numbered], candidates: Sequence[tuple[int, StandingLine]], body: str
) -> Sequence[Numbered]:
    """The sequence without its few rows in the body's style: items of a list that fill a gap among titles."""
    styled = [one for one in chain if candidates[one.row][1].style != body]
    return styled if 2 * len(styled) > len(chain) else chain


def _chains(numbered: Sequence[Numbered]) -> list[list[Numbered]]:
    """The sequences, the longest first. Letters begin anew below each Roman number."""
    chains = sorted(longest_sequences(numbered), key=lambda chain: -len(chain))
    roman = next((chain for chain in chains if chain[0].scheme == "I" and len(chain) >= MIN_OTHER_SEQUENCE), [])
    if not roman:
        return chains
    above = [one.row for one in roman]
    below: dict[int, list[Numbered]] = defaultdict(list)
    for one in numbered:
        if one.scheme == "A":
            below[bisect_left(above, one.row)].append(one)
    letters = [chain for same in below.values() for chain in longest_sequences(same)]
    return [*(chain for chain in chains if chain[0].scheme != "A"), *letters]


def _weight(line: StandingLine, body: str, pitch: float) -> float:
    return 1.0 + (line.style != body) + 0.5 * (line.above >= APART * pitch)


def _stands_apart(line: StandingLine, pitch: float) -> bool:
    return line.above >= APART * pitch and line.following >= FOLLOWED_BY


def contents_marks(
    contents: Mapping[int, Sequence[ContentsLine]], candidates: Sequence[tuple[int, StandingLine]]
) -> tuple[list[TitleMark], list[int]]:
    """Returns (titles, pages of contents): entries of the printed contents that occur as rows of their own on the page
    that they name, and the contents pages that such entries (or dot leaders) confirm.

    Printed page numbers are shifted by the offset that several entries agree on.
    """
    places: dict[str, set[int]] = defaultdict(set)
    for page, line in candidates:
        for key in _keys(line.text):
            places[key].add(page)
    entries = [entry for lines in contents.values() for entry in lines]
    votes = Counter(
        shift for e in entries for shift in {p - e.number for k in _keys(e.text) for p in places.get(k, ())}
    )
    shifts = [s for s in sorted(votes, key=lambda s: (-votes[s], s)) if votes[s] >= MIN_ENTRIES]
    levels = _levels(entries)
    marks: dict[tuple[int, str], TitleMark] = {}
    proven: list[int] = []
    for page, lines in contents.items():
        right = [(entry, at) for entry in lines if (at := _place(entry, shifts, places)) is not None]
        if _is_led(lines) or len(right) >= max(MIN_ENTRIES, PROVEN * len(lines)):
            proven.append(page)
            for entry, at in right:
                for key in sorted(_keys(entry.text)):
                    marks.setdefault((at, key), TitleMark(page=at, key=key, level=_level(entry, levels)))
    return list(marks.values()), proven


def _place(entry: ContentsLine, shifts: Sequence[int], places: Mapping[str, set[int]]) -> int | None:
    for shift in shifts:
        if any(entry.number + shift in places.get(key, ()) for key in _keys(entry.text)):
            return entry.number + shift
    return None


def _keys(text: str) -> set[str]:
    return {title_key(text), bare_key(text)} - {""}


def _levels(entries: Sequence[ContentsLine]) -> list[float]:
    """The left edges of entries, from the left, of those that at least three entries share."""
    edges = Counter(round(entry.x / 4) * 4.0 for entry in entries)
    return sorted(edge for edge, count in edges.items() if count >= MIN_ENTRIES)


def _level(entry: ContentsLine, levels: Sequence[float]) -> int:
    printed = printed_address(entry.text)
    if printed:
        return label_depth(printed[0]) or len(components(printed[0]))
    return 1 + sum(edge < entry.x - 4 for edge in levels)


def has_plain_titles(candidates: Sequence[tuple[int, StandingLine]], body: str, pitch: float) -> bool:
    """Whether the document sets titles in the body's own style: several rows pass `is_plain_title`."""
    return sum(line.style == body and is_plain_title(line, pitch) for _, line in candidates) >= MIN_PLAIN


def is_short(line: StandingLine) -> bool:
    """Whether the row is shorter than the text row below it, and so not the first row of a paragraph."""
    return len(line.text) <= min(MAX_PLAIN, 0.8 * line.following)


def is_plain_title(line: StandingLine, pitch: float) -> bool:
    """Whether this is a short row in the body's style, with white space above and text below at the same left edge."""
    return (
        is_short(line)
        and line.aligned
        and line.above >= APART * pitch
        and line.following >= FOLLOWED_BY
        and _capital(line)
        and not _CODE.search(line.text)
    )


_WORDS = re.compile(r"[\w.]+\s+(?=[A-Z])\w+(?:[\s-]\w+)*")
_CODE = re.compile(r"[\\{}<>=;\u27e8\u27e9]")
_SMALL_WORD = re.compile(r"[a-z]{1,4}")


def _capital(line: StandingLine) -> bool:
    """Whether the row is in title case or capitals, is a question, or has only a few words."""
    words = line.text.split()
    large = sum(not word[0].islower() for word in words) + sum(_SMALL_WORD.fullmatch(w) is not None for w in words)
    return line.text.endswith("?") or large >= 0.8 * len(words) or len(words) <= 6


def outline_levels(outline: Iterable[OutlineHint]) -> dict[tuple[int, str], int]:
    return {(hint.page, hint.key): hint.level for hint in outline if hint.key}
