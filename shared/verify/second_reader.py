"""Where a second PDF library reads a fragment differently, and what kind of difference that is."""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from shared.domain.geometry import Rect
from shared.domain.page import Fragment
from shared.domain.raw_page import Glyph
from shared.domain.verify import Difference
from shared.verify.ground import Edges

# Two libraries may write one page in these ways and mean the same.
HARMLESS: Final[frozenset[Difference]] = frozenset({"ligature", "spacing", "hyphen", "order"})
# Boxes are stored to five digits; unions are sums of those.
TOLERANCE = 2e-5
# The two libraries place a glyph this much apart at most, in shares of the page.
NEAR = 0.002
# A font that one of the two decodes in a way of its own: more than half of its characters differ, one for one.
DECODED_OTHERWISE = 0.5
CONSISTENT = 0.9
MIN_REPEATED = 3
_HYPHENS = re.compile("[\u00ad\u2010\u2011\u2212-]")
# Right to left, one reader writes the bracket that is drawn, another the one that is meant.
_BRACKETS = str.maketrans(")]}»", "([{«")


class SecondReading:
    """The glyphs of one page by place, and the fragments that may overlap."""

    def __init__(self, glyphs: Sequence[Glyph], fragments: Sequence[Fragment]) -> None:
        self._glyphs = sorted(enumerate(_once(glyphs)), key=lambda one: one[1].y)
        self._heights = [glyph.y for _, glyph in self._glyphs]
        self._fragments = [fragment for fragment in fragments if not fragment.ocr]

    def difference(self, fragment: Fragment) -> tuple[Difference | None, str]:
        """How what stands in the fragment's box differs from its text; and what stands there."""
        glyphs = self._under(fragment.box)
        found = "".join([glyph.text for glyph in glyphs])
        wanted = "".join(fragment.text.split())
        if found == wanted:
            return (None if " ".join(fragment.text.split()) == _spaced(glyphs) else "spacing"), found
        return self._classify(wanted, found, fragment), found

    def beyond(self, boxes: Sequence[Rect]) -> str:
        """The letters and digits that stand in none of `boxes`, nor nearer to one than NEAR."""
        here = sorted(boxes, key=lambda box: box.y)
        tops, tallest = [box.y for box in here], max((box.h for box in here), default=0.0)
        found: list[tuple[int, str]] = []
        for index, glyph in self._glyphs:
            near = here[bisect_left(tops, glyph.y - tallest - NEAR) : bisect_left(tops, glyph.y + NEAR)]
            if glyph.text.isalnum() and not any(_stands_in(glyph, box) for box in near):
                found.append((index, glyph.text))
        return "".join([text for _, text in sorted(found)])

    def substitutes(self, placed: Iterable[tuple[str, Edges]]) -> Iterator[tuple[str, str]]:
        """For each character whose place holds exactly one glyph: the character and the glyph, both folded. Letters
        and digits alone: signs and marks are drawn and written in too many ways."""
        for text, box in placed:
            ours = _folded(text).casefold()
            there = self._within(box) if ours.isalnum() else []
            if len(there) == 1 and (theirs := _folded(there[0].text).casefold()).isalnum():
                yield ours, theirs

    def _within(self, box: Edges) -> list[Glyph]:
        low = bisect_left(self._heights, box.top)
        high = bisect_left(self._heights, box.bottom)
        return [glyph for _, glyph in self._glyphs[low:high] if box.left <= glyph.x <= box.right]

    def _under(self, box: Rect) -> list[Glyph]:
        """Glyphs whose middles lie in the box, in the reader's order."""
        low = bisect_left(self._heights, box.y - TOLERANCE)
        high = bisect_left(self._heights, box.y + box.h + TOLERANCE)
        left, right = box.x - TOLERANCE, box.x + box.w + TOLERANCE
        return [glyph for _, glyph in sorted(one for one in self._glyphs[low:high] if left <= one[1].x <= right)]

    def _classify(self, wanted: str, found: str, fragment: Fragment) -> Difference | None:
        plain_wanted, plain_found = _folded(wanted), _folded(found)
        if plain_wanted == plain_found:
            return "ligature"
        bare_wanted, bare_found = _HYPHENS.sub("", plain_wanted), _HYPHENS.sub("", plain_found)
        if bare_wanted == bare_found:
            return "hyphen"
        here, there = Counter(bare_wanted.translate(_BRACKETS)), Counter(bare_found.translate(_BRACKETS))
        missing, extra = here - there, there - here
        if extra:
            extra -= self._beside(fragment)
        if not missing and not extra:
            return None if _is_subsequence(bare_wanted, bare_found) else "order"
        if _is_unmapped(missing, extra):
            return "unmapped"
        if fragment.invisible:
            return "invisible"
        return "missing" if missing else "extra"

    def _beside(self, fragment: Fragment) -> Counter[str]:
        """Characters of the other fragments that reach into the fragment's box."""
        others = [f.text for f in self._fragments if f is not fragment and _overlap(f.box, fragment.box)]
        return Counter(_HYPHENS.sub("", _folded("".join("".join(others).split()))).translate(_BRACKETS))


