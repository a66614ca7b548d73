"""Pictures of pages for OCR: cutting regions out, and telling photographs from scanned text without reading them."""

import io

import numpy as np
from PIL import Image

from shared.domain.geometry import Rect

SAMPLE_SIDE = 400
# Half of a scanned passage's pixels are within this many of 255 levels of its most frequent shade, that of the paper.
PAPER_LEVELS = 24
PAPER_SHARE = 0.5
# Less contrast than this between paper and the darkest (or brightest) hundredth is an empty area.
CONTRAST_LEVELS = 40


def cut_region(image: bytes, region: Rect) -> bytes:
    """The part of a page's JPEG that shows `region`, as PNG; the same bytes where that is all of it."""
    if region.x <= 0 and region.y <= 0 and region.w >= 1 and region.h >= 1:
        return image
    with Image.open(io.BytesIO(image)) as page:
        w, h = page.size
        part = page.convert("L").crop(
            (int(region.x * w), int(region.y * h), round(region.right * w), round(region.bottom * h))
        )
    stream = io.BytesIO()
    part.save(stream, "PNG", compress_level=1)
    return stream.getvalue()


def may_hold_text(image: bytes) -> bool:
    """Whether the picture has mostly one shade with something on it, as text and charts have; photographs have not."""
    with Image.open(io.BytesIO(image)) as picture:
        grey = picture.convert("L")
        grey.thumbnail((SAMPLE_SIDE, SAMPLE_SIDE), Image.Resampling.BOX)
        shades = np.asarray(grey, np.int16)
    paper = int(np.argmax(np.bincount(shades.ravel(), minlength=256)))
    off = np.abs(shades - paper)
    return bool((off <= PAPER_LEVELS).mean() >= PAPER_SHARE and np.percentile(off, 99) >= CONTRAST_LEVELS)
