"""Crops the image of every figure from the stored image of its page, so that no later stage opens the source."""

import io
from collections.abc import Iterator

from PIL import Image

from shared.contract import figure_key
from shared.domain.geometry import Rect
from shared.domain.operations import PageOperations, RegisterFigure
from shared.runtime import Runtime

# JPEG quality, above the page image's 80, as the figure is encoded a second time.
JPEG_QUALITY = 85
MIN_PIXELS = 2


def store_figures(runtime: Runtime, work: str, operations: PageOperations) -> int:
    """Stores one image per figure of the page; returns how many.

    No image is opened for a page without figures. Where the page's image could not be rendered, its figures have none
    either.
    """
    boxes = list(_boxes(operations))
    key = f"{work}images/{operations.page}.jpg"
    if not boxes or not runtime.blobs.exists(key):
        return 0
    with Image.open(io.BytesIO(runtime.blobs.get(key))) as image:
        for box in boxes:
            place = figure_key(work, operations.page, (box.x, box.y, box.w, box.h))
            runtime.blobs.put(place, _cut(image, box), "image/jpeg")
    return len(boxes)


def _boxes(operations: PageOperations) -> Iterator[Rect]:
    return (operation.box for operation in operations.operations if isinstance(operation, RegisterFigure))


def _cut(image: Image.Image, box: Rect) -> bytes:
    left, top = int(box.x * image.width), int(box.y * image.height)
    right, bottom = round(box.right * image.width), round(box.bottom * image.height)
    area = (left, top, max(right, left + MIN_PIXELS), max(bottom, top + MIN_PIXELS))
    stream = io.BytesIO()
    image.crop(area).convert("RGB").save(stream, "JPEG", quality=JPEG_QUALITY)
    return stream.getvalue()
