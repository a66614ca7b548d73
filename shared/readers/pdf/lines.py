"""Lines of the text layer: merges the styles of spans, and splits lines at gaps that the PDF library leaves inside
them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from shared.domain.characters import storable
from shared.readers.pdf.bidi import RTL
from shared.readers.pdf.edges import SET_BACK_EM

BOLD, ITALIC, MONO, SUPERSCRIPT = 16, 2, 8, 1
DRAWN = 16 | 32  # char_flags: filled, stroked
# Three blanks in a row are a gap between cells, not a word space.
WIDE_GAP = re.compile(r"\S(\s{3,})\S")
# The sign of the next column's sum, close behind a number or a per cent sign.
SIGN_AT_END = re.compile(r"[\d)%\u2014\u2013-]\s+[$\u20ac\u00a3]$")
# White before such a sign, in type sizes, that is no word space; behind a per cent sign any is.
SIGN_GAP_EM = 0.6
# Widest digit of a number, its signs that are narrower or wider, and white around it from which its line's box says too
# little of its place (type sizes).
DIGIT_EM = 0.6
SIGN_EM = {".": 0.4, ",": 0.4, "(": 0.4, ")": 0.4, "\u2014": 1.0}
PADDING_EM = 0.3
# White between two letters from which they may be of two cells, though there is no blank.
PARTED_EM = 0.05
# Dots that lead to a number, which is another cell.
MIN_LEADER = 5
LEADER = re.compile(r"(?<![.\s])\s?\.(?:\s?\.|(?!)){4,}+\s*+[\d$\u20ac\u00a3(\u2014\u2013-]")


# Rules of the unrotated page that lines along x and along y can cross: where on that axis, from and to on the other.
Bars = tuple[Sequence[tuple[float, float, float]], Sequence[tuple[float, float, float]]]
STRAIGHT = 0.99


@dataclass(slots=True)
class PdfLine:
    """A line, or the part of one between two gaps; coordinates in points of the unrotated page."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    font: str
    size: float
    color: int
    bold: bool
    italic: bool
    mono: bool
    superscript: bool
    invisible: bool
    rtl: bool
    dir_x: float
    dir_y: float
    vertical: bool
    block: int
    boxes: tuple[tuple[float, float, float, float], ...] = ()  # of its characters, where they were asked for


class _Way(NamedTuple):
    """The axis of the page that a line runs along, and in which sense."""

    axis: Literal[0, 1]
    sign: Literal[1, -1]


def _way(x: float, y: float) -> _Way | None:
    """None for slanted lines."""
    if abs(x) > STRAIGHT:
        return _Way(0, 1 if x > 0 else -1)
    return _Way(1, 1 if y > 0 else -1) if abs(y) > STRAIGHT else None


def lines_of(block: dict[str, Any], number: int) -> Iterator[tuple[int, PdfLine]]:
    """The lines of one text block, each with its position in the block; blank ones are left out."""
    for position, raw in enumerate(block["lines"]):
        line = make_line(raw["spans"], raw, number)
        if line is not None:
            yield position, line


def make_line(spans: Sequence[dict[str, Any]], raw: dict[str, Any], block: int) -> PdfLine | None:
    """One line from spans with `text` and `bbox`; None where there is nothing but white space."""
    inked = spans if len(spans) == 1 else [span for span in spans if span["text"].strip()]
    text = "".join([span["text"] for span in spans]).strip()
    if not text:
        return None
    first = inked[0]
    main = first if len(inked) == 1 else _main(inked)
    flags, size = main["flags"], main["size"]
    x0, y0, x1, y1 = _extent(inked)
    dir_x, dir_y = raw["dir"]
    if dir_x > 0.99:  # fonts that declare too small an ascent would have letters cut: 0.85 and 0.25 em hold Latin ones
        baseline = main["origin"][1]
        y0, y1 = min(y0, baseline - 0.85 * size), max(y1, baseline + 0.25 * size)
    return PdfLine(
        text=text if (plain := text.isascii()) and "\x00" not in text else storable(text),
        x0=x0, y0=y0, x1=x1, y1=y1,
        font=main["font"], size=size, color=main["color"],
        bold=bool(flags & BOLD) and _mostly(inked, BOLD),
        italic=bool(flags & ITALIC) and _mostly(inked, ITALIC),
        mono=bool(flags & MONO) and _mostly(inked, MONO),
        superscript=bool(first["flags"] & SUPERSCRIPT) or (first is not main and first["size"] < 0.75 * size),
        invisible=not (first["char_flags"] & DRAWN) or first["alpha"] == 0,
        rtl=not plain and _is_rtl(text),
        dir_x=dir_x, dir_y=dir_y,
        vertical=raw["wmode"] == 1, block=block,
    )  # fmt: skip


def _is_rtl(text: str) -> bool:
    """More right-to-left letters than others."""
    found = len(RTL.findall(text))
    return found > 0 and found * 2 > sum([c.isalpha() for c in text])


def _extent(spans: Sequence[dict[str, Any]]) -> tuple[float, float, float, float]:
    if len(spans) == 1:
        return spans[0]["bbox"]
    boxes = [span["bbox"] for span in spans]
    return (
        min([b[0] for b in boxes]),
        min([b[1] for b in boxes]),
        max([b[2] for b in boxes]),
        max([b[3] for b in boxes]),
    )


