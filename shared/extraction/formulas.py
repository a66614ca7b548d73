"""Display formulas and blocks of code: told from prose by their characters, and kept as they are."""

import re
import unicodedata
from collections.abc import Sequence

from shared.domain.sketch import Profile
from shared.domain.standing import MATH_FONT
from shared.extraction.page_view import Line, text_of
from shared.values.fonts import is_mono_font

MAX_CHARACTERS = 260
# Share of a formula's characters that are mathematical signs, Greek, or in a mathematical font.
MATH_SHARE = 0.12
MATH_FONT_SHARE = 0.4
# Most words of at least four letters in a formula; `where`, `otherwise` and names of functions occur there too.
MAX_WORDS = 2
MAX_WORD_SHARE = 0.34
# Greatest distance between pieces of a formula or lines of code, in type sizes.
NEAR = 1.6
NEAR_CODE = 2.6
_WORD = re.compile(r"[A-Za-z]{4,}")
_EQUATION_NUMBER = re.compile(r"^\(?(?:[A-Z]\.?)?\d{1,3}(?:\.\d{1,3})?[a-z]?\)$")
_ENDS_IN_NUMBER = re.compile(r"^[^=]*+=.*\((?:[A-Z]\.?)?\d{1,3}(?:\.\d{1,3})?[a-z]?\)$")
_SMALL = re.compile(r"^[^A-Za-z]{0,6}$|^\S{1,4}$")


def is_formula(lines: Sequence[Line]) -> bool:
    """Whether the lines have few words and many mathematical signs, Greek letters or mathematical fonts."""
    text = text_of(lines)
    if len(text) > MAX_CHARACTERS:
        return False
    words = len(_WORD.findall(text))
    if words > MAX_WORDS and words > MAX_WORD_SHARE * len(text.split()):
        return False
    inked = [c for c in text if not c.isspace()]
    if len(inked) < 3 or not any(c.isalnum() for c in inked):
        return False
    signs = sum(_is_sign(c) for c in inked)
    fonts = sum(len(line.text) for line in lines if MATH_FONT.search(line.style))
    related = "=" in text or signs >= 2
    return (
        (signs >= MATH_SHARE * len(inked) and related)
        or (fonts >= MATH_FONT_SHARE * len(text) and related)
        or (words <= MAX_WORDS and _ENDS_IN_NUMBER.search(text) is not None)
    )


def _is_sign(c: str) -> bool:
    """Mathematical signs, Greek, letters of formulas, and the pieces that large brackets are built of."""
    if c in "<>|~^+":
        return False
    return (
        unicodedata.category(c) == "Sm" or "\u0370" <= c <= "\u03ff" or "\u2061" <= c <= "\u2064"
        or "\U0001d400" <= c <= "\U0001d7ff" or "\uf8e0" <= c <= "\uf8ff" or c in "\u27e8\u27e9\u2016\u2032\u00b1"
    )  # fmt: skip


def is_code(lines: Sequence[Line], profile: Profile) -> bool:
    """Whether the lines are monospaced, in a document whose body is not."""
    return all(line.fragment.mono for line in lines) and not is_mono_font(profile.body_style)


def join_pieces(groups: Sequence[list[Line]], profile: Profile) -> list[list[Line]]:
    """Joins the pieces of a formula (and its number) into one group, and adjacent blocks of code likewise."""
    joined: list[list[Line]] = []
    for group in groups:
        if joined and _belong(joined[-1], group, profile):
            joined[-1] = [*joined[-1], *group]
        else:
            joined.append(group)
    return joined


def _belong(above: Sequence[Line], below: Sequence[Line], profile: Profile) -> bool:
    if below[0].order != above[-1].order + 1:
        return False
    if is_code(above, profile) and is_code(below, profile):
        return _is_near(above, below, NEAR_CODE)
    first, second = is_formula(above), is_formula(below)
    piece = second or _is_piece(below)
    return ((first and piece) or (second and _is_piece(above))) and _is_near(above, below, NEAR)


def _is_piece(lines: Sequence[Line]) -> bool:
    """Whether the lines are the number of an equation, or too short to be anything by themselves."""
    text = text_of(lines)
    return _EQUATION_NUMBER.match(text) is not None or _SMALL.match(text) is not None


def _is_near(above: Sequence[Line], below: Sequence[Line], sizes: float) -> bool:
    top, bottom = min(line.y0 for line in below), max(line.y1 for line in above)
    return top - bottom < (sizes - 1) * max(line.size for line in (*above, *below))
