"""Signs in a page's lines that its text or its reading order is broken; each is a share of the page, 0..1."""

import itertools
import re
from collections.abc import Sequence

from shared.extraction.page_view import Line

# Vowels are a third to a half of the letters of a line in any European language; titles and codes may differ.
LATIN = re.compile(r"[a-z\u00e0-\u024f]")
VOWEL = re.compile(r"[aeiouy\u00e0-\u024f]")
CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{6,}")
MEANINGLESS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd]")
MIN_LETTERS = 20
VOWELS = (0.28, 0.56)
MIN_LINES = 5
# Longer than any word of ordinary English text (URLs and paths are not counted).
GLUED = re.compile(r"(?<![/.@_\w-])[A-Za-z]{26,}(?![/.@_\w-])")
SPREAD = re.compile(r"(?:\b[^\W\d_] ){3,}[^\W\d_]\b")
NEIGHBOURS = 6
# An amount before words; one that nothing but brackets marks may number a list.
AMOUNT = re.compile(r"(?:[$€£] ?)?\(?(?:\d{1,3}(?:,\d{3})+|\d{1,3})(?:\.\d+)?\)? +(?=[A-Z])")
MONEY = re.compile(r"[$€£] ?\(?\d|\(?\d{1,3}(?:,\d{3})+")
AMOUNTS, MONEYS = 4, 2


def unmapped(text: str) -> int:
    """The number of characters without meaning: replacement characters, private use, control characters."""
    if text.isascii() and text.isprintable():
        return 0
    return len(MEANINGLESS.findall(text))


def garbled(lines: Sequence[Line]) -> float:
    """The share of Latin lines whose letters fit no language: a font with a wrong character map, failed OCR."""
    counted = [(line.text, len(LATIN.findall(line.text))) for line in lines if len(line.text) >= MIN_LETTERS]
    long = [(text, letters) for text, letters in counted if letters >= MIN_LETTERS]
    return sum(_is_garbled(*one) for one in long) / len(long) if len(long) >= MIN_LINES else 0.0


def _is_garbled(text: str, letters: int) -> bool:
    if any(mark in text for mark in ("://", "@", "www.")):
        return False
    share = len(VOWEL.findall(text)) / letters
    return not VOWELS[0] <= share <= VOWELS[1] or CONSONANTS.search(text) is not None


def odd_spacing(lines: Sequence[Line]) -> float:
    """The share of the characters in words that are run together or spaced out letter by letter."""
    characters = sum(len(line.text) for line in lines) or 1
    odd = sum(len(m.group()) for line in lines for pattern in (GLUED, SPREAD) for m in pattern.finditer(line.text))
    return odd / characters


def amounts_first(lines: Sequence[Line]) -> int:
    """The number of lines that begin with an amount before a label, as rows of a statement do whose figures the file
    writes first; 0 where there are few, or hardly one is money. Such a table was not seen."""
    found = [line.text for line in lines if AMOUNT.match(line.text)]
    return len(found) if len(found) >= AMOUNTS and sum(bool(MONEY.match(t)) for t in found) >= MONEYS else 0


def turns_back(lines: Sequence[Line]) -> float:
    """The share of steps in reading order that go up within one column, which no text does."""
    upright = [line for line in lines if line.fragment.direction in ("ltr", "rtl")]
    if len(upright) < 3:
        return 0.0
    return sum(_goes_up(a, b) for a, b in itertools.pairwise(upright)) / len(upright)


def _goes_up(a: Line, b: Line) -> bool:
    across = min(a.x1, b.x1) - max(a.x0, b.x0)
    return b.y1 < a.y0 + 0.3 * a.height and across > 0.5 * min(a.x1 - a.x0, b.x1 - b.x0)


def text_over_text(lines: Sequence[Line]) -> float:
    """Share of lines that another line covers for the most part."""
    ordered = sorted(lines, key=lambda line: (line.y0, line.x0))
    covered = 0
    for index, line in enumerate(ordered):
        for other in ordered[index + 1 : index + 1 + NEIGHBOURS]:
            if other.y0 >= line.y1:
                break  # so are all that follow
            if _covers(line, other):
                covered += 1
                break
    return covered / len(lines) if lines else 0.0


def _covers(a: Line, b: Line) -> bool:
    across, down = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
    return across > 0.5 * min(a.x1 - a.x0, b.x1 - b.x0) and down > 0.6 * min(a.height, b.height)
