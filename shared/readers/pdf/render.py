"""Page images: JPEG of the page as displayed, and a thumbnail from the same pixels."""

import io
import math

import pymupdf
from PIL import Image

from shared.readers.source import RenderedPage

# A4 at 200 dpi is 3.9 million pixels; A0 at 200 dpi would be 62. 25 million keep a worker below 150 MB.
MAX_PIXELS = 25_000_000
THUMBNAIL_WIDTH = 160
JPEG_QUALITY = 80


def render(page: pymupdf.Page, dpi: int) -> RenderedPage:
    """Render `page` at `dpi`, less where the page is so large that MAX_PIXELS would be exceeded."""
    zoom = _zoom(page.rect, dpi)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), alpha=False, colorspace=pymupdf.csRGB)
    image = Image.frombuffer("RGB", (pixmap.width, pixmap.height), pixmap.samples_mv, "raw", "RGB", pixmap.stride, 1)
    return RenderedPage(_jpeg(image), _jpeg(_thumbnail(image)), pixmap.width, pixmap.height)


def _zoom(rect: pymupdf.Rect, dpi: int) -> float:
    zoom = dpi / 72
    pixels = float(rect.width) * float(rect.height) * zoom * zoom
    return zoom * math.sqrt(MAX_PIXELS / pixels) if pixels > MAX_PIXELS else zoom


def _thumbnail(image: Image.Image) -> Image.Image:
    """Shrunk by whole factors first: a tenth of the work of resampling every pixel."""
    factor = max(1, image.width // (THUMBNAIL_WIDTH * 2))
    size = (THUMBNAIL_WIDTH, max(1, round(image.height * THUMBNAIL_WIDTH / max(1, image.width))))
    return image.reduce(factor).resize(size, Image.Resampling.BILINEAR)


def _jpeg(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "JPEG", quality=JPEG_QUALITY)
    return stream.getvalue()
