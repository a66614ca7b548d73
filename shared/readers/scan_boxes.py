"""Boxes to tick in pictures of pages: squares and circles of a form beside recognised words, empty or with ink in them.

A text layer says nothing of them and OCR reads them as letters ("O", "☐Yes"), so they are looked for in the pixels: two
level edges above each other, closed by sides or by an arc. Coordinates are pixels of the picture unless said otherwise.
"""

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from shared.domain.geometry import DIGITS, Rect
from shared.domain.page import PageFile, TickBox
from shared.domain.turned import turn_rect
from shared.ports import Ocr, OcrWord
from shared.readers.ocr_page import capital_height, is_wide
from shared.readers.pictures import covered_share
from shared.readers.scan_outlines import RAYS, ROUND, BoxOutline, find_outlines, reach

Mask = npt.NDArray[np.bool_]
Grey = npt.NDArray[np.uint8]
Shades = npt.NDArray[np.int16]

# As of drawn boxes (docs/decisions/0052-boxes-to-tick.md).
MIN_SIDE_PT, MAX_SIDE_PT = 5.0, 18.0
# How far from its words a box may stand, and how much smaller than their capitals it may be.
REACH_PT = 30.0
SMALLER = 0.8
# Ink is darker than the paper around it by this share of the page's darkest ink, within these grey levels.
INK_SHARE, INK_LEVELS = 0.3, (30.0, 70.0)
# The side of the areas whose median shade is the paper's.
PAPER_PX = 48
# Share of ink within the outline: below the first the box is empty, from the second on ticked, between unsure.
EMPTY, TICKED = 0.03, 0.08
# Of half the side: an outline is at most so thick, else it is filled.
THICKEST = 0.5
# Letters of a word are nearer to each other than this share of their height, and not higher than its capitals.
# No Latin letter is a square.
LETTER_GAP, SQUARE_GAP, FAR, LETTER_HEIGHT = 0.2, 0.1, 0.25, 1.12
# A shade of its own: darker than paper by these levels, lighter than that share of the ink, that even.
SHADE = (30.0, 0.8, 0.7)
# Sides of the boxes of one form differ less than this.
ALIKE = 0.2
# Share of a box that lies in a drawn one that it is.
DRAWN = 0.3
# How far beyond its box a mark is taken out before the words are read, as a share of the side.
LEAVES = 0.5


class ScannedBox(NamedTuple):
    """A box in 0..1 of the picture; `unsure`: there is more ink in it than dust and less than a mark."""

    x0: float
    y0: float
    x1: float
    y1: float
    ticked: bool
    unsure: bool


def read_with_boxes(
    ocr: Ocr, picture: bytes, words: list[OcrWord], px_per_pt: float
) -> tuple[list[OcrWord], list[ScannedBox]]:
    """Returns (the words, the boxes) of an upright picture whose `words` were read with the boxes in it: where there
    are some, it is read once more without them, as they were taken for letters and joined words."""
    grey = _grey(picture)
    paper = _paper(grey)
    boxes, marks = _find(grey, paper, words, px_per_pt) if words else ([], np.zeros(grey.shape, bool))
    if not boxes:
        return words, []
    stream = io.BytesIO()
    Image.fromarray(np.where(marks, paper, grey).astype(np.uint8)).save(stream, "PNG", compress_level=1)
    return list(_parted(ocr.read(stream.getvalue()), boxes)), boxes


def _parted(words: Iterable[OcrWord], boxes: Sequence[ScannedBox]) -> Iterator[OcrWord]:
    """The words with lines that end at each box, numbered anew, as what stands on its two sides are two labels."""
    number, last = -1, None
    for word in words:
        if last is None or last.line != word.line or any(_is_between(box, last, word) for box in boxes):
            number += 1
        last = word
        yield word._replace(line=number)


def _is_between(box: ScannedBox, one: OcrWord, other: OcrWord) -> bool:
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    left, right = sorted((one, other), key=lambda word: word.x0)
    return left.x1 <= x <= right.x0 and min(one.y0, other.y0) <= y <= max(one.y1, other.y1)


def place_boxes(boxes: Iterable[ScannedBox], region: Rect, turn: int = 0) -> list[TickBox]:
    """Boxes of a picture of `region`, which is turned clockwise by `turn` degrees, in 0..1 of the page as it is
    shown."""
    placed: list[TickBox] = []
    for one in boxes:
        box = turn_rect(Rect(x=one.x0, y=one.y0, w=one.x1 - one.x0, h=one.y1 - one.y0), turn)
        at = region.x + box.x * region.w, region.y + box.y * region.h, box.w * region.w, box.h * region.h
        x, y, w, h = (round(side, DIGITS) for side in at)
        placed.append(TickBox(box=Rect(x=x, y=y, w=w, h=h), ticked=one.ticked, ocr=True, unsure=one.unsure))
    return placed