def _stands_in(glyph: Glyph, box: Rect) -> bool:
    return box.x - NEAR <= glyph.x <= box.x + box.w + NEAR and box.y - NEAR <= glyph.y <= box.y + box.h + NEAR


def is_other_decoding(pairs: Collection[tuple[str, str]]) -> bool:
    """Whether two readers give the characters of a font another meaning: most of those compared differ, and each of
    ours stands for one of theirs, which repetitions show."""
    differing = [pair for pair in pairs if not _means_same(*pair)]
    seen = Counter(differing)
    by_ours: dict[str, int] = {}
    for (ours, _), count in seen.items():
        by_ours[ours] = max(by_ours.get(ours, 0), count)
    repeated = len(differing) - len(by_ours)
    return (
        len(differing) > DECODED_OTHERWISE * len(pairs)
        and repeated >= MIN_REPEATED
        and sum(by_ours.values()) >= CONSISTENT * len(differing)
    )


def is_other_text(pairs: Collection[tuple[str, str]], wanted: str, found: str) -> bool:
    """Whether characters of a line are others for the second reader: one that the line has and it has not stands where
    it has one that the line has not; and it finds as many as there are, or most of them are the same. Where it finds
    some of another number it looks at something else, that lies over the line or under it.
    """
    inked = "".join(wanted.split())
    here, there = Counter(_folded(inked).casefold()), Counter(_folded(found).casefold())
    missing, extra = here - there, there - here
    swapped = any(ours in missing and theirs in extra for ours, theirs in pairs)
    same = sum(_means_same(*pair) for pair in pairs)
    return swapped and (2 * same >= len(pairs) or len(inked) == len(found))


def _means_same(ours: str, theirs: str) -> bool:
    """Parts of a ligature stand at its place."""
    return ours in theirs or theirs in ours


def _once(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Without the copies of bold by double printing, which one reader leaves out and another does not.

    The same letter twice at one place is one of a ligature where the two follow each other.
    """
    seen: dict[tuple[str, float, float], int] = {}
    kept: list[Glyph] = []
    for index, glyph in enumerate(glyphs):
        place = (glyph.text, round(glyph.x, 3), round(glyph.y, 3))
        if seen.get(place, index - 1) == index - 1:
            kept.append(glyph)
        seen[place] = index
    return kept


def _spaced(glyphs: Sequence[Glyph]) -> str:
    return "".join(f" {g.text}" if g.spaced and i else g.text for i, g in enumerate(glyphs))


def _folded(text: str) -> str:
    """Compatibility forms (ligatures, presentation forms, full-width letters) as the letters they stand for."""
    return text if text.isascii() else "".join(unicodedata.normalize("NFKC", text).split())


def _is_unmapped(missing: Counter[str], extra: Counter[str]) -> bool:
    """Whether one of the readers has, for every character that differs, only a sign that means nothing."""
    return bool(missing) and (not _mapped(missing) or (extra.total() >= missing.total() and not _mapped(extra)))


def _mapped(characters: Counter[str]) -> bool:
    """Whether any of them means something: is no replacement character, private use or control."""
    return any(unicodedata.category(c) not in ("Co", "Cc", "Cn", "Cs") and c != "\ufffd" for c in characters)


def _overlap(a: Rect, b: Rect) -> bool:
    return a.x < b.x + b.w and b.x < a.x + a.w and a.y < b.y + b.h and b.y < a.y + a.h


def _is_subsequence(wanted: str, found: str) -> bool:
    remaining = iter(found)
    return all(c in remaining for c in wanted)
