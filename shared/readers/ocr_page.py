"""Turns words recognised in a picture into fragments of the page file, in reading order with the others."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from shared.domain.characters import storable
from shared.domain.geometry import DIGITS, Rect, union
from shared.domain.page import Fragment, PageFile, PageImage
from shared.domain.turned import as_read, turn_page
from shared.ports import OcrWord
from shared.readers.pictures import COVERED_SHARE, REGION_SHARE, covered_share
from shared.readers.reading_order import Item, reading_order

FONT = "OCR"
WHOLE_PAGE = Rect(x=0, y=0, w=1, h=1)
# A gap wider than this many line heights separates cells or columns, not words.
GAP_HEIGHTS = 1.6
# Latin letters in ems: from the base line up (capitals, small letters) and down.
CAPITAL, SMALL, DESCENT = 0.72, 0.52, 0.21
DESCENDERS = frozenset("gjpqyQ,;()[]{}|/@§çģ")
# Lines whose sizes differ by at most this ratio have one size: the measured size depends on the letters of a line.
SAME_SIZE = 1.15
# Share of a picture that its recognised lines must cover for a scanned passage; a figure has only some labels.
PASSAGE_SHARE = 0.15
PASSAGE_LINES = 3
# Share of a recognised word's letters in the text layer from which the word is a stamp or form field over the picture.
PRINTED_OVER = 0.2


@dataclass(slots=True)
class _Piece:
    """A line of words, or the part of one between two gaps; the box in 0..1 of the page."""

    words: list[OcrWord]
    box: Rect
    size: float

    @property
    def text(self) -> str:
        text = self.words[0].text
        for last, word in pairwise(self.words):
            text += word.text if is_wide(last.text[-1]) and is_wide(word.text[0]) else f" {word.text}"
        return storable(text)


def regions_to_read(page: PageFile) -> list[Rect]:
    """Where the page may have text that its text layer lacks: the whole page, or pictures without text; [] for
    nowhere."""
    if page.route == "ocr":
        return [WHOLE_PAGE]
    if page.route != "mixed":
        return []
    texts = [fragment.box for fragment in page.fragments]
    bitmaps = [
        image.box for image in page.images if image.kind == "bitmap" and image.box.w * image.box.h >= REGION_SHARE
    ]
    return [box for box in bitmaps if covered_share(box, texts) < COVERED_SHARE] or [WHOLE_PAGE]


def place_words(words: Iterable[OcrWord], region: Rect, first_line: int = 0) -> list[OcrWord]:
    """Words of a picture of `region` in 0..1 of the page, their lines numbered from `first_line`."""
    return [
        word._replace(
            x0=region.x + word.x0 * region.w, x1=region.x + word.x1 * region.w,
            y0=region.y + word.y0 * region.h, y1=region.y + word.y1 * region.h, line=first_line + word.line,
        )
        for word in words
    ]  # fmt: skip


def add_turned_words(page: PageFile, words: Sequence[OcrWord], engine: str, turn: int) -> PageFile:
    """The same for words in 0..1 of a page that is shown turned clockwise by `turn` degrees; the page file's boxes are
    those of the page as it is shown."""
    shown = page.model_copy(update={"turn": turn})
    return turn_page(add_words(as_read(shown), words, engine), turn)


def add_words(page: PageFile, words: Sequence[OcrWord], engine: str) -> PageFile:
    """Returns the page file with the recognised words that its text layer does not have.

    The route of a page without any text is `empty`, or `text` where it has a text layer.
    """
    fresh = [word for word in words if not _is_covered(word, page.fragments)]
    pieces = [piece for line in _lines(fresh) for piece in _pieces(line, page)]
    _snap_sizes(pieces)
    fragments = [_fragment(piece, number) for number, piece in enumerate(pieces, 1 + _last_block(page))]
    read = [*page.fragments, *fragments]
    inked = sum(len(fragment.text) - fragment.text.count(" ") for fragment in read)
    return page.model_copy(
        update={
            "route": ("mixed" if page.fragments else "ocr") if fragments else "text" if page.fragments else "empty",
            "fragments": _ordered(page, read),
            "images": [image for image in page.images if not _is_passage(image, fragments)],
            "text_density": round(inked / (page.width_pt * page.height_pt / 5184), 4),
            "extractor_version": f"{page.extractor_version}+{engine}",
        }
    )


def _is_covered(word: OcrWord, fragments: Sequence[Fragment]) -> bool:
    """Whether the text layer has something at the word's middle, or some of its letters under it."""
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    if any(f.box.x <= x <= f.box.right and f.box.y <= y <= f.box.bottom for f in fragments):
        return True
    box = Rect(x=word.x0, y=word.y0, w=word.x1 - word.x0, h=word.y1 - word.y0)
    under = sum(covered_share(f.box, [box]) * len(f.text) for f in fragments if f.box.w * f.box.h)
    return under > PRINTED_OVER * len(word.text)


def _lines(words: Iterable[OcrWord]) -> list[list[OcrWord]]:
    lines: dict[int, list[OcrWord]] = {}
    for word in words:
        if word.text.strip() and word.x1 > word.x0 and word.y1 > word.y0:
            lines.setdefault(word.line, []).append(word)
    return list(lines.values())