def add_scanned_boxes(page: PageFile, boxes: Sequence[TickBox]) -> PageFile:
    """The page with the boxes that its drawing does not have."""
    drawn = page.tick_boxes or []
    fresh = [one for one in boxes if not any(covered_share(one.box, [other.box]) > DRAWN for other in drawn)]
    return page.model_copy(update={"tick_boxes": [*drawn, *fresh]}) if fresh else page


def find_scanned_boxes(picture: bytes, words: Sequence[OcrWord], px_per_pt: float) -> list[ScannedBox]:
    """The boxes of an upright picture beside one of its `words`, from the top."""
    grey = _grey(picture)
    return _find(grey, _paper(grey), words, px_per_pt)[0] if words else []


def _grey(picture: bytes) -> Grey:
    with Image.open(io.BytesIO(picture)) as opened:
        return np.asarray(opened.convert("L"), np.uint8)


def _find(grey: Grey, paper: Shades, words: Sequence[OcrWord], px_per_pt: float) -> tuple[list[ScannedBox], Mask]:
    """The boxes, and where their ink is, with that of the marks in them. `paper`: its shade at each pixel."""
    height, width = grey.shape
    depth = paper - grey
    ink = _ink(depth)
    dark = float(np.percentile(depth[ink], 75)) if ink.any() else 0.0
    placed = [w._replace(x0=w.x0 * width, x1=w.x1 * width, y0=w.y0 * height, y1=w.y1 * height) for w in words]
    usual = float(np.median([capital_height(word) for word in placed]))
    found = find_outlines(ink, MIN_SIDE_PT * px_per_pt, MAX_SIDE_PT * px_per_pt)
    found = [
        one for one in found if _is_no_letter(one, placed, usual, ink) and _has_words(one, placed, usual, px_per_pt)
    ]
    boxes: list[ScannedBox] = []
    marks = np.zeros(ink.shape, bool)
    for one, share in _with_ink([one for one in found if not _is_swatch(one, depth, dark)], ink):
        half = one.side / 2
        place = (one.x - half) / width, (one.y - half) / height, (one.x + half) / width, (one.y + half) / height
        boxes.append(ScannedBox(*place, share >= (EMPTY + TICKED) / 2, EMPTY <= share < TICKED))
        _mark(one, ink, marks)
    return sorted(boxes, key=lambda box: (box.y0, box.x0)), marks


def _mark(one: BoxOutline, ink: Mask, marks: Mask) -> None:
    """Adds the outline and the ink that goes on from it, as far as `LEAVES` of its side."""

    def part(by: float) -> tuple[slice, slice]:
        half = one.side / 2 + by
        return slice(max(0, int(one.y - half)), int(one.y + half) + 2), slice(
            max(0, int(one.x - half)), int(one.x + half) + 2
        )

    marks[part(2)] = True
    around = part(LEAVES * one.side)
    near, grown = ink[around], marks[around]
    for _ in range(int(LEAVES * one.side)):
        wider = grown.copy()
        wider[1:] |= grown[:-1]
        wider[:-1] |= grown[1:]
        wider[:, 1:] |= wider[:, :-1]
        wider[:, :-1] |= wider[:, 1:]
        grown = grown | (wider & near)
    marks[around] = grown


def _ink(depth: Shades) -> Mask:
    """What is darker than the paper around it, by `depth`."""
    level = np.clip(INK_SHARE * np.percentile(depth[::4, ::4], 99.5), *INK_LEVELS)
    return depth > level


