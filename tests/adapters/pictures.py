"""Small pictures for tests."""

import io

from PIL import Image


def jpeg_of(width: int, height: int) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(stream, "JPEG")
    return stream.getvalue()
