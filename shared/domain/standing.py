"""Rows that have the width of their column to themselves: the candidates for titles, for sketches and the layout engine
alike."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from shared.domain.page import Fragment
from shared.domain.shapes import style_of

# Widest gap between a number and its title, in type sizes; a wider one separates columns or cells.
JOINED_EM = 3.0
MARK_EM = 6.0
MARK_CHARACTERS = 8
SAME_EDGE_PT = 2.0
# White space assumed for a step up or into another column, in type sizes.
FAR = 9.0
MAX_TITLE = 140
MAX_WORDS = 20
# Mathematical fonts: the symbols of Computer Modern and AMS, Symbol, and fonts with math in their names.
MATH_FONT = re.compile(r"^(?:CMMI|CMSY|CMEX|CMBSY|MSAM|MSBM|EUFM|EUSM|RSFS|LASY|MTMI|MTSY|MTEX|Symbol)|math", re.I)
_NOT_AT_END = ".,;:-\u2013\u2014(\u3001\u3002\uff0c\uff0e\uff1a\uff1b"
# Fonts of signs: notes of music, chess, ornaments.
_SIGN_FONT = re.compile(r"emmentaler|feta|bravura|petrucci|musix|skak|chess|dingbats|w[ei][nb]gdings|fontawesome", re.I)
_NOT_LAST = re.compile(
    r"\b(?:and|or|of|the|to|for|a|an|in|on|with|by|at|from|as|is|are|was|were|be|has|have|our|your|their|its|that|which"
    r"|we)$",
    re.I,
)
_DATE = re.compile(
    r"^(?:as of |at |on )?"
    r"(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,2},?(?:\s+\d{4})?"
    r"|\d{1,2}[./\s-](?:\d{1,2}|[a-z]{3,9})[./\s-]\d{2,4}|\d{4}-\d\d-\d\d)\W*$",
    re.I,
)
# Contact details (web, e-mail, telephone, postal code), and terms of formulas like `cos(xTΩ)`.
_ADDRESSED = re.compile(
    r"@|https?:|www\.|\w\d,|\.(?:com|org|net|edu)\b|\d{3}[-.)]\s?\d{3}[-.]\d{4}|,\s[a-z. ]{2,20}\s\d{5}(?:-\d{4})?$"
    r"|\w\([^()\s]*[\u0370-\u03ff=^+][^()\s]*\)",
    re.I,
)
_NUMBERED = re.compile(
    r"^(?:(?:item|part|note|chapter|section|article|appendix|annex|schedule|exhibit)\s+\w{1,5}\b|(?:[A-Z]{0,3}|[A-Z]\.)\d[\d.]*\s)",
    re.I,
)
# A number of at least three parts, which is no value.
_DEEP_NUMBER = re.compile(r"^[A-Z]?\d{0,3}(?:\.\d{1,3}){2,}\.?\s")
# A number of at least two parts: what follows names a host, and is no contact detail.
_NUMBER_OF_PARTS = re.compile(r"^[A-Z]?\d{0,2}(?:\.\d{1,2})+\.?\s")
# A run-in title: `2. Delivery. Lead times count from …`. Its last word is no abbreviation.
_RUN_IN = re.compile(r"[a-z]{4}\.\s++[A-Z][\w-]*+\s")
_LABEL_AND_VALUE = re.compile(r"^[^:]{1,40}:\s+\S")
# What an interpreter or a shell shows before a command.
_PROMPT = re.compile(r"[$#>%]\s")
_BULLET = re.compile(
    r"^[\u2022\u2023\u25cf\u25cb\u25e6\u25aa\u25ab\u25a0\u25a1\u2043\u2219\u00b7\u2713\u2714\uf0b7*\u2610-\u2612\u2013\u2014-]"
)


@dataclass(frozen=True, slots=True)
class Row:
    """Fragments `first` to `last` (indices, reading order) side by side; gaps in sizes of its type.

    `alone`: nothing else stands beside it. `above` and `below` are distances between bottoms of rows; `following` are
    the characters of the next row, `aligned` says that it begins at the same left edge.
    """

    first: int
    last: int
    text: str
    style: str
    size: float
    left: float
    alone: bool
    above: float
    below: float
    following: int
    aligned: bool


def standing_rows(fragments: Sequence[Fragment], width: float, height: float) -> list[Row]:
    """The rows of a page in reading order; `width` and `height` of the page in points."""
    beside = [False, *[_beside(a, b) for a, b in pairwise(fragments)], False]
    spans = _spans(fragments, beside, width)
    steps = [
        FAR,
        *[_step(fragments[a[1]], fragments[b[0]], height) for a, b in pairwise(spans)],
        FAR,
    ]
    texts = [" ".join([f.text for f in fragments[a : b + 1]]) for a, b in spans]
    rows: list[Row] = []
    for n, (first, last) in enumerate(spans):
        main = max(fragments[first : last + 1], key=lambda f: len(f.text))
        rows.append(
            Row(
                first, last, texts[n], style_of(main), main.size, fragments[first].box.x * width,
                not (beside[first] or beside[last + 1]) and main.direction in ("ltr", "rtl"), steps[n], steps[n + 1],
                len(texts[n + 1]) if n + 1 < len(texts) else 0,
                n + 1 < len(spans) and _edges_apart(fragments, first, spans[n + 1][0]) * width < SAME_EDGE_PT,
            )
        )  # fmt: skip
    return rows


def _edges_apart(fragments: Sequence[Fragment], a: int, b: int) -> float:
    return abs(fragments[a].box.x - fragments[b].box.x)


def _spans(fragments: Sequence[Fragment], beside: Sequence[bool], width: float) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for index, fragment in enumerate(fragments):
        if beside[index] and _joins(fragments[index - 1], fragment, width):
            spans[-1] = (spans[-1][0], index)
        else:
            spans.append((index, index))
    return spans


def _joins(last: Fragment, fragment: Fragment, width: float) -> bool:
    gap = max(fragment.box.x - last.box.right, last.box.x - fragment.box.right) * width
    reach = MARK_EM if len(last.text) <= MARK_CHARACTERS else JOINED_EM
    return gap < reach * max(last.size, fragment.size)


def _beside(a: Fragment, b: Fragment) -> bool:
    return min(a.box.bottom, b.box.bottom) - max(a.box.y, b.box.y) > 0.5 * min(a.box.h, b.box.h)


def _step(above: Fragment, below: Fragment, height: float) -> float:
    step = (below.box.bottom - above.box.bottom) * height / max(1.0, below.size)
    apart = below.box.x >= above.box.right or above.box.x >= below.box.right
    return FAR if step <= 0 or (apart and step > 2.5) else step


def reads_like_title(text: str, style: str = "") -> bool:
    """Whether the text can be a title.

    It begins with a capital, a number or a letter without case; does not end a sentence; is no date, label with its
    value, contact detail, bracketed remark or list mark; and `style` is no mathematical font.
    """
    stripped = text.strip()
    if not 2 <= len(stripped) <= MAX_TITLE or len(stripped.split()) > MAX_WORDS or _BULLET.match(stripped):
        return False
    letters = sum(map(str.isalpha, stripped))
    if (
        letters < 2
        or is_command(stripped)
        or stripped[0].islower()
        or (stripped[0] == "(" and stripped[-1] == ")")
        or is_of_signs(style)
    ):
        return False
    named = _DEEP_NUMBER.sub("", stripped)
    if stripped[-1] in _NOT_AT_END or letters < 0.5 * len(named.replace(" ", "")):
        return False
    if any(pattern.search(stripped) for pattern in (_NOT_LAST, _DATE, _RUN_IN)) or is_addressed(stripped):
        return False
    return not _LABEL_AND_VALUE.match(stripped) or _NUMBERED.match(stripped) is not None


def is_unfinished(text: str) -> bool:
    """Whether the text ends in a word that cannot end a title, or in the middle of a word."""
    stripped = text.strip()
    return _NOT_LAST.search(stripped) is not None or (stripped[-1:] == "-" and stripped[-2:-1].isalpha())


def is_addressed(text: str) -> bool:
    """Whether the text is a contact detail or a term of a formula."""
    return _ADDRESSED.search(text) is not None and _NUMBER_OF_PARTS.match(text) is None


def is_of_signs(style: str) -> bool:
    """Whether the style's font has mathematical or other signs in place of letters."""
    return (MATH_FONT.search(style) or _SIGN_FONT.search(style)) is not None


def is_command(text: str) -> bool:
    """Whether the text begins with the prompt of a shell or an interpreter."""
    return _PROMPT.match(text.strip()) is not None


def is_date(text: str) -> bool:
    """Whether the text is a date and nothing else."""
    return _DATE.match(text.strip()) is not None