def _paper(grey: Grey) -> Shades:
    """The shade of the paper at each pixel."""
    height, width = grey.shape
    rows, columns = -(-height // PAPER_PX), -(-width // PAPER_PX)
    padded = np.pad(grey, ((0, rows * PAPER_PX - height), (0, columns * PAPER_PX - width)), mode="edge")
    blocks = padded.reshape(rows, PAPER_PX, columns, PAPER_PX)[:, ::2, :, ::2]
    shades = Image.fromarray(np.median(blocks, axis=(1, 3)).astype(np.uint8))
    return np.asarray(shades.resize((width, height), Image.Resampling.BILINEAR), np.int16)


def _is_no_letter(one: BoxOutline, words: Sequence[OcrWord], usual: float, ink: Mask) -> bool:
    """Whether the outline stands apart from what is beside it and is higher than capitals; a smaller square has to
    stand far apart and be read as no letter."""
    inside = [word for word in words if word.x0 <= one.x <= word.x1 and word.y0 <= one.y <= word.y1]
    if any(sum(map(is_wide, word.text)) > 1 for word in inside):
        return False  # some of these characters are squares
    level = [capital_height(w) for w in words if w.y0 <= one.y <= w.y1 and sum(c.isalpha() for c in w.text) > 1]
    capital = float(np.percentile(level, 25)) if level else usual
    gap = min(_gap(one, ink, 1), _gap(one, ink, -1)) / one.side
    if one.side > LETTER_HEIGHT * capital:
        return gap >= (LETTER_GAP if one.form else SQUARE_GAP)
    letter = any(word.text.isalnum() and len(word.text) == 1 for word in inside)
    return one.form == 0 and not letter and gap >= FAR


def _gap(one: BoxOutline, ink: Mask, way: int) -> float:
    """The white between an outline and what stands beside its middle, in pixels, up to half its side."""
    y0, y1 = int(one.y - one.side / 4), int(one.y + one.side / 4) + 1
    columns = int(one.x) + way * np.arange(int(one.side / 2) - 2, int(1.1 * one.side))
    inked: Mask = np.any(ink[y0:y1, columns[(columns >= 0) & (columns < ink.shape[1])]], axis=0)
    outline = inked[:6]
    start = 6 - int(outline[::-1].argmax()) if outline.any() else 0
    beside = inked[start:]
    return float(beside.argmax()) if beside.any() else one.side / 2


def _has_words(one: BoxOutline, words: Sequence[OcrWord], usual: float, px_per_pt: float) -> bool:
    """Whether words that it is not too small for stand beside it, level with it. `usual`: the height of the page's
    capitals, as a word with a box in it seems higher."""
    for word in words:
        gap = max(word.x0 - one.x - one.side / 2, one.x - one.side / 2 - word.x1)
        level = word.y0 <= one.y <= word.y1
        if not level or gap > REACH_PT * px_per_pt or not any(c.isalnum() for c in word.text):
            continue
        inside = word.x0 <= one.x <= word.x1
        if (not inside or len(word.text) > 2) and one.side >= SMALLER * min(usual, capital_height(word)):
            return True
    return False


def _with_ink(found: Sequence[BoxOutline], ink: Mask) -> list[tuple[BoxOutline, float]]:
    """The boxes that do not touch beside each other, with the share of ink in them. What has ink in it is a box beside
    an empty one alike, as groups of letters have closed outlines too; a circle beside another one."""
    found = [one for one in found if not any(one is not other and _touch(one, other) for other in found)]
    shares = [_share_inside(one, ink) for one in found]
    empty = [one for one, share in zip(found, shares, strict=True) if share < EMPTY]
    return [
        (one, share)
        for one, share in zip(found, shares, strict=True)
        if any(one is not o and _are_alike(one, o) for o in (empty if share >= EMPTY else found))
        or (share < EMPTY and not one.is_circle)
    ]


def _touch(one: BoxOutline, other: BoxOutline) -> bool:
    """Whether they share an upright edge, as the squares of a comb do. Those below each other may be a dense list."""
    near = abs(one.x - other.x) < (one.side + other.side) / 2 - 1
    return near and abs(one.y - other.y) < one.side / 2 and _are_alike(one, other)


def _is_swatch(one: BoxOutline, depth: Shades, dark: float) -> bool:
    """Whether it is filled with a shade that is lighter than the page's ink, which is so `dark`."""
    half = one.side / 4
    middle = depth[int(one.y - half) : int(one.y + half) + 1, int(one.x - half) : int(one.x + half) + 1]
    level = float(np.median(middle))
    spread = float(np.percentile(middle, 90) - np.percentile(middle, 10))
    return level > SHADE[0] and level < SHADE[1] * dark and spread < SHADE[2] * level


def _are_alike(one: BoxOutline, other: BoxOutline) -> bool:
    return abs(one.side - other.side) <= ALIKE * max(one.side, other.side)


def _share_inside(one: BoxOutline, ink: Mask) -> float:
    """The share of ink within the outline, which may be up to `THICKEST` of half the side; 1 where it is thicker."""
    half, form = one.side / 2 - 0.5, ROUND[one.form]
    depths = np.arange(0, half, 0.5)
    far = reach(form, RAYS)[:, None] * (half + 1 - depths)[None, :]
    seen = _at(ink, one.x + far * np.cos(RAYS)[:, None], one.y + far * np.sin(RAYS)[:, None])
    begins = seen.argmax(axis=1)
    white = np.array(
        [
            (~row[start:]).argmax() + start if not row[start:].all() else len(row)
            for row, start in zip(seen, begins, strict=True)
        ]
    )
    inner = half + 1 - float(np.median(depths[np.minimum(white, len(depths) - 1)])) - 1
    if inner < (1 - THICKEST) * half:
        return 1.0
    y, x = np.mgrid[-int(inner) : int(inner) + 1, -int(inner) : int(inner) + 1]
    within = np.hypot(x, y) <= reach(form, np.arctan2(y, x)) * inner
    return float(_at(ink, one.x + x[within], one.y + y[within]).mean())


def _at(ink: Mask, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> Mask:
    height, width = ink.shape
    return ink[np.rint(y).astype(int).clip(0, height - 1), np.rint(x).astype(int).clip(0, width - 1)]
