"""Compares fragments with the text of a second PDF library, and classifies the differences."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from shared.domain.geometry import Rect
from shared.domain.page import Fragment
from shared.domain.raw_page import Glyph
from shared.domain.verify import Difference
from shared.verify.ground import Edges

# Kinds of difference in which two libraries still mean the same text.
HARMLESS: Final[frozenset[Difference]] = frozenset({"ligature", "spacing", "hyphen", "order"})
# Boxes are stored to five digits; unions are sums of those.
TOLERANCE = 2e-5
# Greatest distance between the two libraries' positions of a glyph, as a share of the page.
NEAR = 0.002
# Share of differing characters, one for one, above which one of the two decodes a font differently.
DECODED_OTHERWISE = 0.5
CONSISTENT = 0.9
MIN_REPEATED = 3
_HYPHENS = re.compile("[\u00ad\u2010\u2011\u2212-]")
# In right-to-left text, one reader returns the bracket as drawn, another the mirrored one that is meant.
_BRACKETS = str.maketrans(")]}»", "([{«")


class SecondReading:
    """The second reader's glyphs of one page by position, and the fragments that may overlap."""

    def __init__(self, glyphs: Sequence[Glyph], fragments: Sequence[Fragment]) -> None:
        self._glyphs = sorted(enumerate(_once(glyphs)), key=lambda one: one[1].y)
        self._heights = [glyph.y for _, glyph in self._glyphs]
        self._fragments = [fragment for fragment in fragments if not fragment.ocr]

    def difference(self, fragment: Fragment) -> tuple[Difference | None, str]:
        """(kind of the difference between the fragment's text and the glyphs in its box, or None; the text of these
        glyphs)."""
        glyphs = self._under(fragment.box)
        found = "".join([glyph.text for glyph in glyphs])
        wanted = "".join(fragment.text.split())
        if found == wanted:
            return (None if " ".join(fragment.text.split()) == _spaced(glyphs) else "spacing"), found
        return self._classify(wanted, found, fragment), found

    def beyond(self, boxes: Sequence[Rect]) -> str:
        """The letters and digits outside all of `boxes` and farther than NEAR from each."""
        inside: set[int] = set()
        for box in boxes:
            low = bisect_left(self._heights, box.y - NEAR)
            high = bisect_right(self._heights, box.y + box.h + NEAR)
            left, right = box.x - NEAR, box.x + box.w + NEAR
            inside.update([index for index, glyph in self._glyphs[low:high] if left <= glyph.x <= right])
        found = [(index, glyph.text) for index, glyph in self._glyphs if index not in inside and glyph.text.isalnum()]
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
        """Glyphs with their centres in the box, in the reader's order."""
        low = bisect_left(self._heights, box.y - TOLERANCE)
        high = bisect_left(self._heights, box.y + box.h + TOLERANCE)
        left, right = box.x - TOLERANCE, box.x + box.w + TOLERANCE
        return [glyph for _, glyph in sorted(one for one in self._glyphs[low:high] if left <= one[1].x <= right)]

    def _classify(self, wanted: str, found: str, fragment: Fragment) -> Difference | None:
        plain_wanted, plain_found = _apart(wanted), _apart(found)
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
        return Counter(_HYPHENS.sub("", _apart("".join("".join(others).split()))).translate(_BRACKETS))


def is_other_decoding(pairs: Collection[tuple[str, str]]) -> bool:
    """Whether two readers decode a font differently: most compared characters differ, and each of ours maps to one of
    theirs, which repetitions show."""
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
    """Whether both mean the same letters: the parts of a ligature are all at its place."""
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
    """The text with compatibility forms (ligatures, presentation forms, full-width letters) replaced by their
    letters."""
    return text if text.isascii() else "".join(unicodedata.normalize("NFKC", text).split())


def _apart(text: str) -> str:
    """The text folded, with marks apart from their letters: behind which letter a mark comes without the blank between
    ("in \u0300stable") is for neither reader to say."""
    return text if text.isascii() else "".join(unicodedata.normalize("NFKD", text).split())


def _is_unmapped(missing: Counter[str], extra: Counter[str]) -> bool:
    """Whether, for every differing character, one of the readers has only a character without meaning."""
    return bool(missing) and (not _mapped(missing) or (extra.total() >= missing.total() and not _mapped(extra)))


def _mapped(characters: Counter[str]) -> bool:
    """Whether any of the characters has a meaning: no replacement character, private use or control character."""
    return any(unicodedata.category(c) not in ("Co", "Cc", "Cn", "Cs") and c != "\ufffd" for c in characters)


def _overlap(a: Rect, b: Rect) -> bool:
    return a.x < b.x + b.w and b.x < a.x + a.w and a.y < b.y + b.h and b.y < a.y + a.h


def _is_subsequence(wanted: str, found: str) -> bool:
    remaining = iter(found)
    return all(c in remaining for c in wanted)