def _pieces(line: list[OcrWord], page: PageFile) -> list[_Piece]:
    """The line cut at its gaps; words of right-to-left script follow each other to the left."""
    height = statistics.median((word.y1 - word.y0) * page.height_pt for word in line)
    parts = [[line[0]]]
    for last, word in pairwise(line):
        gap = max(word.x0 - last.x1, last.x0 - word.x1) * page.width_pt
        if gap > GAP_HEIGHTS * height:
            parts.append([word])
        else:
            parts[-1].append(word)
    return [_piece(part, page) for part in parts]


def _piece(words: list[OcrWord], page: PageFile) -> _Piece:
    """Engines return the extent of the ink; a line's box is extended from ascender to descender."""
    boxes = [Rect(x=w.x0, y=w.y0, w=w.x1 - w.x0, h=w.y1 - w.y0) for w in words]
    text = "".join(word.text for word in words)
    up, down = _reach(text)
    em = statistics.median(box.h for box in boxes) / (sum(_reach(text)) or 1.0) if len(words) == 1 else _em(words)
    around = union(boxes)
    y0 = max(0.0, around.y - (CAPITAL - up) * em)
    y1 = min(1.0, around.bottom + (DESCENT - down) * em)
    x0, x1 = round(around.x, DIGITS), round(around.right, DIGITS)
    y0, y1 = round(y0, DIGITS), round(y1, DIGITS)
    box = Rect(x=x0, y=y0, w=round(max(0.0, x1 - x0), DIGITS), h=round(max(0.0, y1 - y0), DIGITS))
    return _Piece(words, box, em * page.height_pt)


def _em(words: Sequence[OcrWord]) -> float:
    """The font size in page heights: the median over words of the size implied by their letters."""
    return statistics.median((word.y1 - word.y0) / sum(_reach(word.text)) for word in words)


def capital_height(word: OcrWord) -> float:
    """How high a capital of the word's size is, in the unit of its box."""
    return CAPITAL * (word.y1 - word.y0) / (sum(_reach(word.text)) or 1.0)


def _reach(text: str) -> tuple[float, float]:
    """How far the ink of `text` extends above and below the base line, in ems."""
    if any(is_wide(c) for c in text):
        return CAPITAL, DESCENT
    up = (
        CAPITAL
        if any(c.isupper() or c.isdigit() or c in "bdfhklt()[]{}/|ßäöüi!?%&" or c > "\u024f" for c in text)
        else SMALL
    )
    return up, DESCENT if any(c in DESCENDERS for c in text) else 0.0


def is_wide(character: str) -> bool:
    return "\u2e80" <= character <= "\uffdc" and not "\uac00" <= character <= "\ud7a3"


def _snap_sizes(pieces: Sequence[_Piece]) -> None:
    """Gives lines of nearly equal size the same size, in whole points: the median over their characters."""
    group: list[_Piece] = []
    for piece in [*sorted(pieces, key=lambda piece: piece.size), None]:
        if group and (piece is None or piece.size > SAME_SIZE * group[0].size):
            middle = statistics.median([p.size for p in group for _ in p.text])
            for member in group:
                member.size = max(1.0, round(middle))
            group = []
        if piece is not None:
            group.append(piece)


def _fragment(piece: _Piece, block: int) -> Fragment:
    text, confidences = piece.text, [word.confidence for word in piece.words]
    rtl = sum("\u0590" <= c <= "\u08ff" for c in text) * 2 > len(text)
    return Fragment(
        id="", text=text, box=piece.box, font=FONT, size=piece.size, ocr=True, block=block,
        direction="rtl" if rtl else "ltr",
        confidence=round(statistics.fmean(confidences), 4), word_confidences=tuple(confidences),
    )  # fmt: skip


def _last_block(page: PageFile) -> int:
    return max((fragment.block for fragment in page.fragments), default=-1)


def _ordered(page: PageFile, fragments: Sequence[Fragment]) -> list[Fragment]:
    """All fragments in reading order, numbered again; slanted ones come last, as in the reader's order."""
    w, h = page.width_pt, page.height_pt
    bars = [(r.x0 * w, r.x1 * w, r.y0 * h) for r in page.rules if not r.fill and r.y1 - r.y0 < r.x1 - r.x0]
    slanted = [i for i, fragment in enumerate(fragments) if fragment.direction == "rotated"]
    items = [_item(i, f, w, h) for i, f in enumerate(fragments) if f.direction != "rotated"]
    order = [*reading_order(items, bars), *slanted]
    return [fragments[i].model_copy(update={"id": f"p{page.page}.f{n}"}) for n, i in enumerate(order, 1)]


def _item(index: int, fragment: Fragment, width: float, height: float) -> Item:
    box, text = fragment.box, fragment.text
    return Item(
        index, box.x * width, box.y * height, box.right * width, box.bottom * height, len(text),
        fragment.direction == "rtl", fragment.direction == "ttb", is_wide(max(text)),
    )  # fmt: skip


def _is_passage(image: PageImage, fragments: Sequence[Fragment]) -> bool:
    inside = [f.box for f in fragments if covered_share(f.box, [image.box]) > 0.5]
    return image.kind == "bitmap" and len(inside) >= PASSAGE_LINES and covered_share(image.box, inside) >= PASSAGE_SHARE