def _main(spans: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The span whose style covers most characters, blanks left out: a line that is made anew has none between its
    characters."""
    counts: dict[tuple[str, float], int] = {}
    for span in spans:
        key = (span["font"], span["size"])
        counts[key] = counts.get(key, 0) + len("".join(span["text"].split()))
    font, size = max(counts, key=lambda key: counts[key])
    return next(span for span in spans if span["font"] == font and span["size"] == size)


def _mostly(spans: Sequence[dict[str, Any]], flag: int) -> bool:
    """Whether nine characters in ten have the flag."""
    if len(spans) == 1:
        return True
    having = sum([len(span["text"]) for span in spans if span["flags"] & flag])
    return having >= 0.9 * sum([len(span["text"]) for span in spans])


def needs_split(line: PdfLine, bars: Bars) -> bool:
    """Whether the line runs over a gap: a wide run of blanks, also around a number, or a rule across its direction."""
    way = _way(line.dir_x, line.dir_y)
    if way is None or line.vertical:
        return False
    if not line.mono and "   " in line.text and WIDE_GAP.search(line.text):
        return True
    if not line.mono and ("..." in line.text or ". . ." in line.text) and LEADER.search(line.text):
        return True
    if line.text[-1] in "$\u20ac\u00a3" and SIGN_AT_END.search(line.text, max(0, len(line.text) - 8)):
        return True
    if way.axis == 0:
        left, right, middle = line.x0, line.x1, (line.y0 + line.y1) / 2
    else:
        left, right, middle = line.y0, line.y1, (line.x0 + line.x1) / 2
    if _is_number(line.text) and right - left > _widest(line) * line.size:
        return True
    left, right = left + 1, right - 1
    for x, y0, y1 in bars[way.axis]:  # sorted by x: a loop, because this runs for every line and rule of the page
        if x >= right:
            return False
        if x > left and y0 <= middle <= y1:
            return True
    return False


def _widest(line: PdfLine) -> float:
    """How wide a number is at most without white around it, in type sizes."""
    widths = [DIGIT_EM if line.mono else SIGN_EM.get(c, DIGIT_EM) for c in line.text]
    return sum(widths) + PADDING_EM


def _is_number(text: str) -> bool:
    """Whether the text is a number with its signs, the sign of a currency, or dashes in place of a number."""
    return not any(c.isalpha() for c in text) and (
        text in "$\u20ac\u00a3" or any(c.isdigit() for c in text) or not text.strip("-\u2013\u2014")
    )


def character_boxes(raw: dict[str, Any]) -> tuple[tuple[float, float, float, float], ...]:
    """The boxes of a `rawdict` line's characters, without the white space at its ends."""
    return _stripped([(char["c"], char["bbox"]) for span in raw["spans"] for char in span["chars"]])


def _stripped(
    characters: Sequence[tuple[str, tuple[float, float, float, float]]],
) -> tuple[tuple[float, float, float, float], ...]:
    inked = [position for position, (text, _) in enumerate(characters) if text.strip()]
    return tuple([box for _, box in characters[inked[0] : inked[-1] + 1]]) if inked else ()


def split_line(raw: dict[str, Any], block: int, bars: Bars, *, whole_words: bool = True) -> list[PdfLine]:
    """The parts of a `rawdict` line between its gaps, along its direction. `whole_words`: a word that runs over a bar
    is of the part in which it begins."""
    axis, sign = _way(*raw["dir"]) or _Way(0, 1)
    parts: list[list[dict[str, Any]]] = [[]]
    before, blanks, dots, edge, end, crossed = "", 0, 0, 0.0, 0.0, False
    y = (raw["bbox"][1 - axis] + raw["bbox"][3 - axis]) / 2
    crossing = sorted(sign * x for x, y0, y1 in bars[axis] if y0 <= y <= y1)
    mono = all(span["flags"] & MONO for span in raw["spans"])
    for span in raw["spans"]:
        for char in span["chars"]:
            if char["c"].isspace():
                blanks += 1
            else:
                x0, x1 = sorted((sign * char["bbox"][axis], sign * char["bbox"][axis + 2]))
                middle = (x0 + x1) / 2
                led = dots >= MIN_LEADER and char["c"] != "." and not char["c"].isalpha()
                apart = before == "%" or blanks >= 2 or x0 - end >= SIGN_GAP_EM * span["size"]
                led = led or (blanks > 0 and apart and char["c"] in "$\u20ac\u00a3")
                crossed = bool(parts[-1]) and (crossed or any(edge < x <= middle for x in crossing))
                divided = crossed and not (whole_words and not blanks and _goes_on(x0 - end, span["size"]))
                if parts[-1] and ((blanks >= 3 and not mono) or led or divided):
                    parts.append([])
                    crossed = False
                before, blanks, edge, end = char["c"], 0, middle, x1
                dots = dots + 1 if before == "." else 0
            parts[-1].append(single(span, char))
    return [line for line in (line_of(part, raw, block) for part in parts) if line is not None]


def _goes_on(white: float, size: float) -> bool:
    """Whether a letter is of the word before, by the white between the two."""
    return -SET_BACK_EM * size <= white < PARTED_EM * size


def line_of(characters: Sequence[dict[str, Any]], raw: dict[str, Any], block: int) -> PdfLine | None:
    line = make_line(characters, raw, block)
    if line is not None:
        line.boxes = _stripped([(one["text"], one["bbox"]) for one in characters])
    return line


def single(span: dict[str, Any], char: dict[str, Any]) -> dict[str, Any]:
    style = {key: span[key] for key in ("flags", "font", "size", "color", "char_flags", "alpha")}
    return {**style, "text": char["c"], "bbox": char["bbox"], "origin": char["origin"]}
