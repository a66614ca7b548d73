"""Reading a scan that lies sideways or upside down: noticed by what OCR makes of it as it is shown."""

import io

import numpy as np
from PIL import Image

from shared.ports import Ocr, OcrWord

# Mean confidence over characters: upright pages of the development files had .99 and more, upside down .67 to .78.
SURE = 0.85
# Share of the characters in words that are higher than wide by this ratio: .91 and more of pages on their side where
# the engine turns lines itself, 0 of upright ones.
TALL = 1.5
TALL_SHARE = 0.5
# The longer side of the picture that is looked at for the direction of its lines, which are then some pixels high.
SAMPLE_SIDE = 800
# A turned reading has to say this much more than the one as shown.
BETTER = 1.1


def read_upright(ocr: Ocr, picture: bytes) -> tuple[list[OcrWord], int]:
    """Returns (words in 0..1 of the picture with its lines level, degrees by which it is turned clockwise from that).

    An upright picture is read once; others are read again, turned, until the engine is sure: at most twice.
    """
    words = ocr.read(picture)
    sideways = _share_tall(words, picture) >= TALL_SHARE
    if not words or (_confidence(words) >= SURE and not sideways):
        return words, 0
    best, turn = words, 0
    for degrees in (90, 270) if sideways or _has_columns_of_ink(picture) else (180,):
        again = ocr.read(turned_back(picture, degrees))
        if _said(again) > BETTER * _said(best) or (sideways and not turn):
            best, turn = again, degrees
        if turn and _confidence(best) >= SURE:
            break
    return best, turn


def turned_back(picture: bytes, degrees: int) -> bytes:
    """The picture turned counter-clockwise, as a PNG in grey; by 0 degrees as it is."""
    if not degrees:
        return picture
    stream = io.BytesIO()
    with Image.open(io.BytesIO(picture)) as image:
        image.convert("L").rotate(degrees, expand=True).save(stream, "PNG", compress_level=1)
    return stream.getvalue()


def _has_columns_of_ink(picture: bytes) -> bool:
    """Whether the shade changes more from column to column than from row to row, as that of lines on their side."""
    with Image.open(io.BytesIO(picture)) as image:
        grey = image.convert("L")
        grey.thumbnail((SAMPLE_SIDE, SAMPLE_SIDE), Image.Resampling.BOX)
    shades = np.asarray(grey, np.float32)
    rows, columns = (float(np.abs(np.diff(shades.mean(axis=axis))).mean()) for axis in (1, 0))
    return columns > rows


def _share_tall(words: list[OcrWord], picture: bytes) -> float:
    with Image.open(io.BytesIO(picture)) as image:
        width, height = image.size
    tall = sum(len(w.text) for w in words if (w.y1 - w.y0) * height > TALL * (w.x1 - w.x0) * width and len(w.text) > 2)
    return tall / (sum(len(w.text) for w in words) or 1)


def _confidence(words: list[OcrWord]) -> float:
    """Over characters; 0 for no words."""
    return _said(words) / (sum(len(word.text) for word in words) or 1)


def _said(words: list[OcrWord]) -> float:
    """Characters, each by its confidence."""
    return sum(word.confidence * len(word.text) for word in words)
